"""Six small examples of performance monitoring; all of them, or those whose numbers are given.

    python3 performance_monitoring_examples.py -o monitor.pit
    python3 performance_monitoring_examples.py 5 6
    pitwall report monitor.pit --view performance

    1  operations with their time and memory: PerformanceMonitor
    2  operations that repeat: track(..., aggregate=True)
    3  a block by itself: track_performance
    4  a function by itself: monitor_performance
    5  a training loop: EpochPerformanceMonitor
    6  bottlenecks: in words, and a sweep over batch sizes

Shows pitwall.memory_monitor, in Python alone. With --out, 6 leaves performance_metrics.csv.
"""

import math
import os
import random

import example_kit
from pitwall.memory_monitor import (
    EpochPerformanceMonitor,
    PerformanceMonitor,
    monitor_performance,
    track_performance,
)

COUNT, BATCH, EPOCHS = 50000, 10000, 6


def load_data(count):
    """(x, y) of a line with noise; y = 3 x - 1 and a little more."""
    xs = [random.uniform(-1, 1) for _ in range(count)]
    return [(x, 3 * x - 1 + random.gauss(0, 0.1)) for x in xs]


def preprocess(data):
    mean = sum(x for x, _ in data) / len(data)
    return [(x - mean, y) for x, y in data]


class Line:
    """y = slope x + offset, learnt by gradient descent."""

    def __init__(self):
        self.slope, self.offset = 0.0, 0.0

    def forward(self, batch):
        """How far off each is."""
        return [self.slope * x + self.offset - y for x, y in batch]

    def backward(self, batch, off, rate=0.3):
        self.slope -= rate * 2 * sum(o * x for o, (x, _) in zip(off, batch)) / len(batch)
        self.offset -= rate * 2 * sum(off) / len(batch)


def loss_of(off):
    return sum(o * o for o in off) / len(off)


def batches_of(data, size):
    return [data[i : i + size] for i in range(0, len(data), size)]


def basic_usage(args):
    """Operations with their time and memory."""
    monitor = PerformanceMonitor()
    with monitor.track("data loading"):
        data = load_data(COUNT)
    with monitor.track("preprocessing"):
        data = preprocess(data)
    with monitor.track("model forward"):
        Line().forward(data)
    monitor.print_summary()
    parts = sum(monitor.get_operation_time(metric.operation) for metric in monitor.get_metrics())
    yield "total less its parts", abs(monitor.get_total_time() - parts), 1e-9


def aggregated_operations(args):
    """Operations that repeat are one line each."""
    monitor, line = PerformanceMonitor(), Line()
    batches = batches_of(load_data(COUNT), BATCH)
    for _ in range(EPOCHS):
        for batch in batches:
            with monitor.track("batch_forward", aggregate=True):
                off = line.forward(batch)
            with monitor.track("batch_backward", aggregate=True):
                line.backward(batch, off)
    monitor.print_summary(show_aggregate=True)
    yield "loss of the last batch", loss_of(off), 0.03
    calls = {metric.operation: metric.call_count for metric in monitor.get_metrics()}
    yield "calls that are missing", abs(calls["batch_forward"] - EPOCHS * len(batches)), 0.5


def context_manager(args):
    """One block: its line is printed where it ends."""
    with track_performance("critical_operation"):
        values = sorted(random.random() for _ in range(200000))
    yield "values out of order", sum(a > b for a, b in zip(values, values[1:])), 0.5


@monitor_performance("data processing")
def process_batch(batch):
    return [math.sin(x) + y for x, y in batch]


def function_decorator(args):
    """One function: a line for each call."""
    results = [process_batch(load_data(BATCH)) for _ in range(3)]
    yield "mean of what came back", abs(sum(map(sum, results)) / (3 * BATCH) + 1), 0.1


def training_loop(args):
    """Lines for the first batches of each epoch, and its end."""
    monitor, line = EpochPerformanceMonitor(enabled=True, verbose_batches=1), Line()
    batches = batches_of(load_data(COUNT), BATCH)
    for _ in range(EPOCHS):
        monitor.on_epoch_start()
        for i, batch in enumerate(batches):
            monitor.on_batch_start(i)
            off = line.forward(batch)
            line.backward(batch, off)
            monitor.on_batch_end(i, loss_of(off))
        monitor.on_epoch_end()
    statistics = monitor.get_statistics()
    print("Average batch time: %.4fs over %d batches, the slowest %.1fx the fastest"
          % (statistics["avg_batch_time"], statistics["num_batches"],
             statistics["max_batch_time"] / statistics["min_batch_time"]))
    yield "loss of the last batch", loss_of(off), 0.03
    yield "slope, off by", abs(line.slope - 3), 0.1


def train_with_batch_size(data, size):
    line = Line()
    for batch in batches_of(data, size):
        line.backward(batch, line.forward(batch))
    return line


def bottleneck_identification(args):
    """What to look at first; and the same work under several settings."""
    monitor = PerformanceMonitor()
    with monitor.track("data_loading"):
        data = load_data(COUNT)
    with monitor.track("training"):
        line = train_with_batch_size(data, 64)
    monitor.print_bottlenecks()

    results = {}
    for size in (8, 16, 32, 64):
        sweep = PerformanceMonitor()
        with sweep.track("batch_size_%d" % size):
            train_with_batch_size(data, size)
        results[size] = sweep.get_total_time()
    optimal = min(results, key=lambda size: results[size])
    print("Optimal batch size: %d (%.3fs)" % (optimal, results[optimal]))
    if args.out:
        monitor.to_csv(os.path.join(args.out, "performance_metrics.csv"))
    yield "slope, off by", abs(line.slope - 3), 0.1


EXAMPLES = (basic_usage, aggregated_operations, context_manager, function_decorator, training_loop,
            bottleneck_identification)


def number(text):
    """Of an example."""
    if not 1 <= int(text) <= len(EXAMPLES):
        raise ValueError(text)
    return int(text)


def work(args):
    random.seed(args.seed)
    for chosen in args.numbers or range(1, len(EXAMPLES) + 1):
        example = EXAMPLES[chosen - 1]
        print("\n--- Example %d: %s" % (chosen, example.__doc__))
        yield from example(args)


if __name__ == "__main__":
    options = example_kit.parser(__doc__)
    example_kit.add_out(options)
    options.add_argument("numbers", nargs="*", type=number, metavar="NUMBER",
                         help="of an example, 1 to %d" % len(EXAMPLES))
    example_kit.main(work, __doc__, options)
