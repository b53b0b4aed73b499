"""Runtime analysis of models: training, inference, memory, throughput, complexity, comparison.

    from pitwall.runtime_analyzer import RuntimeAnalyzer, quick_benchmark

    analyzer = RuntimeAnalyzer()
    with analyzer.time_operation("training") as timer:
        model = train(data)
    profile = quick_benchmark("MVAR", forecast, z0, timer.elapsed, 2020, 20, lag=5)
    analyzer.save_profile(profile, "out/runtime_profile.json")

To get a verdict on several models, measure them in alternation:

    times = analyzer.benchmark_models({"MVAR": mvar_forecast, "LSTM": lstm_forecast}, z0)
    profiles = [analyzer.build_profile(name, seconds[name], times[name], params[name], 20)
                for name in times]
    comparison = analyzer.compare_models(profiles)

`python3 -m pitwall.runtime_analyzer` runs a self-test with a synthetic model. MB is 2^20 bytes; values that
are not available are nan, and null in JSON. `verbose = False` on this module, or PITWALL_VERBOSE=0, turns
its hints off.
"""

import dataclasses
import json
import math
import os
from typing import Any, Dict, List, Optional

from . import _device, _pitwall
from ._output import emit, json_ready, text_of, utf8
from ._pitwall import span

verbose = True

_NAN = math.nan


@dataclasses.dataclass
class TimingResult:
    """Seconds over several trials; std_seconds is the population standard deviation."""

    total_seconds: float
    mean_seconds: float = _NAN
    std_seconds: float = _NAN
    min_seconds: float = _NAN
    max_seconds: float = _NAN
    samples: int = 1
    median_seconds: float = _NAN
    p95_seconds: float = _NAN
    p99_seconds: float = _NAN
    cpu_mean_seconds: float = _NAN  # of this thread
    process_cpu_mean_seconds: float = _NAN  # of all threads
    details: Dict[str, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def times(self) -> List[float]:
        """Seconds of each trial, if known."""
        return list(self.details.get("times", ()))


@dataclasses.dataclass
class MemoryResult:
    """Memory of the process and of the model, in MB."""

    peak_mb: float
    current_mb: float
    model_parameters: int
    parameter_memory_mb: float


_TIMING_KEYS = ("mean_seconds", "std_seconds", "min_seconds", "max_seconds", "samples")


def _timing_dict(timing):
    return None if timing is None else {key: getattr(timing, key) for key in _TIMING_KEYS}


@dataclasses.dataclass
class RuntimeProfile:
    """All runtime figures of one model. arguments: the keyword arguments given to build_profile."""

    model_name: str
    training: TimingResult
    inference_single_step: Optional[TimingResult]
    inference_full_trajectory: Optional[TimingResult]
    memory: MemoryResult
    throughput: Dict[str, float]
    complexity: Dict[str, Any]
    operations: Dict[str, float] = dataclasses.field(default_factory=dict)
    arguments: Dict[str, Any] = dataclasses.field(default_factory=dict)
    pitwall: Dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)

    def to_dict(self):
        """A dict for JSON: model_name, training, inference, memory, throughput, complexity; Pitwall's own
        additions are under the key pitwall."""
        own = dict(self.pitwall)
        if self.operations:
            own["operations"] = dict(self.operations)
        if self.arguments:
            own["arguments"] = {key: _plain(value) for key, value in self.arguments.items()}
        return json_ready(
            {
                "model_name": self.model_name,
                "training": {"total_seconds": self.training.total_seconds},
                "inference": {
                    "single_step": _timing_dict(self.inference_single_step),
                    "full_trajectory": _timing_dict(self.inference_full_trajectory),
                },
                "memory": dataclasses.asdict(self.memory),
                "throughput": dict(self.throughput),
                "complexity": dict(self.complexity),
                "pitwall": own,
            }
        )


# ---- to and from the library --------------------------------------------------------------------


def _timing(found):
    return TimingResult(
        found["total"], found["mean"], found["std"], found["min"], found["max"], found["trials"],
        found["median"], found["p95"], found["p99"], found["cpu_mean"],
        found["process_cpu_mean"], found,
    )


def _result(timing):
    """Convert a TimingResult to a benchmark's result; None stays None."""
    if timing is None:
        return None
    return {
        **timing.details,
        "total": timing.total_seconds,
        "mean": timing.mean_seconds,
        "std": timing.std_seconds,
        "min": timing.min_seconds,
        "max": timing.max_seconds,
        "trials": int(timing.samples),
        "median": timing.median_seconds,
        "p95": timing.p95_seconds,
        "p99": timing.p99_seconds,
        "cpu_mean": timing.cpu_mean_seconds,
        "process_cpu_mean": timing.process_cpu_mean_seconds,
    }


