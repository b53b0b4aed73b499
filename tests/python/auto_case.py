"""Programs that do not use Pitwall, run without and with `pitwall run`: their output must be the same, and
the recorded run is returned."""

import json
import os
import subprocess
import textwrap
import unittest

import py_case
from py_case import pit_case

PACKAGE = os.path.join(pit_case.build_dir(), "python")

# A small model, to be put before a program.
SMALL = """
import torch
from torch.utils.data import DataLoader
torch.manual_seed(1); torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
data = [torch.randn(4) for _ in range(12)]
loader = DataLoader(data, batch_size=4)
def learn(x):
    optimiser.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimiser.step()
    return loss.item()
"""


class Loaded(py_case.Case):
    """Programs that need PyTorch and nothing else of a new process."""

    loaded = None  # the process of torch_loaded.py, for all classes of a test program

    def run_loaded(self, folder, env, *command, status=0, variables=None):
        """Run a program of the folder, with its arguments, where PyTorch is loaded already. The environment is
        that of the first one, with these variables of `pitwall run` if there are any."""
        if not Loaded.loaded:
            Loaded.loaded = subprocess.Popen(
                [py_case.PYTHON, os.path.join(py_case.HERE, "torch_loaded.py")], env=env, encoding="utf-8",
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            unittest.addModuleCleanup(Loaded.loaded.communicate)
        self.loaded.stdin.write(json.dumps([folder, variables, *command]) + "\n")
        self.loaded.stdin.flush()
        found = self.loaded.stdout.readline()
        said = []
        for name in ("plain.stdout", "plain.stderr"):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                said.append(file.read())
            os.remove(path)
        self.assertEqual(found, "%d\n" % status, "\n".join(said))
        return subprocess.CompletedProcess(command, status, *said)


class Case(Loaded):
    def write(self, folder, name, text):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return path

    def variables_of_run(self, folder, env):
        """The variables that `pitwall run` sets for a program of this folder."""
        told = self.run_ok([pit_case.tool(), "run", "-o", "run.pit", "--", "env", "-0"], cwd=folder, env=env).stdout
        os.remove(os.path.join(folder, "run.pit"))  # of env; the program is to make this file
        pairs = (pair.split("=", 1) for pair in told.split("\0") if pair)
        return {key: value for key, value in pairs if key.startswith(("PITWALL", "PYTHONPATH"))}

    def hooked(self, program, *options, status=0, files=(), timeout=120, same_errors=True, is_whole=False, **env):
        """Run it both ways; returns the counts of each path. Its output is in self.stdout, the standard
        error of the hooked one in self.stderr. A program that begins with SMALL gets its hooks where PyTorch is
        loaded already. is_whole: the tool starts it, and its own import of PyTorch is hooked."""
        self.where = folder = self.folder()
        for name, text in dict(files).items():
            self.write(folder, name, text)
        self.write(folder, "program.py", program)
        command = [py_case.PYTHON, "program.py"]
        tool = [pit_case.tool(), "run", "-o", "run.pit", *options, "--"]
        # multiprocessing's resource tracker sometimes complains about a semaphore, with and without us
        is_small = program.startswith(SMALL) and not (files or env or status)
        env = pit_case.clean_env(PYTHONDONTWRITEBYTECODE="1",
                                 PYTHONWARNINGS="ignore:resource_tracker", **env)
        plain = (self.run_loaded(folder, env, "program.py") if is_small else
                 self.run_status(status, command, cwd=folder, env=env, timeout=timeout))
        done = (self.run_loaded(folder, env, "program.py", variables=self.variables_of_run(folder, env))
                if is_small and not (is_whole or options) else
                self.run_status(status, tool + command, cwd=folder, env=env, timeout=timeout))
        self.assertEqual(done.stdout, plain.stdout)
        if same_errors:
            self.assertEqual(done.stderr, plain.stderr)
        found = self.counts("run.pit")
        self.stdout, self.stderr = done.stdout, done.stderr
        return found

    def read(self, name):
        """Read a run with the library, in a separate process; None if there is none."""
        path = os.path.join(self.where, name)
        if not os.path.exists(path):
            return None
        return self.python("tell(pitwall.read(%r))" % path)

    def counts(self, name):
        self.run_read = self.read(name)
        if self.run_read is None:
            return None
        return {node["path"]: node["count"] for node in self.run_read["nodes"] if node["count"]}

    def journal(self, kind):
        return [entry for entry in self.run_read["journal"] if entry["kind"] == kind]


main = py_case.main
