"""Runs builds and test programs in parallel for tests/run.py, and counts the results.

One thread makes the builds, one after another. When a build is done, its test programs go into a queue.
The workers that run them are one more than there are processors.
"""

import os
import queue
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

COUNT = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
GOOD_NEWS = re.compile(r" \.\.\. ok$|^\[ *\d+%\]|^\[\d+/\d+\]|^-- |^$")
LIMIT = float(os.environ.get("TEST_TIMEOUT", "300"))
SHOWN_LINES = 60
# These start first in their stage, so that no long test runs alone at the end.
LONGEST = ("test_kill.py", "test_docs_run.py", "test_interrupts.py", "test_recover.py",
           "test_kill_shapes.py", "test_c_examples.py", "test_native_places.py", "test_openmp.py",
           "test_live.py", "test_race_engine")


class Program:
    """A test program. One that prints no counts is a single test, passed if its exit status is 0."""

    def __init__(self, name, command, env, counts_itself=True):
        self.name, self.command, self.env = name, command, env
        self.counts_itself = counts_itself


class Build:
    """A build folder, its CMake arguments and its targets (empty: all)."""

    def __init__(self, folder, arguments=(), targets=()):
        self.folder, self.arguments, self.targets = folder, list(arguments), list(targets)


class Stage:
    """A build and the programs that run on it.

    programs(folder) returns them. weight is roughly the duration of the stage in seconds; it is used to
    estimate the time left.
    """

    def __init__(self, name, build, programs, weight):
        self.name, self.build, self.programs, self.weight = name, build, programs, weight
        self.total = self.done = 0
        self.begun = None
        self.build_cpu = self.cpu = 0.0  # seconds of processor time

    def share_done(self):
        """The part of the weight that is done."""
        return self.weight * self.done / self.total if self.total else 0.0