# Names that models use for their sizes, and the library's names.
_SIZES = {
    "lag": ("lag", "lag_order", "p"),
    "hidden_dim": ("hidden_dim", "hidden_size", "hidden_units", "hidden_dimension"),
    "layers": ("layers", "num_layers", "n_layers"),
    "output_dim": ("output_dim", "output_size"),
    "sequence": ("sequence", "sequence_length", "seq_len", "seq_length"),
    "heads": ("heads", "num_heads", "n_heads"),
    "kernel": ("kernel", "kernel_size"),
    "channels_in": ("channels_in", "in_channels"),
    "channels_out": ("channels_out", "out_channels"),
    "height": ("height",),
    "width": ("width",),
    "grid": ("grid", "grid_size"),
    "order": ("order", "spline_order"),
    "patterns": ("patterns", "num_patterns"),
    "pattern_size": ("pattern_size",),
    "nodes": ("nodes", "num_nodes"),
    "degree": ("degree", "avg_degree"),
    "batch": ("batch", "batch_size"),
}

# Means over many graphs, which may be fractions.
_MEANS = frozenset(("patterns", "pattern_size", "nodes", "degree"))

# Your own models: name or kind → function(model_params, latent_dim, **kwargs) that returns more keys.
complexity_models: Dict[str, Any] = {}


def _whole(what, number):
    """A whole number as an int; a number with a fraction is an error."""
    try:
        whole = int(number)
        if whole == number:
            return whole
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError("%s must be a whole number, not %r" % (what, number))


