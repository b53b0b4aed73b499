"""What the hooks of `pitwall run` cost a PyTorch training step of about 5 ms: lines "key value" for
collect.py.

    PYTHONPATH=build/python /usr/bin/python3 bench/bench_auto.py

One process, one model, one thread: blocks of steps with the hooks in place and without them come in a
random order, and the 10th percentiles of the thread's processor time are compared. The model has many small layers, because every layer passes
through a hook.
"""

import random
import sys
import time

import pitwall
from pitwall import _auto, _pitwall

BLOCK = 25  # steps of one kind in a row
WARM = 8  # the first ones of them are left out: the interpreter adapts to what a class has
BLOCKS = 30


def show(key, value):
    print("%s %s" % (key, "n/a" if value is None else "%.4f" % value))
    sys.stdout.flush()


def make_step(torch):
    """Some steps of about 5 ms each, fed by a loader; and the model."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    layers = []
    for _ in range(12):
        layers += [torch.nn.Linear(128, 128), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(128, 10))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.001)
    loss_of = torch.nn.CrossEntropyLoss()
    data = torch.utils.data.TensorDataset(torch.randn(8, 128), torch.randint(0, 10, (8,)))
    loader = torch.utils.data.DataLoader(data, batch_size=None, sampler=[list(range(8))] * BLOCK)

    def steps(times):
        batches = iter(loader)
        for _ in range(BLOCK):
            start = time.thread_time_ns()
            x, y = next(batches)
            loss = loss_of(model(x), y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            times.append(time.thread_time_ns() - start)
        del times[-BLOCK : WARM - BLOCK]

    return steps, model


def main():
    try:
        import torch
    except ImportError:
        show("auto_step_ms", None)
        show("auto_step_pct", None)
        show("auto_step_us", None)
        return
    random.seed(1)
    pitwall.open(in_memory=True)
    steps, model = make_step(torch)
    taken = {True: [], False: []}
    for _ in range(BLOCKS):
        order = [True, False]
        random.shuffle(order)
        for is_hooked in order:
            if is_hooked:
                _auto.install(torch)
                torch.optim.SGD(model.parameters(), lr=0.001)  # the first of a class is hooked
            steps(taken[is_hooked])
            if is_hooked:
                _auto.remove()
    hooked, bare = (sorted(times)[len(times) // 10] for times in (taken[True], taken[False]))
    if not _pitwall._hook_counts()[0]:
        sys.exit("bench_auto: the hooks made no span")
    show("auto_step_ms", bare / 1e6)
    show("auto_step_pct", (hooked / bare - 1) * 100)
    show("auto_step_us", (hooked - bare) / 1e3)


if __name__ == "__main__":
    main()
