#!/usr/bin/env python3
"""What libpitwall-mpi adds to a call of MPI, beside the bare call in the same run.

    bench_mpi.py BUILD

Takes OpenMPI, or MPICH; without both the figures are n/a."""

import os
import shutil
import subprocess
import sys
import tempfile

KEYS = ("mpi_call_ns", "mpi_call_added_ns", "mpi_collective_added_ns")
LAUNCH = {"openmpi": ["--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"],
          "mpich": []}


def main(build):
    kind = next((kind for kind in LAUNCH if shutil.which("mpicc." + kind)), None)
    if not kind:
        print("\n".join(key + " n/a" for key in KEYS))
        return
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpi", "mpi_turns.c")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "mpi_turns")
        subprocess.run(["mpicc." + kind, "-O2", "-o", program, source], check=True)
        subprocess.run(["mpirun." + kind, *LAUNCH[kind], "-n", "2",
                        os.path.join(build, "bin", "pitwall"), "run", "--quiet", "-o",
                        os.path.join(folder, "rank-%r.pit"), "--", program],
                       check=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
