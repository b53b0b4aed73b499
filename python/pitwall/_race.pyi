# Types of _race.py; the package exports these names.

from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Sequence, Union

@dataclass
class Race:
    names: List[str]
    verdict: str
    change: Optional[float]
    low: Optional[float]
    high: Optional[float]
    p: Optional[float]
    seconds: List[Optional[float]]
    rounds: int
    reason: str = ...
    processes: str = ...

def race(
    f: Callable[..., object],
    g: Callable[..., object],
    *args: Any,
    rounds: Optional[int] = ...,
    budget: Optional[float] = ...,
    names: Optional[Sequence[str]] = ...,
    round_seconds: float = ...,
    level: float = ...,
    effect: float = ...,
    processes: Union[bool, str] = ...,
) -> Race: ...
