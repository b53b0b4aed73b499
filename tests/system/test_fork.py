"""Forks of every kind, at any moment, from any thread: the parent's run stays exact, a child that records gets
its own run, and a child that does not record leaves nothing behind."""

import os
import re
import signal
import subprocess

import pit_case
import pit_reader
import pit_runs


class Fork(pit_case.Case):
    def setUp(self):
        self.seed = pit_runs.seed_of_test()
        self.note = "PIT_TEST_SEED=%d: " % self.seed
        self.home = self.folder()
        self.path = os.path.join(self.home, "run.pit")
        self.truth_path = os.path.join(self.home, "truth")

    def command(self, what, count):
        return [pit_case.program("prog_forks"), what, self.path, self.truth_path, str(self.seed),
                str(count)]

    def children(self):
        """The runs in the folder but the parent's, by the pid in their names."""
        runs = {}
        for name in sorted(os.listdir(self.home)):
            if name.endswith(".pit") and name != "run.pit":
                pid = re.fullmatch(r"run(?:-fork\d+)*-fork(\d+)\.pit", name)
                self.assertTrue(pid, name)
                runs[int(pid.group(1))] = os.path.join(self.home, name)
        return runs

    def check_child(self, path, pid, spans, state, parents):
        run = pit_runs.read_both(self, path, state, self.note)
        self.assertEqual(run["pid"], pid, self.note)
        counts = pit_runs.counts_by_path(run)
        if "plain" in counts:
            self.assertEqual(counts, {"plain": spans}, self.note)
        else:
            self.assertEqual(counts, {"child": spans, "child/below": spans}, self.note)
        for thread in run["threads"]:
            self.assertEqual(set(thread["counters"].values()), {0}, self.note)
        parent = run["facts"]["parent_path"]
        self.assertIn(parent, parents, self.note)
        self.assertEqual(run["parent_run_id"], parents[parent]["run_id"], self.note)
        return run

    def test_a_storm_of_forks_leaves_every_run_exact(self):
        print("seed %d" % self.seed, end=" ", flush=True)
        done = pit_case.run(self.command("storm", 60 if not pit_case.sanitizer() else 16),
                            timeout=60)
        self.assertEqual(done.returncode, 0, self.note + done.stderr)
        parent = pit_runs.read_both(self, self.path, "closed", self.note)
        truth = pit_runs.Truth(self.truth_path)
        pit_runs.check_counts(self, parent, truth, self.note)
        for ended, ending, *_ in truth.paths.values():
            self.assertEqual(ended, ending, self.note)
        for thread in parent["threads"]:
            counters = dict(thread["counters"], table_full=0)
            self.assertEqual(set(counters.values()), {0}, self.note)

        said = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
        # Half of the children or more record, by chance: as few as this in one of 8,000,000 runs.
        self.assertGreater(len(said), 10 if not pit_case.sanitizer() else 2, self.note)
        runs = self.children()
        self.assertEqual(sorted(runs), sorted(pid for pid, _, _ in said), self.note)
        parents = {self.path: parent}
        for path in runs.values():
            parents[path] = pit_reader.load(path)
        for pid, parent_pid, spans in said:
            state = "closed" if parents[runs[pid]]["state"] == "closed" else "died"
            run = self.check_child(runs[pid], pid, spans, state, parents)
            # The nearest ancestor that had a run when it forked.
            named = parents[run["facts"]["parent_path"]]["pid"]
            self.assertIn(named, (parent_pid, parent["pid"]), self.note)

    def kill_one_of_two(self, which):
        process = subprocess.Popen(self.command("wait", 0), env=pit_case.clean_env(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        child = 0
        try:
            child = int(process.stdout.readline().split()[0])
            victim, other = (child, process.pid) if which == "child" else (process.pid, child)
            os.kill(victim, signal.SIGKILL)
            if victim == process.pid:
                process.wait(300)
            victim_path, other_path = self.path, self.children()[child]
            if which == "child":
                victim_path, other_path = other_path, victim_path
            gone = pit_runs.wait_until(
                lambda: pit_runs.report(self, victim_path)["runs"][0]["state"] == "died")
            self.assertTrue(gone, "the victim's run is still live")
            # The survivor's lock is its own: its run still lives.
            self.assertEqual(pit_runs.report(self, other_path)["runs"][0]["state"], "live")
            os.kill(other, signal.SIGKILL)
        finally:
            process.kill()
            process.wait(300)
            if child and which != "child":
                try:
                    os.kill(child, signal.SIGKILL)
                except ProcessLookupError:
                    pass  # it is gone, as it should be
            process.stdout.close()
        self.assertTrue(pit_runs.wait_until(
            lambda: pit_runs.report(self, other_path)["runs"][0]["state"] == "died"))
        parent = pit_runs.read_both(self, self.path, "died", self.note)
        truth = pit_runs.Truth(self.truth_path)
        pit_runs.check_counts(self, parent, truth, self.note)
        pit_runs.check_open(self, parent, truth, self.note)
        run = pit_runs.read_both(self, self.children()[child], "died", self.note)
        self.assertEqual(pit_runs.counts_by_path(run), {"child": 10, "child/below": 10})
        self.assertEqual([span["path"] for t in run["threads"] for span in t["open"]], ["child"])

    def test_a_killed_child_leaves_its_run_and_its_parent_alive(self):
        self.kill_one_of_two("child")

    def test_a_killed_parent_leaves_its_run_and_its_child_alive(self):
        self.kill_one_of_two("parent")


if __name__ == "__main__":
    pit_case.main()
