"""Nine functions fitted by an MLP, a SIREN and a KAN, in PyTorch: which one pays off?

    python3 fitting_torch.py -o fitting.pit --out timings
    pitwall report fitting.pit --view timing-summary --node section --datasets 9

Shows pitwall.timing: track_time, print_timing_summary, print_speedup_analysis, DetailedTimer,
calculate_convergence_metrics, track_warmup_timing, print_inference_benchmark, and the exports, which
leave timing.csv and timing.json in the folder that --out names.
"""

import os

import example_kit
import pitwall
import torch
from pitwall.timing import (
    DetailedTimer,
    calculate_convergence_metrics,
    export_timing_csv,
    export_timing_json,
    print_inference_benchmark,
    print_speedup_analysis,
    print_timing_summary,
    print_warmup_analysis,
    track_time,
    track_warmup_timing,
)

# On [-1, 1].
FUNCTIONS = {
    "sine": lambda x: torch.sin(4 * x),
    "square": lambda x: x**2,
    "cubic": lambda x: x**3 - 0.5 * x,
    "absolute": torch.abs,
    "bell": lambda x: torch.exp(-6 * x**2),
    "edge": lambda x: torch.tanh(5 * x),
    "swell": lambda x: x * torch.cos(5 * x),
    "chirp": lambda x: torch.sin(4 * x * torch.abs(x)),
    "beat": lambda x: torch.sin(5 * x) + 0.5 * torch.sin(2 * x),
}

THRESHOLD = 0.01  # as a share of the variance of a function: a fit must leave less


def mlp(width=32):
    return torch.nn.Sequential(
        torch.nn.Linear(1, width), torch.nn.Tanh(),
        torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Linear(width, 1))


class Sine(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x)


def siren(width=32, pace=6.0):
    """An MLP of sines, with the weights that keep them spread out."""
    first, second = torch.nn.Linear(1, width), torch.nn.Linear(width, width)
    torch.nn.init.uniform_(first.weight, -pace, pace)
    bound = (6 / width) ** 0.5
    torch.nn.init.uniform_(second.weight, -bound, bound)
    return torch.nn.Sequential(first, Sine(), second, Sine(), torch.nn.Linear(width, 1))


class Edges(torch.nn.Module):
    """A layer of a KAN: each pair of input and output has a curve of its own, a sum of bells."""

    def __init__(self, inputs, outputs, grid=8, reach=1.5):
        super().__init__()
        self.register_buffer("centres", torch.linspace(-reach, reach, grid))
        self.width = 2 * reach / (grid - 1)
        self.curves = torch.nn.Parameter(0.3 * torch.randn(inputs * grid, outputs))
        self.straight = torch.nn.Linear(inputs, outputs)

    def forward(self, x):
        bells = torch.exp(-(((x.unsqueeze(-1) - self.centres) / self.width) ** 2))
        return bells.flatten(1) @ self.curves + self.straight(x)


def kan(width=6):
    return torch.nn.Sequential(Edges(1, width), Edges(width, 1))


def make_datasets(names, points=128):
    """{name: (x, y)}, y of mean 0 and variance 1."""
    x = torch.linspace(-1, 1, points).unsqueeze(1)
    raw = {name: FUNCTIONS[name](x) for name in names}
    return {name: (x, (y - y.mean()) / y.std()) for name, y in raw.items()}


def fit_all(label, make_model, datasets, epochs):
    """A model for each dataset; an epoch is a step of each. ({name: model}, {'loss', 'epoch_times'})."""
    models = {name: make_model() for name in datasets}
    optimizers = {name: torch.optim.Adam(model.parameters(), lr=0.02)
                  for name, model in models.items()}
    results = {"loss": [], "epoch_times": []}
    phases = DetailedTimer(label)
    for _ in range(epochs):
        with pitwall.span("epoch") as epoch:
            losses = []
            for name, (x, y) in datasets.items():
                phases.start_phase("forward_pass")
                loss = torch.nn.functional.mse_loss(models[name](x), y)
                phases.start_phase("backward_pass")
                optimizers[name].zero_grad()
                loss.backward()
                phases.start_phase("update")
                optimizers[name].step()
                losses.append(float(loss.detach()))
            phases.end_phase()
            results["loss"].append(sum(losses) / len(losses))
            pitwall.value("%s loss" % label, results["loss"][-1])
        results["epoch_times"].append(epoch.elapsed)
    phases.print_breakdown()
    return models, results


def worst_loss(models, datasets):
    with torch.no_grad():
        return max(float(torch.nn.functional.mse_loss(models[name](x), y))
                   for name, (x, y) in datasets.items())


def print_convergence(results):
    for label, found in calculate_convergence_metrics(results, threshold=THRESHOLD).items():
        reached = "never" if not found["converged"] else "after %d epochs and %.2f s" % (
            found["epochs_to_converge"], found["time_to_converge"])
        print("%-6s mean loss below %g: %s; at last %.4f"
              % (label, THRESHOLD, reached, found["final"]))


def work(args):
    example_kit.repeat_torch(args.seed)
    datasets = make_datasets(list(FUNCTIONS)[: 3 if args.quick else None])
    epochs = 80 if args.quick else 150
    timers, models, results = {}, {}, {}
    with pitwall.span("section"):
        for label, make_model in (("MLP", mlp), ("SIREN", siren), ("KAN", kan)):
            models[label], results[label] = track_time(
                timers, label + " training", fit_all, label, make_model, datasets, epochs)

    print_timing_summary(timers, "Function fitting", num_datasets=len(datasets))
    print_speedup_analysis(timers)
    print_convergence(results)
    for label, fitted in models.items():
        name, (x, _) = next(iter(datasets.items()))
        print_warmup_analysis(track_warmup_timing(epochs, results[label]["epoch_times"]), label)
        print_inference_benchmark(fitted[name], x, model_name=label)
    if args.out:
        export_timing_csv(timers, os.path.join(args.out, "timing.csv"), "Function fitting")
        export_timing_json(timers, os.path.join(args.out, "timing.json"), "Function fitting")
    for label, fitted in models.items():
        yield "%s, worst loss of a function" % label, worst_loss(fitted, datasets), THRESHOLD


if __name__ == "__main__":
    options = example_kit.parser(__doc__)
    example_kit.add_out(options)
    example_kit.main(work, __doc__, options)
