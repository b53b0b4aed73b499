"""A program with more rights than its caller ignores settings in the caller's environment."""

import os
import re
import shutil
import stat

import pit_case
import pit_reader
import places
from places import NOBODY

OFF = -1


def setUpModule():
    if os.geteuid() == 0:  # other tests of this user have runs in the common one
        places.own_shared_memory()


class SetUserId(pit_case.Case):
    """A real set-user-id program of root, started by another user."""

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("a set-user-id program of root needs root")
        # Not in /tmp: it may be mounted without set-user-id programs.
        self.base = self.folder(inside="/var/tmp")
        os.chmod(self.base, 0o755)
        self.program = os.path.join(self.base, "privileged")
        shutil.copy(pit_case.program("prog_privileged"), self.program)
        self.target = os.path.join(self.base, "target") # belongs to root; no other user may write there
        os.mkdir(self.target, 0o755)
        self.cwd = os.path.join(self.base, "cwd")
        os.mkdir(self.cwd)
        os.chmod(self.cwd, 0o777)

    def started(self, *arguments, privileged=True, **env):
        os.chmod(self.program, 0o4755 if privileged else 0o755)
        done = self.run_ok(["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY,
                            "--clear-groups", self.program, *arguments], cwd=self.cwd,
                           env=pit_case.clean_env(**env))
        return {key: int(value) for key, value in re.findall(r"(\w+) (-?\d+)", done.stdout)}

    def made(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.base)
                      for top in (self.target, self.cwd)
                      for folder, folders, files in os.walk(top) for name in folders + files)

    SETTINGS = (
        {"PITWALL": "1"}, {"PITWALL_FILE": "sub/run.pit"}, {"PITWALL_FILE": "TARGET/new/run.pit"},
        {"PITWALL": "1", "PITWALL_FILE": "TARGET/run.pit", "PITWALL_LIVE": "shm"},
        {"PITWALL_FILE": "TARGET/", "PITWALL_PARENT": "0123456789abcdef" * 2,
         "PITWALL_RUN_PID": "1"},
        {"PITWALL": "1", "PITWALL_GUARD": "1", "PITWALL_MEMORY": "1", "PITWALL_CLOCK": "call"})

    def test_the_program_is_really_privileged(self):
        """Without the bit, the same settings do record."""
        told = self.started(privileged=False, PITWALL_FILE="run.pit")
        self.assertEqual(told, {"recording": 1, "close": 0})
        self.assertEqual(self.made(), ["cwd/run.pit"])

    def test_nothing_is_recorded_by_the_environment(self):
        for setting in self.SETTINGS:
            env = {k: v.replace("TARGET", self.target) for k, v in setting.items()}
            before = set(os.listdir("/dev/shm"))
            told = self.started(**env)
            self.assertEqual(told, {"recording": 0, "close": 0}, env)
            told = self.started("-", **env) # pit_open without a path
            self.assertEqual(told, {"open": OFF, "recording": 0, "close": 0}, env)
            self.assertEqual(self.made(), [], env)
            self.assertEqual({n for n in set(os.listdir("/dev/shm")) - before if "pitwall-0-" in n},
                             set(), env)

    def test_a_path_of_its_own_is_not_changed_by_the_environment(self):
        path = os.path.join(self.target, "a", "b", "own.pit")
        told = self.started(path, PITWALL_FILE=os.path.join(self.target, "other.pit"),
                            PITWALL_LABELS="who=caller", PITWALL_LIVE="shm", PITWALL_MODE="0600",
                            PITWALL="0", RANK="7", PITWALL_PARENT="0123456789abcdef" * 2)
        self.assertEqual(told, {"open": 0, "recording": 1, "close": 0})
        self.assertEqual(self.made(), ["target/a", "target/a/b", "target/a/b/own.pit"])
        run = pit_reader.load(path)
        self.assertEqual(run["place"], "in place")
        self.assertFalse({"label.who", "rank"} & set(run["facts"]), run["facts"])
        # The umask was 0.
        modes = [stat.S_IMODE(os.stat(p).st_mode)
                 for p in (path, os.path.dirname(path), os.path.join(self.target, "a"))]
        self.assertEqual(modes, [0o644, 0o755, 0o755])


class Source(pit_case.Case):
    """Every way that the environment has into the library is the one that heeds this."""

    def test_no_plain_getenv_in_the_library(self):
        top, found = os.path.join(pit_case.source_dir(), "src"), []
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.relpath(path, top).startswith("cli") or not name.endswith((".c", ".h")):
                    continue
                with open(path, encoding="utf-8") as file:
                    if re.search(r"(?<!secure_)\bgetenv\b|\benviron\b", file.read()):
                        found.append(os.path.relpath(path, top))
        self.assertEqual(found, [])


if __name__ == "__main__":
    pit_case.main(has_threads=False)
