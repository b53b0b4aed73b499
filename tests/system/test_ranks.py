"""Ranks of a job: which runs belong to it, what the report says about them, and where they wait."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pit_case

sys.path.append(os.path.join(pit_case.source_dir(), "tests"))
import many_ranks  # noqa: E402

LIMIT = 120  # limit for a state to be reached, in seconds; only detects a hang


def environment(rank, size, job="j1", **more):
    """As torchrun sets it."""
    return pit_case.clean_env(RANK=str(rank), WORLD_SIZE=str(size), TORCHELASTIC_RUN_ID=job, **more)


class RanksCase(pit_case.Case):
    """The ranks are processes of the test itself; no assertion is about durations."""

    def setUp(self):
        super().setUp()
        self.where = self.folder()
        self.started = []
        self.addCleanup(self.stop_all)

    def stop_all(self):
        for child in self.started:
            if child.poll() is None:
                os.kill(child.pid, signal.SIGCONT)
                child.kill()
            child.communicate()

    def path(self, name):
        return os.path.join(self.where, name)

    def run_good(self, command, env=None, status=0):
        done = pit_case.run(command, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rank(self, rank, size, name=None, steps=50, parts=3, **more):
        """A rank that has ended."""
        path = self.path(name or "r%d.pit" % rank)
        self.run_good([pit_case.program("prog_rank"), path, steps, parts],
                      environment(rank, size, **more))
        return path

    def staying(self, rank, size, *spans, **more):
        """A rank that stays inside these spans of a step."""
        child = subprocess.Popen([pit_case.program("prog_rank"), self.path("r%d.pit" % rank), "50",
                                  "3", *spans], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 env=environment(rank, size, **more))
        self.started.append(child)
        self.assertEqual(child.stdout.readline(), b"there\n")  # it is inside them
        return child

    def tool(self, *arguments, status=0):
        return self.run_good([pit_case.tool(), *arguments], status=status)

    def document(self, *arguments, status=0):
        done = self.tool("report", self.where, "--json", *arguments, status=status)
        return json.loads(done.stdout), done.stderr

    def wait_headline(self, words, *command):
        """The first line of a report or of top, once it begins like that."""
        patience = pit_case.Patience(LIMIT)
        while True:
            out = self.tool(*command).stdout
            found = [line for line in out.splitlines() if line.startswith(words)]
            if found:
                return found[0]
            self.assertFalse(patience.is_over(), out)
            time.sleep(0.05)


class Jobs(RanksCase):
    """Two jobs are never merged, and the message names the one that is left out."""

    def test_a_job_alone_is_shown_with_its_ranks(self):
        for rank in range(3):
            self.rank(rank, 3)
        found, talk = self.document()
        self.assertEqual(talk, "")
        ranks = found["ranks"]
        self.assertEqual((ranks["job"], ranks["launcher"], ranks["count"], ranks["world_size"]),
                         ("j1", "torchrun", 3, 3))
        self.assertEqual((ranks["missing"], ranks["steps"], ranks["step_path"]), ([], 50, "step"))
        self.assertEqual(sorted(row["rank"] for row in ranks["rows"]), [0, 1, 2])
        self.assertEqual((ranks["wait_in"], ranks["is_estimated"]), ("all-reduce", True))
        works = [row["work_ns"] for row in ranks["rows"]]
        self.assertEqual(works, sorted(works, reverse=True))
        for row in ranks["rows"]:
            self.assertAlmostEqual(row["work_ns"] + row["wait_ns"] + row["transfer_ns"],
                                   row["step_ns"], delta=1)
        self.assertAlmostEqual(ranks["efficiency"], ranks["balance"] * ranks["communication"])

    def test_of_two_jobs_the_newest_or_the_one_that_is_named(self):
        for rank in range(2):
            self.rank(rank, 2, "old-%d.pit" % rank, steps=10, job="old")
        for rank in range(2):
            self.rank(rank, 2, "new-%d.pit" % rank, steps=20, job="new")
        found, talk = self.document()
        self.assertEqual((found["ranks"]["job"], found["ranks"]["steps"]), ("new", 20))
        self.assertIn("showing job new (torchrun, 2 of 2 ranks), not job old", talk)
        found, talk = self.document("--job", "old")
        self.assertEqual((found["ranks"]["job"], found["ranks"]["steps"]), ("old", 10))
        self.assertEqual(len(found["runs"]), 2)
        self.assertIn("not job new", talk)
        done = self.tool("report", self.where, "--job", "none", status=66)
        self.assertIn("no such job: none", done.stderr)

    def test_a_restarted_job_is_another_one(self):
        for restart in range(2):
            for rank in range(2):
                self.rank(rank, 2, "s%d-%d.pit" % (restart, rank), steps=10 + restart,
                          TORCHELASTIC_RESTART_COUNT=str(restart))
        found, talk = self.document()
        self.assertEqual((found["ranks"]["job"], found["ranks"]["steps"]), ("j1/1", 11))
        self.assertIn("not job j1 (", talk)
        listed = json.loads(self.tool("list", self.where, "--json").stdout)["runs"]
        self.assertEqual([(run["job"], run["rank"]) for run in listed],
                         [("j1/1", "0"), ("j1/1", "1"), ("j1", "0"), ("j1", "1")])

    def test_an_id_that_is_used_again_is_another_job(self):
        for turn in range(2):
            for rank in range(2):
                self.rank(rank, 2, "t%d-%d.pit" % (turn, rank), steps=10 + turn)
        found, talk = self.document()
        self.assertEqual(found["ranks"]["steps"], 11)
        self.assertIn("job j1#2 (", talk)
        self.assertEqual(self.document("--job", "j1")[0]["ranks"]["steps"], 10)

    def test_a_rank_without_a_run_is_missing(self):
        for rank in (0, 2):
            self.rank(rank, 4)
        found, _ = self.document()
        self.assertEqual(found["ranks"]["missing"], [1, 3])
        self.assertIn("1, 3: no run of these ranks was found", self.tool("report", self.where).stdout)

    def test_a_damaged_file_is_told_and_its_rank_missing(self):
        paths = [self.rank(rank, 3) for rank in range(3)]
        with open(paths[2], "r+b") as file:
            file.write(b"no run")
        done = self.tool("report", self.where, "--json", status=66)
        found = json.loads(done.stdout)
        self.assertIn(paths[2], done.stderr)
        self.assertEqual(sorted(row["rank"] for row in found["ranks"]["rows"]), [0, 1])
        self.assertEqual(found["ranks"]["missing"], [2])

    def test_a_file_that_is_cut_is_a_rank_with_a_note(self):
        paths = [self.rank(rank, 2, parts=64) for rank in range(2)]
        os.truncate(paths[1], os.path.getsize(paths[1]) // 2)
        found, _ = self.document()
        self.assertEqual(found["ranks"]["count"], 2)
        lost = {run["facts"]["rank"]: run["losses"]["beyond_file_bytes"] for run in found["runs"]}
        self.assertEqual(lost["0"], 0)
        self.assertGreater(lost["1"], 0)

    def test_one_rank_alone_is_a_plain_run(self):
        path = self.rank(0, 1)
        self.assertIsNone(json.loads(self.tool("report", path, "--json").stdout)["ranks"])

    def test_other_runs_are_left_out_and_told(self):
        for rank in range(2):
            self.rank(rank, 2)
        self.run_good([pit_case.program("prog_rank"), self.path("plain.pit"), 5, 1])
        found, talk = self.document()
        self.assertEqual(len(found["runs"]), 2)
        self.assertIn(", not 1 run that is no rank", talk)


class Below(RanksCase):
    """Ranks that a launcher below `pitwall run` starts are ranks; their workers are workers."""

    def test_ranks_of_a_launcher_with_a_run_are_no_workers(self):
        script = "; ".join("RANK=%d WORLD_SIZE=2 TORCHELASTIC_RUN_ID=t %s %s 20 2" % (
            rank, pit_case.program("prog_rank"), self.path("rank-%d.pit" % rank)) for rank in range(2))
        launcher = self.path("launcher.pit")
        self.run_good([pit_case.tool(), "run", "-o", launcher, "--", "sh", "-c", script])
        for argument in (launcher, self.where):
            done = self.tool("report", argument, "--json")
            found = json.loads(done.stdout)
            self.assertEqual(found["ranks"]["count"], 2)
            self.assertEqual(found["sub_runs"]["count"], 0)
            self.assertEqual(sorted(run["facts"]["rank"] for run in found["runs"]), ["0", "1"])


class Standstill(RanksCase):
    """Where ranks wait, and for whom: live, stopped, killed."""

    def setUp(self):
        super().setUp()
        for rank in range(2):
            self.staying(rank, 3, "all-reduce")
        self.last = self.staying(2, 3, "checkpoint")

    def test_a_stopped_rank_is_named_with_where_it_is(self):
        os.kill(self.last.pid, signal.SIGSTOP)
        for command in (("report", self.where), ("top", self.where, "--once")):
            line = self.wait_headline("HANG?", *command)
            self.assertRegex(line, r"2 of 3 ranks have waited .* in all-reduce; rank 2 has not come: "
                                   r"step > checkpoint, .* in\.")

    def test_a_killed_rank_is_named_with_where_it_was(self):
        self.last.kill()
        self.last.wait()
        for command in (("report", self.where), ("top", self.where, "--once")):
            line = self.wait_headline("DIED", *command)
            self.assertRegex(line, r"rank 2 died in step > checkpoint.*; 2 of 3 ranks waited in "
                                   r"all-reduce\.")
        self.stop_all()  # as a launcher ends the others
        for command in (("report", self.where), ("top", self.where, "--once")):
            self.wait_headline("DIED: rank 2 died in step > checkpoint", *command)
        listed = self.tool("top", self.where, "--once").stdout
        self.assertEqual([len(re.findall(r"(?m)^rank %d  " % rank, listed)) for rank in range(3)],
                         [1, 1, 1])


class Collectives(RanksCase):
    """If each collective is logged, waiting is exact, and its number shows which ranks have not arrived."""

    def test_waiting_is_known_call_by_call(self):
        for rank in range(3):
            self.rank(rank, 3, COLLECTIVES="1")
        ranks = self.document()[0]["ranks"]
        self.assertEqual((ranks["wait_in"], ranks["is_estimated"], ranks["estimated_by"]),
                         ("MPI_Allreduce", False, None))
        self.assertAlmostEqual(sum(row["last_share"] for row in ranks["rows"]), 1)
        for row in ranks["rows"]:
            self.assertGreaterEqual(row["wait_ns"], 0)
            self.assertGreaterEqual(row["transfer_ns"], 0)

    def test_waiting_for_messages_is_no_transfer(self):
        self.rank(0, 2, COLLECTIVES="1", steps=10)
        self.rank(1, 2, COLLECTIVES="1", RECEIVES="5", steps=10)  # 5 ms a step, or more
        ranks = self.document()[0]["ranks"]
        self.assertEqual((ranks["is_estimated"], "messages" in ranks["estimated_by"]), (True, True))
        (waits,) = [row for row in ranks["rows"] if row["rank"] == 1]
        self.assertGreaterEqual(waits["wait_ns"], 5e6)
        self.assertIn("~ estimated: waits for messages",
                      self.run_good([pit_case.tool(), "report", self.where, "--view", "ranks"]).stdout)

    def test_a_hang_has_the_number_of_the_collective(self):
        for rank in range(2):
            self.staying(rank, 3, "MPI_Allreduce", COLLECTIVES="1")
        self.staying(2, 3, "checkpoint", COLLECTIVES="1")
        line = self.wait_headline("HANG?", "report", self.where)
        self.assertRegex(line, r"2 of 3 ranks have waited .* in MPI_Allreduce #50; rank 2 has not "
                               r"come: step > checkpoint, .* in\.")


class Many(RanksCase):
    """From 17 ranks on files are streamed."""

    def test_streamed_ranks_are_the_same_as_the_runs_together(self):
        base = self.path("base.pit")
        self.run_good([pit_case.program("prog_rank"), base, 40, 6],
                      pit_case.clean_env(RANK="0000", WORLD_SIZE=20, TORCHELASTIC_RUN_ID="m"))
        folder = self.path("many")
        many_ranks.make(base, folder, 20)
        whole = json.loads(self.tool("report", folder, "--json").stdout)
        rows = json.loads(self.tool("report", folder, "--view", "ranks", "--json").stdout)
        self.assertEqual((rows["count"], rows["world_size"], rows["missing"]), (20, 20, []))
        self.assertEqual(rows["step_ns"], whole["ranks"]["step_ns"])
        flat = json.loads(self.tool("report", folder, "--view", "tree", "--json").stdout)
        ours = {node["path"]: node["count"] for node in flat["rows"]}
        self.assertEqual(ours, {node["path"]: node["count"] for node in whole["nodes"]})
        text = self.tool("report", folder).stdout
        self.assertIn("9 more, work ", text)
        self.assertIn("ranks       20 of 20, 1 host, torchrun, job m, 40 steps", text)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
