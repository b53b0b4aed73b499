#!/usr/bin/env python3
"""The time that libpitwall-mpi adds to a call of MPI, compared with the bare call in the same run; and the
error of waits computed from durations alone (a rank's own minus the shortest), against waits by the
machine's clock.

    bench_mpi.py BUILD [openmpi|mpich]

Uses OpenMPI if there is no second argument, or MPICH if that is missing; without both the figures are n/a."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests"))

import pit_reader  # noqa: E402

KEYS = ("mpi_call_ns", "mpi_call_added_ns", "mpi_collective_added_ns", "mpi_wait_error_pct")
LAUNCH = {"openmpi": ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                      "--mca", "mpi_yield_when_idle", "0"],
          "mpich": []}
RANKS = 2


def run_job(kind, build, folder, name):
    """Compile a program of bench/mpi and run it; its ranks' runs are NAME-0.pit and so on."""
    program = os.path.join(folder, name)
    subprocess.run(["mpicc." + kind, "-O2", "-o", program, os.path.join(HERE, "mpi", name + ".c")],
                   check=True)
    subprocess.run(["mpirun." + kind, *LAUNCH[kind], "-n", str(RANKS),
                    os.path.join(build, "bin", "pitwall"), "run", "--quiet", "-o",
                    program + "-%r.pit", "--", program], check=True, stdin=subprocess.DEVNULL)


def wait_error_pct(runs):
    """As a share of all waits in the collectives of the first group."""
    calls = {}
    for run in runs:
        for call in run["groups"][0]["points"]:
            enter = run["start_wall_ns"] + call["enter_ns"]
            calls.setdefault(call["seq"], []).append((enter, call["duration_ns"]))
    by_clock = by_duration = 0
    for ranks in calls.values():
        last, least = max(enter for enter, _ in ranks), min(ns for _, ns in ranks)
        by_clock += sum(last - enter for enter, _ in ranks)
        by_duration += sum(ns - least for _, ns in ranks)
    return 100 * abs(by_duration - by_clock) / by_clock


def main(build, *wanted):
    kind = next((kind for kind in wanted or LAUNCH if shutil.which("mpicc." + kind)), None)
    if not kind:
        print("\n".join(key + " n/a" for key in KEYS))
        return
    with tempfile.TemporaryDirectory() as folder:
        run_job(kind, build, folder, "mpi_turns")
        run_job(kind, build, folder, "mpi_waits")
        runs = [pit_reader.load(os.path.join(folder, "mpi_waits-%d.pit" % rank))
                for rank in range(RANKS)]
    print("mpi_wait_error_pct %.2f" % wait_error_pct(runs))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
