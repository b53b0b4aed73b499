"""Where PyTorch is hooked: the phases of a training step.

    step, eval_step     one turn of a loop over a DataLoader, from asking for its batch to asking for
                        the next one; eval_step where gradients are off when the batch is asked for
    data_loading        waiting for a batch
    loader_start        making the loader's iterator, with its workers
    forward             a call of the outermost module
    backward            autograd.backward (Tensor.backward calls it) and autograd.grad
    optimizer           Optimizer.step of any optimiser
"""

import functools
import sys

from . import _auto, _pitwall
from ._auto import BACKWARD, FORWARD, LOADING, OPTIMIZER


def install(torch):
    """Each on its own: a version that lacks one of the places still gives the others."""
    _auto.attempt("torch.nn", _hook_modules, torch)
    _auto.attempt("torch.autograd", _hook_autograd, torch)
    _auto.attempt("torch.utils.data", _hook_loader, torch)
    _auto.attempt("torch.optim", _hook_optimizers)


def _hook_modules(torch):
    """A transform of a data set may be a module; what it does is loading."""
    _auto.hook(torch.nn.Module, "__call__", "forward", FORWARD, LOADING)


def _hook_autograd(torch):
    _auto.hook(torch.autograd, "backward", "backward", BACKWARD)
    _auto.hook(torch.autograd, "grad", "backward", BACKWARD)


def _hook_loader(torch):
    dataloader = sys.modules["torch.utils.data.dataloader"]
    iterator = dataloader._BaseDataLoaderIter
    function = iterator.__next__
    wrapper = _pitwall._hook_next(function, "data_loading", LOADING, LOADING,
                                  torch.is_grad_enabled)
    _auto.put(iterator, "__next__", functools.update_wrapper(wrapper, function))
    _auto.hook(dataloader.DataLoader, "__iter__", "loader_start", LOADING)
    # A worker process does nothing but load.
    _auto.hook(sys.modules["torch.utils.data._utils.worker"], "_worker_loop", None, LOADING)


def _hook_optimizers():
    """Every optimiser makes its class's step ready when it is made (for torch's own profiler); that is
    when the hook goes on it, so that subclasses come by themselves."""
    optimizer = sys.modules["torch.optim.optimizer"].Optimizer
    names = [name for name in ("_hook_for_profile", "_patch_step_function")
             if hasattr(optimizer, name)]
    if not names:
        raise AttributeError("Optimizer has neither _hook_for_profile nor _patch_step_function")
    for name in names:
        _auto.put(optimizer, name, _with_step(getattr(optimizer, name)))


def _with_step(prepare):
    @functools.wraps(prepare)
    def prepare_step(self, *args, **kwargs):
        result = prepare(self, *args, **kwargs)
        _auto.attempt("torch.optim", _hook_step, type(self))
        return result

    return prepare_step


def _hook_step(cls):
    """On the class that has the step: one that inherits it shares the hook."""
    owner = next(base for base in cls.__mro__ if "step" in vars(base))
    if not _auto.is_hook(vars(owner)["step"]):
        _auto.hook(owner, "step", "optimizer", OPTIMIZER)
