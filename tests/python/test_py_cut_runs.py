"""A run that is truncated and rewritten while it is read: no reader is killed by it."""

import os
import subprocess

import py_case

READER = """
import os, sys, pitwall
path, stop = sys.argv[1:3]
def count():
    return sum(node["count"] for node in pitwall.read(path)["nodes"])
reads = 0
while reads < 200 or not os.path.exists(stop):
    reads += 1
    try:
        count()
    except (pitwall.Error, OSError):
        pass
print(count())
"""


class CutRuns(py_case.Case):
    def test_a_run_that_others_cut_while_it_is_read(self):
        folder = self.folder()
        path, stop = os.path.join(folder, "run.pit"), os.path.join(folder, "stop")
        self.python("""
            with pitwall.open(%r):
                for i in range(500):
                    with pitwall.span("part %%d" %% i): pass
        """ % path)
        with open(path, "rb") as file:
            whole = file.read()
        reader = subprocess.Popen([py_case.PYTHON, "-c", READER, path, stop],
                                  env=py_case.environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        for i in range(300):
            os.truncate(path, (i * 7919) % len(whole))
            with open(path, "wb") as file:
                file.write(whole)
        with open(stop, "w"):
            pass
        out, error = py_case.pit_case.communicate(reader, None, py_case.pit_case.Patience(300))
        self.assertEqual(reader.returncode, 0, error)
        self.assertEqual(int(out), 500)


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