class Runner:
    """Runs stages, prints what happens, adds up the counts."""

    def __init__(self, tree, build, stages):
        self.tree, self.logs, self.stages = tree, os.path.join(build, "test-logs"), stages
        self.lock = threading.Lock()  # guards the counts and what is printed
        self.queue = queue.Queue()
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.costs = []  # for each program its seconds of processor time, its seconds, its name
        self.running = {}  # a program's name: when it began
        self.begun = time.monotonic()
        self.over = threading.Event()

    # ---- all of it ------------------------------------------------------------------------------

    def run(self):
        """All stages. 0 if everything passed."""
        for stage in self.stages:
            shutil.rmtree(os.path.join(self.logs, stage.name), ignore_errors=True)
            os.makedirs(os.path.join(self.logs, stage.name))
        self.say("== %s; %s" % (", ".join(stage.name for stage in self.stages), machine()))
        workers = [threading.Thread(target=self.work, daemon=True)
                   for _ in range(processors() + 1)]
        for worker in workers:
            worker.start()
        threading.Thread(target=self.tell_progress, daemon=True).start()
        self.build_all()
        for _ in workers:
            self.queue.put(None)
        for worker in workers:
            worker.join()
        self.over.set()
        return self.sum_up()

    def sum_up(self):
        """The last lines: every failure once more, and the sum alone in its line."""
        self.tell_costs()
        print("== sum, after %d s" % (time.monotonic() - self.begun))
        for line in self.failures:
            print("  FAIL  " + line)
        if self.failures:
            print("  on a machine with " + machine())
        if self.skipped:
            print("  %d skipped, for the reasons above" % self.skipped)
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.stdout.flush()
        return 1 if self.failed else 0

    # ---- builds ---------------------------------------------------------------------------------

    def build_all(self):
        """Every build once; then the programs of its stages wait for a worker."""
        for build in dict.fromkeys(stage.build for stage in self.stages):
            stages = [stage for stage in self.stages if stage.build is build]
            if not self.make(build, stages[0]):
                continue
            for stage in stages:
                programs = sorted(stage.programs(build.folder),
                                  key=lambda program: program.name not in LONGEST)
                stage.total, stage.begun = len(programs), time.monotonic()
                if not programs:
                    self.fail(stage.name, "programs", "there are none")
                for program in programs:
                    self.queue.put((stage, program))

    def make(self, build, stage):
        """Configure and build; a failure counts as one."""
        log = os.path.join(self.logs, stage.name, "build.log")
        env = dict(os.environ, CMAKE_GENERATOR="Ninja")
        steps = [["cmake", "-S", self.tree, "-B", build.folder, "-Wno-dev", *build.arguments],
                 ["cmake", "--build", build.folder, "-j", str(processors()),
                  *(["--target", *build.targets] if build.targets else [])]]
        begun = time.monotonic()
        name = os.path.relpath(build.folder, self.tree)
        with open(log, "w", encoding="utf-8") as file:
            for step in steps:
                process = subprocess.Popen(step, stdin=subprocess.DEVNULL, stdout=file,
                                           stderr=subprocess.STDOUT, env=env)
                status, cpu = reap(process)
                stage.build_cpu += cpu
                if status != 0:
                    self.fail(stage.name, "build", "the build of %s failed" % name, log)
                    return False
        self.say("  built %-52s %7.1f s %7.1f s CPU"
                 % (name, time.monotonic() - begun, stage.build_cpu))
        return True

    # ---- programs -------------------------------------------------------------------------------

    def work(self):
        """A worker: one program after the other, until there are no more."""
        while True:
            item = self.queue.get()
            if item is None:
                return
            stage, program = item
            key = "%s: %s" % (stage.name, program.name)
            with self.lock:
                self.running[key] = time.monotonic()
            try:
                self.run_program(stage, program)
            except Exception as error:  # pylint: disable=broad-except
                self.fail(stage.name, program.name, "could not be run: %r" % error)
            with self.lock:
                del self.running[key]
                stage.done += 1
                last = stage.done == stage.total
            if last:
                self.say("== %s done, %d s after its build"
                         % (stage.name, time.monotonic() - stage.begun))

    def run_program(self, stage, program):
        """One program in a folder for temporary files of its own, and what came of it."""
        log = os.path.join(self.logs, stage.name, program.name.replace("/", "-") + ".log")
        scratch = tempfile.mkdtemp(prefix="pit-")
        os.chmod(scratch, 0o755)  # a test may go on as another user
        begun = time.monotonic()
        try:
            with open(log, "wb") as file:
                process = subprocess.Popen(
                    program.command, stdin=subprocess.DEVNULL, stdout=file,
                    stderr=subprocess.STDOUT, cwd=self.tree, process_group=0,
                    env=dict(os.environ, TMPDIR=scratch, **program.env))
                status, cpu = wait_or_kill(process, scratch, log)
            seconds = time.monotonic() - begun
            with self.lock:
                stage.cpu += cpu
                self.costs.append((cpu, seconds, "%s: %s" % (stage.name, program.name)))
            self.judge(stage, program, status, (seconds, cpu), log)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def judge(self, stage, program, status, took, log):
        """Counts what the program printed as its last line; took is (seconds, seconds of CPU)."""
        if not program.counts_itself:
            passed, failed, skipped = (1, 0, 0) if status == 0 else (0, 1, 0)
        else:
            count = COUNT.match(last_line(log))
            if status is None or not count:
                why = ("hung" if status is None else
                       "ended with %s and without its count" % status_words(status))
                self.fail(stage.name, program.name, "%s, after %.0f s, %.0f s of CPU" % (why, *took), log)
                return
            passed, failed, skipped = (int(part or 0) for part in count.groups())
        with self.lock:
            self.passed += passed
            self.skipped += skipped
        if failed:
            self.fail(stage.name, program.name, "%d of %d failed" % (failed, passed + failed), log,
                      failed)
        elif status != 0:
            self.fail(stage.name, program.name, "%s though nothing failed" % status_words(status),
                      log)
        elif passed + skipped == 0:
            self.fail(stage.name, program.name, "tested nothing", log)
        else:
            self.say("  ok    %-44s %4d passed %7.1f s %7.1f s CPU"
                     % ("%s: %s" % (stage.name, program.name), passed, *took))
        if skipped:
            with open(log, encoding="utf-8", errors="replace") as file:
                self.say("".join("        " + line for line in file if line.startswith("SKIP "))
                         .rstrip("\n"))

    # ---- what is printed ------------------------------------------------------------------------

    def say(self, text):
        """A line, at once."""
        with self.lock:
            print(text)
            sys.stdout.flush()

    def fail(self, stage, name, why, log=None, count=1):
        """`count` failures more, shown at once."""
        lines = ["  FAIL  %s: %s: %s (load %s)" % (stage, name, why, load())]
        if log:
            lines += self.excerpt(log)
        with self.lock:
            self.failed += count
            self.failures.append("%s: %s: %s" % (stage, name, why))
            print("\n".join(lines))
            sys.stdout.flush()

    def excerpt(self, log):
        """What a log says without its good news; the end of a long one, where the reason is."""
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n")[:300] for line in file]
        lines = [line for line in lines if not GOOD_NEWS.search(line)] or ["(it printed nothing)"]
        cut = len(lines) - SHOWN_LINES
        if cut > 0:
            lines = lines[:10] + ["… %d lines more in %s" % (cut, os.path.relpath(log, self.tree))
                                  ] + lines[10 + cut:]
        return ["      | " + line for line in lines]

    def tell_costs(self):
        """Where the processors' time went: by stage, and the dearest programs."""
        print("== processor time: build and programs of each stage, in seconds")
        for stage in self.stages:
            print("  %-10s %7.1f %7.1f" % (stage.name, stage.build_cpu, stage.cpu))
        print("  %-10s %7.1f %7.1f" % ("sum", sum(stage.build_cpu for stage in self.stages),
                                       sum(stage.cpu for stage in self.stages)))
        print("== the dearest programs: seconds of processor time, seconds")
        for cpu, seconds, name in sorted(self.costs, reverse=True)[:12]:
            print("  %7.1f %7.1f  %s" % (cpu, seconds, name))

    def tell_progress(self):
        """Every half minute: how far it is, what is running longest, how long it may still take."""
        whole = sum(stage.weight for stage in self.stages)
        while not self.over.wait(30):
            done = sum(stage.share_done() for stage in self.stages)
            gone = time.monotonic() - self.begun
            # Until a part of it is behind us the weights are all there is to go by.
            left = gone * (whole - done) / done if done > 0.1 * whole else max(whole - gone, 60)
            with self.lock:
                oldest = sorted(self.running, key=self.running.get)[:1]
                print("-- %d passed, %d failed, %.1f min gone, about %.0f min left%s"
                      % (self.passed, self.failed, gone / 60, max(left / 60, 1),
                         "".join("; longest: %s, %.0f s" % (
                             name, time.monotonic() - self.running[name]) for name in oldest)))
                sys.stdout.flush()


