"""The extension for every Python on this machine that has its headers: built outside of the tree,
and tested by the programs that test spans and tasks. The system's Python must be among them."""

import os
import shutil
import sys

import py_case
from py_case import pit_case

sys.path.append(os.path.join(pit_case.source_dir(), "scripts"))
import pythons  # noqa: E402

# The number of spans does not depend on the version, and only the system's Python has NumPy.
LEFT_OUT = ("million", "flat", "numpy")
# Spans and tasks have no code for single versions: the oldest and the newest are enough.
BY_VERSION = ("test_py_places", "test_py_generators", "test_py_alloc")
SAME_CODE = ("test_py_span", "test_py_flow")
ALL = os.environ.get("PITWALL_TEST_ALL") == "1"


class Versions(py_case.Case):
    def build(self, python, include, suffix):
        """A folder for PYTHONPATH with the package for one interpreter."""
        site, top = self.folder(), pit_case.source_dir()
        package = os.path.join(site, "pitwall")
        built = os.path.join(py_case.package_dir(), "pitwall")
        shutil.copytree(built, package,
                        ignore=shutil.ignore_patterns("_pitwall.*.so", "__pycache__"))
        made = self.folder()
        gcc = ["gcc", "-std=c11", "-O0", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fPIC", "-pthread",
               "-fvisibility=hidden", "-isystem", include, "-I", os.path.join(top, "include")]
        usual, special = self.sources(os.path.join(top, "python"))
        first, other = os.path.join(made, "first.h"), os.path.join(made, "special.o")
        with open(first, "w", encoding="utf-8") as file:
            file.write('#include "%s"\n' % os.path.join(top, "python", "pitpy.h"))
        self.run_ok([*gcc, "-x", "c-header", first, "-o", first + ".gch"])
        self.run_ok([*gcc, "-r", *special, "-o", other])
        self.run_ok([*gcc, "-Winvalid-pch", "-include", first, "-shared", *usual, other,
                     "-o", os.path.join(package, "_pitwall" + suffix),
                     "-L", package, "-l:libpitwall.so.0", "-Wl,-rpath,$ORIGIN", "-lm"])
        self.run_ok([python, "-m", "compileall", "-q", package])
        return site

    @staticmethod
    def sources(folder):
        """Those that can begin with pitpy.h, most of whose lines are Python's headers: the compiler reads these
        once. And those that define something for these headers."""
        found = [], []
        for path in sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".c")):
            with open(path, encoding="utf-8") as file:
                found["#define Py_BUILD_CORE" in file.read()].append(path)
        return found

    def test_every_version_here(self):
        found = pythons.interpreters()
        print("Python with headers:", ", ".join(found))
        self.assertIn(pythons.ask("/usr/bin/python3")[0], found)
        by_age = sorted(found, key=lambda version: [int(part) for part in version.split(".")])
        ends = (by_age[0], by_age[-1])
        for version, (path, include, suffix) in found.items():
            with self.subTest(version):
                if path == "/usr/bin/python3":
                    continue  # the build made the extension for it, and all tests use that one
                site = self.build(path, include, suffix)
                env = pit_case.clean_env(PY_CASE_PYTHON=path, PY_CASE_PACKAGE=site,
                                         PITWALL_BUILD=pit_case.build_dir())
                for name in [*BY_VERSION, *(SAME_CODE if version in ends or ALL else [])]:
                    self.check(name, env)

    def check(self, name, env):
        program = os.path.join(py_case.HERE, name + ".py")
        words = [w for w in self.words(program) if not any(part in w for part in LEFT_OUT)]
        done = self.run_ok([sys.executable, program, *words], env=env, timeout=250)
        last = done.stdout.strip().split("\n")[-1]
        self.assertEqual(last, "%d passed, 0 failed" % len(words), done.stdout)

    def words(self, program):
        with open(program, encoding="utf-8") as file:
            return [line.split("(")[0].split()[-1] for line in file
                    if line.startswith("    def test_")]


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
