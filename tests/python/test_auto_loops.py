"""PyTorch scripts with all kinds of loops, classes and errors, under `pitwall run`: their steps are found, and
their output is unchanged."""

import re

import auto_case
from auto_case import PACKAGE, SMALL, pit_case


class Loops(auto_case.Case):
    def test_steps_of_all_kinds_of_loops(self):
        found = self.hooked(SMALL + """
for x, y in zip(loader, DataLoader(data, batch_size=4)):   # two loaders feed a step: 3
    learn(x + y)
for x in loader:                                           # left at once: 1
    learn(x)
    break
learn(x)                                                   # outside of any loop: 1, by its optimiser
for x in loader:                                           # 3, each with an evaluation after it
    if x is not None: learn(x)
    with torch.no_grad():
        for v in DataLoader(data[:8], batch_size=8):
            model(v)
batches = iter(loader)                                     # by hand: 2
learn(next(batches)); learn(next(batches))
del batches
for x in DataLoader(data, batch_size=12): pass             # nothing but loading: 1
""", is_whole=True)
        self.assertEqual(found, {
            "loader_start": 6 + 3, "step": 3 + 1 + 1 + 3 + 2 + 1,
            "step/data_loading": 6 + 1 + 3 + 2 + 1, "step/forward": 10, "step/backward": 10,
            "step/optimizer": 10,
            "eval_step": 3, "eval_step/data_loading": 3, "eval_step/forward": 3})
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])

    def test_evaluation_in_a_loop_that_learns_is_no_part_of_its_step(self):
        """Before and after the step, with a loader and without one, by the mode and by the gradients."""
        found = self.hooked(SMALL + """
def evaluate(batches):
    model.eval()
    for x in batches: model(x)
    model.train()
for i, x in enumerate(loader):
    if i == 1: evaluate(loader)                            # 3, before anything was done in the step
    learn(x)
    if i == 2: evaluate(data[:2]); torch.save(1, "c.pt")   # 2
for i, x in enumerate(loader):
    if i == 1: evaluate(data[:2])                          # 2
    learn(x)
    if i == 2: evaluate(loader)                            # 3
""")
        self.assertEqual(found, {
            "loader_start": 2 + 2, "step": 6, "step/data_loading": 6, "step/forward": 6,
            "step/backward": 6, "step/optimizer": 6, "checkpoint": 1,
            "eval_step": 10, "eval_step/data_loading": 6, "eval_step/forward": 10})
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])

    def test_loops_inside_loops_and_iterators_that_outlive_theirs(self):
        """No step is inside another one."""
        found = self.hooked(SMALL + """
def endless(loader):
    while True: yield from loader
kept = endless(loader)                                     # left in the middle, and alive to the end
for _ in range(4): learn(next(kept))                       # 4
shown = iter(DataLoader(data, batch_size=1))               # batches to look at, with gradients off
with torch.no_grad(): picture = next(shown)
for x in loader:                                           # 3
    learn(x)
    model.eval()
    with torch.no_grad(): model(next(shown))               # 3 eval_steps
    model.train()
other = endless(DataLoader(data, batch_size=2))
for x in loader:                                           # 3: a second loader in the middle of a step
    loss = model(x).sum()
    optimiser.zero_grad(); (loss + model(next(other)).sum()).backward(); optimiser.step()
for x in loader:                                           # 6: two loaders in turn
    learn(x)
    learn(next(other))
for i in DataLoader([1, 2], batch_size=1):                 # 6: a loop over batches for each of two tasks
    for x in loader: learn(x)
learn(next(kept))                                          # 1
""")
        self.assertEqual([path for path in found if path.count("step") > 1], [])
        self.assertEqual((found["step"], found["eval_step"]), (4 + 3 + 3 + 6 + 6 + 1, 3))
        self.assertEqual((found["step/forward"], found["step/backward"], found["step/optimizer"]),
                         (26, 23, 23))
        self.assertEqual(found["eval_step/forward"], 3)
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])

    def test_batches_that_are_fetched_one_ahead(self):
        """As accelerate does, and classes with a method that fetches."""
        found = self.hooked(SMALL + """
def one_ahead(loader):
    batches = iter(loader)
    batch = next(batches)
    for following in batches:
        yield batch
        batch = following
    yield batch
class Ahead:
    def __init__(self, loader): self.batches = iter(loader); self.preload()
    def preload(self): self.following = next(self.batches, None)
    def next(self):
        batch = self.following
        self.preload()
        return batch
for x in one_ahead(loader): learn(x)
model.eval()
for x in one_ahead(loader): model(x)
model.train()
ahead = Ahead(loader)
x = ahead.next()
while x is not None:
    learn(x)
    x = ahead.next()
for x in loader: pass                                      # nothing is done with these, nor fetched ahead
""")
        self.assertEqual(found, {
            "loader_start": 4, "step": 3 + 3 + 3, "step/data_loading": 9, "step/forward": 6,
            "step/backward": 6, "step/optimizer": 6,
            "eval_step": 3, "eval_step/data_loading": 3, "eval_step/forward": 3})

    def test_what_runs_inside_a_phase_stands_inside_it(self):
        found = self.hooked(SMALL + """
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, 4, requires_grad=True)
checkpoint(model, x).sum().backward()                      # forward once more, inside backward
lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=2)
def closure():
    lbfgs.zero_grad(); loss = model(x).pow(2).sum(); loss.backward(); return loss
print(lbfgs.step(closure).item())
print(torch.autograd.grad(model(x).sum(), x)[0].sum().item())
""")
        self.assertEqual(found["step/backward/forward"], 1)
        self.assertEqual((found["step"], found["step/optimizer"]), (1, 1))
        self.assertEqual(found["step/optimizer/forward"], found["step/optimizer/backward"])
        self.assertEqual((found["step/forward"], found["step/backward"]), (2, 2))

    def test_threads_have_their_own_phases(self):
        found = self.hooked(SMALL + """
import threading
with torch.no_grad():
    threads = [threading.Thread(target=lambda: [model(data[0]) for _ in range(50)]) for _ in range(4)]
    [t.start() for t in threads]; [t.join() for t in threads]
""")
        self.assertEqual(found, {"forward": 200})


