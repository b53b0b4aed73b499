"""Hooks into the libraries of a program that does not use Pitwall itself (`pitwall run`).

`install(module)` is called once the program has imported the module. The hooks themselves are in C
(python/py_hook.c); _auto_torch, _auto_dist, _auto_jax, _auto_lightning, _auto_transformers and _auto_keras
say which functions they replace. The cost of the hooks is measured on every 16th span and written into the
run's journal together with their counts; the report prints it.
"""

import atexit
import functools
import importlib
import os
import sys
import time
from typing import Any, Dict, List, NamedTuple, Tuple

from . import _auto_watch, _pitwall
from ._recorders import journal, status

# Kinds. A hook makes no span inside another one of its own kind.
(FORWARD, BACKWARD, OPTIMIZER, LOADING, DISPATCH, BLOCKING, COMPILE, SAVING, MODE,
 COMM, TRAINER) = (1 << i for i in range(11))

# The role of a hook, if it matters for steps: enum pitpy_role of python/py_hook.h.
(PLAIN, AS_MODEL, AS_BACKWARD, AS_OPTIMIZER, APART, AS_LOADER, AS_MODE, AS_JIT, AS_LEARNING, AS_WAIT, AS_CLOSURE,
 BEGINS_STEP, ENDS_STEP, AS_STEP, TRAINS, EVALUATES, EVALUATES_LOADER) = range(17)

_MODULES = {
    "torch": "_auto_torch", "torch.distributed": "_auto_dist", "jax": "_auto_jax",
    "optax": "_auto_optax", "pyopencl": "_auto_pyopencl",
    "lightning.pytorch": "_auto_lightning", "pytorch_lightning": "_auto_lightning",
    "transformers.trainer": "_auto_transformers", "keras": "_auto_keras",
}

_places: List[Tuple[Any, str, Any, bool]] = []  # (owner, name, the original, whether it was the owner's
                                                # own attribute)
_names: List[str] = []  # libraries that have hooks
_failures: List[str] = []  # written into the run with the first note
_all_failures: List[str] = []  # the same, for auto()
# What a call costs outside of the hook's own measurement. A call that is only passed on takes this share of the
# measured time of one that is recorded: 20 of 110 ns in a loop, 120 of 900 ns between the operations of a
# training step. One that is recorded takes this share of a plain call more: in a loop 150 ns, of which 92 are
# measured, where a plain call takes 117.
PASS_SHARE, ENTRY_SHARE = 0.14, 0.4
_calls_ns: List[float] = []  # once measured: cost of a call that is only passed on, and of a plain call
_facts: Dict[str, str] = {}  # about the program, for the run
_told: Dict[str, str] = {}  # facts that the run already has
_told_run: List[str] = []  # and the id of that run
_looks: Dict[str, Any] = {}  # functions to call when an object of a kind is seen
_late: List[Any] = []  # functions that may find facts; called before a note


def put(owner, name, wrapper):
    """Replace an attribute by a wrapper; remove() undoes it."""
    own = vars(owner)
    _places.append((owner, name, own.get(name), name in own))
    setattr(owner, name, wrapper)


def hook(owner, name, span, kind, not_in=0, role=PLAIN, question=None, loss=None, flags=0):
    """Record every outermost call of owner.name as a span. span None: record no span, but still suppress
    the nested kinds. question: a function that tells whether gradients are on. loss: the class of
    losses. flags: those of its role."""
    function = getattr(owner, name)
    wrapper = _pitwall._hook(function, span, kind, kind | not_in, role, question, loss, flags)
    put(owner, name, functools.update_wrapper(wrapper, function))


def hook_trainer(owner, name, role, kind=TRAINER):
    """Hook a trainer's function that marks where steps begin and end; not while a model is built."""
    function = getattr(owner, name)
    wrapper = _pitwall._hook_trainer(function, None, kind, COMPILE, role)
    put(owner, name, functools.update_wrapper(wrapper, function))


