"""Programs of many kinds, each killed after a random number of steps: no finished span is missing or counted
twice, no span is shorter than its children, no reader reports an error, and nothing hangs.

    PITWALL_TEST_ALL=1    10,000 kills; else some hundreds
    PIT_TEST_KILLS=N      this many
    PIT_TEST_SEED=N       the same steps again
    PIT_TEST_SHAPES=a,b   only these kinds
"""

import concurrent.futures
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

import pit_case
import pit_check
import pit_reader
import pit_runs

KILLS = 10000 if pit_case.is_test_all() else 300
if pit_case.sanitizer():
    KILLS //= 10
KILLS = int(os.environ.get("PIT_TEST_KILLS") or KILLS)
HEAD, KIND = struct.Struct("2Q"), struct.Struct("24s2Q")
SHARED_BYTES = HEAD.size + 80 * KIND.size
HANGS_AFTER_S = 240

# Programs that receive a signal and end in its handler.
TOLD = ("handler_exits", "handler_exits_in_memory_spans", "handler_closes",
        "handler_closes_in_memory_spans")
# Shapes whose counts may lack spans of a handler that interrupted the recorder.
IN_HANDLERS = ("handler_records", "handler_measures_memory")
# Shapes whose spans outlive those around them, or are dropped although their children count.
ANY_ORDER = ("out_of_order", "dropped")
# Shapes whose open spans may be on a stack that is put away: it is not in the run, but spans that ended in
# it are.
PUT_AWAY = ("plain_stacks", "memory_stacks", "generators", "short_generators", "tasks", "greenlets")
NOT_IN_TIME = ANY_ORDER + PUT_AWAY
LONG_STEPS = ("slow", "forks", "come_and_go", "come_and_go_with_memory", "cancelled_between",
              "cancelled_in_memory_spans")

PYTHON_SHAPES = """
import asyncio, contextlib, ctypes, mmap, struct, sys
sys.path.insert(0, sys.argv[5])
import pitwall
shape, run, path = sys.argv[1:4]
names = {}
file = open(path, "r+b")
shared = mmap.mmap(file.fileno(), 0)
words = (ctypes.c_uint64 * (len(shared) // 8)).from_buffer(shared)
def add(at):   # by one store: struct.pack_into writes zeros first, and a kill may come between
    words[at // 8] += 1
def kind(name):
    if name not in names:
        names[name] = 16 + 40 * len(names)
        struct.pack_into("24s", shared, names[name], name.encode())
    return names[name]
@contextlib.contextmanager
def counted(name):   # outside of the span, so that the counts are before and after its end
    at = kind(name)
    try: yield
    finally: add(at + 32)
def ending(name): add(kind(name) + 24)
def loader(name):
    while True:
        with counted(name):
            with pitwall.span(name):
                with counted("read"):
                    with pitwall.span("read"): ending("read")
                try: yield
                finally: ending(name)
def stacked(name):
    while True:
        with counted(name):
            with contextlib.ExitStack() as stack:
                stack.enter_context(pitwall.span(name))
                try: yield
                finally: ending(name)
def doubled(items):
    for _ in items:
        with counted("double"):
            with pitwall.span("double", memory=True):
                try: yield
                finally: ending("double")
def train():
    with counted("train"):
        with pitwall.span("train"): ending("train")
def generators():
    for _ in zip(loader("a"), loader("b"), stacked("c")):
        train(); add(0)
def short_generators():
    while True:
        with counted("round"):
            with pitwall.span("round"):
                for _ in zip(range(5), doubled(loader("a")), loader("b")): train()
                ending("round")
        add(0)
async def aloader(name):
    while True:
        with counted(name):
            with pitwall.span(name):
                await asyncio.sleep(0)
                try: yield
                finally: ending(name)
async def task():
    a, b = aloader("a"), aloader("b")
    while True:
        await a.__anext__(); await b.__anext__(); train(); add(0)
def tasks():
    async def main(): await asyncio.gather(*(task() for _ in range(3)))
    asyncio.run(main())
def greenlets():
    from greenlet import getcurrent, greenlet
    main = getcurrent()
    def work(name):
        while True:
            with counted(name):
                with pitwall.span(name):
                    try:
                        main.switch()
                        with counted("part"):
                            with pitwall.span("part", memory=name == "a"):
                                try: main.switch()
                                finally: ending("part")
                    finally: ending(name)
    three = [greenlet(work) for _ in "abc"]
    for each, name in zip(three, "abc"): each.switch(name)
    while True:
        with counted("round"):
            with pitwall.span("round"):
                for each in three: each.switch()
                ending("round")
        three[0].throw(); three[0] = greenlet(work); three[0].switch("a"); add(0)
pitwall.open(run)
add(8)
{"generators": generators, "short_generators": short_generators, "tasks": tasks, "greenlets": greenlets}[shape]()
"""
PYTHON = ("generators", "short_generators", "tasks", "greenlets")


