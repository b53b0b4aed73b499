"""What the builds and the programs of tests/run.py cost: used for their order and for the time left.

The figures are in run_costs.txt: stage, program or `build`, seconds of processor time, seconds. Every run
of all stages writes the figures that it measured, in the same form, to build/test-logs/costs.txt. If the
tests have changed, replace run_costs.txt by this file, from a quiet machine.
"""

import os

MEASURED = os.path.splitext(os.path.abspath(__file__))[0] + ".txt"
CHEAP = (0.3, 1.0)  # a program that is not listed: its seconds of processor time, its seconds


class Costs:
    """The measured costs of builds and programs, and how much of them is done."""

    def __init__(self, stages):
        self.known = read(MEASURED)
        names = [stage.name for stage in stages]
        self.whole = sum(cpu for (stage, _), (cpu, _) in self.known.items() if stage in names)
        self.done = 0.0

    def of(self, stage, name):
        """Seconds of processor time, and seconds."""
        return self.known.get((stage.name, name), CHEAP)

    def program_done(self, stage, name):
        """A program that is not listed adds its cost both to the sum and to the part that is done."""
        cost = self.of(stage, name)[0]
        self.done += cost
        if (stage.name, name) not in self.known:
            self.whole += cost

    def seconds_left(self, gone, under_way):
        """Estimated from the work done so far and the time it took."""
        done = max(self.done + under_way, 1.0)
        return gone * max(self.whole - done, 0.0) / done


def read(path):
    """By stage and name: seconds of processor time, and seconds."""
    costs = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            stage, name, cpu, seconds = line.split()
            costs[stage, name] = float(cpu), float(seconds)
    return costs


def write(path, costs):
    """Only entries that cost more than the default."""
    with open(path, "w", encoding="utf-8") as file:
        for cpu, seconds, stage, name in sorted(costs, key=lambda cost: (cost[2], cost[3])):
            if cpu > 2 * CHEAP[0] or seconds > 2 * CHEAP[1]:
                file.write("%s %s %.1f %.1f\n" % (stage, name, cpu, seconds))
