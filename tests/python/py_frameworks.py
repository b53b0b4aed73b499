"""The Python that has JAX and Weights & Biases: made once in the build folder. A machine that cannot
get them leaves these tests out, by name and with the reason; with CI=true that is a failure."""

import functools
import os
import subprocess

import py_case
from py_case import pit_case


@functools.lru_cache(None)
def find():
    """(interpreter, "") or (None, why there is none)."""
    script = os.path.join(pit_case.source_dir(), "scripts", "python_env.sh")
    folder = os.path.join(pit_case.build_dir(), "python-env")
    try:
        done = subprocess.run([script, folder], capture_output=True, text=True, timeout=900)
    except subprocess.TimeoutExpired:
        return None, "JAX and wandb could not be installed in 900 s"
    if done.returncode == 0:
        return done.stdout.strip(), ""
    last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return None, "JAX and wandb cannot be installed here: " + last


class Case(py_case.Case):
    def setUp(self):
        interpreter, why = find()
        if interpreter is None:
            self.skipTest(why)
        before = py_case.PYTHON
        self.addCleanup(setattr, py_case, "PYTHON", before)
        py_case.PYTHON = interpreter
