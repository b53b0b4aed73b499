"""Huge files, cyclic structures and paths that are not files are read in bounded time; no command hangs.

The bounds limit processor time (RLIMIT_CPU). They are far above the usual time, so a busy machine or a
sanitizer does not reach them; the faults that they catch took minutes.
"""

import contextlib
import errno
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys

import pit_case
import serve_case

ALL = pit_case.is_test_all()
CPU_SECONDS = 100 if ALL else 20
RUN_ID_AT, PARENT_ID_AT = 32, 240


def limit_processor():
    seconds = CPU_SECONDS * pit_case.slowness()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


class Bounded(pit_case.Case):
    def made(self, *what):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_bounded"), path, *what])
        return path

    def bounded(self, *words, status=0, **options):
        """A command of the tool that is killed if it takes too much processor time."""
        return self.run_status(status, [pit_case.tool(), *words], preexec_fn=limit_processor,
                               timeout=600, **options)


class Labels(Bounded):
    COUNT = pit_case.rounds(200000, 20000)

    def test_very_many_labels(self):
        path = self.made("labels", self.COUNT)
        document = json.loads(self.bounded("report", "--json", path).stdout)
        labels = [key for key in document["runs"][0]["facts"] if key.startswith("label.")]
        self.assertEqual(len(labels), self.COUNT)
        document = json.loads(self.bounded("info", "--json", path).stdout)
        self.assertEqual(len(document["runs"][0]["labels"] if "runs" in document
                             else document["labels"]), self.COUNT)
        for words in (["report"], ["info"], ["list"], ["list", "--json"], ["top", "--once"],
                      ["report", "--view", "sweep", path], ["export", "--format", "prometheus"]):
            with self.subTest(words):
                done = pit_case.run([pit_case.tool(), *words, path], preexec_fn=limit_processor,
                                    timeout=600)
                self.assertGreaterEqual(done.returncode, 0, done.stderr[:500])

    @pit_case.plain_build  # the interpreter is not built with a sanitizer
    def test_a_label_given_again_has_its_last_value_once(self):
        folder = self.folder()
        program = os.path.join(folder, "again.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write("import pitwall\npitwall.open('run.pit')\n"
                       "for i in range(300):\n    pitwall.label('step', str(i))\n"
                       "pitwall.label('other', 'x')\npitwall.close()\n")
        env = pit_case.clean_env(PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        self.run_ok(["/usr/bin/python3", program], cwd=folder, env=env)
        done = self.bounded("list", "--json", "run.pit", cwd=folder)
        self.assertEqual(json.loads(done.stdout)["runs"][0]["labels"],
                         {"step": "299", "other": "x"})
        self.assertEqual(done.stdout.count('"step"'), 1)


# The peak of a command in kB. The kernel counts the memory of the process that starts a program as a
# floor of its peak, so a small process has to start it, and this one may be large.
PEAK_OF = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


class Memory(Bounded, serve_case.Case):
    """Counted by the kernel: the most pages that the reading process had at once."""

    @pit_case.plain_build
    def test_a_large_run_is_not_in_memory_all_at_once(self):
        path = self.made("nodes", 40000)
        size = os.path.getsize(path)
        self.assertGreater(size, 200 << 20)
        for words in (["info"], ["list"], ["report"], ["report", "--json"], ["top", "--once"],
                      ["export", "--format", "csv"], ["export", "--format", "html"]):
            with self.subTest(words):
                done = self.run_ok([sys.executable, "-c", PEAK_OF, pit_case.tool(), *words, path])
                self.assertLess(int(done.stdout) << 10, size // 2)
        with self.subTest("pitwall.read"):  # a dict for each node
            program = "import pitwall, sys; assert len(pitwall.read(sys.argv[1])['nodes']) == 40000"
            done = self.run_ok([sys.executable, "-c", PEAK_OF, "/usr/bin/python3", "-c", program, path],
                               env=pit_case.clean_env(
                                   PYTHONPATH=os.path.join(pit_case.build_dir(), "python")))
            self.assertLess(int(done.stdout) << 10, size)
        with self.subTest("serve"):
            self.assertLess(self.peak_of_serve(os.path.dirname(path)), size // 2)

    def peak_of_serve(self, folder):
        """The most bytes that the server had at once; each answer is for all runs of the folder, or a run."""
        server = serve_case.Server(self, folder)
        run, = server.runs()["runs"]["id"]
        for path in ("/metrics", "/api/v1/runs/" + run, "/api/v1/runs/%s/live" % run,
                     "/api/v1/runs/%s/report.html" % run):
            self.assertEqual(server.status(path), 200, path)
        with open("/proc/%d/status" % server.child.pid, encoding="utf-8") as file:
            peak = int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) << 10
        self.assertEqual(server.end(), 0)
        return peak


class Parents(Bounded):
    """Runs that name parents: the ids are written into the headers of copies of one run."""

    COUNT = 3000 if ALL else pit_case.rounds(1000, 300)

    def family(self, parents):
        """A folder of runs; parents[i] is the number of run i's parent, or None."""
        folder = self.folder()
        with open(self.made("names"), "rb") as file:
            data = bytearray(file.read())
        for i, parent in enumerate(parents):
            data[RUN_ID_AT:RUN_ID_AT + 16] = struct.pack("<QQ", 7, i + 1)
            data[PARENT_ID_AT:PARENT_ID_AT + 16] = (
                bytes(16) if parent is None else struct.pack("<QQ", 7, parent + 1))
            with open(os.path.join(folder, "r%05d.pit" % i), "wb") as file:
                file.write(data)
        return folder

    def roots(self, folder):
        done = self.bounded("report", "--json", folder)
        return [int(os.path.basename(run["path"])[1:6]) for run in json.loads(done.stdout)["runs"]]

    def test_a_long_chain(self):
        count = self.COUNT
        folder = self.family([None] + list(range(count - 1)))
        self.assertEqual(self.roots(folder), [0])
        shutil.rmtree(folder)

    def test_one_large_circle(self):
        """No run is an ancestor of another: all stay."""
        count = self.COUNT
        folder = self.family([(i + 1) % count for i in range(count)])
        self.assertEqual(self.roots(folder), list(range(count)))
        shutil.rmtree(folder)

    def test_small_circles_and_what_hangs_below_them(self):
        # 0 -> 1 -> 0; 2 below 0; 3 below 2; 4 is its own parent; 5 below 4; 6 alone; 7's is unknown.
        folder = self.family([1, 0, 0, 2, 4, 4, None, 99])
        self.assertEqual(self.roots(folder), [0, 1, 4, 6, 7])


class Configuration(Bounded):
    def use(self, text, status):
        folder = self.folder()
        with open(os.path.join(folder, "conf.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.bounded("run", "--quiet", "--no-report", "--config", "conf.yaml", "--", "true",
                            cwd=folder, status=status).stderr

    def test_brackets_in_brackets(self):
        for text in ("a: " + "[" * 200000, "a: " + "[" * 200000 + "]" * 200000,
                     "a: " + "{a: " * 200000, "- " * 200000,
                     "".join(" " * i + "a:\n" for i in range(3000))):
            with self.subTest(text[:20]):
                self.assertRegex(self.use(text, 64), r"conf\.yaml:\d+:\d+: nested too deep")

    def test_very_many_anchors(self):
        text = "".join("k%d: &a%d 1\n" % (i, i) for i in range(100000))
        self.assertRegex(self.use(text, 64), r"conf\.yaml:\d+:\d+: too many anchors")

    def test_merges_of_merges(self):
        """Nine levels of nine merges each: 387,420,489 blocks if every one is read."""
        text = "a0: &a0 {memory: true}\n"
        for i in range(1, 8):
            text += "a%d: &a%d {<<: [%s]}\n" % (i, i, ", ".join(["*a%d" % (i - 1)] * 9))
        self.assertRegex(self.use(text + "pitwall:\n  <<: *a7\n", 64),
                         r"conf\.yaml:\d+:\d+: <<: .*(too often|too many)")

    def test_what_people_write_still_works(self):
        text = ("base: &base {memory: true}\nlists: [[1, 2], [3, [4, {a: [5]}]]]\n"
                "pitwall:\n  <<: [*base]\n  ring: 1000\n")
        self.assertEqual(self.use(text, 0), "")

    def test_a_large_one(self):
        self.use("".join("key%d: [1, 2, 3]\n" % i for i in range(20000)), 0)


class NoFile(Bounded):
    """A FIFO without a writer, in every place where a file is read."""

    def setUp(self):
        self.home = self.folder()
        os.mkfifo(os.path.join(self.home, "fifo.pit"))
        os.mkfifo(os.path.join(self.home, "fifo.json"))

    def refused(self, *words, pattern="not a regular file"):
        done = pit_case.run([pit_case.tool(), *words], cwd=self.home, timeout=120)
        self.assertRegex(done.stderr, pattern)
        self.assertNotEqual(done.returncode, 0)

    def test_as_a_run(self):
        run = self.made("names")
        shutil.copy(run, os.path.join(self.home, "good.run"))
        for words in (["report", "fifo.pit"], ["report", "--json", "fifo.pit"],
                      ["info", "fifo.pit"], ["export", "--format", "chrome-trace", "fifo.pit"],
                      ["compare", "good.run", "fifo.pit"], ["compare", "fifo.json", "good.run"],
                      ["top", "--once", "fifo.pit"], ["top", "--once", "--json", "fifo.pit"]):
            with self.subTest(words):
                self.refused(*words, pattern="not a regular file|cannot")
        for words in (["list"], ["list", "--json", "."], ["recover", "fifo.pit"], ["recover"]):
            with self.subTest(words):
                pit_case.run([pit_case.tool(), *words], cwd=self.home, timeout=120)

    def test_as_a_configuration(self):
        self.refused("run", "--config", "fifo.pit", "--", "true")
        self.refused("run", "--config", "/dev/zero", "--", "true")
        self.refused("run", "--config", ".", "--", "true", pattern="directory")

    def writer(self, child, path):
        """A descriptor once the child has opened the FIFO, else None."""
        self.assertIsNone(child.poll(), "it ended without a writer")
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            self.assertEqual(error.errno, errno.ENXIO)
            return None

    def test_as_a_log(self):
        """It is read to its end, and its writer may come later."""
        text = "Epoch 1/2 loss=0.5 time=1.5s\n" * 3
        expected = pit_case.run([pit_case.tool(), "log", "-"], input=text, cwd=self.home)
        with contextlib.ExitStack() as stack:
            read_end, write_end = os.pipe()
            stack.callback(os.close, read_end)
            os.write(write_end, text.encode())
            os.close(write_end)
            done = pit_case.run([pit_case.tool(), "log", "/dev/fd/%d" % read_end],
                                pass_fds=[read_end], cwd=self.home)
        self.assertEqual((done.returncode, done.stdout), (expected.returncode, expected.stdout))
        child = subprocess.Popen([pit_case.tool(), "log", "fifo.pit"], cwd=self.home, env=pit_case.clean_env(),
                                 stdout=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(pit_case.kill_all, child)
        writer = pit_case.wait_until(lambda: self.writer(child, os.path.join(self.home, "fifo.pit")))
        with open(writer, "w", encoding="utf-8") as file:
            file.write(text)
        out = child.communicate(timeout=300)[0]
        self.assertEqual((child.returncode, out), (expected.returncode, expected.stdout))

    def test_beside_the_runs(self):
        run = self.made("names")
        shutil.copy(run, os.path.join(self.home, "good.pit"))
        done = self.run_ok([pit_case.tool(), "report", "good.pit"], cwd=self.home, timeout=120)
        self.assertIn("a/b", done.stdout)


class Large(Bounded):
    NODES = 200000 if ALL else pit_case.rounds(20000, 2000)

    def test_a_run_with_very_many_nodes(self):
        path = self.made("nodes", self.NODES)
        document = json.loads(self.bounded("report", "--json", path).stdout)
        self.assertEqual(len(document["nodes"]), self.NODES)
        self.assertEqual({node["count"] for node in document["nodes"]}, {3})
        self.bounded("report", path)
        self.bounded("compare", path, path, status=2)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
