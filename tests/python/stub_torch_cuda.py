"""A stand-in for torch.cuda: our machines have no GPU. Only `work` moves the clock of its device, so times are
known exactly; the host's clock advances at least as much. Each stream is processed in order; an event is
complete once the test lets the device continue (`go_on`).

STUB_TORCH_CUDA selects a fault: "fails" raises at the 9th query, "capturing": every stream records
a graph.
"""

import os
import time

waits = 0  # calls that would have blocked the program until the device was done
events = 0  # number of events created
questions = 0
asked = 0  # queries for the current device
_streams = {0: 0.0}  # device time in ms until which each is busy, by number
_current = 0
_done_until = 0.0  # device time in ms that was reached
_initialized = False


def init():
    global _initialized
    _initialized = True


def is_initialized():
    return _initialized


def is_available():
    return True


def current_device():
    global asked
    asked += 1
    assert _initialized
    return 0


def is_current_stream_capturing():
    return os.environ.get("STUB_TORCH_CUDA") == "capturing"


def synchronize(device=None):
    global waits
    waits += 1
    go_on()


class stream:  # noqa: N801, as torch names it
    def __init__(self, number):
        self.number = number
        _streams.setdefault(number, 0.0)

    def __enter__(self):
        global _current
        self.before, _current = _current, self.number

    def __exit__(self, *unused):
        global _current
        _current = self.before


def work(ms):
    """Submit work to the current stream."""
    _streams[_current] += ms
    until = time.clock_gettime(time.CLOCK_MONOTONIC_RAW) + ms / 1000
    while time.clock_gettime(time.CLOCK_MONOTONIC_RAW) < until:
        pass


def go_on():
    """The device completes all submitted work."""
    global _done_until
    _done_until = max(_streams.values())


class Event:
    def __init__(self, enable_timing=False):
        global events
        assert enable_timing
        events += 1
        self.at = None

    def record(self):
        self.at = _streams[_current]

    def query(self):
        global questions
        questions += 1
        if os.environ.get("STUB_TORCH_CUDA") == "fails" and questions >= 9:
            raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore lines")
        return self.at <= _done_until

    def elapsed_time(self, end):
        assert self.at <= _done_until and end.at <= _done_until, "not complete"
        return end.at - self.at

    def synchronize(self):
        global waits
        waits += 1
