"""Predict a fluid from solutions that a solver computed, and find the best batch size.

    python3 burgers_torch.py -o burgers.pit
    pitwall report burgers.pit --view performance --depth 1
    pitwall report burgers.pit --view sweep

A synthetic trainer, in PyTorch: waves that steepen and fade, by Burgers' equation u_t + u u_x = nu u_xx
on a ring, and a network that maps a wave to the one a little later. Shows pitwall.memory_monitor
(PerformanceMonitor for the parts, EpochPerformanceMonitor for the training), pitwall.iter over a
DataLoader, and pitwall.sweep over batch sizes.
"""

import math

import example_kit
import pitwall
import torch
from pitwall.memory_monitor import EpochPerformanceMonitor, PerformanceMonitor
from torch.utils.data import DataLoader, TensorDataset

GRID, HIDDEN, MODES = 128, 384, 3
VISCOSITY, TIME = 0.03, 0.08  # TIME: between a wave and the next one


def make_waves(count):
    """(count, GRID): a few sines of random size and phase."""
    places = torch.arange(GRID) * (2 * math.pi / GRID)
    modes = torch.arange(1, MODES + 1).view(1, MODES, 1)
    size = torch.empty(count, MODES, 1).uniform_(-0.6, 0.6)
    phase = torch.empty(count, MODES, 1).uniform_(0, 2 * math.pi)
    return (size * torch.sin(modes * places + phase)).sum(1)


def solve(u):
    """The waves at TIME, in steps that are short enough: upwind flux, central differences."""
    dx = 1 / GRID
    dt = 0.2 * dx * dx / VISCOSITY
    for _ in range(math.ceil(TIME / dt)):
        left, right = u.roll(1, 1), u.roll(-1, 1)
        slope = torch.where(u > 0, u - left, right - u)
        u = u + dt * (VISCOSITY * (left - 2 * u + right) / dx**2 - u * slope / dx)
    return u


def make_data(count):
    """Waves, and how each will change."""
    now = make_waves(count)
    with pitwall.span("solve"):
        pitwall.items(count)
        return TensorDataset(now, solve(now) - now)


def make_net():
    return torch.nn.Sequential(
        torch.nn.Linear(GRID, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, GRID)
    )


def train_batch(net, optimizer, now, change):
    with pitwall.span("forward"):
        loss = torch.nn.functional.mse_loss(net(now), change)
    with pitwall.span("backward"):
        optimizer.zero_grad()
        loss.backward()
    with pitwall.span("update"):
        optimizer.step()
    pitwall.items(len(now))
    return loss


def train(net, data, monitor, epochs):
    optimizer = torch.optim.Adam(net.parameters(), lr=0.002)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 - 0.9 * epoch / epochs)
    loader = DataLoader(data, batch_size=64, shuffle=True)
    for _ in range(epochs):
        with monitor.epoch():
            for i, (now, change) in enumerate(pitwall.iter(loader, "data")):
                with monitor.batch(i) as batch:
                    batch.loss = train_batch(net, optimizer, now, change)
            pitwall.value("loss", float(batch.loss.detach()))
        rates.step()


def measure(net, data):
    """The error on waves that were not trained on, relative to the error of predicting no change."""
    now, change = data.tensors
    with torch.no_grad():
        return float(torch.nn.functional.mse_loss(net(now), change) / change.square().mean())


def train_once(data, batch_size):
    """A new network over the same samples, in batches of that size."""
    net = make_net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.002)
    for now, change in DataLoader(data, batch_size=batch_size):
        train_batch(net, optimizer, now, change)


def work(args):
    example_kit.repeat_torch(args.seed)
    performance, monitor = PerformanceMonitor(), EpochPerformanceMonitor()
    with performance.track("data loading"):
        data, held_out = make_data(3072), make_data(256)
    with performance.track("model"):
        net = make_net()
    with performance.track("training"):
        train(net, data, monitor, 3 if args.quick else 8)
    with performance.track("evaluation"):
        loss = measure(net, held_out)
    performance.print_summary()
    performance.print_bottlenecks()
    some = TensorDataset(*(tensor[:512 if args.quick else 1024] for tensor in data.tensors))
    _, table = pitwall.sweep(lambda size: train_once(some, size), (8, 16, 32, 64), "batch size")
    print(table, end="")
    yield "error against standing still", loss, 0.05 if args.quick else 0.02


if __name__ == "__main__":
    example_kit.main(work, __doc__)
