"""Runtime analysis of models: training, inference, memory, throughput, complexity, comparison.

    from pitwall.runtime_analyzer import RuntimeAnalyzer, quick_benchmark

    analyzer = RuntimeAnalyzer()
    with analyzer.time_operation("training") as timer:
        model = train(data)
    profile = quick_benchmark("MVAR", forecast, z0, timer.elapsed, 2020, 20, lag=5)
    analyzer.save_profile(profile, "out/runtime_profile.json")

MB is 2^20 bytes; what cannot be had is nan, and null in JSON. `verbose = False` on this module, or
PITWALL_VERBOSE=0, silences its hints.
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
    """Seconds of some trials; std_seconds is of the population."""

    total_seconds: float
    mean_seconds: float = _NAN
    std_seconds: float = _NAN
    min_seconds: float = _NAN
    max_seconds: float = _NAN
    samples: int = 1
    median_seconds: float = _NAN
    p95_seconds: float = _NAN
    p99_seconds: float = _NAN
    cpu_mean_seconds: float = _NAN
    details: Dict[str, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @property
    def times(self) -> List[float]:
        """Of each trial, where they are known."""
        return list(self.details.get("times", ()))


@dataclasses.dataclass
class MemoryResult:
    """Of the process in MB, and of the model."""

    peak_mb: float
    current_mb: float
    model_parameters: int
    parameter_memory_mb: float


_TIMING_KEYS = ("mean_seconds", "std_seconds", "min_seconds", "max_seconds", "samples")


def _timing_dict(timing):
    return None if timing is None else {key: getattr(timing, key) for key in _TIMING_KEYS}


@dataclasses.dataclass
class RuntimeProfile:
    """All about one model's running."""

    model_name: str
    training: TimingResult
    inference_single_step: Optional[TimingResult]
    inference_full_trajectory: Optional[TimingResult]
    memory: MemoryResult
    throughput: Dict[str, float]
    complexity: Dict[str, Any]
    operations: Dict[str, float] = dataclasses.field(default_factory=dict)
    pitwall: Dict[str, Any] = dataclasses.field(default_factory=dict, repr=False)

    def to_dict(self):
        """For JSON: model_name, training, inference, memory, throughput, complexity; what is our own
        under pitwall."""
        own = dict(self.pitwall)
        if self.operations:
            own["operations"] = dict(self.operations)
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
        found["median"], found["p95"], found["p99"], found["cpu_mean"], found,
    )


def _result(timing):
    """A TimingResult as a benchmark's result; None as it is."""
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
    }


# What models call their sizes, and what the library calls them.
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

# Models of your own: name → function(model_params, latent_dim, **kwargs) that gives more keys.
complexity_models: Dict[str, Any] = {}


def _model(name, params, latent_dim, kwargs):
    model = {"name": text_of(name), "parameters": int(params), "latent_dim": int(latent_dim)}
    for key, names in _SIZES.items():
        for alias in names:
            if kwargs.get(alias) is not None:
                model[key] = int(kwargs[alias])
                break
    return model


def _bytes_of(dtype):
    """Bytes of one number of a type of NumPy, torch or Python."""
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
    return json.loads(
        _pitwall._profile(model, training, _result(single), _result(full), int(steps), int(each))
    )


def _known(figures):
    return {key: _NAN if value is None else value for key, value in figures.items()}


# ---- the analyser -------------------------------------------------------------------------------


class _OperationTimer:
    """elapsed: seconds so far, and of the whole once it ended."""

    def __init__(self, name, timings):
        self.name, self._timings, self._span, self._elapsed = name, timings, None, None

    @property
    def elapsed(self):
        if self._elapsed is not None:
            return self._elapsed
        return self._span.elapsed if self._span is not None else 0.0

    def __enter__(self):
        self._elapsed = None
        self._span = span(self.name or "operation").begin()
        return self

    def __exit__(self, *error):
        self._elapsed = self._span.end()
        self._timings[self.name] = self._timings.get(self.name, 0.0) + self._elapsed


