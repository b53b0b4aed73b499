#!/usr/bin/env python3
"""Whether the report is right about real jobs of two ranks with MPI, of which one does a tenth of a step more work
(bench/mpi/mpi_verdicts.c); and whether it blames nobody where all do the same.

    bench_verdicts.py BUILD [JOBS [openmpi|mpich]]

Prints "name value" lines for collect.py. JOBS: of each planted kind, 20 by default; twice as many are balanced.
The ranks need a processor each: on a busy machine a difference of a tenth is lost in the noise, and the report
then says nothing. Uses OpenMPI, or MPICH; without both the figures are n/a."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCH = {"openmpi": ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                      "--mca", "mpi_yield_when_idle", "1"],
          "mpich": []}
PART = {"assemble": "assemble", "backward": "backward", "chain": "assemble"}
KEYS = ["verdict_jobs"] + ["verdict_%s_named" % case for case in PART] + [
    "verdict_wrongly_blamed", "verdict_balanced_jobs", "verdict_balanced_alarms"]


def blamed(build, kind, program, case, slow, folder):
    """The ranks that the report blames in one job, each with its part."""
    subprocess.run(["mpirun." + kind, *LAUNCH[kind], "-n", "2", os.path.join(build, "bin", "pitwall"),
                    "run", "--quiet", "-o", os.path.join(folder, "%r.pit"), "--", program, case,
                    str(slow)], check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done = subprocess.run([os.path.join(build, "bin", "pitwall"), "report", folder, "--json"],
                          check=True, stdout=subprocess.PIPE)
    return {row["rank"]: row["excess_in"] for row in json.loads(done.stdout)["ranks"]["rows"]
            if row["is_straggler"]}


def main(build, jobs=20, *wanted):
    kind = next((kind for kind in wanted or LAUNCH if shutil.which("mpicc." + kind)), None)
    if not kind:
        print("\n".join(key + " n/a" for key in KEYS))
        return
    named, wrong, alarms = dict.fromkeys(PART, 0), 0, 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("PITWALL_BENCH_DIR")) as folder:
        program = os.path.join(folder, "verdicts")
        lib = os.path.join(build, "lib")
        subprocess.run(["mpicc." + kind, "-O2", "-o", program,
                        os.path.join(HERE, "mpi", "mpi_verdicts.c"), "-I",
                        os.path.join(HERE, "..", "include"), "-L", lib, "-lpitwall",
                        "-Wl,-rpath," + lib], check=True)
        for number in range(jobs * (len(PART) + 2)):
            case = ("balanced", *PART, "balanced")[number % (len(PART) + 2)]
            slow = 0 if case == "chain" else number // 5 % 2
            where = os.path.join(folder, str(number))
            os.mkdir(where)
            found = blamed(build, kind, program, case, slow, where)
            shutil.rmtree(where)
            if case == "balanced":
                alarms += bool(found)
            else:
                named[case] += found == {slow: PART[case]}
                wrong += any(rank != slow for rank in found)
    for key, value in zip(KEYS, [jobs, *named.values(), wrong, 2 * jobs, alarms]):
        print(key, value)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:3]), *sys.argv[3:4]))
