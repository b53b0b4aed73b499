"""Where JAX is hooked: handing work over, and waiting for it.

    dispatch    a call of a function that the program jitted (or compiled ahead of time): it returns
                before the work is done; its first call traces and compiles
    compile     XLA's compiler, inside of it or of an operation without jit
    blocking    block_until_ready, and a value that is asked for: float(x), x.item(), print(x).
                numpy.asarray(x) on a processor reads the buffer by itself, past any hook
"""

import functools
import sys

from . import _auto, _pitwall
from ._auto import BLOCKING, COMPILE, DISPATCH


def install(jax):
    """Each on its own: a version that lacks one of the places still gives the others."""
    for name in ("jit", "pmap"):
        _auto.attempt("jax." + name, _hook_transform, jax, name)
    _auto.attempt("jax.stages", _hook_compiled)
    _auto.attempt("jax.block_until_ready", _auto.hook, jax, "block_until_ready", "blocking",
                  BLOCKING)
    _auto.attempt("jax.Array", _hook_array)
    _auto.attempt("the compiler of jax", _hook_compiler)
    _auto.before_note(lambda counts: _see_device(jax))


def _see_device(jax):
    """Asking for the devices would start the backend, so the program must have done it before."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    if not getattr(bridge, "_backends", None) or "device" in _auto.facts():
        return
    device = jax.local_devices()[0]
    _auto.fact("device", "cpu" if device.platform == "cpu" else
               "%s:%d" % (device.platform, device.id))


def _hook_compiled():
    _auto.hook(sys.modules["jax._src.stages"].Compiled, "__call__", "dispatch", DISPATCH)


def _hook_transform(jax, name):
    """jax.jit gives a function of its own kind: what a program is given instead calls it and has all
    of its attributes."""
    transform = getattr(jax, name)

    @functools.wraps(transform)
    def hooked(*args, **kwargs):
        made = transform(*args, **kwargs)
        if not callable(made) or not hasattr(made, "lower"):
            return made
        wrapper = _pitwall._hook(made, "dispatch", DISPATCH, DISPATCH)
        return functools.update_wrapper(wrapper, made)

    _auto.put(jax, name, hooked)


def _hook_array():
    array = sys.modules["jax._src.array"].ArrayImpl
    for name in ("block_until_ready", "item", "__array__"):
        _auto.hook(array, name, "blocking", BLOCKING)
    value = vars(array)["_value"]
    fetch = functools.update_wrapper(
        _pitwall._hook(value.fget, "blocking", BLOCKING, BLOCKING), value.fget
    )
    _auto.put(array, "_value", property(fetch, value.fset, value.fdel, value.__doc__))


def _hook_compiler():
    """Its name has changed, and some versions have both."""
    compiler = sys.modules["jax._src.compiler"]
    names = [name for name in ("backend_compile", "backend_compile_and_load")
             if hasattr(compiler, name)]
    if not names:
        raise AttributeError("neither backend_compile nor backend_compile_and_load")
    for name in names:
        _auto.hook(compiler, name, "compile", COMPILE)
