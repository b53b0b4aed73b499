"""The web page from Python: as text, and as the display of a run in a notebook."""

import html
import os
import re

import py_case
from py_case import pit_case

PROGRAM = """
    pitwall.open("run.pit")
    for i in range(8):
        with pitwall.span("<b>batch</b>"):
            sum(range(2000))
        pitwall.value("loss", 1 / (i + 1))
    pitwall.close()
"""


class Page(py_case.Case):
    def setUp(self):
        place = self.folder()
        self.python(PROGRAM, cwd=place)
        self.path = os.path.join(place, "run.pit")

    def test_it_is_the_page_that_the_tool_writes(self):
        found = self.python("tell(pitwall.export(%r, format='html'))" % self.path)
        out = self.run_status(0, [pit_case.tool(), "report", self.path, "--html"],
                              env=py_case.environment()).stdout
        self.assertEqual(found, out)

    def test_a_notebook_shows_a_run_as_the_page_in_a_frame_without_origin(self):
        frame, page = self.python("tell([pitwall.read(%r)._repr_html_(), pitwall.export(%r, format='html')])"
                                  % (self.path, self.path))
        self.assertRegex(frame, '^<iframe sandbox="allow-scripts" ')
        self.assertEqual(html.unescape(re.search('srcdoc="([^"]*)"', frame).group(1)), page)

    def test_a_run_is_a_dict_like_any_other(self):
        found = self.python("""
            import copy, json, pickle
            run = pitwall.read(%r)
            tell([isinstance(run, dict), json.loads(json.dumps(run)) == run,
                  pickle.loads(pickle.dumps(run)) == run, copy.deepcopy(run) == run,
                  type(run).__name__])
        """ % self.path)
        self.assertEqual(found, [True, True, True, True, "Run"])


if __name__ == "__main__":
    py_case.main()
