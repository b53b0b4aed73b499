# Types of runtime_analyzer.py.

import os
from dataclasses import dataclass
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
)

_T = TypeVar("_T")
_Self = TypeVar("_Self")
_Path = Union[str, "os.PathLike[str]"]
_Forecast = Callable[[Any, int], object]
_Models = Mapping[str, Union[_Forecast, Tuple[_Forecast, Any]]]

verbose: bool

@dataclass
class TimingResult:
    total_seconds: float
    mean_seconds: float = ...
    std_seconds: float = ...
    min_seconds: float = ...
    max_seconds: float = ...
    samples: int = ...
    median_seconds: float = ...
    p95_seconds: float = ...
    p99_seconds: float = ...
    cpu_mean_seconds: float = ...
    process_cpu_mean_seconds: float = ...
    details: Dict[str, Any] = ...
    @property
    def times(self) -> List[float]: ...

@dataclass
class MemoryResult:
    peak_mb: float
    current_mb: float
    model_parameters: int
    parameter_memory_mb: float

@dataclass
class RuntimeProfile:
    model_name: str
    training: TimingResult
    inference_single_step: Optional[TimingResult]
    inference_full_trajectory: Optional[TimingResult]
    memory: MemoryResult
    throughput: Dict[str, float]
    complexity: Dict[str, Any]
    operations: Dict[str, float] = ...
    arguments: Dict[str, Any] = ...
    pitwall: Dict[str, Any] = ...
    def to_dict(self) -> Dict[str, Any]: ...

complexity_models: Dict[str, Callable[..., Mapping[str, Any]]]

class _OperationTimer:
    name: str
    def __init__(self, name: str, timings: Dict[str, float], wait: bool) -> None: ...
    @property
    def elapsed(self) -> float: ...
    def __enter__(self: _Self) -> _Self: ...
    def __exit__(self, *error: object) -> None: ...

class RuntimeAnalyzer:
    timings: Dict[str, float]
    def __init__(self) -> None: ...
    def time_operation(self, name: str, wait: bool = ...) -> _OperationTimer: ...
    def benchmark_inference(
        self,
        forecast_fn: Callable[[_T, int], object],
        z0: _T,
        n_steps: int = ...,
        n_trials: int = ...,
        warmup_trials: int = ...,
        wait: bool = ...,
    ) -> Dict[str, TimingResult]: ...
    def benchmark_models(
        self,
        models: _Models,
        z0: Any = ...,
        n_steps: int = ...,
        n_trials: int = ...,
        warmup_trials: int = ...,
        wait: bool = ...,
        seed: Optional[int] = ...,
    ) -> Dict[str, Dict[str, TimingResult]]: ...
    def measure_memory(self, model_params: int, param_dtype: Any = ...) -> MemoryResult: ...
    def compute_throughput(
        self, inference_timing: Optional[TimingResult], n_steps: int, latent_dim: int
    ) -> Dict[str, float]: ...
    def analyze_complexity(
        self, model_name: str, model_params: int, latent_dim: int, **kwargs: Any
    ) -> Dict[str, Any]: ...
    def build_profile(
        self,
        model_name: str,
        training_time: Optional[float],
        inference_times: Optional[Mapping[str, TimingResult]],
        model_params: int,
        latent_dim: int,
        n_forecast_steps: int = ...,
        param_dtype: Any = ...,
        **kwargs: Any,
    ) -> RuntimeProfile: ...
    def compare_models(
        self,
        profiles: Union[
            Iterable[RuntimeProfile],
            Mapping[str, RuntimeProfile],
            Mapping[str, Dict[str, TimingResult]],
        ],
    ) -> Dict[str, Any]: ...
    def save_profile(
        self, profile: Union[RuntimeProfile, Mapping[str, Any]], filepath: _Path
    ) -> None: ...
    def save_comparison(self, comparison: Mapping[str, Any], filepath: _Path) -> None: ...
    def save_summary(
        self, experiment_name: str, profiles: Iterable[RuntimeProfile], filepath: _Path
    ) -> None: ...

def quick_benchmark(
    model_name: str,
    forecast_fn: Callable[[_T, int], object],
    z0: _T,
    training_time: Optional[float],
    model_params: int,
    latent_dim: int,
    n_steps: int = ...,
    n_trials: int = ...,
    warmup_trials: int = ...,
    wait: bool = ...,
    **kwargs: Any,
) -> RuntimeProfile: ...
def benchmark_models(
    models: _Models,
    z0: Any = ...,
    n_steps: int = ...,
    n_trials: int = ...,
    warmup_trials: int = ...,
    wait: bool = ...,
    seed: Optional[int] = ...,
) -> Dict[str, Dict[str, TimingResult]]: ...
def main(arguments: Optional[Sequence[str]] = ...) -> int: ...
def compute_mvar_params(mvar_model: Mapping[str, Any]) -> int: ...
def compute_lstm_params(lstm_model: Any) -> int: ...
