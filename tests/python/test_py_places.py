"""Where the main thread is, by samples of its stack: the right file, line and function for planted hot
lines, in the right span. Forks, threads, exits and a lock that is held for long do no harm.

How many samples a line gets depends on the scheduler, so no test asserts it: a program repeats its hot line
until one place clearly has the most rounds, and that must be the planted one."""

import os
import signal

import py_case
from py_case import pit_case

# A line that is hot by construction ends in "# HOT"; plant() does some milliseconds of it.
PLANTS = {
    "loop": """
        def plant():
            x = 0
            for i in range(20000): x += i * i  # HOT
        """,
    "comprehension": """
        def plant():
            return [i * i for i in range(20000)]  # HOT
        """,
    "generator": """
        def squares(n):
            for i in range(n): yield sum(range(2000))  # HOT
        def plant():
            for value in squares(50):
                pass
        """,
    "nested_function": """
        def plant():
            def inner(n):
                for i in range(n): n + i  # HOT
            inner(20000)
        """,
    "method": """
        class Model:
            def forward(self):
                for i in range(20000): self.weight = i  # HOT
        def plant(model=Model()):
            model.forward()
        """,
    "numpy_call": """
        import numpy
        a = numpy.ones((100, 100))
        def plant():
            for i in range(3): numpy.linalg.inv(a @ a + numpy.eye(100))  # HOT
        """,
    "exception_handler": """
        def plant():
            try:
                raise ValueError("planted")
            except ValueError as error:
                for i in range(20000): str(error)  # HOT
        """,
    "recursion": """
        def down(n):
            if n:
                return down(n - 1)
            for i in range(20000): n + i  # HOT
        def plant():
            down(50)
        """,
    "pool": """
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(1)
        def work():
            for i in range(20000): i * i
        def plant():
            pool.submit(work).result()  # HOT
        """,
    "decorated_function": """
        import functools
        def decorated(function):
            @functools.wraps(function)
            def call(*args):
                return function(*args)
            return call
        @decorated
        def hot(n):
            for i in range(n): n + i  # HOT
        def plant():
            hot(20000)
        """,
    "library_call": """
        import json
        tree = {str(i): [i] * 20 for i in range(50)}
        def plant():
            for i in range(5): json.dumps(tree, indent=1)  # HOT
        """,
    "made_code": """
        import collections
        Point = collections.namedtuple("Point", "x y")
        def plant():
            for i in range(5000): Point(i, i)  # HOT
        """,
    "coroutine": """
        async def step():
            for i in range(100000): i * i  # HOT
        async def steps():
            await asyncio.gather(step(), step())
        def plant():
            asyncio.run(steps())
        """,
    "operator": """
        words = [str(i) for i in range(30000)]
        def plant():
            for i in range(10):
                found = "absent" in words  # HOT
                largest = max(i, 1)  # the first line after it where a sample can be taken
        """,
    "lock_held": """
        import ctypes
        usleep = ctypes.PyDLL(None).usleep  # the interpreter's lock is held meanwhile
        def plant():
            for i in range(3): usleep(30000)  # HOT
        """,
}
FUNCTIONS = {  # as the interpreter names them: from 3.11 on with what they are in
    "loop": {"plant"}, "comprehension": {"plant", "plant.<locals>.<listcomp>", "<listcomp>"},
    "generator": {"squares"}, "nested_function": {"inner", "plant.<locals>.inner"},
    "method": {"forward", "Model.forward"}, "numpy_call": {"plant"},
    "exception_handler": {"plant"}, "recursion": {"down"}, "pool": {"plant"},
    "decorated_function": {"hot"}, "library_call": {"plant"}, "coroutine": {"step"},
    "lock_held": {"plant"}, "operator": {"plant"}, "made_code": {"plant"},
}

