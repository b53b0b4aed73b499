"""Tests tests/run_jobs.py, which runs the tests: what counts as a failure, and which program is next."""

import contextlib
import io
import os
import re
import sys
import unittest.mock

import pit_case
import run_jobs
from run_jobs import Program, Runner, Stage

GOOD = 'echo "1 passed, 0 failed"'
PROJECT = """cmake_minimum_required(VERSION 3.18)
project(one LANGUAGES C)
set(CMAKE_C_FLAGS -g)
include_directories(${CMAKE_SOURCE_DIR}/include)
add_executable(one one.c)
"""


class Build(run_jobs.Build):
    """Nothing is built."""

    def steps(self, tree):
        return [["true"]]


class Run(pit_case.Case):
    def run_programs(self, env=None, **programs):
        """Their sum: the status and what was printed."""
        tree = self.folder()
        os.mkdir(os.path.join(tree, "src"))
        stage = Stage("made_up", Build(os.path.join(tree, "build")), lambda _: [
            Program(name, ["sh", "-c", script], env or {}) for name, script in programs.items()])
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = Runner(tree, os.path.join(tree, "build"), [stage]).run()
        return status, said.getvalue()

    def test_good_programs_are_added_up(self):
        status, said = self.run_programs(a=GOOD, b='echo "2 passed, 0 failed, 1 skipped"')
        self.assertEqual((status, said.splitlines()[-1]), (0, "3 passed, 0 failed"))

    def test_a_failure_is_shown_with_its_reason(self):
        status, said = self.run_programs(a=GOOD, b='echo the reason; echo "1 passed, 2 failed"; exit 1',
                                         c="kill -SEGV $$", d="true", e=GOOD + "; exit 3")
        self.assertEqual((status, said.splitlines()[-1]), (1, "3 passed, 5 failed"))
        for part in ("made_up: b: 2 of 3 failed", "| the reason", "made_up: c: ended with SIGSEGV",
                     "made_up: d: ended with status 0 and without its count",
                     "made_up: e: status 3 though nothing failed"):
            self.assertIn(part, said)

    def test_reports_of_a_sanitizer_are_shown_with_a_failure(self):
        """They are in files: standard error of the thread that found something may be another file."""
        for options in run_jobs.SANITIZER_OPTIONS:
            report = 'echo what it found > "${%s##*:log_path=}.$$"; ' % options
            status, said = self.run_programs({options: "halt_on_error=1"}, a=report + GOOD,
                                             b=report + 'echo "0 passed, 1 failed"; exit 1')
            self.assertEqual((status, said.count("| what it found\n")), (1, 1), said)
            self.assertIn("| 0 passed, 1 failed\n      | what it found\n", said)

    def test_what_was_compiled_in_one_clone_is_not_compiled_in_another(self):
        cache = self.folder()
        log = os.path.join(cache, "log")
        with unittest.mock.patch.dict(os.environ, CCACHE_DIR=cache, CCACHE_LOGFILE=log):
            os.environ.pop("CCACHE_DISABLE", None)
            for _ in range(2):
                tree = self.folder()
                os.mkdir(os.path.join(tree, "include"))
                for name, text in (("CMakeLists.txt", PROJECT), ("include/one.h", "int main(void);\n"),
                                   ("one.c", '#include "one.h"\nint main(void) { return __FILE__[0] == 0; }\n')):
                    with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
                        file.write(text)
                stage = Stage("made_up", run_jobs.Build(os.path.join(tree, "build")), lambda folder: [
                    Program("one", ["sh", "-c", "%s/one && %s" % (folder, GOOD)], {})])
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    status = Runner(tree, os.path.join(tree, "build"), [stage]).run()
                self.assertEqual(status, 0, said.getvalue())
        with open(log, encoding="utf-8") as file:
            calls = [call for call in file.read().split("=== CCACHE") if "/one.c" in call]
        self.assertEqual([re.search(r"Result: (\w+)", call)[1] for call in calls],
                         ["cache_miss", "direct_cache_hit"])

    def test_without_a_folder_for_it_there_is_no_cache_of_the_compiler(self):
        with unittest.mock.patch.dict(os.environ, CCACHE_DIR="/proc/nothing"):
            self.assertEqual(run_jobs.compiler_cache("/tree"), {})
        with unittest.mock.patch.dict(os.environ, CCACHE_DIR=self.folder()):
            self.assertEqual(run_jobs.compiler_cache("/tree")["CCACHE_BASEDIR"], "/tree")

    def test_a_file_left_in_the_source_tree_is_a_failure(self):
        status, said = self.run_programs(a="touch src/kept; " + GOOD)
        self.assertEqual((status, said.splitlines()[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("FAIL  source tree: src/kept: left there; when it appeared, these ran: made_up: a",
                      said)
        for script in ("touch src/gone; rm src/gone; ", "git init -q; touch src/known; git add src/known; "):
            status, said = self.run_programs(a=script + GOOD)
            self.assertEqual(status, 0, said)


FAILS = """
import subprocess, sys
sys.path.insert(0, sys.argv.pop(1))
import pit_case
class Fails(pit_case.Case):
    def child(self, **options):
        script = 'echo said; echo complained >&2; exec sleep 600'
        child = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, **options)
        # its arguments change last: it may still have the name of this process, or already that of sleep
        pit_case.wait_until(lambda: open("/proc/%d/cmdline" % child.pid, "rb").read().startswith(b"sleep"))
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child
    def test_1_a_state_that_never_comes(self):
        child, wanted = self.child(stderr=subprocess.PIPE), 17
        self.addCleanup(child.stderr.close)
        pit_case.wait_until(lambda: wanted == 18 and child, 0.1)
    def test_2_an_assertion_beside_a_child(self):
        with open(self.folder() + "/errors", "w+b") as errors:
            self.child(stderr=errors)
            self.assertEqual(1, 2)
    def test_3_a_child_that_does_not_end(self):
        self.child(stderr=subprocess.DEVNULL).wait(timeout=0.1)
    def test_4_a_command_that_does_not_end(self):
        class Short:  # over as soon as there is something to show
            left = 0.01
            def __init__(self, seconds): pass
            def is_over(self):
                return any(": sleep 600 " in pit_case.run_jobs.threads_of(pid)
                           for pid in pit_case.descendants(pit_case.os.getpid()))
        was, pit_case.Patience = pit_case.Patience, Short
        try:
            self.run_ok(["sh", "-c", "echo begun; exec sleep 600"])
        finally:
            pit_case.Patience = was
    def test_5_a_hang(self):
        pit_case.run_jobs.LIMIT = 0.01
        pit_case._HangNotice.EVERY = 0.01
        notice = pit_case._HangNotice()
        pit_case.wait_until(lambda: notice.spent > 0.9 * pit_case.run_jobs.LIMIT)
        self.fail("shown")
pit_case.main()
"""


class Failed(pit_case.Case):
    def test_a_failure_shows_what_was_waited_for_and_what_the_processes_did(self):
        path = os.path.join(self.folder(), "fails.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(FAILS)
        done = self.run_status(1, [sys.executable, path, os.path.dirname(os.path.abspath(__file__))])
        before, *parts = done.stdout.split("=" * 70)
        parts.sort(key=lambda part: part.partition(": ")[2])  # errors come before failures
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 5 failed")
        sleeps = r"state [RSD] of pid \d+: sleep 600 \n"
        for part, wanted in zip(parts, (
                ("wanted == 18", "wanted = 17", "was last: False", sleeps, r"its stdout:\nsaid\n",
                 r"its stderr:\ncomplained\n"),
                ("1 != 2", sleeps, r"stderr ends with:\ncomplained\n"),
                ("timed out", sleeps, r"its stdout:\nsaid\n"),
                ("does not end", sleeps, r"stdout:?\nbegun\n"),  # read, or still in the pipe
                ("shown",))):
            for pattern in wanted:
                self.assertRegex(part, pattern)
        self.assertRegex(before, r"takes long; the test is here:\n(.*\n)+.* in test_5_a_hang\n")


class Order(pit_case.Case):
    """The quickest of the first stage while something is built, the longest of all afterwards."""

    def test_which_program_is_next(self):
        first, second = (Stage(name, Build(""), None) for name in ("first", "second"))
        first.begun, second.begun = 1, 2
        runner = Runner(self.folder(), self.folder(), [first, second])
        costs = {"quick": 2, "middle": 20, "long": 50}
        runner.costs_known.known = {(stage.name, name): (1, seconds) for stage in (first, second)
                                    for name, seconds in costs.items()}
        runner.waiting = [(stage, Program(name, [], {})) for stage in (second, first) for name in costs]

        def take(is_built):
            runner.is_built = is_built
            runner.running = {}
            stage, program = runner.take()
            return stage.name, program.name

        self.assertEqual([take(False) for _ in range(2)], [("first", "quick"), ("first", "middle")])
        self.assertEqual([take(True) for _ in range(4)], [("second", "long"), ("first", "long"),
                                                          ("second", "middle"), ("second", "quick")])
        runner.running = {}
        self.assertIsNone(runner.take())

    def test_the_time_left_follows_what_is_done(self):
        stage = Stage("first", Build(""), None)
        costs = Runner(self.folder(), self.folder(), [stage]).costs_known
        costs.known, costs.whole, costs.done = {("first", "build"): (60, 30), ("first", "a"): (40, 40)}, 100, 0
        self.assertEqual(costs.seconds_left(10, under_way=20), 40)
        costs.program_done(stage, "build")
        self.assertEqual(costs.seconds_left(30, under_way=0), 20)
        costs.program_done(stage, "not listed")
        self.assertAlmostEqual(costs.seconds_left(30, under_way=0), 30 * 40 / 60.3)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
