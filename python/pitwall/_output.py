"""Output of the compatibility modules: written to sys.stdout and flushed, unless it is turned off."""

import math
import sys

from ._pitwall import _is_verbose


def is_quiet(verbose=True, asked=False):
    """verbose: the setting of the calling module. `pitwall.verbose = False` turns all output off;
    PITWALL_VERBOSE=0 turns off progress lines, not the tables that the program asks for."""
    package = sys.modules.get(__package__)
    return not (verbose and getattr(package, "verbose", True) and (asked or _is_verbose()))


def emit(text, verbose=True):
    """Print a text that contains its newlines. Flush if possible: a program may have replaced sys.stdout by
    an object that has only write()."""
    if is_quiet(verbose, asked=True) or sys.stdout is None:
        return
    for line in text.splitlines(keepends=True):
        sys.stdout.write(line)
        if hasattr(sys.stdout, "flush"):
            sys.stdout.flush()


def text_of(name):
    """Any name as text. Lone surrogates, which file names may have and UTF-8 cannot encode, are escaped."""
    text = str(name)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def utf8(document):
    """JSON or CSV as bytes, with the same escapes; in JSON the escape is the surrogate itself."""
    return document.encode("utf-8", "backslashreplace")


def is_ascii():
    """True if sys.stdout supports only ASCII."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return not encoding.lower().replace("-", "").startswith("utf")


def json_ready(value):
    """The same with None in place of nan and infinity."""
    if isinstance(value, dict):
        return {str(key): json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        return json_ready(value.item())  # a number of NumPy or torch
    return value
