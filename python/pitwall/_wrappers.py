"""Timed functions and iterables: choose the wrapper of the extension that fits the object."""

import functools

from ._pitwall import DEVICE, ENERGY, LEAKS, MEMORY, RECORD, WAIT, _iter, _wrap, span


def _flags(memory, record, wait=False, leaks=False, energy=False, device=False):
    return (
        (MEMORY if memory else 0)
        | (RECORD if record else 0)
        | (WAIT if wait else 0)
        | (LEAKS if leaks else 0)
        | (DEVICE if device else 0)
        | (ENERGY if energy else 0)
    )


def timed(
    function=None,
    *,
    name=None,
    memory=False,
    record=False,
    wait=False,
    leaks=False,
    energy=False,
    device=False,
):
    """Time every call of a function, under its qualified name or `name`.

        @pitwall.timed
        def forward(x): ...

        @pitwall.timed(name="forward", memory=True)
        def forward(x): ...

    Works on functions and methods, on coroutines (timed from the first step to the last) and on
    generators (each step is one span). `timed("name")` is `timed(name="name")`.
    """
    flags = _flags(memory, record, wait, leaks, energy, device)
    if isinstance(function, str) and name is None:
        function, name = None, function
    if function is None:
        return lambda function: _decorate(function, name, flags)
    return _decorate(function, name, flags)


def _name_of(function):
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return name.replace("<locals>.", "")


def _decorate(function, name, flags):
    import inspect  # not at the top: it would be most of the cost of `import pitwall`

    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(function.__func__, name, flags))
    if isinstance(function, type) or not callable(function):
        raise TypeError("timed takes a function, not %r" % (function,))
    if name is None:
        name = _name_of(function)
    if not isinstance(name, str):
        raise TypeError("a name must be a str, not %s" % type(name).__name__)
    inner = inspect.unwrap(function)
    if inspect.iscoroutinefunction(inner):
        wrapper = _coroutine(function, name, flags)
    elif inspect.isasyncgenfunction(inner):
        wrapper = _async_generator(function, name, flags)
    elif inspect.isgeneratorfunction(inner):
        wrapper = _generator(function, name, flags)
    else:
        wrapper = _wrap(function, name, flags)
    return functools.update_wrapper(wrapper, function)


def _keywords(flags):
    return {
        "memory": bool(flags & MEMORY),
        "record": bool(flags & RECORD),
        "wait": bool(flags & WAIT),
        "leaks": bool(flags & LEAKS),
        "energy": bool(flags & ENERGY),
        "device": bool(flags & DEVICE),
    }


def _coroutine(function, name, flags):
    options = _keywords(flags)

    async def wrapper(*args, **kwargs):
        with span(name, **options):
            return await function(*args, **kwargs)

    return wrapper


def _generator(function, name, flags):
    """Every step is a span, because the consumer's work between two steps is not the generator's."""
    options = _keywords(flags)

    def wrapper(*args, **kwargs):
        generator = function(*args, **kwargs)
        step, given = generator.send, None
        while True:
            try:
                with span(name, **options):
                    item = step(given)
            except StopIteration as end:
                return end.value
            try:
                step, given = generator.send, (yield item)
            except GeneratorExit:
                generator.close()
                raise
            except BaseException as error:
                step, given = generator.throw, error

    return wrapper


def _async_generator(function, name, flags):
    options = _keywords(flags)

    async def wrapper(*args, **kwargs):
        generator = function(*args, **kwargs)
        step, given = generator.asend, None
        while True:
            try:
                with span(name, **options):
                    item = await step(given)
            except StopAsyncIteration:
                return
            try:
                step, given = generator.asend, (yield item)
            except GeneratorExit:
                await generator.aclose()
                raise
            except BaseException as error:
                step, given = generator.athrow, error

    return wrapper


class _AsyncIter:
    """A timed asynchronous iterable."""

    def __init__(self, source, name, options):
        self._source, self._name, self._options = source, name, options
        self._iterator = None

    def __aiter__(self):
        return _AsyncIter(self._source, self._name, self._options)

    async def __anext__(self):
        if self._iterator is None:
            self._iterator = self._source.__aiter__()
        timer = span(self._name, **self._options)
        timer.begin()
        try:
            return await self._iterator.__anext__()
        except StopAsyncIteration:
            timer.drop()
            raise
        finally:
            if timer.is_open:
                timer.end()

    def __getattr__(self, name):
        return getattr(self._source, name)


def iter(iterable, name="iter", memory=False, record=False):
    """Time every `next` of an iterable. The call that finds the end is not counted.

        for batch in pitwall.iter(loader, "data"): ...

    The result has the length, items and attributes of the iterable, and can be iterated again if the
    iterable can. If the iterable is asynchronous, use the result in `async for`.
    """
    if not isinstance(name, str):
        raise TypeError("a name must be a str, not %s" % type(name).__name__)
    flags = _flags(memory, record)
    if hasattr(type(iterable), "__aiter__") and not hasattr(type(iterable), "__iter__"):
        return _AsyncIter(iterable, name, _keywords(flags))
    return _iter(iterable, name, flags)
