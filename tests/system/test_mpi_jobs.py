"""Whole jobs of a real MPI: two programs in one job; a rank stopped or killed while the others wait."""

import json
import os
import re

import mpi_case
import pit_case
import pit_runs


class Programs(mpi_case.Case):
    def test_two_programs_of_one_job_are_its_ranks(self):
        def part(kind):
            folder = self.folder()
            first = self.compiled("calls.c", kind)
            second = os.path.join(folder, "another." + kind)
            os.symlink(first, second)
            both = self.job(kind, [first, "messages"], folder, ranks=1)
            both += [":", "-n", "1", *both[both.index(pit_case.tool()):-2], second, "messages"]
            self.run_ok(both, timeout=mpi_case.SECONDS, cwd=folder)
            runs = [pit_runs.read_both(self, os.path.join(folder, "rank-%d.pit" % rank), "closed")
                    for rank in range(2)]
            self.assertEqual(len({run["facts"]["job"] for run in runs}), 1)
            self.assertEqual([run["facts"]["program"] for run in runs],
                             [os.path.basename(first), os.path.basename(second)])
            said = "".join(open(os.path.join(folder, "said-%d" % rank), encoding="ascii").read()
                           for rank in range(2))
            self.check_said(said, runs)
            found = json.loads(self.run_ok([pit_case.tool(), "report", folder, "--json"]).stdout)
            self.assertEqual((found["ranks"]["count"], found["ranks"]["missing"]), (2, []))

        self.for_each_mpi(part)


DIED = re.escape("DIED: rank 2 died in no span, after MPI_Allreduce #4; 2 of 3 ranks waited in "
                 "MPI_Allreduce #5.")


class Standstill(mpi_case.Case):
    """Two ranks wait in the sixth collective for the third, which came out of the fifth."""

    def first_line(self, words, *command):
        """The verdict of report or top, once it begins like that."""
        def find():
            out = pit_case.run([pit_case.tool(), *command]).stdout
            return next((line for line in out.splitlines() if line.startswith(words)), None)

        return pit_runs.wait_until(find, mpi_case.SECONDS)

    def check_verdict(self, folder, words, line):
        for command in (("report", folder), ("top", folder, "--once")):
            self.assertRegex(self.first_line(words, *command) or "", line, command)

    @staticmethod
    def waiting_pids(job, folder):
        """The pids of the ranks once they are there."""
        def waits():
            runs = [mpi_case.try_load(os.path.join(folder, "rank-%d.pit" % rank)) for rank in range(3)]
            if not all(run and run["groups"] for run in runs):
                return None
            is_out = all(c["duration_ns"] is not None for c in runs[2]["groups"][0]["points"])
            calls = [run["groups"][0]["calls"] for run in runs]
            return [run["pid"] for run in runs] if is_out and calls == [6, 6, 5] else None

        return job.wait_until(waits)

    def test_report_and_top_name_the_rank_and_the_collective(self):
        def part(kind):
            folder = self.folder()
            job = mpi_case.Job(self.job(kind, [self.compiled("calls.c", kind), "hang"], folder,
                                        ranks=3), folder)
            try:
                pids = self.waiting_pids(job, folder)
                mpi_case.stop(pids[2])
                self.check_verdict(folder, "HANG?", r"^HANG\?: 2 of 3 ranks have waited .* in "
                                   r"MPI_Allreduce #5; rank 2 has not come: no span, after "
                                   r"MPI_Allreduce #4\.$")
                for pid in pids[:2]:  # MPI is not to end them in its own way when it notices
                    mpi_case.stop(pid)
                mpi_case.kill(pids[2])
                self.check_verdict(folder, "DIED", DIED)
                for pid in pids:  # as mpirun does
                    mpi_case.kill(pid)
                job.end()
            finally:
                job.kill()
            self.check_verdict(folder, "DIED", DIED)

        self.for_each_mpi(part)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
