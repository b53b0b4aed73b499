"""PyTorch scripts without a DataLoader, under `pitwall run`: a step ends where the optimiser's step ends,
evaluation is separate from training, and the run has the facts that the advice needs."""

import auto_case
import py_case
from auto_case import SMALL

EVALUATE = """
criterion = torch.nn.MSELoss()
batch = lambda: torch.randn(2, 4)
def evaluate(times, grads=False):
    model.eval()
    with torch.set_grad_enabled(grads):
        for _ in range(times): print(criterion(model(batch()), torch.zeros(2, 1)).item().hex())
    model.train()
def train(times, micro=1):
    for _ in range(times):
        for _ in range(micro):
            criterion(model(batch()), torch.zeros(2, 1)).backward()
        optimiser.step(); optimiser.zero_grad()
"""


class Steps(auto_case.Case):
    def check(self, program, expected, **options):
        found = self.hooked(SMALL + EVALUATE + program, **options)
        self.assertEqual(found, expected)
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])
        self.assertEqual([t["open"] for t in self.run_read["threads"] if t["open"]], [])

    def test_a_loop_like_that_of_nanogpt(self):
        self.check("""
for i in range(9):
    if i % 3 == 0:
        evaluate(5); torch.save(model.state_dict(), "model.pt")
    train(1, micro=2)
evaluate(5); torch.save(model.state_dict(), "model.pt"); torch.load("model.pt")
""", {"step": 9, "step/forward": 18, "step/loss": 18, "step/backward": 18, "step/optimizer": 9,
      "eval_step": 20, "eval_step/forward": 20, "eval_step/loss": 20,
      "checkpoint": 4, "load_checkpoint": 1}, is_whole=True)
        self.assertEqual(self.run_read["facts"]["accumulation"], "2")

    def test_evaluation_with_gradients_on_is_known_by_the_mode(self):
        self.check("train(3); evaluate(2, grads=True); train(2)", {
            "step": 5, "step/forward": 5, "step/loss": 5, "step/backward": 5, "step/optimizer": 5,
            "eval_step": 2, "eval_step/forward": 2, "eval_step/loss": 2})

    def test_evaluation_without_a_mode_is_known_by_the_gradients(self):
        self.check("""
train(3)
with torch.no_grad():
    for _ in range(4): model(batch())
train(2)
""", {"step": 5, "step/forward": 5, "step/loss": 5, "step/backward": 5, "step/optimizer": 5,
      "eval_step": 4, "eval_step/forward": 4})

    def test_nothing_is_learnt_after_the_last_step(self):
        """A step that was opened ahead is neither counted nor left open."""
        self.check("train(2); torch.randn(10)", {
            "step": 2, "step/forward": 2, "step/loss": 2, "step/backward": 2, "step/optimizer": 2})

    def test_a_program_that_trains_in_evaluation_mode(self):
        """This is recognised by its second step."""
        self.check("model.eval(); train(4)", {
            "eval_step": 1, "eval_step/forward": 1, "eval_step/loss": 1, "eval_step/backward": 1,
            "step": 4, "step/forward": 3, "step/loss": 3, "step/backward": 3, "step/optimizer": 4})

    def test_a_frozen_teacher_is_a_part_of_the_step(self):
        self.check("""
teacher = torch.nn.Linear(4, 1).eval()
for i in range(4):
    x = batch()
    with torch.no_grad(): wanted = teacher(x)
    criterion(model(x), wanted).backward()
    optimiser.step()
""", {"step": 4, "step/forward": 7, "forward": 1, "step/loss": 4, "step/backward": 4,
      "step/optimizer": 4})

    def test_the_first_of_two_optimisers_cuts_and_a_new_one_takes_over(self):
        self.check("""
other = torch.optim.Adam([torch.zeros(1, requires_grad=True)])
for _ in range(3):
    criterion(model(batch()), torch.zeros(2, 1)).backward()
    optimiser.step(); other.step()
optimiser = torch.optim.Adam(model.parameters())
train(3)
""", {"step": 6, "step/forward": 6, "step/loss": 6, "step/backward": 6, "step/optimizer": 9})
        self.assertNotIn("accumulation", self.run_read["facts"])

    def test_a_closure_that_does_all_the_work(self):
        self.check("""
lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=1)
def closure():
    lbfgs.zero_grad(); loss = model(torch.ones(2, 4)).pow(2).sum(); loss.backward(); return loss
for _ in range(3): lbfgs.step(closure)
""", {"step": 3, "step/optimizer": 3, "step/optimizer/forward": 3, "step/optimizer/backward": 3})

    def test_from_a_loop_by_hand_to_one_over_a_loader_and_back(self):
        self.check("""
train(2)
for x in loader: learn(x)
model.eval()
for x in loader: model(x)
model.train()
train(2)
""", {"step": 2 + 3 + 2, "step/forward": 7, "step/loss": 4, "step/backward": 7, "step/optimizer": 7,
      "loader_start": 2, "step/data_loading": 3,
      "eval_step": 3, "eval_step/data_loading": 3, "eval_step/forward": 3})

    def test_a_part_in_evaluation_mode_makes_no_evaluation(self):
        self.check("""
model.train(); model[0].eval()
for x in loader: learn(x)
train(2)
model.eval()
for x in loader: model(x)
""", {"step": 5, "step/forward": 5, "step/loss": 2, "step/backward": 5, "step/optimizer": 5,
      "loader_start": 2, "step/data_loading": 3,
      "eval_step": 3, "eval_step/data_loading": 3, "eval_step/forward": 3})

    def test_an_iterator_for_each_batch(self):
        """Only the first batch is fetched before the hooks know how the program works."""
        self.check("""
for _ in range(4): learn(next(iter(loader)))
""", {"step": 4, "step/forward": 4, "step/backward": 4, "step/optimizer": 4,
      "loader_start": 1, "step/loader_start": 3, "step/data_loading": 4})

    def test_a_program_without_an_optimiser_has_no_steps(self):
        self.hooked(SMALL.replace("optimiser = torch", "make = lambda: torch") + """
model.eval()
for _ in range(3): print(model(torch.ones(2, 4)).sum().item().hex())
for x in loader: model(x)
""")
        self.assertEqual(self.counts("run.pit"), {
            "forward": 3, "loader_start": 1, "eval_step": 3, "eval_step/data_loading": 3,
            "eval_step/forward": 3})

    def test_spans_of_the_program_are_not_cut_through(self):
        found = self.hooked(SMALL + EVALUATE + """
import sys
sys.path.append(%r)
import pitwall
for epoch in range(2):
    with pitwall.span("epoch"):
        train(3)
train(1)
with pitwall.span("validate"):
    evaluate(2)
""" % auto_case.PACKAGE)
        self.assertEqual(found["epoch"], 2)
        self.assertEqual(found["epoch/optimizer"], 6)
        self.assertEqual(found["step"], 1)
        self.assertEqual(found["step/validate/forward"], 2)
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])

    def test_a_step_that_fails(self):
        self.hooked(SMALL + EVALUATE + """
train(2)
try: model(torch.ones(3, 5))
except RuntimeError: pass
train(1)
model(torch.ones(3, 5))
""", status=1)
        self.assertEqual(self.counts("run.pit")["step"], 3)


