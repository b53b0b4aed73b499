"""What stack samples of Python cost: lines "key value" for collect.py.

    PYTHONPATH=build/python /usr/bin/python3 bench/bench_places.py

One process repeats the same work: without samples, with ten per second, and with a thousand per second, in
random order in each round. The figures are processor time. That of our own thread is read from its clock,
which is exact for short times too; that of the main thread is the mean of the middle half of the differences
between the turns of a round with a thousand and without samples. Each period has one sample, also if it was
late. The sum at ten per second is compared with the bar of 0.1 % of a processor. Measured directly it is within
the noise, which is the difference between two series without samples.
"""

import os
import random
import statistics
import time

import pitwall
from middle import middle
from pitwall import _pitwall

ROUNDS = 60
FAST_HZ, USUAL_HZ = 1000, 10
BAR_PCT = 0.1
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


def own_thread():
    """The folder of our sampling thread, or None."""
    for name in os.listdir("/proc/self/task"):
        folder = os.path.join("/proc/self/task", name)
        try:
            with open(os.path.join(folder, "comm"), encoding="ascii") as file:
                if file.read().startswith("pitwall stacks"):
                    return folder
        except OSError:  # it has ended
            pass
    return None


def own_seconds(folder):
    if not folder:
        return 0.0
    with open(os.path.join(folder, "schedstat"), encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9


def measure(hz, count):
    """(processor time of the main thread, of our thread, periods) of the work, in seconds"""
    _pitwall._stack_pace(1 / hz if hz else None)
    pitwall.open(in_memory=True, sample_stacks=min(hz, USUAL_HZ))
    work(count // 10)
    thread = own_thread()
    begun, own, start = time.monotonic(), own_seconds(thread), time.thread_time()
    work(count)
    main = time.thread_time() - start
    own = own_seconds(thread) - own
    periods = (time.monotonic() - begun) * hz
    pitwall.close()
    return main, own, periods


def main():
    count = 20000
    start = time.process_time()
    work(count)
    count = int(count * 0.25 / (time.process_time() - start))  # a quarter of a second
    took = {pace: [] for pace in PACES}
    for _ in range(ROUNDS):
        for pace in random.sample(list(PACES), len(PACES)):
            took[pace].append(measure(PACES[pace], count))
    bare = [(off[0] + again[0]) / 2 for off, again in zip(took["off"], took["again"])]

    def added(pace):
        return middle([some[0] - plain for some, plain in zip(took[pace], bare)])

    own = {pace: statistics.median(some[1] / some[2] for some in took[pace])
           for pace in ("usual", "fast")}
    periods = statistics.median(some[2] for some in took["fast"])
    main_sample, main_error = (figure / periods for figure in added("fast"))
    sample = own["usual"] + max(main_sample, 0)
    whole = statistics.median(bare)
    noise = middle([(again[0] - off[0]) for off, again in zip(took["off"], took["again"])])[0]
    show("places_python_sample_us", sample * 1e6)
    show("places_python_own_us", own["usual"] * 1e6)
    show("places_python_own_fast_us", own["fast"] * 1e6)
    show("places_python_main_us", main_sample * 1e6)
    show("places_python_main_error_us", main_error * 1e6)
    show("places_python_pct", sample * USUAL_HZ * 100)
    show("places_python_x_bar", sample * USUAL_HZ * 100 / BAR_PCT)
    show("places_python_direct_pct", added("usual")[0] / whole * 100)
    show("places_python_noise_pct", abs(noise) / whole * 100)


if __name__ == "__main__":
    main()
