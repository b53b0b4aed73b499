# The C extension, private to the package.

from typing import Any

def __getattr__(name: str) -> Any: ...
