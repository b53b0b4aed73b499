"""torch.distributed under `pitwall run` and pitwall.distributed(): two ranks with gloo on this machine, which
count their own calls and bytes. They rendezvous through a file, not a port. NCCL is not tested."""

import json
import os
import subprocess

import auto_case
import py_case
from auto_case import pit_case

import pit_runs

SECONDS = 300  # only detects a hang; a job takes some seconds

# Each rank counts its calls, by the name that its spans should have.
START = """
import json, os, sys
{first}
import torch, torch.distributed as dist
torch.set_num_threads(1)
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
dist.init_process_group("gloo", init_method="file://" + os.path.abspath("meet"), rank=rank, world_size=size)
said = {{}}
order = []
def count(name, given=0, number=True):
    calls, in_bytes = said.get(name, (0, 0))
    said[name] = (calls + 1, in_bytes + given)
    if number:
        order.append(name)
def tell(**more):
    with open("said-%d.json" % rank, "w") as file:
        json.dump(dict(more, spans=said, order=order), file)
def ones(count, kind=torch.float32):
    return torch.ones(count, dtype=kind)
"""

# Without it, a program of PyTorch 1.13 with gloo sometimes ends with "terminate called without an active
# exception", also without Pitwall: 3 of 106 on a busy machine.
END = """
dist.destroy_process_group()
"""

CALLS = """
for i in range(3):
    x = ones(10 + i)
    dist.all_reduce(x)
    assert x.sum().item() == 2 * (10 + i)
    count("all_reduce", 4 * (10 + i))
dist.all_gather([ones(5), ones(5)], ones(5)); count("all_gather", 20)
dist.broadcast(ones(7, torch.float64), src=0); count("broadcast", 56)
dist.reduce(ones(3), 0, group=dist.group.WORLD); count("reduce", 12)
dist.gather(ones(6), [ones(6), ones(6)] if rank == 0 else None, dst=0); count("gather", 24)
dist.scatter(ones(8), [ones(8), ones(8)] if rank == 1 else None, src=1)
count("scatter", 64 if rank == 1 else 0)
dist.all_to_all_single(ones(4), ones(4)); count("all_to_all_single", 16)
dist.barrier(); count("barrier")
found = [None, None]
dist.all_gather_object(found, {"rank": rank}); count("all_gather_object")
assert found == [{"rank": 0}, {"rank": 1}]
objects = [rank]
dist.broadcast_object_list(objects, src=1); count("broadcast_object_list")
assert objects == [1]

work = dist.all_reduce(ones(100), async_op=True); count("all_reduce", 400)
work.wait(); count("Work.wait", 0, False)
x = ones(9)
if rank == 0:
    dist.send(x, 1); count("send", 36, False)
    dist.isend(x, 1).wait(); count("isend", 36, False)
else:
    dist.recv(x, 0); count("recv", 36, False)
    dist.irecv(x, 0).wait(); count("irecv", 0, False)
count("Work.wait", 0, False)
op = dist.P2POp(dist.isend if rank == 0 else dist.irecv, x, 1 - rank)
for work in dist.batch_isend_irecv([op]):
    work.wait(); count("Work.wait", 0, False)
count("isend" if rank == 0 else "irecv", 36 if rank == 0 else 0, False)

try:
    dist.all_reduce("no tensor")
except Exception as error:
    failed = "%s: %s" % (type(error).__name__, error)
count("all_reduce")
from torch.distributed.distributed_c10d import _all_gather_base, all_reduce
all_reduce(ones(1)); count("all_reduce", 4)
tell(failed=failed)
"""

# The world, one group of each rank alone, and the world once more.
GROUPS = """
alone = [dist.new_group([r]) for r in range(size)]
again = dist.new_group(list(reversed(range(size))))
for i in range(4):
    dist.all_reduce(ones(2), group=alone[rank])
    dist.barrier(group=alone[1 - rank])  # it is not in it: nothing happens
    dist.all_reduce(ones(3), group=again)
    dist.all_reduce(ones(4))
dist.barrier(again)
tell()
"""

TRAIN = """
from torch.utils.data import DataLoader
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader([torch.randn(4) for _ in range(24)], batch_size=2):
    optimiser.zero_grad()
    loss = model(x).sum()
    loss.backward()
    optimiser.step()
    dist.all_reduce(loss.detach()); count("all_reduce", 4)
tell()
"""


def leaf(path):
    return path.rsplit("/", 1)[-1]


