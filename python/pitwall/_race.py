"""Which of two functions is faster: rounds in one process, or a new process for every run."""

import dataclasses
import multiprocessing
import os
import pickle
import sys
from typing import List, Optional

from . import _pitwall
from ._native import _known, _name_of, bench
from ._pitwall import Error
from ._recorders import open as open_recorder


@dataclasses.dataclass
class Race:
    """The result of a race: the second function compared with the first."""

    names: List[str]
    verdict: str  # faster, slower, same, no verdict
    change: Optional[float]  # -0.041: 4.1 % less time; None, as below: `reason` says why
    low: Optional[float]
    high: Optional[float]
    p: Optional[float]
    seconds: List[Optional[float]]  # of the figure that decided: change is seconds[1] / seconds[0] - 1
    rounds: int
    reason: str = ""
    processes: str = "one"  # or spawn, fork: every run had its own process

    def __str__(self):
        a, b = self.names
        where = "in one process" if self.processes == "one" else "by %s" % self.processes
        if self.verdict == "no verdict":
            why = self.reason or "too few rounds"
            return "no verdict on %s and %s (%s): %s" % (b, a, where, why)
        span = "[%+.1f %%, %+.1f %%], %d rounds %s" % (
            100 * self.low, 100 * self.high, self.rounds, where)
        if self.verdict == "same":
            return "%s takes the same time as %s %s" % (b, a, span)
        return "%s is %s than %s: %+.1f %% time %s" % (b, self.verdict, a, 100 * self.change, span)


# ---- a run in a process of its own --------------------------------------------------------------


def _run_alone(pipe, function, args, seconds):
    """Runs in the new process. Its spans are not kept: it must not write a run file next to the caller's."""
    try:
        open_recorder(in_memory=True, sample_hz=-1, sample_stacks=0)
        found = _figures(function, args, seconds, None)
    except BaseException as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = Error("%s: %s" % (type(error).__name__, error))
        found = error
    pipe.send(found)
    pipe.close()


def _in_a_process(method, function, args, seconds, name):
    context = multiprocessing.get_context(method)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run_alone, args=(theirs, function, args, seconds))
    process.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        process.join()
        found = Error("race: the process of %s ended with status %s and no result"
                      % (name, process.exitcode))
    except BaseException:  # the caller was interrupted and no longer waits
        process.kill()
        raise
    finally:
        process.join()
        ours.close()
    if isinstance(found, BaseException):
        raise found
    return found


def _why_not_sent(*things):
    """Why these cannot be sent to a spawned process; None if they can."""
    try:
        sent = pickle.dumps(things)
    except Exception as error:
        return str(error)
    main = sys.modules.get("__main__")
    is_found = getattr(main, "__spec__", None) or os.path.isfile(getattr(main, "__file__", ""))
    if not is_found and b"__main__" in sent:
        return "what is typed in is in no file that it could be read from"
    return None


def _method(processes, *things):
    if not processes:
        return None
    if processes not in (True, "spawn", "fork"):
        raise ValueError("processes must be False, True, 'spawn' or 'fork', not %r" % (processes,))
    why = None if processes == "fork" else _why_not_sent(*things)
    if why and processes == "spawn":
        raise ValueError("processes: cannot send this to a new process: %s; try processes='fork'" % why)
    return "fork" if why or processes == "fork" else "spawn"


# ---- rounds -------------------------------------------------------------------------------------


def _figures(function, args, seconds, warmup):
    done = bench(function, *args, trials=10, min_seconds=seconds, warmup=warmup)
    return _pitwall._calls(done.times)


def race(f, g, *args, rounds=None, budget=None, names=None, round_seconds=0.02, level=0.0, effect=0.0,
         processes=False):
    """Compare the speed of f(*args) and g(*args). Returns a Race with the verdict on g against f; the
    verdict may be "no verdict".

    The functions run in rounds, in random order within each round. effect: the smallest difference
    that matters, 0.02 by default. level: the probability of a false alarm, 0.05 by default.

    The number of rounds is not fixed: like `pitwall race`, it tests after 10, 20, 40, … up to 320 rounds
    and when the budget (60 seconds) is used up. rounds=N runs exactly N rounds and tests once.

    By default everything runs in this process, so each function meets the memory, caches and compiled
    code that the other left, and the verdict holds for this process only. With processes=True every
    run gets its own process, and the verdict is about the functions themselves. Processes are spawned
    ('spawn': the functions are sent by name, so they must be defined in a module, and a script needs
    `if __name__ == "__main__":`). If that is not possible, they are forked from this one ('fork').
    Spans recorded in these processes are not kept. To compare two programs, use `pitwall race`.
    """
    names = list(names or (_name_of(f), _name_of(g)))
    if rounds is not None and rounds < 1:
        raise ValueError("rounds must be 1 or more, not %r" % (rounds,))
    if budget is not None and not budget > 0:
        raise ValueError("budget must be more than 0 seconds, not %r" % (budget,))
    method = _method(processes, f, g, args)

    def run(side, turn):
        function = (f, g)[side]
        if method:
            return _in_a_process(method, function, args, round_seconds, names[side])
        return _figures(function, args, round_seconds, None if turn == 1 else 1)

    found = _pitwall._race(run, rounds or 0, float(budget or 0), float(level), float(effect))
    found = {key: _known(figure) for key, figure in found.items()}
    reason = found["reason"] or ("too few rounds" if None in found.values() else "")
    return Race(names, found["verdict"], found["change"], found["low"], found["high"], found["p"],
                [found["a"], found["b"]], found["a_runs"], reason, method or "one")
