"""Hooks into newer versions of PyTorch and JAX than the tests install. PyTorch 2: the engine of autograd, and
torch.compile, which reads the code of functions. JAX: its compiler. Small packages with the same names
replace them; their compile rejects code that the real one cannot read."""

import auto_case

TORCH = {
    "torch/__init__.py": """
import types
from . import autograd, nn
from .optim import optimizer as _o
from .utils.data import dataloader as _d

def is_grad_enabled(): return True
def get_num_threads(): return 7
def save(what): return what

def compile(model=None, *, fullgraph=False):
    if model is None:
        return lambda model: compile(model, fullgraph=fullgraph)
    if isinstance(getattr(model, "__self__", model), nn.Module):
        return model
    for function in (_d.DataLoader.__iter__, _d._BaseDataLoaderIter.__next__, nn.Module.train, save):
        if not isinstance(function, types.FunctionType):
            raise RecursionError(function)
    for function in (autograd.backward, autograd.grad, *_o.steps()):
        if fullgraph and not isinstance(function, types.FunctionType):
            raise TypeError(function)
    return model
""",
    "torch/nn.py": """
class Module:
    training = True
    def __call__(self, x): return self.forward(x)
    def train(self, mode=True): self.training = mode; return self
    def eval(self): return self.train(False)
    def parameters(self): return iter(())
""",
    "torch/autograd/graph.py": "def _engine_run_backward(x): return x + 1\n",
    "torch/autograd/__init__.py": """
from . import graph
from .graph import _engine_run_backward
def backward(x): return _engine_run_backward(x)
def grad(x): return _engine_run_backward(x) * 2
""",
    "torch/optim/__init__.py": "",
    "torch/optim/optimizer.py": """
def steps(): return [cls.step for cls in Optimizer.__subclasses__()]
class Optimizer:
    def __init__(self): self._patch_step_function()
    def _patch_step_function(self): pass
""",
    "torch/utils/__init__.py": "",
    "torch/utils/data/__init__.py": "from .dataloader import DataLoader\n",
    "torch/utils/data/_utils/__init__.py": "",
    "torch/utils/data/_utils/worker.py": "def _worker_loop(): pass\n",
    "torch/utils/data/dataloader.py": """
from ._utils import worker
class _BaseDataLoaderIter:
    def __init__(self, data): self._data = iter(data)
    def __iter__(self): return self
    def __next__(self): return next(self._data)
class DataLoader:
    def __init__(self, data): self._data = data
    def __iter__(self): return _BaseDataLoaderIter(self._data)
""",
}

PROGRAM = """
import inspect, torch
from torch.optim.optimizer import Optimizer
from torch.utils.data import DataLoader
class Model(torch.nn.Module):
    def forward(self, x): return x * 3
class Mine(Optimizer):
    def step(self): return 5
model, mine = Model(), Mine()
def learn():
    for x in DataLoader([1, 2, 3]):
        print(torch.autograd.backward(model(x)), torch.autograd.grad(x), mine.step())
"""

PHASES = {"loader_start": 1, "step": 3, "step/data_loading": 3, "step/forward": 3,
          "step/backward": 6, "step/optimizer": 3}


class Compile(auto_case.Case):
    def check(self, line, failures=(), **counts):
        found = self.hooked(PROGRAM + line, files=TORCH)
        self.assertEqual(found, {**PHASES, **counts})
        self.assertEqual([entry["text"] for entry in self.journal("auto_failed")], list(failures))
        self.assertEqual(self.run_read["facts"].get("compiled"), "1" if "compile(" in line else None)
        self.assertEqual(self.run_read["facts"]["compute_threads"], "7")

    def test_the_engine_is_one_place_of_backward(self):
        self.check("learn(); print(type(torch.autograd.grad).__name__)")
        self.assertIn("function", self.stdout)

    def test_a_module_is_compiled_past_the_hooks(self):
        self.check("torch.compile(model, fullgraph=True); torch.compile(model.forward); learn()")

    def test_a_function_in_parts_meets_functions_and_all_phases_stay(self):
        self.check("""
torch.compile(learn)()
print(inspect.signature(torch.compile), inspect.signature(DataLoader.__iter__))
""")

    def test_where_a_whole_is_wanted_the_optimisers_make_way_and_the_run_says_so(self):
        why = "torch.optim: the program compiles a function with fullgraph=True"
        phases = {key: count for key, count in PHASES.items() if "optimizer" not in key}
        found = self.hooked(PROGRAM + """
class Late(Optimizer):
    def step(self): return 6
torch.compile(fullgraph=True)(lambda: 1)
late = Late()
torch.compile(learn, fullgraph=True)()
print(late.step())
""", files=TORCH)
        self.assertEqual(found, phases)
        self.assertEqual([entry["text"] for entry in self.journal("auto_failed")], [why])


class JaxCompiler(auto_case.Case):
    """It is called by other names in newer versions."""

    def compiled(self, names):
        calls = "; ".join("compiler.%s()" % name for name in names)
        files = {"jax/__init__.py": "from ._src import compiler\n", "jax/_src/__init__.py": "",
                 "jax/_src/compiler.py": "".join("def %s(): pass\n" % name for name in names)}
        found = self.hooked("import jax\nfrom jax._src import compiler\n" + calls, files=files)
        failed = [entry["text"] for entry in self.journal("auto_failed") if "compiler" in entry["text"]]
        return found.get("compile", 0), failed

    def test_each_name_and_none(self):
        self.assertEqual(self.compiled(["backend_compile_and_load"]), (1, []))
        self.assertEqual(self.compiled(["backend_compile", "backend_compile_and_load"]), (2, []))
        count, failed = self.compiled([])
        self.assertEqual((count, len(failed)), (0, 1))


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)
