"""Facts about a program that the hooks of PyTorch record, so that advice does not recommend more workers,
another precision or accumulation to a program that already uses them.

    framework, device, dtype, compute_threads, compiled, debugging
    loader_workers, loader_batch, loader_persistent     of the loader with the most workers that was
                                                        iterated for training
    optimizer, optimizer_foreach, optimizer_fused       of the first one
    accumulation                                        backward passes a step, where over 1
"""

from typing import Any, Dict, List

from . import _auto, _auto_debugging, _auto_device

_loader: Dict[str, int] = {}
_torch: List[Any] = []


def install(torch):
    _torch[:] = [torch]
    _loader.clear()
    _auto.on_look("model", _see_model)
    _auto.on_look("loader", _see_loader)
    _auto.on_look("optimizer", _see_optimizer)
    _auto.before_note(_see_counts)


def _name(dtype):
    return str(dtype).replace("torch.", "")


def _autocast(torch, kind):
    """The precision of autocast here, or None if it is off."""
    try:
        if torch.is_autocast_enabled(kind):
            return _name(torch.get_autocast_dtype(kind))
    except TypeError:  # before 2.4 these take no arguments, and each kind of device has its own
        if kind == "cpu" and torch.is_autocast_cpu_enabled():
            return _name(torch.get_autocast_cpu_dtype())
        if kind == "cuda" and torch.is_autocast_enabled():
            return _name(torch.get_autocast_gpu_dtype())
    return None


def _see_model(module):
    """Called at the first forward pass, the second, the fourth, …"""
    torch = _torch[0]
    _auto_device.see_for_hooks()
    _auto.fact("compute_threads", torch.get_num_threads())
    _auto.attempt("debugging aids", _auto_debugging.see_torch, torch)
    if getattr(module, "_compiled_call_impl", None) is not None:
        _auto.fact("compiled", "1")
    parameter = next(module.parameters(), None)
    if parameter is not None and parameter.device.type != "meta":
        if "device" not in _auto.facts():
            _auto.fact("device", parameter.device)
        cast = _autocast(torch, parameter.device.type)
        if cast or "dtype" not in _auto.facts():
            _auto.fact("dtype", cast or _name(parameter.dtype))


def _see_loader(iterator):
    """Called with the iterator of a training loop."""
    workers = getattr(iterator, "_num_workers", None)
    if workers is None or workers <= _loader.get("workers", -1):
        return
    _loader["workers"] = workers
    batch = getattr(getattr(iterator, "_index_sampler", None), "batch_size", None)
    _auto.fact("loader_workers", workers)
    _auto.fact("loader_batch", batch)
    _auto.fact("loader_persistent", int(bool(getattr(iterator, "_persistent_workers", False))))


def _is_on(optimizer, key):
    """Whether an implementation is in use: "n/a" if there is no choice."""
    if key not in optimizer.defaults:
        return "n/a"
    chosen = optimizer.defaults[key]
    if chosen is None and key == "foreach":  # 2.x uses it by default if everything is on a GPU
        major = int(_torch[0].__version__.split(".")[0])
        groups = optimizer.param_groups
        chosen = major >= 2 and all(p.is_cuda for group in groups for p in group["params"])
    return "1" if chosen else "0"


def _see_optimizer(optimizer):
    """Called with the first optimiser that steps."""
    _auto.fact("optimizer", type(optimizer).__name__)
    _auto.fact("optimizer_foreach", _is_on(optimizer, "foreach"))
    _auto.fact("optimizer_fused", _is_on(optimizer, "fused"))


def _see_counts(counts):
    """A varying number of backward passes per step means several losses."""
    if counts["runs"] and counts["single_runs"] * 4 <= counts["runs"]:
        mean = round(counts["run_sum"] / counts["runs"])
        if mean > 1:
            _auto.fact("accumulation", mean)
