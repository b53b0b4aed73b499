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
import faulthandler
import gc
import inspect
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest


# tests/pit_reader.py, the second reader of run files, can be imported too.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import run_jobs  # noqa: E402
import surroundings  # noqa: E402


# Set by tests/run.py under the thread sanitizer: see reader().
PLAIN_BUILD = os.environ.get("PITWALL_PLAIN_BUILD")


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


def reader():
    """The tool for commands that only read runs. These start no thread, so the thread sanitizer has nothing to
    find in them, and they take ten times as long there: tests/run.py names a build without it."""
    return os.path.join(PLAIN_BUILD, "bin", "pitwall") if PLAIN_BUILD else tool()


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


def is_test_all():
    """Is this `make test-all`?"""
    return os.environ.get("PITWALL_TEST_ALL") == "1"


def rounds(plain, repeated):
    """How often something is done: in the plain build, and in those of sanitizers, which repeat it at many
    times the cost. `make test-all` does everything in all of them."""
    return repeated if sanitizer() and not is_test_all() else plain


def clean_env(**more):
    """The environment without settings of Pitwall's own, plus `more`; a value None removes."""
    env = {k: v for k, v in os.environ.items() if k != "PITWALL" and not k.startswith("PITWALL_")}
    for key, value in more.items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = str(value)
    return env


class Patience:
    """A limit that only detects a hang. A second counts less the more processes want to run: on a busy
    machine everything takes longer, and has not hung."""

    def __init__(self, seconds):
        self.left, self.at = seconds * slowness(), time.monotonic()

    def is_over(self):
        """Call it often; it looks at the machine once a second."""
        now = time.monotonic()
        if now - self.at >= min(1, self.left):
            self.left -= (now - self.at) * min(1.0, run_jobs.processors() / max(1, run_jobs.runnable()))
            self.at = now
        return self.left <= 0


def communicate(child, text, patience):
    """child.communicate that raises TimeoutExpired when the patience is over; nothing it read is lost."""
    while True:
        try:
            return child.communicate(text, timeout=min(1, max(patience.left, 0.01)))
        except subprocess.TimeoutExpired:
            text = None  # it goes on with what it was given
            if patience.is_over():
                raise


def run(command, env=None, timeout=600, **options):
    """Run a command to its end; stdout and stderr are text. Never raises for a bad status."""
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    text = options.pop("input", None)
    if text is not None:
        options["stdin"] = subprocess.PIPE
    child = subprocess.Popen([str(part) for part in command],
                             env=clean_env() if env is None else env, encoding="utf-8",
                             errors="replace", **options)
    with child:
        try:
            stdout, stderr = communicate(child, text, Patience(max(timeout, 600)))
        except subprocess.TimeoutExpired:
            seen = processes()
            child.kill()
            stdout, stderr = child.communicate()
            raise AssertionError("it does not end: %s\n%s--- stdout\n%s--- stderr\n%s" % (
                " ".join(child.args), seen, stdout or "", stderr or "")) from None
        except BaseException:
            child.kill()
            raise
    return subprocess.CompletedProcess(child.args, child.returncode, stdout, stderr)


# ---- a failure on another machine must be understood from its output ------------------------------


def wait_until(condition, seconds=300.0, pause=0.0005, what=None):
    """Wait for a condition; returns its value. A failure after the time, which only detects a hang, shows
    the condition, its last value, and what the processes of the test were doing."""
    patience, begun = Patience(seconds), time.monotonic()
    while True:
        found = condition()
        if found:
            return found
        if patience.is_over():
            raise AssertionError("waited %d s in vain %s\nit was last: %r\n%s%s" % (
                time.monotonic() - begun, what or "for this:", found, source_of(condition), processes()))
        time.sleep(pause)


def source_of(condition):
    """The lines of a condition, and the variables that it uses."""
    try:
        text = "".join(inspect.getsourcelines(condition)[0])
        known = inspect.getclosurevars(condition).nonlocals
    except (OSError, TypeError, ValueError):
        return "%r\n" % (condition,)
    return text + "".join("    %s = %.200r\n" % item for item in sorted(known.items()))


