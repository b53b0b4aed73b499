"""`pitwall info`: the facts of a run agree with its report."""

import glob
import json
import os

import pit_case
from places import Case, read, write


class Info(Case):
    def info(self, *paths, status=0):
        done = self.run_status(status, [pit_case.tool(), "info", "--json", *paths])
        document = json.loads(done.stdout)
        self.assertEqual(document["schema_version"], 2)
        return document["runs"]

    def text(self, *arguments):
        return self.run_ok([pit_case.tool(), "info", *arguments],
                           env=pit_case.clean_env(TZ="UTC")).stdout

    def made(self, *steps, name="run.pit", env=None):
        path = os.path.join(self.folder(), name)
        self.place("open=" + path, *steps, env=env)
        return path

    def test_agrees_with_the_report(self):
        path = self.made("nodes=30", "close", env={"PITWALL_LABELS": "lr=0.1\nname=a b"})
        info, report = self.info(path)[0], self.report(path)
        run = report["runs"][0]
        for key in ("path", "state", "storage", "run_id", "pid", "clock", "ns_per_tick", "start",
                    "duration_ns", "span_cost_ns", "facts", "used_bytes", "losses"):
            self.assertEqual(info[key], run[key], key)
        self.assertEqual(info["spans"], report["summary"]["spans"])
        self.assertEqual(info["nodes"], 30)
        self.assertEqual(info["threads"], len(run["threads"]))
        self.assertEqual(info["labels"], {"lr": "0.1", "name": "a b"})
        self.assertEqual(info["format_version"], "1.3")
        self.assertAlmostEqual(info["cost_share"], report["summary"]["cost_share"], delta=1e-4)
        self.assertIn("lr=0.1, name=a b", self.text(path))

    def test_several_runs_one_after_another(self):
        a, b = self.made("nodes=3", "close"), self.made("nodes=4", "close")
        self.assertEqual([run["nodes"] for run in self.info(a, b)], [3, 4])
        text = self.text(a, b)
        first, second = text.split("\n\n")
        self.assertIn("6 spans, 3 nodes", first)
        self.assertIn("4 nodes", second)
        self.assertIn(b, second)

    def test_live_and_killed(self):
        path, other = os.path.join(self.folder(), "run.pit"), self.folder()
        ready = os.path.join(other, "ready")
        child = self.start_place("open=" + path, "nodes=3", "ready=" + ready,
                                 "until=" + os.path.join(other, "never"))
        self.wait_file(ready, child)
        self.assertEqual(self.info(path)[0]["state"], "live")
        self.assertRegex(self.text(path), r"(?m)^state +live, ")
        self.kill(child)
        self.assertEqual(self.info(path)[0]["state"], "died")

    def test_pages_in_shared_memory(self):
        path = self.made("nodes=3", "close", env={"PITWALL_LIVE": "shm"})
        self.assertEqual(self.info(path)[0]["storage"], "shm")
        self.assertRegex(self.text(path), r"(?m)^pages +in shared memory")

    def test_a_sub_run_names_its_parent(self):
        folder = self.folder()
        path, truth = os.path.join(folder, "run.pit"), os.path.join(folder, "truth")
        child = self.start([pit_case.program("prog_forks"), "wait", path, truth, "1", "0"])
        pid = int(child.stdout.readline().split()[0])
        self.kill(child)
        os.kill(pid, 9)
        sub = [name for name in glob.glob(os.path.join(folder, "*.pit")) if name != path]
        parent, below = self.info(path)[0], self.info(sub[0])[0]
        self.assertIsNone(parent["parent_run_id"])
        self.assertEqual(below["parent_run_id"], parent["run_id"])
        self.assertEqual(parent["sub_runs"], [{"path": sub[0], "run_id": below["run_id"]}])
        self.assertRegex(self.text(path), r"(?m)^sub-runs +%s, %s$" % (below["run_id"], sub[0]))
        self.assertRegex(self.text(sub[0]), r"(?m)^parent +%s, %s$" % (parent["run_id"], path))

    def test_a_file_that_was_cut(self):
        """The loss is reported, also as the reason why there are no spans."""
        path = self.made("nodes=30", "close")
        cut = write(os.path.join(self.folder(), "cut.pit"), read(path)[:5000])
        text = self.text(cut)
        self.assertRegex(text, r"(?m)^lost +[0-9,]+ bytes of the run are gone")
        self.assertRegex(text, r"(?m)^run .*cut\.pit \(4\.8 kB\)$")  # what can be read
        self.assertRegex(text, r"(?m)^own cost +n/a \(part of the run is missing\)$")
        self.assertRegex(self.run_ok([pit_case.tool(), "list", cut]).stdout,
                         r"  [0-9.]+ kB of it are missing\n")
        self.assertEqual(self.report_text(cut).splitlines()[0],
                         "no spans can be read: part of the file is missing")

    def test_one_that_cannot_be_read(self):
        path = self.made("nodes=3", "close")
        done = self.run_status(66, [pit_case.tool(), "info", path, "missing.pit", "--json"])
        self.assertEqual(len(json.loads(done.stdout)["runs"]), 1)
        self.assertIn("missing.pit", done.stderr)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
