"""A small base for the tests of the Python package: each program runs in a separate process, with the
package of the build under test, and returns its results as JSON.

    class Spans(py_case.Case):
        def test_count(self):
            found = self.python('''
                with pitwall.span("a"): pass
                tell(counts())
            ''')
            self.assertEqual(found, {"a": 1})
"""

import json
import os
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "system"))
import pit_case  # noqa: E402

# Another interpreter and the package as it was built for it: test_py_versions.py.
PYTHON = os.environ.get("PY_CASE_PYTHON", "/usr/bin/python3")

# Available in every program; asyncio too, in those that name it: to load it takes longer than most programs.
START = """
import json, os, sys, threading, time
import pitwall
def counts(run=None):
    run = run or pitwall.read_live()
    return {node["path"]: node["count"] for node in run["nodes"]}
def losses(run=None):
    run = run or pitwall.read_live()
    return {key: count for key, count in run["losses"].items() if count}
def tell(found):
    sys.stdout.flush()
    with open(os.environ["PY_CASE_TELL"], "w") as file:
        json.dump(found, file)
"""

# For the compatibility modules: a clock that advances only in the program's sleep calls.
CLOCK = """
now_ns = 10 ** 9
def sleep(seconds):
    global now_ns
    now_ns += round(seconds * 1e9)
pitwall._pitwall._set_clock(lambda: now_ns)
"""

main = pit_case.main


def slept(seconds):
    """The least that a span may say of a sleep of so many seconds. Sleeps are timed by a clock that the kernel
    steers by up to 500 in a million, spans by one that it does not."""
    return seconds * 0.9995



def with_asyncio(program):
    """The program, whose first line loads asyncio if it is used. The numbers of its lines stay as they are."""
    is_used = "asyncio" in program and program.startswith(START)
    return program.replace("import ", "import asyncio, ", 1) if is_used else program


def package_dir():
    return os.environ.get("PY_CASE_PACKAGE") or os.path.join(pit_case.build_dir(), "python")


def preload():
    """A program that is not built with a sanitizer must load its library first."""
    library = {"address": "libasan.so", "thread": "libtsan.so"}.get(pit_case.sanitizer())
    if not library:
        return {}
    path = subprocess.run(["gcc", "-print-file-name=" + library], capture_output=True, text=True,
                          check=True).stdout.strip()
    # The interpreter itself does not free everything at its end.
    return {"LD_PRELOAD": path, "ASAN_OPTIONS": "detect_leaks=0"}


# Threads of a numerical library wait for work by spinning, and no test here is about them.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def environment(**more):
    return pit_case.clean_env(**{"PYTHONPATH": package_dir(), "PYTHONDONTWRITEBYTECODE": "1", **ONE_THREAD,
                                 **preload(), **more})


class Case(pit_case.Case):
    def python(self, program, status=0, start=START, cwd=None, timeout=60, arguments=(), **env):
        """Run a program, check its exit status, and return what it told; None if nothing."""
        folder = self.folder()
        tell = os.path.join(folder, "tell.json")
        script = os.path.join(folder, "program.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(with_asyncio(start + textwrap.dedent(program)))
        done = self.run_status(status, [PYTHON, script, *arguments], cwd=cwd or folder,
                               timeout=timeout, env=environment(PY_CASE_TELL=tell, **env))
        self.stdout, self.stderr = done.stdout, done.stderr
        if not os.path.exists(tell):
            return None
        with open(tell, encoding="utf-8") as file:
            return json.load(file)


def scaled(count):
    """A number of rounds, fewer under a sanitizer."""
    return count // {"": 1, "address": 10, "thread": 20}.get(pit_case.sanitizer(), 20)
