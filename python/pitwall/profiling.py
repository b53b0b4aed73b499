"""Training profiling: averages of named operations, printed and logged every so many steps.

    from pitwall.profiling import get_profiler, profile_data_loader, profile_make_step

    make_step = profile_make_step(make_step)
    for batch in profile_data_loader(loader):
        make_step(batch)
    print(get_profiler().get_summary())

A step is one end of make_step_total or training_step. Where a function of JAX is compiled in a call,
that time is an operation of its own, NAME_trace. With Weights & Biases initialised the figures are
logged as profiling/…, without touching the run's step. `verbose = False` on this module, or
PITWALL_VERBOSE=0, silences it.
"""

import functools
import importlib
import inspect
import sys
import threading

from . import _pitwall
from ._output import is_quiet, text_of
from ._pitwall import span

verbose = True

_STEPS = ("make_step_total", "training_step")


class TrainingProfiler:
    """Times of named operations, added up."""

    def __init__(self, log_to_wandb=True, log_every=100):
        self.log_to_wandb = bool(log_to_wandb)
        self.log_every = int(log_every)
        self._own = _pitwall._profiler_new()
        self._steps = 0

    def start_timer(self, operation):
        """Begin; what comes back is for end_timer, in seconds since 1970 as of time.time()."""
        try:
            return _pitwall._profiler_start(self._own, operation)
        except UnicodeEncodeError:
            return _pitwall._profiler_start(self._own, text_of(operation))

    def end_timer(self, operation, start_time):
        """End what start_timer began, or what began at a time.time() of your own."""
        try:
            _pitwall._profiler_end(self._own, operation, start_time)
        except UnicodeEncodeError:
            _pitwall._profiler_end(self._own, text_of(operation), start_time)
        if operation in _STEPS:
            self._end_step()

    def _end_step(self):
        steps = self._count_steps()
        if steps <= self._steps:
            return
        self._steps = steps
        if self.log_every > 0 and steps % self.log_every == 0:
            self.log_metrics(steps)

    def _count_steps(self):
        rows = _pitwall._profiler_rows(self._own)
        return max([row["count"] for row in rows if row["name"] in _STEPS], default=0)

    def log_metrics(self, step=None):
        """Print the block "--- Profiling Metrics (Step N) ---", and hand the figures to Weights &
        Biases. step None: as many as there were."""
        step = self._count_steps() if step is None else int(step)
        _pitwall._profiler_log(self._own, step, is_quiet(verbose))
        if self.log_to_wandb:
            _log_to_wandb(self.get_summary())

    def get_summary(self):
        """{operation: {'avg_time', 'total_time', 'count'}}, a copy."""
        summary = {}
        for row in _pitwall._profiler_rows(self._own):
            count = max(row["count"], 1)
            summary[row["name"]] = {
                "avg_time": row["seconds"] / count,
                "total_time": row["seconds"],
                "count": count,
            }
        return summary

    def reset(self):
        """Forget all times and steps."""
        _pitwall._profiler_reset(self._own)
        self._steps = 0


def _log_to_wandb(summary):
    """Into the row of history that the user's next log completes, or the end of the run: it advances
    nothing itself. The summary does not wait for that row."""
    wandb = sys.modules.get("wandb")
    run = getattr(wandb, "run", None)
    if run is None or not summary:
        return
    logged = {
        "profiling/%s_%s" % (operation, key): value
        for operation, figures in summary.items()
        for key, value in figures.items()
    }
    run.log(logged, commit=False)
    run.summary.update(logged)


_profiler = TrainingProfiler()


def get_profiler():
    """The profiler that the functions of this module use."""
    return _profiler


def log_profiling_metrics(step=None):
    """get_profiler().log_metrics(step)"""
    _profiler.log_metrics(step)


# ---- JAX ----------------------------------------------------------------------------------------

_compiling = threading.local()  # intervals in which the call under way was traced and compiled
_listens = False


def _on_compiled(event, duration, **_):
    intervals = getattr(_compiling, "intervals", None)
    if intervals is not None and event.startswith("/jax/core/compile/"):
        now = _pitwall._profiler_start(_profiler._own, None)
        intervals.append((now - duration, now))


def _listen(jax):
    """JAX tells how long it traced and compiled; functions inside functions are told of, too."""
    global _listens
    if not _listens:
        _listens = True
        try:
            monitoring = importlib.import_module("jax.monitoring")
        except ImportError:
            return
        monitoring.register_event_duration_secs_listener(_on_compiled)


def _covered(intervals):
    """Seconds that lie in any of the intervals."""
    seconds, reached = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        seconds += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return seconds


def _is_traced(jax, args, kwargs):
    leaves = jax.tree_util.tree_leaves((args, kwargs))
    return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)


