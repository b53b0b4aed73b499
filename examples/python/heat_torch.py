"""A metal bar that cools: its conductivity and first temperatures, found from a few thermometers.

    python3 heat_torch.py -o heat.pit
    pitwall report heat.pit --view epochs
    pitwall run --no-auto --config heat.yaml -- python3 heat_torch.py    # switched by a configuration

A physical trainer, in PyTorch: the heat equation is solved step by step, and the unknowns are moved
down the gradient through the whole solution. Shows pitwall.memory_monitor: PerformanceMonitor for
the parts, EpochPerformanceMonitor for the iterations, get_statistics, print_bottlenecks. Whether
the iterations are monitored is set by --monitor, else by the configuration of `pitwall run`; the
default is yes.
"""

import example_kit
import pitwall
import torch
from pitwall.memory_monitor import EpochPerformanceMonitor, PerformanceMonitor, from_config

PLACES, STEPS, WAVES = 64, 60, 5
CONDUCTIVITY = 0.3  # of the true bar; a step of the solver holds up to 0.5


def solve(conductivity, first):
    """Temperatures of shape (STEPS + 1, PLACES); the ends of the bar are kept at 0."""
    field, fields = first, [first]
    for _ in range(STEPS):
        inner = field[1:-1] + conductivity * (field[2:] - 2 * field[1:-1] + field[:-2])
        field = torch.nn.functional.pad(inner, (1, 1))
        fields.append(field)
    return torch.stack(fields)


class Bar(torch.nn.Module):
    """The unknowns: the conductivity, and how much of each wave is in the first temperatures."""

    def __init__(self):
        super().__init__()
        self.raw = torch.nn.Parameter(torch.tensor(-1.0))
        self.amounts = torch.nn.Parameter(torch.zeros(WAVES))
        places = torch.linspace(0, torch.pi, PLACES)
        self.register_buffer("waves", torch.sin(torch.arange(1, WAVES + 1).unsqueeze(1) * places))

    @property
    def conductivity(self):
        return 0.5 * torch.sigmoid(self.raw)

    def forward(self):
        return solve(self.conductivity, self.amounts @ self.waves)


def load_ground_truth():
    """(what the thermometers said, where and when): the true bar, a tenth of it, and a little noise."""
    bar = Bar()
    with torch.no_grad():
        bar.amounts.copy_(torch.randn(WAVES))
        field = solve(torch.tensor(CONDUCTIVITY), bar.amounts @ bar.waves)
    seen = torch.rand(field.shape) < 0.1
    return field[seen] + 0.01 * torch.randn(int(seen.sum())), seen


def optimize(bar, readings, seen, monitor, epochs, iterations):
    """An epoch is some iterations of the optimizer: each solves the equation once."""
    optimizer = torch.optim.Adam(bar.parameters(), lr=0.1)
    for _ in range(epochs):
        with monitor.epoch():
            for i in range(iterations):
                with monitor.batch(i) as batch:
                    with pitwall.span("forward"):
                        loss = torch.nn.functional.mse_loss(bar()[seen], readings)
                    with pitwall.span("backward"):
                        optimizer.zero_grad()
                        loss.backward()
                    optimizer.step()
                    batch.loss = loss
            pitwall.value("loss", float(loss))


def make_monitor(choice):
    if choice is None:
        return EpochPerformanceMonitor(device=0)  # as `pitwall run --config` says
    return from_config({"trainer_params": {"enable_memory_monitoring": choice == "on",
                                           "memory_monitor_batches": 2}})


def work(args):
    example_kit.repeat_torch(args.seed)
    performance, monitor = PerformanceMonitor(), make_monitor(args.monitor)
    with performance.track("load_ground_truth"):
        readings, seen = load_ground_truth()
    bar = Bar()
    with performance.track("optimization"):
        optimize(bar, readings, seen, monitor, 7 if args.quick else 12, 25)
    performance.print_summary()
    performance.print_bottlenecks()
    statistics = monitor.get_statistics()
    if statistics:
        print("%(num_batches)d iterations in %(num_epochs)d epochs, %(avg_batch_time).4f s each, "
              "from %(min_batch_time).4f to %(max_batch_time).4f s" % statistics)
    found = float(bar.conductivity.detach())
    with torch.no_grad():
        loss = float(torch.nn.functional.mse_loss(bar()[seen], readings))
    print("conductivity: found %.4f, true %.4f" % (found, CONDUCTIVITY))
    yield "loss against the thermometers", loss, 0.001
    yield "conductivity, off by", abs(found - CONDUCTIVITY), 0.02


if __name__ == "__main__":
    options = example_kit.parser(__doc__)
    options.add_argument("--monitor", choices=("on", "off"), help="watch the iterations or not")
    example_kit.main(work, __doc__, options)
