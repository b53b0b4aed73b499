"""The views over rows: the known layouts byte for byte, every form, any name, in time.

tests/golden holds the samples of the documents that users of each view know. Three of them cannot
be computed from the figures that they show: the percentages of the timing summary refer to another
total (ours are correct), and the total of the first performance table and the throughput of the inference
benchmark need digits that the sample does not show (prog_views.c has them).
"""

import csv
import functools
import io
import json
import os
import re
import unicodedata

import pit_case

VIEWS = ("timing-summary", "speedup", "breakdown", "performance", "aggregate", "profiling",
         "inference", "sweep")
SAMPLES = ("timing-summary", "speedup", "breakdown", "performance-physical",
           "performance-detailed", "aggregate", "profiling", "inference", "sweep")
RULES = {"timing-summary": 60, "speedup": 60, "breakdown": 42, "performance": 90,
         "aggregate": 90, "sweep": 60}
NAME_KEYS = {"performance": "operation", "aggregate": "operation", "profiling": "operation",
             "sweep": "value"}
MOST_SECONDS = 3  # far more than it takes; where time grows with the square of the rows, far less
FORMULA = tuple("=+-@\t\r")


def width_of(text):
    """Columns of a line on a terminal, by the Unicode tables of Python."""
    columns = 0
    for c in text:
        if unicodedata.combining(c) or unicodedata.category(c) in ("Cf", "Mn", "Me"):
            continue
        columns += 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1
    return columns


def unmarked(cell):
    """The original text of a CSV cell that was escaped."""
    return cell[1:] if re.match(r"'+[=+\-@\t\r]", cell) else cell


class ViewCase(pit_case.Case):
    def view(self, *arguments, status=0):
        """The program's output, as bytes decoded without loss."""
        command = [pit_case.program("prog_views"), *arguments]
        return self.run_bytes(command, status).decode("utf-8", "surrogateescape")

    def run_bytes(self, command, status=0):
        done = pit_case.subprocess.run(command, capture_output=True, timeout=600,
                                       check=False, env=pit_case.clean_env())
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    @functools.lru_cache
    def names(self):
        """As CSV and JSON write them, which are UTF-8 whatever bytes a name has."""
        return [bytes.fromhex(line).decode("utf-8", "replace")
                for line in self.view("names").splitlines()]

    def made(self, *arguments):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_views"), arguments[0], path, *arguments[1:]])
        return path

    def tool(self, *arguments, status=0):
        return self.run_bytes([pit_case.tool(), "report", *arguments],
                              status).decode("utf-8", "surrogateescape")


class Golden(ViewCase):
    def test_every_sample_is_reproduced_byte_for_byte(self):
        folder = os.path.join(pit_case.source_dir(), "tests", "golden")
        for sample in SAMPLES:
            path = os.path.join(folder, sample + ".txt")
            with self.subTest(sample=sample), open(path, "rb") as file:
                printed = self.run_bytes([pit_case.program("prog_views"), "golden", sample,
                                          "text"])
                self.assertEqual(printed, file.read())

    def test_extras_of_the_json_form(self):
        def document(name):
            return json.loads(self.view("golden", name, "json"))
        timing = document("timing-summary")
        self.assertEqual((timing["view"], timing["title"]), ("timing-summary", "Section 1.1"))
        self.assertAlmostEqual(timing["total_seconds"], 317.44)
        self.assertAlmostEqual(timing["average_seconds"], 317.44 / 9)
        self.assertEqual(document("speedup")["baseline"], {"name": "KAN", "seconds": 150})
        self.assertEqual([r["name"] for r in document("speedup")["rows"]], ["SIREN", "MLP", "KAN"])
        self.assertAlmostEqual(document("performance-detailed")["total_seconds"], 1.42)
        self.assertEqual(document("profiling")["step"], 100)
        self.assertEqual(document("sweep")["optimal"], {"value": "32", "seconds": 1.234,
                          "margin": 1.5 / 1.234 - 1, "times": None})

    def test_metrics_begin_with_the_columns_people_expect(self):
        head = self.view("golden", "performance-detailed", "csv").splitlines()[0]
        self.assertTrue(head.startswith("operation,time,cpu_mb,gpu_mb,"))


