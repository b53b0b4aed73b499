"""Every figure has one key, in every form: the field tables against text, CSV, Markdown, JSON and the
page docs/fields.md. tests/python/test_py_fields.py does the same for Python."""

import csv
import io
import json
import math
import os
import re
import sys

import fields_run
import pit_case

UNITS = {"duration": "_ns", "rate": "_per_s", "byte rate": "_per_s", "bytes": "_bytes",
         "signed bytes": "_bytes", "share": "share"}
UNIT_IS_THE_NAME = {"read_chars", "write_chars"}
ALLOC = {"alloc_spans", "allocs", "frees", "alloc_bytes", "freed_bytes", "alloc_peak_bytes",
         "alloc_peak_last_bytes", "live_bytes", "live_last_bytes", "leak_spans", "leaked_bytes",
         "leaked_blocks"}


# Fields of GPUs, which test_gpu_channels.py tests.
OF_GPUS = {"device_memory_max_bytes", "devices_energy_j"}


class Fields(pit_case.Case):
    def setUp(self):
        self.tables = fields_run.tables(self)
        self.keys = {row: [f["key"] for f in fields] for row, fields in self.tables.items()}

    def report(self, path, *options):
        return self.run_ok([pit_case.reader(), "report", *options, path]).stdout

    def shown_titles(self):
        return [f["title"] for f in self.tables["node"] if f["shown"]
                and (fields_run.has_alloc() or f["key"] not in ALLOC)]


class Tables(Fields):
    def test_keys_are_unique_and_have_their_unit(self):
        for row, fields in self.tables.items():
            self.assertEqual(len(set(self.keys[row])), len(fields), row)
            for field in fields:
                self.assertRegex(field["key"], r"^[a-z][a-z0-9_]*$")
                self.assertTrue(field["title"] and field["help"], field)
                self.assertNotIn("\n", field["help"])
                if field["key"] not in UNIT_IS_THE_NAME:
                    self.assertTrue(field["key"].endswith(UNITS.get(field["kind"], "")), field)

    def test_one_key_is_one_kind_of_figure_in_all_tables(self):
        kinds = {}
        for fields in self.tables.values():
            for field in fields:
                self.assertEqual(kinds.setdefault(field["key"], field["kind"]), field["kind"], field)

    def test_only_endings_are_not_merged(self):
        for row, fields in self.tables.items():
            for field in fields:
                self.assertEqual(field["merge"] == "", row == "ended", field)


