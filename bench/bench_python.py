"""What recording costs in Python: lines "key value" for collect.py.

    PYTHONPATH=build/python:build/bench /usr/bin/python3 bench/bench_python.py

Everything is measured in turns, round after round, by the wall clock, and the best round counts:
disturbances only ever make a round slower, and taking turns gives all cases the same conditions. The training
steps, bare and timed, come in short blocks in random order; there the 10th percentile counts, and the
difference between bare steps and other bare steps is the noise.
"""

import contextlib
import os
import random
import sys
import time
import timeit
import tracemalloc

import empty_with
import pitwall
from pitwall import profiling, time_profiler, timing

ROUNDS = 60
LOOPS = 10000
BLOCK = 10  # steps of one kind in a row, as in a program; the first one is left out


def best_of(statements, names, loops=LOOPS, rounds=ROUNDS):
    """Nanoseconds of each statement, without the loop around it."""
    timers = {
        key: timeit.Timer(text, globals=names, timer=time.perf_counter)
        for key, text in dict(statements, loop="pass").items()
    }
    best = dict.fromkeys(timers, float("inf"))
    for _ in range(rounds):
        for key, timer in timers.items():
            best[key] = min(best[key], timer.timeit(loops) / loops * 1e9)
    loop = best.pop("loop")
    return {key: ns - loop for key, ns in best.items()}


@contextlib.contextmanager
def generated(times, name):
    start = time.perf_counter()
    try:
        yield
    finally:
        times[name] = times.get(name, 0.0) + time.perf_counter() - start


def spans():
    def bare():
        pass

    names = {
        "span": pitwall.span,
        "empty": empty_with.empty,
        "kept": empty_with.empty(),
        "bare": bare,
        "timed": pitwall.timed(bare),
        "clock": time.perf_counter,
        "append": [].append,
        "generated": generated,
        "times": {},
        "hundred": list(range(100)),
        "iterate": pitwall.iter,
    }
    with_list = "a = clock(); append(clock() - a)"
    found = best_of(
        {
            "empty": 'with empty("x"): pass',
            "kept": "with kept: pass",
            "span": 'with span("x"): pass',
            "bare": "bare()",
            "timed": "timed()",
        },
        names,
    )
    names["append"] = __import__("collections").deque(maxlen=1000).append
    found.update(
        best_of(
            {
                "by_hand": with_list,
                "generated": 'with generated(times, "x"): pass',
                "memory": 'with span("m", memory=True): pass',
                "bare_items": "for _ in hundred: pass",
                "timed_items": 'for _ in iterate(hundred, "i"): pass',
            },
            names,
            loops=500,
        )
    )
    show("py_empty_with_ns", found["empty"])
    show("py_span_ns", found["span"])
    show("py_span_x_empty_with", found["span"] / found["empty"])
    show("py_span_x_kept_with", found["span"] / found["kept"])
    show("py_decorator_ns", found["timed"] - found["bare"])
    show("py_iter_ns", (found["timed_items"] - found["bare_items"]) / 100)
    show("py_mem_span_us", found["memory"] / 1000)
    show("py_by_hand_ns", found["by_hand"])
    show("py_contextmanager_ns", found["generated"])


