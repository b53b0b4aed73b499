#!/usr/bin/env python3
"""What `pitwall run` adds to a program that does nothing, and a report: bench_run.py BUILD

Plain starts of `true` and starts under `pitwall run`, which writes a run each time, in turn; the figure
is the difference of their 10th percentiles, which leaves out disturbances by other programs. Then
`pitwall report` of one of those runs, from start to exit. Prints "name value" lines for collect.py.
"""

import os
import sys
import tempfile
import time

ROUNDS = 300


def seconds(command, env, actions=()):
    begun = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, env, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    took = time.perf_counter() - begun
    if status != 0:
        sys.exit("bench_run: %s: status %d" % (" ".join(command), status))
    return took


def main(build):
    env = {key: value for key, value in os.environ.items() if not key.startswith("PITWALL")}
    env["PATH"] = "/usr/bin:/bin"
    tool = os.path.join(os.path.abspath(build), "bin", "pitwall")
    plain, ours, reports = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number in range(ROUNDS):
            command = [tool, "run", "--quiet", "-o", "%d.pit" % number, "--", "true"]
            plain.append(seconds(["true"], env))
            ours.append(seconds(command, env))
        runs = len(os.listdir("."))
        os.mkdir("one")
        os.rename("0.pit", "one/0.pit")
        quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
        for _ in range(ROUNDS):
            reports.append(seconds([tool, "report", "one/0.pit"], env, quiet))
        os.chdir("/")
    if runs != ROUNDS:
        sys.exit("bench_run: %d runs of %d" % (runs, ROUNDS))
    low = [sorted(times)[ROUNDS // 10] for times in (plain, ours)]
    print("run_true_ms %.3f" % ((low[1] - low[0]) * 1e3))
    print("report_small_ms %.3f" % (sorted(reports)[ROUNDS // 2] * 1e3))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench_run.py BUILD")
    main(sys.argv[1])
