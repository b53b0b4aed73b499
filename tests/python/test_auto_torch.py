"""PyTorch scripts that do not use Pitwall, under `pitwall run`: their phases are recorded with exact counts,
and the results are the same bit for bit."""

import os

import auto_case
from auto_case import SMALL, pit_case

TRAIN = """
import random, sys, torch
from torch.utils.data import DataLoader, Dataset

class Data(Dataset):
    def __len__(self): return 64
    def __getitem__(self, i):
        noise = torch.nn.Dropout(0.5)(torch.ones(8))  # a module, in a worker: that is loading
        return torch.randn(8, generator=torch.Generator().manual_seed(i)) + noise, i & 1

class Mine(torch.optim.SGD):
    def step(self, closure=None):
        return super().step(closure)

def main(method):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    first = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Dropout(0.1))
    second = torch.nn.Linear(16, 2)
    mine = Mine(first.parameters(), lr=0.1, momentum=0.9)
    adam = torch.optim.Adam(second.parameters())
    schedule = torch.optim.lr_scheduler.StepLR(mine, 1)
    loader = DataLoader(Data(), batch_size=8, num_workers=2 if method == "fork" else 1,
                        shuffle=True, multiprocessing_context=method)
    for epoch in range(2):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(second(first(x)), y)
            mine.zero_grad(); adam.zero_grad()
            loss.backward()
            mine.step(); adam.step()
            print(loss.item().hex())
        schedule.step()
    with torch.no_grad():
        for x, y in DataLoader(Data(), batch_size=16):
            print(second(first(x)).sum().item().hex())
    print(sum(p.double().sum().item() for p in first.parameters()).hex())
    print(torch.get_rng_state().sum().item(), hash(random.getstate()[1][0] > 0), sys.path[1:])

if __name__ == "__main__":
    main(%r)
"""

# Two epochs of 8 batches, then 4 without gradients.
PHASES = {
    "loader_start": 3,
    "step": 16, "step/data_loading": 16, "step/forward": 32, "step/backward": 16,
    "step/optimizer": 32,
    "eval_step": 4, "eval_step/data_loading": 4, "eval_step/forward": 8,
}


class Training(auto_case.Case):
    def check(self, method):
        self.assertEqual(self.hooked(TRAIN % method), PHASES)
        self.assertEqual(len(self.stdout.splitlines()), 16 + 4 + 2)
        self.assertEqual([key for key, n in self.run_read["losses"].items() if n], [])
        self.assertEqual(os.listdir(self.where).count("run.pit"), 1)
        last = self.journal("auto")[-1]
        self.assertEqual(last["text"], "torch")
        self.assertEqual(last["figures"]["spans"], sum(PHASES.values()))
        self.assertEqual(last["figures"]["steps"], 20)
        self.assertEqual(last["figures"]["passed"], 20 * 3 + 64)  # layers; transforms

    def test_a_loader_with_forked_workers(self):
        self.check("fork")
        report = self.run_ok([pit_case.tool(), "report", "run.pit"], cwd=self.where).stdout
        self.assertRegex(report, r"\nauto: hooks of torch, about \S+ [nµm]?s a step, [^\n]* of the run\n")

    def test_a_loader_with_spawned_workers(self):
        self.check("spawn")

    def test_no_auto_records_nothing(self):
        self.assertEqual(self.hooked(SMALL + "print(learn(torch.ones(2, 4)))", "--no-auto"), {})
        self.assertEqual(self.journal("auto"), [])

    def test_a_killed_run_has_its_phases_and_their_cost(self):
        folder = self.folder()
        self.where = folder
        self.write(folder, "program.py", SMALL + """
import os, signal
for _ in range(10):
    for x in loader: learn(x)
os.kill(os.getpid(), signal.SIGKILL)
""")
        self.run_status(137, [pit_case.tool(), "run", "-o", "run.pit", "--", auto_case.py_case.PYTHON,
                              "program.py"], cwd=folder, timeout=120)
        self.assertEqual(self.counts("run.pit")["step/optimizer"], 30)
        self.assertEqual(self.journal("auto")[-1]["figures"]["spans"], 64)
        report = self.run_ok([pit_case.tool(), "report", "run.pit"], cwd=folder).stdout
        self.assertRegex(report, r"\nauto: hooks of torch, about ")


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)
