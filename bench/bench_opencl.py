#!/usr/bin/env python3
"""What libpitwall-opencl adds to a launch, and how well device times agree with host times: bench_opencl.py
BUILD

Runs bench/opencl/launches.c alone and under `pitwall run`, in turn; each run gives the median of its
launches, and the smallest median of the rounds counts on both sides. The host measures from a kernel's
launch to the end of the wait for it; the run has the kernel's wait in the queue and its run time. Prints
"name value" lines for collect.py.
"""

import json
import os
import subprocess
import sys
import tempfile

ROUNDS = 7
HERE = os.path.dirname(os.path.abspath(__file__))


def main(build):
    tool = os.path.join(os.path.abspath(build), "bin", "pitwall")
    bare, ours, gaps = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "launches")
        subprocess.run(["gcc", "-O2", os.path.join(HERE, "opencl", "launches.c"), "-o", program, "-lOpenCL"],
                       check=True)
        env = {key: value for key, value in os.environ.items() if not key.startswith("PITWALL")}
        env["POCL_CACHE_DIR"] = folder

        def figures(*before):
            done = subprocess.run([*before, program], env=env, cwd=folder, check=True,
                                  stdout=subprocess.PIPE, encoding="utf-8")
            return [float(word) for word in done.stdout.split()]

        figures()  # compiles the kernels
        for number in range(ROUNDS):
            bare.append(figures()[0])
            run = "%d.pit" % number
            launch, bracket = figures(tool, "run", "--quiet", "-o", run, "--")
            ours.append(launch)
            shown = subprocess.run([tool, "report", "--json", run], cwd=folder, check=True,
                                   stdout=subprocess.PIPE).stdout
            medians = {n["path"]: n["p50_ns"] for n in json.loads(shown)["nodes"]}
            gaps.append((bracket - medians["longer"] - medians["longer/queued"]) / 1e3)
    print("opencl_launch_bare_ns %.0f" % min(bare))
    print("opencl_launch_cost_ns %.0f" % (min(ours) - min(bare)))
    print("opencl_kernel_gap_us %.2f" % sorted(gaps, key=abs)[ROUNDS // 2])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench_opencl.py BUILD")
    main(sys.argv[1])
