"""Each view, tested by its own description: its help line and page; its options in the help, the man
page, the completion, on the command line and in Python; its rows in every form. The same for exporters."""

import csv
import io
import json
import os
import re
import sys

import pit_case
from tool_help import listed, options_of

sys.path.append(os.path.join(pit_case.source_dir(), "tests", "python"))
import py_case  # noqa: E402

# A good value of each kind: on the command line, and in Python.
GOOD = {"text": ("x", "x"), "count": ("2", 2), "number": ("0.5", 0.5), "percent": ("1%", 0.01),
        "flag": (None, True)}
FORMS = ("text", "json", "csv", "markdown")


def page(name):
    with open(os.path.join(pit_case.source_dir(), "docs", "views", name + ".md"),
              encoding="utf-8") as file:
        return file.read()


class Structs(py_case.Case):
    """What the library reports through Python is compared with everything that shows it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls("setUp")
        cls.views = {}
        found = case.python("tell([(v, pitwall.view_options(v)) for v in [None] + pitwall.views()])")
        for name, options in found:
            cls.views[name] = options
        cls.names = [name for name in cls.views if name]

    def run_path(self):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_views"), "run", path, "50"])
        return path

    def tool(self, *arguments):
        return pit_case.run([pit_case.tool(), "report", *arguments])

    def test_the_list_is_the_structs(self):
        self.assertEqual(listed("report", "--view", "help"), self.names)
        self.assertGreaterEqual(len(self.names), 18)
        for line in self.tool("--view", "help").stdout.splitlines():
            name, words = line.split(None, 1)
            self.assertTrue(words.endswith("?") and len(words) > 15, line)
            self.assertIn("--view " + name, page(name))

    def test_every_option_is_in_the_help_of_its_view_and_no_other(self):
        for name in self.names:
            for words in (("--view", name, "--help"), ("--view", "help", name)):
                text = self.tool(*words).stdout
                shown = re.findall(r"^  --([a-z-]+)", text, re.M)
                self.assertEqual(shown, [option["name"].replace("_", "-")
                                         for option in self.views[name]], name)
        every = {"--" + option["name"].replace("_", "-")
                 for options in self.views.values() for option in options}
        self.assertLessEqual(every, options_of("report"))

    def test_every_option_is_in_the_man_page(self):
        with open(os.path.join(pit_case.build_dir(), "man", "pitwall-report.1"),
                  encoding="ascii") as file:
            text = file.read().replace("\\-", "-")
        views = text[text.index(".SH VIEWS"):].split(".TP\n")[1:len(self.names) + 1]
        self.assertEqual([view.split("\n")[0] for view in views],
                         ["\\fB%s\\fR" % name for name in self.names])
        for name, words in zip(self.names, views):
            shown = re.findall(r"^--([a-z-]+)", words.split("\n.SH ")[0], re.M)
            self.assertEqual(shown, [option["name"].replace("_", "-")
                                     for option in self.views[name]], name)

    def test_every_option_is_taken_by_its_views_and_refused_by_the_others(self):
        path = self.run_path()
        calls = []
        for name, options in self.views.items():
            for option in options:
                shown = GOOD.get(option["kind"]) or (option["words"][0],) * 2
                flag = "--" + option["name"].replace("_", "-")
                words = ["--view", name] if name else []
                words += [flag] + ([shown[0]] if shown[0] else [])
                done = self.tool(path, *words)
                self.assertIn(done.returncode, (0, 2), (words, done.stderr))
                calls.append((name, {option["name"]: shown[1]}))
        self.python("""
            for view, options in %r:
                pitwall.report(%r, view=view, **options)
        """ % (calls, path))

    def test_a_foreign_option_names_the_views_that_have_it(self):
        path = self.run_path()
        owners = {}
        for name, options in self.views.items():
            for option in options:
                owners.setdefault(option["name"], []).append(name or "the report")
        for option, having in owners.items():
            strangers = [name for name in self.views if (name or "the report") not in having]
            flag = "--" + option.replace("_", "-")
            value = [] if option in ("flat", "percentiles", "maximise") else ["1"]
            for name in strangers[:2]:
                done = self.tool(path, *(["--view", name] if name else []), flag, *value)
                self.assertEqual((done.returncode, done.stdout), (64, ""), (name, option))
                self.assertIn("pitwall: %s: not an option of " % flag, done.stderr)
                for owner in having:
                    self.assertRegex(done.stderr, r"\b%s\b" % owner)
            if strangers:
                self.assertRegex(self.python("""
                    try: pitwall.report(%r, view=%r, %s=%r)
                    except TypeError as error: tell(str(error))
                """ % (path, strangers[0], option, 1)), "not an option of .*%s" % having[0])

    def test_every_view_in_every_form_or_a_reason(self):
        path = self.run_path()
        for name in self.names:
            for form in FORMS:
                done = self.tool(path, "--view", name, *(["--" + form] if form != "text" else []))
                with self.subTest(view=name, form=form):
                    self.assertIn(done.returncode, (0, 2))
                    if form == "json":
                        document = json.loads(done.stdout)
                        self.assertEqual(document["view"], name)
                        self.assertIn("rows" if done.returncode == 0 else "nothing", document)
                    elif form == "csv" and done.returncode == 0:
                        self.assertTrue(next(csv.reader(io.StringIO(done.stdout))))
                    said = done.stderr if form == "csv" else done.stdout
                    self.assertTrue(said if done.returncode == 2 else done.stdout, done)

    def test_a_wrong_value_is_refused_with_what_it_must_be(self):
        path = self.run_path()
        for words, said in (
                (("--depth", "x"), "--depth: x: must be a whole number"),
                (("--depth", "-1"), "--depth: -1: must be a whole number"),
                (("--min-share", "101"), "--min-share: 101: must be a percentage, 0 to 100"),
                (("--view", "memory", "--sort", "x"), "must be one of memory, total, self"),
                (("--view", "convergence", "--threshold", "nan"), "must be a number")):
            done = self.tool(path, *words)
            self.assertEqual((done.returncode, done.stdout), (64, ""), words)
            self.assertIn(said, done.stderr)


class Rows(pit_case.Case):
    """JSON of a view is its rows, with its options applied."""

    path = os.path.join(pit_case.source_dir(), "tests", "data", "finished.pit")

    def report(self, *arguments):
        return json.loads(self.run_ok([pit_case.tool(), "report", self.path, "--json",
                                       *arguments]).stdout)

    def test_tree_obeys_depth_and_sort(self):
        every = self.report("--view", "tree")["rows"]
        nodes = self.report()["nodes"]
        self.assertEqual(sorted(row["path"] for row in every),
                         sorted(node["path"] for node in nodes))
        tops = {node["path"] for node in nodes if node["depth"] == 0}
        document = self.report("--view", "tree", "--depth", "1", "--sort", "self")
        rows = document["rows"]
        self.assertEqual({row["path"] for row in rows}, tops)
        self.assertEqual([row["self_ns"] for row in rows],
                         sorted((row["self_ns"] for row in rows), reverse=True))
        self.assertEqual(document["left_out"], len(every) - len(rows))

    def test_min_share_leaves_out_rows_of_every_view_of_spans(self):
        for view in ("tree", "flat"):
            every = self.report("--view", view)["rows"]
            some = self.report("--view", view, "--min-share", "20")
            self.assertLess(len(some["rows"]), len(every), view)
            self.assertEqual(len(some["rows"]) + some["left_out"], len(every), view)
            for row in some["rows"]:
                self.assertTrue(row["share"] is None or row["share"] >= 0.2 or row["open"], row)

    def test_flat_is_sorted_by_name_where_that_is_asked_for(self):
        names = [row["name"] for row in self.report("--view", "flat", "--sort", "name")["rows"]]
        self.assertEqual(names, sorted(names))

    def test_memory_has_its_rows(self):
        with_memory = os.path.join(os.path.dirname(self.path), "memory.pit")
        document = json.loads(self.run_ok([pit_case.tool(), "report", with_memory, "--json", "--view",
                                           "memory", "--depth", "1", "--sort", "name"]).stdout)
        self.assertEqual([row["path"] for row in document["rows"]], ["cache", "epoch"])
        self.assertEqual(document["left_out"], 4)

    def test_without_a_view_it_is_the_whole_document(self):
        document = self.report("--depth", "1")
        self.assertIn("schema_version", document)
        self.assertNotIn("rows", document)


class Exporters(py_case.Case):
    def test_names_are_those_of_the_structs_everywhere(self):
        names = listed("export", "--format", "help")
        self.assertIn("csv", names)
        done = pit_case.run([pit_case.tool(), "export", "--help"]).stdout
        shown = re.findall(r"^  --format ([a-z-]+) ", done, re.M)
        self.assertEqual(shown, names + ["help"])
        self.assertEqual(self.python("tell(pitwall._pitwall._exports())"), names)
        with open(os.path.join(pit_case.build_dir(), "man", "pitwall-export.1"),
                  encoding="ascii") as file:
            text = file.read().replace("\\-", "-")
        for name in names:
            self.assertIn("--format " + name, text)

    def test_csv_is_the_same_bytes_by_both_ways(self):
        path = Rows.path
        by_report = self.run_ok([pit_case.tool(), "report", path, "--csv"]).stdout
        by_export = self.run_ok([pit_case.tool(), "export", path, "--format", "csv"]).stdout
        self.assertEqual(by_report, by_export)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
