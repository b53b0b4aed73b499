"""What the hooks of `pitwall run` cost a PyTorch training step of about 5 ms: lines "key value" for
collect.py.

    PYTHONPATH=build/python /usr/bin/python3 bench/bench_auto.py

One process, one model, one thread: blocks of steps with the hooks in place and without them come in a
random order; a block's figure is the 10th percentile of the thread's processor time, and the median of
the differences of neighbours counts. The same of two blocks without hooks is the machine's noise. The model has many small layers, because every layer passes
through a hook.
"""

import operator
import random
import statistics
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
        show("auto_step_noise_pct", None)
        return
    random.seed(1)
    pitwall.open(in_memory=True)
    steps, model = make_step(torch)
    low = {"hooked": [], "bare": [], "again": []}
    for _ in range(BLOCKS):
        order = list(low)
        random.shuffle(order)
        for kind in order:
            if kind == "hooked":
                _auto.install(torch)
                torch.optim.SGD(model.parameters(), lr=0.001)  # the first of a class is hooked
            times = []
            steps(times)
            low[kind].append(sorted(times)[len(times) // 10])
            if kind == "hooked":
                _auto.remove()
    if not _pitwall._hook_counts()[0]:
        sys.exit("bench_auto: the hooks made no span")
    added, noise = (statistics.median(map(operator.sub, low[kind], low["bare"]))
                    for kind in ("hooked", "again"))
    step = statistics.median(low["bare"])
    show("auto_step_ms", step / 1e6)
    show("auto_step_pct", added / step * 100)
    show("auto_step_us", added / 1e3)
    show("auto_step_noise_pct", abs(noise) / step * 100)


if __name__ == "__main__":
    main()
