"""The real torchrun of PyTorch 2 from PyPI: two gloo ranks with DDP, one of which reads slowly. Only in
`make test-all`: Debian's torchrun does not start under its Python. One rank sleeps while it reads, so
that its shortest read is longer than those of the other, which decides the verdict, on any machine."""

import os

import py_case
import py_frameworks
from py_case import pit_case

import pit_reader

SECONDS = 600  # finds a hang
STEPS, SLOW = 40, 0.1

TRAIN = """
import os, time
import torch, torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 8 * %d
    def __getitem__(self, i):
        time.sleep(%g / 8 if rank == 1 else 0)
        return torch.randn(64)

for batch in torch.utils.data.DataLoader(Data(), batch_size=8):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
dist.destroy_process_group()
""" % (STEPS, SLOW)


@py_frameworks.only_with_all
class Torchrun(py_frameworks.AllCase):
    def test_ranks_are_ranks_and_the_slow_loader_is_seen(self):
        folder = self.folder()
        with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as script:
            script.write(TRAIN)
        self.run_ok([py_case.PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
                     "2", "--no-python", pit_case.tool(), "run", "--quiet", "-o",
                     os.path.join(folder, "rank-%r.pit"), "--", py_case.PYTHON, "train.py"],
                    cwd=folder, timeout=SECONDS, env=py_case.environment())
        runs = [pit_reader.load(os.path.join(folder, "rank-%d.pit" % rank)) for rank in range(2)]
        for rank, run in enumerate(runs):
            facts = run["facts"]
            self.assertEqual((facts["launcher"], facts["rank"], facts["world_size"]),
                             ("torchrun", str(rank), "2"))
            self.assertGreater(int(facts["ddp_backward_ns"]), 0)
            self.assertGreater(int(facts["ddp_comm_ns"]), 0)
        self.assertEqual(runs[0]["facts"]["job"], runs[1]["facts"]["job"])
        read = [sum(node["total"] * run["ns_per_tick"] for thread in run["threads"]
                    for node in thread["nodes"] if node["path"].rsplit("/", 1)[-1] == "data_loading")
                for run in runs]
        self.assertGreaterEqual(read[1], STEPS * SLOW * 1e9)
        said = self.run_ok([pit_case.tool(), "report", "--view", "ranks", folder]).stdout
        self.assertIn("2 of 2, 1 host, torchrun, job ", said)
        self.assertRegex(self.run_ok([pit_case.tool(), "report", folder]).stdout,
                         r"(?m)^STRAGGLER: rank 1 .* data_loading ")


if __name__ == "__main__":
    pit_case.main(plain_build_only=True, test_all_only=True)
