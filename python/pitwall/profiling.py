"""Training profiling: averages of named operations, printed and logged every so many steps.

    from pitwall.profiling import get_profiler, profile_data_loader, profile_make_step

    make_step = profile_make_step(make_step)
    for batch in profile_data_loader(loader):
        make_step(batch)
    print(get_profiler().get_summary())

A step is one end of make_step_total or training_step. Where a function of JAX is compiled in a call,
that time is an operation of its own, NAME_trace. The work of a device is waited for before the clock is
read, so that it is timed and not only the handing over; `wait=False` says otherwise. With Weights &
Biases initialised the figures are logged as profiling/…, over profiling/step. `verbose = False` on this
module silences it; PITWALL_VERBOSE=0 silences all but the metrics that the program asks for.
"""

import contextlib
import functools
import importlib
import inspect
import sys
import threading

from . import _device, _pitwall, _steps
from ._output import is_quiet, text_of
from ._pitwall import span

verbose = True

_STEPS = ("make_step_total", "training_step")


class TrainingProfiler:
    """Times of named operations, added up. wait: a device's work is waited for at each start and
    end."""

    def __init__(self, log_to_wandb=True, log_every=100, wait=True):
        self.log_to_wandb = bool(log_to_wandb)
        self.log_every = int(log_every)
        self.wait = bool(wait)
        self._own = _pitwall._profiler_new()
        self._steps = 0

    def start_timer(self, operation):
        """Begin; what comes back is for end_timer, in seconds since 1970 as of time.time()."""
        device, wait = (_device.at(), 1) if self.wait else (None, -1)
        try:
            return _pitwall._profiler_start(self._own, operation, device, wait)
        except UnicodeEncodeError:
            return _pitwall._profiler_start(self._own, text_of(operation), device, wait)

    def end_timer(self, operation, start_time):
        """End what start_timer began, or what began at a time.time() of your own."""
        device, wait = (_device.at(), 1) if self.wait else (None, -1)
        try:
            steps = _pitwall._profiler_end(self._own, operation, start_time, device, wait)
        except UnicodeEncodeError:
            steps = _pitwall._profiler_end(
                self._own, text_of(operation), start_time, device, wait
            )
        if steps > self._steps:
            self._end_step(steps)

    def _now(self):
        return _pitwall._profiler_start(self._own, None, None, -1)

    def _add(self, operation, start_time):
        """A time up to now, whatever was to be waited for."""
        return _pitwall._profiler_end(self._own, operation, start_time, None, -1)

    def _end_step(self, steps):
        if steps <= self._steps:
            return
        self._steps = steps
        if self.log_every > 0 and steps % self.log_every == 0:
            self._log(steps, is_quiet(verbose))

    def log_metrics(self, step=None):
        """Print the block "--- Profiling Metrics (Step N) ---", and hand the figures to Weights &
        Biases. step None: as many as there were."""
        step = _pitwall._profiler_steps(self._own) if step is None else int(step)
        self._log(step, is_quiet(verbose, asked=True))

    def _log(self, step, quiet):
        _pitwall._profiler_log(self._own, step, quiet)
        if self.log_to_wandb:
            _log_to_wandb(self.get_summary(), step)

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


_pending = (None, 0, 0)  # the run, and its step and our block's when we last logged


def _log_to_wandb(summary, step):
    """Into the row of history that the user's next log completes: that advances nothing. Where our own
    last block still waits in that row it is completed first, for it would be overwritten. The summary
    does not wait for a row."""
    global _pending
    wandb = sys.modules.get("wandb")
    run = getattr(wandb, "run", None)
    if run is None or not summary:
        return
    logged = {
        "profiling/%s_%s" % (operation, key): value
        for operation, figures in summary.items()
        for key, value in figures.items()
    }
    if _pending[0] is not run:  # the figures over our step, which is no figure itself
        run.define_metric("profiling/step", hidden=True, summary="none")
        run.define_metric("profiling/*", step_metric="profiling/step")
    elif _pending[1] == run.step and _pending[2] != step:
        run.log({}, commit=True)
    run.log({**logged, "profiling/step": step}, commit=False)
    run.summary.update(logged)
    _pending = (run, run.step, step)


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
        now = _profiler._now()
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


def _is_abstract(jax, leaf):
    """A value that is not there yet. jax.grad outside of jax.jit wraps values that are."""
    while isinstance(leaf, jax.core.Tracer):
        leaf = getattr(leaf, "primal", getattr(leaf, "val", None))
    return leaf is None


def _is_traced(jax, args, kwargs):
    leaves = jax.tree_util.tree_leaves((args, kwargs))
    return any(_is_abstract(jax, leaf) for leaf in leaves)


def _await(jax, result):
    """Until the devices' work is done: JAX's by what it returned, others as a whole."""
    if jax is not None:
        jax.block_until_ready(result)
    _device.wait()


def _timed_call(operation, function, wait, args, kwargs):
    """One call under `operation`, with what JAX spent on compiling under operation_trace."""
    jax = sys.modules.get("jax")
    if jax is not None:
        _listen(jax)
        if _is_traced(jax, args, kwargs):  # called by a trace, not by the program
            with span(operation + "_trace"):
                start = _profiler._now()
                try:
                    return function(*args, **kwargs)
                finally:
                    _profiler._add(operation + "_trace", start)
    steps, outer = 0, getattr(_compiling, "intervals", None)
    _compiling.intervals = intervals = []
    if wait:
        _device.wait()  # what was handed over before is not this call's
    try:
        with span(operation):
            start = _profiler._now()
            try:
                result = function(*args, **kwargs)
                if wait:
                    _await(jax, result)
                return result
            finally:
                steps = _end_call(operation, start, intervals)
    finally:
        _compiling.intervals = outer
        if outer is not None:
            outer.extend(intervals)
        if operation in _STEPS:
            _profiler._end_step(steps)