def _size(key, alias, value):
    """The size as the library takes it; None if the argument is something else with the same name."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None  # an array
    if key in _MEANS:
        return number
    if alias == "p" and number != int(number):
        return None  # a probability
    return _whole(alias, value)


def _model(name, params, latent_dim, kwargs):
    model = {
        "name": text_of(name),
        "parameters": _whole("model_params", params),
        "latent_dim": _whole("latent_dim", latent_dim),
    }
    for key, names in _SIZES.items():
        for alias in names:
            size = None if kwargs.get(alias) is None else _size(key, alias, kwargs[alias])
            if size is not None:
                model[key] = size
                break
    kind = kwargs.get("kind")
    if kind is not None and str(kind) not in complexity_models:
        if str(kind).upper() not in _KINDS:
            raise ValueError("kind must be one of %s, or of complexity_models, not %r"
                             % (", ".join(_KINDS.values()), kind))
        model["kind"] = text_of(kind)
    return model


_KINDS = {
    kind.upper(): kind
    for kind in ("MVAR", "LSTM", "GRU", "MLP", "SIREN", "KAN", "CNN", "Attention", "Transformer",
                 "LLM", "GPM")
}


def _more_complexity(found, name, params, latent_dim, kwargs):
    """The additional keys that complexity_models gives for a kind or a name."""
    for key in (kwargs.get("kind"), name):
        own = complexity_models.get(str(key)) if key is not None else None
        if own is not None:
            found.update(own(params, latent_dim, **kwargs))
            break
    return found


def _plain(value):
    """The argument as a JSON value; its text if JSON has no such type."""
    try:
        json.dumps(json_ready(value))
    except (TypeError, ValueError):
        return str(value)
    return value


def _bytes_of(dtype):
    """Bytes per number of a type of NumPy, torch or Python."""
    if dtype is None or dtype is float or dtype is int:
        return 8
    size = getattr(dtype, "itemsize", None)
    if isinstance(size, int):
        return size
    if type(dtype).__module__ == "torch":
        import torch

        return torch.empty(0, dtype=dtype).element_size()
    import numpy

    return int(numpy.dtype(dtype).itemsize)


def _built(model, training=_NAN, single=None, full=None, steps=100, each=8):
    steps = _whole("n_steps", steps)
    return json.loads(
        _pitwall._profile(model, training, _result(single), _result(full), steps, int(each))
    )


def _forecast_options(n_steps, n_trials, warmup_trials, wait, seed=None):
    """The options for the library; also looks for a device."""
    options = {}
    for what, key, number in (("n_steps", "steps", n_steps), ("n_trials", "trials", n_trials)):
        options[key] = _whole(what, number)
        if options[key] < 1:
            raise ValueError("%s must be at least 1, not %r" % (what, number))
    warmup = max(_whole("warmup_trials", warmup_trials), 0)
    options["warmup_trials"] = warmup or 2**64 - 1
    options["wait"] = 1 if wait else -1
    options["seed"] = 0 if seed is None else _whole("seed", seed) % 2**63 + 1
    _device.use()
    return options


def _hint(n_trials, timings):
    """Print a hint for fewer than 50 trials, which are too few for stable figures."""
    if n_trials < 50:
        least = 100 if min(timing["mean"] for timing in timings) < 1e-3 else 50
        emit("hint: %d trials are few; n_trials=%d or more gives figures that hold\n"
             % (n_trials, least), verbose)


def _calling(forecast_fn, z0):
    if not callable(forecast_fn):
        raise TypeError("a forecast must be a function, not %r" % (forecast_fn,))
    return lambda steps: forecast_fn(z0, steps)


def _known(figures):
    return {key: _NAN if value is None else value for key, value in figures.items()}


# ---- the analyser -------------------------------------------------------------------------------


class _OperationTimer:
    """elapsed: seconds so far, or in all once the block has ended."""

    def __init__(self, name, timings, wait):
        self.name, self._timings, self._span, self._elapsed = name, timings, None, None
        self._wait = bool(wait)

    @property
    def elapsed(self):
        if self._elapsed is not None:
            return self._elapsed
        return self._span.elapsed if self._span is not None else 0.0

    def __enter__(self):
        self._elapsed = None
        if self._wait:
            _device.wait()
        self._span = span(self.name or "operation").begin()
        return self

    def __exit__(self, *error):
        try:
            if self._wait:  # not as a flag of the span: with recording off there is none
                _device.wait()
        finally:
            self._elapsed = self._span.end()
        self._timings[self.name] = self._timings.get(self.name, 0.0) + self._elapsed


class RuntimeAnalyzer:
    """Times, benchmarks, profiles and compares models."""

    def __init__(self):
        self.timings = {}  # seconds by name

    def time_operation(self, name, wait=True):
        """Time a block: with analyzer.time_operation('training') as timer: …; timer.elapsed is also valid
        inside the block. The profiles that this analyser builds include its operations. wait: wait for
        the device's work at both ends."""
        return _OperationTimer(str(name), self.timings, wait)

    def benchmark_inference(self, forecast_fn, z0, n_steps=100, n_trials=50, warmup_trials=5,
                            wait=True):
        """Time forecast_fn(z0, 1) and forecast_fn(z0, n_steps). Returns {'single_step', 'full_trajectory'},
        each a TimingResult. wait: wait for the device's work before each clock reading."""
        options = _forecast_options(n_steps, n_trials, warmup_trials, wait)
        single, full = _pitwall._forecast(_calling(forecast_fn, z0), options)
        _hint(n_trials, (single, full))
        return {"single_step": _timing(single), "full_trajectory": _timing(full)}

    def benchmark_models(self, models, z0=None, n_steps=100, n_trials=50, warmup_trials=5, wait=True,
                         seed=None):
        """Time several models in alternation. Returns {name: {'single_step', 'full_trajectory'}}; pass each
        value to build_profile as inference_times. models: {name: forecast_fn}, or {name: (forecast_fn,
        z0 of this model)}. Each round runs a block of trials per model, in random order (seed: a
        reproducible order), so all models meet the same machine conditions. compare_models gives a
        verdict only on such profiles."""
        if not models:
            raise ValueError("no models given")
        calls = []
        for name, given in models.items():
            function, start = given if isinstance(given, tuple) else (given, z0)
            calls.append((text_of(name), _calling(function, start)))
        options = _forecast_options(n_steps, n_trials, warmup_trials, wait, seed)
        found = _pitwall._bench_models(calls, options)
        _hint(n_trials, [timing for pair in found for timing in pair])
        return {
            name: {"single_step": _timing(single), "full_trajectory": _timing(full)}
            for name, (single, full) in zip(models, found)
        }

    def measure_memory(self, model_params, param_dtype=None):
        """Returns a MemoryResult: the peak and current memory of the process, and the memory of the
        parameters. param_dtype: the type of a parameter, by default 8 bytes."""
        params = _whole("model_params", model_params)
        model = {"name": "model", "parameters": params}
        memory = _built(model, each=_bytes_of(param_dtype))["memory"]
        found = _known(memory)
        if params == 0:
            found["model_parameters"], found["parameter_memory_mb"] = 0, 0.0
        return MemoryResult(**found)

    def compute_throughput(self, inference_timing, n_steps, latent_dim):
        """steps_per_second, predictions_per_second, seconds_per_step and microseconds_per_step, from the
        timing of n_steps steps."""
        model = {"name": "model", "latent_dim": _whole("latent_dim", latent_dim)}
        return _known(_built(model, full=inference_timing, steps=n_steps)["throughput"])

    def analyze_complexity(self, model_name, model_params, latent_dim, **kwargs):
        """Parameters, operations and growth, by the formulas for the model's kind: MVAR, LSTM, GRU, MLP,
        SIREN, KAN, CNN, Attention, Transformer, LLM, GPM, or one of complexity_models. The kind is a word
        in the name (MVAR-p5, lstm_2layer) or given by kind=. Other models get only the two basic keys.
        components: the parts of GPM and language models, with their sum."""
        built = _built(_model(model_name, model_params, latent_dim, kwargs))
        found = built["complexity"]
        if "components" in built["pitwall"]:
            found["components"] = built["pitwall"]["components"]
        return _more_complexity(found, model_name, model_params, latent_dim, kwargs)

    def build_profile(
        self,
        model_name,
        training_time,
        inference_times,
        model_params,
        latent_dim,
        n_forecast_steps=100,
        param_dtype=None,
        **kwargs,
    ):
        """Build the RuntimeProfile of a model from its timings. Keyword arguments are sizes (lag=5,
        hidden_dim=16, see analyze_complexity), kind=, and any others of your own; all are kept in the
        profile's arguments."""
        times = inference_times or {}
        single, full = times.get("single_step"), times.get("full_trajectory")
        training = _NAN if training_time is None else float(training_time)
        each = _bytes_of(param_dtype)
        model = _model(model_name, model_params, latent_dim, kwargs)
        built = _built(model, training, single, full, n_forecast_steps, each)
        complexity = _more_complexity(
            built["complexity"], model_name, model_params, latent_dim, kwargs
        )
        return RuntimeProfile(
            str(model_name),
            TimingResult(training, training, 0.0, training, training, 1),
            single,
            full,
            MemoryResult(**_known(built["memory"])),
            _known(built["throughput"]),
            complexity,
            dict(self.timings),
            dict(kwargs),
            built["pitwall"],
        )

    def compare_models(self, profiles):
        """Compare profiles: ratios against the first profile, winners, and under the key pitwall whether the
        differences are real. That verdict requires models that benchmark_models timed in alternation;
        others get "measured one after the other". A ratio without a divisor is None. Also takes the
        result of benchmark_models."""
        if not profiles:
            raise ValueError("no profiles to compare")
        if isinstance(profiles, dict):
            profiles = [
                times if isinstance(times, RuntimeProfile)
                else self.build_profile(name, None, times, 0, 0)
                for name, times in profiles.items()
            ]
        rows = [
            {
                "model_name": text_of(profile.model_name),
                "training_seconds": profile.training.total_seconds,
                "model_parameters": int(profile.memory.model_parameters),
                "parameter_memory_mb": profile.memory.parameter_memory_mb,
                "single_step": _result(profile.inference_single_step),
                "full_trajectory": _result(profile.inference_full_trajectory),
            }
            for profile in profiles
        ]
        return json.loads(_pitwall._profiles_compare(rows))

    def save_profile(self, profile, filepath):
        """Write the profile to a JSON file, atomically; missing folders are created."""
        _save_json(profile.to_dict() if hasattr(profile, "to_dict") else profile, filepath)

    def save_comparison(self, comparison, filepath):
        """Write the comparison to a JSON file, atomically; missing folders are created."""
        _save_json(comparison, filepath)

    def save_summary(self, experiment_name, profiles, filepath):
        """Write {'experiment_name', 'runtime_analysis': {'profiles', 'comparison'}} to a JSON file. Other
        keys that the file already has are kept. Raises ValueError if it does not contain a JSON object."""
        profiles = list(profiles)
        _save_json(
            {
                "experiment_name": experiment_name,
                "runtime_analysis": {
                    "profiles": [profile.to_dict() for profile in profiles],
                    "comparison": self.compare_models(profiles),
                },
            },
            filepath,
            _pitwall._save_members,
        )


