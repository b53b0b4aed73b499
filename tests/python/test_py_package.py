"""The package as users get it: installed by pip, typed, with its documentation."""

import os
import re
import shutil
import tempfile

import py_case
import wheel_case
from py_case import pit_case

GOOD = """
from typing import List
import pitwall

@pitwall.timed
def f(x: int) -> str:
    return str(x)

@pitwall.timed(name="g", memory=True)
def g(x: int) -> int:
    return x

with pitwall.span("a", memory=True) as s:
    t: float = s.elapsed
n: List[int] = [i for i in pitwall.iter([1, 2], "x")]
a: str = f(1)
with pitwall.open("x.pit", labels={"k": "v"}) as run:
    p: str = run.path
pitwall.value("loss", 1)
"""
FACES = """
from pathlib import Path
from typing import Dict, List, Optional, Tuple
import pitwall
from pitwall import memory_monitor, profiling, runtime_analyzer, time_profiler, timing

def three(a: int, b: str) -> Tuple[int, str]:
    return a, b

timers: Dict[str, float] = {}
number, text = pitwall.track_time(timers, "a", three, 1, b="x")
number = timing.track_time_and_memory(timers, "a", three, 1, "x")[0]
gpu: Optional[Dict[str, float]] = timing.get_gpu_memory_usage()
pitwall.print_timing_summary(timers, "S", num_datasets=9)
ratios: Dict[str, float] = timing.calculate_speedup_ratios(timers, baseline="a")
with timing.DetailedTimer("t") as detailed:
    detailed.start_phase("p")
timing.export_timing_json(timers, Path("x.json"))
mean: float = timing.benchmark_inference(len, [1, 2])["mean_ms"]

monitor = memory_monitor.PerformanceMonitor(device=0)
with monitor.track("op", aggregate=True) as same:
    same.clear()
delta: float = monitor.get_metrics()[0].cpu_delta_mb
@memory_monitor.monitor_performance("f", device=0)
def f(x: int) -> str:
    return str(x)
@memory_monitor.monitor_performance
def g(x: int) -> str:
    return f(x)
epochs = memory_monitor.from_config({"enable_memory_monitoring": True})
with epochs.epoch(), epochs.batch(0) as batch:
    batch.loss = 0.5

profiler = profiling.get_profiler()
profiler.end_timer("a", profiler.start_timer("a"))
@profiling.profile_operation("h")
def h(x: int) -> str:
    return str(x)
step = profiling.profile_make_step(h)
items: List[int] = [n for n in profiling.profile_data_loader([1, 2])]
word: str = step(1)

with time_profiler.profiler.stage("s", memory=True):
    time_profiler.profiler.log("s", 1.5)
gpm = pitwall.window("GPM", every=5, items={"Total": "ms"})
gpm.add(0.5)
seconds: float = time_profiler.parse_timing_log("x.log")["s"]

analyzer = runtime_analyzer.RuntimeAnalyzer()
with analyzer.time_operation("training") as timer:
    elapsed: float = timer.elapsed
def forecast(z0: List[float], steps: int) -> List[float]:
    return z0 * steps
profile = runtime_analyzer.quick_benchmark("M", forecast, [1.0], elapsed, 20, 2, lag=5)
peak: float = profile.memory.peak_mb
analyzer.save_profile(profile, Path("x.json"))

trials: int = pitwall.bench(f, 1, trials=5).trials
verdict: str = pitwall.race(f, g, 1).verdict
cost, low, high = pitwall.scale(f, [1, 2, 4]).predict(8)
table: str = pitwall.view("speedup", rows=[("a", 1.0)], form="json")
pitwall.set_device(lambda: (1, 2, 3))
pitwall.verbose = False
"""
BAD_FACES = """
from pitwall import memory_monitor, profiling, runtime_analyzer, time_profiler, timing
timing.track_time({}, "a", 5)
x: int = timing.track_time({}, "a", str)
memory_monitor.PerformanceMonitor().track(5)
profiling.get_profiler().end_timer("a")
time_profiler.profiler.log("a", "x")
runtime_analyzer.RuntimeAnalyzer().measure_memory("x")
timing.no_such_name
"""
BAD = """
import pitwall
pitwall.span(5)
pitwall.value("loss", "x")
@pitwall.timed
def f(x: int) -> str:
    return str(x)
f("x")
"""


