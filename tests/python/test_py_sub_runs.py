"""Worker processes as sub-runs of the run that started them: fork, spawn, forkserver, a DataLoader, other
programs; read and reported."""

import json
import os
import re
import subprocess

import py_case

WORKERS = """
import multiprocessing
def work(n):
    for _ in range(n):
        with pitwall.span("worker"): pass
    return os.getpid()
if __name__ == "__main__":
    pitwall.open("run.pit")
    with pitwall.span("parent"):
        with multiprocessing.get_context(%r).Pool(2) as pool:
            pids = pool.map(work, [100, 100, 100, 100], chunksize=1)
            pool.close(); pool.join()
    pitwall.close()
    run = pitwall.read("run.pit")
    below = run["sub_runs"]
    tell([counts(run), [sum(r["nodes"][0]["count"] for r in below), below[0]["nodes"][0]["path"]],
          sorted(set(pids)), sorted(r["pid"] for r in below), [r["state"] for r in below],
          {r["parent_run_id"] for r in below} == {run["run_id"]},
          "sub_runs" in pitwall.read("run.pit", alone=True),
          pitwall.report("run.pit"), pitwall.report("run.pit", alone=True),
          "PITWALL_PARENT" in os.environ])
"""

# A loader ends a worker that takes more than 5 s to leave by a signal; a busy machine may need longer.
PATIENT = """
import torch.utils.data
torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL = 3600.0
"""
TRAIN = PATIENT + """
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
    loader = DataLoader(Data(), batch_size=8, num_workers=2, multiprocessing_context=%r)
    for x, y in pitwall.iter(loader, "data"):
        with pitwall.span("forward"):
            model(x)
    pitwall.close()
    tell(pitwall.report("run.pit", form="json"))
"""


POOL = """
import multiprocessing, os, signal, time
def work(i):
    with pitwall.span("work"):
        return i
def wait(i):
    open("began", "w").close()
    signal.pause()
def die(i):
    with pitwall.span("fatal"):
        os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    pitwall.open("run.pit")
    context = multiprocessing.get_context(%r)
    with context.Pool(1) as pool:  # ended by SIGTERM: this worker does not read that there is no more work
        pool.map(work, range(4))
        pool.apply_async(wait, (0,))
        while not os.path.exists("began"):
            time.sleep(0.01)
    left = context.Process(target=os._exit, args=(0,))
    left.start(); left.join()
    killed = context.Process(target=die, args=(0,))
    killed.start(); killed.join()
    pitwall.close()
    tell(pitwall.report("run.pit"))
"""


class EndedByParent(py_case.Case):
    """A pool ends its workers with SIGTERM; only a worker that ended inside a span has died."""

    def check(self, method):
        folder = self.folder()
        text = self.python(POOL % method, cwd=folder, timeout=120)
        self.assertRegex(text, r"(?m) ended by its parent$")
        self.assertEqual(len(re.findall(r"(?m) died$", text)), 1, text)
        tool = py_case.pit_case.tool()
        lines = self.run_ok([tool, "list", folder, "--width", "0"]).stdout.splitlines()
        self.assertEqual(len([line for line in lines if line.startswith("died ")]), 1, lines)
        ended = self.run_ok([tool, "list", folder, "--state", "ended", "--width", "0"]).stdout
        self.assertIn("by its parent", ended)
        self.assertNotIn("died", ended)
        # The worker's file says the same if it is read alone.
        path = re.search(r"\S+\.pit", ended).group()
        alone = self.run_ok([tool, "report", path]).stdout
        self.assertRegex(alone, r"(?m)^state +ended by its parent ")
        self.assertNotRegex(alone, "died|killed")
        once = self.run_ok([tool, "top", "--once", path]).stdout
        self.assertRegex(once, "(?m): ended, ")
        # If no run is live, top shows the program and not the worker, which began later.
        here = self.run_ok([tool, "top", "--once", folder]).stdout
        self.assertIn("run.pit, pid ", here)

    def test_workers_that_were_forked(self):
        self.check("fork")

    def test_workers_that_were_spawned(self):
        self.check("spawn")


WATCHED = PATIENT + """
import multiprocessing, sys, torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self): return 8
    def __getitem__(self, i):
        with pitwall.span("fetch"): return torch.ones(2)
def work(i):
    with pitwall.span("work"): return i
if __name__ == "__main__":
    pitwall.open("run.pit")
    pool = multiprocessing.get_context("fork").Pool(1)
    pool.map(work, range(4))
    loader = iter(DataLoader(Data(), batch_size=4, num_workers=1, multiprocessing_context="fork"))
    next(loader), next(loader)  # all of it: the worker is in no span
    print("ready", flush=True)
    sys.stdin.readline()
    pool.terminate(); pool.join()
    del loader
    sys.stdin.readline()
"""


