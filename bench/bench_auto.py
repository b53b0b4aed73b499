"""What the hooks of `pitwall run` cost a PyTorch training step, and whether they report that cost
correctly: lines "key value" for collect.py.

    PYTHONPATH=build/python /usr/bin/python3 bench/bench_auto.py

One process, one model, one thread. The hooks are removed and installed again every few steps, in random
order; the first steps after a change are left out, because the interpreter adapts to changed classes. A
round has such a turn with hooks and two without; its figure is the difference of their median processor
times. The result is the mean of the middle half of all rounds, and there are rounds until the standard error
of that is a twelfth of it, or the time is up. The two turns without hooks give the noise in the same way.
The models have many small layers, because every layer calls a hook; their number is chosen so that a step
takes 4 ms and 0.6 ms on this machine. Standard error says whether each bar is held.
"""

import random
import statistics
import sys
import time

import pitwall
from middle import middle
from pitwall import _auto, _pitwall

WARM, TIMED = 5, 5  # steps of one turn
ROUNDS = 200  # between two looks at the standard error
HOT_PAIRS = 300
PRECISE = 1 / 12  # the standard error, as a share of the result
# prefix of the figures, the wanted step in ms, width of a layer, seconds at most, the bar in % of the step
STEPS = (("auto_", 4.0, 128, 60, 1.0), ("auto_small_", 0.6, 32, 150, 2.0))
NAMES = ("step_ms", "step_us", "step_pct", "step_noise_pct")
SAID = ("auto_cost_said_x_measured", "auto_hot_said_x_measured")


def show(key, value):
    print("%s %s" % (key, "n/a" if value is None else "%.4f" % value))
    sys.stdout.flush()


class Hooks:
    """Installs and removes all hooks without resetting their counts."""

    def __init__(self):
        self._with = [(owner, name, vars(owner)[name]) for owner, name, _, _ in _auto._places]
        self._without = list(reversed(_auto._places))
        self._are_on = True

    def put(self, is_on):
        """Every change resets what the interpreter has learnt about the classes, so each turn makes one."""
        if is_on == self._are_on:
            self.put(not is_on)
        self._are_on = is_on
        for place in () if is_on else self._without:
            _auto._undo(place)
        for owner, name, wrapper in self._with if is_on else ():
            setattr(owner, name, wrapper)


def make_step(torch, layers, width):
    """A training step, fed by a loader."""
    torch.manual_seed(1)
    parts = []
    for _ in range(layers):
        parts += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    model = torch.nn.Sequential(*parts, torch.nn.Linear(width, 10))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.001)
    loss_of = torch.nn.CrossEntropyLoss()
    data = torch.utils.data.TensorDataset(torch.randn(8, width), torch.randint(0, 10, (8,)))
    loader = torch.utils.data.DataLoader(data, batch_size=None, sampler=[list(range(8))] * 10**6)

    def step(batches):
        x, y = next(batches)
        loss = loss_of(model(x), y)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return step, {kind: iter(loader) for kind in ("hooked", "bare", "again")}


