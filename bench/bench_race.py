"""What `pitwall race` says of a program of 50 ms against itself, and against itself doing 5 % more work.

bench_race.py BUILD: prints "name value" lines for collect.py.

    race_self_races       races against itself that were run
    race_self_alarms      those of them with a verdict of faster or slower
    race_5pct_races       races against 5 % more work that were run
    race_5pct_missed      those of them that did not find it slower
    race_5pct_wrong       those of them that called it faster
    race_interval_pct     how far the interval of the change reached to either side there, in percent of
                          the time: the median
    race_seconds          what a race took: the median

Every race has its default budget of a minute, so 40 and 10 of them can take the better part of an hour.
RACES_SECONDS (600) ends it before, with as many as were run; RACES_SELF (40) and RACES_MORE (10) are how
many there are to be.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

UNITS, MORE_UNITS = 240, 252  # of bench_work, 0.2 ms each


def race(build, folder, units):
    """The verdict on the wall time of `units` against UNITS, the half-width of its interval in percent, and
    the seconds it took."""
    work = os.path.join(build, "bench", "bench_work")
    begun = time.monotonic()
    done = subprocess.run([os.path.join(build, "bin", "pitwall"), "race", "--quiet", "--json",
                           "--shell", "none", "-o", os.path.join(folder, "runs"),
                           "%s %d" % (work, UNITS), "%s %d" % (work, units)],
                          stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 2):
        raise SystemExit("bench_race: pitwall race ended with status %d" % done.returncode)
    found = json.loads(done.stdout)["comparisons"][0]
    return found["verdict"], 50 * (found["high"] - found["low"]), time.monotonic() - begun


def run_all(build, folder):
    """Four races against itself, one against more work, and so on: both kinds are run, whenever the time is
    up."""
    wanted = {UNITS: int(os.environ.get("RACES_SELF", 40)),
              MORE_UNITS: int(os.environ.get("RACES_MORE", 10))}
    limit = time.monotonic() + float(os.environ.get("RACES_SECONDS", 600))
    found = {UNITS: [], MORE_UNITS: []}
    turns = [MORE_UNITS, UNITS, UNITS, UNITS, UNITS]
    turn = 0
    while any(len(found[units]) < wanted[units] for units in wanted):
        if time.monotonic() >= limit:
            break
        units = turns[turn % len(turns)]
        turn += 1
        if len(found[units]) < wanted[units]:
            found[units].append(race(build, folder, units))
    return found[UNITS], found[MORE_UNITS]


def main():
    folder = tempfile.mkdtemp(prefix="pitwall-bench-")
    try:
        same, more = run_all(sys.argv[1], folder)
    finally:
        shutil.rmtree(folder)

    def count(races, *verdicts):
        return sum(verdict in verdicts for verdict, _, _ in races)

    def middle(figures):
        return "%.3g" % statistics.median(figures) if figures else "n/a"

    print("race_self_races", len(same))
    print("race_self_alarms", count(same, "faster", "slower"))
    print("race_5pct_races", len(more))
    print("race_5pct_missed", len(more) - count(more, "slower"))
    print("race_5pct_wrong", count(more, "faster"))
    print("race_interval_pct", middle([width for _, width, _ in more]))
    print("race_seconds", middle([seconds for _, _, seconds in same + more]))


if __name__ == "__main__":
    main()
