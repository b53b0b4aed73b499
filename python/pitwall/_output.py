"""Where the faces' texts go, and whether: sys.stdout, at once, unless somebody wants silence."""

import math
import sys

from ._pitwall import _is_verbose


def is_quiet(verbose=True, asked=False):
    """verbose: of the module that asks; `pitwall.verbose = False` silences all. PITWALL_VERBOSE=0
    silences what comes as the program goes, not what it asked for."""
    package = sys.modules.get(__package__)
    return not (verbose and getattr(package, "verbose", True) and (asked or _is_verbose()))


def emit(text, verbose=True):
    """Print a table that was asked for, with newlines of its own; each line is flushed, where there is
    a flush: what a program puts into sys.stdout need not have more than a write."""
    if is_quiet(verbose, asked=True) or sys.stdout is None:
        return
    for line in text.splitlines(keepends=True):
        sys.stdout.write(line)
        if hasattr(sys.stdout, "flush"):
            sys.stdout.flush()


def text_of(name):
    """A name of any kind as text; lone surrogates, which UTF-8 has no form for and names of files may
    have, as escapes."""
    text = str(name)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def utf8(document):
    """JSON or CSV as bytes; likewise, and in JSON that escape is the surrogate."""
    return document.encode("utf-8", "backslashreplace")


def is_ascii():
    """Whether sys.stdout takes plain ASCII alone."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return not encoding.lower().replace("-", "").startswith("utf")


def json_ready(value):
    """The same with None in place of what is no number."""
    if isinstance(value, dict):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        return json_ready(value.item())  # a number of NumPy or torch
    return value
