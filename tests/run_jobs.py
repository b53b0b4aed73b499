"""Runs builds and test programs in parallel for tests/run.py, and counts the results.

One thread makes the builds, one after another. When a build is done, its test programs wait for a worker.
While there is something to build, as many programs run as there are processors, the quickest of the earliest
stage first: a failure is seen early. After the last build twice as many run, because many of them wait for
something, and the longest first: none runs alone at the end.
"""

import contextlib
import fcntl
import glob
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import run_costs

COUNT = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
GOOD_NEWS = re.compile(r" \.\.\. ok$|^\[ *\d+%\]|^\[\d+/\d+\]|^-- |^$")
# Seconds. `make test-all` takes a million samples where `make test` takes some hundred.
LIMIT = float(os.environ.get("TEST_TIMEOUT") or (1800 if os.environ.get("PITWALL_TEST_ALL") == "1" else 300))
SHOWN_LINES = 60
SANITIZER_OPTIONS = {"ASAN_OPTIONS", "TSAN_OPTIONS"}
LOCKS = ("python-env.lock", "python-frameworks.lock")  # of scripts/python_env.sh, in the build folder


class Program:
    """A test program. One that prints no counts is a single test, passed if its exit status is 0."""

    def __init__(self, name, command, env, counts_itself=True):
        self.name, self.command, self.env = name, command, env
        self.counts_itself = counts_itself


class Build:
    """A build folder, its CMake arguments and its targets (empty: all), and what must be built before."""

    def __init__(self, folder, arguments=(), targets=(), before=None):
        self.folder, self.arguments, self.targets = folder, list(arguments), list(targets)
        self.before = before

    def steps(self, tree):
        """The commands, in their order."""
        return [*(self.before.steps(tree) if self.before else []),
                ["cmake", "-S", tree, "-B", self.folder, "-Wno-dev", *self.arguments],
                ["cmake", "--build", self.folder, "-j", str(processors()),
                 *(["--target", *self.targets] if self.targets else [])]]


class Stage:
    """A build and the programs that run on it; programs(folder) returns them."""

    def __init__(self, name, build, programs):
        self.name, self.build, self.programs = name, build, programs
        self.total = self.done = 0
        self.begun = None
        self.build_cpu = self.cpu = 0.0  # seconds of processor time


