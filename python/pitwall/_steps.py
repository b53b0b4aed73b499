"""Decorated generators, timed without the consumer's work between two items.

measure() is a context manager around all steps of a generator. Its value is called with True before an
item is yielded, and with False when the next one is requested.
"""


def generator(function, measure):
    """A generator function that measures each generator of `function`."""

    def wrapper(*args, **kwargs):
        made = function(*args, **kwargs)
        step, given = made.send, None
        with measure() as pause:
            while True:
                try:
                    item = step(given)
                except StopIteration as end:
                    return end.value
                pause(True)
                try:
                    step, given = made.send, (yield item)
                except GeneratorExit:
                    pause(False)
                    made.close()
                    raise
                except BaseException as error:
                    step, given = made.throw, error
                pause(False)

    return wrapper


def async_generator(function, measure):
    """The same for an asynchronous one."""

    async def wrapper(*args, **kwargs):
        made = function(*args, **kwargs)
        step, given = made.asend, None
        with measure() as pause:
            while True:
                try:
                    item = await step(given)
                except StopAsyncIteration:
                    return
                pause(True)
                try:
                    step, given = made.asend, (yield item)
                except GeneratorExit:
                    pause(False)
                    await made.aclose()
                    raise
                except BaseException as error:
                    step, given = made.athrow, error
                pause(False)

    return wrapper
