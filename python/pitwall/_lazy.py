"""Names of the package that are loaded at their first use: the compatibility modules and their shared
parts."""

import importlib

_MODULES = (
    "timing", "memory_monitor", "profiling", "time_profiler", "runtime_analyzer",
    "lightning", "transformers", "keras",
)

_NAMES = {
    "track_time": "timing",
    "print_timing_summary": "timing",
    "window": "time_profiler",
    "set_device": "_device",
    "race": "_race",
    "serve": "_serve",
    "distributed": "_auto_dist",
    "auto": "_auto",
}
_NAMES.update(
    dict.fromkeys(
        (
            "view", "find_warmup", "find_variance", "find_convergence", "find_speedups", "advise",
            "bench", "scale", "find_scaling", "model_complexity", "sweep", "stage",
            "epoch_monitor",
        ),
        "_native",
    )
)


def find(package, name):
    """Load an attribute of the package at its first use."""
    if name in _MODULES:
        return importlib.import_module("." + name, package)
    if name not in _NAMES:
        raise AttributeError("module %r has no attribute %r" % (package, name))
    return getattr(importlib.import_module("." + _NAMES[name], package), name)


def names():
    return [*_MODULES, *_NAMES]