class Runner:
    """Runs stages, prints what happens, adds up the counts."""

    def __init__(self, tree, build, stages):
        self.tree, self.logs, self.stages = tree, os.path.join(build, "test-logs"), stages
        self.installing = [os.path.join(build, name) for name in LOCKS]
        self.lock = threading.Lock()  # guards the counts and the output
        self.waiting = []  # stage and program
        self.changed = threading.Condition(self.lock)  # of waiting, running and building
        self.building = None  # the stage and the log of the build under way
        self.is_built = False  # there are no more builds
        self.costs_known = run_costs.Costs(stages)
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.costs = []  # for each program its seconds of processor time, its seconds, its name
        self.running = {}  # stage and program: when it began
        self.files, self.tree_state = files_of(tree)
        self.made_by = {}  # a new file of the tree: the programs that ran when it appeared
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
                   for _ in range(2 * processors())]
        for worker in workers:
            worker.start()
        threading.Thread(target=self.tell_progress, daemon=True).start()
        self.build_all()
        with self.changed:
            self.is_built = True
            self.changed.notify_all()
        for worker in workers:
            worker.join()
        self.over.set()
        self.check_tree()
        return self.sum_up()

    def sum_up(self):
        """The last lines: every failure once more, and the sum in its own line."""
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
        """Make every build once; then the programs of its stages wait for a worker."""
        for build in dict.fromkeys(stage.build for stage in self.stages):
            stages = [stage for stage in self.stages if stage.build is build]
            if not self.make(build, stages[0]):
                continue
            built = time.monotonic()
            for stage in stages:
                programs = list(stage.programs(build.folder))
                stage.total, stage.begun = len(programs), built
                if not programs:
                    self.fail(stage.name, "programs", "there are none")
                with self.changed:
                    self.waiting += [(stage, program) for program in programs]
                    self.changed.notify_all()

    def make(self, build, stage):
        """Configure and build; a failure counts as one."""
        log = os.path.join(self.logs, stage.name, "build.log")
        env = dict(os.environ, CMAKE_GENERATOR="Ninja", **compiler_cache(self.tree))
        begun = time.monotonic()
        name = os.path.relpath(build.folder, self.tree)
        with open(log, "w", encoding="utf-8") as file:
            self.building = (stage, log)
            for step in build.steps(self.tree):
                process = subprocess.Popen(step, stdin=subprocess.DEVNULL, stdout=file,
                                           stderr=subprocess.STDOUT, env=env)
                status, cpu = reap(process)
                stage.build_cpu += cpu
                if status != 0:
                    self.fail(stage.name, "build", "the build of %s failed" % name, log)
                    return False
        seconds = time.monotonic() - begun
        with self.lock:
            self.building = None
            self.costs_known.program_done(stage, "build")
            self.costs.append((stage.build_cpu, seconds, stage.name, "build"))
        self.say("  built %-52s %7.1f s %7.1f s CPU" % (name, seconds, stage.build_cpu))
        return True

    # ---- programs -------------------------------------------------------------------------------

    def work(self):
        """A worker: runs one program after another until there are no more."""
        while True:
            item = self.take()
            if item is None:
                return
            stage, program = item
            try:
                self.run_program(stage, program)
            except Exception as error:  # pylint: disable=broad-except
                self.fail(stage.name, program.name, "could not be run: %r" % error)
            with self.changed:
                self.look_at_tree()
                del self.running[item]
                self.costs_known.program_done(stage, program.name)
                stage.done += 1
                last = stage.done == stage.total
                self.changed.notify_all()
            if last:
                self.say("== %s done, %d s after its build"
                         % (stage.name, time.monotonic() - stage.begun))

    def take(self):
        """The next program, when there is room for one more. None: there will be none."""
        def seconds(item):
            return self.costs_known.of(item[0], item[1].name)[1]

        with self.changed:
            while not self.waiting or (not self.is_built and len(self.running) >= processors()):
                if self.is_built and not self.waiting:
                    return None
                self.changed.wait()
            if self.is_built:
                item = max(self.waiting, key=seconds)
            else:
                item = min(self.waiting, key=lambda item: (item[0].begun, seconds(item)))
            self.waiting.remove(item)
            self.running[item] = time.monotonic()
            return item

    def look_at_tree(self):
        """Record which programs ran when a file appeared in the source tree; one of them made it."""
        if self.tree_state == state_of(self.tree_state):
            return
        files, self.tree_state = files_of(self.tree)
        for path in files - self.files - self.made_by.keys():
            self.made_by[path] = sorted("%s: %s" % (stage.name, program.name)
                                        for stage, program in self.running)

    def check_tree(self):
        """Check that no program left a file in the source tree. Files that git tracks came with a change of
        the sources."""
        left = files_of(self.tree)[0] - self.files
        if left and os.path.exists(os.path.join(self.tree, ".git")):
            known = subprocess.run(["git", "ls-files", "-z", "--", *left], cwd=self.tree, check=False,
                                   stdout=subprocess.PIPE, encoding="utf-8").stdout.split("\0")
            left -= {part for path in known for part in (path, os.path.dirname(path))}
        for path in sorted(left):
            self.fail("source tree", path, "left there; when it appeared, these ran: %s"
                      % ", ".join(self.made_by.get(path, ["none"])))

    def run_program(self, stage, program):
        """Run one program with its own folder for temporary files, and record its result."""
        log = os.path.join(self.logs, stage.name, program.name.replace("/", "-") + ".log")
        scratch = tempfile.mkdtemp(prefix="pit-")
        os.chmod(scratch, 0o755)  # a test may continue as another user
        env = dict(os.environ, TMPDIR=scratch, **program.env)
        reports = os.path.join(scratch, "reports")
        for options in SANITIZER_OPTIONS & env.keys():
            env[options] += ":log_path=" + reports
        begun = time.monotonic()
        try:
            with open(log, "wb") as file:
                process = subprocess.Popen(
                    program.command, stdin=subprocess.DEVNULL, stdout=file,
                    stderr=subprocess.STDOUT, cwd=self.tree, process_group=0, env=env)
                status, cpu = wait_or_kill(process, scratch, log, self.installing)
            seconds = time.monotonic() - begun
            keep_reports(reports, log)
            with self.lock:
                stage.cpu += cpu
                self.costs.append((cpu, seconds, stage.name, program.name))
            self.judge(stage, program, status, (seconds, cpu), log)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def judge(self, stage, program, status, took, log):
        """Parse the counts in the program's last line; took is (seconds, seconds of CPU)."""
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
        """Print a line at once."""
        with self.lock:
            print(text)
            sys.stdout.flush()

    def fail(self, stage, name, why, log=None, count=1):
        """Count failures, and show them at once."""
        lines = ["  FAIL  %s: %s: %s (load %s)" % (stage, name, why, load())]
        for path in (log, reports_of(log)) if log else ():
            if os.path.exists(path):
                lines += self.excerpt(path)
        with self.lock:
            self.failed += count
            self.failures.append("%s: %s: %s" % (stage, name, why))
            print("\n".join(lines))
            sys.stdout.flush()

    def excerpt(self, log):
        """The failures in a log; of a long log the end, where the reason is."""
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip("\n")[:300] for line in file]
        lines = [line for line in lines if not GOOD_NEWS.search(line)] or ["(it printed nothing)"]
        cut = len(lines) - SHOWN_LINES
        if cut > 0:
            lines = lines[:10] + ["… %d lines more in %s" % (cut, os.path.relpath(log, self.tree))
                                  ] + lines[10 + cut:]
        return ["      | " + line for line in lines]

    def tell_costs(self):
        """Where the processor time went: by stage, and the most expensive programs."""
        print("== processor time: build and programs of each stage, in seconds")
        for stage in self.stages:
            print("  %-10s %7.1f %7.1f" % (stage.name, stage.build_cpu, stage.cpu))
        print("  %-10s %7.1f %7.1f" % ("sum", sum(stage.build_cpu for stage in self.stages),
                                       sum(stage.cpu for stage in self.stages)))
        print("== the dearest programs: seconds of processor time, seconds")
        programs = [cost for cost in self.costs if cost[3] != "build"]
        for cost in sorted(programs, reverse=True)[:12]:
            print("  %7.1f %7.1f  %s: %s" % cost)
        run_costs.write(os.path.join(self.logs, "costs.txt"), self.costs)

    def tell_progress(self):
        """Every half minute: how much is done, which program has been running longest, how long it may
        still take."""
        while not self.over.wait(30):
            gone = time.monotonic() - self.begun
            with self.lock:
                left = self.costs_known.seconds_left(gone, self.under_way())
                oldest = sorted(self.running.items(), key=lambda item: item[1])[:1]
                print("-- %d passed, %d failed, %.1f min gone, about %.0f min left%s"
                      % (self.passed, self.failed, gone / 60, max(left / 60, 1),
                         "".join("; longest: %s: %s, %.0f s" % (
                             stage.name, program.name, time.monotonic() - begun)
                             for (stage, program), begun in oldest)))
                sys.stdout.flush()

    def under_way(self):
        """Seconds of processor time that the current build and programs have used so far."""
        done = 0.0
        for (stage, program), begun in self.running.items():
            cpu, seconds = self.costs_known.of(stage, program.name)
            done += cpu * min(1.0, (time.monotonic() - begun) / (2 * seconds))
        building = self.building
        if building:
            step = re.match(r"\[(\d+)/(\d+)\]", last_line(building[1]))
            if step:
                done += self.costs_known.of(building[0], "build")[0] * int(step[1]) / int(step[2])
        return done


