"""Performance monitoring: operations with time and memory, epochs and batches of a training loop.

    from pitwall.memory_monitor import PerformanceMonitor

    monitor = PerformanceMonitor()
    with monitor.track("data loading"):
        data = load()
    monitor.print_summary()

The clock is read after the device has finished its work, so the work itself is timed and not only its
submission; `wait=False` turns that off. Each monitor reads the device given by `device=`.

`verbose = False` on this module turns its output off; PITWALL_VERBOSE=0 keeps only the tables that the
program asks for.
"""

import contextlib
import dataclasses
import functools
import inspect
import math
import os
import warnings

from . import _device, _pitwall, _steps
from ._output import emit, is_ascii, is_quiet, text_of

verbose = True


@dataclasses.dataclass
class PerformanceMetrics:
    """One operation, or all calls of an aggregated one. MB is 2^20 bytes; nan means not known."""

    operation: str
    duration_seconds: float
    cpu_start_mb: float = math.nan
    cpu_end_mb: float = math.nan
    cpu_delta_mb: float = math.nan
    cpu_peak_mb: float = math.nan
    gpu_start_mb: float = math.nan
    gpu_end_mb: float = math.nan
    gpu_delta_mb: float = math.nan
    gpu_peak_mb: float = math.nan
    call_count: int = 1


_CSV = 2  # of the library's forms
_CPU = ("cpu_start_mb", "cpu_end_mb", "cpu_delta_mb", "cpu_peak_mb")
_GPU = ("gpu_start_mb", "gpu_end_mb", "gpu_delta_mb", "gpu_peak_mb")


def _metric(row):
    known = (_CPU if row["has_memory"] else ()) + (_GPU if row["has_device"] else ())
    return PerformanceMetrics(
        row["name"],
        row["seconds"],
        call_count=max(row["count"], 1),
        **{key: row[key] for key in known},
    )


# ---- settings -----------------------------------------------------------------------------------


class _Default(int):
    """A default value, distinguishable from the same value given explicitly."""

    def __repr__(self):
        return self._shown


def _default(number, shown):
    value = _Default(number)
    value._shown = shown
    return value


_ENABLED = _default(1, "True")
_BATCHES = _default(5, "5")


def _setting(value, default, name):
    """The value given in code; otherwise the one that `pitwall run --config` put into the environment."""
    text = os.environ.get(name, "")
    if value is default and text.strip().lstrip("-").isdigit():
        return int(text)
    return int(value)