class Watched(py_case.Case):
    def test_top_says_ended_of_the_workers_of_a_pool_and_a_loader(self):
        folder = self.folder()
        with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as file:
            file.write(py_case.START + WATCHED)
        program = subprocess.Popen([py_case.PYTHON, "program.py"], cwd=folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=py_case.environment(), text=True)
        self.addCleanup(self.finish, program)
        self.assertEqual(program.stdout.readline(), "ready\n")
        top = subprocess.Popen([py_case.pit_case.tool(), "top", "--json", "--interval", "0.1", "."],
                               cwd=folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.finish, top)
        states, told = {}, False
        for line in top.stdout:
            run = json.loads(line)
            states[run["pid"]] = run["state"]
            if len(states) == 3 and not told:
                told = True
                program.stdin.write("\n")
                program.stdin.flush()
            if len(states) == 3 and list(states.values()).count("live") == 1:
                break
        self.assertEqual(states.pop(program.pid), "live")
        self.assertEqual({"done", "ended"} | set(states.values()), {"done", "ended"})

    def finish(self, child):
        if child.stdin:
            child.stdin.close()
        else:
            child.kill()
        child.stdout.close()
        child.wait()


class Workers(py_case.Case):
    def check(self, method):
        (parent, spans, pids, files, states, is_child, has_below, text, alone,
         is_set) = self.python(WORKERS % method, timeout=120)
        self.assertEqual(parent, {"parent": 1})
        self.assertEqual(spans, [400, "worker"])
        self.assertEqual(files, pids)
        self.assertEqual(set(states), {"closed"})
        self.assertTrue(is_child)
        self.assertFalse(has_below)
        self.assertIn("workers: %d sub-run" % len(pids), text)
        self.assertNotIn("workers:", alone)
        self.assertFalse(is_set, "the variable is there after the close")

    def test_forked(self):
        self.check("fork")

    def test_spawned(self):
        self.check("spawn")

    def test_of_a_forkserver(self):
        self.check("forkserver")

    def test_a_recorder_in_memory_has_no_file_for_them(self):
        text, below, document = self.python("""
            with pitwall.span("a"): pass
            tell([pitwall.report(), pitwall.read_live()["sub_runs"], pitwall.report(form="json")])
        """)
        self.assertIn("workers   n/a: no file", text)
        self.assertIsNone(below)
        self.assertIsNone(json.loads(document)["sub_runs"])

    def test_while_the_parent_is_at_work_its_file_keeps_its_lock(self):
        below, state = self.python("""
            import subprocess
            pitwall.open("run.pit")
            if os.fork() == 0:
                with pitwall.span("child"): pass
                os._exit(0)
            os.wait()
            below = pitwall.read_live()["sub_runs"]
            program = "import pitwall; print(pitwall.read('run.pit')['state'])"
            state = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
            tell([[counts(run) for run in below], state.stdout.strip()])
        """)
        self.assertEqual(below, [{"child": 1}])
        self.assertEqual(state, "live")

    def test_another_program(self):
        command = [py_case.pit_case.program("prog_sub_runs"), "spans", "7"]
        below = self.python("""
            import subprocess
            pitwall.open("run.pit")
            subprocess.run(%r, check=True, env=dict(os.environ, PITWALL_FILE="run.pit"))
            tell([counts(run) for run in pitwall.read_live()["sub_runs"]])
        """ % command)
        self.assertEqual(below, [{"spans": 7}])


class Ended(py_case.Case):
    def test_how_a_program_ended_is_read(self):
        found = self.python("""
            import subprocess
            def ended(script):
                subprocess.run([%r, "run", "-o", "x.pit", "--", "sh", "-c", script])
                found = pitwall.read("x.pit")["ended"]
                os.remove("x.pit")
                return found
            pitwall.open("own.pit"); pitwall.close()
            tell([ended("exit 3"), ended("kill -TERM $$"), pitwall.read("own.pit")["ended"]])
        """ % py_case.pit_case.tool())
        left, killed, own = found
        self.assertEqual((left["exit_status"], left["exit_signal"]), (3, None))
        self.assertEqual((killed["exit_status"], killed["exit_signal"]), (None, 15))
        self.assertGreater(left["duration_ns"], 0)
        self.assertLess(left["duration_ns"], 600e9)
        self.assertGreater(left["rss_peak_bytes"], 100000)
        self.assertIsNone(own)


class Loader(py_case.Case):
    def check(self, method):
        report = json.loads(self.python(TRAIN % method, timeout=200))
        self.assertEqual({node["path"]: node["count"] for node in report["nodes"]},
                         {"data": 8, "forward": 8})
        below = report["sub_runs"]
        self.assertEqual(below["count"], 2)
        self.assertEqual({node["path"]: node["count"] for node in below["nodes"]}, {"fetch": 64})
        self.assertEqual({run["state"] for run in below["runs"]}, {"closed"})

    def test_forked_workers_of_a_data_loader(self):
        self.check("fork")

    def test_spawned_workers_of_a_data_loader(self):
        self.check("spawn")


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