class Unchanged(auto_case.Case):
    def test_errors_look_as_they_did(self):
        found = self.hooked(SMALL + """
for x in loader:
    learn(x)
    model(torch.ones(3, 5))
""", status=1)
        self.assertIn("RuntimeError", self.stderr)
        self.assertEqual(found["step/forward"], 2)

    def test_what_people_do_with_classes_and_functions(self):
        self.hooked(SMALL + """
import copy, inspect, io, pickle, sys
for function in (torch.nn.Module.__call__, torch.autograd.backward, torch.autograd.grad,
                 torch.optim.SGD.step, DataLoader.__iter__, optimiser.step, model.__call__):
    print(inspect.signature(function), function.__name__, function.__doc__ is None)
print(torch.nn.Module.__call__.__module__, torch.__spec__.loader.__class__.__name__,
      torch.__loader__ is torch.__spec__.loader, "sitecustomize" in sys.modules)
learn(torch.ones(2, 4))
again = pickle.loads(pickle.dumps((model, optimiser)))
copied = copy.deepcopy((model, optimiser))
buffer = io.BytesIO(); torch.save(model, buffer); buffer.seek(0)
x = torch.ones(2, 4)
print([m(x).sum().item().hex() for m in (model, again[0], copied[0], torch.load(buffer))])
again[1].step(); copied[1].step()
scripted, traced = torch.jit.script(model), torch.jit.trace(model, x)
print(scripted(x).sum().item().hex(), traced(x).sum().item().hex())
print(torch.fx.symbolic_trace(model).code)
print(pickle.loads(pickle.dumps(loader)).batch_size, len(loader))
print(sorted(vars(optimiser)), sorted(vars(model)))
class Own(torch.nn.Linear):
    def __call__(self, x): return super().__call__(x) + 1
print(Own(4, 1)(x).sum().item().hex())
schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.9)
optimiser.step(); schedule.step()
print(optimiser.step.__name__, schedule.get_last_lr())
""", is_whole=True)
        self.assertNotIn("pitwall", self.stdout)

    def test_a_script_that_uses_pitwall_itself_has_its_own_run(self):
        self.hooked(SMALL + """
import sys
sys.path.append(%r)
import os, pitwall
if os.environ.get("PITWALL"):
    pitwall.open("own.pit")
for x in loader:
    with pitwall.span("mine"):
        learn(x)
""" % PACKAGE)
        found = self.counts("own.pit")
        self.assertEqual(found["step/mine/forward"], 3)

    def test_another_sitecustomize_is_run(self):
        folder = self.folder()
        self.write(folder, "sitecustomize.py", "print('mine', __name__)\nKEPT = 7\n")
        self.hooked("""
import sitecustomize, sys
print(sitecustomize.KEPT, sitecustomize.__file__, sys.path[1:])
""", PYTHONPATH=folder)
        self.assertTrue(self.stdout.startswith("mine sitecustomize\n7 "), self.stdout)
        self.write(folder, "sitecustomize.py", "raise ValueError('broken')\n")
        self.hooked("print(1)", PYTHONPATH=folder)
        self.assertIn("ValueError: broken", self.stderr)


class Failures(auto_case.Case):
    def test_a_package_that_does_not_load_is_told_once(self):
        broken = {"pitwall/__init__.py": "raise ImportError('built for another Python')",
                  "torch/__init__.py": "", "child.py": "import torch; print('child')"}
        self.hooked("""
import torch, subprocess, sys
sys.stdout.flush()
subprocess.run([sys.executable, "child.py"], check=True)
""", files=broken, same_errors=False)
        self.assertRegex(self.stderr, r"^pitwall: no hooks for torch: /\S+: built for another Python\n$")

    def test_places_that_are_missing_are_noted_in_the_run_alone(self):
        self.hooked("import torch\nprint(torch.x)", files={"torch/__init__.py": "x = 7"})
        self.assertEqual(self.stderr, "")
        failed = [entry["text"] for entry in self.journal("auto_failed")]
        places = ["torch.nn", "torch.autograd", "torch.utils.data", "torch.optim"]
        self.assertEqual([text.split(":")[0] for text in failed], places)
        self.assertRegex(failed[0], "^torch.nn: AttributeError: .*'nn'")
        report = self.run_ok([pit_case.tool(), "report", "run.pit"], cwd=self.where).stdout
        self.assertIn("auto: no hook: torch.nn: AttributeError", re.sub(r"\s+", " ", report))

    def test_an_import_that_fails_fails_as_before(self):
        self.hooked("""
try: import torch
except ImportError as error: print("no torch:", error)
try: import jax
except ImportError as error: print("no jax:", error)
import json
print(json.dumps(1))
""", files={"torch/__init__.py": "raise ImportError('not today')", "jax.py": "import nowhere"})
        self.assertIn("no torch: not today\nno jax: No module named 'nowhere'", self.stdout)


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)