def _save_json(document, filepath, save=_pitwall._save):
    path = os.fspath(filepath)
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    text = json.dumps(json_ready(document), indent=2, ensure_ascii=False) + "\n"
    save(path, utf8(text))


# ---- in one go ----------------------------------------------------------------------------------


def quick_benchmark(
    model_name,
    forecast_fn,
    z0,
    training_time,
    model_params,
    latent_dim,
    n_steps=100,
    n_trials=50,
    warmup_trials=5,
    wait=True,
    **kwargs,
):
    """Benchmark a forecast and build its RuntimeProfile."""
    analyzer = RuntimeAnalyzer()
    times = analyzer.benchmark_inference(forecast_fn, z0, n_steps, n_trials, warmup_trials, wait)
    return analyzer.build_profile(
        model_name, training_time, times, model_params, latent_dim, n_steps, **kwargs
    )


def benchmark_models(models, z0=None, n_steps=100, n_trials=50, warmup_trials=5, wait=True, seed=None):
    """RuntimeAnalyzer.benchmark_models as a function."""
    return RuntimeAnalyzer().benchmark_models(
        models, z0, n_steps, n_trials, warmup_trials, wait, seed
    )


def _elements(array):
    if hasattr(array, "numel"):
        return int(array.numel())
    size = getattr(array, "size", None)
    if isinstance(size, int):
        return size
    if isinstance(array, (list, tuple)):
        return sum(_elements(item) for item in array)
    return 1


