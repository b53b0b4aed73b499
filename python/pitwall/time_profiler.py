"""Stages of a pipeline: lines with the time of day, a summary, and logs read back.

    from pitwall.time_profiler import profiler

    profiler.log("=== TRAINING PIPELINE START ===")
    t0 = time.time()
    ...
    profiler.log("Dataset loading", time.time() - t0)
    profiler.summary()

`verbose = False` on this module silences it; PITWALL_VERBOSE=0 silences all but the summary.
"""

import contextlib
import os
import time

from . import _device, _pitwall
from ._output import is_quiet, text_of

verbose = True


class TimeProfiler:
    """Stages with their times, which add up by name.

    timings: {stage: seconds}; start_time: when it was made, of time.time(). The summary's TOTAL is the
    sum of the stages; the time since start_time is longer by all that was no stage. A stage inside
    another one is indented, and not in the sum. wait: a device's work is waited for at the begin and
    end of a stage().
    """

    def __init__(self, wait=True):
        self.wait = bool(wait)
        self._own = _pitwall._stages_new()
        self.timings = {}
        self.start_time = time.time()

    def log(self, stage, elapsed=None):
        """A [STAGE] line, or with the seconds it took a [TIMING] line."""
        name = text_of(stage)
        total = _pitwall._stage(
            self._own, name, None if elapsed is None else float(elapsed), is_quiet(verbose)
        )
        if total is not None:
            self.timings[name] = total

    @contextlib.contextmanager
    def stage(self, stage, memory=False):
        """A block as a stage: its [STAGE] line, and its [TIMING] line however it ends. memory: what
        it took and peaked at is kept in the run. Its time includes that of stages inside it."""
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
        """The table of all stages with their shares; one that runs still as "NAME (open)"."""
        _pitwall._stages_summary(self._own, is_quiet(verbose, asked=True))

    def memory(self):
        """{stage: {'cpu_delta_mb', 'cpu_peak_mb', …}} of stages that asked for it."""
        found = {}
        for row in _pitwall._stages_rows(self._own):
            keys = [key for key in ("cpu_delta_mb", "cpu_peak_mb") if row["has_memory"]]
            keys += [key for key in ("gpu_delta_mb", "gpu_peak_mb") if row["has_device"]]
            if keys:
                found[row["name"]] = {key: row[key] for key in keys}
        return found

    def save(self, filepath):
        """{'timings', 'total_time'} as JSON, whole or not at all; total_time is the time since it was
        made."""
        _pitwall._stages_save(self._own, os.fspath(filepath))


profiler = TimeProfiler()


# ---- windows ------------------------------------------------------------------------------------

_KINDS = {"ms": 0, "mean": 1, "hidden": 2}


class window:
    """A line every `every` calls, with the means over exactly the last so many:

        gpm = window("GPM TIMING", unit="graphs", every=100,
                     items={"Pattern gen": "ms", "Total": "ms", "Avg nodes": "mean",
                            "patterns": "hidden"})
        gpm.add(0.12, 0.45, 28, 7)
        [GPM TIMING] Last 100 graphs: Pattern gen=123.45ms, Total=456.78ms, Avg nodes=28.3

    Items are seconds shown as ms, means, or hidden: kept without being printed. The figures of the last
    `keep` calls are available as lists and percentiles.
    """

    def __init__(self, tag, unit="calls", every=100, items=None, keep=10000):
        if not items:
            raise ValueError("a window needs items: {label: 'ms', 'mean' or 'hidden'}")
        for label, kind in items.items():
            if kind not in _KINDS:
                raise ValueError("item %r: 'ms', 'mean' or 'hidden', not %r" % (label, kind))
        if every < 1:
            raise ValueError("every must be at least 1, not %r" % (every,))
        self.labels = [str(label) for label in items]
        self._own = _pitwall._window_new(
            text_of(tag), text_of(unit), int(every),
            [(text_of(label), _KINDS[kind]) for label, kind in items.items()],
        )
        _pitwall._window_keep(self._own, int(keep))

    def add(self, *figures, **by_label):
        """One call: a figure for each item, in their order or by label."""
        if by_label:
            figures = list(figures) + [by_label.pop(label) for label in self.labels[len(figures):]
                                       if label in by_label]
        if by_label or len(figures) != len(self.labels):
            raise TypeError("a call has the figures %s" % ", ".join(self.labels))
        _pitwall._window_add(self._own, list(figures), is_quiet(verbose))

    @property
    def count(self):
        """Calls since the begin."""
        return _pitwall._window_count(self._own)

    def sum(self, label):
        """Of an item, since the begin."""
        return _pitwall._window_sum(self._own, self._item(label))

    def _item(self, label):
        if label not in self.labels:
            raise KeyError(label)
        return self.labels.index(label)

    def values(self, label):
        """The figures of an item as they were added, the oldest first: those of the last `keep`
        calls."""
        return _pitwall._window_figures(self._own, self._item(label))

    def percentile(self, label, percent):
        """Of those figures, percent from 0 to 100; nan before the first call."""
        if not 0 <= percent <= 100:
            raise ValueError("percent must be 0 to 100, not %r" % (percent,))
        return _pitwall._window_percentile(self._own, self._item(label), float(percent))

    def percentiles(self, label):
        """{'p50', 'p95', 'p99'} of those figures."""
        return {"p%d" % percent: self.percentile(label, percent) for percent in (50, 95, 99)}


# ---- logs ---------------------------------------------------------------------------------------


def read_timing_log(logfile):
    """All lines with times of a text log, as a list of dicts with kind (stage, timing, window,
    summary, total), text, figures, units, wall."""
    return _pitwall._log_read(os.fspath(logfile))[0]


def parse_timing_log(logfile):
    """{stage: seconds} of the [TIMING] lines of a text log; of a stage that comes twice the last."""
    return {
        entry["text"]: entry["figures"]["seconds"]
        for entry in read_timing_log(logfile)
        if entry["kind"] == "timing"
    }
