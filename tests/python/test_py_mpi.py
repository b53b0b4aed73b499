"""mpi4py from PyPI under OpenMPI and MPICH, whose library it loads privately."""

import glob
import os

import py_frameworks
from py_case import pit_case

import mpi_case


class Mpi4py(mpi_case.Case):
    def setUp(self):
        self.python, why = py_frameworks.find()
        if self.python is None:
            self.skipTest(why)

    def test_calls_and_bytes_are_what_each_rank_counted(self):
        # Debian's name of MPICH's library differs from the usual one.
        folder = self.folder()
        for path in glob.glob("/usr/lib/*/libmpich.so.12"):
            os.symlink(path, os.path.join(folder, "libmpi.so.12"))
        program = [self.python, os.path.join(mpi_case.SOURCES, "calls.py")]

        def part(kind):
            said, runs = self.run_job(kind, program, env={"MPI4PY_MPIABI": kind,
                                                          "LD_LIBRARY_PATH": folder})
            self.assertEqual(len(said.splitlines()), 12)
            for line in said.splitlines():
                rank, name, calls, in_bytes = line.split()
                nodes = [n for t in runs[int(rank)]["threads"] for n in t["nodes"]
                         if n["path"].rsplit("/", 1)[-1] == name]
                self.assertEqual((sum(n["count"] for n in nodes), sum(n["bytes"] for n in nodes)),
                                 (int(calls), int(in_bytes)), line)
            for run in runs:
                self.assertIn(5, [g["calls"] for g in run["groups"]])  # of the half

        self.for_each_mpi(part)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