def compute_mvar_params(mvar_model):
    """Number of parameters in {'A_0', 'A_j'}: arrays, or lists of numbers or arrays."""
    return sum(_elements(mvar_model[key]) for key in ("A_0", "A_j") if key in mvar_model)


def compute_lstm_params(lstm_model):
    """Number of parameters of a torch module, or of a wrapper's .model."""
    module = lstm_model if hasattr(lstm_model, "parameters") else lstm_model.model
    return sum(int(parameter.numel()) for parameter in module.parameters())


# ---- tried by itself ----------------------------------------------------------------------------


def _mock_mvar(d=20, lag=5):
    """A synthetic MVAR model, {'A_0', 'A_j'}, and its forecast function, in plain Python."""
    model = {
        "A_0": [0.01] * d,
        "A_j": [[[0.1 / lag if i == k else 0.0 for k in range(d)] for i in range(d)]
                for _ in range(lag)],
    }

    def forecast(z0, n_steps):
        past, path = [list(z0)] * lag, []
        for _ in range(n_steps):
            z = list(model["A_0"])
            for matrix, state in zip(model["A_j"], past):
                for i, row in enumerate(matrix):
                    z[i] += sum(a * x for a, x in zip(row, state))
            past = [z] + past[:-1]
            path.append(z)
        return path

    return model, forecast


def _check(what, holds):
    if not holds:
        raise AssertionError("self-test: %s" % what)
    emit("ok: %s\n" % what, verbose)


def main(arguments=None):
    """The self-test: profile a synthetic MVAR model and write FOLDER/test_runtime_profile.json."""
    import argparse

    parser = argparse.ArgumentParser(
        prog="python3 -m pitwall.runtime_analyzer",
        description="Profile a made-up MVAR model, to see that all of it works here.",
    )
    parser.add_argument("folder", nargs="?", default="test_outputs",
                        help="where test_runtime_profile.json goes (default: %(default)s)")
    path = os.path.join(parser.parse_args(arguments).folder, "test_runtime_profile.json")
    analyzer = RuntimeAnalyzer()
    with analyzer.time_operation("training") as timer:
        model, forecast = _mock_mvar()
    _check("training is timed", timer.elapsed > 0)
    params = compute_mvar_params(model)
    _check("the model has 2020 parameters", params == 2020)
    times = analyzer.benchmark_models({"MVAR": forecast, "again": forecast}, [1.0] * 20, n_steps=10)
    _check("50 trials of each forecast", times["MVAR"]["full_trajectory"].samples == 50)
    profiles = [
        analyzer.build_profile(name, timer.elapsed, times[name], params, 20, 10, lag=5, kind="MVAR")
        for name in times
    ]
    _check("the formula counts as many", profiles[0].complexity["expected_parameters"] == params)
    _check("memory is known", profiles[0].memory.peak_mb > 0)
    found = analyzer.compare_models(profiles)["pitwall"]["significance"]["again_vs_MVAR"]
    _check("models timed in turn are compared", found["full_trajectory"]["blocks"] == 10)
    analyzer.save_profile(profiles[0], path)
    with open(path, encoding="utf-8") as file:
        _check("the profile can be read back", json.load(file)["model_name"] == "MVAR")
    step = times["MVAR"]["single_step"].mean_seconds
    emit("MVAR: %.1f us a step, %d parameters; %s\n" % (step * 1e6, params, path), verbose)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
