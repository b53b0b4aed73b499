"""The wheels that `make wheel` made, each in a fresh environment of its Python: the package, the command
with its libraries, the server, a C program compiled against it. Also a Python for which there is no wheel."""

import os
import re
import sys

import py_case
import wheel_case
from py_case import pit_case

sys.path.append(os.path.join(pit_case.source_dir(), "scripts"))
import make_wheels  # noqa: E402
import pythons  # noqa: E402

FOLDER = os.path.join(pit_case.build_dir(), "wheels")


def wheels():
    """{"3.11": path} of what `make wheel` made."""
    found = {}
    for name in sorted(os.listdir(FOLDER)) if os.path.isdir(FOLDER) else []:
        match = re.search(r"-cp3(\d+)-cp3\d+-manylinux_2_(\d+)_\w+\.whl$", name)
        if match:
            found["3." + match.group(1)] = os.path.join(FOLDER, name)
    return found


class Wheels(wheel_case.Case):
    def test_there_is_one_for_each_python_here_and_an_sdist(self):
        here = set(pythons.interpreters()) & set(make_wheels.VERSIONS)
        self.assertEqual(set(wheels()), here, "run make wheel first")
        self.assertIn("pitwall-%s.tar.gz" % pit_case.version(), os.listdir(FOLDER))

    def test_each_works_in_a_fresh_environment(self):
        self.assertTrue(wheels(), "run make wheel first")
        for version, wheel in wheels().items():
            with self.subTest(version):
                place = self.install(pythons.interpreters()[version][0], wheel)
                self.check_python(place)
                self.check_tool(place)
                self.check_serve(place)
                self.check_compiling(place)
                self.check_other_python(place, version)

    def test_auditwheel_finds_nothing_that_a_system_may_lack(self):
        tool = os.path.join(pit_case.build_dir(), "wheel-env", "bin", "auditwheel")
        for version, wheel in wheels().items():
            with self.subTest(version):
                tag = re.search(r"manylinux_\w+", os.path.basename(wheel)).group(0)
                shown = " ".join(self.run_ok([tool, "show", wheel]).stdout.split())
                self.assertIn('following platform tag: "%s"' % tag, shown)
                self.assertNotIn("external shared libraries", shown)


if __name__ == "__main__":
    py_case.main(plain_build_only=True, test_all_only=True)
