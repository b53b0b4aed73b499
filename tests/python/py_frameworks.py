"""Virtual environments for the tests, each made once in the build folder by scripts/python_env.sh.

    Case       JAX and Weights & Biases, beside the system's PyTorch: `make test`
    AllCase    current versions of the frameworks (python/requirements-frameworks.txt, 7 GB): only with
               PITWALL_TEST_ALL=1 (`make test-all`); only_with_all() skips a case otherwise.
               PITWALL_FRAMEWORKS names the folder of an existing environment

A machine that cannot install them skips these tests and prints the reason; with CI=true that is a
failure."""

import functools
import os
import subprocess

import py_case
from py_case import pit_case

# Weights & Biases without a network and without talk. Its own limits (30 s for its process to start, 60 s for an
# answer) are too short for a machine that is busy; these only detect a hang.
WANDB = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB__SERVICE_WAIT": "3600",
         "WANDB_INIT_TIMEOUT": "3600", "WANDB_SUMMARY_TIMEOUT": "3600"}
ALL = os.environ.get("PITWALL_TEST_ALL") == "1"
ALL_FOLDER = os.environ.get("PITWALL_FRAMEWORKS")


def only_with_all(test):
    """Decorates a test case, or one of its methods."""
    return test if ALL else None


@functools.lru_cache(None)
def find(is_all=False):
    """(interpreter, "") or (None, why there is none)."""
    script = os.path.join(pit_case.source_dir(), "scripts", "python_env.sh")
    folder, limit = os.path.join(pit_case.build_dir(), "python-env"), 900
    arguments, what = [folder], "JAX and wandb"
    if is_all:
        folder = ALL_FOLDER or os.path.join(pit_case.build_dir(), "python-frameworks")
        arguments = ["--alone", folder, "python/requirements-frameworks.txt"]
        what, limit = "the frameworks", 3600
    try:
        done = subprocess.run([script, *arguments], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "%s could not be installed in %d s" % (what, limit)
    if done.returncode == 0:
        return done.stdout.strip(), ""
    last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    return None, "%s cannot be installed here: %s" % (what, last)


class Case(py_case.Case):
    is_all = False

    def setUp(self):
        interpreter, why = find(self.is_all)
        if interpreter is None:
            self.skipTest(why)
        before = py_case.PYTHON
        self.addCleanup(setattr, py_case, "PYTHON", before)
        py_case.PYTHON = interpreter


class AllCase(Case):
    is_all = True
