"""The cost of reports on many ranks, and whether the report names a planted straggler.

bench_ranks.py BUILD: prints "name value" lines for collect.py.

    ranks_1024_cpu_s      processor time of `pitwall report` on 1,024 ranks of 66 nodes, each with 1,000
                          collectives and messages to 32 ranks, files in memory
    ranks_1024_rss_mb     its memory
    ranks_top_cpu_pct     `pitwall top` on 64 live ranks, the list of ranks on its screen, of one processor
    ranks_planted_jobs    jobs of four processes of which one is slow (examples/straggler)
    ranks_planted_named   those of them in which the report named it, with its part
    ranks_fair_jobs       the same jobs without the slow one
    ranks_fair_alarms     those of them in which a rank was blamed
"""

import json
import os
import pty
import resource
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
import many_ranks  # noqa: E402

RANKS, LIVE, JOBS, SECONDS = 1024, 64, 5, 10


def environment(rank, size):
    """The environment that torchrun sets."""
    return dict(os.environ, RANK=str(rank), WORLD_SIZE=str(size), TORCHELASTIC_RUN_ID="bench")


def spent(command, **options):
    """Processor seconds and peak memory of a command in MB."""
    child = subprocess.Popen(command, **options)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit("bench_ranks: %s: status %d" % (command[0], child.returncode))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def report_many(build, folder):
    base, ranks = os.path.join(folder, "base.pit"), os.path.join(folder, "ranks")
    subprocess.run([os.path.join(build, "tests", "prog_rank"), base, "2000", "63"], check=True,
                   env=dict(environment("0000", RANKS), COLLECTIVES="1", MESSAGES="32"))
    many_ranks.make(base, ranks, RANKS)
    tool = [os.path.join(build, "bin", "pitwall"), "report", ranks]
    found = [spent(tool, stdout=subprocess.DEVNULL) for _ in range(4)][1:]  # the first warms the cache
    print("ranks_1024_cpu_s", min(cpu for cpu, _ in found))
    print("ranks_1024_rss_mb", max(rss for _, rss in found))


def watch_many(build, folder):
    live = os.path.join(folder, "live")
    os.makedirs(live)
    children = [subprocess.Popen([os.path.join(build, "tests", "prog_rank"),
                                  os.path.join(live, "r%d.pit" % rank), "200", "64", "all-reduce"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 env=environment(rank, LIVE)) for rank in range(LIVE)]
    for child in children:
        child.stdout.readline()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", COLUMNS="120", LINES="40")
        os.execv(os.path.join(build, "bin", "pitwall"), ["pitwall", "top", live])
    os.write(terminal, b"o")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        os.read(terminal, 65536)
    os.write(terminal, b"q")
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:  # it has ended
        pass
    os.waitpid(pid, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("ranks_top_cpu_pct", 100 * used / SECONDS)
    for child in children:
        child.stdin.close()
        child.wait()


def verdict(build, folder, *options):
    """The first finding about ranks of a job of the example, and the straggler's part."""
    os.makedirs(folder)
    subprocess.run([os.path.join(build, "examples", "straggler"), "--steps", "400", "-o",
                    os.path.join(folder, "s.pit"), *options], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done = subprocess.run([os.path.join(build, "bin", "pitwall"), "report", folder, "--json"],
                          check=True, stdout=subprocess.PIPE)
    return {row["rank"]: row["excess_in"] for row in json.loads(done.stdout)["ranks"]["rows"]
            if row["is_straggler"]}


def plant(build, folder):
    planted = [verdict(build, os.path.join(folder, "planted-%d" % i)) for i in range(JOBS)]
    fair = [verdict(build, os.path.join(folder, "fair-%d" % i), "--fair") for i in range(JOBS)]
    print("ranks_planted_jobs", JOBS)
    print("ranks_planted_named", sum(found.get(3) == "read" for found in planted))
    print("ranks_fair_jobs", JOBS)
    print("ranks_fair_alarms", sum(bool(found) for found in fair))


def main():
    build = sys.argv[1]
    with tempfile.TemporaryDirectory(dir=os.environ.get("PITWALL_BENCH_DIR")) as folder:
        report_many(build, folder)
        watch_many(build, folder)
        plant(build, folder)


if __name__ == "__main__":
    main()