# ---- builds --------------------------------------------------------------------------------------

def compiler_cache(tree):
    """The environment in which CMake and the compiler use ccache, if it is installed and has a folder to write to:
    sources that were compiled before, in this clone or another one, are not compiled again. CCACHE_DISABLE=1
    switches it off."""
    if not shutil.which("ccache"):
        return {}
    folder = subprocess.run(["ccache", "--get-config", "cache_dir"], stdout=subprocess.PIPE,
                            encoding="utf-8", check=False).stdout.strip()
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return {}
    if not os.access(folder, os.W_OK | os.X_OK):
        return {}
    return {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": tree, "CCACHE_NOHASHDIR": "1"}


# ---- one process --------------------------------------------------------------------------------

def reap(process):
    """Wait for its end; returns its status, and the processor time of it and its children."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def wait_or_kill(process, scratch, log, waits_for):
    """Returns its status, or None if it hung (all its children are killed then), and its processor time.

    A second counts less the more processes want to run, and the more the host takes away: on a busy machine a
    program takes longer, and has not hung. No second counts while one of the files waits_for is locked: then a
    program installs what several need, from a network of any speed, with a limit of its own.
    """
    spent, hung = 0.0, False
    ended = os.pidfd_open(process.pid)
    try:
        while not hung and not select.select([ended], [], [], 1)[0]:
            if not any(map(is_locked, waits_for)):
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


def reports_of(log):
    """The file with the reports of a sanitizer that belong to a log."""
    return log + ".reports"


def keep_reports(prefix, log):
    """Keep what a sanitizer wrote to files named after this prefix. It does not go to standard error, because
    the sampler has its own descriptors, and what it wrote there would be lost."""
    found = sorted(glob.glob(prefix + ".*"))
    with contextlib.suppress(FileNotFoundError):
        os.remove(reports_of(log))  # of a former run
    for path in found:
        with open(path, "rb") as file, open(reports_of(log), "ab") as kept:
            kept.write(file.read())


def is_locked(path):
    """Does a process hold an exclusive lock of this file, by flock?"""
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass  # there is no such file
    return False


def started_with(scratch):
    """The processes with this folder for temporary files: a program and its children."""
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
    """The command of a process, and what its threads wait for."""
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
    """The end of a file that may be long."""
    with open(log, "rb") as file:
        file.seek(max(0, os.path.getsize(log) - 4096))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return lines[-1] if lines else ""


def status_words(status):
    """A status as text."""
    return "status %d" % status if status >= 0 else signal.Signals(-status).name


# ---- the tree and the machine --------------------------------------------------------------------------------

def files_of(tree):
    """The files and folders of the tree, except those of builds and those that Python and git keep; and
    when each folder changed."""
    found, changed = set(), {}
    for folder, folders, files in os.walk(tree):
        folders[:] = [name for name in folders
                      if name not in (".git", "__pycache__", ".ruff_cache", ".mypy_cache")
                      and (folder != tree or not name.startswith("build"))]
        found.update(os.path.relpath(os.path.join(folder, name), tree) for name in folders + files)
        changed[folder] = 0
    return found, state_of(changed)


def state_of(folders):
    """When each of them changed, and how much is in it: a file that is made or deleted changes its folder, but
    in the same tick of the kernel's clock not its time. None: the folder is gone."""
    def state(folder):
        try:
            return os.stat(folder).st_mtime_ns, len(os.listdir(folder))
        except OSError:
            return None

    return {folder: state(folder) for folder in folders}


def processors():
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def runnable():
    """How many processes want a processor now. If the host of a virtual machine takes half of the processor time
    away, each of them counts twice."""
    with open("/proc/loadavg", encoding="utf-8") as file:
        wanting = int(file.read().split()[3].partition("/")[0])
    return wanting / max(1 - STOLEN.share(), 0.01)


class Stolen:
    """The part of the wanted processor time that the host took away, measured over at least half a second."""

    def __init__(self):
        self.lock = threading.RLock()  # the handler of a signal may ask while its thread does
        self.at, self.last = time.monotonic(), self.ticks()
        self.known = 0.0

    @staticmethod
    def ticks():
        """Those that the host took, and all in which a processor was wanted."""
        with open("/proc/stat", encoding="utf-8") as file:
            user, nice, system, _, _, irq, softirq, stolen = map(int, file.readline().split()[1:9])
        return stolen, user + nice + system + irq + softirq + stolen

    def share(self):
        """From 0 to 1."""
        with self.lock:
            if time.monotonic() - self.at >= 0.5:
                now = self.ticks()
                stolen, wanted = (new - old for new, old in zip(now, self.last))
                self.at, self.last = time.monotonic(), now
                self.known = min(max(stolen / wanted, 0.0), 1.0) if wanted > 0 else 0.0
            return self.known


STOLEN = Stolen()


def load():
    """The load averages, as a text."""
    with open("/proc/loadavg", encoding="utf-8") as file:
        return " ".join(file.read().split()[:3])


def machine():
    """The state of the machine, which may explain a failure."""
    with open("/proc/meminfo", encoding="utf-8") as file:
        free = re.search(r"^MemAvailable: +(\d+)", file.read(), re.M)
    uname = os.uname()
    return "%d processors, %d MB of memory available, Linux %s %s, load %s" % (
        processors(), int(free.group(1)) // 1024 if free else 0, uname.release, uname.machine,
        load())
