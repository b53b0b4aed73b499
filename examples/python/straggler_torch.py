"""Two ranks train together in PyTorch, and one reads from a slow disk: who makes the other wait?

    python3 straggler_torch.py -o straggler.pit
    pitwall report straggler-0.pit straggler-1.pit
    torchrun --nproc-per-node 2 straggler_torch.py -o 'straggler-%r.pit'

Each rank has its own run file. In every step it reads its batch, takes the gradients there, and
averages them over the ranks by torch.distributed, with gloo. The last rank sleeps longer than the
others when it reads, as a slow disk would make it: the others lose that time in all_reduce, which
is not the cause. --fair leaves the sleep out. Shows pitwall.distributed, which makes the calls of
torch.distributed spans, and pitwall.ranks. With torchrun each rank is started from outside, and the
result is not printed.
"""

import os
import subprocess
import sys
import tempfile
import time

import example_kit
import pitwall
import torch
import torch.distributed as dist

INPUTS, BATCH = 16, 32
MEET = "STRAGGLER_MEET"  # a folder that the ranks have in common; torchrun's have an address


def read_batch(is_slow):
    """The sum of the first half of the inputs, times that of the second."""
    x = 2 * torch.rand(BATCH, INPUTS) - 1
    time.sleep(0.008 if is_slow else 0.001)
    return x, x[:, : INPUTS // 2].sum(1, keepdim=True) * x[:, INPUTS // 2 :].sum(1, keepdim=True) / 4


def average_gradients(model, size):
    """One message for all of them."""
    gradients = [p.grad for p in model.parameters()]
    flat = torch.cat([g.flatten() for g in gradients])
    dist.all_reduce(flat)
    for gradient, mean in zip(gradients, (flat / size).split([g.numel() for g in gradients])):
        gradient.copy_(mean.view_as(gradient))


def train(model, optimizer, rank, size, args):
    """The mean loss of the last steps."""
    steps = 60 if args.quick else 400
    losses = []
    for _ in range(steps):
        with pitwall.span("step"):
            with pitwall.span("data_loading"):
                x, y = read_batch(rank == size - 1 and not args.fair)
            with pitwall.span("forward"):
                loss = torch.nn.functional.mse_loss(model(x), y)
            with pitwall.span("backward"):
                optimizer.zero_grad()
                loss.backward()
            average_gradients(model, size)
            with pitwall.span("optimizer"):
                optimizer.step()
            losses.append(loss.item())
    return sum(losses[-20:]) / 20


def work(args):
    """The life of a rank."""
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    where = os.environ.get(MEET)
    pitwall.distributed()
    example_kit.repeat_torch(args.seed)  # all ranks begin with the same weights
    model = torch.nn.Sequential(torch.nn.Linear(INPUTS, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    torch.manual_seed(args.seed + rank)  # and have data of their own
    method = "file://" + os.path.join(where, "meet") if where else "env://"
    dist.init_process_group("gloo", init_method=method, rank=rank, world_size=size)
    loss = train(model, optimizer, rank, size, args)
    dist.destroy_process_group()
    if where:
        with open(os.path.join(where, str(rank)), "w", encoding="utf-8") as file:
            file.write(pitwall.status().get("path") or "")
    yield "loss", loss, 0.4 if args.quick else 0.1


def start_ranks(args, where):
    """Starts the ranks; returns their exit statuses. Only rank 0 prints."""
    name, dot = os.path.splitext(args.run or "pitwall-runs/straggler.pit")
    command = [sys.executable, os.path.abspath(__file__), *sys.argv[1:], "-o", name + "-%r" + dot]
    started = []
    for rank in range(args.ranks):
        env = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(args.ranks), LOCAL_RANK=str(rank))
        env.update({MEET: where, "TORCHELASTIC_RUN_ID": os.path.basename(where)})
        env.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all of them are on this machine
        out = None if rank == 0 else subprocess.DEVNULL
        started.append(subprocess.Popen(command, env=env, stdout=out))
    return [process.wait() for process in started]


def print_ranks(paths):
    found = pitwall.ranks(*paths)
    print("rank  step (ms)  work (ms)  wait (ms)")
    for row in sorted(found["rows"], key=lambda row: row["rank"]):
        figures = [row[key] for key in ("step_ns", "work_ns", "wait_ns")]
        print("%4d  %s" % (row["rank"], "  ".join(
            "%9s" % ("n/a" if ns is None else "%.2f" % (ns / 1e6)) for ns in figures)))
    for finding in found["findings"][:1]:
        print("%s; %s." % (finding["headline"], finding["remedy"]))


def main():
    options = example_kit.parser(__doc__)
    options.add_argument("--fair", action="store_true", help="all ranks alike")
    options.add_argument("--ranks", type=int, default=2, metavar="N", help="how many (default: 2)")
    if "RANK" in os.environ:
        example_kit.main(work, __doc__, options)
    args = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="straggler-") as where:
        status = max(start_ranks(args, where), key=abs)
        names = [os.path.join(where, str(rank)) for rank in range(args.ranks)]
        paths = []
        for name in filter(os.path.exists, names):
            with open(name, encoding="utf-8") as file:
                paths += filter(None, [file.read()])
    if status == 0 and paths:
        print_ranks(paths)
    sys.exit(status if status >= 0 else 1)


if __name__ == "__main__":
    main()
