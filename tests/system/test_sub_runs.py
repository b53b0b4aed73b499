"""Runs of child processes: each names its parent, and the parent's report shows them, at any depth, without
counting their time twice."""

import json
import os
import shutil
import struct

import pit_case
import pit_reader

RUN_ID, PARENT_ID = 32, 240
PARENT = "0123456789abcdef0123456789abcdef"


class SubRuns(pit_case.Case):
    def setUp(self):
        self.home = self.folder()
        self.path = os.path.join(self.home, "run.pit")

    def program(self, *arguments, status=0, **env):
        if pit_case.sanitizer():  # its allocator's locks are not released by fork: a child starts no thread
            env.setdefault("PITWALL_SAMPLE", "0")
        return self.run_status(status, [pit_case.program("prog_sub_runs"), *arguments],
                               cwd=self.home, env=pit_case.clean_env(**env))

    def report(self, *arguments):
        done = self.run_ok([pit_case.tool(), "report", *(arguments or [self.path]), "--json"],
                           cwd=self.home)
        return json.loads(done.stdout)

    def files(self):
        return sorted(name for name in os.listdir(self.home) if name.endswith(".pit"))

    def counts(self, nodes):
        return {node["path"]: node["count"] for node in nodes}

    def change_id(self, path, offset, identity):
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(identity)


class Forked(SubRuns):
    def test_children_of_any_depth_are_beneath_their_parent(self):
        self.program("fork", self.path)
        report = self.report()
        self.assertEqual(self.counts(report["nodes"]), {"parent": 10})
        self.assertEqual(report["summary"]["spans"], 10)
        self.assertEqual(len(report["runs"]), 1)
        below = report["sub_runs"]
        self.assertEqual((below["count"], below["unread"], below["spans"]), (2, 0, 15))
        self.assertEqual(self.counts(below["nodes"]), {"child": 5, "grandchild": 10})
        self.assertEqual([run["depth"] for run in below["runs"]], [1, 2])
        self.assertEqual(below["runs"][0]["parent_run_id"], report["runs"][0]["run_id"])
        self.assertEqual(below["runs"][1]["parent_run_id"], below["runs"][0]["run_id"])

    def test_the_text_has_them_under_a_heading_of_their_own(self):
        self.program("fork", self.path)
        text = self.run_ok([pit_case.tool(), "report", self.path]).stdout
        above, below = text.split("\nworkers: 2 sub-runs, 15 spans;")
        self.assertNotIn("grandchild", above)
        names = [name for name in self.files() if name != "run.pit"]
        lines = below.splitlines()
        for name in names:
            self.assertTrue([line for line in lines if name in line], below)
        deeper = max(names, key=len)
        self.assertTrue([line for line in lines if line.startswith("  " + deeper)], below)
        self.assertTrue([line for line in lines if line.startswith("grandchild ")], below)

    def test_a_child_has_its_own_beneath_it(self):
        self.program("fork", self.path)
        child = min((name for name in self.files() if name != "run.pit"), key=len)
        report = self.report(os.path.join(self.home, child))
        self.assertEqual(self.counts(report["nodes"]), {"child": 5})
        self.assertEqual(self.counts(report["sub_runs"]["nodes"]), {"grandchild": 10})

    def test_alone_leaves_them_out(self):
        self.program("fork", self.path)
        self.assertEqual(self.report(self.path, "--alone")["sub_runs"]["count"], 0)
        text = self.run_ok([pit_case.tool(), "report", self.path, "--alone"]).stdout
        self.assertNotIn("workers", text)

    def test_of_a_folder_each_run_counts_once(self):
        self.program("fork", self.path)
        for arguments in ([self.home], self.files()):
            report = self.report(*arguments)
            self.assertEqual(self.counts(report["nodes"]), {"parent": 10})
            self.assertEqual(report["sub_runs"]["spans"], 15)

    def test_among_hundreds_of_others_and_with_a_copy(self):
        self.program("fork", self.path)
        child = min((name for name in self.files() if name != "run.pit"), key=len)
        shutil.copy(os.path.join(self.home, child), os.path.join(self.home, "copy.pit"))
        with open(self.path, "rb") as file:
            head = bytearray(file.read(4096))
        for number in range(300):  # only a header
            head[RUN_ID:RUN_ID + 16] = struct.pack("<QQ", number, 77)
            with open(os.path.join(self.home, "other%d.pit" % number), "wb") as file:
                file.write(head)
        with open(os.path.join(self.home, "text.pit"), "w", encoding="utf-8") as file:
            file.write("no run")
        os.mkfifo(os.path.join(self.home, "pipe.pit"))
        self.assertEqual(self.report()["sub_runs"]["spans"], 15)

    def test_a_circle_of_parents_has_an_end(self):
        self.program("fork", self.path)
        names = sorted(self.files(), key=len)
        grandchild = pit_reader.load(os.path.join(self.home, names[2]))
        self.change_id(self.path, PARENT_ID, bytes.fromhex(grandchild["run_id"]))
        self.assertEqual(self.report()["sub_runs"]["count"], 2)
        self.assertEqual(len(self.report(self.home)["runs"]), 3)
        self.change_id(self.path, PARENT_ID, bytes.fromhex(pit_reader.load(self.path)["run_id"]))
        self.assertEqual(self.report()["sub_runs"]["count"], 2)

    def test_one_that_cannot_be_read_is_said(self):
        self.program("fork", self.path)
        grandchild = os.path.join(self.home, max(self.files(), key=len))
        with open(grandchild, "r+b") as file:
            file.truncate(2000)  # its ids are there, its header is not whole
        below = self.report()["sub_runs"]
        self.assertEqual((below["count"], below["unread"]), (1, 1))
        text = self.run_ok([pit_case.tool(), "report", self.path]).stdout
        self.assertIn("workers: 1 sub-run, 5 spans; 1 more cannot be read;", text)


