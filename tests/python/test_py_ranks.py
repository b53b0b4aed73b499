"""Ranks of a job in Python: pitwall.ranks."""

import os

import py_case

JOB = """
import os, pitwall
for rank in range(%d):
    os.environ.update(RANK=str(rank), WORLD_SIZE="2", TORCHELASTIC_RUN_ID="%s")
    with pitwall.open(os.path.join(%r, "%s-%%d.pit" %% rank)):
        for _ in range(20):
            with pitwall.span("step"):
                with pitwall.span("forward"):
                    pass
                with pitwall.span("all-reduce"):
                    pass
"""


class Ranks(py_case.Case):
    """The same figures as the view `ranks`."""

    def setUp(self):
        super().setUp()
        self.where = self.folder()

    def job(self, name, ranks=2):
        return self.python(JOB % (ranks, name, self.where, name) + "\ntell(None)")

    def test_rows_findings_and_jobs(self):
        self.job("old")
        self.job("new", ranks=1)
        found = self.python("tell(pitwall.ranks(%r))" % self.where)
        self.assertEqual((found["job"], found["missing"], found["jobs"]), ("new", [1], ["new", "old"]))
        found = self.python("tell(pitwall.ranks(%r, job='old'))" % self.where)
        self.assertEqual((found["job"], found["count"], found["steps"]), ("old", 2, 20))
        self.assertEqual(sorted(row["rank"] for row in found["rows"]), [0, 1])
        keys = self.python("tell([f['key'] for f in pitwall.fields('rank')])")
        self.assertEqual(list(found["rows"][0]), keys)
        self.assertIsInstance(found["findings"], list)
        one = self.python("tell(pitwall.ranks(%r, %r)['count'])" % (
            os.path.join(self.where, "old-0.pit"), os.path.join(self.where, "old-1.pit")))
        self.assertEqual(one, 2)

    def test_what_is_not_there_is_an_error(self):
        self.job("a")
        found = self.python("try:\n    pitwall.ranks(%r, job='b')\nexcept pitwall.Error as error:\n"
                            "    tell(str(error))" % self.where)
        self.assertEqual(found, "b: no such job")
        found = self.python("try:\n    pitwall.ranks()\nexcept TypeError as error:\n"
                            "    tell(str(error))")
        self.assertIn("run files or folders", found)


if __name__ == "__main__":
    py_case.main()
