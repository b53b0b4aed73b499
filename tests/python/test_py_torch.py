"""Real training with PyTorch: a DataLoader with workers, timed; and spans in its steps."""

import py_case

TRAIN = """
import glob
import torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self): return 64
    def __getitem__(self, i):
        with pitwall.span("fetch"):
            return torch.ones(8) * i, i %% 2
if __name__ == "__main__":
    torch.set_num_threads(1)
    pitwall.open("run.pit")
    model = torch.nn.Linear(8, 2)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Data(), batch_size=8, num_workers=2, multiprocessing_context=%r)
    timed = pitwall.iter(loader, "data")
    facts = [len(timed), timed.dataset is loader.dataset, timed.batch_size]
    for epoch in range(2):
        with pitwall.span("epoch"):
            for x, y in timed:
                with pitwall.span("forward"):
                    loss = torch.nn.functional.cross_entropy(model(x), y)
                with pitwall.span("backward"):
                    optimiser.zero_grad(); loss.backward(); optimiser.step()
                pitwall.value("loss", loss)
                pitwall.items(len(x))
    pitwall.close()
    runs = {path: pitwall.read(path) for path in glob.glob("*.pit")}
    parent = runs.pop("run.pit")
    tell([facts, counts(parent), losses(parent), [counts(run) for run in runs.values()],
          parent["threads"][0]["values"][0]["count"]])
"""


class Loader(py_case.Case):
    def check(self, method):
        facts, parent, lost, workers, values = self.python(TRAIN % method, timeout=200)
        self.assertEqual(facts, [8, True, 8])
        self.assertEqual(parent, {"epoch": 2, "epoch/data": 16, "epoch/forward": 16,
                                  "epoch/backward": 16})
        self.assertEqual(lost, {})
        self.assertEqual(values, 16)
        self.assertEqual(len(workers), 4)
        self.assertEqual(sum(run["fetch"] for run in workers), 128)

    def test_forked_workers(self):
        self.check("fork")

    def test_spawned_workers(self):
        self.check("spawn")


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