BEGIN = """
pitwall._pitwall._stack_pace(0.0005)
pitwall.open(in_memory=True)
"""
# A late sample counts for all the time that it is late, so a process that got no processor for a second gives
# thousands of samples to the line where it happened to be. So each round has one vote, for the place with the most
# new samples in it. Repeat until one place has more than twice as many votes as all others, and 20 more.
HUNT = """
seen, votes = {}, {}
def vote():
    rows = {(row["file"], row["line"], row["function"]): row["samples"]
            for row in pitwall.read_live()["places"]
            if row["span"] == "work/hot" and row["kind"] == "python"}
    new = {place: count - seen.get(place, 0) for place, count in rows.items()}
    place = max(new, key=new.get, default=None)
    if place and new[place]: votes[place] = votes.get(place, 0) + 1
    seen.update(rows)
def is_sure():
    most = max(votes.values(), default=0)
    return most > 2 * (sum(votes.values()) - most) + 20
while not is_sure() and sum(votes.values()) < 1000:
    with pitwall.span("work"):
        with pitwall.span("hot"):
            plant()
    vote()
tell([is_sure(), sorted(([count, *place] for place, count in votes.items()), key=lambda row: -row[0])])
"""

# Continue until this many samples were taken: threads, generators, exceptions, forks. The other threads pause in
# between: if all of them always want the interpreter's lock, a sample takes 50 times as long.
STRESS = """
import itertools
pitwall._pitwall._stack_pace(0)
sys.setswitchinterval(1e-6)
pitwall.open(path)
stop = False
def others():
    while not stop:
        with pitwall.span("thread"):
            sorted(str(i) for i in range(50))
        time.sleep(0.002)
threads = [threading.Thread(target=others) for _ in range(3)]
for thread in threads: thread.start()
def numbers():
    with pitwall.span("generator"):
        for i in itertools.count():
            yield i
def fails(depth):
    with pitwall.span("fails"):
        if depth: fails(depth - 1)
        raise ValueError(depth)
async def task():
    with pitwall.span("task"):
        await asyncio.sleep(0)
async def tasks():
    await asyncio.gather(*(task() for _ in range(5)))
exec(compile("def made():\\n    return 1\\n" * 50, "made \\udce4.py", "exec"))
children, rounds, source = 0, 0, numbers()
while rounds < 402 or pitwall.status()["place_samples"] < wanted:
    rounds += 1
    next(source)
    if rounds % 100 == 0: source = numbers()
    try: fails(rounds % 20)
    except ValueError: pass
    made()
    if rounds % 50 == 0: asyncio.run(tasks())
    if rounds % 400 == 1:
        child = os.fork()
        if not child:
            with pitwall.span("child"):
                while pitwall.status()["place_samples"] < 20: pass
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        children += 1
stop = True
for thread in threads: thread.join()
pitwall.close()  # a live run may be about to note one more
run = pitwall.read(path, alone=True)
tell([children, run["stack_samples"]["python"]["dropped"],
      sum(row["samples"] for row in run["places"] if row["kind"] == "python"),
      run["stack_samples"]["python"]["samples"],
      sum(source["samples"] for source in run["stack_samples"].values())])
"""

THREADS = """
def samplers():
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open("/proc/self/task/%s/comm" % task) as file: names.append(file.read().strip())
        except OSError: pass  # it has just ended
    return names.count("pitwall stacks")
def samplers_left():  # one that was joined is listed until the kernel has done with it
    while samplers(): time.sleep(0.001)
    return 0
"""


