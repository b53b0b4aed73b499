"""The device beside the processor: its memory, and waiting for its work.

PyTorch's CUDA device is found by itself, if the program has imported torch and there is one. Any other
library can be given by `set_device`.
"""

import sys

from ._pitwall import _set_device

_given = None  # what set_device was given
_given_wait = None
_index = None  # of the CUDA device in use


def _cuda():
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda is not None and cuda.is_available() else None


def set_device(memory=None, wait=None, reset_peak=None):
    """Tell of a device. memory() gives (allocated, reserved, peak) in bytes, wait() returns when all
    work handed over is done, reset_peak() makes the peak begin anew. Without arguments: none."""
    global _given, _given_wait
    for name, part in (("memory", memory), ("wait", wait), ("reset_peak", reset_peak)):
        if part is not None and not callable(part):
            raise TypeError("%s must be a function, not %r" % (name, part))
    if memory is None:
        _given = None
        _set_device(None, None)
        return

    def read():
        found = tuple(int(figure) for figure in memory())
        if reset_peak is not None:
            reset_peak()
        return found

    _given = read
    _given_wait = wait if wait is not None else lambda: None
    _set_device(read, _given_wait)


def use(index=0):
    """Measure on that CUDA device from now on, where there is one and nothing else was given."""
    global _index
    if _given is not None or index == _index:
        return
    cuda = _cuda()
    if cuda is None:
        return

    def read():
        found = (
            cuda.memory_allocated(index),
            cuda.memory_reserved(index),
            cuda.max_memory_allocated(index),
        )
        cuda.reset_peak_memory_stats(index)
        return found

    _set_device(read, lambda: cuda.synchronize(index))
    _index = index


def wait(index=0):
    """Until the work handed over to that device is done."""
    cuda = _cuda()
    if _given is not None:
        _given_wait()
    elif cuda is not None:
        cuda.synchronize(index)


def memory(index=0):
    """(allocated, reserved, peak) in bytes; None without a device."""
    if _given is not None:
        return _given()
    cuda = _cuda()
    if cuda is None:
        return None
    return (
        cuda.memory_allocated(index),
        cuda.memory_reserved(index),
        cuda.max_memory_allocated(index),
    )


def utilization(index=0):
    """Percent of the last second the device was busy; None where that cannot be had."""
    cuda = _cuda()
    try:
        return float(cuda.utilization(index)) if cuda is not None else None
    except Exception:  # it takes a library that few have
        return None
