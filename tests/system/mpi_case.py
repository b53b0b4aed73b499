"""Shared by the tests with MPI: both implementations, their programs, and the comparison of a job's runs with
the counts of its ranks.

Two ranks, which yield while they wait, so that one processor is enough."""

import os
import shutil
import signal
import subprocess
import tempfile

import pit_case
import pit_reader
import pit_runs

SOURCES = os.path.join(pit_case.source_dir(), "tests", "mpi")
KINDS = ("openmpi", "mpich")
LAUNCH = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                      "--mca", "mpi_yield_when_idle", "1"],
          "mpich": ["mpirun.mpich"]}
COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort"}
SECONDS = 300  # to detect a hang; a job takes two seconds


def missing(kind):
    """The part of an MPI that is missing, or None."""
    for command in ("mpirun", "mpicc", "mpifort"):
        if not shutil.which("%s.%s" % (command, kind)):
            return "%s.%s is not installed (scripts/setup.sh test)" % (command, kind)
    return None


class Case(pit_case.Case):
    folder_of_programs = None
    programs = {}

    def for_each_mpi(self, part):
        """Call part(kind) for each MPI; both must be installed."""
        gone = [why for why in map(missing, KINDS) if why]
        if gone:
            self.skipTest("; ".join(gone))
        for kind in KINDS:
            with self.subTest(kind):
                part(kind)

    @classmethod
    def tearDownClass(cls):
        if cls.folder_of_programs:
            shutil.rmtree(cls.folder_of_programs, ignore_errors=True)

    def compiled(self, source, kind):
        """A program of tests/mpi, compiled once for this MPI."""
        cls = type(self)
        if not cls.folder_of_programs:
            cls.folder_of_programs = tempfile.mkdtemp(prefix="pitwall-mpi-")
        path = os.path.join(cls.folder_of_programs, "%s.%s" % (os.path.splitext(source)[0], kind))
        if not os.path.exists(path):
            compiler = "%s.%s" % (COMPILERS[os.path.splitext(source)[1]], kind)
            self.run_ok([compiler, "-w", "-O1", "-pthread", "-o", path,
                         os.path.join(SOURCES, source)], cwd=SOURCES)
        return path

    def job(self, kind, program, folder, ranks=2, name="rank"):
        """The command of a job whose ranks write their runs into the folder. Every job has a session folder of
        its own: OpenMPI removes a shared one when a job ends, even while another one starts."""
        own = []
        if kind == "openmpi":
            own = ["--mca", "orte_tmpdir_base", self.folder()]
        return LAUNCH[kind] + own + ["-n", str(ranks), pit_case.tool(), "run", "--quiet", "-o",
                                     os.path.join(folder, name + "-%r.pit"), "--"] + program

    def run_job(self, kind, program, ranks=2, env=None):
        """Run it; returns what its ranks reported, and their runs, by rank."""
        folder = self.folder()
        self.run_ok(self.job(kind, program, folder, ranks), timeout=SECONDS, cwd=folder,
                    env=dict(os.environ, **(env or {})))
        runs = [pit_runs.read_both(self, os.path.join(folder, "rank-%d.pit" % rank), "closed")
                for rank in range(ranks)]
        said = ""
        for rank in range(ranks):
            with open(os.path.join(folder, "said-%d" % rank), encoding="ascii") as words:
                said += words.read()
        return said, runs

    def check_said(self, said, runs):
        """Every rank's calls and bytes are as reported, and there are no other calls of MPI."""
        wanted = [{} for _ in runs]
        for line in said.splitlines():
            rank, name, calls, in_bytes = line.split()
            if name.startswith("MPI_"):
                wanted[int(rank)][name] = (int(calls), int(in_bytes))
        for rank, run in enumerate(runs):
            found = {}
            for thread in run["threads"]:
                for node in thread["nodes"]:
                    name = node["path"].rsplit("/", 1)[-1]
                    calls, in_bytes = found.get(name, (0, 0))
                    found[name] = (calls + node["count"], in_bytes + node["bytes"])
            self.assertEqual(found, wanted[rank], "rank %d" % rank)
        self.check_messages(said, runs)

    def check_messages(self, said, runs):
        """Messages by rank and size are as reported, for ranks that report them; every call has a caller."""
        wanted = {}
        for line in said.splitlines():
            rank, name, count, in_bytes = line.split()
            kinds = wanted.setdefault(int(rank), {}) if name == "messages" else wanted.get(int(rank))
            if kinds is not None and ":" in name:
                kind, number = name.split(":")
                kinds.setdefault(kind, []).append([int(number), int(count), int(in_bytes)])
        for rank, kinds in wanted.items():
            found = runs[rank]["messages"]
            self.assertEqual(found["partners"], kinds.get("to", []))
            self.assertEqual(found["sizes"], kinds.get("size", []))
            self.assertEqual(found["collective_sizes"], kinds.get("all", []))
            self.assertEqual((found["others"], found["calls_lost"]), ([0, 0], 0))
        for run in runs:
            calls = {}
            for caller in run["messages"]["callers"]:
                key = caller["thread"], caller["path"]
                calls[key] = calls.get(key, 0) + caller["calls"]
            for number, thread in enumerate(run["threads"]):
                for node in thread["nodes"]:
                    if node["path"] not in ("MPI_Init", "MPI_Finalize"):
                        self.assertEqual(calls[number, node["path"]], node["count"], node["path"])


def calls_of(group):
    return [(call["seq"], call["path"].rsplit("/", 1)[-1]) for call in group["points"]]


class Job:
    """A job that runs in the background. What it prints is kept, and shown by a wait that fails."""

    def __init__(self, command, folder):
        handle, self.log = tempfile.mkstemp(prefix="job-", suffix=".log", dir=folder)
        try:
            self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=handle,
                                            stderr=subprocess.STDOUT, start_new_session=True)
        finally:
            os.close(handle)

    def wait_until(self, condition):
        """Its value once it is true. The end of the job, or a hang, is a failure that tells what it printed."""
        def true_or_over():
            return condition() or self.process.poll() is not None

        found = pit_runs.wait_until(true_or_over, SECONDS)
        found = condition() if found is True else found  # it may have become true just before the end
        if not found:
            with open(self.log, encoding="utf-8", errors="replace") as said:
                raise AssertionError("the job %s; it printed: %s" % (
                    "ended with %s" % self.process.returncode if self.process.poll() is not None
                    else "did not get so far in %d s" % SECONDS, said.read()[-4000:] or "nothing"))
        return found

    def end(self):
        """Wait for its end."""
        self.process.wait(timeout=SECONDS)

    def kill(self):
        """Kill what is left of it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def wait_state(pid, states):
    """Wait until the process has one of these states; a process that is gone has X."""
    def is_it():
        try:
            return pit_runs.state_of(pid) in states
        except OSError:
            return "X" in states

    pit_runs.wait_until(is_it, SECONDS)


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    wait_state(pid, "TZX")


def kill(pid):
    """Kill a rank, if it still exists, and wait until it is gone."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    wait_state(pid, "ZX")


def try_load(path):
    """A run that may be incomplete or missing: None then."""
    try:
        return pit_reader.load(path)
    except (OSError, pit_reader.BadRun):
        return None
