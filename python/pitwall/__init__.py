"""Pitwall records where a program's time and memory go.

    import pitwall

    for x, y in pitwall.iter(loader, "data"):
        with pitwall.span("forward"):
            loss = model(x, y)
        pitwall.value("loss", loss)
    print(pitwall.report())

The first span opens a recorder in memory, so a notebook needs no setup. `pitwall.open("run.pit")`
records into a file. The tool `pitwall` and `pitwall.read` read that file while the program runs,
after it ended, and after it was killed. PITWALL=0 in the environment turns recording off; all calls
still work.

    record        span timed iter phase value items bytes flops journal label thread_name
    recorders     open close status Recorder Error
    hooks         auto distributed load_ipython_extension
    callbacks     lightning transformers keras
    read          read read_live Run ranks fields report export views view_options view serve
    measure       bench race scale sweep rss set_device device_stream
    log           stage window epoch_monitor verbose
    analyse       advise find_warmup find_variance find_convergence find_speedups find_scaling
                  model_complexity
    compatible    timing (track_time, print_timing_summary) memory_monitor profiling time_profiler
                  runtime_analyzer

help(pitwall.NAME) describes each of them.
"""

from . import _lazy
from ._pitwall import (
    Error,
    __version__,
    bytes,
    device_stream,
    fields,
    flops,
    items,
    label,
    phase,
    rss,
    span,
    thread_name,
    value,
    view_options,
    views,
)
from ._recorders import (
    Recorder,
    Run,
    _path_of_worker,
    close,
    export,
    journal,
    open,
    ranks,
    read,
    read_live,
    report,
    status,
)
from ._wrappers import _decorate, iter, timed

# Without `open`, `iter` and `bytes`: `from pitwall import *` must not hide the built-ins.
__all__ = [
    "Error",
    "Recorder",
    "Run",
    "close",
    "device_stream",
    "export",
    "fields",
    "flops",
    "items",
    "journal",
    "label",
    "phase",
    "ranks",
    "read",
    "read_live",
    "report",
    "rss",
    "span",
    "status",
    "thread_name",
    "timed",
    "value",
    "view_options",
    "views",
]

def load_ipython_extension(ipython):
    """Called by %load_ext pitwall: adds the cell magic %%pitwall, which times a cell and reports on it."""
    from . import _notebook

    _notebook.load(ipython)


verbose = True  # False silences every module of the package


def __getattr__(name):
    value = _lazy.find(__name__, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_lazy.names()})