def low_of(times):
    return sorted(times)[len(times) // 10]


def step_ns(torch, layers, width):
    """Processor time of a step with this many layers."""
    step, batches = make_step(torch, layers, width)
    times = []
    for i in range(60):
        start = time.thread_time_ns()
        step(batches["bare"])
        if i >= 20:
            times.append(time.thread_time_ns() - start)
    return low_of(times)


def layers_for(torch, width, wanted_ns):
    """The number of layers with which a step takes this long: from two small models, then corrected by a
    model of about that size."""
    few, many = step_ns(torch, 2, width), step_ns(torch, 12, width)
    each = max((many - few) / 10, 1.0)
    found = max(1, round(2 + (wanted_ns - few) / each))
    fixed = few - 2 * each
    each = max((step_ns(torch, found, width) - fixed) / found, 1.0)
    return max(1, round((wanted_ns - fixed) / each))


def one_round(hooks, step, batches):
    """The median of each kind."""
    found = {}
    for kind in random.sample(list(batches), len(batches)):
        hooks.put(kind == "hooked")
        times = []
        for i in range(WARM + TIMED):
            start = time.thread_time_ns()
            step(batches[kind])
            if i >= WARM:
                times.append(time.thread_time_ns() - start)
        found[kind] = statistics.median(times)
    return found


def measure(hooks, step, batches, seconds):
    """(a step without hooks, what the hooks add and the error of that, the noise, what the hooks report), in ns."""
    one_round(hooks, step, batches)
    before, start, rounds = _pitwall._hook_counts(), time.monotonic(), []
    added, error = 0.0, float("inf")
    while error > PRECISE * added and time.monotonic() - start < seconds:
        rounds += [one_round(hooks, step, batches) for _ in range(ROUNDS)]
        added, error = middle([r["hooked"] - (r["bare"] + r["again"]) / 2 for r in rounds])
    noise, _ = middle([r["again"] - r["bare"] for r in rounds])
    said = _auto.cost(before)
    return statistics.median(r["bare"] for r in rounds), (added, error), abs(noise), said["cost_ns"] / said["steps"]


def measure_hot(torch, hooks):
    """(what a hook adds to a call of an empty module, what it reports), in ns."""

    class Nothing(torch.nn.Module):
        def forward(self, x):
            return x

    module, added, said = Nothing(), [], []
    for _ in range(HOT_PAIRS):
        took = {}
        for is_on in random.sample((True, False), 2):
            hooks.put(is_on)
            for _ in range(300):
                module(1)
            before, start = _pitwall._hook_counts(), time.thread_time_ns()
            for _ in range(2000):
                module(1)
            took[is_on] = (time.thread_time_ns() - start) / 2000
            cost = _auto.cost(before)
            if cost["watched"]:
                said.append(cost["cost_ns"] / cost["calls"])
        added.append(took[True] - took[False])
    # both by the median of turns: a hook that loses its processor measures that too
    return statistics.median(added), statistics.median(said)


def tell(prefix, pct, noise_pct, bar):
    """For people: whether the bar is held. A figure below the noise is the noise."""
    state = "held" if max(pct, noise_pct) <= bar else "held within noise" if pct <= bar else "missed"
    print("%sstep_pct %.2f %% (noise %.2f %%), bar %g %%: %s" % (prefix, pct, noise_pct, bar, state), file=sys.stderr)


def tell_said(key, ratio, error):
    """The same for a reported cost: within a quarter of the measured one."""
    state = "held" if 0.75 <= ratio <= 1.25 else "held within noise" if 0.75 <= ratio * (1 + error) and \
        ratio * (1 - error) <= 1.25 else "missed"
    print("%s %.2f (measured to %.0f %%), bar 0.75 to 1.25: %s" % (key, ratio, error * 100, state), file=sys.stderr)


def main():
    try:
        import torch
    except ImportError:
        for key in [step[0] + name for step in STEPS for name in NAMES]:
            show(key, None)
        for key in ("auto_hot_ns", *SAID):
            show(key, None)
        return
    random.seed(1)
    torch.set_num_threads(1)
    layers = [layers_for(torch, width, wanted * 1e6) for _, wanted, width, _, _ in STEPS]
    pitwall.open(in_memory=True)
    _auto.install(torch)
    made = [make_step(torch, count, step[2]) for count, step in zip(layers, STEPS)]
    hooks = Hooks()
    for (prefix, _, _, seconds, bar), one in zip(STEPS, made):
        bare, (added, error), noise, said = measure(hooks, *one, seconds)
        figures = (bare / 1e6, added / 1e3, added / bare * 100, noise / bare * 100)
        for name, figure in zip(NAMES, figures):
            show(prefix + name, figure)
        tell(prefix, figures[2], figures[3], bar)
    show(SAID[0], said / added)
    tell_said(SAID[0], said / added, error / added)
    added, said = measure_hot(torch, hooks)
    show("auto_hot_ns", added)
    show(SAID[1], said / added)
    tell_said(SAID[1], said / added, 0)


if __name__ == "__main__":
    main()
