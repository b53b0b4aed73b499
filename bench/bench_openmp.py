#!/usr/bin/env python3
"""The time that libpitwall-openmp adds to a parallel region outside of all spans, which becomes a span. The team
has one thread, so that no wake-up is in the figure; with gcc's libgomp and with clang's libomp, in turn.

    bench_openmp.py BUILD

Without a compiler that has OpenMP its figures are n/a."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"gomp": "gcc", "ompt": "clang"}
TURNS = 5


def compiled(compiler, folder):
    program = os.path.join(folder, "regions-" + compiler)
    command = [compiler, "-O2", "-fopenmp", "-o", program,
               os.path.join(HERE, "openmp", "omp_regions.c")]
    try:
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return None
    return program


def region_ns(program, **more):
    done = subprocess.run([program], check=True, stdout=subprocess.PIPE, encoding="utf-8",
                          env=dict(os.environ, **more))
    return float(done.stdout)


def main(build):
    library = os.path.join(os.path.abspath(build), "lib", "libpitwall-openmp.so")
    with tempfile.TemporaryDirectory() as folder:
        for kind, compiler in KINDS.items():
            program = compiled(compiler, folder)
            bare, seen = [], []
            for turn in range(TURNS if program else 0):
                bare.append(region_ns(program))
                seen.append(region_ns(program, LD_PRELOAD=library, PITWALL_FILE=os.path.join(
                    folder, "%s-%d.pit" % (kind, turn))))
            print("%s_region_bare_ns %s" % (kind, "%.0f" % min(bare) if bare else "n/a"))
            print("%s_region_added_ns %s" % (kind, "%.0f" % (min(seen) - min(bare)) if bare else "n/a"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