def where_it_is(pid):
    """What a process is doing: by gdb, or as far as /proc shows."""
    if shutil.which("gdb"):
        done = pit_case.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt"], timeout=30)
        return done.stdout + done.stderr
    text = ""
    for task in sorted(os.listdir("/proc/%d/task" % pid)):
        for name in ("comm", "wchan", "syscall", "stack"):
            try:
                with open("/proc/%d/task/%s/%s" % (pid, task, name)) as file:
                    text += "%s %s: %s\n" % (task, name, file.read().strip())
            except OSError as error:
                text += "%s %s: %s\n" % (task, name, error.strerror)
    return text


def works_in(group):
    """Does a process of the group still run? A killed process runs until its last thread is gone, and its
    run is live as long. Nothing waits for grandchildren."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:  # not even a zombie: no need to look through all processes
        return False
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                state, _, its_group = file.read().rpartition(")")[2].split()[:3]
            if int(its_group) == group and (
                    state not in "ZX" or len(os.listdir("/proc/%s/task" % name)) > 1):
                return True
        except (OSError, ValueError):
            continue
    return False


class Shared:
    """A program's own record."""

    def __init__(self, path):
        with open(path, "w+b") as file:
            file.truncate(SHARED_BYTES)
            self.data = mmap.mmap(file.fileno(), SHARED_BYTES, access=mmap.ACCESS_READ)

    def head(self):
        return HEAD.unpack_from(self.data)

    def kinds(self):
        """{name: (ended, ending)}"""
        found = (KIND.unpack_from(self.data, at)
                 for at in range(HEAD.size, SHARED_BYTES, KIND.size))
        return {name.split(b"\0")[0].decode(): (ended, ending)
                for name, ending, ended in found if name[0]}


