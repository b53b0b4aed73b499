"""Calls of MPI as spans: OpenMPI and MPICH, C, Fortran and Python, all with the same library."""

import os

import mpi_case
import pit_case
import pit_reader
import pit_runs


class Mpi(mpi_case.Case):
    def check_program(self, source, *arguments, then=None, ranks=2):
        """The ranks' own records agree with their runs, for each MPI; then calls then(said, runs)."""
        def part(kind):
            said, runs = self.run_job(kind, [self.compiled(source, kind), *arguments], ranks)
            self.check_said(said, runs)
            if then:
                then(said, runs)

        self.for_each_mpi(part)

    def check_groups_agree(self, runs):
        """Ranks of one group have its size, a number each, the same calls under the same numbers."""
        members = {}
        for run in runs:
            for group in run["groups"]:
                members.setdefault(group["id"], []).append(group)
        for group in members.values():
            self.assertEqual([g["size"] for g in group], [len(group)] * len(group))
            self.assertEqual(sorted(g["rank"] for g in group), list(range(len(group))))
            self.assertEqual([mpi_case.calls_of(g) for g in group],
                             [mpi_case.calls_of(group[0])] * len(group))
            self.assertEqual(len({g["calls"] for g in group}), 1)
        return members

    def callers_of(self, runs):
        """Functions that called MPI and their program, without the suffix of the MPI in its name."""
        callers = [c for run in runs for c in run["messages"]["callers"]]
        self.assertTrue(all(c["offset"] > 0 for c in callers))
        return {(c["function"], c["file"].split(".")[0]) for c in callers}

    def test_messages_have_their_calls_and_bytes(self):
        self.check_program("calls.c", "messages")

    def test_collectives_have_their_bytes_and_numbers(self):
        def then(said, runs):
            wanted = int([line for line in said.splitlines() if " collectives " in line][0].split()[2])
            groups = self.check_groups_agree(runs)
            self.assertEqual(len(groups), 1)
            (world, _), = groups.values()
            self.assertEqual(world["calls"], wanted)
            sync = {c["path"]: c["is_sync"] for c in world["points"]}
            self.assertTrue(sync["MPI_Barrier"] and sync["MPI_Allreduce"] and sync["MPI_Alltoall"])
            self.assertFalse(sync["MPI_Bcast"] or sync["MPI_Reduce"] or sync["MPI_Iallreduce"])

            calls = sorted(c["calls"] for c in runs[0]["messages"]["callers"]
                           if c["path"] == "MPI_Allreduce")
            self.assertEqual(calls, [3, 3])  # two lines call it
            self.assertEqual(self.callers_of(runs), {("main", "calls"), ("collectives", "calls")})

        self.check_program("calls.c", "collectives", then=then)

    def test_new_communicators_have_one_id_in_all_their_ranks(self):
        def then(_, runs):
            groups = self.check_groups_agree(runs)
            sizes = sorted(len(group) for group in groups.values())
            # the world, two halves and their copies, all but the first, and the last one of all
            self.assertEqual(sizes, [2, 2, 2, 2, 3, 4, 4])

        self.check_program("calls.c", "split", then=then, ranks=4)

    def test_persistent_requests_count_their_bytes_at_each_start(self):
        self.check_program("calls.c", "persistent")

    def test_handles_that_are_used_again(self):
        def then(_, runs):
            groups = self.check_groups_agree(runs)
            self.assertEqual(len(groups), 64)  # the room is limited

        self.check_program("calls.c", "renewed", then=then)

    def test_a_program_in_cpp(self):
        def then(_, runs):
            groups = self.check_groups_agree(runs)
            self.assertEqual(sorted(g[0]["calls"] for g in groups.values()), [1, 4])
            functions = {function for function, _ in self.callers_of(runs)}
            self.assertTrue(any("Copy" in name for name in functions), functions)

        self.check_program("calls_cpp.cpp", then=then)

    def test_one_sided_calls_and_fences(self):
        self.check_program("calls.c", "one_sided")

    def test_input_and_output_is_no_communication(self):
        def then(_, runs):
            for node in (n for run in runs for t in run["threads"] for n in t["nodes"]):
                self.assertNotIn("comm", node)
            os.unlink(path)

        path = os.path.join(self.folder(), "data")
        self.check_program("calls.c", "file", path, then=then)

    def test_threads_in_communicators_of_their_own(self):
        def then(_, runs):
            groups = self.check_groups_agree(runs)
            self.assertEqual(sorted(g[0]["calls"] for g in groups.values()), [3, 40, 40, 40])

        self.check_program("calls.c", "threads", then=then)

    def test_a_program_that_only_begins(self):
        def part(kind):
            folder = self.folder()  # one rank: a launcher may end the others when the first ends so
            command = self.job(kind, [self.compiled("calls.c", kind), "nothing"], folder, ranks=1)
            pit_case.run(command, cwd=folder, timeout=mpi_case.SECONDS)
            run = mpi_case.try_load(os.path.join(folder, "rank-0.pit"))
            self.assertEqual(pit_runs.counts_by_path(run), {"MPI_Init": 1})

        self.for_each_mpi(part)

    def test_a_rank_that_ends_the_job_is_inside_of_abort(self):
        def part(kind):
            folder = self.folder()
            command = self.job(kind, [self.compiled("calls.c", kind), "abort"], folder)
            pit_case.run(command, cwd=folder, timeout=mpi_case.SECONDS)
            run = mpi_case.try_load(os.path.join(folder, "rank-1.pit"))
            opened = [span["path"] for span in run["threads"][0]["open"]]
            self.assertEqual(opened or list(pit_runs.counts_by_path(run))[-1:], ["MPI_Abort"])

        self.for_each_mpi(part)

    def test_fortran_by_both_modules(self):
        def then(_, runs):
            groups = self.check_groups_agree(runs)
            self.assertEqual(sorted(g[0]["calls"] for g in groups.values()), [1, 41])
            self.assertEqual({file for _, file in self.callers_of(runs)}, {source[:-len(".f90")]})

        for source in ("calls_mpi.f90", "calls_f08.f90"):
            self.check_program(source, then=then)

    def test_the_library_is_left_out_where_nothing_says_mpi(self):
        folder = self.folder()
        said = self.run_ok([pit_case.tool(), "run", "--quiet", "-o", os.path.join(folder, "a.pit"),
                            "--", "env"], cwd=folder).stdout
        self.assertNotIn("libpitwall-mpi", said)
        ranked = self.run_ok([pit_case.tool(), "run", "--quiet", "-o",
                              os.path.join(folder, "b.pit"), "--", "env"], cwd=folder,
                             env=dict(os.environ, PMI_RANK="0")).stdout
        self.assertIn("libpitwall-mpi", ranked)