def _timed_call(operation, function, wait, args, kwargs):
    """One call under `operation`, with what JAX spent on compiling under operation_trace."""
    jax = sys.modules.get("jax")
    own = _profiler._own
    if jax is not None:
        _listen(jax)
        if _is_traced(jax, args, kwargs):  # called by a trace, not by the program
            with span(operation + "_trace"):
                start = _pitwall._profiler_start(own, None)
                try:
                    return function(*args, **kwargs)
                finally:
                    _pitwall._profiler_end(own, operation + "_trace", start)
    outer = getattr(_compiling, "intervals", None)
    _compiling.intervals = intervals = []
    try:
        with span(operation):
            start = _pitwall._profiler_start(own, None)
            try:
                result = function(*args, **kwargs)
                if wait and jax is not None:
                    jax.block_until_ready(result)
                return result
            finally:
                _end_call(operation, start, intervals)
    finally:
        _compiling.intervals = outer
        if outer is not None:
            outer.extend(intervals)
        if operation in _STEPS:
            _profiler._end_step()


def _end_call(operation, start, intervals):
    own = _profiler._own
    now = _pitwall._profiler_start(own, None)
    traced = min(_covered(intervals), max(now - start, 0.0))
    _pitwall._profiler_end(own, operation, start + traced)
    if intervals:
        now = _pitwall._profiler_start(own, None)
        _pitwall._profiler_end(own, operation + "_trace", now - traced)


# ---- functions ----------------------------------------------------------------------------------


def _profiled(function, operation, wait=False):
    operation = text_of(operation)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            start = _profiler.start_timer(operation)
            try:
                return await function(*args, **kwargs)
            finally:
                _profiler.end_timer(operation, start)

        return wrapper

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return _timed_call(operation, function, wait, args, kwargs)

    return wrapper


def profile_operation(operation=None):
    """Decorator: time every call of a function, under `operation` or its own name. What it returns
    stays what it was. With and without parentheses."""
    if callable(operation):
        return _profiled(operation, operation.__name__)
    return lambda function: _profiled(
        function, operation if operation is not None else function.__name__
    )


def profile_jax_loss_fn(loss_fn, name="loss_computation", wait=True):
    """loss_fn, timed. JAX returns before its work is done: wait says whether that is waited for."""
    return _profiled(loss_fn, name, wait)


def profile_make_step(make_step_fn, wait=True):
    """make_step_fn, timed as make_step_total: each call is a step."""
    return _profiled(make_step_fn, "make_step_total", wait)


def profile_training_loop(training_fn=None, log_every=100):
    """A whole training function: the metrics are logged every log_every steps inside it and once at
    its end. Also as decorator."""
    if training_fn is None:
        return lambda function: profile_training_loop(function, log_every)

    @functools.wraps(training_fn)
    def wrapper(*args, **kwargs):
        before, _profiler.log_every = _profiler.log_every, int(log_every)
        try:
            return training_fn(*args, **kwargs)
        finally:
            _profiler.log_every = before
            _profiler.log_metrics()

    return wrapper


# ---- data loaders -------------------------------------------------------------------------------


class _ProfiledLoader:
    """An iterable whose items are timed as data_batch_production; the rest is the iterable's own."""

    _operation = "data_batch_production"

    def __init__(self, loader):
        self.__dict__["_loader"] = loader
        self.__dict__["_iterator"] = None

    def _next(self, make):
        """make() is the iterator, made in the time of its first item. The end is no item."""
        timer = span(self._operation).begin()
        start = _pitwall._profiler_start(_profiler._own, None)
        try:
            item = next(make())
        except StopIteration:
            timer.drop()
            raise
        except BaseException:
            timer.end()
            raise
        _pitwall._profiler_end(_profiler._own, self._operation, start)
        timer.end()
        return item

    def __iter__(self):
        made = []

        def make():
            if not made:
                made.append(iter(self._loader))
            return made[0]

        while True:
            try:
                item = self._next(make)
            except StopIteration:
                return
            yield item

    def __next__(self):
        if self._iterator is None:
            self.__dict__["_iterator"] = iter(self._loader)
        return self._next(lambda: self._iterator)

    def __len__(self):
        return len(self._loader)

    def __getitem__(self, key):
        return self._loader[key]

    def __getattr__(self, name):
        if name.startswith("__") or "_loader" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._loader, name)

    def __setattr__(self, name, value):
        setattr(self._loader, name, value)

    def __reduce__(self):
        return _ProfiledLoader, (self._loader,)

    def __repr__(self):
        return "<profiled %r>" % (self._loader,)


def profile_data_loader(data_loader):
    """Any iterable, with the making of each item really timed. Its length and attributes pass
    through, and each `for` over it begins anew where the iterable can."""
    if not hasattr(data_loader, "__iter__") and not hasattr(data_loader, "__getitem__"):
        raise TypeError("%r object is not iterable" % type(data_loader).__name__)
    return _ProfiledLoader(data_loader)
