"""A pytest plugin. `pytest --pitwall` records every test as a span with setup, call and teardown inside, and prints
the report at the end. `--pitwall-file PATH` writes the run to a file, which `pitwall` can also read while tests run.

Installed with the package (entry point pytest11); from a build tree: pytest -p pitwall.pytest_plugin --pitwall.
"""

from typing import Any

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("pitwall", "time and memory of every test")
    group.addoption("--pitwall", action="store_true", help="record a span for every test and print a report at the end")
    group.addoption("--pitwall-file", metavar="PATH",
                    help="write the run to this file; implies --pitwall")
    group.addoption("--pitwall-memory", action="store_true",
                    help="record the peak memory of every test; implies --pitwall")


def pytest_configure(config):
    option = config.option
    if option.pitwall or option.pitwall_file or option.pitwall_memory:
        config.pluginmanager.register(_Plugin(option), "pitwall-session")


class _Plugin:
    _package: Any = None  # pitwall itself, once a session has started

    def __init__(self, option):
        self._path, self._memory = option.pitwall_file, option.pitwall_memory
        self._open = []  # spans, the innermost last

    def pytest_sessionstart(self, session):
        """Record into a file, into a run that is already open (`pitwall run -- pytest --pitwall`), or in memory."""
        import pitwall

        self._package = pitwall
        if self._path:
            pitwall.open(self._path)
        elif not pitwall.status()["recording"]:
            pitwall.open(in_memory=True)

    # No hook wrappers: they are generators, and a span that stays open across a yield belongs to the generator.
    def pytest_runtest_logstart(self, nodeid, location):
        self._begin(nodeid, self._memory)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self):
        self._begin("setup")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self):
        self._begin("call")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self):
        self._begin("teardown")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self):
        """pytest calls this after each of setup, call and teardown, also if it failed."""
        self._end()

    def pytest_runtest_logfinish(self):
        self._end()

    def pytest_sessionfinish(self):
        while self._open:  # the session was interrupted
            self._end()

    def _begin(self, name, memory=False):
        self._open.append(self._package.span(name, memory=memory).begin())

    def _end(self):
        if self._open:
            self._open.pop().end()

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("pitwall")
        terminalreporter.write(self._package.report())
        path = self._package.status().get("path")
        if path:
            terminalreporter.write_line("run: %s" % path)
