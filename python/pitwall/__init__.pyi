# Types of the native API. The package loads the names imported here at their first use.

import os
from types import TracebackType
from typing import (
    Any,
    AsyncIterable,
    Awaitable,
    Callable,
    Dict,
    Generic,
    Iterable,
    List,
    Mapping,
    Optional,
    SupportsFloat,
    SupportsIndex,
    Type,
    TypeVar,
    Union,
    final,
    overload,
)

from . import keras as keras
from . import lightning as lightning
from . import memory_monitor as memory_monitor
from . import profiling as profiling
from . import runtime_analyzer as runtime_analyzer
from . import time_profiler as time_profiler
from . import timing as timing
from . import transformers as transformers
from ._auto import auto as auto
from ._device import set_device as set_device
from ._native import (
    advise as advise,
    bench as bench,
    epoch_monitor as epoch_monitor,
    find_convergence as find_convergence,
    find_scaling as find_scaling,
    find_speedups as find_speedups,
    find_variance as find_variance,
    find_warmup as find_warmup,
    model_complexity as model_complexity,
    scale as scale,
    stage as stage,
    sweep as sweep,
    view as view,
)
from ._auto_dist import distributed as distributed
from ._race import race as race
from ._serve import serve as serve
from .time_profiler import window as window
from .timing import print_timing_summary as print_timing_summary, track_time as track_time

__version__: str
verbose: bool
__all__ = [
    "Error",
    "Recorder",
    "Run",
    "close",
    "device_stream",
    "export",
    "fields",
    "flops",
    "items",
    "journal",
    "label",
    "phase",
    "ranks",
    "read",
    "read_live",
    "report",
    "rss",
    "span",
    "status",
    "thread_name",
    "timed",
    "value",
    "view_options",
    "views",
]

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
_Path = Union[str, "os.PathLike[str]"]

class Error(RuntimeError):
    code: Optional[int]

@final
class span:
    def __new__(
        cls,
        name: str,
        memory: bool = ...,
        record: bool = ...,
        *,
        wait: bool = ...,
        leaks: bool = ...,
        energy: bool = ...,
        device: bool = ...,
    ) -> span: ...
    @property
    def elapsed(self) -> float: ...
    @property
    def name(self) -> str: ...
    @property
    def is_open(self) -> bool: ...
    def begin(self) -> span: ...
    def end(self) -> float: ...
    def drop(self) -> None: ...
    def __enter__(self) -> span: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
        /,
    ) -> None: ...
    def __aenter__(self) -> Awaitable[span]: ...
    def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
        /,
    ) -> Awaitable[None]: ...
    def __call__(self, function: _F, /) -> _F: ...

@overload
def timed(
    function: Optional[str] = ...,
    *,
    name: Optional[str] = ...,
    memory: bool = ...,
    record: bool = ...,
    wait: bool = ...,
    leaks: bool = ...,
    energy: bool = ...,
    device: bool = ...,
) -> Callable[[_F], _F]: ...
@overload
def timed(
    function: _F,
    *,
    name: Optional[str] = ...,
    memory: bool = ...,
    record: bool = ...,
    wait: bool = ...,
    leaks: bool = ...,
    energy: bool = ...,
    device: bool = ...,
) -> _F: ...

class _Iter(Generic[_T]):
    def __iter__(self) -> _Iter[_T]: ...
    def __next__(self) -> _T: ...
    def __len__(self) -> int: ...
    def __getattr__(self, name: str) -> Any: ...

class _AsyncIter(Generic[_T]):
    def __aiter__(self) -> _AsyncIter[_T]: ...
    def __anext__(self) -> Awaitable[_T]: ...
    def __getattr__(self, name: str) -> Any: ...

@overload
def iter(
    iterable: Iterable[_T], name: str = ..., memory: bool = ..., record: bool = ...
) -> _Iter[_T]: ...
@overload
def iter(
    iterable: AsyncIterable[_T], name: str = ..., memory: bool = ..., record: bool = ...
) -> _AsyncIter[_T]: ...
def device_stream(stream: int, /) -> None: ...
def value(name: str, number: SupportsFloat, /) -> None: ...
def items(n: SupportsIndex, /) -> None: ...
def bytes(n: SupportsIndex, /) -> None: ...
def flops(n: SupportsIndex, /) -> None: ...
def phase(name: Optional[str], /) -> None: ...
def label(key: str, value: str, /) -> None: ...
def thread_name(name: str, /) -> None: ...
def rss() -> Optional[int]: ...
def journal(
    kind: str,
    text: str = ...,
    figures: Optional[Mapping[str, float]] = ...,
    units: Optional[Mapping[str, str]] = ...,
    wall: Optional[float] = ...,
) -> None: ...

class Recorder:
    def __init__(
        self,
        path: Optional[_Path] = ...,
        *,
        in_memory: bool = ...,
        memory: bool = ...,
        record: bool = ...,
        ring_bytes: int = ...,
        max_bytes: int = ...,
        record_bytes: int = ...,
        sample_hz: float = ...,
        sample_stacks: Optional[float] = ...,
        labels: Optional[Mapping[str, str]] = ...,
    ) -> None: ...
    def span(self, name: str) -> Any: ...
    @property
    def status(self) -> Dict[str, Any]: ...
    @property
    def path(self) -> str: ...
    @property
    def recording(self) -> bool: ...
    def close(self) -> None: ...
    def read(self, alone: bool = ...) -> Run: ...
    def report(self, **options: Any) -> str: ...
    def __enter__(self) -> Recorder: ...
    def __exit__(self, *error: Any) -> None: ...

def open(
    path: Optional[_Path] = ...,
    *,
    in_memory: bool = ...,
    memory: bool = ...,
    record: bool = ...,
    ring_bytes: int = ...,
    max_bytes: int = ...,
    record_bytes: int = ...,
    sample_hz: float = ...,
    sample_stacks: Optional[float] = ...,
    labels: Optional[Mapping[str, str]] = ...,
) -> Recorder: ...
def close() -> None: ...
def status() -> Dict[str, Any]: ...
def ranks(*paths: _Path, job: Optional[str] = ...) -> Dict[str, Any]: ...
class Run(Dict[str, Any]):
    def __init__(self, source: Optional[_Path], alone: bool = ...) -> None: ...
    def _repr_html_(self) -> str: ...

def read(path: Union[_Path, Recorder], alone: bool = ...) -> Run: ...
def read_live(alone: bool = ...) -> Run: ...
def report(
    *runs: Union[_Path, Recorder],
    view: Optional[str] = ...,
    form: str = ...,
    alone: bool = ...,
    job: Optional[str] = ...,
    width: int = ...,
    colour: bool = ...,
    ascii: bool = ...,
    **options: Union[str, float, bool, None],
) -> str: ...
def export(*runs: Union[_Path, Recorder], format: str) -> str: ...
def load_ipython_extension(ipython: Any) -> None: ...
def fields(of: str = ..., /) -> List[Dict[str, Any]]: ...
def views() -> List[str]: ...
def view_options(view: Optional[str] = ..., /) -> List[Dict[str, Any]]: ...
