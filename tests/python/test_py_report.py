"""pitwall.report takes the arguments of the command and returns the same text; so does the command line of
the package, which is used if the tool is missing."""

import os
import re

import py_case
from py_case import pit_case

# The arguments of the tool, and those of Python.
SAME = [
    ([], {}),
    (["--flat", "--sort", "self"], {"flat": True, "sort": "self"}),
    (["--depth", "1"], {"depth": 1}),
    (["--min-share", "60"], {"min_share": 0.6}),  # at most one child of a span has that much
    (["--json"], {"form": "json"}),
    (["--json", "--alone"], {"form": "json", "alone": True}),
    (["--csv", "--flat"], {"form": "csv", "flat": True}),
    (["--markdown"], {"form": "markdown"}),
    (["--view", "timing-summary", "--datasets", "4", "--title", "Ours"],
     {"view": "timing-summary", "datasets": 4, "title": "Ours"}),
    (["--view", "breakdown", "--node", "epoch/batch"],
     {"view": "breakdown", "node": "epoch/batch"}),
    (["--view", "speedup", "--node", "epoch/batch", "--baseline", "forward"],
     {"view": "speedup", "node": "epoch/batch", "baseline": "forward"}),
    (["--view", "profiling", "--step", "77"], {"view": "profiling", "step": 77}),
    (["--view", "inference", "--node", "epoch/batch", "--percentiles"],
     {"view": "inference", "node": "epoch/batch", "percentiles": True}),
    (["--view", "convergence", "--value", "gain", "--threshold", "5.5", "--maximise"],
     {"view": "convergence", "value": "gain", "threshold": 5.5, "maximise": True}),
    (["--view", "convergence", "--value", "loss", "--threshold", "0.3", "--smooth", "3"],
     {"view": "convergence", "value": "loss", "threshold": 0.3, "smooth": 3}),
    (["--view", "memory", "--width", "60"], {"view": "memory", "width": 60}),
]

PROGRAM = """
    pitwall.open("run.pit")
    for i in range(8):
        with pitwall.span("epoch", memory=True):
            for _ in range(3):
                with pitwall.span("batch"):
                    with pitwall.span("forward"): pass
                    with pitwall.span("backward"): sum(range(2000))
            pitwall.value("loss", 1 / (i + 1))
            pitwall.value("gain", i)
    pitwall.close()
"""


class Report(py_case.Case):
    def setUp(self):
        self.place = self.folder()
        self.python(PROGRAM, cwd=self.place)
        self.path = os.path.join(self.place, "run.pit")

    def tool(self, *arguments):
        return self.run_status(0, [pit_case.tool(), *arguments],
                               env=py_case.environment()).stdout

    def test_it_takes_every_option_of_the_command(self):
        of_tool = set(re.findall(r"^  --([a-z-]+)", self.tool("report", "--help"), re.M))
        found = self.python("""
            import inspect
            names = set(inspect.signature(pitwall.report).parameters) - {"options"}
            for view in [None] + pitwall.views():
                names |= {option["name"] for option in pitwall.view_options(view)}
            tell(sorted(names))
        """)
        of_python = {name.replace("_", "-") for name in found}
        of_tool.remove("html")  # pitwall.export(format="html")
        for words, name in (({"json", "csv", "markdown"}, "form"), ({"no-colour"}, "colour")):
            self.assertLessEqual(words, of_tool)
            self.assertIn(name, of_python)
            of_tool -= words
        self.assertEqual(of_tool - {"help"}, of_python - {"form", "colour", "ascii", "runs"})

    def test_the_same_options_make_the_same_text(self):
        found = self.python("tell([pitwall.report(%r, **options) for options in %r])"
                            % (self.path, [options for _, options in SAME]))
        for (words, options), text in zip(SAME, found):
            with self.subTest(options):
                width = [] if "--width" in words else ["--width", "0"]
                self.assertEqual(text, self.tool("report", self.path, *words, *width))
        # A pause outside of the batches leaves only the epoch with that share: the text of depth 1.
        by_share = [text for (words, _), text in zip(SAME, found) if "--min-share" in words]
        others = [text for (words, _), text in zip(SAME, found) if "--min-share" not in words]
        self.assertNotEqual(by_share, found[:1])
        self.assertEqual(len(set(others)), len(others) - 1)  # alone makes no difference here

    def test_the_command_line_of_the_package_takes_them_too(self):
        for words, _ in SAME:
            with self.subTest(words):
                width = [] if "--width" in words else ["--width", "0"]
                own = self.run_status(
                    0, [py_case.PYTHON, "-m", "pitwall", "report", self.path, *words],
                    env=py_case.environment(PITWALL_TOOL="0")).stdout
                self.assertEqual(own, self.tool("report", self.path, *words, *width))

    def test_a_folder_stands_for_its_runs(self):
        os.rename(self.path, os.path.join(self.place, "a.pit"))
        self.python(PROGRAM, cwd=self.place)
        empty = self.folder()
        found = self.python("""
            texts = [pitwall.report(%r, view="flat", form="csv"), pitwall.report("%s/a.pit",
                     "%s/run.pit", view="flat", form="csv")]
            try: pitwall.report(%r)
            except pitwall.Error as error: texts.append(str(error))
            tell(texts)
        """ % (self.place, self.place, self.place, empty))
        self.assertEqual(found[0], found[1])
        self.assertIn(",48,", found[0])
        self.assertEqual(found[2], empty + ": no *.pit in it")

    def test_colour_is_by_option(self):
        found = self.python("tell([pitwall.report(%r), pitwall.report(%r, colour=True)])"
                            % (self.path, self.path))
        self.assertNotIn("\x1b[", found[0])
        self.assertIn("\x1b[", found[1])


class Paths(py_case.Case):
    def test_paths_of_any_bytes_are_written_and_read(self):
        found = self.python("""
            import pathlib
            name = os.fsdecode(b"r\\xff\\xc3\\xa9.pit")
            told = []
            with pitwall.open(name) as run:
                with pitwall.span("a"): pass
                told.append(run.path.endswith(name))
            with pitwall.Recorder(os.fsencode("x" + name)) as own:
                with own.span("b"): pass
            for path in (name, os.fsencode(name), pathlib.Path(name), "x" + name):
                run = pitwall.read(path)
                told.append([run["path"].endswith(name), counts(run)])
            told.append("a " in pitwall.report(name))
            tell(told)
        """)
        self.assertEqual(found, [True] + 3 * [[True, {"a": 1}]] + [[True, {"b": 1}], True])


if __name__ == "__main__":
    py_case.main()
