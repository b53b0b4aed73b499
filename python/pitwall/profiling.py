"""Training profiling: averages of named operations, printed and logged every so many steps.

    from pitwall.profiling import get_profiler, profile_data_loader, profile_make_step

    make_step = profile_make_step(make_step)
    for batch in profile_data_loader(loader):
        make_step(batch)
    print(get_profiler().get_summary())

A step is counted at each end of make_step_total or training_step. If JAX compiles a function during a
call, the compilation is a separate operation, NAME_trace. The clock is read after the device has finished
its work, so the work itself is timed and not only its submission; `wait=False` turns that off. If Weights &
Biases is initialised, the figures are logged as profiling/…, over profiling/step. `verbose = False` on
this module turns its output off; PITWALL_VERBOSE=0 keeps only the metrics that the program asks for.
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
    """Adds up the times of named operations. wait: wait for the device's work at each start and end."""

    def __init__(self, log_to_wandb=True, log_every=100, wait=True):
        self.log_to_wandb = bool(log_to_wandb)
        self.log_every = int(log_every)
        self.wait = bool(wait)
        self._own = _pitwall._profiler_new()
        self._steps = 0

    def start_timer(self, operation):
        """Start a timer. Returns the start time, as of time.time(), to pass to end_timer."""
        device, wait = (_device.at(), 1) if self.wait else (None, -1)
        try:
            return _pitwall._profiler_start(self._own, operation, device, wait)
        except UnicodeEncodeError:
            return _pitwall._profiler_start(self._own, text_of(operation), device, wait)

    def end_timer(self, operation, start_time):
        """End a timer. The start time comes from start_timer, or from your own call of time.time()."""
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
        """Add the time up to now, without waiting for a device."""
        return _pitwall._profiler_end(self._own, operation, start_time, None, -1)

    def _end_step(self, steps):
        if steps <= self._steps:
            return
        self._steps = steps
        if self.log_every > 0 and steps % self.log_every == 0:
            self._log(steps, is_quiet(verbose))

    def log_metrics(self, step=None):
        """Print the block "--- Profiling Metrics (Step N) ---", and log the figures to Weights & Biases.
        step None: the number of steps so far."""
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
        """Discard all times and steps."""
        _pitwall._profiler_reset(self._own)
        self._steps = 0


_pending = (None, 0, 0)  # the run, and its step and our block's when we last logged


def _log_to_wandb(summary, step):
    """Add the figures to the pending history row, which the user's next log commits: this does not advance
    the run's step. If our own last block is still in that row, commit the row first, or the block would be
    overwritten. The summary is updated at once."""
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
    if _pending[0] is not run:  # plot the figures over our step; the step itself is hidden
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
    """Same as get_profiler().log_metrics(step)."""
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
    """Listen to JAX, which reports how long it traced and compiled, also for nested functions."""
    global _listens
    if not _listens:
        _listens = True
        try:
            monitoring = importlib.import_module("jax.monitoring")
        except ImportError:
            return
        monitoring.register_event_duration_secs_listener(_on_compiled)


def _covered(intervals):
    """Seconds covered by at least one of the intervals."""
    seconds, reached = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        seconds += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return seconds


def _is_abstract(jax, leaf):
    """True for a traced value without contents. Outside jax.jit, jax.grad wraps values that have them."""
    while isinstance(leaf, jax.core.Tracer):
        leaf = getattr(leaf, "primal", getattr(leaf, "val", None))
    return leaf is None


def _is_traced(jax, args, kwargs):
    leaves = jax.tree_util.tree_leaves((args, kwargs))
    return any(_is_abstract(jax, leaf) for leaf in leaves)


def _await(jax, result):
    """Wait until the devices' work is done: for JAX by its result, for other devices as a whole."""
    if jax is not None:
        jax.block_until_ready(result)
    _device.wait()


def _timed_call(operation, function, wait, args, kwargs):
    """Time one call as `operation`, and JAX's compilation in it as operation_trace."""
    jax = sys.modules.get("jax")
    if jax is not None:
        _listen(jax)
        if _is_traced(jax, args, kwargs):  # called while JAX traces, not by the program
            with span(operation + "_trace"):
                start = _profiler._now()
                try:
                    return function(*args, **kwargs)
                finally:
                    _profiler._add(operation + "_trace", start)
    steps, outer = 0, getattr(_compiling, "intervals", None)
    _compiling.intervals = intervals = []
    if wait:
        _device.wait()  # work submitted earlier does not belong to this call
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
    """Times all steps of a generator together as one call of the operation."""
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
    """prepare(args, kwargs) returns the arguments for the function."""
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
    """Decorator: time every call of a function, under `operation` or its own name. The return value is
    unchanged; all steps of a generator together are one call. Usable with and without parentheses."""
    if callable(operation):
        return _profiled(operation, operation.__name__, wait)
    return lambda function: _profiled(
        function, operation if operation is not None else function.__name__, wait
    )


def profile_jax_loss_fn(loss_fn, name="loss_computation", wait=True):
    """A timed loss_fn. JAX returns before its work is done; wait: wait for the work."""
    return _profiled(loss_fn, name, wait)


# ---- steps --------------------------------------------------------------------------------------

_LOSS = "loss_fn_computation"
_LOSS_NAMES = ("loss_fn", "loss_function", "loss_func", "criterion", "loss")


class _ProfiledLoss:
    """Wraps a loss object: times its calls and passes everything else through."""

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
    """Replaces the loss among a step's arguments by a timed one. The same loss always gets the same
    wrapper; otherwise a jitted step would be compiled again."""

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
        if at is None and not kwargs and self._name is None:  # called by its own name
            at = next((i for i, value in enumerate(args) if callable(value)
                       and "loss" in getattr(value, "__name__", "").lower()), None)
        if at is not None and callable(args[at]):
            return args[:at] + (self._timed(args[at]),) + args[at + 1:], kwargs
        name = self._name or next((key for key in _LOSS_NAMES if key in kwargs), None)
        if name in kwargs and callable(kwargs[name]):
            return args, {**kwargs, name: self._timed(kwargs[name])}
        return args, kwargs


def profile_make_step(make_step_fn, wait=True):
    """Time make_step_fn as make_step_total: each call is a step. If a loss function is among its arguments,
    that is timed as loss_fn_computation; inside jax.jit, where it runs only while the step is traced, as
    loss_fn_computation_trace."""
    prepare = _LossTimer(make_step_fn, wait)
    return _profiled(make_step_fn, "make_step_total", wait, prepare)


def profile_training_loop(training_fn=None, log_every=100):
    """Wrap a whole training function: log the metrics every log_every steps and once at its end. Also usable
    as a decorator."""
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
    """Wraps an iterable: times its items as data_batch_production and passes everything else through."""

    _operation = "data_batch_production"

    def __init__(self, loader):
        self.__dict__["_loader"] = loader
        self.__dict__["_iterator"] = None

    def _next(self, make):
        """make() creates the iterator; its time counts to the first item. The end is not an item."""
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
    """Wrap any iterable and time the production of each item. Length and attributes pass through, and it can
    be iterated again if the iterable can."""
    if not hasattr(data_loader, "__iter__") and not hasattr(data_loader, "__getitem__"):
        raise TypeError("%r object is not iterable" % type(data_loader).__name__)
    return _ProfiledLoader(data_loader)
