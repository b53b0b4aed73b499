"""Hooks into libraries of a program that knows nothing of Pitwall (`pitwall run`).

`install(module)` is called once the program has imported the module. What a hook does is in C
(python/py_hook.c); where they go is in _auto_torch and _auto_jax. What the hooks cost is measured, of
every 16th span as it happens, and stands in the run's journal with their counts: the report says it.
"""

import atexit
import functools
import importlib
import os
import time
from typing import Any, List, Tuple

from . import _pitwall
from ._recorders import journal

# Kinds. A hook makes no span inside another one of its own kind.
FORWARD, BACKWARD, OPTIMIZER, LOADING, DISPATCH, BLOCKING, COMPILE = (1 << i for i in range(7))

_MODULES = {"torch": "_auto_torch", "jax": "_auto_jax"}

_places: List[Tuple[Any, str, Any, bool]] = []  # (owner, name, what was there, whether it was the owner's own)
_names: List[str] = []  # of the libraries that have hooks
_failures: List[str] = []  # told to the run with the first note
_pass_ns: List[float] = []  # of a call that is passed on, once it was measured


def put(owner, name, wrapper):
    """Put a wrapper in the place of an attribute; undone by remove()."""
    own = vars(owner)
    _places.append((owner, name, own.get(name), name in own))
    setattr(owner, name, wrapper)


def hook(owner, name, span, kind, not_in=0):
    """Make a span of every outermost call of owner.name. span None: no span, but those that are not
    looked at inside of the kind are not."""
    function = getattr(owner, name)
    wrapper = _pitwall._hook(function, span, kind, kind | not_in)
    put(owner, name, functools.update_wrapper(wrapper, function))


def is_hook(function):
    return isinstance(function, _pitwall._timed)


def as_function(owner, name):
    """Put a function of Python before a hook, for those who read code instead of running it."""
    hooked = vars(owner)[name]

    @functools.wraps(hooked)
    def call(*args, **kwargs):
        return hooked(*args, **kwargs)

    put(owner, name, call)


def take_out(owner, name):
    """Undo the last put of one place."""
    for i in reversed(range(len(_places))):
        if _places[i][0] is owner and _places[i][1] == name:
            _undo(_places.pop(i))
            return


def note_failure(what, why):
    """Say in the run that there is no hook."""
    _failures.append("%s: %s" % (what, why))


def attempt(what, function, *arguments):
    """Call it; a failure is noted in the run and nowhere else."""
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
        _pass_ns[:] = [_measure()]
        _pitwall._hook_start(_note)
        atexit.register(_note)
        os.register_at_fork(after_in_child=_forked)
    _names.append(name)
    hooks = importlib.import_module("." + _MODULES[name], __package__)
    attempt(name, hooks.install, module)


def _undo(place):
    owner, name, before, is_own = place
    if is_own:
        setattr(owner, name, before)
    else:
        delattr(owner, name)


def remove():
    """Take all hooks out again."""
    while _places:
        _undo(_places.pop())
    del _names[:]
    atexit.unregister(_note)


def _best(function, loops=1000, rounds=5):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(loops):
            function()
        best = min(best, (time.perf_counter_ns() - start) / loops)
    return best


class _Called:
    def __call__(self, item):
        return item


def _measure():
    """Nanoseconds that a hook adds to a call which it passes on, as a module is called."""

    class Hooked(_Called):
        pass

    hook(Hooked, "__call__", None, COMPILE)
    _places.pop()
    bare, hooked = functools.partial(_Called(), 1), functools.partial(Hooked(), 1)
    _best(bare)  # the interpreter adapts
    passed = _pitwall._hook(lambda: _best(hooked), None, COMPILE, 0)()
    return max(passed - _best(bare), 0.0)


def _forked():
    _pitwall._hook_start(_note)


def _note():
    """Into the journal: which hooks there are, how often they were called and what a call costs."""
    spans, passed, steps, watched, watched_ns = _pitwall._hook_counts()
    if not spans and not _failures:
        return
    figures = {"spans": spans, "passed": passed, "steps": steps, "pass_ns": _pass_ns[0]}
    if watched:
        figures["span_ns"] = watched_ns / watched + _pass_ns[0]
    try:
        while _failures:
            journal("auto_failed", _failures.pop(0))
        if spans:
            journal("auto", ", ".join(_names), figures, {"span_ns": "ns", "pass_ns": "ns"})
    except _pitwall.Error:
        pass  # nothing is recorded, so there is nothing to say