class Installed(wheel_case.Case):
    def test_pip_installs_the_package_with_tool_libraries_and_headers(self):
        """From the source, without network; the library's objects are those of the build under test. The tool and
        the extension, which other tests check, are not optimised."""
        source, wheels = os.path.join(self.folder(), "source"), self.folder()
        top = pit_case.source_dir()
        shutil.copytree(top, source, ignore=lambda folder, names: [
            name for name in names if name in (".git", "build", "tests", "bench", "__pycache__")
            or name.startswith("build-") or name.endswith(".egg-info")])
        with open(os.path.join(source, "COMMIT"), "w", encoding="utf-8") as file:
            file.write("0123456789ab\n")
        env = pit_case.clean_env(
            PITWALL_CMAKE_ARGS="-DPITWALL_PRINT_FLAGS=-O0 -DPITWALL_OBJECTS_FROM=" + pit_case.build_dir())
        self.run_ok([py_case.PYTHON, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps",
                     "--no-build-isolation", "--disable-pip-version-check", "-w", wheels, source],
                    env=env)
        (wheel,) = os.listdir(wheels)
        place = self.install(py_case.PYTHON, os.path.join(wheels, wheel))
        typed = [name for name in os.listdir(os.path.join(top, "python", "pitwall"))
                 if name.endswith(".pyi")] + ["py.typed"]
        self.assertGreaterEqual(set(os.listdir(place.package)), set(typed))
        version = self.run_ok([place.command, "--version"], env=place.env)
        self.assertEqual(version.stdout, "pitwall %s (0123456789ab)\n" % pit_case.version())
        self.check_python(place)
        self.check_tool(place)
        self.check_compiling(place)
        (extension,) = [n for n in os.listdir(place.package) if n.startswith("_pitwall.cpython-")]
        other = "_pitwall.cpython-399-x86_64-linux-gnu.so"  # as of a Python that is not this one
        os.rename(os.path.join(place.package, extension), os.path.join(place.package, other))
        self.run_other_python(place, py_case.PYTHON, "_pitwall.cpython-399-")
        os.rename(os.path.join(place.package, other), os.path.join(place.package, extension))
        self.check_without_tool(place)

    def test_the_extension_needs_no_other_library_and_exports_its_start_alone(self):
        folder = os.path.join(py_case.package_dir(), "pitwall")
        module = [n for n in os.listdir(folder) if n.startswith("_pitwall.") and n.endswith(".so")]
        path = os.path.join(folder, module[0])
        text = self.run_ok(["readelf", "-dW", path]).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
        self.assertIn("libpitwall.so.0", needed)
        ours = r"(lib(pitwall|c|m|pthread)|ld-linux-[\w-]+)\.so"
        self.assertEqual([n for n in needed if not re.match(ours, n)], [])
        self.assertRegex(text, r"(RUNPATH|RPATH).*\[\$ORIGIN\]")
        symbols = self.run_ok(["nm", "-D", "--defined-only", path]).stdout.split()
        self.assertEqual([s for s in symbols[2::3]], ["PyInit__pitwall"])


class Typed(py_case.Case):
    @classmethod
    def setUpClass(cls):
        """What mypy knows of the standard library takes most of its time, and is the same for every test."""
        cls.cache = tempfile.mkdtemp(prefix="pitwall-mypy-")
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)

    def mypy(self, program, status):
        folder = self.folder()
        with open(os.path.join(folder, "program.py"), "w") as file:
            file.write(program)
        env = pit_case.clean_env(MYPYPATH=py_case.package_dir())
        return self.run_status(status, ["mypy", "--strict", "--cache-dir", self.cache, "program.py"],
                               cwd=folder, env=env, timeout=120).stdout

    def test_mypy_accepts_what_is_right(self):
        self.mypy(GOOD, 0)

    def test_mypy_finds_what_is_wrong(self):
        found = self.mypy(BAD, 1)
        self.assertEqual(re.findall(r"program.py:(\d+): error", found), ["3", "4", "8"])

    def test_mypy_knows_the_five_faces(self):
        self.mypy(FACES, 0)
        found = self.mypy(BAD_FACES, 1)
        self.assertEqual(re.findall(r"program.py:(\d+): error", found),
                         ["3", "4", "5", "6", "7", "8", "9"])

    def test_mypy_knows_what_is_loaded_at_its_first_use(self):
        names = self.python("import pitwall._lazy; tell(pitwall._lazy.names())")
        self.assertIn("timing", names)
        self.mypy("import pitwall\n" + "".join("pitwall.%s\n" % name for name in names), 0)

    def test_stubs_say_what_is_there(self):
        env = pit_case.clean_env(MYPYPATH=py_case.package_dir(), PYTHONPATH=py_case.package_dir())
        folder = self.folder()
        allowed = os.path.join(folder, "allowed")
        with open(allowed, "w", encoding="utf-8") as file:
            file.write("pitwall\\._pitwall\\..*\n"  # for the package alone: all of it is Any
                       "pitwall\\._auto\\.(?!auto$|Hooks).*\n")  # for the hooks alone
        self.run_ok(["stubtest", "pitwall", "--allowlist", allowed], cwd=folder, env=env,
                    timeout=240)


