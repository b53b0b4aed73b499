"""pitwall.read() and pitwall.fields() against the field tables and the JSON document."""

import json
import os
import sys

import py_case

sys.path.insert(0, os.path.join(os.path.dirname(py_case.HERE), "system"))
import fields_run  # noqa: E402


class Fields(py_case.Case):
    def test_read_gives_the_fields_with_the_figures_of_json(self):
        tables, path = fields_run.tables(self), fields_run.record(self)
        keys = {row: [field["key"] for field in fields] for row, fields in tables.items()}
        run, text = self.python("""
            tell([pitwall.read(%r), pitwall.report(%r, form="json")])
        """ % (path, path))
        document = json.loads(text)
        self.assertEqual(len(run["nodes"]), len(document["nodes"]))
        for row, node in zip(run["nodes"], document["nodes"]):
            self.same(row, node, keys["node"])
        of_json = document["runs"][0]
        self.same(run["ended"], of_json["ended"], keys["ended"])
        self.same(run["losses"], of_json["losses"], keys["losses"])
        for mine, thread in zip(run["threads"], of_json["threads"]):
            self.same(mine["losses"], thread["losses"], keys["losses"])
            for record, other in zip(mine["records"], thread["records"]):
                self.same({k: record[k] for k in ("path", "at_ns", "duration_ns", "items")}, other,
                          ["path", "at_ns", "duration_ns", "items"])
        for key in ("start_wall_ns", "duration_ns", "span_cost_ns"):
            self.assertAlmostEqual(run[key], of_json[key], places=2, msg=key)
        for key in ("in_spans_ns", "finished_ns", "spans"):
            self.assertAlmostEqual(run[key], document["summary"][key], places=2, msg=key)

    def same(self, row, node, keys):
        self.assertEqual(list(row), keys)
        for key in keys:
            if isinstance(row[key], float):
                self.assertAlmostEqual(row[key], node[key], places=2, msg=key)
            else:
                self.assertEqual(row[key], node[key], key)

    def test_fields_tells_the_tables(self):
        found = self.python("""
            tell({row: pitwall.fields(row) for row in ("node", "ended", "losses")}
                 | {"default": pitwall.fields()})
        """)
        self.assertEqual(found.pop("default"), found["node"])
        tables = fields_run.tables(self)
        self.assertEqual({row: [{k: f[k] for k in f if k != "reason"} for f in fields]
                          for row, fields in found.items()}, tables)
        self.assertIn("PIT_MEMORY", {f["key"]: f for f in found["node"]}["memory_spans"]["reason"])

    def test_rows_of_another_kind_are_refused(self):
        found = self.python("""
            try:
                pitwall.fields("wheel")
            except ValueError as error:
                tell(str(error))
        """)
        self.assertIn("node, ended, losses or rank", found)


if __name__ == "__main__":
    py_case.main()