class Forms(Fields):
    def setUp(self):
        super().setUp()
        self.path = fields_run.record(self)
        self.document = json.loads(self.report(self.path, "--json"))
        self.nodes = self.document["nodes"]

    def rows(self, *options):
        return list(csv.DictReader(io.StringIO(self.report(self.path, "--csv", *options), newline="")))

    def test_json_has_the_fields_in_their_order(self):
        for node in self.nodes:
            self.assertEqual(list(node), self.keys["node"] + ["bins", "series"])
        run = self.document["runs"][0]
        self.assertEqual(list(run["ended"]), self.keys["ended"])
        for losses in (run["losses"], run["threads"][0]["losses"], self.document["summary"]["losses"]):
            self.assertEqual(list(losses), self.keys["losses"])

    def test_every_field_has_a_value_somewhere_in_this_run(self):
        for key in self.keys["node"]:
            if key not in OF_GPUS and (fields_run.has_alloc() or key not in ALLOC):
                self.assertTrue([n for n in self.nodes if n[key] is not None], key)
        ended = self.document["runs"][0]["ended"]
        for key in self.keys["ended"]:
            if key not in ("exit_status", "oom_kills"):  # ended by a signal; not every machine reports
                                                         # these
                self.assertIsNotNone(ended[key], key)
        losses = self.document["summary"]["losses"]
        self.assertEqual((losses["end_without_begin"], losses["abandoned"]), (1, 1), losses)

    def test_csv_has_every_field_and_the_figures_of_json(self):
        rows = self.rows()
        self.assertEqual(list(rows[0]), self.keys["node"])
        self.assertEqual([r["path"] for r in rows], [n["path"] for n in self.nodes])
        for row, node in zip(rows, self.nodes):
            for key in self.keys["node"]:
                value = node[key]
                wanted = "" if value is None else str(int(value)) if isinstance(value, bool) else value
                if isinstance(wanted, str):
                    self.assertEqual(row[key], wanted, key)
                else:
                    self.assertTrue(math.isclose(float(row[key]), wanted, rel_tol=1e-12, abs_tol=1e-3),
                                    (key, row[key], wanted))

    def test_csv_of_the_report_and_of_the_export_are_the_same(self):
        done = self.run_ok([pit_case.reader(), "export", "--format", "csv", self.path])
        self.assertEqual(done.stdout, self.report(self.path, "--csv"))
        self.assertEqual(done.stdout, self.report(self.path, "--csv", "--view", "tree"))

    def test_csv_keeps_to_depth_share_and_sort(self):
        top = self.rows("--depth", "1")
        self.assertEqual({r["depth"] for r in top}, {"0"})
        self.assertEqual(list(top[0]), self.keys["node"])
        names = [r["name"] for r in self.rows("--depth", "1", "--sort", "name")]
        self.assertEqual(names, sorted(names))

    def test_the_flat_list_has_the_same_columns(self):
        rows = self.rows("--flat")
        self.assertEqual(list(rows[0]), self.keys["node"])
        single = {n["name"]: n for n in self.nodes}
        for row in rows:
            node = single[row["name"]]  # each name occurs once in this run
            self.assertEqual((row["path"], row["depth"], row["parent"]), ("", "", ""))
            for key in ("count", "total_ns", "self_ns", "min_ns", "std_ns", "memory_spans", "open"):
                value = node[key]
                self.assertEqual(row[key] == "", value is None, (row["name"], key))
                if value is not None:
                    self.assertTrue(math.isclose(float(row[key]), value, rel_tol=1e-9, abs_tol=2e-3),
                                    (row["name"], key, row[key], value))

    def test_text_and_markdown_show_the_columns_of_the_table(self):
        for options in (("--view", "tree"), ("--view", "flat"), ()):
            text = self.report(self.path, "--width", "0", *options)
            head = [line for line in text.splitlines() if re.match(r"span +count", line)]
            self.assertEqual(re.split(r"  +", head[0].strip()), self.shown_titles(), options)
        table = [line for line in self.report(self.path, "--markdown").splitlines()
                 if line.startswith("|")]
        self.assertEqual([cell.strip() for cell in table[0].strip("|").split("|")], self.shown_titles())
        # How long device work waited is a column of that work's row, not a row.
        waits = [n for n in self.nodes if n["on_device"] and n["parent"] is not None
                 and self.nodes[n["parent"]]["on_device"]]
        self.assertEqual(len(waits), 1)
        self.assertEqual(len(table), 2 + len(self.nodes) - len(waits))

    def test_losses_and_the_ending_are_in_the_text(self):
        text = self.report(self.path, "--width", "0")
        titles = {f["key"]: f["title"] for f in self.tables["losses"]}
        losses = self.document["summary"]["losses"]
        for key, title in titles.items():
            if losses[key] > 1:
                self.assertIn(title, text)
            elif losses[key] == 0:
                self.assertNotIn(title, text)
        self.assertIn("1 end had no begin", text)
        self.assertIn("1 span was begun and not ended", text)
        self.assertRegex(text, r"ended +killed by SIGKILL, .*, user .*, system .*, peak RSS ")
        self.assertRegex(text, r"system +page faults .* minor, .* major; switches .* waiting, .* forced;"
                               r" storage .* read, .* written")

    def test_json_counts_open_time_as_the_text_does(self):
        here = [n for n in self.nodes if n["path"] == "here"][0]
        self.assertEqual((here["count"], here["open"], here["finished_ns"]), (0, 1, 0))
        self.assertGreater(here["open_ns"], 0)
        inside = [n for n in self.nodes if n["path"] == "here/inside"][0]
        self.assertEqual(here["total_ns"], here["open_ns"])
        self.assertTrue(math.isclose(here["self_ns"], here["total_ns"] - inside["total_ns"],
                                     abs_tol=0.01), (here, inside))
        summary = self.document["summary"]
        tops = [n for n in self.nodes if n["depth"] == 0 and not n["detached"]]
        self.assertTrue(math.isclose(summary["in_spans_ns"], sum(n["total_ns"] for n in tops),
                                     abs_tol=0.01))
        self.assertTrue(math.isclose(summary["finished_ns"], sum(n["finished_ns"] for n in tops),
                                     abs_tol=0.01))
        for node in self.nodes:
            if not node["detached"]:
                self.assertTrue(math.isclose(node["share"],
                                             node["total_ns"] / summary["in_spans_ns"], rel_tol=1e-6))

    def test_the_series_of_a_node_adds_up_to_its_figures(self):
        for node in self.nodes:
            series = node["series"]
            self.assertEqual(sum(s["count"] for s in series), node["count"], node["path"])
            self.assertTrue(math.isclose(sum(s["total_ns"] for s in series), node["finished_ns"],
                                         abs_tol=0.01), node["path"])
            self.assertEqual([s["start_ns"] for s in series], sorted(s["start_ns"] for s in series))
            if node["count"]:
                self.assertEqual(min(s["min_ns"] for s in series), node["min_ns"])
                self.assertEqual(max(s["max_ns"] for s in series), node["max_ns"])

    def test_a_thread_tells_what_finished_last(self):
        thread = self.document["runs"][0]["threads"][0]
        last = thread["last_finished"]
        self.assertEqual(last["path"], "here/inside")
        self.assertTrue(0 <= last["duration_ns"] <= last["end_ns"], last)

    def test_top_has_the_fields_that_a_live_run_has(self):
        done = self.run_ok([pit_case.tool(), "top", "--once", "--json", self.path])
        by_path = {n["path"]: n for n in self.nodes}
        page = open(os.path.join(pit_case.source_dir(), "docs", "top.md"), encoding="utf-8").read()
        for node in json.loads(done.stdout)["nodes"]:
            for key, value in node.items():
                self.assertIn("`%s`" % key, page)
                if key == "parent" or key.startswith("now_"):  # its own order; not of the report
                    continue
                same = by_path[node["path"]][key]
                if isinstance(value, float) or isinstance(same, float):
                    self.assertTrue(math.isclose(value, same, rel_tol=1e-6, abs_tol=0.01),
                                    (node["path"], key, value, same))
                else:
                    self.assertEqual(value, same, (node["path"], key))

    def test_the_memory_view_has_the_same_keys(self):
        rows = self.rows("--view", "memory")
        for key in rows[0]:
            if key not in ("spans", "share_of_peak"):  # its own: of both kinds; of the run's peak
                self.assertIn(key, self.keys["node"])
        nodes = {n["path"]: n for n in self.nodes}
        for row in rows:
            for key in set(row) & set(self.keys["node"]):
                value = nodes[row["path"]][key]
                self.assertEqual(row[key] == "", value is None, (row["path"], key))
                if isinstance(value, (int, float)):
                    self.assertTrue(math.isclose(float(row[key]), value, rel_tol=1e-9), (row, key))


class Page(Fields):
    def text(self):
        with open(os.path.join(pit_case.source_dir(), "docs", "fields.md"), encoding="utf-8") as file:
            return file.read()

    def test_every_field_is_on_the_page(self):
        parts = re.split(r"^## .*$", self.text(), flags=re.M)[1:]
        for part, fields in zip(parts, (self.tables[row] for row in ("node", "ended", "losses"))):
            found = re.findall(r"^\| `(\w+)` \|", part, flags=re.M)
            self.assertEqual(found, [field["key"] for field in fields])
            for field in fields:
                self.assertIn(field["help"].replace("\\", "\\\\").replace("|", "\\|"), part)

    @pit_case.plain_build
    def test_the_page_is_what_the_tables_say(self):
        self.run_ok([sys.executable, os.path.join(pit_case.source_dir(), "scripts", "fields_page.py"),
                     "--check"], env=dict(os.environ, PITWALL_BUILD=pit_case.build_dir()))


if __name__ == "__main__":
    pit_case.main()
