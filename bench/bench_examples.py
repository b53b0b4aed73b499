#!/usr/bin/env python3
"""What the spans of two whole programs cost: fitting and rom, against the same sources without a span.

    bench_examples.py BUILD [ROUNDS]

Each round runs the program with its spans, and twice the one without, in an order by coin. The cost is
the processor time of the first over that of the second, each at the 10th percentile of the rounds. The
noise is the same figure of the two that are one program, or of the two halves of the rounds if that is
larger: what a cost of nothing could look like.
"""

import os
import random
import subprocess
import sys
import tempfile

PROGRAMS = ("fitting", "rom")


def processor_seconds(command, folder):
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit("bench: %s: status %d" % (" ".join(command), child.returncode))
    return used.ru_utime + used.ru_stime


def tenth_percentile(times):
    return sorted(times)[len(times) // 10]


def measure(build, name, rounds):
    times = {"spans": [], "plain": [], "again": []}
    commands = {which: os.path.join(build, *path, name + end) for which, path, end in (
        ("spans", ["examples"], ""), ("plain", ["bench"], "_plain"), ("again", ["bench"], "_plain"))}
    for _ in range(rounds):
        order = list(times)
        random.shuffle(order)
        for which in order:
            with tempfile.TemporaryDirectory(dir=os.environ.get("PITWALL_BENCH_DIR")) as folder:
                times[which].append(processor_seconds([commands[which], "--quiet"], folder))
    low = {which: tenth_percentile(found) for which, found in times.items()}
    cost = 100 * (low["spans"] / min(low["plain"], low["again"]) - 1)
    half = rounds // 2
    halves = [tenth_percentile(times["plain"][part] + times["again"][part])
              for part in (slice(0, half), slice(half, None))]
    noise = 100 * max(abs(low["plain"] / low["again"] - 1), abs(halves[0] / halves[1] - 1))
    print("%s_cost_pct %.4f" % (name, cost))
    print("%s_noise_pct %.4f" % (name, noise))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: bench_examples.py BUILD [ROUNDS]")
    for program in PROGRAMS:
        measure(os.path.abspath(sys.argv[1]), program, int(sys.argv[2]) if sys.argv[2:] else 9)