class Facts(auto_case.Case):
    def facts(self, program, **options):
        self.hooked(SMALL + EVALUATE + program, **options)
        return self.run_read["facts"]

    def bottlenecks(self):
        return self.run_ok([auto_case.pit_case.tool(), "report", "--view", "bottlenecks", "run.pit"],
                           cwd=self.where).stdout

    def test_what_advice_must_know(self):
        facts = self.facts("""
for x in DataLoader(data, batch_size=3, num_workers=1, persistent_workers=True): learn(x)
with torch.no_grad():
    for x in DataLoader(data, batch_size=6, num_workers=2): model(x)
""", is_whole=True)
        wanted = {"loader_workers": "1", "loader_batch": "3", "loader_persistent": "1",
                  "device": "cpu", "dtype": "float32", "optimizer": "SGD", "optimizer_fused": "n/a",
                  "optimizer_foreach": "0", "compute_threads": "1"}
        self.assertEqual({key: facts[key] for key in wanted}, wanted)
        self.assertRegex(facts["framework"], r"^torch \d")
        self.assertNotIn("accumulation", facts)
        self.assertNotIn("compiled", facts)

    def test_autocast_is_the_precision_even_if_it_comes_late(self):
        facts = self.facts("""
train(3)
with torch.autocast("cpu", dtype=torch.bfloat16): model(batch()); model(batch())
""")
        self.assertEqual(facts["dtype"], "bfloat16")

    def test_debugging_aids_that_are_on_to_the_end(self):
        facts = self.facts("""
import tracemalloc
tracemalloc.start()
with torch.autograd.set_detect_anomaly(True): train(20)
""", same_errors=False)  # the warning that it is on names a line of the caller
        self.assertEqual(facts["debugging"], "anomaly detection, tracemalloc")
        self.assertIn("DEBUGGING: the program ran with anomaly detection, tracemalloc, which", self.bottlenecks())

    def test_debugging_aids_that_were_on_for_a_few_steps(self):
        facts = self.facts("""
with torch.autograd.set_detect_anomaly(True): train(3)
train(20)
""", same_errors=False)
        self.assertEqual(facts["debugging"], "none")
        self.assertNotIn("DEBUGGING", self.bottlenecks())

    def test_slopes_and_closures_are_no_accumulation(self):
        facts = self.facts("""
for _ in range(4):                                         # an equation's loss: slopes of the output
    x = batch().requires_grad_()
    slope = torch.autograd.grad(model(x).sum(), x, create_graph=True)[0]
    slope.pow(2).sum().backward()
    optimiser.step(); optimiser.zero_grad()
lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=4)
def closure():
    lbfgs.zero_grad(); loss = model(torch.ones(2, 4)).pow(2).sum(); loss.backward(); return loss
for _ in range(6): lbfgs.step(closure)
""")
        self.assertNotIn("accumulation", facts)

    def test_they_are_in_the_file_of_a_killed_run(self):
        folder = self.where = self.folder()
        self.write(folder, "program.py", SMALL + EVALUATE + """
import os, signal
train(30, micro=4)
os.kill(os.getpid(), signal.SIGKILL)
""")
        self.run_status(137, [auto_case.pit_case.tool(), "run", "-o", "run.pit", "--",
                              auto_case.py_case.PYTHON, "program.py"], cwd=folder, timeout=120)
        facts = self.read("run.pit")["facts"]
        self.assertEqual((facts["accumulation"], facts["optimizer"], facts["device"]),
                         ("4", "SGD", "cpu"))


class Cost(py_case.Case):
    """The cost that hooks report, from made-up counts."""

    def test_getting_to_a_hook_is_colder_where_the_hook_is(self):
        said = self.python("""
from pitwall import _auto, _pitwall
counts = {"spans": 2, "passed": 10, "steps": 1, "calls": 2, "watched": 1, "watched_ns": 1000.0}
_auto._calls_ns[:] = [20.0, 100.0]
_auto._pitwall = type("made_up", (), {"_hook_counts": staticmethod(lambda: dict(counts))})
cold = _auto.cost()
counts["watched_ns"] = 100.0
hot = _auto.cost()
tell([cold["pass_ns"], cold["cost_ns"], hot["pass_ns"], hot["cost_ns"]])
""")
        self.assertEqual([round(figure, 6) for figure in said], [140, 3760, 20, 520])


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)