def names_in_a_log():
    """A line of the stage log and the end of a step, with 10 and with 500 names in the object. The line is
    discarded, because printing it is not our cost."""
    found = {}
    out, sys.stdout = sys.stdout, open(os.devnull, "w")
    try:
        for count in (10, 500):
            stages = time_profiler.TimeProfiler()
            profiler = profiling.TrainingProfiler(log_to_wandb=False, log_every=10**9)
            for i in range(count):
                stages.log("stage %d" % i, 1.0)
                profiler.end_timer("op %d" % i, profiler.start_timer("op %d" % i))
            names = {"stages": stages, "profiler": profiler, "start": time.time()}
            taken = best_of({"log": 'stages.log("stage 7", 1.0)',
                             "end": 'profiler.end_timer("make_step_total", start)'},
                            names, loops=500, rounds=ROUNDS // 2)
            found.update({(key, count): ns for key, ns in taken.items()})
    finally:
        sys.stdout.close()
        sys.stdout = out
    for (key, count), ns in found.items():
        show("py_%s_%d_names_us" % ({"log": "stage_log", "end": "step_end"}[key], count), ns / 1000)


def make_objects():
    table = {}
    for i in range(20000):
        table[i] = (i, str(i), [i])
    return len(table)


def allocations():
    """A loop that mostly allocates: alone, with its memory tracked, and under tracemalloc."""
    timing.verbose = False

    def tracked():
        timing.track_time_and_memory({}, "objects", make_objects)

    def traced():
        tracemalloc.start()
        try:
            return seconds_of(make_objects)
        finally:
            tracemalloc.stop()

    def seconds_of(work):
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    best = [float("inf")] * 3
    for _ in range(ROUNDS // 2):
        now = (seconds_of(make_objects), seconds_of(tracked), traced())
        best = [min(pair) for pair in zip(best, now)]
    show("py_alloc_pct", (best[1] / best[0] - 1) * 100)
    show("py_tracemalloc_pct", (best[2] / best[0] - 1) * 100)


def record_function(torch):
    function = torch.profiler.record_function
    names = {"record_function": function}
    return best_of({"it": 'with record_function("x"): pass'}, names, loops=500)["it"]


def in_blocks(kinds, rounds, block):
    """The result of each kind or, if that is None, its duration; 10th percentiles."""
    taken = {key: [] for key in kinds}
    for function in kinds.values():
        for _ in range(50):
            function(0)
    order = list(kinds)
    for _ in range(rounds):
        random.shuffle(order)
        for key in order:
            for _ in range(block):
                start = time.perf_counter_ns()
                given = kinds[key](0)
                took = time.perf_counter_ns() - start
                taken[key].append(took if given is None else given)
            del taken[key][-block]
    return {key: sorted(times)[len(times) // 10] for key, times in taken.items()}


def step_parts(torch):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)
    )
    optimiser = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(512, 64)
    target = torch.randint(0, 10, (512,))
    return model, optimiser, data, target, torch.nn.CrossEntropyLoss()


def calls(torch):
    """Only the begins and ends in the step, by the clock before and after each. The cost of reading the
    clock is measured by steps with nothing in between, and subtracted."""
    model, optimiser, data, target, loss_of = step_parts(torch)
    clock = time.perf_counter_ns
    text = '''
def step(i):
    a = clock()
    {data}
        b = clock()
        x, y = data[i : i + 64], target[i : i + 64]
        c = clock()
    spent = clock() - c + b - a
    a = clock()
    {forward}
        b = clock()
        loss = loss_of(model(x), y)
        c = clock()
    spent += clock() - c + b - a
    a = clock()
    {backward}
        b = clock()
        optimiser.zero_grad()
        loss.backward()
        c = clock()
    spent += clock() - c + b - a
    a = clock()
    {step}
        b = clock()
        optimiser.step()
        c = clock()
    return spent + clock() - c + b - a
'''

    def step(opening, context):
        names = {"clock": clock, "model": model, "optimiser": optimiser, "data": data,
                 "target": target, "loss_of": loss_of, "context": context}
        lines = {key: opening % key for key in ("data", "forward", "backward", "step")}
        exec(text.format(**lines), names)
        return names["step"]

    low = in_blocks(
        {
            "nothing": step("if True:  # %s", None),
            "emptied": step('with context("%s"):', empty_with.empty),
            "timed": step('with context("%s"):', pitwall.span),
        },
        400,
        5,
    )
    show("py_cold_empty_with_ns", (low["emptied"] - low["nothing"]) / 4)
    show("py_cold_span_ns", (low["timed"] - low["nothing"]) / 4)


def steps(torch):
    """The step alone, with four empty `with` blocks, with four spans, and with four spans that measure
    memory."""
    model, optimiser, data, target, loss_of = step_parts(torch)
    span, empty = pitwall.span, empty_with.empty

    def bare(i):
        x, y = data[i : i + 64], target[i : i + 64]
        loss = loss_of(model(x), y)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    def bare_again(i):
        x, y = data[i : i + 64], target[i : i + 64]
        loss = loss_of(model(x), y)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    def timed(i):
        with span("data"):
            x, y = data[i : i + 64], target[i : i + 64]
        with span("forward"):
            loss = loss_of(model(x), y)
        with span("backward"):
            optimiser.zero_grad()
            loss.backward()
        with span("step"):
            optimiser.step()

    def emptied(i):
        with empty("data"):
            x, y = data[i : i + 64], target[i : i + 64]
        with empty("forward"):
            loss = loss_of(model(x), y)
        with empty("backward"):
            optimiser.zero_grad()
            loss.backward()
        with empty("step"):
            optimiser.step()

    def measured(i):
        with span("data", memory=True):
            x, y = data[i : i + 64], target[i : i + 64]
        with span("forward", memory=True):
            loss = loss_of(model(x), y)
        with span("backward", memory=True):
            optimiser.zero_grad()
            loss.backward()
        with span("step", memory=True):
            optimiser.step()

    kinds = {"bare": bare, "again": bare_again, "emptied": emptied, "timed": timed,
             "measured": measured}
    low = in_blocks(kinds, 600, BLOCK)
    show("py_step_us", low["bare"] / 1000)
    show("py_step_noise_pct", (low["again"] / low["bare"] - 1) * 100)
    show("py_step_empty_with_pct", (low["emptied"] / low["bare"] - 1) * 100)
    show("py_step_spans_pct", (low["timed"] / low["bare"] - 1) * 100)
    show("py_step_memory_pct", (low["measured"] / low["bare"] - 1) * 100)


def show(key, value):
    print("%s %s" % (key, "n/a" if value is None else "%.4f" % value))
    sys.stdout.flush()


def main():
    random.seed(1)
    pitwall.open(in_memory=True)
    spans()
    names_in_a_log()
    allocations()
    try:
        import torch
    except ImportError:
        for key in ("record_function_ns", "cold_empty_with_ns", "cold_span_ns", "step_us",
                    "step_noise_pct", "step_empty_with_pct", "step_spans_pct", "step_memory_pct"):
            show("py_" + key, None)
        return
    show("py_record_function_ns", record_function(torch))
    calls(torch)
    steps(torch)


if __name__ == "__main__":
    main()
