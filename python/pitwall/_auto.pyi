# Types of _auto.py; the package exports `auto`, and callbacks have `Hooks`. The rest is for the hooks.

from typing import Any, NamedTuple, Tuple

class Hooks(NamedTuple):
    hooked: Tuple[str, ...]
    waiting: Tuple[str, ...]
    failed: Tuple[str, ...]

def auto() -> Hooks: ...
def __getattr__(name: str) -> Any: ...
