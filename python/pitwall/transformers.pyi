from typing import Any, Optional

from ._auto import Hooks

class Callback:
    hooks: Hooks
    def __init__(self, file: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
