"""Molecules told apart by the patterns in their graphs: rings of five or of six atoms?

    python3 patterns.py -o patterns.pit --out timings | tee patterns.log
    pitwall report patterns.pit --view stages
    pitwall log patterns.log

Walks through a graph, written down as the order in which atoms are met, are its patterns; how often
each occurs is what a logistic regression learns from. Shows pitwall.time_profiler: profiler.log and
profiler.stage for the stages of a pipeline, window for a line every hundred graphs, save; and
pitwall.scale and model_complexity for how the counting grows. --out keeps timing_data.json. Needs
NumPy alone.
"""

import collections
import math
import os
import time

import example_kit
import numpy
import pitwall
from pitwall.time_profiler import profiler, window

WALK_STEPS = 6


def make_molecule(random, ring, atoms):
    """Neighbours of each atom: a ring, and branches that grow anywhere."""
    neighbours = [[(i - 1) % ring, (i + 1) % ring] for i in range(ring)]
    while len(neighbours) < atoms:
        at = int(random.integers(len(neighbours)))
        if len(neighbours[at]) < 4:
            neighbours[at].append(len(neighbours))
            neighbours.append([at])
    return neighbours


def count_patterns(neighbours):
    """Of all walks that never turn on the spot: how many there are of each pattern."""
    counts = collections.Counter()
    walks = [((start,), (0,)) for start in range(len(neighbours))]
    for _ in range(WALK_STEPS):
        longer = []
        for atoms, pattern in walks:
            for other in neighbours[atoms[-1]]:
                if len(atoms) < 2 or other != atoms[-2]:
                    new = pattern[atoms.index(other)] if other in atoms else max(pattern) + 1
                    longer.append((atoms + (other,), pattern + (new,)))
        walks = longer
        counts.update(pattern for _, pattern in walks)
    return counts


class GraphTower:
    """Turns graphs into rows of figures, and prints regularly how long that takes."""

    def __init__(self):
        self.patterns = {}  # pattern: its column
        self.window = window("GPM TIMING", unit="graphs", every=100, items={
            "Pattern gen": "ms", "Total": "ms", "Avg nodes": "mean", "walks": "hidden"})

    def forward(self, neighbours, learn=False):
        """{column: figure}; learn: patterns that are new get a column."""
        with pitwall.span("forward") as forward:
            with pitwall.span("pattern gen") as generation:
                counts = count_patterns(neighbours)
            row = {}
            for pattern, count in counts.items():
                column = self.patterns.setdefault(pattern, len(self.patterns)) if learn \
                    else self.patterns.get(pattern)
                if column is not None:
                    row[column] = math.log1p(count) / 10
        self.window.add(generation.elapsed, forward.elapsed, len(neighbours), sum(counts.values()))
        return row

    def table(self, graphs, learn=False):
        rows = [self.forward(neighbours, learn) for neighbours in graphs]
        found = numpy.zeros((len(rows), len(self.patterns)))
        for i, row in enumerate(rows):
            found[i, list(row)] = list(row.values())
        return found


def train(features, labels, epochs=200, rate=5.0):
    """A logistic regression by gradient descent: (weights, bias)."""
    weights, bias = numpy.zeros(features.shape[1]), 0.0
    for _ in range(epochs):
        with pitwall.span("epoch"):
            guess = 1 / (1 + numpy.exp(-(features @ weights + bias)))
            weights -= rate * (features.T @ (guess - labels) / len(labels) + 1e-4 * weights)
            bias -= rate * float(numpy.mean(guess - labels))
            pitwall.value("loss", -numpy.mean(numpy.log(numpy.where(labels > 0, guess, 1 - guess))))
    return weights, bias


def make_dataset(random, count):
    """(graphs, labels): 1 for a ring of six."""
    labels = random.integers(2, size=count)
    return [make_molecule(random, 5 + label, int(random.integers(16, 36))) for label in labels], labels


def print_growth(graphs, patterns):
    """Time against the number of graphs, as measured; and the operations of a graph by formula."""

    def count(size):
        for graph in graphs * (int(size) // len(graphs)):
            count_patterns(graph)

    print(pitwall.scale(count, [len(graphs) * times for times in (1, 2, 3, 4, 6, 8, 12, 16)]))
    nodes = sum(map(len, graphs)) // len(graphs)
    found = pitwall.model_complexity("GPM", patterns=patterns, pattern_size=WALK_STEPS + 1,
                                     nodes=nodes, degree=2)
    print("a graph by formula: %s, %d operations"
          % (found["inference_complexity"], found["inference_flops_per_step"]))


def work(args):
    profiler.log("=== TRAINING PIPELINE START ===")
    random = numpy.random.default_rng(args.seed)
    with profiler.stage("Dataset loading and preprocessing"):
        graphs, labels = make_dataset(random, 200 if args.quick else 600)
        held_out, truth = make_dataset(random, 100 if args.quick else 200)
    start = time.time()
    tower = GraphTower()
    profiler.log("Graph tower initialization (gpm)", time.time() - start)
    with profiler.stage("Pattern counting", memory=True):
        features = tower.table(graphs, learn=True)
    with profiler.stage("Main training loop"):
        weights, bias = train(features, labels)
    with profiler.stage("Evaluation"):
        guess = tower.table(held_out) @ weights + bias > 0
    with profiler.stage("Growth with the dataset"):
        print_growth(graphs[: 1 if args.quick else 4], len(tower.patterns))
    if args.out:
        with profiler.stage("Model saving"):
            numpy.savez(os.path.join(args.out, "model.npz"), weights=weights, bias=bias)
        profiler.save(os.path.join(args.out, "timing_data.json"))
    profiler.summary()
    print("%d graphs, %.0f walks of %d patterns"
          % (tower.window.count, tower.window.sum("walks"), len(tower.patterns)))
    yield "wrong of the held-out molecules", float(numpy.mean(guess != truth)), 0.1


if __name__ == "__main__":
    options = example_kit.parser(__doc__)
    example_kit.add_out(options)
    example_kit.main(work, __doc__, options)
