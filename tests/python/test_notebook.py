"""Notebooks: executes a notebook and checks the output of its cells; the report as the last expression."""

import json
import os
import re

import auto_case
import py_case

CELLS = [
    "import pitwall\n%load_ext pitwall",
    "%%pitwall first\nfor i in range(3):\n    with pitwall.span('work'): pass\ni * 2",
    "pitwall.report()",
    "%%pitwall\nraise ValueError('expected')",
    "run = pitwall.read_live()\nrun",
    "print(pitwall.report())",
    "%%pitwall --quiet\nsilent = 1;",
    "%%pitwall --view nothing\n1",
    "%%pitwall training\n" + auto_case.SMALL + "for _ in range(4): learn(data[0])",
    "recorder = pitwall.open('run.pit')",
    "%%pitwall third\nwith pitwall.span('inner'): pass",
    "recorder.recording, [n['path'] for n in pitwall.read('run.pit')['nodes']]",
]

# The limits of the client only detect a hang: a kernel may start late, and its output may come late. It talks over
# files, because another program may take a port between the client's search and the kernel's start.
EXECUTE = """
import nbclient, nbformat, traitlets.config
config = traitlets.config.Config({"KernelManager": {"transport": "ipc"}})
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in %r])
nbclient.NotebookClient(book, kernel_name="python3", allow_errors=True, timeout=None, startup_timeout=3600,
                        iopub_timeout=3600, config=config).execute()
tell([[dict(output) for output in cell.outputs] for cell in book.cells])
"""


class Notebook(py_case.Case):
    def execute(self, cells):
        """The outputs of each cell, executed by a kernel of its own."""
        folder = self.folder()
        spec = os.path.join(folder, "share", "jupyter", "kernels", "python3")
        os.makedirs(spec)
        argv = [py_case.PYTHON, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f",
                "{connection_file}", "--HistoryManager.enabled=False"]
        with open(os.path.join(spec, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump({"argv": argv, "display_name": "test", "language": "python"}, file)
        return self.python(EXECUTE % cells, cwd=folder, timeout=600, IPYTHONDIR=folder,
                           JUPYTER_RUNTIME_DIR=folder,
                           JUPYTER_PATH=os.path.join(folder, "share", "jupyter"), HOME=folder)

    def text(self, outputs):
        """The displayed outputs of cells, as plain text and as HTML."""
        shown = [o["data"] for o in outputs if "data" in o]
        return [(d["text/plain"], d.get("text/html", "")) for d in shown]

    def test_what_cells_show(self):
        cells = self.execute(CELLS)
        (report, page), (value, _) = self.text(cells[1])
        self.assertEqual(value, "4")
        self.assertRegex(report, r"\nfirst +1 [^\n]*\n└─ work +3 ")
        self.assertTrue(page.startswith("<pre ") and "└─ work" in page, page)
        # The verdict is wrapped, the tables are not.
        wrapped = r'<span style="white-space:pre-wrap;word-break:normal">[^<]*\bself time\b[^<]*</span>\n\n'
        self.assertRegex(page, wrapped)
        ((report, page),) = self.text(cells[2])
        self.assertRegex(report, r"\n└─ work +3 ")
        self.assertNotIn("\\n", report)
        self.assertIn("└─ work", page)
        self.assertEqual(cells[3][-1]["ename"], "ValueError")
        self.assertNotIn("_notebook.py", re.sub("\x1b[^m]*m", "", "\n".join(cells[3][-1]["traceback"])))
        ((report, _),) = self.text(cells[3])
        self.assertRegex(report, r"\ncell +1 ")
        self.assertNotIn("└─ work", report)  # the previous cell's recording was replaced
        ((_, page),) = self.text(cells[4])
        self.assertTrue(page.startswith("<iframe sandbox="), page[:40])
        self.assertRegex(cells[5][0]["text"], r"\ncell +1 ")
        self.assertEqual(cells[6], [])
        self.assertRegex(cells[7][0]["evalue"], "^%%pitwall: argument --view: invalid choice: 'nothing'")
        self.assertEqual(len(cells[7]), 1)  # the cell did not run
        ((report, _),) = self.text(cells[8])
        self.assertRegex(report, r"\ntraining +1 [^\n]*\n└─ step +4 [^\n]*\n   ├─")
        self.assertEqual(cells[9], [])
        # The rows, not the verdict: whether that names the span depends on how long it took.
        self.assertEqual(re.findall(r"\n(?:└─ )?(third|inner) +(\d+) ", self.text(cells[10])[0][0]),
                         [("third", "1"), ("inner", "1")])
        self.assertEqual(self.text(cells[11])[0][0], "(True, ['third', 'third/inner'])")

    def test_a_report_is_a_string(self):
        found = self.python("""
            import copy, pickle
            with pitwall.span("a<b"): pass
            report = pitwall.report()
            tell([isinstance(report, str), repr(report) == str(report) == "%s" % report,
                  "\\na<b " in report, "\\na&lt;b " in report._repr_html_(), json.dumps(report)[:1],
                  pickle.loads(pickle.dumps(report)) == report, copy.copy(report) == report,
                  type(pitwall.report(form="json")).__name__, (report + "x")[-1]])
        """)
        self.assertEqual(found, [True, True, True, True, '"', True, True, "str", "x"])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
