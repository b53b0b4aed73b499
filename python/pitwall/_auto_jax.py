"""Hooks of JAX: submitting work, and waiting for it.

step        of a program whose training step is a jitted function: from the end of its call before to the
            end of this one (python/py_jit.c). It is known by what happens while it is traced: it takes
            gradients, or applies updates
eval_step   a call of a jitted function whose name says so: eval, valid, test, predict, infer
transfer    jax.device_put
dispatch    a call of a function that the program jitted (or compiled ahead of time): it returns
            before the work is done; its first call traces and compiles
compile     XLA's compiler, inside of it or of an operation without jit
blocking    block_until_ready, and a value that is asked for: float(x), x.item(), print(x).
            numpy.asarray(x) on a processor reads the buffer by itself, past any hook
"""

import functools
import inspect
import re
import sys
import weakref
from typing import Any

from . import _auto, _auto_debugging, _pitwall
from ._auto import AS_JIT, AS_LEARNING, AS_WAIT, BLOCKING, COMPILE, DISPATCH, LOADING, PLAIN


def install(jax):
    """Each separately: a version that lacks one of the places still gets the others."""
    for name in ("jit", "pmap"):
        _auto.attempt("jax." + name, _hook_transform, jax, name)
    for name in ("grad", "value_and_grad"):
        _auto.attempt("jax." + name, _hook_gradient, jax, name)
    if hasattr(jax, "device_put"):
        _auto.hook(jax, "device_put", "transfer", LOADING, DISPATCH | BLOCKING | COMPILE)
    _auto.attempt("jax.stages", _hook_compiled)
    _auto.attempt("jax.block_until_ready", _auto.hook, jax, "block_until_ready", "blocking",
                  BLOCKING, 0, AS_WAIT)
    _auto.attempt("jax.Array", _hook_array)
    _auto.attempt("the compiler of jax", _hook_compiler)
    _auto.before_note(lambda counts: _see_device(jax))
    _auto.before_note(lambda counts: _auto_debugging.see_jax(jax))


def _see_device(jax):
    """Asking for the devices would start the backend, so wait until the program has started it."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    if not getattr(bridge, "_backends", None) or "device" in _auto.facts():
        return
    device = jax.local_devices()[0]
    _auto.fact("device", "cpu" if device.platform == "cpu" else
               "%s:%d" % (device.platform, device.id))


def _hook_compiled():
    _auto.hook(sys.modules["jax._src.stages"].Compiled, "__call__", "dispatch", DISPATCH)


# Flags of a compiled function: enum of python/py_hook.h.
_EXPECTED, _EVALUATES, UPDATES = 2, 4, 8
_GRADIENTS, _UPDATING = {"grad", "value_and_grad"}, {"apply_updates", "apply_gradients"}
_EVALUATION = re.compile(r"(?i)(^|_)(eval|valid|test|predict|infer)")


def _flags(function):
    """What is known about a function before it is called: whether its code takes gradients and, from its
    name, whether it evaluates."""
    function = inspect.unwrap(function)
    function = getattr(function, "func", function)  # a partial
    codes, names = [getattr(function, "__code__", None)], set()
    while codes:
        code = codes.pop()
        if code is not None:
            names.update(code.co_names)
            codes.extend(c for c in code.co_consts if hasattr(c, "co_names"))
    evaluates = _EVALUATION.search(getattr(function, "__name__", "") or "")
    return ((_EXPECTED if names & _GRADIENTS else 0) | (UPDATES if names & _UPDATING else 0)
            | (_EVALUATES if evaluates else 0))


def _is_learning(function):
    return _auto.is_hook(function) and function in _learning


_learning: Any = weakref.WeakSet()  # results of jax.grad and jax.value_and_grad


def _hook_gradient(jax, name):
    """Taking gradients marks the function that is being traced around it as a training step."""
    transform = getattr(jax, name)

    @functools.wraps(transform)
    def hooked(*args, **kwargs):
        made = transform(*args, **kwargs)
        if not callable(made):
            return made
        wrapper = functools.update_wrapper(
            _pitwall._hook(made, None, PLAIN, 0, AS_LEARNING), made)
        _learning.add(wrapper)
        return wrapper

    _auto.put(jax, name, hooked)


def _hook_transform(jax, name):
    """jax.jit returns an object of its own type: the program gets a wrapper that calls it and has all of
    its attributes."""
    transform = getattr(jax, name)

    @functools.wraps(transform)
    def hooked(*args, **kwargs):
        made = transform(*args, **kwargs)
        if not callable(made) or not hasattr(made, "lower"):
            return made
        given = args[0] if args else kwargs.get("fun")
        flags = _EXPECTED if _is_learning(given) else _flags(made)
        wrapper = _pitwall._hook(made, "dispatch", DISPATCH, DISPATCH, AS_JIT, None, None, flags)
        return functools.update_wrapper(wrapper, made)

    _auto.put(jax, name, hooked)


def _hook_array():
    array = sys.modules["jax._src.array"].ArrayImpl
    for name in ("block_until_ready", "item", "__array__"):
        _auto.hook(array, name, "blocking", BLOCKING, 0, AS_WAIT)
    value = vars(array)["_value"]
    fetch = functools.update_wrapper(
        _pitwall._hook(value.fget, "blocking", BLOCKING, BLOCKING, AS_WAIT), value.fget
    )
    _auto.put(array, "_value", property(fetch, value.fset, value.fdel, value.__doc__))


def _hook_compiler():
    """Its name has changed; some versions have both."""
    compiler = sys.modules["jax._src.compiler"]
    names = [name for name in ("backend_compile", "backend_compile_and_load")
             if hasattr(compiler, name)]
    if not names:
        raise AttributeError("neither backend_compile nor backend_compile_and_load")
    for name in names:
        _auto.hook(compiler, name, "compile", COMPILE)
