"""A program that runs out of memory: the kernel kills it, and the report says where and why.

The test makes a cgroup with a limit, of version 1 or 2, and starts the program in it. If it may
not, the test itself kills the program while it grows; the report must still name the span, but the
kernel has counted nothing. The test prints which way it took.
"""

import json
import os
import signal
import subprocess

import memory_model
import pit_case
from memory_model import MB

LIMIT = 200 * MB


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(text))


def own_cgroups():
    """(version, folder) of this process's memory cgroups, the nearest first."""
    found = []
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(":", 2) for line in file]
    for _, controllers, path in lines:
        if "memory" in controllers.split(","):
            found += [(1, "/sys/fs/cgroup/memory" + path), (1, "/sys/fs/cgroup/memory")]
    for _, controllers, path in lines:
        if controllers == "":
            found += [(2, "/sys/fs/cgroup" + path), (2, "/sys/fs/cgroup")]
    return found


class Cgroup:
    """A cgroup below this process's own, with a limit. Raises OSError if it cannot be made."""

    LIMIT_FILE = {1: "memory.limit_in_bytes", 2: "memory.max"}

    def __init__(self, limit):
        self.folder, refused = None, OSError("no memory cgroup")
        for self.version, above in own_cgroups():
            folder = os.path.join(above, "pitwall-test-%d" % os.getpid())
            try:
                os.mkdir(folder)
            except OSError as error:
                refused = error
                continue
            try:
                write(os.path.join(folder, self.LIMIT_FILE[self.version]), limit)
                self.folder = folder
                self.without_swap()
                return
            except OSError as error:
                os.rmdir(folder)
                refused = error
        raise refused

    def without_swap(self):
        """Without this the program would become slow before it runs out of memory."""
        for name, value in (("memory.swappiness", 0), ("memory.swap.max", 0)):
            if os.path.exists(os.path.join(self.folder, name)):
                write(os.path.join(self.folder, name), value)

    def enter(self):
        write(os.path.join(self.folder, "cgroup.procs"), os.getpid())

    def remove(self):
        def is_gone():
            try:
                os.rmdir(self.folder)
            except OSError:  # the kernel still has its last process
                return False
            return True

        pit_case.wait_until(is_gone, pause=0.02)


class OutOfMemory(pit_case.Case):
    def start(self, what, path, much, **options):
        return subprocess.Popen([pit_case.program("prog_memory_records"), what, path,
                                 str(much)], env=pit_case.clean_env(),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, encoding="utf-8", **options)

    def report(self, path):
        """The report as people read it, and as programs do."""
        text = self.run_ok([pit_case.reader(), "report", path]).stdout
        return text, json.loads(self.run_ok([pit_case.reader(), "report", "--json", path]).stdout)

    def check_place(self, path, text):
        """It died inside a batch: nearly always in cache, or in load, which takes 2 MB for a moment."""
        run = memory_model.dump(self, path)
        self.assertEqual(run["state"], 2)
        stack = run["threads"][0]["open"]
        self.assertEqual(stack[0], "epoch")
        # The kernel may end it at any page, one of the recorder's own too.
        self.assertIn(stack[-1], ("epoch/batch/cache", "epoch/batch/load", "epoch/batch", "epoch"))
        self.assertRegex(text, r"\s*(>|/)\s*".join(stack[-1].split("/")))
        self.check_figures(run)
        return run

    def check_figures(self, run):
        """Every finished batch kept 6 MB and had 8 MB at its height: whole, although killed."""
        batches = memory_model.records(run, "epoch/batch")
        memory = memory_model.node(run, "epoch/batch")["memory"]
        self.assertGreater(len(batches), 5)
        self.assertIn(memory["count"] - len(batches), (0, 1))
        for record in batches:
            allowed = record["error_bytes"] + memory_model.SLACK
            self.assertLess(abs(record["rss_end"] - record["rss_begin"] - 6 * MB), allowed)
            self.assertLess(abs(record["rss_peak"] - record["rss_begin"] - 8 * MB), allowed)
        growth = memory["delta_sum"] - memory["count"] * 6 * MB
        self.assertLess(abs(growth), memory["error_bytes"] + memory_model.SLACK * 2)

    def run_out(self, path, cgroup):
        """Wait until the kernel ends it."""
        process = self.start("out", path, 4 * LIMIT // MB, preexec_fn=cgroup.enter)
        said = process.communicate(timeout=300 * pit_case.slowness())
        self.assertEqual(process.returncode, -signal.SIGKILL, said)

    def test_a_run_killed_for_memory_says_where_and_why(self):
        path = os.path.join(self.folder(), "run.pit")
        try:
            cgroup = Cgroup(LIMIT)
        except OSError as refused:
            print("no cgroup available (%s): killed by the test" % refused, end=" ", flush=True)
            self.check_killed_by_hand(path)
            return
        self.addCleanup(cgroup.remove)
        print("cgroup version %d" % cgroup.version, end=" ", flush=True)
        self.run_out(path, cgroup)
        text, document = self.report(path)
        run = self.check_place(path, text)
        self.assertEqual((run["cgroup_version"], run["cgroup_limit"]), (cgroup.version, LIMIT))
        self.assertEqual(run["oom_kills"], 0)
        # Pages of libraries that other processes use too are in its RSS, and not in the cgroup's.
        self.assertLess(run["rss_peak"], 1.05 * LIMIT)
        self.assertGreater(run["rss_peak"], 0.8 * LIMIT)
        self.assertIn("%d MB" % (LIMIT // MB), text)
        print("\n    " + text.splitlines()[0], end=" ", flush=True)
        verdict = document["runs"][0]["post_mortem"]
        self.assertTrue(verdict["is_memory"], verdict)
        self.assertIn("memory", verdict["verdict"])
        # Counted by the kernel, or concluded from the last reading: the report knows which.
        self.assertIn(verdict["cause"], ("oom_kill", "limit", "growth"), verdict)

    def check_killed_by_hand(self, path):
        """SIGKILL where it has grown, with memory to spare."""
        process = self.start("stay", path, 12)
        try:
            self.assertEqual(process.stdout.readline(), "open\n")
            self.assertEqual(process.stdout.readline(), "inside\n")
        finally:
            process.kill()
            process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        text, document = self.report(path)
        run = self.check_place(path, text)
        self.assertEqual(run["threads"][0]["open"][-1], "epoch/batch/cache")
        self.assertEqual(len(memory_model.records(run, "epoch/batch")), 11)
        return document

    def test_a_kill_with_memory_to_spare_is_not_called_that(self):
        path = os.path.join(self.folder(), "run.pit")
        document = self.check_killed_by_hand(path)
        verdict = document["runs"][0]["post_mortem"]
        self.assertFalse(verdict["is_memory"], verdict)


if __name__ == "__main__":
    pit_case.main()