class Places(py_case.Case):
    def planted(self, name):
        program = BEGIN + self.dedent(PLANTS[name]) + HUNT
        is_sure, votes = self.python(program)
        self.assertTrue(is_sure, votes)
        lines = (py_case.START + program).split("\n")
        hot = [i for i, line in enumerate(lines, 1) if line.endswith("# HOT")]
        _, file, line, function = votes[0]
        self.assertEqual([line], hot, votes)
        self.assertEqual(os.path.basename(file), "program.py", votes)
        self.assertIn(function, FUNCTIONS[name], votes)

    @staticmethod
    def dedent(program):
        lines = program.strip("\n").split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        return "\n".join(line[indent:] for line in lines)

    def test_hot_loop(self):
        self.planted("loop")

    def test_hot_comprehension(self):
        self.planted("comprehension")

    def test_hot_generator(self):
        self.planted("generator")

    def test_hot_nested_function(self):
        self.planted("nested_function")

    def test_hot_method(self):
        self.planted("method")

    def test_hot_numpy_call(self):
        self.planted("numpy_call")

    def test_hot_exception_handler(self):
        self.planted("exception_handler")

    def test_hot_recursion(self):
        self.planted("recursion")

    def test_waiting_for_a_pool_is_the_line_that_waits(self):
        self.planted("pool")

    def test_a_main_thread_that_waits_is_sampled_meanwhile(self):
        """Not only when it comes back: it may wait until the program ends. The limit only detects a hang."""
        found = self.python("""
            pitwall.open("run.pit")
            end_of_wait, ends_wait = os.pipe()
            grown = []
            def watch():
                def samples(): return pitwall.status()["place_samples"]
                before, until = samples(), time.monotonic() + 60
                while samples() < before + 3 and time.monotonic() < until: time.sleep(0.01)
                grown.append(samples() - before)
                os.write(ends_wait, b"x")
            thread = threading.Thread(target=watch)
            thread.start()
            os.read(end_of_wait, 1)
            thread.join()
            tell(grown[0])
        """)
        self.assertGreaterEqual(found, 3)

    def test_hot_decorated_function(self):
        self.planted("decorated_function")

    def test_a_call_into_a_library_is_the_line_that_calls(self):
        self.planted("library_call")

    def test_code_that_a_library_made_is_the_line_that_calls(self):
        self.planted("made_code")

    def test_hot_coroutine(self):
        self.planted("coroutine")

    def test_a_call_that_keeps_the_lock_is_found_and_weighted(self):
        self.planted("lock_held")

    def test_an_operator_that_nothing_interrupts_is_found(self):
        self.planted("operator")

    def test_outside_of_all_spans(self):
        found = self.python(BEGIN + """
def wait():
    while True:
        rows = [row for row in pitwall.read_live()["places"] if row["span"] is None]
        if any(row["function"] == "wait" and row["samples"] > 20 for row in rows): return rows
        time.sleep(0.01)
tell(wait())
""")
        self.assertIn("wait", [row["function"] for row in found])

    def test_python_c_is_the_programs_own_code(self):
        code = py_case.START + BEGIN + """
files = []
while "<string>" not in files: files = [row["file"] for row in pitwall.read_live()["places"]]
tell(files)
"""
        tell = os.path.join(self.folder(), "tell.json")
        self.run_ok([py_case.PYTHON, "-c", code], env=py_case.environment(PY_CASE_TELL=tell))
        with open(tell, encoding="utf-8") as file:
            self.assertIn("<string>", file.read())

    def test_a_late_sample_stands_for_the_time_it_is_late(self):
        # Each time the lock is held for at least 0.2 s; ten periods fall into it. The last sample is taken after
        # the last moment that is compared, and counts for all periods before it.
        samples, seconds = self.python("""
import ctypes
usleep = ctypes.PyDLL(None).usleep
pitwall._pitwall._stack_pace(0.02)
pitwall.open(in_memory=True)
def next_sample():
    before = time.monotonic()
    known = pitwall.status()["place_samples"]
    while True:
        now = time.monotonic()
        if pitwall.status()["place_samples"] != known: return before
        before = now
next_sample()
first, begun = pitwall.status()["place_samples"], time.monotonic()
for i in range(10):
    with pitwall.span("held"):
        usleep(200000)
end = next_sample()
tell([pitwall.status()["place_samples"] - first, end - begun])
""")
        self.assertGreaterEqual(seconds, 2)
        self.assertGreaterEqual(samples, seconds / 0.02 - 2)

    def test_switched_off(self):
        for how in ("option", "environment"):
            env = {"PITWALL_SAMPLE_STACKS": "0"} if how == "environment" else {}
            option = ", sample_stacks=0" if how == "option" else ""
            found = self.python(THREADS + """
pitwall.open(in_memory=True%s)
with pitwall.span("a"): pass
run = pitwall.read_live()
tell([samplers(), pitwall.status()["sample_stacks"], pitwall.status()["place_samples"],
      run["places"], run["stack_samples"]["python"]["reason"]])
""" % option, **env)
            self.assertEqual(found, [0, 0, 0, [], "switched off: sample_stacks is 0"], how)

    def test_how_often(self):
        found = self.python("""
rates = []
for rate in (None, 25, 5000):
    pitwall.open(in_memory=True, sample_stacks=rate)
    rates.append([pitwall.status()["sample_stacks"],
                  pitwall.read_live()["stack_samples"]["python"]["hz"]])
    while pitwall.read_live()["stack_samples"]["python"]["samples"] == 0:
        sum(range(10000))  # samples are taken, at whatever rate
    pitwall.close()
tell(rates)
""")
        self.assertEqual(found, [[10, 10], [25, 25], [100, 100]])

    def test_the_thread_lives_as_long_as_the_recorder(self):
        found = self.python(THREADS + """
seen = [samplers()]
for i in range(3):
    pitwall.open(in_memory=True)
    seen.append(samplers())
    with pitwall.span("a"): pass
    pitwall.close()
    seen.append(samplers_left())
tell(seen)
""")
        self.assertEqual(found, [0, 1, 0, 1, 0, 1, 0])

    def test_the_environment_and_the_first_span_start_it_too(self):
        path = os.path.join(self.folder(), "run.pit")
        for env in ({"PITWALL_FILE": path}, {}):
            found = self.python(THREADS + """
before = samplers()
with pitwall.span("a"): seen = samplers()
tell([before, seen])
""", **env)
            self.assertEqual(found, [0, 1])

    def test_a_span_of_another_thread_has_the_main_thread_start_it(self):
        self.assertEqual(self.python(THREADS + """
def work():
    with pitwall.span("a"): pass
thread = threading.Thread(target=work)
thread.start()
thread.join()
while not samplers(): pass
tell(samplers())
"""), 1)

    def test_a_forked_child_has_its_own(self):
        path = os.path.join(self.folder(), "run.pit")
        found = self.python(THREADS + """
pitwall._pitwall._stack_pace(0.001)
pitwall.open(%r)
with pitwall.span("parent"):  # one sample may have been taken before it began
    while not any(row["span"] == "parent" for row in pitwall.read_live()["places"]): pass
child = os.fork()
if not child:
    none = samplers()
    with pitwall.span("child"):
        while not pitwall.status()["place_samples"]: pass
    os._exit(0 if not none and samplers() == 1 else 1)
before = pitwall.status()["place_samples"]
code = os.waitpid(child, 0)[1]
while pitwall.status()["place_samples"] == before: pass
tell([code, samplers(), sorted({row["span"] for row in pitwall.read_live()["places"]
                                if row["span"]})])
""" % path)
        self.assertEqual(found, [0, 1, ["parent"]])

    def test_a_sub_interpreter_does_no_harm(self):
        found = self.python(BEGIN + """
try: import _interpreters as interpreters
except ImportError:
    try: import _xxsubinterpreters as interpreters
    except ImportError: interpreters = None
done = 0
if interpreters:
    for i in range(5):
        interpreter = interpreters.create()
        before = pitwall.status()["place_samples"]
        while pitwall.status()["place_samples"] < before + 5:
            interpreters.run_string(interpreter, "for i in range(20000): i * i")
        interpreters.destroy(interpreter)
        done += 1
tell([done, interpreters is not None])
""")
        self.assertEqual(found[0], 5 if found[1] else 0)

    def test_allocators_that_are_replaced_as_the_thread_begins_and_ends(self):
        """tracemalloc replaces the allocators while it holds the interpreter's lock, so nothing may be
        allocated without it."""
        self.python("""
            import tracemalloc
            for _ in range(200):
                pitwall.open("run.pit", sample_stacks=100)
                for _ in range(30):
                    tracemalloc.start()
                    tracemalloc.stop()
                pitwall.close()
        """)

    def test_a_program_may_end_in_any_way_while_a_sample_is_taken(self):
        ends = (("pass", 0), ("sys.exit(3)", 3), ("os._exit(4)", 4), ("raise KeyError", 1),
                ("os.kill(os.getpid(), 9)", -signal.SIGKILL), ("os.abort()", -signal.SIGABRT),
                ("threading.Thread(target=spin, daemon=True).start()", 0),
                ("import atexit; atexit.register(spans)", 0), ("pitwall.close()", 0),
                ("os.execv('/bin/true', ['true'])", 0))
        for end, status in ends:
            with self.subTest(end):
                for i in range(3):
                    self.python("""
pitwall._pitwall._stack_pace(0)
sys.setswitchinterval(1e-6)
import resource
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
def spans():
    for i in range(100):
        with pitwall.span("late %%d" %% i): pass
def spin():
    while True: pass
with pitwall.span("a"):
    while pitwall.status()["place_samples"] < %d: pass
    %s
""" % (1 + 40 * i, end), status=status, PITWALL_FILE=os.path.join(self.folder(), "run.pit"))

    def test_a_program_under_run_is_sampled_from_its_beginning(self):
        path = self.launched("""
            import time, pitwall
            while not any(row["file"].endswith("program.py")
                          for row in pitwall.read_live()["places"]): time.sleep(0.01)
            """)
        self.assertEqual(self.spans_of_places(path), {None})
        self.assertEqual(self.left, {"program.py", "run.pit"})

    def test_a_program_under_run_that_opens_its_own_recorder_has_only_that(self):
        for how, name in (("", "run.pit"), ("'own.pit'", "own.pit")):
            path = self.launched("""
                import pitwall
                with pitwall.open(%s):
                    with pitwall.span("mine"):
                        while not any(row["span"] == "mine" and row["file"].endswith("program.py")
                                      for row in pitwall.read_live()["places"]): pass
                """ % how, name)
            self.assertIn("mine", self.spans_of_places(path))
            self.assertEqual(self.left, {"program.py", "run.pit", name})

    def test_an_import_that_is_watched_is_the_line_that_imports(self):
        """Also if the program's package is not the tool's own copy."""
        site = os.path.join(self.folder(), "site-packages")
        os.mkdir(site)
        os.symlink(os.path.join(py_case.package_dir(), "pitwall"), os.path.join(site, "pitwall"))
        with open(os.path.join(site, "optax.py"), "w", encoding="utf-8") as file:
            file.write(self.dedent("""
                import pitwall, os
                def lines():
                    return [[os.path.basename(row["file"]), row["line"]]
                            for row in pitwall.read_live()["places"]]
                while not any(file == "_auto_watch.py" or [file, line] == ["program.py", 2]
                              for file, line in lines()): pass
                """))
        path = self.launched("import pitwall\nimport optax", site=site)
        found = self.python("""
tell([[os.path.basename(row["file"]), row["function"]] for row in pitwall.read(%r)["places"]])
""" % path)
        self.assertIn(["program.py", "<module>, importing"], found)
        self.assertNotIn("_auto_watch.py", [file for file, _ in found])

    def test_code_that_runs_while_its_module_is_imported_is_not_the_import(self):
        path = self.launched("""
            import sys, pitwall
            if __name__ == "__main__":
                import program
            else:
                while not any(row["line"] == 6 and row["file"].endswith("program.py")
                              for row in pitwall.read_live()["places"]): sys.getsizeof(1)
            """)
        functions = self.python("""
tell([row["function"] for row in pitwall.read(%r)["places"] if row["line"] == 6])
""" % path)
        self.assertEqual(set(functions), {"<module>"})

    def launched(self, program, name="run.pit", site=None):
        """Under pitwall run; the run it left, `left` being all files of its folder."""
        folder = self.folder()
        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as file:
            file.write(self.dedent(program))
        env = pit_case.clean_env(PYTHONPATH=site or py_case.package_dir(),
                                 PYTHONDONTWRITEBYTECODE="1",
                                 **py_case.preload())
        self.run_ok([pit_case.tool(), "run", "-o", "run.pit", "--", py_case.PYTHON, "program.py"],
                    cwd=folder, env=env)
        self.left = set(os.listdir(folder))
        return os.path.join(folder, name)

    def spans_of_places(self, path):
        return set(self.python("""
run = pitwall.read(%r)
tell([row["span"] for row in run["places"] if row["file"].endswith("program.py")])
""" % path))

    def test_many_samples_with_threads_generators_exceptions_and_forks(self):
        wanted = 10**6 if os.environ.get("PITWALL_TEST_ALL") == "1" else 500
        path = os.path.join(self.folder(), "run.pit")
        children, dropped, noted, taken, of_both_kinds = self.python(
            "wanted, path = %d, %r\n" % (wanted, path) + STRESS, timeout=3000)
        self.assertGreater(children, 0)
        self.assertGreaterEqual(of_both_kinds, wanted)  # status() counts native ones too
        self.assertEqual((dropped, noted), (0, taken))


if __name__ == "__main__":
    py_case.main()
