# Types of _serve.py; the package exports these names.

from os import PathLike
from types import TracebackType
from typing import Any, Dict, Optional, Type, Union

class Server:
    link: str
    url: Optional[str]
    socket: Optional[str]
    token: Optional[str]
    pid: int
    def __init__(self, process: Any, told: Dict[str, Any]) -> None: ...
    @property
    def is_running(self) -> bool: ...
    def stop(self) -> None: ...
    def __enter__(self) -> Server: ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def _repr_html_(self) -> str: ...

def serve(
    folder: Optional[Union[str, PathLike[str]]] = ...,
    *folders: Union[str, PathLike[str]],
    listen: str = ...,
    open: Optional[bool] = ...,
) -> Server: ...