class Jobs(mpi_case.Case):
    def test_two_jobs_of_one_program_at_the_same_time_have_ids_of_their_own(self):
        def part(kind):
            folder = self.folder()
            script = ': > "here-$1-$$"; until [ -e go ]; do sleep 0.05; done'
            jobs = []
            try:
                for number in range(2):
                    jobs.append(mpi_case.Job(self.job(kind, ["sh", "-c", script, "sh", str(number)],
                                                      folder, name="job-%d" % number), folder))
                    jobs[-1].wait_until(lambda: sum(name.startswith("here-%d" % number)
                                                    for name in os.listdir(folder)) == 2)
                with open(os.path.join(folder, "go"), "w"):
                    pass
                for job in jobs:
                    job.end()
            finally:
                for job in jobs:
                    job.kill()
            ids = [[pit_reader.load(os.path.join(folder, "job-%d-%d.pit" % (job, rank)))["facts"]
                    .get("job") for rank in range(2)] for job in range(2)]
            self.assertTrue(ids[0][0] and ids[1][0])
            self.assertEqual([a == b for a, b in ids], [True, True])
            self.assertNotEqual(ids[0][0], ids[1][0])

        self.for_each_mpi(part)


class Killed(mpi_case.Case):
    @staticmethod
    def wait_for_hang(job, paths):
        """The runs once the first two ranks are in the sixth call and the third has come out of five."""
        def waits():
            runs = [mpi_case.try_load(path) for path in paths]
            if not all(run and run["groups"] for run in runs):
                return None
            groups = [run["groups"][0] for run in runs]
            is_out = all(call["duration_ns"] is not None for call in groups[2]["points"])
            return runs if [g["calls"] for g in groups] == [6, 6, 5] and is_out else None

        return job.wait_until(waits)

    def test_the_others_show_the_collective_in_which_they_wait(self):
        def part(kind):
            folder = self.folder()
            command = self.job(kind, [self.compiled("calls.c", kind), "hang"], folder, ranks=3)
            paths = [os.path.join(folder, "rank-%d.pit" % rank) for rank in range(3)]
            job = mpi_case.Job(command, folder)
            try:
                runs = self.wait_for_hang(job, paths)
                for run in runs[:2]:  # MPI must not end them itself when it notices
                    mpi_case.stop(run["pid"])
                for run in reversed(runs):
                    mpi_case.kill(run["pid"])
                job.end()
            finally:
                job.kill()
            for rank in range(2):
                run = pit_runs.read_both(self, paths[rank], "died")
                last = run["groups"][0]["points"][-1]
                self.assertEqual((last["seq"], last["path"]), (5, "MPI_Allreduce"))
                self.assertIsNone(last["duration_ns"])
                self.assertIn("MPI_Allreduce", [s["path"] for s in run["threads"][0]["open"]])
            dead = pit_runs.read_both(self, paths[2], "died")
            self.assertEqual([c["duration_ns"] is None for c in dead["groups"][0]["points"]],
                             [False] * 5)

        self.for_each_mpi(part)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