class Names(ViewCase):
    """Names with quotes, commas, newlines, emoji, escape codes, formulas, 4,000 characters."""

    def test_no_control_byte_reaches_the_terminal(self):
        for view in VIEWS:
            for form in ("text", "ascii", "markdown"):
                with self.subTest(view=view, form=form):
                    text = self.view("hostile", view, form)
                    self.assertFalse([c for c in text if c != "\n" and
                                      (unicodedata.category(c) == "Cc" or c == "\u202e")])
                    self.assertFalse([c for c in text if 0xdc80 <= ord(c) <= 0xdcff])
                    self.assertEqual("\u2026" in text, form != "ascii" and view in RULES
                                     and form != "markdown")
                    self.assertFalse([line for line in text.splitlines() if line != line.rstrip()])

    def test_columns_are_straight(self):
        count = len(self.names())
        figures = r"(?:[-+]?\d+(?:\.\d+)?(?:[sx]|%)?|n/a)"
        ends = {"timing-summary": r"^(.*):\s+%s \(\s*%s\)$" % (figures, figures),
                "breakdown": r"^  (.*): \s*%s \(\s*%s\)$" % (figures, figures),
                "speedup": r"^(.*): \s*\d+\.\d\dx (?:faster|slower)$",
                "performance": r"^(.*?)(?:\s+%s){4}$" % figures}
        for view, pattern in ends.items():
            with self.subTest(view=view):
                rows = [line for line in self.view("hostile", view, "text").splitlines()
                        if re.match(pattern, line) and not line.startswith("Baseline")]
                self.assertEqual(len(rows), count - (view == "speedup"))
                widths = {width_of(line) for line in rows}
                self.assertEqual(len(widths), 1, rows)
                self.assertLessEqual(widths.pop(), RULES[view])

    def test_columns_that_are_flush_left_are_straight(self):
        count = len(self.names())
        for view, pattern in (("aggregate", r"^(.*\s\d+)\s+\S+\s+\S+\s+\S+\s+\S+$"),
                              ("sweep", r"^(.*) \d+\.\d{3}\s+\S+x\s+\S+\s+\d+$")):
            with self.subTest(view=view):
                lines = self.view("hostile", view, "text").splitlines()
                rows = [re.match(pattern, line) for line in lines]
                rows = [row for row in rows if row]
                self.assertEqual(len(rows), count)
                self.assertEqual(len({width_of(row.group(1)) for row in rows}), 1)
                self.assertLessEqual(max(width_of(line) for line in lines[1:]), RULES[view])

    def test_csv_gives_names_and_figures_back(self):
        names = self.names()
        for view in VIEWS:
            with self.subTest(view=view):
                text = self.view("hostile", view, "csv")
                rows = list(csv.DictReader(io.StringIO(text, newline="")))
                cells = [row[NAME_KEYS.get(view, "name")] for row in rows]
                self.assertFalse([cell for cell in cells if cell.startswith(FORMULA)])
                self.assertEqual(sorted(map(unmarked, cells)), sorted(names))
                self.assertEqual(len({len(row) for row in rows}), 1)
                self.assertNotIn(None, rows[0])
        rows = list(csv.DictReader(io.StringIO(self.view("hostile", "timing-summary", "csv"),
                                               newline="")))
        self.assertEqual([float(row["seconds"]) for row in rows],
                         [0.1 + i / 3 for i in range(len(names))])

    def test_json_gives_names_and_figures_back(self):
        names = self.names()
        for view in VIEWS:
            with self.subTest(view=view):
                document = json.loads(self.view("hostile", view, "json"))
                self.assertEqual(document["view"], view)
                self.assertEqual(sorted(row[NAME_KEYS.get(view, "name")]
                                        for row in document["rows"]), sorted(names))
        rows = json.loads(self.view("hostile", "performance", "json"))["rows"]
        self.assertEqual([row["time"] for row in rows], [0.1 + i / 3 for i in range(len(names))])
        self.assertEqual([row["cpu_mb"] for row in rows],
                         [None if i % 2 else 1 / 3 for i in range(len(names))])
        self.assertEqual({row["gpu_mb"] for row in rows}, {None})

    def test_markdown_rows_keep_their_cells(self):
        for view in VIEWS:
            with self.subTest(view=view):
                lines = self.view("hostile", view, "markdown").splitlines()
                self.assertTrue(lines[0].startswith("### "))
                table = [line for line in lines if line.startswith("|")]
                bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table}
                self.assertEqual(len(bars), 1)
                self.assertGreaterEqual(len(table), len(self.names()))
                self.assertNotRegex("\n".join(table), r"(?<!\\)[<>`*_\[\]]")


