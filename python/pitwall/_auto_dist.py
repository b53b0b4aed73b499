"""Hooks of torch.distributed: collectives, messages, waiting for them, and DDP's own statistics.

    all_reduce, all_gather, broadcast, …    a collective of its process group, with the bytes that this
                                            rank gives to it, and its number in the group
    send, recv, isend, irecv                communication with the bytes of the tensor; irecv has none
    Work.wait                               waiting for what an asynchronous call began

If a function of torch.distributed calls another one, only the outer call is a span. DDP communicates
inside the backward pass, where Python cannot see it: the figures of its own logger become facts (ddp_…).
They are read whenever the cost of the hooks is noted: after 1, 4, 16, … spans, and at the end.
"""

import functools
import hashlib
import inspect
import sys
import weakref
from typing import Any, Dict, Optional, Tuple

from . import _auto, _pitwall
from ._auto import COMM

# By name: the position of the parameter with this rank's data, and whether no rank leaves before all have
# entered. Objects are pickled by the call itself, so their size is not known here.
_COLLECTIVES: Dict[str, Tuple[Optional[int], bool]] = {
    "all_reduce": (0, True),
    "all_reduce_coalesced": (0, True),
    "all_gather": (1, True),
    "all_gather_into_tensor": (1, True),
    "_all_gather_base": (1, True),
    "all_gather_coalesced": (1, True),
    "all_gather_object": (None, True),
    "reduce_scatter": (1, True),
    "reduce_scatter_tensor": (1, True),
    "_reduce_scatter_base": (1, True),
    "all_to_all": (1, False),  # a rank may have nothing for another one
    "all_to_all_single": (1, False),
    "broadcast": (0, False),
    "broadcast_object_list": (None, False),
    "reduce": (0, False),
    "gather": (0, False),
    "gather_object": (None, False),
    "scatter": (1, False),
    "scatter_object_list": (None, False),
    "barrier": (None, True),
    "monitored_barrier": (None, False),
}
_MESSAGES: Dict[str, Optional[int]] = {"send": 0, "isend": 0, "recv": 0, "irecv": None}

# With other backends a call may return before the work is done.
_BLOCKING = ("gloo", "mpi")

_DDP = {
    "ddp_forward_ns": "avg_forward_compute_time",
    "ddp_backward_ns": "avg_backward_compute_time",
    "ddp_comm_ns": "avg_backward_comm_time",
    "ddp_overlap_ns": "avg_backward_compute_comm_overlap_time",
}

_groups: Any = weakref.WeakKeyDictionary()  # process group: (number, whether its calls block)
_models: Any = weakref.WeakSet()  # of DDP


def install(dist):
    """Hook torch.distributed, unless torch was built without it."""
    if not dist.is_available():
        return
    c10d = sys.modules["torch.distributed.distributed_c10d"]
    if _auto.is_hook(c10d.all_reduce):
        return
    _groups.clear()
    for name, (given, is_sync) in _COLLECTIVES.items():
        if hasattr(c10d, name):
            describe = _collective(c10d, getattr(c10d, name), given, is_sync)
            _hook(dist, c10d, name, name.lstrip("_"), describe)
    for name, given in _MESSAGES.items():
        _hook(dist, c10d, name, name, _message(getattr(c10d, name), given))
    _auto.attempt("Work.wait", _hook_wait, c10d)
    _auto.attempt("DDP", _hook_ddp)


def distributed():
    """Record the collectives and messages of torch.distributed as spans, as `pitwall run` does
    automatically.

    Call it before any `from torch.distributed import …`: names imported earlier are not hooked. Raises
    ImportError without PyTorch, or if PyTorch was built without torch.distributed.
    """
    import torch.distributed

    if not torch.distributed.is_available():
        raise ImportError("this PyTorch is built without torch.distributed")
    if not _auto.has("torch"):
        _auto.install(torch.distributed)