def _end_call(operation, start, intervals):
    """The steps so far."""
    traced = min(_covered(intervals), max(_profiler._now() - start, 0.0)) if intervals else 0.0
    steps = _profiler._add(operation, start + traced)
    if intervals:
        _profiler._add(operation + "_trace", _profiler._now() - traced)
    return steps


# ---- functions ----------------------------------------------------------------------------------


@contextlib.contextmanager
def _steps_of(operation, wait):
    """Around the steps of a generator: one call of the operation."""
    taken, since, timer = 0.0, 0.0, None

    def pause(is_paused):
        nonlocal taken, since, timer
        if wait:
            _device.wait()
        if is_paused:
            taken += max(_profiler._now() - since, 0.0)
            timer.end()
            timer = None
        else:
            timer = span(operation).begin()
            since = _profiler._now()

    pause(False)
    try:
        yield pause
    finally:
        if timer is not None:
            pause(True)
        steps = _profiler._add(operation, _profiler._now() - taken)
        if operation in _STEPS:
            _profiler._end_step(steps)


def _profiled(function, operation, wait=True, prepare=None):
    """prepare(args, kwargs): what the function is called with."""
    operation = text_of(operation)
    prepare = prepare or (lambda args, kwargs: (args, kwargs))
    measure = functools.partial(_steps_of, operation, wait)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            args, kwargs = prepare(args, kwargs)
            if wait:
                _device.wait()
            start = _profiler.start_timer(operation)
            try:
                return await function(*args, **kwargs)
            finally:
                if wait:
                    _device.wait()
                _profiler.end_timer(operation, start)

    elif inspect.isasyncgenfunction(function):
        wrapper = functools.wraps(function)(_steps.async_generator(function, measure))
    elif inspect.isgeneratorfunction(function):
        wrapper = functools.wraps(function)(_steps.generator(function, measure))
    else:

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            args, kwargs = prepare(args, kwargs)
            return _timed_call(operation, function, wait, args, kwargs)

    wrapper._pitwall_operation = operation
    return wrapper


def profile_operation(operation=None, wait=True):
    """Decorator: time every call of a function, under `operation` or its own name. What it returns
    stays what it was; of a generator all steps together are one call. With and without parentheses."""
    if callable(operation):
        return _profiled(operation, operation.__name__, wait)
    return lambda function: _profiled(
        function, operation if operation is not None else function.__name__, wait
    )


def profile_jax_loss_fn(loss_fn, name="loss_computation", wait=True):
    """loss_fn, timed. JAX returns before its work is done: wait says whether that is waited for."""
    return _profiled(loss_fn, name, wait)


# ---- steps --------------------------------------------------------------------------------------

_LOSS = "loss_fn_computation"
_LOSS_NAMES = ("loss_fn", "loss_function", "loss_func", "criterion", "loss")


class _ProfiledLoss:
    """A loss that is an object, timed where it is called; the rest is the object's own."""

    _pitwall_operation = _LOSS

    def __init__(self, loss, wait):
        self.__dict__.update(_loss=loss, _call=_profiled(loss.__call__, _LOSS, wait))

    def __call__(self, *args, **kwargs):
        return self._call(*args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("__") or "_loss" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._loss, name)

    def __setattr__(self, name, value):
        setattr(self._loss, name, value)


def _is_function(loss):
    return inspect.isroutine(loss) or hasattr(loss, "__wrapped__")  # also a jitted one


class _LossTimer:
    """Puts a timed loss in the place of the one that a step is called with. The same loss gets the same
    one again, or a jitted step would be compiled anew."""

    def __init__(self, make_step, wait):
        self._wait, self._last = wait, (None, None)
        try:
            names = list(inspect.signature(make_step).parameters)
        except (TypeError, ValueError):
            names = []
        known = [name for name in _LOSS_NAMES if name in names]
        self._name = known[0] if known else None
        self._at = names.index(self._name) if known else None

    def _timed(self, loss):
        if getattr(loss, "_pitwall_operation", None) == _LOSS:  # the program times it itself
            return loss
        before, timed = self._last
        if before is not loss:
            if _is_function(loss):
                timed = _profiled(loss, _LOSS, self._wait)
            else:
                timed = _ProfiledLoss(loss, self._wait)
            self._last = (loss, timed)
        return timed

    def __call__(self, args, kwargs):
        at = self._at if self._at is not None and self._at < len(args) else None
        if at is None and not kwargs and self._name is None:  # by its own name, then
            at = next((i for i, value in enumerate(args) if callable(value)
                       and "loss" in getattr(value, "__name__", "").lower()), None)
        if at is not None and callable(args[at]):
            return args[:at] + (self._timed(args[at]),) + args[at + 1:], kwargs
        name = self._name or next((key for key in _LOSS_NAMES if key in kwargs), None)
        if name in kwargs and callable(kwargs[name]):
            return args, {**kwargs, name: self._timed(kwargs[name])}
        return args, kwargs


def profile_make_step(make_step_fn, wait=True):
    """make_step_fn, timed as make_step_total: each call is a step. A loss function that it is called
    with is timed as loss_fn_computation; inside jax.jit, where it runs only while the step is traced,
    as loss_fn_computation_trace."""
    prepare = _LossTimer(make_step_fn, wait)
    return _profiled(make_step_fn, "make_step_total", wait, prepare)


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
            _profiler._log(_pitwall._profiler_steps(_profiler._own), is_quiet(verbose))

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
        start = _profiler._now()
        try:
            item = next(make())
        except StopIteration:
            timer.drop()
            raise
        except BaseException:
            timer.end()
            raise
        _profiler._add(self._operation, start)
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
