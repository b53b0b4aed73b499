# Types of _native.py; the package exports these names.

from dataclasses import dataclass
from typing import (
    Any,
    Callable,
    ContextManager,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    SupportsFloat,
    Tuple,
    TypeVar,
    Union,
)

from .memory_monitor import EpochPerformanceMonitor
from .time_profiler import TimeProfiler

_T = TypeVar("_T")
_Row = Union[Tuple[Any, ...], Mapping[str, Any]]
_Numbers = Sequence[SupportsFloat]

def view(
    name: str,
    rows: Optional[Sequence[_Row]] = ...,
    series: Optional[_Numbers] = ...,
    curves: Optional[Sequence[Tuple[str, _Numbers, Optional[_Numbers]]]] = ...,
    entries: Optional[Sequence[Mapping[str, Any]]] = ...,
    form: str = ...,
    title: Optional[str] = ...,
    **options: Any,
) -> str: ...
def find_warmup(seconds: _Numbers) -> Optional[Dict[str, Any]]: ...
def find_variance(seconds: _Numbers) -> Optional[Dict[str, Any]]: ...
def find_convergence(
    values: _Numbers,
    threshold: float,
    seconds: Optional[_Numbers] = ...,
    maximise: bool = ...,
    smooth: int = ...,
) -> Optional[Dict[str, Any]]: ...
def find_speedups(rows: Sequence[_Row], baseline: Optional[str] = ...) -> List[Optional[float]]: ...
def advise(
    rows: Sequence[_Row], batches: Optional[_Numbers] = ...
) -> List[Dict[str, Any]]: ...
@dataclass
class Bench:
    name: str
    mean: float
    std: float
    min: float
    max: float
    median: float
    p95: float
    p99: float
    total: float
    cpu_mean: float
    process_cpu_mean: float
    samples_per_second: float
    trials: int
    iterations: int
    interrupted: int
    resolution: float
    at_resolution: bool
    too_few: bool
    times: List[float]
    def text(self, percentiles: bool = ..., form: str = ...) -> str: ...

def bench(
    function: Callable[..., object],
    *args: Any,
    name: Optional[str] = ...,
    setup: Optional[Callable[[], object]] = ...,
    trials: int = ...,
    warmup: Optional[int] = ...,
    iterations: int = ...,
    min_seconds: float = ...,
    max_seconds: float = ...,
    batch: int = ...,
    wait: bool = ...,
) -> Bench: ...
@dataclass
class Scaling:
    name: str
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
    unit: str = ...
    own: Any = ...
    def predict(self, size: float) -> Tuple[Optional[float], Optional[float], Optional[float]]: ...
    def text(self, predict: Iterable[float] = ..., form: str = ...) -> str: ...

def scale(function: Callable[[Any], object], sizes: Sequence[float], rounds: int = ...) -> Scaling: ...
def find_scaling(
    sizes: Sequence[float], costs: Sequence[float], unit: str = ...
) -> Scaling: ...
def model_complexity(
    name: str, parameters: int = ..., latent_dim: int = ..., **sizes: Any
) -> Dict[str, Any]: ...
def sweep(
    function: Callable[[_T], object], configurations: Iterable[_T], what: str = ..., form: str = ...
) -> Tuple[Dict[_T, float], str]: ...
def stage(name: str, memory: bool = ...) -> ContextManager[TimeProfiler]: ...
def epoch_monitor(
    enabled: Optional[bool] = ..., verbose_batches: Optional[int] = ..., device: int = ...
) -> EpochPerformanceMonitor: ...
