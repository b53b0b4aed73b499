"""Hooks of PyTorch: the phases of a training step.

    step, eval_step     one iteration of a loop over a DataLoader, from asking for its batch to asking
                        for the next one; eval_step where gradients are off when the batch is asked for,
                        or the model is in evaluation mode. Without a DataLoader they are cut by
                        python/py_cut.c: a step at the end of an optimiser's step, an eval_step at the
                        end of a forward pass
    data_loading        waiting for a batch
    loader_start        making the loader's iterator, with its workers
    forward             a call of the outermost module
    loss                the same where the module is one of torch.nn's losses, or derived from one. A
                        function of torch.nn.functional has no hook: torch.jit and torch.compile know
                        these by their identity
    backward            autograd.backward (Tensor.backward calls it) and autograd.grad; where there is
                        one place for both, in 2.x, that one: compiled code knows the outer ones by name
    optimizer           Optimizer.step of any optimiser
    checkpoint          torch.save
    load_checkpoint     torch.load

Communication between ranks is hooked in _auto_dist.
"""

import functools
import gc
import sys
import weakref
from typing import Any, List

from . import _auto, _auto_dist, _auto_torch_facts, _pitwall
from ._auto import (
    APART,
    AS_BACKWARD,
    AS_LOADER,
    AS_MODE,
    AS_MODEL,
    AS_OPTIMIZER,
    BACKWARD,
    FORWARD,
    LOADING,
    MODE,
    OPTIMIZER,
    SAVING,
)


def install(torch):
    """Each separately: a version that lacks one of the places still gets the others."""
    _auto_torch_facts.install(torch)
    _auto.on_look("learner", _is_learner)
    _auto.on_look("whole learner", _is_whole_learner)
    _auto.attempt("torch.nn", _hook_modules, torch)
    _auto.attempt("torch.autograd", _hook_autograd, torch)
    _auto.attempt("torch.utils.data", _hook_loader, torch)
    _auto.attempt("torch.optim", _hook_optimizers)
    for name, span in (("save", "checkpoint"), ("load", "load_checkpoint")):
        if hasattr(torch, name):
            _auto.hook(torch, name, span, SAVING, LOADING, APART)
    if hasattr(torch, "compile"):
        _auto.attempt("torch.compile", _hook_compile, torch)
    if "torch.distributed" in sys.modules:
        _auto.attempt("torch.distributed", _auto_dist.install, torch.distributed)


def _hook_modules(torch):
    """A transform of a data set may be a module; its work is loading."""
    loss = getattr(sys.modules.get("torch.nn.modules.loss"), "_Loss", None)
    _auto.hook(torch.nn.Module, "__call__", "forward", FORWARD, LOADING, AS_MODEL,
               torch.is_grad_enabled, loss)
    if hasattr(torch.nn.Module, "train"):
        _auto.hook(torch.nn.Module, "train", None, MODE, LOADING, AS_MODE)


def _hook_autograd(torch):
    engine = "_engine_run_backward"
    if hasattr(torch.autograd, engine):  # torch restores the second name through the first
        _auto.hook(torch.autograd.graph, engine, "backward", BACKWARD, 0, AS_BACKWARD)
        _auto.hook(torch.autograd, engine, "backward", BACKWARD, 0, AS_BACKWARD)
        return
    _auto.hook(torch.autograd, "backward", "backward", BACKWARD, 0, AS_BACKWARD)
    _auto.hook(torch.autograd, "grad", "backward", BACKWARD, 0, AS_BACKWARD, flags=1)  # adds to no gradients


def _hook_loader(torch):
    dataloader = sys.modules["torch.utils.data.dataloader"]
    iterator = dataloader._BaseDataLoaderIter
    function = iterator.__next__
    wrapper = _pitwall._hook_next(function, "data_loading", LOADING, LOADING, 0,
                                  torch.is_grad_enabled)
    _auto.put(iterator, "__next__", functools.update_wrapper(wrapper, function))
    _auto.hook(dataloader.DataLoader, "__iter__", "loader_start", LOADING, 0, AS_LOADER,
               torch.is_grad_enabled)
    # A worker process only loads data.
    _auto.hook(sys.modules["torch.utils.data._utils.worker"], "_worker_loop", None, LOADING)


_optimizers: Any = weakref.WeakSet()


def _sets_of_parameters():
    """The parameters of each optimiser, by identity."""
    for optimizer in list(_optimizers):
        groups = getattr(optimizer, "param_groups", ())
        yield {id(p) for group in groups for p in group["params"]}


def _is_learner(module):
    """Does an optimiser have some of its parameters? Asked once per module."""
    own = {id(p) for p in module.parameters()}
    return any(not own.isdisjoint(some) for some in _sets_of_parameters())


def _is_whole_learner(module):
    """Does it have all parameters of an optimiser?"""
    own = {id(p) for p in module.parameters()}
    return any(some and some <= own for some in _sets_of_parameters())


def _hook_optimizers():
    """Every optimiser prepares its class's step when it is created (for torch's own profiler); the hook is
    installed then, so subclasses need no extra handling."""
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
        _auto.attempt("torch.optim", _made, self)
        return result

    return prepare_step


def _made(optimizer):
    _optimizers.add(optimizer)
    _pitwall._hook_optimizer()


def find_made():
    """Optimisers created before the hooks were installed."""
    optimizer = sys.modules["torch.optim.optimizer"].Optimizer
    for one in gc.get_objects():
        if isinstance(one, optimizer):
            _hook_step(type(one))
            _made(one)


def _hook_step(cls):
    """On the class that defines the step: classes that inherit it share the hook."""
    owner = next(base for base in cls.__mro__ if "step" in vars(base))
    if _wants_whole or _auto.is_hook(vars(owner)["step"]):
        return
    _auto.hook(owner, "step", "optimizer", OPTIMIZER, 0, AS_OPTIMIZER)
    _stepped.append(owner)


# torch.compile reads the code of functions and cannot see through a hook in C. A module contains no loader
# and no optimiser; another function may. If the result may be in parts, code that cannot be read is called
# as it is, if it looks like a function. If it must be one whole (fullgraph), that would be an error that
# the program does not have without us: so the hooks of optimisers are removed then.
_stepped: List[Any] = []  # classes whose step has a hook
_compiles: List[bool] = []  # not empty: the program compiles functions
_wants_whole: List[bool] = []  # not empty: and as one graph


def _hook_compile(torch):
    function = torch.compile

    @functools.wraps(function)
    def compile(*args, **kwargs):
        what = args[0] if args else kwargs.get("model")
        _auto.fact("compiled", "1")
        if not isinstance(getattr(what, "__self__", what), torch.nn.Module):
            _auto.attempt("torch.compile", _make_way, bool(kwargs.get("fullgraph")))
        return function(*args, **kwargs)

    _auto.put(torch, "compile", compile)


def _make_way(is_whole):
    dataloader = sys.modules["torch.utils.data.dataloader"]
    torch = sys.modules["torch"]
    if not _compiles:
        _compiles.append(True)
        for owner, name in ((dataloader._BaseDataLoaderIter, "__next__"),
                            (dataloader.DataLoader, "__iter__"), (torch.nn.Module, "train"),
                            (torch, "save"), (torch, "load")):
            if _auto.is_hook(vars(owner).get(name)):
                _auto.as_function(owner, name)
    if is_whole and not _wants_whole:
        _wants_whole.append(True)
        for owner in _stepped:
            _auto.take_out(owner, "step")
        _auto.note_failure("torch.optim", "the program compiles a function with fullgraph=True")
