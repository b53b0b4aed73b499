"""Timing utilities: functions timed into a dict, tables of it, exports, inference and warm-up.

    from pitwall.timing import track_time, print_timing_summary

    timers = {}
    results = track_time(timers, "Model training", train, data)
    print_timing_summary(timers, "My experiment")

The clock is read after the device has finished its work, so the work itself is timed and not only its
submission. `wait = False` on this module turns that off, except for track_time_and_gpu. `verbose = False`
on this module turns its output off; PITWALL_VERBOSE=0 keeps only the tables that the program asks for.
"""

import contextlib
import csv
import datetime
import inspect
import io
import json
import math
import os
import sys

from . import _device, _pitwall
from ._output import emit, is_quiet, json_ready, text_of, utf8

verbose = True
wait = True

_MB = 1024.0 * 1024.0
_THREE = ("timers", "name", "func")


def _call_of(args, kwargs):
    """Split off timers, name and func; func may have arguments of the same names."""
    found = list(args[:3])
    for key in _THREE[len(found):]:
        if key not in kwargs:
            raise TypeError("missing argument: %s" % key)
        found.append(kwargs.pop(key))
    timers, name, func = found
    if not callable(func):
        raise TypeError("%r is not callable" % (func,))
    if not hasattr(timers, "get") or not hasattr(timers, "__setitem__"):  # raise before the work, not after it
        raise TypeError("timers must be a dict, not %s" % type(timers).__name__)
    return timers, str(name), func, args[3:], kwargs


_signature = inspect.Signature(
    [inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD) for key in _THREE]
    + [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
)


def _measured(flags, take, args, kwargs):
    timers, name, func, args, kwargs = _call_of(args, dict(kwargs))
    rows = []
    try:
        return _pitwall._time(
            text_of(name), flags, _device.at(), 1 if wait else -1, is_quiet(verbose), rows, func,
            args, kwargs,
        )
    finally:
        for row in rows:
            take(timers, name, row)


def _seconds(value):
    return float(value["time"] if isinstance(value, dict) else value)


def _add_time(timers, name, row):
    before = timers.get(name, 0.0)
    if isinstance(before, dict):
        before["time"] = before.get("time", 0.0) + row["seconds"]
    else:
        timers[name] = before + row["seconds"]


def _add_nested(timers, name, seconds, peaks, lasts):
    """Add up times; keep the highest peak; for other figures keep the last value."""
    before = timers.get(name)
    entry = before if isinstance(before, dict) else {"time": float(before or 0.0)}
    entry["time"] = entry.get("time", 0.0) + seconds
    for key, value in peaks.items():
        known = entry.get(key, math.nan)
        entry[key] = value if not known >= value else known
    entry.update(lasts)
    timers[name] = entry


def track_time(*args, **kwargs):
    """track_time(timers, name, func, *args, **kwargs): call func, add its time to timers[name], print
    "NAME complete: 45.32s total", and return the result of func. If func raises, the time until then is
    added and the exception propagates."""
    return _measured(0, _add_time, args, kwargs)


def enable_memory_tracking():
    """Does nothing; kept for compatibility. Memory tracking needs no start and does not use tracemalloc."""


def _add_memory(timers, name, row):
    known = row["has_memory"]
    peaks = {"peak_memory_mb": row["cpu_peak_mb"] if known else math.nan}
    lasts = {"current_memory_mb": row["cpu_delta_mb"] if known else math.nan}
    _add_nested(timers, name, row["seconds"], peaks, lasts)


def track_time_and_memory(*args, **kwargs):
    """Like track_time, but timers[name] is {'time', 'peak_memory_mb', 'current_memory_mb'}: the most memory
    that the call itself held, and how much of it was left at the end. Native memory (NumPy, torch) is
    included."""
    return _measured(_pitwall.MEMORY, _add_memory, args, kwargs)


def get_gpu_memory_usage():
    """{'allocated_mb', 'reserved_mb', 'max_allocated_mb'} now; None without a GPU."""
    found = _device.memory()
    if found is None:
        return None
    stats = dict(zip(("allocated_mb", "reserved_mb", "max_allocated_mb"), (b / _MB for b in found)))
    busy = _device.utilization()
    if busy is not None:
        stats["utilization_pct"] = busy
    return stats