def descendants(pid):
    """The pids of all processes below this one."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(name))
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def kill_all(process):
    """End a program and all that it started."""
    for pid in descendants(process.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.kill()
    process.wait()


def tail_of(pid, number):
    """The end of the file that a process writes to under this number; "" where that is no file."""
    path = "/proc/%d/fd/%d" % (pid, number)
    try:
        if not os.path.isfile(path) or os.path.samefile(path, "/proc/self/fd/%d" % number):
            return ""
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 2000))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def unread(stream):
    """What a child has written into a pipe that the test has not read."""
    try:
        number = stream.fileno()
        was = os.get_blocking(number)
        os.set_blocking(number, False)
        try:
            return os.read(number, 65536).decode("utf-8", "replace")
        finally:
            os.set_blocking(number, was)
    except (AttributeError, OSError, ValueError):
        return ""


def processes(most=40):
    """What the processes of this test do, and what they have written."""
    text = ""
    for pid in descendants(os.getpid())[:most]:
        try:
            with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        text += "state %s of %s" % (state, run_jobs.threads_of(pid))
        text += "".join("  %s ends with:\n%s\n" % (name, tail_of(pid, number))
                        for number, name in ((1, "stdout"), (2, "stderr")) if tail_of(pid, number))
    for child in [item for item in gc.get_objects() if type(item) is subprocess.Popen]:
        said = [(name, unread(getattr(child, name, None))) for name in ("stdout", "stderr")]
        if any(part for _, part in said) or child.returncode:
            text += "pid %d, status %s: %.300s\n" % (child.pid, child.returncode, child.args)
            text += "".join("  not read of its %s:\n%s\n" % part for part in said if part[1])
    return "--- processes of this test (load %s)\n%s" % (run_jobs.load(), text)


class _HangNotice:
    """Shows where the test is before tests/run.py kills it as hung. Seconds count as they do there."""

    EVERY = 10

    def __init__(self):
        self.spent = 0.0
        signal.signal(signal.SIGALRM, self.look)
        signal.setitimer(signal.ITIMER_REAL, self.EVERY, self.EVERY)

    def look(self, *_):
        share = run_jobs.processors() / max(1, run_jobs.runnable())
        self.spent += self.EVERY * min(1.0, share)
        if self.spent > 0.9 * run_jobs.LIMIT:
            signal.setitimer(signal.ITIMER_REAL, 0)
            # Not by print, which this may have interrupted.
            os.write(1, b"\nthis takes long; the test is here:\n")
            faulthandler.dump_traceback(1)
            os.write(1, processes().encode("utf-8", "replace"))


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

    def addFailure(self, test, err):
        super().addFailure(test, self.with_processes(err))

    def addError(self, test, err):
        super().addError(test, self.with_processes(err))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err and self.with_processes(err))

    @staticmethod
    def with_processes(err):
        """The error with what the test's processes were doing; cleanups come later and end them."""
        kind, error, trace = err
        if "--- processes" in str(error):
            return err
        output = "".join("--- %s\n%s\n" % (name, getattr(error, name)) for name in ("stdout", "stderr")
                         if isinstance(error, subprocess.SubprocessError) and getattr(error, name, None))
        seen = output + (processes() if descendants(os.getpid()) else "")
        if not seen:
            return err
        more = AssertionError("%s: %s\n%s" % (kind.__name__, error, seen))
        more.__cause__ = error.__cause__
        return AssertionError, more, trace

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
    if test_all_only and not is_test_all():
        sys.exit("this test is for make test-all: set PITWALL_TEST_ALL=1")
    if not thread_sanitizer and sanitizer() == "thread":
        sys.exit("this test is not for the thread sanitizer")
    if not has_threads and sanitizer() == "thread":
        sys.exit("this test has no threads: nothing for the thread sanitizer")
    if plain_build_only and sanitizer():
        sys.exit("this test checks the plain build alone: run it without PITWALL_SANITIZER")
    leave_the_tree()
    surroundings.make_known()
    _HangNotice()
    loader = unittest.TestLoader()
    if len(sys.argv) > 1:
        loader.testNamePatterns = ["*%s*" % word for word in sys.argv[1:]]
    suite = loader.loadTestsFromModule(sys.modules["__main__"])
    runner = unittest.TextTestRunner(stream=sys.stdout, resultclass=_Result, verbosity=2)
    result = runner.run(suite)
    signal.setitimer(signal.ITIMER_REAL, 0)  # at its end Python restores the default action

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
