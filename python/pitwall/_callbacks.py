"""What the callbacks for trainers share: they switch the hooks on, which make the spans, and add what a trainer
alone knows: its values (loss, learning rate) and how many items a step has."""

import numbers
import sys

from . import _auto, _pitwall, _recorders


class Base:
    """Mixed into the trainer's own class of callbacks, which the functions below find."""

    def __init__(self, file=None):
        super().__init__()
        if file is not None and not _recorders.status().get("path"):
            _recorders.open(file)
        self.hooks = _auto.auto()


def make(bases, methods, module):
    """The class Callback of a module, once its library is wanted."""
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
    raise ImportError("%s has no class of callbacks" % library.__name__)


def values(logs):
    """Into the run, those that are numbers."""
    for name, number in (logs or {}).items():
        if isinstance(number, numbers.Real):
            _pitwall.value(str(name), float(number))


def items(batch):
    """How many items a batch has, to the step that is open; nothing where that is not known."""
    while isinstance(batch, (list, tuple, dict)) and batch:
        batch = next(iter(batch.values())) if isinstance(batch, dict) else batch[0]
    shape = getattr(batch, "shape", None)
    if shape:
        _pitwall.items(int(shape[0]))