def has(name):
    """True if the library is hooked."""
    return name in _names


def is_hook(function):
    return isinstance(function, _pitwall._timed)


def as_function(owner, name):
    """Wrap a hook in a Python function, for compilers that read code instead of running it."""
    hooked = vars(owner)[name]

    @functools.wraps(hooked)
    def call(*args, **kwargs):
        return hooked(*args, **kwargs)

    put(owner, name, call)


def take_out(owner, name):
    """Undo the last put() of one attribute."""
    for i in reversed(range(len(_places))):
        if _places[i][0] is owner and _places[i][1] == name:
            _undo(_places.pop(i))
            return


def note_failure(what, why):
    """Note in the run that a hook is missing."""
    _failures.append("%s: %s" % (what, why))
    _all_failures.append(_failures[-1])


def fact(key, value):
    """Record a fact about the program in the run; a later value replaces an earlier one."""
    if value is not None and _facts.get(key) != str(value):
        _facts[key] = str(value)
        if _pitwall._hook_counts()["spans"]:
            _tell_facts()


def facts():
    """The facts found so far."""
    return _facts


def _tell_facts():
    """Record the facts that the current run does not have yet; a program may close one run and open another."""
    try:
        run = status().get("run_id", "")
        if _told_run != [run]:
            _told_run[:] = [run]
            _told.clear()
        for key, value in _facts.items():
            if _told.get(key) != value:
                _pitwall._fact(key, value)
                _told[key] = value
    except _pitwall.Error:
        pass  # nothing is recorded, so there is nothing to say


def on_look(what, function):
    """Call function(object) when a hook sees an object of this kind: model, loader, optimizer."""
    _looks[what] = function


def _look(what, seen):
    function = _looks.get(what)
    return bool(function and function(seen))


def before_note(function):
    """Call this function each time before the cost of the hooks is noted: it may find new facts."""
    _late.append(function)


def attempt(what, function, *arguments):
    """Call a function; if it fails, note that in the run and do not raise."""
    try:
        function(*arguments)
    except Exception as error:
        note_failure(what, "%s: %s" % (type(error).__name__, error))


def install(module):
    """Hook a library that has just been imported."""
    name = module.__name__
    if name in _names:
        return
    if not _names:
        _calls_ns[:] = _measure()
        _pitwall._hook_start(_note, _look)
        atexit.register(_leave)
        os.register_at_fork(after_in_child=_forked)
    _names.append(name)
    short = _short(name)
    version = getattr(sys.modules.get(short), "__version__", None)
    if version and short not in _facts.get("framework", ""):
        framework = "%s %s" % (short, version)
        fact("framework", ", ".join(filter(None, (_facts.get("framework"), framework))))
    hooks = importlib.import_module("." + _MODULES[name], __package__)
    attempt(name, hooks.install, module)


class Hooks(NamedTuple):
    """The result of auto(): libraries that are hooked, libraries that will be hooked when they are imported,
    and places that could not be hooked, each with the reason."""

    hooked: Tuple[str, ...]
    waiting: Tuple[str, ...]
    failed: Tuple[str, ...]


_finders: List[Any] = []  # ours, in sys.meta_path


def auto():
    """Turn on the hooks of `pitwall run` from code or a notebook: they record the training steps and phases
    of PyTorch, Lightning, transformers, Keras and JAX as spans. Libraries that are imported later are hooked
    at their import. Calling it again changes nothing. Returns which libraries are hooked.

        import pitwall
        pitwall.auto()

    Call it before models are compiled and functions are jitted. With PITWALL=0 it does nothing.
    """
    if os.environ.get("PITWALL", "1") not in ("0", "off"):
        missing = [name for name in _auto_watch.LIBRARIES if name not in _names]
        ready = [name for name in missing if name in sys.modules and not _is_loading(name)]
        for name in ready:
            install(sys.modules[name])
            if name == "torch":
                attempt("torch.optim", importlib.import_module("._auto_torch", __package__).find_made)
        waiting = [name for name in missing if name not in ready]
        if waiting and not _finders:
            _finders.append(_auto_watch.Finder(waiting, lambda m: attempt(m.__name__, install, m)))
            sys.meta_path.insert(0, _finders[0])
    waiting = {_short(name) for name in _auto_watch.LIBRARIES} - {_short(name) for name in _names}
    return Hooks(tuple(dict.fromkeys(_short(name) for name in _names)), tuple(sorted(waiting)),
                 tuple(_all_failures))


