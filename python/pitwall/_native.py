"""Views of plain data, benchmarks, and how costs grow with size."""

import dataclasses
import math
from typing import Any, Dict, List, Optional

from . import _device, _pitwall
from ._output import is_ascii, text_of

_FORMS = {"text": 0, "json": 1, "csv": 2, "markdown": 3}


def _form(form):
    if form not in _FORMS:
        raise ValueError("form must be one of %s, not %r" % (", ".join(_FORMS), form))
    return _FORMS[form]


def view(
    name, rows=None, series=None, curves=None, entries=None, form="text", title=None, **options
):
    """Print your own figures as a view. Returns text.

    name: one of pitwall.views(). rows: a list of tuples (name, seconds[, count, min, max]) or of dicts
    with the members of a row (name, seconds, count, min_seconds, max_seconds, items, nested, cpu_…_mb,
    gpu_…_mb, p50_seconds, …). series: durations in order. curves: tuples (name, values, seconds
    per epoch or None). entries: dicts with kind, text, figures, wall. options: width, colour, ascii,
    and the options that pitwall.view_options(name) lists.
    """
    options["form"] = _form(form)
    return _pitwall._view(name, rows, series, curves, entries, title, options)


def _known(figure):
    """The number, or None for nan and infinity, which JSON does not have."""
    return None if isinstance(figure, float) and not math.isfinite(figure) else figure


def _with_reason(found, *given):
    """The dict with None instead of nan, and in "reason" why, or None if every number is known."""
    if found is None:
        return None
    found = {key: _known(figure) for key, figure in found.items()}
    missing = ", ".join(key for key, figure in found.items() if figure is None)
    odd = any(_known(float(figure)) is None for figures in given for figure in figures or ())
    why = "some of what was given is no number" if odd else "these figures do not tell"
    found["reason"] = "%s: %s" % (missing, why) if missing else None
    return found


def find_warmup(seconds):
    """Find where a series of durations becomes steady. Returns a dict; None for fewer than two durations.

    Values that cannot be determined are None, and "reason" says why."""
    seconds = list(seconds)
    return _with_reason(_pitwall._warmup(seconds), seconds)


def find_variance(seconds):
    """How much a series of durations varies. Returns a dict; None for an empty series.

    Values that cannot be determined are None, and "reason" says why."""
    seconds = list(seconds)
    return _with_reason(_pitwall._variance(seconds), seconds)


def find_convergence(values, threshold, seconds=None, maximise=False, smooth=0):
    """Find when a curve reaches a threshold. Returns a dict; None for an empty curve.

    Values that cannot be determined are None, and "reason" says why."""
    values = list(values)
    found = _pitwall._convergence(("curve", values, seconds), threshold, maximise, smooth)
    return _with_reason(found, values)


def find_speedups(rows, baseline=None):
    """How much faster each row is than the baseline, by default the slowest row. None for a row whose
    time is 0."""
    return [_known(ratio) for ratio in _pitwall._speedups(rows, baseline)]


def advise(rows, batches=None):
    """Find performance problems. Returns a list of dicts with rule, severity, headline, evidence, remedy."""
    return [{key: _known(figure) for key, figure in finding.items()}
            for finding in _pitwall._advise(rows, batches, is_ascii())]


# ---- benchmarks ---------------------------------------------------------------------------------


@dataclasses.dataclass
class Bench:
    """Statistics of the seconds per call, over all trials."""

    name: str
    mean: float
    std: float
    min: float
    max: float
    median: float
    p95: float
    p99: float
    total: float
    cpu_mean: float  # of this thread
    process_cpu_mean: float  # of all threads
    samples_per_second: float
    trials: int
    iterations: int
    interrupted: int
    resolution: float
    at_resolution: bool
    too_few: bool
    times: List[float] = dataclasses.field(repr=False)

    def text(self, percentiles=True, form="text"):
        """The figures as a table. form: text, json, csv or markdown."""
        found = dataclasses.asdict(self)
        found.pop("name")
        found["at_resolution"], found["too_few"] = int(self.at_resolution), int(self.too_few)
        return _pitwall._bench_print(self.name, found, percentiles, _form(form))

    def __str__(self):
        return self.text().rstrip("\n")


def _name_of(function):
    return getattr(function, "__name__", None) or type(function).__name__