def _add_gpu(timers, name, row):
    if not row["has_device"]:
        _add_nested(timers, name, row["seconds"], {}, {})
        return
    stats = get_gpu_memory_usage() or {}
    stats["allocated_mb"] = row["gpu_end_mb"]
    stats.pop("max_allocated_mb", None)
    _add_nested(timers, name, row["seconds"], {"max_allocated_mb": row["gpu_peak_mb"]}, stats)


def track_time_and_gpu(*args, **kwargs):
    """Like track_time, but waits for the GPU's work. timers[name] is {'time', 'allocated_mb',
    'reserved_mb', 'max_allocated_mb'}, or {'time'} without a GPU."""
    return _measured(_pitwall.WAIT, _add_gpu, args, kwargs)


for _function in (track_time, track_time_and_memory, track_time_and_gpu):
    setattr(_function, "__signature__", _signature)


# ---- tables -------------------------------------------------------------------------------------


def _rows(timers):
    return [(str(name), _seconds(value)) for name, value in timers.items()]


def _view(name, rows=None, series=None, title=None, **options):
    return _pitwall._view(name, rows, series, None, None, title, options)


def print_timing_summary(timers, section_name, num_datasets=1):
    """Print the table of all timers, in the order in which they were added."""
    text = _view(
        "timing-summary", _rows(timers), title=text_of(section_name), datasets=int(num_datasets)
    )
    emit(text, verbose)


def calculate_speedup_ratios(timers, baseline=None):
    """How much faster each timer is than the baseline, by default the slowest; the baseline is 1.0.
    A timer whose time is 0 gets nan."""
    if baseline is not None and baseline not in timers:
        raise KeyError(baseline)
    if not timers:
        return {}
    ratios = _pitwall._speedups(_rows(timers), None if baseline is None else text_of(baseline))
    return dict(zip(timers, ratios))


def print_speedup_analysis(timers, baseline=None):
    """Print the table of speed-ups, the fastest first."""
    if baseline is not None and baseline not in timers:
        raise KeyError(baseline)
    options = {} if baseline is None else {"baseline": text_of(baseline)}
    emit(_view("speedup", _rows(timers), **options), verbose)


# ---- convergence --------------------------------------------------------------------------------

_CURVES = ("loss", "val_loss", "test", "test_loss", "train_loss", "train", "accuracy")


def _numbers(values):
    return [float(value) for value in values]


def _epoch_times(results, count):
    """Seconds of each epoch: from epoch_times, time_per_epoch, or the total time."""
    times = results.get("epoch_times", results.get("time_per_epoch"))
    if times is None and count > 0:
        total = results.get("total_time", results.get("time"))
        times = None if total is None else float(total) / count
    if times is None:
        return None
    return _numbers(times) if hasattr(times, "__len__") else [float(times)] * count


def _is_nested(results):
    """True if these are the results of several trainings, by model, dataset, depth, …"""
    if isinstance(results, dict):
        return not any(key in results for key in _CURVES) and any(
            isinstance(item, (dict, list, tuple)) for item in results.values()
        )
    return isinstance(results, (list, tuple)) and any(
        isinstance(item, (dict, list, tuple)) for item in results
    )


def _converged(results, threshold, mode):
    if not isinstance(results, dict):
        results = {"loss": results}
    key = next((key for key in _CURVES if key in results), None)
    if key is None:
        raise ValueError("results need one of %s" % ", ".join(_CURVES))
    if mode not in (None, "min", "max"):
        raise ValueError("mode must be 'min' or 'max', not %r" % (mode,))
    rises = mode == "max" or (mode is None and key == "accuracy")
    values = _numbers(results[key])
    curve = (key, values, _epoch_times(results, len(values)))
    found = _pitwall._convergence(curve, float(threshold), rises, 0)
    if found is None:
        return {"epochs_to_converge": None, "time_to_converge": None, "converged": False}
    reached, seconds = found["reached"], found["seconds"]
    return {
        "epochs_to_converge": found["epochs"] if reached else None,
        "time_to_converge": seconds if reached and math.isfinite(seconds) else None,
        "converged": reached,
        "stayed": bool(reached and found["stayed"]),
        "best": found["best"],
        "best_epoch": found["best_epoch"],
        "final": found["last"],
    }


