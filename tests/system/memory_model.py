"""The figures that spans must report for a script of prog_memory, computed from the script alone; and the
run as prog_dump reads it.
"""

import json

import pit_case

MB = 1 << 20
STATES = ["live", "closed", "died"]
METHODS = [None, "rusage", "hwm"]  # as enum pit_peak_method has them

# The allowed error in addition to the run's own bound. The process itself changes a little between begin
# and end: the recorder's first block of a node, stacks, libc. Under a sanitizer every thread, lock and
# allocation has shadow and bookkeeping that is resident too.
SLACK = 0.3 * MB if not pit_case.sanitizer() else 4 * MB


class Span:
    def __init__(self, path, held):
        self.path, self.begin, self.most = path, held, held


class Model:
    """Runs the steps: which memory is held, which spans are open, and the figures that each finished span
    must have."""

    def __init__(self):
        self.held, self.holds = 0, {}
        self.stacks, self.done = {}, []
        self.abandoned = self.left_open = 0
        self.most = 0

    def finish(self, stack):
        span = stack.pop()
        self.done.append({"path": span.path, "delta": self.held - span.begin,
                          "peak": span.most - span.begin})

    def step(self, step):
        number, letter, argument = step[0], step[1], step[2:]
        stack = self.stacks.setdefault(number, [])
        holds = self.holds.setdefault(number, [])
        if letter == "b":
            above = stack[-1].path + "/" if stack else ""
            stack.append(Span(above + argument, self.held))
        elif letter == "e":
            self.finish(stack)
        elif letter == "E":
            self.abandoned += len(stack) - int(argument)
            del stack[int(argument):]
            self.finish(stack)
        elif letter == "g":
            holds.append(int(argument) * 1024)
            self.held += holds[-1]
        elif letter == "d":
            self.held -= holds.pop()
        elif letter == "q":
            self.left_open += len(stack)
            stack.clear()
        self.most = max(self.most, self.held)
        for other in self.stacks.values():
            for span in other:
                span.most = max(span.most, self.held)

    def run(self, steps):
        for step in steps:
            self.step(step)
        self.left_open += sum(len(stack) for stack in self.stacks.values())
        return self


def random_script(dice, threads=4, steps=60, most_mb=40):
    """Steps of several threads that open, close, abandon and leave spans, and hold memory."""
    model, script = Model(), []
    for i in range(steps):
        number = str(dice.randrange(threads))
        stack, holds = model.stacks.get(number, []), model.holds.get(number, [])
        choices = ["b%s%d" % (dice.choice("xyz"), int(number))] if len(stack) < 5 else []
        if model.held < 300 * MB:
            choices += ["g%d" % (dice.randrange(1, most_mb) * 1024)] * 2
        choices += ["d"] * 2 if holds else []
        choices += ["e"] * 2 if stack else []
        choices += ["E%d" % dice.randrange(1, len(stack) + 1)] if len(stack) > 1 else []
        choices += ["q"] if stack and dice.random() < 0.1 else []
        if choices:
            script.append(number + dice.choice(choices))
            model.step(script[-1])
    return script


def dump(case, path):
    """The run as the library reads it, with a node's memory in the node."""
    run = json.loads(case.run_ok([pit_case.program("prog_dump"), path, "clock"], timeout=30).stdout)
    run["state"] = STATES.index(run["state"])
    samples = run["samples"] or {"points": [], "newest": None}
    run.update(samples, samples=samples["points"], sample_stride=samples.get("stride"))
    for thread in run["threads"]:
        memory = {figures["node"]: figures for figures in thread["memory"]}
        for index, each in enumerate(thread["nodes"]):
            each["memory"] = memory.get(index)
        for figures in thread["memory"] + thread["records"]:
            figures["peak_method"] = METHODS.index(figures["peak_method"])
        thread["events"] = [event[1:3] for event in thread["events"]]
        thread["open"] = [span["path"] for span in thread["open"]]
        thread.update(thread["counters"])
    return run


def nodes(run, path):
    """The nodes of that path, of all threads."""
    return [n for t in run["threads"] for n in t["nodes"] if n["path"] == path]


def node(run, path):
    """The one node of that path."""
    found = nodes(run, path)
    assert len(found) == 1, "%d nodes %s" % (len(found), path)
    return found[0]


def records(run, path=None):
    """All records, or those of a path, in the order of their ends."""
    found = [r for t in run["threads"] for r in t["records"] if path in (None, r["path"])]
    return sorted(found, key=lambda r: r["begin"] + r["duration"])