class KillShapes(pit_case.Case):
    def command(self, shape, run, shared, seed):
        if shape not in PYTHON:
            return [pit_case.program("prog_kill_shapes"), shape, run, shared, str(seed)]
        return [self.script_python, "-c", PYTHON_SHAPES, shape, run, shared, str(seed),
                os.path.join(pit_case.build_dir(), "python")]

    def shapes(self):
        listed = self.run_ok([pit_case.program("prog_kill_shapes")]).stdout.split()
        self.script_python = "/usr/bin/python3"
        if not pit_case.sanitizer():  # Python itself is not sanitized
            listed += PYTHON
        only = os.environ.get("PIT_TEST_SHAPES")
        return [shape for shape in listed if not only or shape in only.split(",")]

    def wait(self, process, is_reached, what, note):
        """Wait until it is true; the process may end first. A hang is reported with its stack."""
        patience = pit_case.Patience(HANGS_AFTER_S)
        while not is_reached() and process.poll() is None:
            if patience.is_over():
                self.fail("%s %s: not in %d s\n%s"
                          % (note, what, HANGS_AFTER_S, where_it_is(process.pid)))
            time.sleep(0.0005)

    def kill_one(self, shape, seed, steps, is_told, folder):
        note = "PIT_TEST_SEED=%d PIT_TEST_SHAPES=%s, %d steps%s:" % (
            self.seed, shape, steps, ", told to end" if is_told else "")
        os.mkdir(folder)
        run, path = os.path.join(folder, "run.pit"), os.path.join(folder, "shared")
        shared = Shared(path)
        said = open(os.path.join(folder, "said"), "wb")
        process = subprocess.Popen(self.command(shape, run, path, seed), env=pit_case.clean_env(),
                                   stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                   start_new_session=True)
        try:
            self.wait(process, lambda: shared.head()[1], "opens its run", note)
            self.wait(process, lambda: shared.head()[0] >= steps, "goes on", note)
            self.assertIsNone(process.poll(), note + " it ended by itself: " + self.said(said))
            if is_told:
                process.send_signal(signal.SIGTERM)
                self.wait(process, lambda: False, "ends", note)
        finally:
            said.close()
            try:
                os.killpg(process.pid, signal.SIGKILL)  # children of its own too
            except ProcessLookupError:
                pass
            process.wait()
        self.assertTrue(pit_runs.wait_until(lambda: not works_in(process.pid), HANGS_AFTER_S), note)
        self.assertEqual(process.returncode, 0 if is_told else -signal.SIGKILL,
                         note + self.said(said))
        self.check(shape, folder, shared.kinds(), seed, note)
        shutil.rmtree(folder)

    @staticmethod
    def said(file):
        with open(file.name, encoding="utf-8", errors="replace") as again:
            return again.read()

    def check(self, shape, folder, kinds, seed, note):
        counts, in_handlers = {}, 0
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".pit"):
                continue
            path = os.path.join(folder, name)
            try:
                run = pit_reader.load(path)
            except pit_reader.BadRun:
                if name == "run.pit":
                    raise
                continue  # a child of the program was about to make it
            if seed % 4 == 0 and shape not in NOT_IN_TIME:  # the library's reader against ours
                run = pit_runs.read_both(self, path, self.state_of(run), note)
            self.check_run(shape, run, note + " " + name)
            in_handlers += sum(t["counters"]["signal"] for t in run["threads"])
            in_handlers += run["counters"].get("in_signal", 0)
            for thread in run["threads"]:
                for node in thread["nodes"]:
                    last = node["path"].rpartition("/")[2]
                    counts[last] = counts.get(last, 0) + node["count"]
        wrong = []
        for name, (ended, ending) in kinds.items():
            least = ended - in_handlers if shape in IN_HANDLERS else ended
            if not least <= counts.pop(name, 0) <= ending:
                wrong.append("%s: not %d … %d spans" % (name, least, ending))
        wrong += ["%s: %d spans that nobody ended" % item for item in counts.items() if item[1]]
        self.assertEqual(wrong, [], note)

    @staticmethod
    def state_of(run):
        return "closed" if run["state"] == "closed" else "died"

    def check_run(self, shape, run, note):
        bad = pit_check.check(run)
        if shape in NOT_IN_TIME:
            bad = [line for line in bad if "child time" not in line]
        for thread in run["threads"]:
            lost = {key: n for key, n in thread["counters"].items() if n and key in (
                "clock_back", "end_without_begin", "wrong_thread", "too_deep", "table_full")}
            self.assertEqual(lost, {}, note)
            inside, own = {}, {}
            for i, node in enumerate(thread["nodes"]):
                own[i] = node["total"]
                if not node["detached"]:
                    inside[node["parent"]] = inside.get(node["parent"], 0) + node["total"]
            # Open spans have time that is not counted yet.
            is_open = {span["node"] for span in thread["open"]}
            is_left = thread["counters"]["left_open"] or thread["counters"]["abandoned"]
            for i, total in inside.items():
                if i is None or i in is_open or is_left or shape in NOT_IN_TIME:
                    continue
                if total > own[i]:
                    bad.append("%s lasts %d ticks, what is inside it %d"
                               % (thread["nodes"][i]["path"], own[i], total))
            depths = [span["path"].count("/") for span in thread["open"] if not span["object"]]
            if depths != sorted(depths):
                bad.append("open spans are not nested: %s"
                           % [span["path"] for span in thread["open"]])
        self.assertEqual(bad, [], note)

    def test_a_kill_at_any_step_of_any_shape(self):
        self.seed = pit_runs.seed_of_test()
        shapes, folder = self.shapes(), self.folder()
        dice = random.Random(self.seed)
        print("seed %d, %d shapes" % (self.seed, len(shapes)), end=" ", flush=True)
        self.assertTrue(len(shapes) >= 20 or os.environ.get("PIT_TEST_SHAPES"), shapes)
        jobs = []
        for i in range(KILLS):
            shape = shapes[i % len(shapes)]
            steps = int(10 ** dice.uniform(0, 2 if shape in LONG_STEPS else 3))
            jobs.append((shape, dice.randrange(10**9), steps,
                         shape in TOLD and dice.random() < 0.7, os.path.join(folder, str(i))))
        self.failed = {}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(self.try_one, jobs))
        if self.failed:
            self.fail("\n".join("%s: %d of its kills, first: %s" % (shape, len(texts), texts[0])
                                for shape, texts in self.failed.items()))

    def try_one(self, job):
        if self.failed.get(job[0]):
            return  # it is known: a hang takes a minute each time
        try:
            self.kill_one(*job)
        except (AssertionError, pit_reader.BadRun, OSError) as error:
            self.failed.setdefault(job[0], []).append(str(error))
            print("%s: %s" % (job[0], error), file=sys.stderr, flush=True)


if __name__ == "__main__":
    pit_case.main(thread_sanitizer=False)
