#!/usr/bin/env python3
"""Runs the programs of tests/planted and scores the first line of their reports.

    bench/planted.py [BUILD]                 each program quiet, then beside three burners
        --only NAME         programs with this in their name; may be repeated
        --quiet-only        no second run beside burners
        --loaded-only       only the runs beside burners
        --keep FOLDER       keep the runs there
        --runs FOLDER       judge the runs kept there, run nothing
        --record FOLDER     keep the runs that were judged right there, compressed, for the tests
        --figures           print only "key value" lines, for collect.py; the table goes to stderr

What is planted where, and what has to be said first, is in tests/planted/planted_suite.py. A run is
right, half (the cause is in the list but not first, or without its place) or wrong. A program that
could not be run counts as missed. On a virtual machine whose host takes over 15 % of the processor time, a
program is run up to three times; if that does not help, it is judged as beside burners.
"""

import argparse
import contextlib
import glob
import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TREE, "tests", "planted"))
import planted_limits  # noqa: E402
import planted_suite  # noqa: E402
from planted_suite import judge  # noqa: E402

TIMEOUT_S = 240
STOLEN_MOST, TRIES = 0.15, 3  # a share of the processor time; runs of a program on such a machine
LOADS = {"quiet": 0, "loaded": 3}
# A run consists of words of eight bytes.
COMPRESSION = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 3, "pb": 3}]
BURNER = """
import os
parent = os.getppid()
while os.getppid() == parent:
    sum(range(100000))
"""