# ---- one process --------------------------------------------------------------------------------

def reap(process):
    """Waits for its end: its status, and the processor time of it and all that it waited for."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def wait_or_kill(process, scratch, log):
    """Its status, or None for one that hung, and its processor time; all it started is killed then.

    A second counts less the more processes want to run: on a busy machine a program takes longer,
    and has not hung.
    """
    spent, hung = 0.0, False
    ended = os.pidfd_open(process.pid)
    try:
        while not hung and not select.select([ended], [], [], 1)[0]:
            spent += min(1.0, processors() / max(1, runnable()))
            hung = spent > LIMIT
    finally:
        os.close(ended)
    if hung:
        with open(log, "ab") as file:
            file.write(where_it_hangs(scratch).encode("utf-8", "replace"))
    for pid in started_with(scratch):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    status, cpu = reap(process)
    return None if hung else status, cpu


def started_with(scratch):
    """The processes whose folder for temporary files is this one: a program and all it started."""
    mark = b"TMPDIR=" + scratch.encode() + b"\0"
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/environ" % name, "rb") as file:
                if name.isdigit() and mark in file.read() + b"\0":
                    yield int(name)
        except OSError:
            continue


def where_it_hangs(scratch):
    """For each process of the program: its command, its threads' states, and their stacks."""
    text = "\nhung; these processes were there:\n"
    for pid in list(started_with(scratch))[:6]:
        text += threads_of(pid)
        if shutil.which("gdb"):
            done = subprocess.run(
                ["timeout", "30", "gdb", "-batch", "-nx", "-ex", "thread apply all bt 14", "-p",
                 str(pid)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, encoding="utf-8", errors="replace", check=False)
            text += "".join("  %s\n" % line for line in done.stdout.splitlines()
                            if line.startswith(("#", "Thread")))
    return text


def threads_of(pid):
    """What a process was started as, and what its threads wait for."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            command = file.read().replace(b"\0", b" ").decode("utf-8", "replace")
        text = "pid %d: %s\n" % (pid, command[:300])
        for thread in os.listdir("/proc/%d/task" % pid)[:16]:
            with open("/proc/%d/task/%s/wchan" % (pid, thread), encoding="utf-8") as file:
                text += "  thread %s waits in %s\n" % (thread, file.read() or "?")
    except OSError:
        return "pid %d: gone\n" % pid
    return text


def last_line(log):
    """Of a file that may be long."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - 4096))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return lines[-1] if lines else ""


def status_words(status):
    """A status as people say it."""
    return "status %d" % status if status >= 0 else signal.Signals(-status).name


# ---- the machine --------------------------------------------------------------------------------

def processors():
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def runnable():
    """How many processes want a processor now."""
    with open("/proc/loadavg", encoding="utf-8") as file:
        return int(file.read().split()[3].partition("/")[0])


def load():
    """The load averages, as a text."""
    with open("/proc/loadavg", encoding="utf-8") as file:
        return " ".join(file.read().split()[:3])


def machine():
    """What a failure on a machine that nobody can look at may come from."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        free = re.search(r"^MemAvailable: +(\d+)", file.read(), re.M)
    uname = os.uname()
    return "%d processors, %d MB of memory available, Linux %s %s, load %s" % (
        processors(), int(free.group(1)) // 1024 if free else 0, uname.release, uname.machine,
        load())