class Import(py_case.Case):
    def test_it_loads_little(self):
        """Nothing that a script would wait for: no inspect, dataclasses, json, re, multiprocessing."""
        found = self.python("""
            import os, sys
            before = set(sys.modules)
            import pitwall
            with pitwall.span("a"): pass
            found = sorted(set(sys.modules) - before)
            import json
            with open(os.environ["PY_CASE_TELL"], "w") as file:
                json.dump(found, file)
        """, start="")
        own = [name for name in found if name.startswith("pitwall")]
        self.assertEqual(own, ["pitwall", "pitwall._lazy", "pitwall._pitwall", "pitwall._recorders",
                               "pitwall._wrappers"])
        large = {"argparse", "ast", "dataclasses", "enum", "html", "inspect", "json", "multiprocessing", "pickle", "random",
                 "re", "threading", "typing"}
        self.assertEqual(large & set(found), set())


class Documented(py_case.Case):
    def test_everything_public_has_a_docstring(self):
        found = self.python("""
            import inspect
            from pitwall import (_native, _race, memory_monitor, profiling, runtime_analyzer,
                                 time_profiler, timing)
            def members(place, owner):
                return {place + "." + name: thing for name, thing in vars(owner).items()
                        if not name.startswith("_")}
            public = {"pitwall." + name: getattr(pitwall, name) for name in
                      [*pitwall.__all__, *pitwall._lazy.names(), "open", "iter", "bytes"]}
            for face in (_native, _race, memory_monitor, profiling, runtime_analyzer, time_profiler,
                         timing):
                public.update((name, thing) for name, thing in members(face.__name__, face).items()
                              if getattr(thing, "__module__", "") == face.__name__)
            for place, thing in list(public.items()):
                if inspect.isclass(thing):
                    public.update((name, member) for name, member in members(place, thing).items()
                                  if callable(member) or inspect.isdatadescriptor(member)
                                  or isinstance(member, classmethod))
            def is_told(thing):
                text = getattr(thing, "__func__", thing).__doc__ or ""
                # A dataclass without a text of its own has its signature for one.
                return text and not (inspect.isclass(thing) and text.startswith(thing.__name__ + "("))
            tell([[name for name, thing in public.items() if not is_told(thing)], list(public)])
        """)
        self.assertEqual(found[0], [])
        for name in ("pitwall.span.begin", "pitwall.window", "pitwall.timing.DetailedTimer.phases",
                     "pitwall.runtime_analyzer.RuntimeAnalyzer.build_profile"):
            self.assertIn(name, found[1])

    def test_the_help_of_the_package_names_all_of_it_and_nothing_else(self):
        found = self.python("""
            import re
            listed = pitwall.__doc__[pitwall.__doc__.index("    record "):].split("\\n\\n")[0]
            words = re.sub(r"(?m)^ {4}.{14}", "", listed)
            tell([re.findall(r"\\w+", words), [name for name in dir(pitwall) if name[0] != "_"]])
        """)
        self.assertEqual(sorted(found[0]), sorted(found[1]))

    def test_help_shows_how_a_span_is_made(self):
        found = self.python("""
            import inspect
            tell([str(inspect.signature(pitwall.span)), pitwall.span.__doc__])
        """)
        self.assertEqual(found[0],
                         "(name, memory=False, record=False, *, wait=False, leaks=False, "
                         "energy=False, device=False)")
        self.assertIn("with pitwall.span", found[1])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