class RuntimeAnalyzer:
    """Times, benchmarks, profiles and compares models."""

    def __init__(self):
        self.timings = {}  # seconds by name

    def time_operation(self, name):
        """with analyzer.time_operation('training') as timer: …; timer.elapsed, inside it too. The
        operations of an analyser are in the profiles it builds."""
        return _OperationTimer(str(name), self.timings)

    def benchmark_inference(self, forecast_fn, z0, n_steps=100, n_trials=50, warmup_trials=5):
        """Time forecast_fn(z0, 1) and forecast_fn(z0, n_steps): {'single_step', 'full_trajectory'} of
        TimingResult."""
        for what, number in (("n_steps", n_steps), ("n_trials", n_trials)):
            if number < 1:
                raise ValueError("%s must be at least 1, not %r" % (what, number))
        _device.use()
        single, full = _pitwall._forecast(
            lambda steps: forecast_fn(z0, steps), "forecast", int(n_steps), int(n_trials),
            max(int(warmup_trials), 0),
        )
        if full["too_few"] or single["too_few"]:
            least = 100 if min(full["mean"], single["mean"]) < 1e-3 else 50
            emit("hint: %d trials are few; n_trials=%d or more gives figures that hold\n"
                 % (n_trials, least), verbose)
        return {"single_step": _timing(single), "full_trajectory": _timing(full)}

    def measure_memory(self, model_params, param_dtype=None):
        """MemoryResult: the process's peak and current memory, the parameters' own. param_dtype: of
        one parameter, by default 8 bytes."""
        model = {"name": "model", "parameters": int(model_params)}
        memory = _built(model, each=_bytes_of(param_dtype))["memory"]
        found = _known(memory)
        if int(model_params) == 0:
            found["model_parameters"], found["parameter_memory_mb"] = 0, 0.0
        return MemoryResult(**found)

    def compute_throughput(self, inference_timing, n_steps, latent_dim):
        """steps_per_second, predictions_per_second, seconds_per_step, microseconds_per_step, of the
        timing of n_steps steps."""
        model = {"name": "model", "latent_dim": int(latent_dim)}
        return _known(_built(model, full=inference_timing, steps=n_steps)["throughput"])

    def analyze_complexity(self, model_name, model_params, latent_dim, **kwargs):
        """Parameters, operations and growth by the formulas of the model's kind: MVAR, LSTM, GRU, MLP,
        SIREN, KAN, CNN, Attention, Transformer, LLM, GPM, or one of complexity_models. Of others the
        two basic keys."""
        model = _model(model_name, model_params, latent_dim, kwargs)
        found = _built(model)["complexity"]
        own = complexity_models.get(str(model_name))
        if own is not None:
            found.update(own(model_params, latent_dim, **kwargs))
        return found

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
        """RuntimeProfile of a model out of its timings."""
        times = inference_times or {}
        single, full = times.get("single_step"), times.get("full_trajectory")
        training = _NAN if training_time is None else float(training_time)
        each = _bytes_of(param_dtype)
        model = _model(model_name, model_params, latent_dim, kwargs)
        built = _built(model, training, single, full, n_forecast_steps, each)
        complexity = built["complexity"]
        own = complexity_models.get(str(model_name))
        if own is not None:
            complexity.update(own(model_params, latent_dim, **kwargs))
        return RuntimeProfile(
            str(model_name),
            TimingResult(training, training, 0.0, training, training, 1),
            single,
            full,
            MemoryResult(**_known(built["memory"])),
            _known(built["throughput"]),
            complexity,
            dict(self.timings),
            built["pitwall"],
        )

    def compare_models(self, profiles):
        """Ratios against the first profile, winners, and under pitwall whether the differences are
        real. None where there is nothing to divide by."""
        if not profiles:
            raise ValueError("there is no profile to compare")
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
        """The profile as JSON; missing folders are made, the file appears whole or not at all."""
        _save_json(profile.to_dict() if hasattr(profile, "to_dict") else profile, filepath)

    def save_comparison(self, comparison, filepath):
        """Likewise."""
        _save_json(comparison, filepath)

    def save_summary(self, experiment_name, profiles, filepath):
        """{'experiment_name', 'runtime_analysis': {'profiles', 'comparison'}}"""
        _save_json(
            {
                "experiment_name": experiment_name,
                "runtime_analysis": {
                    "profiles": [profile.to_dict() for profile in profiles],
                    "comparison": self.compare_models(profiles),
                },
            },
            filepath,
        )


def _save_json(document, filepath):
    path = os.fspath(filepath)
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    text = json.dumps(json_ready(document), indent=2, ensure_ascii=False) + "\n"
    _pitwall._save(path, utf8(text))


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
    **kwargs,
):
    """Benchmark a forecast and build its RuntimeProfile."""
    analyzer = RuntimeAnalyzer()
    times = analyzer.benchmark_inference(forecast_fn, z0, n_steps, n_trials, warmup_trials)
    return analyzer.build_profile(
        model_name, training_time, times, model_params, latent_dim, n_steps, **kwargs
    )


def _size(array):
    if hasattr(array, "numel"):
        return int(array.numel())
    size = getattr(array, "size", None)
    if isinstance(size, int):
        return size
    if isinstance(array, (list, tuple)):
        return sum(_size(item) for item in array)
    return 1


def compute_mvar_params(mvar_model):
    """Parameters of {'A_0', 'A_j'}: arrays, or lists of numbers or arrays."""
    return sum(_size(mvar_model[key]) for key in ("A_0", "A_j") if key in mvar_model)


def compute_lstm_params(lstm_model):
    """Parameters of a torch module, or of a wrapper's .model."""
    module = lstm_model if hasattr(lstm_model, "parameters") else lstm_model.model
    return sum(int(parameter.numel()) for parameter in module.parameters())