def calculate_convergence_metrics(results, threshold=0.01, mode=None):
    """Find when a training reached a threshold: {'epochs_to_converge', 'time_to_converge', …}. Epochs count
    from 1; None if the threshold was never reached.

    results: {'loss': […], 'epoch_times': […]} (or val_loss, test, train_loss, train, accuracy; times
    also as one time_per_epoch or total_time). Results of several trainings may be nested in dicts or
    lists of any depth (by model, dataset, …); the return value is then nested in the same way. mode:
    'min' or 'max'; by default 'max' for accuracy and 'min' for all others.
    """
    if not _is_nested(results):
        return _converged(results, threshold, mode)
    named = results.items() if isinstance(results, dict) else enumerate(results)
    found = {
        name: calculate_convergence_metrics(item, threshold, mode)
        for name, item in named
        if not isinstance(results, dict) or isinstance(item, (dict, list, tuple))
    }
    return found if isinstance(results, dict) else list(found.values())


# ---- phases -------------------------------------------------------------------------------------


class DetailedTimer:
    """Time consecutive phases of one piece of work. Each thread has its own phases.

        timer = DetailedTimer("Training")
        timer.start_phase("forward")
        ...
        timer.end_phase()
        timer.print_breakdown()
    """

    def __init__(self, name, wait=True):
        self.name = str(name)
        self.wait = bool(wait)
        self._own = _pitwall._phase_new(text_of(name))

    def _where(self):
        return (_device.at(), 1) if self.wait and wait else (None, -1)

    def start_phase(self, phase_name):
        """Begin a phase; this ends the open phase."""
        _pitwall._phase_start(self._own, text_of(phase_name), *self._where())

    def end_phase(self):
        """End the open phase, if any."""
        _pitwall._phase_end(self._own, *self._where())

    @property
    def phases(self):
        """Seconds by phase."""
        return {row["name"]: row["seconds"] for row in _pitwall._phase_rows(self._own)}

    def print_breakdown(self):
        """Print the phases, the longest first; a phase that is still open appears as "NAME (open)"."""
        _pitwall._phase_print(self._own, is_quiet(verbose, asked=True))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.end_phase()


# ---- files --------------------------------------------------------------------------------------


_JSON, _CSV = 1, 2  # of the library's forms


def _nested_keys(timers):
    """The keys of nested values, except time, in order of appearance."""
    found = {}
    for value in timers.values():
        if isinstance(value, dict):
            found.update((key, None) for key in value if key != "time")
    return list(found)


def _csv_figure(value):
    value = json_ready(value)  # numbers of NumPy and torch; None for what is not known
    if value is None:
        return ""
    return "%.4f" % value if isinstance(value, float) else _csv_text(value)


def _csv_text(value):
    """Escaped as the library does it, so a spreadsheet does not read a text as a formula."""
    text = str(value)
    return "'" + text if text[:1] in tuple("=+-@\t\r") and not isinstance(value, int) else text


def export_timing_csv(timers, filepath, section_name=""):
    """Write a CSV file: Section, Model, Time (s), and a column for each other figure of nested values
    (memory, GPU, and your own). The file is replaced atomically."""
    keys = _nested_keys(timers)
    if not keys:
        _pitwall._save_timings(os.fspath(filepath), _CSV, text_of(section_name), _rows(timers))
        return
    # The library's rows have no room for the program's own keys.
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["Section", "Model", "Time (s)"] + [_csv_text(key) for key in keys])
    for name, value in timers.items():
        more = value if isinstance(value, dict) else {}
        rows.writerow(
            [_csv_text(section_name), _csv_text(name), _csv_figure(_seconds(value))]
            + [_csv_figure(more.get(key)) for key in keys]
        )
    _pitwall._save(os.fspath(filepath), utf8(text.getvalue()))


