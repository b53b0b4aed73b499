"""Shared by the tests of wheels: a fresh environment with an installed wheel, and the checks of it."""

import json
import os
import re
import subprocess
import sys

import py_case
from py_case import pit_case

sys.path.append(os.path.join(pit_case.source_dir(), "scripts"))
import pythons  # noqa: E402

TRAIN = """
import pitwall
for epoch in range(3):
    with pitwall.span("epoch"):
        for batch in range(10):
            with pitwall.span("batch"):
                pass
"""
WHERE = """
import pitwall
with pitwall.span("a"):
    pass
print(pitwall.__version__)
print("\\n".join({line.split()[-1] for line in open("/proc/self/maps") if "pitwall" in line}))
"""
USER = """
#include <pitwall.h>
#include <pitwall_report.h>
int main(void)
{
    if (pit_open(NULL, NULL) != 0)
        return 1;
    PIT_SPAN("work") { pit_items(1); }
    return pit_close();
}
"""


class Place:
    """An environment: its interpreter, its command pitwall, the package's folder, and the content of PATH."""

    def __init__(self, folder):
        self.folder = folder
        self.bin = os.path.join(folder, "bin")
        self.python = os.path.join(self.bin, "python")
        self.command = os.path.join(self.bin, "pitwall")
        (version,) = os.listdir(os.path.join(folder, "lib"))
        self.package = os.path.join(folder, "lib", version, "site-packages", "pitwall")
        self.env = pit_case.clean_env(PATH=self.bin + ":/usr/bin:/bin", PYTHONPATH=None,
                                      LD_LIBRARY_PATH=None)


