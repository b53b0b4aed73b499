"""Shared by the trainer callbacks: they turn on the hooks, which record the spans, and add what only the trainer
knows: its values (loss, learning rate) and the number of items per step."""

import numbers
import sys

from . import _auto, _pitwall, _recorders


class Base:
    """A mixin for the trainer's own callback class, which the functions below find."""

    def __init__(self, file=None):
        super().__init__()
        if file is not None and not _recorders.status().get("path"):
            _recorders.open(file)
        self.hooks = _auto.auto()


def make(bases, methods, module):
    """Create the class Callback of a module when it is first used."""
    for name in bases:
        if name.split(".")[0] in sys.modules or name == bases[-1]:
            library = __import__(name, fromlist=["x"])
            break
    own = {"__module__": module, "__doc__": sys.modules[module].__doc__, **methods}
    return type("Callback", (Base, _class_of(library)), own)


def _class_of(library):
    for name in ("Callback", "TrainerCallback"):
        found = getattr(library, name, None)
        if found is not None:
            return found
    raise ImportError("%s has no callback class" % library.__name__)


def values(logs):
    """Record those values that are numbers."""
    for name, number in (logs or {}).items():
        if isinstance(number, numbers.Real):
            _pitwall.value(str(name), float(number))


def items(batch):
    """Count the items of a batch in the open step; does nothing if their number is not known."""
    while isinstance(batch, (list, tuple, dict)) and batch:
        batch = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    shape = getattr(batch, "shape", None)
    if shape:
        _pitwall.items(int(shape[0]))