def export_timing_json(timers, filepath, section_name=""):
    """Write a JSON file: section, timestamp, and timings with all nested values. The file is replaced
    atomically."""
    if not any(isinstance(value, dict) for value in timers.values()):
        _pitwall._save_timings(os.fspath(filepath), _JSON, text_of(section_name), _rows(timers))
        return
    # The library's rows have no room for the program's own keys.
    now = datetime.datetime.now(datetime.timezone.utc)
    document = {
        "section": str(section_name),
        "timestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "timings": json_ready(dict(timers)),
    }
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    _pitwall._save(os.fspath(filepath), utf8(text))


# ---- inference ----------------------------------------------------------------------------------


def _samples(test_input):
    shape = getattr(test_input, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else 1
    try:
        return max(len(test_input), 1)
    except TypeError:
        return 1


@contextlib.contextmanager
def _for_inference(model):
    """Run a torch module without gradients and in eval mode; afterwards restore the mode of every part."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        yield
        return
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module, mode in modes:
            module.training = mode


def _bench(model, test_input, num_iterations, warmup, wait, name="inference"):
    if num_iterations < 1:
        raise ValueError("num_iterations must be at least 1, not %r" % (num_iterations,))
    _device.use()
    options = {
        "name": name,
        "trials": int(num_iterations),
        "warmup": int(warmup) if warmup > 0 else 2**64 - 1,
        "iterations": 1,
        "min_seconds": -1.0,
        "max_seconds": 1e12,
        "batch": _samples(test_input),
        "wait": 1 if wait else -1,
    }
    with _for_inference(model):
        return _pitwall._bench(model, (test_input,), None, options)


def benchmark_inference(model, test_input, num_iterations=100, warmup=10, wait=True):
    """Time model(test_input): {'mean_ms', 'min_ms', 'max_ms', 'throughput_samples_per_sec', 'p50_ms',
    'p95_ms', 'p99_ms'}. model is any callable; the mode of a torch module is restored afterwards.
    wait: wait for the device's work before each clock reading."""
    found = _bench(model, test_input, num_iterations, warmup, wait)
    return {
        "mean_ms": found["mean"] * 1e3,
        "min_ms": found["min"] * 1e3,
        "max_ms": found["max"] * 1e3,
        "throughput_samples_per_sec": found["samples_per_second"],
        "p50_ms": found["median"] * 1e3,
        "p95_ms": found["p95"] * 1e3,
        "p99_ms": found["p99"] * 1e3,
    }


def print_inference_benchmark(
    model, test_input, model_name="Model", num_iterations=100, warmup=10, percentiles=False, wait=True
):
    """Like benchmark_inference, and print the result. The run records it under the model's name."""
    found = _bench(
        model, test_input, num_iterations, warmup, wait, text_of(model_name) or "inference"
    )
    emit(_pitwall._bench_print(text_of(model_name), found, bool(percentiles), 0), verbose)


# ---- warm-up ------------------------------------------------------------------------------------


def track_warmup_timing(total_epochs, epoch_times):
    """Compare the first epoch with the others: {'first_epoch_time', 'avg_steady_state_time',
    'warmup_overhead', 'warmup_overhead_pct'}, and where the warm-up was found to end. {} for fewer than
    2 epochs."""
    found = _pitwall._warmup(_numbers(epoch_times)[: int(total_epochs)])
    if found is None:
        return {}
    return {
        "first_epoch_time": found["first"],
        "avg_steady_state_time": found["steady"],
        "warmup_overhead": found["overhead"],
        "warmup_overhead_pct": found["overhead_pct"],
        "warmup_ends_at": found["ends_at"],
        "steady_level": found["steady_level"],
        "course": found["course"],
    }


def print_warmup_analysis(stats, model_name="Model"):
    """Print the result of track_warmup_timing as a table; prints nothing for {}."""
    if stats:
        series = [float(stats["first_epoch_time"]), float(stats["avg_steady_state_time"])]
        emit(_view("warmup", series=series, title=text_of(model_name)), verbose)
