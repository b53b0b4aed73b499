"""Devices other than the CPU: their memory, and waiting for their work.

PyTorch's CUDA devices are found automatically if the program has imported torch; otherwise JAX's devices,
for waiting only. Use `set_device` for any other library. Reading a device never resets its peak, unless
`set_device` was given a reset_peak.
"""

import sys

from . import _pitwall
from ._pitwall import _set_device

_given = {}  # arguments of set_device: (device of the extension, memory) by index, or None for all
_made = {}  # CUDA devices by index: (torch.cuda, device of the extension)
_used = None  # index of the CUDA device that is the process's device
_found = (None, None)  # torch, and its CUDA devices or None
_nothing = _pitwall._device_new(None, None, None)  # for monitors of a device that does not exist


def _cuda():
    global _found
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None:
        return None
    if _found[0] is not torch:  # checked once: it takes microseconds
        _found = (torch, cuda if cuda.is_available() else None)
    return _found[1]


def set_device(memory=None, wait=None, reset_peak=None, device=None):
    """Register functions that read a device.

    memory() returns (allocated, reserved, peak) in bytes, wait() returns when all submitted work is
    done, reset_peak() restarts the peak. device: the number by which monitors select it with
    `device=`; None: any number. Without memory and wait the device is removed."""
    global _used
    for name, part in (("memory", memory), ("wait", wait), ("reset_peak", reset_peak)):
        if part is not None and not callable(part):
            raise TypeError("%s must be a function, not %r" % (name, part))
    if device is None:
        old = list(_given.values())
        _given.clear()
    else:
        old = [_given.pop(device)] if device in _given else []

    def read():
        return tuple(int(figure) for figure in memory())

    if memory is not None or wait is not None:
        reads = read if memory is not None else None
        _given[device] = (_pitwall._device_new(reads, wait, reset_peak), reads)
    process = _given.get(None) or _given.get(0) or next(iter(_given.values()), None)
    _set_device(process[0] if process else None)
    _used = None
    for gone in old:
        _pitwall._device_drop(gone[0])


def _find(index):
    return _given.get(index) or _given.get(None)


def _read_cuda(cuda, index):
    return (
        cuda.memory_allocated(index),
        cuda.memory_reserved(index),
        cuda.max_memory_allocated(index),
    )


def _is_processor(index):
    return index is None or str(index).startswith("cpu")


def at(index=0):
    """The device of that number, for the extension's functions; with None the process's device, if any."""
    if _given:
        found = _find(index)
        return found[0] if found else _nothing
    if _is_processor(index):
        return _nothing
    cuda = _cuda()
    if cuda is None:
        return None
    made = _made.get(index)
    if made is None or made[0] is not cuda:

        def wait():  # do not initialise CUDA for a program that has not used it yet
            if getattr(cuda, "is_initialized", lambda: True)():
                cuda.synchronize(index)

        made = (cuda, _pitwall._device_new(lambda: _read_cuda(cuda, index), wait, None))
        _made[index] = made
    return made[1]


def uses_jax():
    """True if the program has started a JAX backend. We never start one ourselves."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bool(getattr(bridge, "_backends", None)) and hasattr(sys.modules.get("jax"), "live_arrays")


def _wait_for_jax():
    """Wait for JAX: block on all arrays that the program still holds."""
    jax = sys.modules["jax"]
    jax.block_until_ready(jax.live_arrays())


def use(index=0):
    """Make this CUDA device the process's device, unless set_device gave another one. Without CUDA use
    JAX's devices, for waiting only."""
    global _used
    if _given or index == _used:
        return
    found = at(index)
    if found is not None:
        _set_device(found)
        _used = index
    elif _used is None and uses_jax():
        _set_device(_pitwall._device_new(None, _wait_for_jax, None))
        _used = "jax"


def find():
    """Called when a span with wait=True begins: a device may have appeared since the last time."""
    if _used is None:
        use()


def wait(index=0):
    """Wait until the work submitted to this device is done."""
    _pitwall._device_wait(at(index))


def memory(index=0):
    """(allocated, reserved, peak) in bytes; None without a device."""
    if _given:
        found = _find(index)
        return found[1]() if found and found[1] else None
    cuda = _cuda()
    return None if cuda is None or _is_processor(index) else _read_cuda(cuda, index)


def utilization(index=0):
    """Percentage of the last second in which the device was busy; None if not available."""
    cuda = _cuda()
    try:
        return float(cuda.utilization(index)) if cuda is not None else None
    except Exception:  # requires a library that few have installed
        return None