class Case(py_case.Case):
    def install(self, python, wheel):
        """A fresh environment of an interpreter with the wheel, and nothing else."""
        folder = os.path.join(self.folder(), "env")
        self.run_ok([python, "-m", "venv", folder])
        place = Place(folder)
        self.run_ok([place.python, "-m", "pip", "install", "--quiet", "--no-index",
                     "--disable-pip-version-check", wheel], env=place.env)
        return place

    def check_python(self, place):
        """The package records, with the one library that it ships."""
        done = self.run_ok([place.python, "-c", WHERE], env=place.env, cwd=self.folder())
        version, *mapped = done.stdout.split()
        self.assertEqual(version, pit_case.version())
        library = os.path.join(place.package, "lib", "libpitwall.so.0")
        self.assertIn(os.path.realpath(library), [os.path.realpath(path) for path in mapped])
        self.assertEqual([p for p in mapped if "libpitwall.so" in p and not p.startswith(
            os.path.realpath(place.folder))], [])

    def check_tool(self, place):
        """`pitwall run -- python train.py`, then the commands that read the run."""
        work = self.folder()
        with open(os.path.join(work, "train.py"), "w", encoding="utf-8") as file:
            file.write(TRAIN)

        def pitwall(*words):
            return self.run_ok(words, cwd=work, env=place.env)
        done = pitwall("pitwall", "run", "--alloc", "--", "python", "train.py")
        self.assertNotRegex(done.stderr, "no hooks|no spans|cannot")
        for start in (["pitwall"], ["python", "-m", "pitwall"]):
            with self.subTest(start[0]):
                report = pitwall(*start, "report", "pitwall-runs")
                self.assertRegex(report.stdout, r"(?m)^epoch +3 ")
                self.assertRegex(report.stdout, r"batch +30 ")
                self.assertRegex(pitwall(*start, "top", "pitwall-runs", "--once").stdout, "batch")
                self.assertRegex(pitwall(*start, "list", "pitwall-runs").stdout, "train.py")
        page = os.path.join(work, "page.html")
        pitwall("pitwall", "report", "pitwall-runs", "--html", "-o", page)
        self.assertGreater(os.path.getsize(page), 10000)

    def check_serve(self, place):
        """The server, whose library a wheel of `make wheel` has linked in."""
        command = [place.command, "serve", "--json", "--listen", "127.0.0.1:0", self.folder()]
        with subprocess.Popen(command, env=place.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as server:
            try:
                line = server.stdout.readline()
                self.assertTrue(line, "the server said nothing")
                self.assertRegex(json.loads(line)["url"], r"^http://127\.0\.0\.1:\d+/")
                with open("/proc/%d/maps" % server.pid, encoding="utf-8") as file:
                    self.assertNotIn("libmicrohttpd", file.read())
            finally:
                server.terminate()
                server.communicate()

    def check_compiling(self, place):
        """A C program finds headers and library by the command, by pkg-config and by CMake."""
        work = self.folder()
        source = os.path.join(work, "user.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(USER)
        flags = self.run_ok([place.command, "--cflags", "--libs"], env=place.env).stdout.split()
        self.run_ok(["gcc", "-std=c11", source, *flags, "-o", "user"], cwd=work)
        self.run_ok(["./user"], cwd=work, env=place.env)
        report = self.run_ok([place.command, "report", "pitwall-runs"], cwd=work, env=place.env)
        self.assertRegex(report.stdout, r"(?m)^work +1 ")
        lib = os.path.join(place.package, "lib")
        env = pit_case.clean_env(PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"))
        flags = self.run_ok(["pkg-config", "--static", "--cflags", "--libs", "pitwall"], env=env)
        self.run_ok(["gcc", "-std=c11", source, *flags.stdout.split(), "-o", "with_pkg_config"],
                    cwd=work)
        with open(os.path.join(work, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.18)\nproject(user C)\n"
                       "find_package(pitwall %s REQUIRED)\nadd_executable(user user.c)\n"
                       "target_link_libraries(user PRIVATE pitwall::pitwall)\n" % pit_case.version())
        self.run_ok(["cmake", "-S", work, "-B", os.path.join(work, "b"),
                     "-DCMAKE_PREFIX_PATH=" + place.package])
        self.run_ok(["cmake", "--build", os.path.join(work, "b")])
        self.run_ok([os.path.join(work, "b", "user")], cwd=work, env=place.env)

    def check_other_python(self, place, version):
        """`pitwall run` with a Python that the package does not support: prints a message, and the program
        runs."""
        suffix = "_pitwall.cpython-%s-" % version.replace(".", "")
        other = next(path for name, (path, *_) in pythons.interpreters().items() if name != version)
        self.run_other_python(place, other, suffix)

    def run_other_python(self, place, python, suffix):
        env = dict(place.env, PATH="/usr/bin:/bin")
        done = self.run_ok([place.command, "run", "--", python, "-c", "print('ran')"], env=env,
                           cwd=self.folder())
        self.assertIn("ran\n", done.stdout)
        self.assertRegex(done.stderr, r"(?m)^pitwall: no hooks for Python: .*: this is Python \d\.\d+, "
                         r"but this package of pitwall was built for another one \(%s" % suffix)
        self.assertRegex(done.stderr, r"-m pip install pitwall\n")
        self.assertNotIn("Traceback", done.stderr)

    def check_without_tool(self, place):
        """A package that was built without the tool reports that, as a command and as a module."""
        os.remove(os.path.join(place.package, "bin", "pitwall"))
        work = self.folder()
        self.run_ok([place.python, "-c", "import pitwall\nwith pitwall.open('run.pit'):\n"
                     "    with pitwall.span('a'): pass"], cwd=work, env=place.env)
        for start in (["pitwall"], ["python", "-m", "pitwall"]):
            with self.subTest(start[0]):
                env = dict(place.env, PATH=place.env["PATH"] if start == ["pitwall"] else place.bin)
                report = self.run_ok([*start, "report", "run.pit"], cwd=work, env=env)
                self.assertTrue(re.search(r"(?m)^a +1 ", report.stdout), report.stdout)
        done = self.run_status(69, ["pitwall", "run", "--", "true"], cwd=work, env=place.env)
        self.assertRegex(done.stderr, "^pitwall: run: not available: this package was built without the tool")