def _hook(dist, c10d, name, span, describe):
    """One wrapper in both modules: torch compares functions by their identity."""
    function = getattr(c10d, name)
    wrapper = functools.update_wrapper(
        _pitwall._hook_comm(function, span, COMM, COMM, describe), function)
    if getattr(dist, name, None) is function:
        _auto.put(dist, name, wrapper)
    _auto.put(c10d, name, wrapper)


# ---- what a call is -----------------------------------------------------------------------------


def _bytes(given):
    """Bytes of a tensor, or of a list of tensors."""
    if given is None:
        return 0
    if isinstance(given, (list, tuple)):
        return sum(map(_bytes, given))
    try:
        return given.numel() * given.element_size()
    except Exception:
        return 0  # not a tensor, or without a plain layout: the call itself raises the right error


class _Parameter:
    """A parameter of a function, to be found in the arguments of a call."""

    def __init__(self, function, place):
        names = list(inspect.signature(function).parameters)
        self.name = place if isinstance(place, str) else names[place]
        self.place = names.index(self.name) if self.name in names else sys.maxsize

    def of(self, args, kwargs):
        return args[self.place] if self.place < len(args) else kwargs.get(self.name)


def _collective(c10d, function, given, is_sync):
    data = None if given is None else _Parameter(function, given)
    group, async_op = _Parameter(function, "group"), _Parameter(function, "async_op")

    def describe(*args, **kwargs):
        found = _group(c10d, group.of(args, kwargs))
        if found is None:
            return None
        number, is_blocking = found
        count = _bytes(data.of(args, kwargs)) if data else 0
        is_met = is_sync and is_blocking and (count or not data) and not async_op.of(args, kwargs)
        return number, count, _pitwall.SYNC if is_met else 0

    return describe


def _message(function, given):
    data = None if given is None else _Parameter(function, given)

    def describe(*args, **kwargs):
        return 0, _bytes(data.of(args, kwargs)) if data else 0, 0

    return describe


# ---- process groups -----------------------------------------------------------------------------


def _group(c10d, group):
    """(number of the group, whether its calls block), or None if this process is not in it."""
    if group is None:
        group = c10d._get_default_group()
    elif c10d._rank_not_in_group(group):
        return None
    found = _groups.get(group)
    if found is None:
        found = _groups[group] = _open(c10d, group)
    return found


def _open(c10d, group):
    """torch numbers groups in the order of their creation, which is the same on all ranks: so this number,
    with the ranks of the group, makes the group's id."""
    ranks = sorted(c10d.get_process_group_ranks(group))
    names = c10d._world.pg_names if hasattr(c10d, "_world") else c10d._pg_names
    text = "%s:%s" % (names[group], ",".join(map(str, ranks)))
    number = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    backend = str(c10d.get_backend(group))
    _auto.fact("dist_backend", backend)
    return _pitwall._group(number, group.size(), group.rank()), backend in _BLOCKING


# ---- waiting, and DDP ---------------------------------------------------------------------------


def _hook_wait(c10d):
    function = c10d.Work.wait
    wrapper = _pitwall._hook_comm(function, "Work.wait", COMM, COMM, lambda *args, **kwargs: (0, 0, 0))
    _auto.put(c10d.Work, "wait", functools.update_wrapper(wrapper, function))


def _hook_ddp():
    cls = sys.modules["torch.nn.parallel.distributed"].DistributedDataParallel
    function = cls.__init__

    @functools.wraps(function)
    def init(self, *args, **kwargs):
        function(self, *args, **kwargs)
        _models.add(self)
        _auto.fact("ddp", "1")

    _auto.put(cls, "__init__", init)
    _auto.before_note(_see_ddp)


def _see_ddp(counts):
    """Means over the steps that the logger sampled; 0 means none."""
    for model in list(_models):
        said = model._get_ddp_logging_data()
        for key, its in _DDP.items():
            if said.get(its, 0) > 0:
                _auto.fact(key, said[its])
