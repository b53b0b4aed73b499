"""The package as users get it: installed by pip, typed, with its documentation."""

import os
import re
import shutil

import py_case
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
BAD = """
import pitwall
pitwall.span(5)
pitwall.value("loss", "x")
@pitwall.timed
def f(x: int) -> str:
    return str(x)
f("x")
"""


class Installed(py_case.Case):
    def test_pip_builds_and_installs_it_without_network(self):
        source, site = os.path.join(self.folder(), "source"), self.folder()
        top = pit_case.source_dir()
        shutil.copytree(top, source, ignore=lambda folder, names: [
            name for name in names if name in (".git", "build", "tests", "__pycache__")
            or name.startswith("build-") or name.endswith(".egg-info")])
        self.run_ok([py_case.PYTHON, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                     "--no-build-isolation", "--disable-pip-version-check", "--target", site,
                     source], timeout=280)
        self.assertTrue(os.path.exists(os.path.join(site, "pitwall", "libpitwall.so.0")))
        env = pit_case.clean_env(PYTHONPATH=site, PYTHONDONTWRITEBYTECODE="1",
                                 PATH="/usr/bin:/bin")
        work = self.folder()
        done = self.run_ok([py_case.PYTHON, "-c", """
import pitwall, pitwall._pitwall
with pitwall.open("run.pit"):
    with pitwall.span("a"): pass
print(pitwall.__version__, pitwall._pitwall.__file__)
print([l.split()[-1] for l in open("/proc/self/maps") if "libpitwall" in l][0])
"""], cwd=work, env=env)
        self.assertIn(pit_case.version(), done.stdout)
        self.assertEqual(done.stdout.count(site), 2, done.stdout)
        report = self.run_ok([py_case.PYTHON, "-m", "pitwall", "report", "run.pit"], cwd=work,
                             env=env)
        self.assertRegex(report.stdout, r"(?m)^a +1 ")

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
    def mypy(self, program, status):
        folder = self.folder()
        with open(os.path.join(folder, "program.py"), "w") as file:
            file.write(program)
        env = pit_case.clean_env(MYPYPATH=py_case.package_dir())
        return self.run_status(status, ["mypy", "--strict", "program.py"], cwd=folder, env=env,
                               timeout=120).stdout

    def test_mypy_accepts_what_is_right(self):
        self.mypy(GOOD, 0)

    def test_mypy_finds_what_is_wrong(self):
        found = self.mypy(BAD, 1)
        self.assertEqual(re.findall(r"program.py:(\d+): error", found), ["3", "4", "8"])

    def test_stubs_say_what_is_there(self):
        env = pit_case.clean_env(MYPYPATH=py_case.package_dir(), PYTHONPATH=py_case.package_dir())
        # These take all by position, so that no keyword of the user's function collides with theirs,
        # and show the documented signature.
        folder = self.folder()
        allowed = os.path.join(folder, "allowed")
        with open(allowed, "w", encoding="utf-8") as file:
            file.write("pitwall\\.timing\\.track_time.*\n")
        self.run_ok(["stubtest", "pitwall", "--ignore-missing-stub", "--allowlist", allowed],
                    cwd=folder, env=env, timeout=120)


class Documented(py_case.Case):
    def test_everything_public_has_a_docstring(self):
        found = self.python("""
            names = pitwall.__all__ + ["open", "iter", "bytes"]
            tell([n for n in names if not (getattr(pitwall, n).__doc__ or "").strip()])
        """)
        self.assertEqual(found, [])

    def test_help_shows_how_a_span_is_made(self):
        found = self.python("""
            import inspect
            tell([str(inspect.signature(pitwall.span)), pitwall.span.__doc__])
        """)
        self.assertEqual(found[0],
                         "(name, memory=False, record=False, *, wait=False, leaks=False)")
        self.assertIn("with pitwall.span", found[1])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