def bench(
    function, *args, name=None, setup=None, trials=0, warmup=None, iterations=0, min_seconds=0.0,
    max_seconds=0.0, batch=0, wait=False,
):
    """Time function(*args) until the figures are stable. Returns a Bench, which prints as a table.
    setup() is called before each trial and is not timed. batch: samples that one call processes."""
    _device.use()
    options = {
        "name": text_of(name or _name_of(function)),
        "trials": trials,
        "warmup": 0 if warmup is None else warmup or 2**64 - 1,
        "iterations": iterations,
        "min_seconds": float(min_seconds),
        "max_seconds": float(max_seconds),
        "batch": batch,
        "wait": 1 if wait else -1,
    }
    found = _pitwall._bench(function, args, setup, options)
    found["at_resolution"], found["too_few"] = bool(found["at_resolution"]), bool(found["too_few"])
    del found["session"], found["blocks"]  # of models timed in turn
    return Bench(options["name"], **found)


# ---- growth -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Scaling:
    """How a cost grows with size. None: cannot be determined; `warning` says what to do."""

    name: str  # "n log n"
    constant: Optional[float]
    factor: Optional[float]
    error: Optional[float]
    also: str
    tail: Optional[float]
    tail_low: Optional[float]
    tail_high: Optional[float]
    low_confidence: bool
    warning: str
    sizes: List[float]
    costs: List[float]
    unit: str = "seconds"
    own: Any = dataclasses.field(default=None, repr=False)

    def predict(self, size):
        """(cost, low, high) at another size; None for values that cannot be predicted."""
        return tuple(map(_known, _pitwall._scaling_predict(self.own, float(size))))

    def text(self, predict=(), form="text"):
        """The growth, its figures, and the predicted cost at the sizes in `predict`. form: text, json,
        csv or markdown."""
        options = {"form": _form(form), "ascii": int(is_ascii())}
        return _pitwall._scaling_print(
            self.own, self.sizes, self.costs, list(predict), self.unit, options
        )

    def __str__(self):
        return self.text().rstrip("\n")


def _scaling(sizes, costs, found, **more):
    found = {key: _known(figure) for key, figure in found.items()}
    missing = ", ".join(key for key, figure in found.items() if figure is None)
    if missing and not found["warning"]:
        found["warning"] = "%s: these figures do not tell" % missing
    return Scaling(sizes=[float(size) for size in sizes], costs=costs, **found, **more)


def scale(function, sizes, rounds=0):
    """Time function(size) at several sizes, in random order, and find how its time grows."""
    found, costs = _pitwall._scale(function, list(sizes), rounds)
    return _scaling(sizes, costs, found)


def find_scaling(sizes, costs, unit="seconds"):
    """Find how costs that you measured grow with size. Returns a Scaling. unit: seconds or bytes."""
    found = _pitwall._scaling(list(sizes), list(costs))
    return _scaling(sizes, [float(cost) for cost in costs], found, unit=unit)


def model_complexity(name, parameters=0, latent_dim=0, **sizes) -> Dict[str, Any]:
    """Parameters, operations and growth of a model, by the formulas for its kind."""
    from .runtime_analyzer import RuntimeAnalyzer

    return RuntimeAnalyzer().analyze_complexity(name, parameters, latent_dim, **sizes)


def _key_of(value):
    """The configuration as a key of the results; its text if it is not hashable, such as a dict."""
    try:
        hash(value)
    except TypeError:
        return str(value)
    return value


def sweep(function, configurations, what="configuration", form="text"):
    """Time the same work under several configurations and rank them. Returns ({configuration: seconds},
    the table as text). A configuration that is not hashable is replaced by its text."""
    results, rows = {}, []
    for value in configurations:
        found = []
        _pitwall._time(
            text_of("%s %s" % (what, value)), 0, _device.at(), 1, True, found, function, (value,), {}
        )
        seconds = results[_key_of(value)] = found[0]["seconds"]
        rows.append((str(value), seconds))
    return results, view("sweep", rows, title=text_of(what), form=form)


def stage(name, memory=False):
    """Time a block as a stage and log it with the time of day; see pitwall.time_profiler.

        with pitwall.stage("Dataset loading"): ...
    """
    from .time_profiler import profiler

    return profiler.stage(name, memory)


def epoch_monitor(enabled=None, verbose_batches=None, device=0):
    """A monitor that times the epochs and batches of a training loop:

        monitor = pitwall.epoch_monitor()
        with monitor.epoch():
            for i, batch in enumerate(loader):
                with monitor.batch(i) as line:
                    line.loss = step(batch)

    Defaults: PITWALL_MONITOR and PITWALL_MONITOR_BATCHES; if they are unset, enabled with five batches.
    """
    from .memory_monitor import EpochPerformanceMonitor

    given = {"enabled": enabled, "verbose_batches": verbose_batches}
    given = {key: value for key, value in given.items() if value is not None}
    return EpochPerformanceMonitor(device=device, **given)
