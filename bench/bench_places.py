"""What stack samples of Python cost: lines "key value" for collect.py.

    PYTHONPATH=build/python /usr/bin/python3 bench/bench_places.py

One process repeats the same work: without samples, with ten per second, and with five hundred per second,
in random order in each round. The figure is the processor time of the whole process, including our thread:
its median over the rounds, compared with the median without samples. The fast rate gives the cost of one
sample, from which that of ten per second is computed; measured directly it is within the noise, which is
the difference between two series without samples.
"""

import random
import statistics
import time

import pitwall
from pitwall import _pitwall

ROUNDS = 60
FAST_HZ, USUAL_HZ = 500, 10
PACES = {"off": 0, "again": 0, "usual": USUAL_HZ, "fast": FAST_HZ}


def show(key, value):
    print("%s %.5f" % (key, value), flush=True)


def work(count):
    """Calls, objects and loops, as programs have them."""
    found = {}
    for i in range(count):
        found[i % 97] = str(i)
        if i % 7 == 0:
            found = dict(found)
    return len(found)


def measure(hz, count):
    """(processor time of the work in seconds, its samples)"""
    _pitwall._stack_pace(1 / hz if hz else None)
    pitwall.open(in_memory=True, sample_stacks=min(hz, USUAL_HZ))
    work(count // 10)
    before = pitwall.status()["place_samples"]
    start = time.process_time()
    work(count)
    took = time.process_time() - start
    samples = pitwall.status()["place_samples"] - before
    pitwall.close()
    return took, samples


def main():
    count = 20000
    start = time.process_time()
    work(count)
    count = int(count * 0.25 / (time.process_time() - start))  # a quarter of a second
    took = {pace: [] for pace in PACES}
    samples = 0
    for _ in range(ROUNDS):
        for pace in random.sample(list(PACES), len(PACES)):
            seconds, taken = measure(PACES[pace], count)
            took[pace].append(seconds)
            samples += taken if pace == "fast" else 0
    low = {pace: statistics.median(some) for pace, some in took.items()}
    sample = (low["fast"] - low["off"]) / (samples / ROUNDS)
    show("places_python_sample_us", sample * 1e6)
    show("places_python_pct", sample * USUAL_HZ * 100)
    show("places_python_direct_pct", (low["usual"] / low["off"] - 1) * 100)
    show("places_python_noise_pct", abs(low["again"] / low["off"] - 1) * 100)


if __name__ == "__main__":
    main()
