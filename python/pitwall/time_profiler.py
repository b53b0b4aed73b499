"""Stages of a pipeline: lines with the time of day, a summary, and logs read back.

    from pitwall.time_profiler import profiler

    profiler.log("=== TRAINING PIPELINE START ===")
    t0 = time.time()
    ...
    profiler.log("Dataset loading", time.time() - t0)
    profiler.summary()

`verbose = False` on this module turns its output off; PITWALL_VERBOSE=0 keeps only the summary.
"""

import contextlib
import os
import time

from . import _device, _pitwall
from ._output import is_quiet, text_of

verbose = True


class TimeProfiler:
    """Times the stages of a pipeline; stages of the same name add up.

    timings: {stage: seconds}. start_time: when the profiler was created, as of time.time(). The summary's
    TOTAL is the sum of the stages; it does not include the time between them. A stage inside another one
    is indented and not part of the sum. wait: wait for the device's work at the begin and end of a stage().
    """

    def __init__(self, wait=True):
        self.wait = bool(wait)
        self._own = _pitwall._stages_new()
        self.timings = {}
        self.start_time = time.time()

    def log(self, stage, elapsed=None):
        """Print a [STAGE] line, or, if seconds are given, a [TIMING] line."""
        name = text_of(stage)
        total = _pitwall._stage(
            self._own, name, None if elapsed is None else float(elapsed), is_quiet(verbose)
        )
        if total is not None:
            self.timings[name] = total

    @contextlib.contextmanager
    def stage(self, stage, memory=False):
        """Time a `with` block as a stage. Prints a [STAGE] line, and a [TIMING] line however the block ends.
        memory: also record its memory and peak in the run. The time includes nested stages."""
        name = text_of(stage)
        device, wait = (_device.at(), 1) if self.wait else (None, -1)
        _pitwall._stage_enter(self._own, name, bool(memory), device, wait, is_quiet(verbose))
        try:
            yield self
        finally:
            total = _pitwall._stage_leave(self._own, name, is_quiet(verbose))
            if total is not None:
                self.timings[name] = total

    def summary(self):
        """Print the table of all stages with their shares; a stage that is still running appears as
        "NAME (open)"."""
        _pitwall._stages_summary(self._own, is_quiet(verbose, asked=True))

    def memory(self):
        """{stage: {'cpu_delta_mb', 'cpu_peak_mb', …}} of the stages with memory=True."""
        found = {}
        for row in _pitwall._stages_rows(self._own):
            keys = [key for key in ("cpu_delta_mb", "cpu_peak_mb") if row["has_memory"]]
            keys += [key for key in ("gpu_delta_mb", "gpu_peak_mb") if row["has_device"]]
            if keys:
                found[row["name"]] = {key: row[key] for key in keys}
        return found

    def save(self, filepath):
        """Write {'timings', 'total_time'} to a JSON file, which is replaced atomically. total_time is the
        time since the profiler was created."""
        _pitwall._stages_save(self._own, os.fspath(filepath))


profiler = TimeProfiler()


# ---- windows ------------------------------------------------------------------------------------

_KINDS = {"ms": 0, "mean": 1, "hidden": 2}


class window:
    """Print a line every `every` calls, with the means over exactly those calls:

        gpm = window("GPM TIMING", unit="graphs", every=100,
                     items={"Pattern gen": "ms", "Total": "ms", "Avg nodes": "mean",
                            "patterns": "hidden"})
        gpm.add(0.12, 0.45, 28, 7)
        [GPM TIMING] Last 100 graphs: Pattern gen=123.45ms, Total=456.78ms, Avg nodes=28.3

    An item is "ms" (seconds, shown as ms), "mean", or "hidden" (kept but not printed). The figures of the
    last `keep` calls are available as lists and percentiles.
    """

    def __init__(self, tag, unit="calls", every=100, items=None, keep=10000):
        if not items:
            raise ValueError("a window needs items: {label: 'ms', 'mean' or 'hidden'}")
        for label, kind in items.items():
            if kind not in _KINDS:
                raise ValueError("item %r: must be 'ms', 'mean' or 'hidden', not %r" % (label, kind))
        if every < 1:
            raise ValueError("every must be at least 1, not %r" % (every,))
        self.labels = [str(label) for label in items]
        self._own = _pitwall._window_new(
            text_of(tag), text_of(unit), int(every),
            [(text_of(label), _KINDS[kind]) for label, kind in items.items()],
        )
        _pitwall._window_keep(self._own, int(keep))

    def add(self, *figures, **by_label):
        """Add one call: one figure per item, in order or by label."""
        if by_label:
            figures = list(figures) + [by_label.pop(label) for label in self.labels[len(figures):]
                                       if label in by_label]
        if by_label or len(figures) != len(self.labels):
            raise TypeError("add() needs one figure for each of %s" % ", ".join(self.labels))
        _pitwall._window_add(self._own, list(figures), is_quiet(verbose))

    @property
    def count(self):
        """Number of calls since the window was created."""
        return _pitwall._window_count(self._own)

    def sum(self, label):
        """Sum of an item over all calls."""
        return _pitwall._window_sum(self._own, self._item(label))

    def _item(self, label):
        if label not in self.labels:
            raise KeyError(label)
        return self.labels.index(label)

    def values(self, label):
        """The figures of an item in the last `keep` calls, the oldest first."""
        return _pitwall._window_figures(self._own, self._item(label))

    def percentile(self, label, percent):
        """A percentile (0 to 100) of an item over the last `keep` calls; nan before the first call."""
        if not 0 <= percent <= 100:
            raise ValueError("percent must be 0 to 100, not %r" % (percent,))
        return _pitwall._window_percentile(self._own, self._item(label), float(percent))

    def percentiles(self, label):
        """{'p50', 'p95', 'p99'} of an item over the last `keep` calls."""
        return {"p%d" % percent: self.percentile(label, percent) for percent in (50, 95, 99)}


# ---- logs ---------------------------------------------------------------------------------------


def read_timing_log(logfile):
    """Read all timing lines of a text log. Returns a list of dicts with kind (stage, timing, window, summary,
    total), text, figures, units, wall."""
    return _pitwall._log_read(os.fspath(logfile))[0]


def parse_timing_log(logfile):
    """{stage: seconds} from the [TIMING] lines of a text log; the last line of a stage counts."""
    return {
        entry["text"]: entry["figures"]["seconds"]
        for entry in read_timing_log(logfile)
        if entry["kind"] == "timing"
    }