def _as_bool(value, key):
    """Convert true, false, 1, 0 and YAML's other spellings. Any other text is an error, not true."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word in ("true", "yes", "on", "1"):
            return True
        if word in ("false", "no", "off", "0"):
            return False
        raise ValueError("%s: must be true or false, not %r" % (key, value))
    return bool(value)


_KEYS = ("enable_memory_monitoring", "memory_monitor_batches")


def _blocks(config):
    """All mappings in config that have one of the keys, the outermost first; also inside lists."""
    waiting, seen = [config], set()
    while waiting:
        part = waiting.pop(0)
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, (list, tuple)):
            waiting.extend(part)
        elif hasattr(part, "items"):
            if any(key in part for key in _KEYS):
                yield part
            waiting.extend(value for _, value in part.items())


def _from_config(config):
    """(enabled, batches), from config['trainer_params'], from config itself, or from the only nested block
    with these keys."""
    found = list(_blocks(config or {}))
    top = (config or {}).get("trainer_params") or {}
    if hasattr(top, "items") and any(key in top for key in _KEYS):
        block = top
    elif found and found[0] is config:
        block = config
    elif len(found) > 1 and any(dict(part) != dict(found[0]) for part in found):
        raise ValueError("%s: found in %d blocks that differ; pass the block to use"
                         % (_KEYS[0], len(found)))
    elif found:
        block = found[0]
    else:
        warnings.warn("no block with %s: monitoring is disabled" % " or ".join(_KEYS), stacklevel=4)
        block = {}
    batches = block.get("memory_monitor_batches", 5)
    return (
        _as_bool(block.get("enable_memory_monitoring", False), _KEYS[0]),
        int(5 if batches is None else batches),
    )


class _Operation:
    __slots__ = ("_monitor", "_name", "_aggregate", "_open")

    def __init__(self, monitor, name, aggregate):
        self._monitor, self._name, self._aggregate = monitor, name, aggregate

    def __enter__(self):
        monitor = self._monitor
        self._open = _pitwall._monitor_begin(
            monitor._own, self._name, self._aggregate, _device.at(monitor.device), monitor._wait
        )
        return monitor

    def __exit__(self, *error):
        _pitwall._monitor_end(self._monitor._own, self._open)


class _Nothing:
    __slots__ = ("_value",)

    def __init__(self, value=None):
        self._value = value

    def __enter__(self):
        return self._value

    def __exit__(self, *error):
        pass


def _wait_of(wait):
    return 1 if wait else -1


class PerformanceMonitor:
    """Measures the time and memory of operations."""

    def __init__(self, enabled=_ENABLED, device=0, wait=True):
        self.enabled = bool(_setting(enabled, _ENABLED, "PITWALL_MONITOR"))
        self.device = device
        self._wait = _wait_of(wait)
        self._own = _pitwall._monitor_new()

    @classmethod
    def from_config(cls, config, device=0, wait=True):
        """A monitor configured by a mapping; see EpochPerformanceMonitor.from_config."""
        return cls(_from_config(config)[0], device, wait)

    def track(self, operation, aggregate=False):
        """Measure a block. aggregate: show all calls with this name as one line. An operation inside
        another one is shown but not added to the total."""
        if not self.enabled:
            return _Nothing(self)
        return _Operation(self, text_of(operation), bool(aggregate))

    def print_summary(self, show_aggregate=True):
        """Print the table of operations, and the statistics of those that were aggregated."""
        if self.enabled:
            _pitwall._monitor_print(self._own, bool(show_aggregate), is_quiet(verbose, asked=True))

    def get_metrics(self):
        """A list of PerformanceMetrics, in the order in which they ended."""
        return [_metric(row) for row in _pitwall._monitor_rows(self._own)]

    def get_total_time(self):
        """Seconds of all operations; nested ones are counted once."""
        return _pitwall._monitor_total(self._own)

    def get_operation_time(self, operation):
        """Seconds of all calls of one operation; 0.0 if it never ran."""
        seconds = _pitwall._monitor_time(self._own, text_of(operation))
        return 0.0 if math.isnan(seconds) else seconds

    def clear(self):
        """Discard all metrics."""
        _pitwall._monitor_clear(self._own)

    def print_bottlenecks(self):
        """Print which operations take most of the time, and what to try."""
        rows = _pitwall._monitor_rows(self._own)
        options = {"ascii": int(is_ascii())}
        emit(_pitwall._view("bottlenecks", rows, None, None, None, None, options), verbose)

    def to_records(self):
        """A list of dicts: operation, time, cpu_mb, gpu_mb, then the rest."""
        records = []
        for metric in self.get_metrics():
            record = {
                "operation": metric.operation,
                "time": metric.duration_seconds,
                "cpu_mb": metric.cpu_delta_mb,
                "gpu_mb": metric.gpu_delta_mb,
            }
            for key, value in dataclasses.asdict(metric).items():
                if key not in ("operation", "duration_seconds", "cpu_delta_mb", "gpu_delta_mb"):
                    record[key] = value
            records.append(record)
        return records

    def to_csv(self, filepath):
        """Write the metrics to a CSV file: operation, time, cpu_mb, gpu_mb, then the rest. Unknown values are
        empty. The file is replaced atomically."""
        rows = _pitwall._monitor_rows(self._own)
        shown = rows or [("", 0.0)]  # without operations the file has only its header line
        text = _pitwall._view("performance", shown, None, None, None, None, {"form": _CSV})
        if not rows:
            text = text.splitlines(keepends=True)[0]
        _pitwall._save(os.fspath(filepath), text.encode())


# ---- single operations --------------------------------------------------------------------------


class track_performance:
    """Measure a block and print "[Performance] NAME: 1.234s, CPU +250.5MB, GPU n/a", also if the block
    raises."""

    def __init__(self, operation, print_result=True, device=0, wait=True):
        self._operation, self._print, self._device = text_of(operation), bool(print_result), device
        self._wait = _wait_of(wait)
        self._open = []

    def __enter__(self):
        self._open.append(
            _pitwall._performance_begin(self._operation, _device.at(self._device), self._wait)
        )
        return self

    def _pause(self, pause):
        _pitwall._performance_pause(self._open[-1], pause)

    def __exit__(self, *error):
        _pitwall._performance_end(self._open.pop(), self._print, is_quiet(verbose))


def monitor_performance(operation=None, device=0, wait=True):
    """Decorator: measure every call like track_performance, under the function's name or `operation`. A
    generator is measured from its first step to its end, without the time of its consumer in between.
    Usable with and without parentheses."""

    def decorate(function):
        name = function.__name__ if operation is None or callable(operation) else str(operation)

        def measure():
            return track_performance(name, device=device, wait=wait)

        @contextlib.contextmanager
        def measure_steps():
            with measure() as measured:
                yield measured._pause

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def wrapper(*args, **kwargs):
                with measure():
                    return await function(*args, **kwargs)

        elif inspect.isasyncgenfunction(function):
            wrapper = functools.wraps(function)(_steps.async_generator(function, measure_steps))
        elif inspect.isgeneratorfunction(function):
            wrapper = functools.wraps(function)(_steps.generator(function, measure_steps))
        else:

            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                with measure():
                    return function(*args, **kwargs)

        return wrapper

    return decorate(operation) if callable(operation) else decorate


# ---- epochs -------------------------------------------------------------------------------------


class EpochPerformanceMonitor:
    """Times the epochs and batches of a training loop. Prints one line for each of the first batches of an
    epoch, and two lines at its end."""

    def __init__(self, enabled=_ENABLED, verbose_batches=_BATCHES, device=0, wait=True):
        self.enabled = bool(_setting(enabled, _ENABLED, "PITWALL_MONITOR"))
        self.verbose_batches = max(
            _setting(verbose_batches, _BATCHES, "PITWALL_MONITOR_BATCHES"), 0
        )
        self.device = device
        self._wait = _wait_of(wait)
        self._own = _pitwall._epoch_new(self.enabled, self.verbose_batches)

    @classmethod
    def from_config(cls, config, device=0, wait=True):
        """A monitor configured by the keys enable_memory_monitoring and memory_monitor_batches. They are
        taken from config['trainer_params'], from config itself, or from the only nested block that has
        them; other keys are ignored. If they are missing, monitoring is disabled, with a warning."""
        enabled, batches = _from_config(config)
        return cls(enabled, batches, device, wait)

    def on_epoch_start(self):
        """Call this when an epoch begins."""
        if self.enabled:
            _pitwall._epoch_begin(self._own, _device.at(self.device), self._wait)

    def on_batch_start(self, batch_idx):
        """Call this when a batch begins; batch_idx counts from 0 in each epoch."""
        if self.enabled:
            _pitwall._batch_begin(self._own, batch_idx, _device.at(self.device), self._wait)

    def on_batch_end(self, batch_idx, loss=None):
        """Call this when a batch ends. Prints a line for each of the first batches. loss may be a tensor on
        a device: it is converted only if it is printed."""
        if not self.enabled:
            return
        quiet = is_quiet(verbose)
        if loss is not None and not isinstance(loss, (float, int)):
            shown = batch_idx < self.verbose_batches and not quiet
            loss = float(loss.detach() if hasattr(loss, "detach") else loss) if shown else None
        _pitwall._batch_end(self._own, batch_idx, loss, quiet)

    def on_epoch_end(self):
        """Call this when an epoch ends. Prints two lines: the whole epoch, and its batch times."""
        if self.enabled:
            _pitwall._epoch_end(self._own, is_quiet(verbose))

    def get_statistics(self):
        """Eight figures over all epochs; {} if disabled or before the first batch."""
        return _pitwall._epoch_statistics(self._own)

    # The same, as `with` blocks.

    def epoch(self):
        """Time a `with` block as an epoch: with monitor.epoch(): …"""
        return _Epoch(self)

    def batch(self, batch_idx):
        """Time a `with` block as a batch: with monitor.batch(i) as batch: …; batch.loss = loss"""
        return _Batch(self, batch_idx)


class _Epoch:
    def __init__(self, monitor):
        self._monitor = monitor

    def __enter__(self):
        self._monitor.on_epoch_start()
        return self._monitor

    def __exit__(self, *error):
        self._monitor.on_epoch_end()


class _Batch:
    def __init__(self, monitor, batch_idx):
        self._monitor, self._batch, self.loss = monitor, batch_idx, None

    def __enter__(self):
        self._monitor.on_batch_start(self._batch)
        return self

    def __exit__(self, *error):
        self._monitor.on_batch_end(self._batch, self.loss)


def from_config(config, device=0, wait=True):
    """An EpochPerformanceMonitor configured by a mapping; see EpochPerformanceMonitor.from_config."""
    return EpochPerformanceMonitor.from_config(config, device, wait)