@contextlib.contextmanager
def burners(count):
    """Programs that use a processor each for as long as the block runs. Each is a session: the kernel
    divides the processors between sessions first."""
    running = [subprocess.Popen([sys.executable, "-c", BURNER], start_new_session=True)
               for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def run_to_end(command, folder, env):
    """(status, its standard error); status None: it did not end and was killed, with all its children."""
    process = subprocess.Popen(command, cwd=folder, env=env, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        _, errors = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if process.poll() is None:  # also after an interrupt
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, errors


class Suite:
    def __init__(self, build, scratch):
        self.build = os.path.abspath(build)
        self.scratch = scratch
        self.tool = os.path.join(self.build, "bin", "pitwall")
        self._jax = None

    def link(self, name, target):
        """A link in the scratch folder, so that the paths in a run are the same on every machine with the
        same scratch folder."""
        path = os.path.join(self.scratch, name)
        if not os.path.lexists(path):
            os.symlink(target, path)
        return path

    def jax_python(self):
        """(interpreter, "") or (None, why there is none)."""
        if self._jax is None:
            script = os.path.join(TREE, "scripts", "python_env.sh")
            folder = os.path.join(self.build, "python-env")
            done = subprocess.run([script, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True)
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            self._jax = ((None, "no JAX: " + last) if done.returncode else
                         (os.path.join(self.link("env", folder), "bin", "python"), ""))
        return self._jax

    def command(self, case, work):
        """(the program's command in its folder, "") or (None, why it cannot be run)."""
        if case.kind == "c":
            path = os.path.join(self.build, "planted", case.program)
            start, why = ["./" + case.program], "" if os.path.exists(path) else "not built"
        else:
            path = os.path.join(TREE, "tests", "planted", case.program)
            python, why = ("/usr/bin/python3", "") if case.kind == "python" else self.jax_python()
            start = [python, case.program]
        if why:
            return None, why
        os.symlink(path, os.path.join(work, case.program))
        return [*start, *case.arguments], ""

    def run(self, case, load, path):
        """Run a program under `pitwall run`; returns why it could not be run, or ""."""
        work = tempfile.mkdtemp(prefix=case.name + ".", dir=self.scratch)
        try:
            command, why = self.command(case, work)
            return why or self.run_in(work, case, load, path, command)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def run_in(self, work, case, load, path, command):
        env = {key: value for key, value in os.environ.items() if not key.startswith("PITWALL")}
        env["PYTHONPATH"] = self.link("python", os.path.join(self.build, "python"))
        env.update(case.environment)
        command = [self.tool, "run", "--quiet", "-o", path, "--", *command]
        try:
            with planted_limits.limits(case.limits) as enter, \
                    burners(max(case.burners, LOADS[load])):
                status, errors = run_to_end([*enter, *command], work, env)
        except planted_limits.NotHere as reason:
            return str(reason)
        if status is None:
            return "no end after %d s" % TIMEOUT_S
        if status != 0:
            return "status %d: %s" % (status, (errors.strip().splitlines() or [""])[-1])
        return "" if os.path.exists(path) else "it left no run"

    def report(self, path):
        """The report's first line and its document."""
        text, document = (subprocess.run([self.tool, "report", path, *options], check=True,
                                         stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
                          for options in ((), ("--json",)))
        return (text.splitlines() or [""])[0], json.loads(document)


def run_path(folder, case, load):
    """A folder for each run: sub-runs are next to it."""
    return os.path.join(folder, "%s.%s" % (case.name, load), "run.pit")


def unpack(path, into):
    """Uncompress runs that --record wrote; returns the path of the first."""
    folder = os.path.dirname(path)
    os.makedirs(into, exist_ok=True)
    for packed in glob.glob(os.path.join(folder, "*.pit.xz")):
        with lzma.open(packed) as source, \
                open(os.path.join(into, os.path.basename(packed)[:-3]), "wb") as target:
            shutil.copyfileobj(source, target)
    return os.path.join(into, os.path.basename(path))


def record(path, folder, case, load):
    """Keep a run for the tests, compressed."""
    into = os.path.dirname(run_path(folder, case, load))
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    for plain in glob.glob(os.path.join(os.path.dirname(path), "*.pit")):
        with open(plain, "rb") as source, \
                lzma.open(os.path.join(into, os.path.basename(plain) + ".xz"), "wb",
                          filters=COMPRESSION) as target:
            shutil.copyfileobj(source, target)


def machine_times():
    """(used, stolen by the host of a virtual machine): processor time of the machine, in ticks"""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, soft, steal = map(int, file.readline().split()[1:9])
    return user + nice + system + irq + soft, steal


def run_undisturbed(suite, case, load, path):
    """Run it again if the host took so much of the processors that the machine was not quiet. Returns why it
    could not be run, or "", and the load that it had after all."""
    why = ""
    for _ in range(TRIES):
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)
        os.makedirs(os.path.dirname(path))
        used, stolen = machine_times()
        why = suite.run(case, load, path)
        now_used, now_stolen = machine_times()
        stolen, used = now_stolen - stolen, now_used - used
        if why or stolen <= STOLEN_MOST * (used + stolen):
            return why, load
        print("%s: the host took %.0f %% of the processor time"
              % (case.name, 100 * stolen / (used + stolen)), file=sys.stderr, flush=True)
    return why, "loaded"


def try_case(suite, case, load, folder, options):
    """(verdict, what the report said) of one program under one load."""
    path, judged_as = run_path(folder, case, load), load
    if options.runs:
        if glob.glob(path + ".xz"):
            path = unpack(path, os.path.join(suite.scratch, "%s.%s" % (case.name, load)))
        why = "" if os.path.exists(path) else "no run kept"
    else:
        why, judged_as = run_undisturbed(suite, case, load, path)
    if why:
        return "not run", why
    try:
        line, document = suite.report(path)
    except (subprocess.CalledProcessError, ValueError) as error:
        return "wrong", "no report: %s" % error
    verdict = judge(case, judged_as, document["advice"])
    if options.record and verdict == "right":
        record(path, options.record, case, load)
    rules = [finding["rule"] for finding in document["advice"]["findings"]] or ["–"]
    return verdict, "[%s] %s" % (" ".join(rules[:3]), line)


def score(cases, results, load):
    """(causes right, healthy right, false alarms, not run) under one load."""
    causes = [results[c.name, load] for c in cases if not c.healthy]
    healthy = [results[c.name, load] for c in cases if c.healthy]
    return {"causes": len(causes), "right": causes.count("right"), "half": causes.count("half"),
            "wrong": causes.count("wrong"), "healthy": len(healthy),
            "silent": healthy.count("right"), "alarms": healthy.count("wrong"),
            "not_run": (causes + healthy).count("not run")}


def percent(figures):
    """Share of all programs, including those that could not be run."""
    whole = figures["causes"] + figures["healthy"]
    return 100 * (figures["right"] + figures["silent"]) / whole if whole else 0


def print_score(load, figures, out):
    print("%s: %d of %d causes right, %d half, %d wrong; %d of %d healthy programs without an "
          "alarm, %d with one; %d not run: %.1f %%"
          % (load, figures["right"], figures["causes"], figures["half"], figures["wrong"],
             figures["silent"], figures["healthy"], figures["alarms"], figures["not_run"],
             percent(figures)), file=out)


def print_figures(scores):
    for load, prefix in (("quiet", "planted_"), ("loaded", "planted_loaded_")):
        figures = scores.get(load)
        print("%sright_pct %s" % (prefix, "%.1f" % percent(figures) if figures else "n/a"))
        print("%smissed_pct %s" % (prefix, "%.1f" % (100 - percent(figures)) if figures else "n/a"))
    print("planted_false_alarms %d" % sum(figures["alarms"] for figures in scores.values()))
    print("planted_not_run %d" % sum(figures["not_run"] for figures in scores.values()))


def options_of(arguments):
    parser = argparse.ArgumentParser(description="Score the advice on programs of a known cause.")
    parser.add_argument("build", nargs="?",
                        default=os.environ.get("PITWALL_BUILD") or os.path.join(TREE, "build"))
    parser.add_argument("--only", action="append", metavar="NAME")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--quiet-only", action="store_true")
    only.add_argument("--loaded-only", action="store_true")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--runs", metavar="FOLDER")
    parser.add_argument("--record", metavar="FOLDER")
    parser.add_argument("--figures", action="store_true")
    options = parser.parse_args(arguments)
    options.build = os.path.abspath(options.build)
    if options.runs and options.keep:
        parser.error("--runs judges runs that are kept: leave out --keep")
    return options


def main(arguments):
    options = options_of(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that control groups are removed
    out = sys.stderr if options.figures else sys.stdout
    cases = [case for case in planted_suite.CASES
             if not options.only or any(word in case.name for word in options.only)]
    if not cases:
        sys.exit("planted: no program of this name: %s" % ", ".join(options.only))
    loads = ["quiet"] if options.quiet_only else ["loaded"] if options.loaded_only else list(LOADS)
    results, scores = {}, {}
    # In the build folder, which is on a disk; runs for the tree must not contain a path of this machine.
    inside = None if options.record else options.build
    with tempfile.TemporaryDirectory(prefix="planted.", dir=inside) as scratch:
        suite = Suite(options.build, scratch)
        folder = os.path.abspath(options.runs or options.keep or os.path.join(scratch, "runs"))
        width = max(len(case.name) for case in cases)
        for load in loads:
            start = time.monotonic()
            print("%s; load average %s" % (load, " ".join("%.1f" % x for x in os.getloadavg())),
                  file=out)
            for case in cases:
                verdict, said = try_case(suite, case, load, folder, options)
                results[case.name, load] = verdict
                print("%-*s  %-22s  %-7s  %s" % (width, case.name, case.planted, verdict, said),
                      file=out, flush=True)
            scores[load] = score(cases, results, load)
            print_score(load, scores[load], out)
            print("%s: took %.1f minutes" % (load, (time.monotonic() - start) / 60), file=out)
    if options.figures:
        print_figures(scores)


if __name__ == "__main__":
    main(sys.argv[1:])
