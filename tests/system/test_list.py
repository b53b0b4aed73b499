"""`pitwall list`: every kind of file in a folder, and which folders are searched."""

import json
import os

import pit_case
from places import Case, write


class List(Case):
    def made(self, path, *steps, status=0):
        self.place("open=" + path, *steps, status=status)
        return path

    def list(self, *arguments, status=0, cwd=None):
        return self.run_status(status, [pit_case.tool(), "list", *arguments], cwd=cwd)

    def listed(self, *arguments, cwd=None):
        return json.loads(self.list("--json", *arguments, cwd=cwd).stdout)["runs"]

    def test_states_newest_first_and_damaged_files_named(self):
        folder, other = self.folder(), self.folder()
        done = self.made(os.path.join(folder, "done.pit"), "nodes=3", "close")
        dead = os.path.join(folder, "dead.pit")
        ready = os.path.join(other, "ready")
        child = self.start_place("open=" + dead, "nodes=3", "ready=" + ready,
                                 "until=" + os.path.join(other, "never"))
        self.wait_file(ready, child)
        self.assertEqual({r["path"]: r["state"] for r in self.listed(folder)},
                         {done: "done", dead: "live"})
        self.kill(child)
        bad = write(os.path.join(folder, "bad.pit"), b"no run at all")
        with open(done, "rb") as file:
            cut = write(os.path.join(folder, "cut.pit"), file.read()[:2000])
        runs = self.listed(folder)
        self.assertEqual({r["path"]: r["state"] for r in runs},
                         {done: "done", dead: "died", bad: "unreadable", cut: "unreadable"})
        self.assertLess([r["path"] for r in runs].index(dead),
                        [r["path"] for r in runs].index(done))
        errors = {r["path"]: r["error"] for r in runs}
        self.assertIn("not a Pitwall run", errors[bad])
        self.assertIn("truncated", errors[cut])
        self.assertIsNone(errors[done])
        text = self.list(folder).stdout
        self.assertIn("unreadable", text)
        self.assertEqual([r["path"] for r in self.listed("--state", "died", folder)], [dead])

    def test_without_a_folder_the_usual_places_are_looked_at(self):
        folder = self.folder()
        os.mkdir(os.path.join(folder, "pitwall-runs"))
        self.made(os.path.join(folder, "pitwall-runs", "a.pit"), "nodes=1", "close")
        self.made(os.path.join(folder, "b.pit"), "nodes=1", "close")
        self.assertEqual(sorted(r["path"] for r in self.listed(cwd=folder)),
                         ["./b.pit", "pitwall-runs/a.pit"])

    def test_no_runs_is_an_empty_list_and_a_missing_folder_an_error(self):
        folder = self.folder()
        done = self.list(cwd=folder)
        self.assertEqual(done.stdout, "")
        self.assertIn("no runs", done.stderr)
        done = self.list("nowhere", cwd=folder, status=66)
        self.assertIn("cannot read: nowhere: No such file", done.stderr)

    def test_a_run_in_shared_memory_is_live_and_is_not_brought_back(self):
        path, other = os.path.join(self.folder(), "run.pit"), self.folder()
        ready = os.path.join(other, "ready")
        child = self.start_place("open=" + path, "nodes=3", "ready=" + ready,
                                 "until=" + os.path.join(other, "never"),
                                 env={"PITWALL_LIVE": "shm"})
        self.wait_file(ready, child)
        self.wait_until("for the first mirror",
                        lambda: os.path.exists(path) and os.path.getsize(path))
        self.assertEqual([r["state"] for r in self.listed(path)], ["live"])
        self.kill(child)
        before = os.stat(path)
        self.assertEqual([r["state"] for r in self.listed(path)], ["died"])
        after = os.stat(path)
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))
        self.run_ok([pit_case.tool(), "recover", path])

    def test_hundreds_of_files_are_read_by_their_heads(self):
        folder = self.folder()
        first = self.made(os.path.join(folder, "0.pit"), "nodes=30", "close")
        for i in range(1, 300):
            os.link(first, os.path.join(folder, "%d.pit" % i))
        self.assertEqual(len(self.listed(folder)), 300)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