class Started(SubRuns):
    """By exec: the environment names the parent."""

    def environment(self, **more):
        return dict(PITWALL_FILE=self.path, PITWALL_PARENT=PARENT, **more)

    def test_a_process_names_the_parent_of_its_environment(self):
        self.program("spans", "3", **self.environment())
        name, = self.files()
        run = pit_reader.load(os.path.join(self.home, name))
        self.assertRegex(name, r"^run-spawn%d\.pit$" % run["pid"])
        self.assertEqual(run["parent_run_id"], PARENT)
        self.assertNotEqual(run["run_id"], PARENT)

    def test_the_program_that_the_run_is_of_takes_its_id(self):
        script = 'PITWALL_RUN_PID=$$ exec "$0" start 2 "$0" spans 3'
        self.run_ok(["sh", "-c", script, pit_case.program("prog_sub_runs")], cwd=self.home,
                    env=pit_case.clean_env(**self.environment()))
        report = self.report()
        self.assertEqual(report["runs"][0]["run_id"], PARENT)
        self.assertIsNone(report["runs"][0]["parent_run_id"])
        self.assertEqual(self.counts(report["nodes"]), {"start": 2})
        self.assertEqual(self.counts(report["sub_runs"]["nodes"]), {"spans": 3})

    def test_a_program_that_becomes_another_is_above_it(self):
        script = 'PITWALL_RUN_PID=$$ exec "$0" become 2 "$0" spans 3'
        self.run_ok(["sh", "-c", script, pit_case.program("prog_sub_runs")], cwd=self.home,
                    env=pit_case.clean_env(**self.environment()))
        report = self.report()
        self.assertEqual(self.counts(report["nodes"]), {"become": 2})
        self.assertEqual(self.counts(report["sub_runs"]["nodes"]), {"spans": 3})
        self.assertEqual(report["sub_runs"]["runs"][0]["pid"], report["runs"][0]["pid"])

    def test_a_template_that_tells_processes_apart_stays_as_it_is(self):
        self.program("spans", "3", PITWALL_FILE="%p.pit", PITWALL_PARENT=PARENT)
        name, = self.files()
        self.assertRegex(name, r"^\d+\.pit$")

    def test_an_id_that_is_none_is_ignored(self):
        for wrong in ("", "0" * 32, PARENT[:-1], PARENT + "0", "x" * 32):
            self.program("spans", "1", PITWALL_FILE="a.pit", PITWALL_PARENT=wrong)
            name, = self.files()
            self.assertEqual(name, "a.pit", wrong)
            self.assertIsNone(self.report("a.pit")["runs"][0]["parent_run_id"])
            os.unlink(os.path.join(self.home, name))


if __name__ == "__main__":
    pit_case.main(has_threads=False)
