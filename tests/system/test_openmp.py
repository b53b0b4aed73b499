"""libpitwall-openmp.so with gcc's libgomp and clang's libomp: regions and team sizes against the program's own
counts, and properties of times that hold for any scheduling. Nothing here is timed."""

import json
import os
import signal
import subprocess
import sys

import pit_case
import pit_check
import pit_reader
import pit_runs

SOURCE = os.path.join(pit_case.source_dir(), "tests", "system", "openmp", "regions.c")
COMPILERS = ("gcc", "clang")
SECONDS = 300  # finds a hang
OUTSIDE = "parallel region"


class OpenMP(pit_case.Case):
    def compiled(self, folder, compiler, *options):
        program = os.path.join(folder, "regions-" + compiler)
        include = os.path.join(pit_case.source_dir(), "include")
        self.run_ok([compiler, "-O1", "-fopenmp", "-I", include, SOURCE, "-o", program, *options],
                    timeout=SECONDS)
        return program

    def with_spans(self):
        library = os.path.dirname(pit_case.library())
        return ["-DWITH_SPANS", "-L" + library, "-lpitwall", "-Wl,-rpath," + library]

    def recorded(self, compiler, options=(), arguments=(), program_arguments=(), env=None):
        """The program's own counts, by name, and the nodes of the report of its run."""
        folder = self.folder()
        program = self.compiled(folder, compiler, *options)
        done = self.run_ok([pit_case.tool(), "run", *arguments, "-o", "run.pit", "--", program,
                            *program_arguments], cwd=folder, timeout=SECONDS,
                           env=pit_case.clean_env(OMP_DYNAMIC="false", **(env or {})))
        said = {}
        for line in done.stdout.splitlines():
            name, *numbers = line.split()
            said[name] = tuple(map(int, numbers))
        return folder, said, self.nodes(folder, "run.pit")

    def nodes(self, folder, *runs):
        shown = self.run_ok([pit_case.tool(), "report", "--json", *runs], cwd=folder)
        for run in runs:
            self.assertEqual(pit_check.check(pit_reader.load(os.path.join(folder, run))), [])
        return json.loads(shown.stdout)["nodes"]

    def figures(self, nodes, *names):
        """Regions, threads and largest team of all nodes of these names; and what holds of each."""
        chosen = [n for n in nodes if n["name"] in names and n["team_regions"]]
        for node in chosen:
            self.holds(node)
        return (sum(n["team_regions"] for n in chosen),
                round(sum(n["team_regions"] * n["team_threads_mean"] for n in chosen)),
                max([n["team_threads_max"] for n in chosen], default=0))

    def holds(self, node):
        self.assertLessEqual(node["team_slowest_ns"], node["team_elapsed_ns"])
        self.assertLessEqual(node["team_slowest_ns"], node["team_busy_ns"])
        self.assertLessEqual(node["team_busy_ns"], node["team_threads_max"] * node["team_slowest_ns"])
        self.assertLessEqual(node["team_wait_ns"] + node["team_busy_ns"],
                             node["team_threads_max"] * node["team_elapsed_ns"])
        self.assertGreater(node["team_busy_ns"], 0)
        self.assertTrue(0 <= node["team_imbalance_share"] < 1, node)

    def joined(self, *rows):
        return (sum(r[0] for r in rows), sum(r[1] for r in rows), max(r[2] for r in rows))

    def test_regions_are_in_the_span_that_they_were_entered_in(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                _, said, nodes = self.recorded(compiler, self.with_spans())
                for name in ("loops", "forms", "nested"):
                    self.assertEqual(self.figures(nodes, name), said[name], name)
                self.assertEqual(self.figures(nodes, OUTSIDE),
                                 self.joined(said["worker"], said["outside"]))

    def test_a_program_without_spans(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                _, said, nodes = self.recorded(compiler)
                self.assertEqual({n["name"] for n in nodes}, {OUTSIDE})
                self.assertEqual(self.figures(nodes, OUTSIDE), self.joined(*said.values()))

    def test_the_library_in_the_program(self):
        options = ["-DWITH_SPANS", pit_case.library("a"), "-lm", "-pthread"]
        for compiler in COMPILERS:
            with self.subTest(compiler):
                _, said, nodes = self.recorded(compiler, options)
                self.assertEqual(self.figures(nodes, "loops"), said["loops"])

    def test_without_hooks_and_switched_off(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                _, said, nodes = self.recorded(compiler, self.with_spans(), ["--no-auto"])
                self.assertEqual({n["team_regions"] for n in nodes}, {None})
                _, again, _ = self.recorded(compiler, self.with_spans(), ["--no-auto", "--openmp"])
                self.assertEqual(again, said)
                folder = self.folder()
                program = self.compiled(folder, compiler)
                library = os.path.join(os.path.dirname(pit_case.library()), "libpitwall-openmp.so")
                done = self.run_ok([program], cwd=folder, timeout=SECONDS, env=pit_case.clean_env(
                    OMP_DYNAMIC="false", PITWALL="0", LD_PRELOAD=library))
                self.assertEqual(len(done.stdout.splitlines()), len(said))
                self.assertEqual(os.listdir(folder), [os.path.basename(program)])

    def test_a_forked_child_has_its_own(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                folder, said, nodes = self.recorded(compiler, self.with_spans(),
                                                    program_arguments=["fork"])
                runs = [name for name in os.listdir(folder) if name.endswith(".pit")]
                found = [self.figures(self.nodes(folder, run), "loops") for run in runs]
                self.assertEqual([f for f in found if f[0]], [said["loops"]], (runs, nodes))

    def test_a_killed_program(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                folder = self.folder()
                program = self.compiled(folder, compiler, *self.with_spans())
                library = os.path.join(os.path.dirname(pit_case.library()), "libpitwall-openmp.so")
                with subprocess.Popen([program, "forever"], cwd=folder, text=True,
                                      stdout=subprocess.PIPE, env=pit_case.clean_env(
                                          OMP_DYNAMIC="false", PITWALL_FILE="run.pit",
                                          LD_PRELOAD=library)) as process:
                    lines = [process.stdout.readline() for _ in range(20)]
                    process.send_signal(signal.SIGKILL)
                    lines += process.stdout.read().splitlines()
                told = [tuple(map(int, line.split())) for line in lines if len(line.split()) == 3]
                regions, threads, largest = self.figures(self.nodes(folder, "run.pit"), "loops")
                self.assertTrue(told[-1][0] <= regions <= told[-1][0] + 8, (told[-1], regions))
                self.assertLessEqual(told[-1][1], threads)
                self.assertEqual(largest, told[-1][2])

    def test_a_libgomp_that_was_loaded_for_one_module_alone(self):
        folder = self.folder()
        module = self.compiled(folder, "gcc", "-shared", "-fPIC", "-Dmain=regions_main")
        script = "import ctypes; ctypes.CDLL(%r).regions_main(1, None)" % module
        done = self.run_ok([pit_case.tool(), "run", "--openmp", "-o", "run.pit", "--", sys.executable,
                            "-c", script], cwd=folder, timeout=SECONDS,
                           env=pit_case.clean_env(OMP_DYNAMIC="false"))
        said = [tuple(map(int, line.split()[1:])) for line in done.stdout.splitlines()]
        self.assertEqual(self.figures(self.nodes(folder, "run.pit"), OUTSIDE), self.joined(*said))

    def test_regions_of_pytorch(self):
        python = "/usr/bin/python3"  # Debian's, whose torch scripts/setup.sh installs
        if subprocess.run([python, "-c", "import torch"], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            self.skipTest("PyTorch is not installed (scripts/setup.sh test)")
        folder = self.folder()
        script = ("import torch; torch.set_num_threads(2); x = torch.rand(1000, 1000)\n"
                  "for _ in range(5): x = torch.sin(x)\n"
                  "print(torch.__config__.parallel_info())")
        done = self.run_ok([pit_case.tool(), "run", "--openmp", "-o", "run.pit", "--", python, "-c",
                            script], cwd=folder, timeout=SECONDS)
        self.assertIn("backend: OpenMP", done.stdout)
        nodes = [n for n in self.nodes(folder, "run.pit") if n["team_regions"]]
        for node in nodes:
            self.holds(node)
        self.assertGreaterEqual(sum(n["team_regions"] for n in nodes), 5)
        self.assertEqual(max(n["team_threads_max"] for n in nodes), 2)

    def test_both_readers_and_the_text(self):
        folder, said, nodes = self.recorded("gcc", self.with_spans())
        found = pit_reader.load(os.path.join(folder, "run.pit"))
        document, said_of_it = pit_runs.dump(os.path.join(folder, "run.pit"))
        self.assertIsNotNone(document, said_of_it)
        for mine, thread in zip(found["threads"], document["threads"]):
            self.assertEqual(thread["teams"], mine["teams"])
        teams = [t for thread in found["threads"] for t in thread["teams"]]
        self.assertEqual(sum(t["count"] for t in teams), self.joined(*said.values())[0])
        text = self.run_ok([pit_case.tool(), "report", "--width", "0", "run.pit"], cwd=folder).stdout
        self.assertIn("imbalance", text)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
