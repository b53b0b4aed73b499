"""Device times by events of torch.cuda, for spans with device=True and for phases of the hooks.

  begin ──▶ an event into the current stream ──▶ end: another one ──▶ list ──▶ later: query, elapsed_time

torch records the events, so they are in the stream of the program's work. Nothing waits for the device:
events that are not complete are queried again at the next span and when the recorder closes. Events are
reused. ROCm's torch has the same names.

CUDA reports only the time between two events. Each device has a base event, and other events are placed
on its time line by their distance from it; the recorder ties that line to the host's clock
(src/base/device_clock.h).

Never run on a GPU: tests have a stand-in for torch.cuda.
"""

import atexit
import collections
import os
import sys
import threading
import time
import typing
from typing import Any, Deque, Dict, List

from . import _device, _pitwall

MOST_OPEN = 4096
EACH_TIME = 8  # pairs that one span queries
REBASE_NS = 1e9  # distance from the base beyond which a float of milliseconds is too coarse
LINE_START = 1e15  # of a device's time line, so that all times are positive


class _Line:
    """One device: its free events, and its time line."""

    def __init__(self, index):
        self.name = "torch.cuda:%d" % index
        self.pool = []
        self.base = None
        self.base_ns = LINE_START


class _Mark(typing.NamedTuple):
    line: _Line
    event: Any
    launched_ns: int


class _Pair(typing.NamedTuple):
    mark: _Mark
    end: Any
    place: int
    name: str


JAX = "no device times of JAX, which has no events: wait=True times its work"
_told_jax: List[bool] = []
_lines: Dict[int, _Line] = {}
_open: Deque[_Pair] = collections.deque()
_cuda: List[Any] = []  # torch.cuda, once the program has used it
_missed: List[int] = [0]
_lock = threading.Lock()


def see():
    """True if the program uses CUDA through torch. We never initialise it."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if not _cuda and cuda is not None and cuda.is_initialized():
        _cuda.append(cuda)
    return bool(_cuda)


def see_for_hooks():
    """Turn on marks for the phases of training."""
    if see():
        _pitwall._marks_hooks(True)


def _stop(error):
    """A CUDA error is permanent and belongs to the program: nothing more is queried."""
    _forget()
    _pitwall._marks_hooks(False)
    _pitwall._marks(lambda: None, lambda mark, place, name: None, lambda: None)
    first = (str(error).strip().splitlines() or [""])[0]
    _pitwall._fact("device_events", "torch.cuda events stopped: %s: %s"
                   % (type(error).__name__, first[:120]))


def _forget():
    _lines.clear()
    _open.clear()
    _missed[0] = 0
    del _cuda[:]


def _forked():
    """A child cannot use its parent's CUDA."""
    global _lock
    _lock = threading.Lock()
    _pitwall._marks_hooks(False)
    _forget()


def _record(line, cuda):
    try:  # another thread may take the last one
        event = line.pool.pop()
    except IndexError:
        event = cuda.Event(enable_timing=True)
    launched_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    event.record()  # into the current stream
    return _Mark(line, event, launched_ns)


def _begin():
    """A mark, or None if torch has no CUDA here, or is recording a graph, whose events have no times. JAX
    submits its work to streams that only JAX can use: events in the default stream would mean nothing."""
    if not _cuda and not see():
        return JAX if _device.uses_jax() else None
    cuda = _cuda[0]
    try:
        if cuda.is_current_stream_capturing():
            return None
        index = cuda.current_device()
        line = _lines.get(index)
        if line is None:
            line = _lines.setdefault(index, _Line(index))
        return _record(line, cuda)
    except Exception as error:
        _stop(error)
        return None


def _end(mark, place, name):
    if mark is JAX:
        if not _told_jax:
            _told_jax.append(True)
            _pitwall._fact("device_events", JAX)
        return
    line = mark.line
    try:
        cuda = _cuda[0]
        is_same = _lines.get(cuda.current_device()) is line
        if is_same and place and len(_open) < MOST_OPEN and not cuda.is_current_stream_capturing():
            _open.append(_Pair(mark, _record(line, cuda).event, place, name))
        else:
            _missed[0] += 1
            line.pool.append(mark.event)
        _resolve(EACH_TIME)
    except Exception as error:
        _stop(error)


def _resolve(most, wait_s=0):
    """Process the oldest pairs that are complete, unless another thread does, and for longer than wait_s."""
    if not _lock.acquire(timeout=wait_s):
        return
    try:
        waiting = []
        for _ in range(min(most, len(_open))):
            pair = _open.popleft()
            if pair.end.query():
                _tell(pair)
            else:
                waiting.append(pair)
        _open.extendleft(reversed(waiting))
    finally:
        _lock.release()


def _tell(pair):
    line, begin = pair.mark.line, pair.mark.event
    from_base = line.base.elapsed_time(begin) if line.base is not None else 0.0
    at_ns = line.base_ns + from_base * 1e6
    end_ns = at_ns + max(begin.elapsed_time(pair.end), 0.0) * 1e6
    _pitwall._add_device(line.name, pair.place, pair.name, round(at_ns), round(end_ns),
                         pair.mark.launched_ns)
    line.pool.append(pair.end)
    if line.base is None or at_ns - line.base_ns > REBASE_NS:
        if line.base is not None:
            line.pool.append(line.base)
        line.base, line.base_ns = begin, at_ns
    else:
        line.pool.append(begin)


def _flush():
    """The recorder closes: process what is complete by now."""
    try:
        _resolve(MOST_OPEN, wait_s=1)
        without = _missed[0] + len(_open)
        if without:
            _pitwall._fact("device_events",
                           "%d spans have no device time: their work was not complete, went to "
                           "several devices, or there was too much at once" % without)
    except Exception as error:
        _stop(error)


_pitwall._marks(_begin, _end, _flush)
atexit.register(_flush)  # the run of an unmodified program is closed after Python has ended
os.register_at_fork(after_in_child=_forked)
