"""The plugin for pytest: a span for every test with its three phases, and the report at the end."""

import os
import re

import py_case
from py_case import pit_case

TESTS = """
import pytest
@pytest.fixture
def value(): yield 1
def test_one(value): assert value
@pytest.mark.parametrize("n", [1, 2])
def test_two(n): assert n
def test_bad(): assert not "expected"
@pytest.mark.skip(reason="not today")
def test_skipped(): pass
"""


class Plugin(py_case.Case):
    def pytest(self, status, *options, program=TESTS):
        self.where = self.folder()
        os.makedirs(os.path.join(self.where, "sub"))
        with open(os.path.join(self.where, "sub", "test_some.py"), "w", encoding="utf-8") as file:
            file.write(program)
        command = [py_case.PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                   "-p", "pitwall.pytest_plugin", *options]
        return self.run_status(status, command, cwd=self.where, env=py_case.environment()).stdout

    def counts(self):
        run = self.python("tell(pitwall.read(%r))" % os.path.join(self.where, "run.pit"))
        self.assertEqual([t["open"] for t in run["threads"] if t["open"]], [])
        return {node["path"]: node["count"] for node in run["nodes"]}

    def test_a_span_for_every_test_and_its_phases(self):
        shown = self.pytest(1, "--pitwall", "--pitwall-file", "run.pit")
        self.assertIn("1 failed, 3 passed, 1 skipped", shown)
        tests = {name: ("setup", "call", "teardown")
                 for name in ("test_one", "test_two[1]", "test_two[2]", "test_bad")}
        tests["test_skipped"] = ("setup", "teardown")
        expected = {}
        for name, phases in tests.items():
            path = "sub\\/test_some.py::" + name
            expected[path] = 1
            expected.update({"%s/%s" % (path, phase): 1 for phase in phases})
        self.assertEqual(self.counts(), expected)
        report = shown.split(" pitwall ")[1]
        self.assertRegex(report, r"\nsub/test_some.py::test_one +1 ")
        self.assertRegex(report, r"\n├─ call +1 ")
        self.assertRegex(report, r"\nrun: \S+/run.pit\n")

    def test_without_its_options_nothing_is_recorded(self):
        shown = self.pytest(1, "--ignore-glob=*.pit")
        self.assertNotIn("pitwall", re.sub(r"\S*pitwall\S*/", "", shown))

    def test_an_interrupted_session_leaves_nothing_open(self):
        shown = self.pytest(2, "--pitwall-file", "run.pit",
                            program="def test_stop(): raise KeyboardInterrupt")
        self.assertIn(" pitwall ", shown)
        self.assertEqual(len(self.counts()), 3)

    def test_the_package_announces_it(self):
        with open(os.path.join(pit_case.source_dir(), "pyproject.toml"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r'\[project\.entry-points\.pytest11\]\npitwall = '
                                          r'"pitwall\.pytest_plugin"\n')


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