class Runs(ViewCase):
    """The same views of what a program recorded."""

    def test_names_of_a_run_come_back_in_the_order_they_were_first_seen(self):
        path = self.made("odd-run")
        rows = list(csv.DictReader(io.StringIO(
            self.tool(path, "--view", "timing-summary", "--csv"), newline="")))
        self.assertEqual([unmarked(row["name"]) for row in rows], self.names())
        self.assertEqual({row["count"] for row in rows}, {"2"})

    def test_every_view_in_every_form(self):
        path = self.made("run", 200)
        for view in VIEWS + ("tree", "flat", "memory"):
            for form in ((), ("--json",), ("--csv",), ("--markdown",)):
                with self.subTest(view=view, form=form):
                    text = self.tool(path, "--view", view, *form)
                    self.assertTrue(text)
                    if form == ("--json",):
                        self.assertIn("rows", json.loads(text))
                    elif form == ("--csv",):
                        lengths = {len(row) for row in csv.reader(io.StringIO(text, newline=""))}
                        self.assertEqual(len(lengths), 1)

    def test_tree_and_flat_in_csv_have_every_node_and_name(self):
        path = self.made("odd-run")
        for view in ("tree", "flat"):
            rows = list(csv.DictReader(io.StringIO(self.tool(path, "--view", view, "--csv"),
                                                   newline="")))
            self.assertEqual(sorted(unmarked(row["name"]) for row in rows), sorted(self.names()))
        nodes = json.loads(self.tool(path, "--json"))["nodes"]
        tree = list(csv.DictReader(io.StringIO(self.tool(path, "--csv"), newline="")))
        totals = {node["path"]: node["total_ns"] for node in nodes}
        for row in tree:
            shown = unmarked(row["path"]).encode("utf-8", "surrogateescape")
            self.assertAlmostEqual(float(row["total_ns"]),
                                   totals[shown.decode("utf-8", "replace")], delta=0.001)
        self.assertEqual(len(tree), len(nodes))

    def test_tree_in_markdown_is_a_table_with_its_answer_before(self):
        lines = self.tool(self.made("run", 200), "--markdown").splitlines()
        self.assertRegex(lines[0], r"^[A-Z]{3,}[A-Z -]*: |took the most")
        self.assertEqual(lines[1], "")
        self.assertTrue(all(line.startswith("|") for line in lines[2:]))

    def test_a_sweep_over_runs_finds_the_fastest_setting(self):
        folder, paths, ms = self.folder(), [], 5
        for value in ("32", "16", "8", "8"):  # each longer than the one before, however long that took
            paths.append(os.path.join(folder, "%d.pit" % len(paths)))
            self.run_ok([pit_case.program("prog_views"), "sweep", paths[-1], "batch_size", value,
                         str(ms)])
            took = json.loads(self.tool(paths[-1], "--json"))["runs"][0]["duration_ns"]
            ms = 10 + int(took / 1e6)
        for more in ((), ("--node", "work")):
            document = json.loads(self.tool(*paths, "--view", "sweep", "--json", *more))
            self.assertEqual(document["parameter"], "batch size")
            self.assertEqual([row["value"] for row in document["rows"]], ["32", "16", "8"])
            self.assertEqual([row["count"] for row in document["rows"]], [1, 1, 2])
        self.assertRegex(self.tool(*paths, "--view", "sweep"),
                         r"\AOptimal batch size: 32 \(\d+\.\d{3}s\)\n")

    def test_nothing_to_show_is_status_2_with_its_reason(self):
        path = self.made("odd-run")
        self.assertIn("no sweep", self.tool(path, "--view", "sweep", status=2))
        self.assertIn("no sweep", json.loads(self.tool(path, "--view", "sweep", "--json",
                                                       status=2))["nothing"])
        self.assertIn("no span has", self.tool(path, "--view", "breakdown", "--node", "nowhere",
                                               status=2))
        self.assertIn("unknown baseline", self.tool(path, "--view", "speedup", "--baseline",
                                                    "nowhere", status=2))
        done = pit_case.run([pit_case.tool(), "report", path, "--view", "sweep", "--csv"])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, "^pitwall: nothing to show: sweep: no sweep")


class Speed(ViewCase):
    """Ten thousand nodes; in processor time, because a busy machine is not a slow view."""

    ROWS = pit_case.rounds(10000, 2000)

    def assert_quick(self, *arguments):
        """In at least one of several tries, because other programs use the machine too."""
        most, took = MOST_SECONDS * pit_case.slowness(), []
        while len(took) < 10 and min(took, default=most) >= most:
            took.append(float(self.view(*arguments)))
        self.assertLess(min(took), most)

    def test_every_view_of_many_rows_is_quick(self):
        self.assert_quick("time", str(self.ROWS))

    def test_every_view_of_a_run_of_many_nodes_is_quick(self):
        path = self.made("run", self.ROWS)
        self.assert_quick("time-run", path)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