def _is_loading(name):
    return getattr(getattr(sys.modules[name], "__spec__", None), "_initializing", False)


def _short(name):
    return name.split(".")[0]


def _undo(place):
    owner, name, before, is_own = place
    if is_own:
        setattr(owner, name, before)
    else:
        delattr(owner, name)


def remove():
    """Remove all hooks."""
    while _places:
        _undo(_places.pop())
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder not in _finders]
    del _names[:], _late[:], _finders[:], _all_failures[:]
    _looks.clear()
    _pitwall._hook_leave()
    atexit.unregister(_leave)


class _Called:
    def __call__(self, item):
        return item


def _time(function, loops=500):
    start = time.perf_counter_ns()
    for _ in range(loops):
        function()
    return (time.perf_counter_ns() - start) / loops


def _measure(rounds=15):
    """Nanoseconds that a hook adds to a call that it only passes on, and those of a call without a hook: the
    fastest of alternating rounds."""

    class Hooked(_Called):
        pass

    hook(Hooked, "__call__", None, COMPILE)
    _places.pop()
    bare, hooked = functools.partial(_Called(), 1), functools.partial(Hooked(), 1)
    times = []

    def measure():
        _time(hooked), _time(bare)  # lets the interpreter adapt its code
        times.extend((_time(hooked), _time(bare)) for _ in range(rounds))

    _pitwall._hook(measure, None, COMPILE, 0)()
    hooked_ns, bare_ns = (min(column) for column in zip(*times))
    return max(hooked_ns - bare_ns, 0.0), bare_ns


def _forked():
    _told.clear()
    _pitwall._hook_start(_note, _look)


def _leave():
    _pitwall._hook_leave()
    _note()


def cost(since=None):
    """What the hooks did so far, and an estimate of its cost: the work of the hooks, measured on some
    calls, and the time of calling them."""
    counts = _pitwall._hook_counts()
    for key, before in (since or {}).items():
        if key in counts:
            counts[key] -= before
    call_ns = counts["watched_ns"] / counts["watched"] if counts["watched"] else float("nan")
    pass_ns, bare_ns = _calls_ns
    counts["pass_ns"] = max(pass_ns, PASS_SHARE * call_ns if counts["watched"] else 0.0)
    call_ns += counts["pass_ns"] + ENTRY_SHARE * bare_ns
    counts["cost_ns"] = counts["calls"] * call_ns + counts["passed"] * counts["pass_ns"]
    counts["span_ns"] = counts["calls"] * call_ns / max(counts["spans"], 1)
    return counts


def _note():
    """Write into the journal which hooks there are, how often they were called and the cost of a call."""
    counts = cost()
    if not counts["spans"] and not _failures:
        return
    for function in _late:
        attempt("facts", function, counts)
    figures = {key: counts[key] for key in ("spans", "passed", "steps")}
    figures["pass_ns"] = counts["pass_ns"]
    if counts["watched"]:
        figures["span_ns"] = counts["span_ns"]
    try:
        while _failures:
            journal("auto_failed", _failures.pop(0))
        if counts["spans"]:
            journal("auto", ", ".join(dict.fromkeys(map(_short, _names))), figures, {"span_ns": "ns", "pass_ns": "ns"})
            _tell_facts()
    except _pitwall.Error:
        pass  # nothing is recorded, so there is nothing to say
