"""A small base for the system tests: where the build is, how to run its programs, how to count.

A system test is tests/system/test_<subject>.py:

    import pit_case

    class Report(pit_case.Case):
        def test_names_the_span_where_the_program_died(self):
            done = self.run_ok([pit_case.tool(), "report", "x.pit"], cwd=self.folder())
            self.assertIn("epoch > forward", done.stdout)

    if __name__ == "__main__":
        pit_case.main()

It ends with the line `N passed, N failed`, and `, N skipped` where something could not be tried.
With CI=true a skip is a failure: a machine that cannot run a test has not run it.
"""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest


# tests/pit_reader.py, the second reader of run files, can be imported too.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def source_dir():
    """The top of the source tree."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def build_dir():
    """The build under test: PITWALL_BUILD, or build/ in the source tree."""
    return os.path.abspath(os.environ.get("PITWALL_BUILD") or os.path.join(source_dir(), "build"))


def sanitizer():
    """'address', 'thread', or '' for a plain build."""
    return os.environ.get("PITWALL_SANITIZER", "")


def tool():
    """The path of the command-line tool."""
    return os.path.join(build_dir(), "bin", "pitwall")


def program(name):
    """The path of a helper program, tests/system/<name>.c."""
    return os.path.join(build_dir(), "tests", name)


def example(name):
    """The path of an example program, examples/<name>.c."""
    return os.path.join(build_dir(), "examples", name)


def library(kind="so"):
    """The path of the library: kind is 'so' or 'a'."""
    return os.path.join(build_dir(), "lib", "libpitwall." + kind)


def version():
    """The version that the public header names."""
    with open(os.path.join(source_dir(), "include", "pitwall.h"), encoding="utf-8") as file:
        return re.search(r'^#define PITWALL_VERSION "(.+)"', file.read(), re.M).group(1)


def slowness():
    """How many times longer than in a plain build a program may take."""
    return {"": 1, "address": 4, "thread": 20}.get(sanitizer(), 20)


def clean_env(**more):
    """The environment without settings of Pitwall's own, plus `more`; a value None removes."""
    env = {k: v for k, v in os.environ.items() if k != "PITWALL" and not k.startswith("PITWALL_")}
    for key, value in more.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = str(value)
    return env


def run(command, env=None, timeout=600, **options):
    """Run a command to its end; stdout and stderr are text. Never raises for a bad status."""
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run(
        [str(part) for part in command],
        env=clean_env() if env is None else env,
        timeout=max(timeout, 600) * slowness(),  # detects a hang, but tolerates a busy machine
        encoding="utf-8",
        errors="replace",
        check=False,
        **options,
    )


class Case(unittest.TestCase):
    """A test case with its own folder, and commands whose output is in the failure message."""

    longMessage = True
    maxDiff = None

    def folder(self, inside=None):
        """A new empty folder, gone after the test."""
        path = tempfile.mkdtemp(prefix="pitwall-test-", dir=inside)
        self.addCleanup(shutil.rmtree, path, ignore_errors=True)
        return path

    def run_status(self, status, command, **options):
        """Run a command and check its exit status (negative: the signal that killed it)."""
        done = run(command, **options)
        if done.returncode != status:
            self.fail(
                "status %d, not %d: %s\n--- stdout\n%s--- stderr\n%s"
                % (
                    done.returncode,
                    status,
                    " ".join(str(part) for part in command),
                    done.stdout or "",
                    done.stderr or "",
                )
            )
        return done

    def run_ok(self, command, **options):
        """Run a command that must succeed."""
        return self.run_status(0, command, **options)


class _Result(unittest.TextTestResult):
    """Counts the cases that passed; unittest itself only keeps the others."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print("SKIP %s: %s" % (test.id().replace("__main__.", ""), reason))


def plain_build(test):
    """For cases that do not apply to the sanitizer builds."""
    return None if sanitizer() else test


def no_thread_sanitizer(test):
    """For cases with threads and forks at once, which that sanitizer does not support."""
    return None if sanitizer() == "thread" else test


def leave_the_tree():
    """Continue in an empty folder: files that a program leaves where it was started are then not in the
    source tree."""
    os.environ["PITWALL_BUILD"] = build_dir()
    sys.path[:] = [os.path.abspath(path) for path in sys.path]
    folder = tempfile.mkdtemp(prefix="pitwall-test-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)


def main(plain_build_only=False, has_threads=True, thread_sanitizer=True, test_all_only=False):
    """Run the cases of the calling program. An argument picks those with it in their name.

    plain_build_only=True marks a test of what is built, not of how it runs: tests/run.py does
    not repeat it for the sanitizer builds. has_threads=False marks one of programs with a single
    thread: it is not repeated under the thread sanitizer. thread_sanitizer=False marks one of faults
    and signals, which that sanitizer delivers later than the kernel, or takes for its own.
    test_all_only=True marks one that `make test-all` alone runs.
    """
    if test_all_only and os.environ.get("PITWALL_TEST_ALL") != "1":
        sys.exit("this test is for make test-all: set PITWALL_TEST_ALL=1")
    if not thread_sanitizer and sanitizer() == "thread":
        sys.exit("this test is not for the thread sanitizer")
    if not has_threads and sanitizer() == "thread":
        sys.exit("this test has no threads: nothing for the thread sanitizer")
    if plain_build_only and sanitizer():
        sys.exit("this test checks the plain build alone: run it without PITWALL_SANITIZER")
    leave_the_tree()
    loader = unittest.TestLoader()
    if len(sys.argv) > 1:
        loader.testNamePatterns = ["*%s*" % word for word in sys.argv[1:]]
    suite = loader.loadTestsFromModule(sys.modules["__main__"])
    runner = unittest.TextTestRunner(stream=sys.stdout, resultclass=_Result, verbosity=2)
    result = runner.run(suite)

    # A case with several failed parts is one failed case.
    bad = {id(getattr(test, "test_case", test)) for test, _ in result.failures + result.errors}
    failed = len(bad) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped)
    if skipped and os.environ.get("CI") == "true":
        print("CI=true: what was skipped counts as failed")
        failed, skipped = failed + skipped, 0
    line = "%d passed, %d failed" % (result.passed, failed)
    print(line + (", %d skipped" % skipped if skipped else ""))
    sys.stdout.flush()
    sys.exit(1 if failed else 0)
