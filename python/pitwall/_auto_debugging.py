"""Debugging aids that make every operation slower, for the advice: `debugging` is a fact of the run.

The last look at a program counts. The hooks look at its first forward pass, its second, its fourth, …, so an aid
that was on for a few steps only is no fact of the whole run.
"""

import sys

from . import _auto

_JAX = (("jax_disable_jit", "jit turned off"), ("jax_debug_nans", "JAX's check for NaN"),
        ("jax_debug_infs", "JAX's check for infinity"), ("jax_enable_checks", "JAX's own checks"),
        ("jax_check_tracer_leaks", "JAX's check for leaked tracers"))
_MONITORING = ("DEBUGGER_ID", "COVERAGE_ID", "PROFILER_ID")  # of Python 3.12 and later


def _in_python():
    found = []
    monitoring = getattr(sys, "monitoring", None)
    tools = [monitoring.get_tool(getattr(monitoring, name)) for name in _MONITORING] if monitoring else []
    if sys.gettrace() or sys.getprofile() or any(tools):
        found.append("a debugger, profiler or coverage tool in Python")
    tracemalloc = sys.modules.get("tracemalloc")
    if tracemalloc and tracemalloc.is_tracing():
        found.append("tracemalloc")
    return found


def _is_on(owner, name):
    """Ask a function of PyTorch; a version that lacks the function lacks that aid."""
    function = getattr(owner, name, None)
    return function is not None and function()


def see_torch(torch):
    """Look at PyTorch, and at Python."""
    found = []
    if _is_on(torch, "is_anomaly_enabled"):
        found.append("anomaly detection")
    if _is_on(torch.autograd, "_profiler_enabled"):
        found.append("PyTorch's profiler")
    _tell(found + _in_python())


def see_jax(jax):
    """Look at JAX, and at Python."""
    _tell([text for key, text in _JAX if getattr(jax.config, key, False)] + _in_python())


def _tell(found):
    if found or "debugging" in _auto.facts():
        _auto.fact("debugging", ", ".join(found) or "none")