class Job(auto_case.Case):
    def job(self, program, first="", tool=True, ranks=2):
        """Run it as ranks of one job; returns what they reported, and their runs."""
        self.where = folder = self.folder()
        self.write(folder, "program.py", START.format(first=first) + program + END)
        command = [py_case.PYTHON, "program.py"]
        if tool:
            command = [pit_case.tool(), "run", "--quiet", "-o", "rank-%r.pit", "--"] + command
        started = []
        for rank in range(ranks):
            env = py_case.environment if not tool else pit_case.clean_env
            started.append(subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True,
                env=env(RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_RANK=str(rank),
                        TORCHELASTIC_RUN_ID="job of the test", GLOO_SOCKET_IFNAME="lo")))
        for process in started:
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.kill)
        for process in started:
            talk, _ = pit_case.communicate(process, None, pit_case.Patience(SECONDS))
            self.assertEqual(process.returncode, 0, talk)
        said = []
        for rank in range(ranks):
            with open(os.path.join(folder, "said-%d.json" % rank), encoding="utf-8") as file:
                said.append(json.load(file))
        return said, [pit_runs.read_both(self, os.path.join(folder, "rank-%d.pit" % rank), "closed")
                      for rank in range(ranks)]

    def spans(self, run):
        """{name: [calls, bytes]} of all communication."""
        found = {}
        for thread in run["threads"]:
            for node in thread["nodes"]:
                if "comm" in node:
                    calls, in_bytes = found.get(leaf(node["path"]), (0, 0))
                    found[leaf(node["path"])] = [calls + node["count"], in_bytes + node["bytes"]]
        return found

    def check_calls(self, said, runs):
        for rank, (mine, run) in enumerate(zip(said, runs)):
            self.assertEqual(self.spans(run), mine["spans"], "rank %d" % rank)
            (world,) = run["groups"]
            self.assertEqual((world["size"], world["rank"]), (2, rank))
            self.assertEqual(world["id"], runs[0]["groups"][0]["id"])
            self.assertEqual(world["calls"], len(mine["order"]))
            self.assertEqual([(p["seq"], leaf(p["path"])) for p in world["points"]],
                             list(enumerate(mine["order"])))
            self.assertEqual(sum(p["bytes"] for p in world["points"]),
                             sum(mine["spans"][name][1] for name in set(mine["order"])))
            self.assertTrue(all(p["duration_ns"] is not None for p in world["points"]))


class Calls(Job):
    def test_calls_bytes_and_numbers_are_what_each_rank_counted(self):
        said, runs = self.job(CALLS)
        self.check_calls(said, runs)
        sync = {}
        for point in runs[0]["groups"][0]["points"]:
            sync.setdefault(leaf(point["path"]), []).append(bool(point["is_sync"]))
        self.assertEqual(sync["all_reduce"], [True] * 3 + [False] * 2 + [True])  # asynchronous; failed
        self.assertEqual((sync["barrier"], sync["broadcast"], sync["all_to_all_single"]),
                         ([True], [False], [False]))
        self.assertIn("Invalid function argument", said[0]["failed"])
        for run in runs:
            self.assertEqual(run["facts"]["dist_backend"], "gloo")
        found = self.run_ok([pit_case.tool(), "report", "--view", "ranks", "--json", "."],
                            cwd=self.where).stdout
        self.assertEqual(sorted(row["rank"] for row in json.loads(found)["rows"]), [0, 1])

    def test_the_same_by_a_call_in_a_program_without_the_tool(self):
        first = "import pitwall\npitwall.distributed()\npitwall.distributed()\n" \
                "pitwall.open('rank-%s.pit' % os.environ['RANK'])"
        said, runs = self.job(CALLS, first, tool=False)
        self.check_calls(said, runs)


class Groups(Job):
    def test_a_group_has_one_id_in_its_ranks_and_numbers_of_its_own(self):
        _, runs = self.job(GROUPS)
        groups = {}
        for run in runs:
            for group in run["groups"]:
                groups.setdefault(group["id"], []).append(group)
        found = sorted((len(members), members[0]["size"], members[0]["calls"])
                       for members in groups.values())
        self.assertEqual(found, [(1, 1, 4), (1, 1, 4), (2, 2, 4), (2, 2, 5)])
        for members in groups.values():
            self.assertEqual([m["rank"] for m in members], list(range(len(members))))
            self.assertEqual([[(p["seq"], leaf(p["path"])) for p in m["points"]] for m in members],
                             [[(p["seq"], leaf(p["path"])) for p in members[0]["points"]]] * len(members))


# Rank 1 sleeps while it reads, so that its shortest read is longer than those of the other on any machine.
SLOW_LOADER = """
import time
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 160
    def __getitem__(self, i):
        time.sleep(0.02 if rank == 1 else 0)
        return ones(64)
for batch in torch.utils.data.DataLoader(Data(), batch_size=4):
    optimizer.zero_grad()
    model(batch).square().mean().backward()
    optimizer.step()
tell()
"""


class Straggler(Job):
    def test_the_rank_with_the_slow_loader_is_named(self):
        self.job(SLOW_LOADER)
        # A busy machine may have stopped rank 0 for longer than it waited.
        report = self.run_ok([pit_case.tool(), "report", "."], cwd=self.where).stdout
        self.assertRegex(report, r"(?m)^STRAGGLER: rank 1 .* data_loading \(.* a step\); (1 rank waits for it|"
                                 r"the ranks meet) in backward\. Without it a step is at most ")
        found = self.run_ok([pit_case.tool(), "report", "--view", "ranks", "--json", "."],
                            cwd=self.where).stdout
        rows = {row["rank"]: row for row in json.loads(found)["rows"]}
        self.assertEqual([rows[rank]["is_straggler"] for rank in range(2)], [False, True])
        self.assertEqual(rows[1]["excess_in"], "data_loading")
        self.assertGreater(rows[1]["excess_ns"], 40e6)


class Ddp(Job):
    def test_a_loop_has_its_phases_and_what_ddp_says_of_its_communication(self):
        said, runs = self.job(TRAIN)
        self.check_calls(said, runs)
        for run in runs:
            counts = {n["path"]: n["count"] for t in run["threads"] for n in t["nodes"]}
            for phase in ("data_loading", "forward", "backward", "optimizer", "all_reduce"):
                self.assertEqual(counts["step/" + phase], 12, phase)
            self.assertEqual(run["facts"]["ddp"], "1")
            for key in ("ddp_backward_ns", "ddp_comm_ns"):
                self.assertGreater(int(run["facts"][key]), 0)


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
