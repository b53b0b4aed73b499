#!/usr/bin/env python3
"""Instructions that the spans of two whole programs take, counted by callgrind:

    bench_instructions.py BUILD

bench_examples runs a number of batches of examples/fitting.c or examples/rom.c, once as they are and
once compiled without a span. Only those batches are counted, not the start, not the opening and closing
of the run. A count does not depend on how busy the machine is; it ignores caches. Under callgrind the
program is fifty times slower but the clock is not, so work that a span does at intervals of the clock, such
as starting a new bucket of its series, is counted more often than in a real run: the figure is an upper bound.
Prints "name value" lines for collect.py.
"""

import os
import re
import shutil
import subprocess
import sys

BATCHES = (("fitting", 60), ("rom", 12))


def count(build, program, copy, batches):
    env = dict(os.environ, PITWALL_SAMPLE="0")  # the sampler is another thread and depends on the clock
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
         "--toggle-collect=counted_batches",
         os.path.join(build, "bench", "bench_examples"), program, copy, str(batches)],
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found or int(found[1]) == 0:
        sys.exit("bench_instructions: %s %s: nothing counted\n%s" % (program, copy, done.stderr))
    return int(found[1])


def main(build):
    has_valgrind = shutil.which("valgrind") is not None
    if not has_valgrind:
        print("bench_instructions: no valgrind: instructions are n/a", file=sys.stderr)
    for program, batches in BATCHES:
        figure = "n/a"
        if has_valgrind:
            spans, plain = (count(build, program, copy, batches) for copy in ("spans", "plain"))
            figure = "%.5f" % (100 * (spans / plain - 1))
        print("%s_instructions_pct %s" % (program, figure))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench_instructions.py BUILD")
    main(sys.argv[1])
