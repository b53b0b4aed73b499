"""The examples, each run once with --quick: its error is below the bar, its files have the right format, and its
run gives the views that are usual in its field. Failures are tested too: wrong options, a model that did not
learn."""

import csv
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

import pit_case

PROVEN = re.compile(r"^(\S.*): loss (\S+), bar (\S+)$", re.M)
LEARNERS = ("burgers", "decoding", "fitting", "heat", "leak", "patterns", "straggler",
            "monitor_block", "monitor_bottlenecks", "monitor_function", "monitor_operations",
            "monitor_repeated", "monitor_training")


def examples():
    """The names of all of them."""
    folder = os.path.join(pit_case.source_dir(), "examples")
    return sorted(name[:-2] for name in os.listdir(folder) if name.endswith(".c"))


class Example(pit_case.Case):
    """A case of one example, run before its first test."""

    name = ""
    proves: list = []

    @classmethod
    def setUpClass(cls):
        if not cls.name:
            return
        case = cls("run_it")
        cls.out = case.folder()
        cls.addClassCleanup(case.doCleanups)
        cls.path = os.path.join(cls.out, cls.name + ".pit")
        cls.done = case.run_ok([pit_case.example(cls.name), "--quick", "-o", cls.path],
                               cwd=cls.out)
        cls.text = cls.done.stdout

    def run_it(self):
        """Only so that a case can be made before the first test."""

    def check_proven(self):
        found = PROVEN.findall(self.text)
        self.assertEqual([what for what, _, _ in found], self.proves, self.text)
        for what, loss, bar in found:
            self.assertLess(float(loss), float(bar), what)

    def view(self, name, *options):
        """A view of the run as JSON."""
        done = self.run_ok([pit_case.tool(), "report", self.path, "--view", name, "--json"]
                           + list(options))
        return json.loads(done.stdout)

    def view_text(self, name, *options):
        return self.run_ok([pit_case.tool(), "report", self.path, "--view", name]
                           + list(options)).stdout

    def counts(self):
        return {node["path"]: node["count"] for node in self.view("tree")["rows"]}


class Fitting(Example):
    name, proves = "fitting", ["MLP", "SIREN", "KAN"]
    trainings = ["MLP training", "SIREN training", "KAN training"]

    def test_three_models_learn_nine_functions(self):
        self.check_proven()

    def test_the_tables_are_printed(self):
        for model in self.proves:
            self.assertRegex(self.text, r"(?m)^%s training complete: \d+\.\d\ds total$" % model)
            self.assertIn("\n%s Inference Benchmark:\n" % model, self.text)
        for line in ("TIMING SUMMARY - nine functions", "SPEEDUP ANALYSIS",
                     "MLP training - Detailed Breakdown:", "MLP training - Warmup Analysis:",
                     "Convergence of loss: 0.01 or below"):
            self.assertIn("\n" + line + "\n", self.text)
        total, average = (float(re.search(r"%s: +(\S+)s$" % what, self.text, re.M).group(1))
                          for what in ("Total time", "Average per dataset"))
        self.assertAlmostEqual(average, total / 9, delta=0.011)

    def test_the_times_are_saved_as_csv_and_json(self):
        with open(os.path.join(self.out, "fitting.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["Section", "Model", "Time (s)"])
        self.assertEqual([row[:2] for row in rows[1:]],
                         [["nine functions", name] for name in self.trainings])
        with open(os.path.join(self.out, "fitting.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["section"], "nine functions")
        self.assertEqual(list(document["timings"]), self.trainings)
        for row in rows[1:]:
            self.assertAlmostEqual(float(row[2]), document["timings"][row[1]], delta=1e-4)

    def test_the_run_gives_summary_speedup_and_breakdown(self):
        summary = self.view("timing-summary", "--node", "training", "--datasets", "9")
        self.assertEqual([row["name"] for row in summary["rows"]], self.trainings)
        self.assertAlmostEqual(summary["average_seconds"], summary["total_seconds"] / 9)
        speedup = self.view("speedup", "--node", "training")
        self.assertEqual({row["name"] for row in speedup["rows"]}, set(self.trainings))
        breakdown = self.view("breakdown", "--node", "training/KAN training/epoch/batch")
        self.assertEqual({row["name"] for row in breakdown["rows"]},
                         {"data", "forward", "backward", "update"})

    def test_the_run_gives_convergence_of_each_model(self):
        for model in self.proves:
            view = self.view("convergence", "--value", model + " loss", "--threshold", "0.08")
            (curve,) = view["rows"]
            self.assertEqual(curve["epochs"], 20)
            self.assertGreaterEqual(curve["epochs_to_converge"], 1)
            self.assertGreater(curve["time_to_converge"], 0)

    def test_the_run_gives_warmup_and_inference(self):
        text = self.view_text("warmup", "--node", "training/SIREN training/epoch")
        self.assertIn("First epoch:", text)
        self.assertIn("course of 20 calls", text)
        for model in self.proves:
            (row,) = self.view("inference", "--node", model + " inference")["rows"]
            self.assertGreaterEqual(row["count"], 100)
            self.assertLessEqual(row["min_ms"], row["mean_ms"])
            self.assertGreater(row["throughput_samples_per_sec"], 0)

    def test_a_run_that_is_too_short_has_not_learnt(self):
        done = self.run_status(1, [pit_case.example("fitting"), "--epochs", "1", "--quiet", "-o",
                                   os.path.join(self.folder(), "short.pit")])
        self.assertIn("fitting: MLP did not learn: its loss is not below 0.01\n", done.stderr)


class Burgers(Example):
    name, proves = "burgers", ["burgers"]

    def test_it_learns(self):
        self.check_proven()

    def test_epochs_are_watched_and_the_run_has_the_same_lines(self):
        lines = [line for line in self.text.splitlines() if line.startswith("  ")
                 and ("Batch" in line or "Epoch" in line)]
        self.assertEqual(len(lines), 7)
        self.assertRegex(lines[0], r"^  Batch 0: \d+\.\d{3}s, GPU n/a, CPU \d+\.\dMB, loss=0\.\d{6}$")
        self.assertEqual(self.view_text("epochs").splitlines(), lines)

    def test_the_run_gives_performance_aggregate_and_bottlenecks(self):
        rows = {row["operation"]: row for row in self.view("performance")["rows"]}
        for operation in ("data loading", "training", "evaluation"):
            self.assertGreater(rows[operation]["time"], 0)
            self.assertIsNotNone(rows[operation]["cpu_mb"])
        self.assertIn("\nPERFORMANCE SUMMARY\n", self.text)
        repeated = {row["operation"]: row for row in self.view("aggregate")["rows"]}
        self.assertEqual(repeated["training/epoch/batch/backward"]["count"], 48)
        for row in self.view("bottlenecks")["rows"]:
            self.assertTrue(row["headline"] and (row["remedy"] or row["severity"] == 0), row)
        # Which one it is depends on where the machine stopped the program.
        found = re.findall(r"(?m)^\S+ +(?:BOTTLENECK|Consider optimizing): ([\w ]+) \(\d+\.\d%\)$", self.text)
        self.assertTrue(found, self.text)
        self.assertLessEqual(set(found), set(rows), self.text)

    def test_batch_sizes_are_swept(self):
        sweep = self.view("sweep")
        self.assertEqual({row["value"] for row in sweep["rows"]}, {"8", "16", "32", "64"})
        self.assertEqual(sweep["optimal"]["value"], sweep["rows"][0]["value"])
        self.assertRegex(self.text, r"(?m)^Optimal batch size: (8|16|32|64) \(\d+\.\d{3}s\)$")

    def test_the_monitor_is_switched_by_the_environment(self):
        done = self.run_ok([pit_case.example("burgers"), "--quick", "-o",
                            os.path.join(self.folder(), "off.pit")],
                           env=pit_case.clean_env(PITWALL_MONITOR="0"))
        self.assertNotIn("Batch 0", done.stdout)


class Heat(Example):
    name, proves = "heat", ["heat"]

    def test_it_solves_the_equation(self):
        self.check_proven()

    def test_the_run_gives_performance_epochs_and_bottlenecks(self):
        self.assertRegex(self.text, r"(?m)^\[Performance\] check against the truth: \d+\.\d{3}s, "
                                    r"CPU [+-]\d+\.\dMB, GPU n/a$")
        rows = [row["operation"] for row in self.view("performance", "--depth", "1")["rows"]]
        self.assertEqual(rows, ["load_ground_truth", "optimization", "check against the truth"])
        self.assertEqual(self.view_text("epochs").count("Epoch end:"), 3)
        self.assertEqual(self.counts()["optimization/epoch/batch/residual"], 300)
        self.assertRegex(self.text, r"(?m)^\S+ +(BOTTLENECK|Consider optimizing): [\w ]+ \(\d+\.\d%\)$")
        self.assertTrue(self.view("bottlenecks")["rows"])


class Decoding(Example):
    name, proves = "decoding", ["decoder"]
    operations = ["data_batch_production", "loss_fn_computation", "model_update", "make_step_total"]

    def test_it_learns(self):
        self.check_proven()

    def test_metrics_are_printed_every_hundred_steps(self):
        head, *lines = self.text.splitlines()[:5]
        self.assertEqual(head, "--- Profiling Metrics (Step 100) ---")
        for operation, line in zip(self.operations, lines):
            self.assertRegex(line, r"^%s: avg=\d+\.\d{4,}s, total=\d+\.\d\d+s, count=\d+$" % operation)
            self.assertTrue(line.endswith("count=100"), line)
        self.assertEqual(self.text.count("--- Profiling"), 1)

    def test_the_run_gives_the_same_metrics(self):
        view = self.view("profiling")
        self.assertEqual(view["step"], 120)
        rows = {row["operation"]: row for row in view["rows"]}
        for operation in self.operations:
            self.assertEqual(rows[operation]["count"], 120)
            self.assertAlmostEqual(rows[operation]["avg_time"] * 120, rows[operation]["total_time"])


class Patterns(Example):
    name, proves = "patterns", ["patterns"]
    stages = ["Dataset loading and preprocessing", "Graph tower initialization (gpm)",
              "Trainer initialization", "Main training loop", "State saving"]

    def test_it_learns(self):
        self.check_proven()

    def test_stages_are_logged_and_in_the_run(self):
        logged = re.findall(r"(?m)^\[[-\d]+ [:\d]+\] \[TIMING\] (.*): [\d.]+s$", self.text)
        self.assertEqual(logged, self.stages)
        again = self.view_text("stages")
        for line in self.text.splitlines():
            if "[STAGE]" in line or "[TIMING]" in line:
                self.assertIn(line, again)

    def test_windows_are_over_a_hundred_graphs(self):
        lines = re.findall(r"(?m)^\[GPM TIMING\] Last 100 graphs: Pattern gen=[\d.]+ms, "
                           r"Total=[\d.]+ms, Avg nodes=\d+\.\d$", self.text)
        self.assertEqual(len(lines), 3)
        self.assertEqual(self.view_text("windows").splitlines(), lines)

    def test_stages_and_weights_are_saved(self):
        with open(os.path.join(self.out, "patterns.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(list(document["timings"]), self.stages)
        self.assertGreaterEqual(document["total_time"], sum(document["timings"].values()))
        weights = (203 // 8 + 1) * 8 * 32 + 32 + 32 * 8 + 8
        self.assertEqual(os.path.getsize(os.path.join(self.out, "patterns.weights")), 4 * weights)

    def test_the_log_can_be_read_again(self):
        log = os.path.join(self.out, "patterns.log")
        with open(log, "w", encoding="utf-8") as file:
            file.write(self.text)
        text = self.run_ok([pit_case.tool(), "log", log]).stdout
        for stage in self.stages:
            self.assertIn(stage, text)

    def test_growth_is_measured_and_threads_have_names(self):
        self.assertRegex(self.text, r"(?m)^time grows as \S.*: ")
        self.assertIn("by the formula, patterns x size x nodes x degree: 7.08e+06 at 4096 nodes",
                      self.text)
        self.assertEqual(self.counts()["make graph"], 420)
        whole = self.run_ok([pit_case.tool(), "report", self.path, "--json"])
        names = {thread["name"] for run in json.loads(whole.stdout)["runs"]
                 for thread in run["threads"]}
        self.assertTrue({"maker 0", "maker 1"} & names, names)


class Straggler(Example):
    name, proves = "straggler", ["straggler"]

    def test_the_ranks_learn_together(self):
        self.check_proven()
        self.assertRegex(self.text, r"rank  read \(ms\)  wait \(ms\)  step \(ms\)\n( +\d( +[\d.]+){3}\n){4}")

    def test_each_rank_has_a_run_and_the_slow_one_is_seen(self):
        least = []
        for rank in range(4):
            self.path = os.path.join(self.out, "straggler-%d.pit" % rank)
            view = self.view("tree")
            nodes = {node["path"]: node for node in view["rows"]}
            self.assertEqual(nodes["step"]["count"], 80)
            self.assertEqual(nodes["step/all-reduce/wait"]["count"], 80)
            least.append(nodes["step/read"]["min_ns"])
        # It sleeps for 2.2 ms, the others for 0.2; on a busy machine for longer.
        self.assertGreaterEqual(least[3], 2.2e6)
        self.assertGreaterEqual(min(least[:3]), 0.2e6)


class Six(pit_case.Case):
    """The six on monitoring."""

    wanted = {
        "operations": (r"\nPERFORMANCE SUMMARY\n", "performance"),
        "repeated": (r"\nAGGREGATE STATISTICS \(for repeated operations\)\n", "aggregate"),
        "block": (r"^\[Performance\] critical_operation: ", "performance"),
        "function": (r"^\[Performance\] data processing: ", "performance"),
        "training": (r"^  Batch 0: .*(\n  Batch \d.*){4}\n  Epoch end: .*\n  Batch timing: ",
                     "epochs"),
        "bottlenecks": (r"\n\S+ .*(BOTTLENECK|Consider optimizing): \w+ \(\d+\.\d%\)\n", "bottlenecks"),
    }

    def test_each_learns_and_shows_what_it_is_about(self):
        for name, (pattern, view) in self.wanted.items():
            with self.subTest(name=name):
                path = os.path.join(self.folder(), "run.pit")
                text = self.run_ok([pit_case.example("monitor_" + name), "--quick", "-o", path]).stdout
                self.assertRegex(text, pattern)
                ((what, loss, bar),) = PROVEN.findall(text)
                self.assertEqual(what, "model")
                self.assertLess(float(loss), float(bar))
                shown = self.run_ok([pit_case.tool(), "report", "--view", view, path]).stdout
                self.assertTrue(shown)


class All(pit_case.Case):
    def test_none_is_forgotten(self):
        self.assertEqual(examples(), sorted(LEARNERS + ("cache", "rom")))

    def test_help_fits_a_screen(self):
        for name in examples():
            with self.subTest(name=name):
                text = self.run_ok([pit_case.example(name), "--help"]).stdout
                self.assertTrue(text.startswith("usage: %s [-o FILE] [--quick] [--quiet]" % name))
                self.assertLessEqual(len(text.splitlines()), 24)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_wrong_options_are_refused(self):
        for name in examples():
            for bad in (["--what"], ["-o"]):
                with self.subTest(name=name, bad=bad):
                    done = self.run_status(64, [pit_case.example(name)] + bad, cwd=self.folder())
                    why = "no such option" if bad == ["--what"] else "its value is missing"
                    self.assertEqual(done.stderr, "%s: %s: %s; %s --help lists the options\n"
                                     % (name, bad[0], why, name))
        for bad, why in ((["--epochs"], "its value is missing"),
                         (["--epochs", "0"], "0 is not a number from 1 to 10000"),
                         (["--epochs", ""], " is not a number from 1 to 10000"),
                         (["--epochs", "3x"], "3x is not a number from 1 to 10000"),
                         (["--only", "GAN"], "GAN is not MLP, SIREN or KAN")):
            folder = self.folder()
            done = self.run_status(64, [pit_case.example("fitting")] + bad, cwd=folder)
            self.assertEqual(done.stderr, "fitting: %s: %s; fitting --help lists the options\n"
                             % (bad[0], why))
            self.assertEqual(os.listdir(folder), [])

    def test_it_says_where_the_run_is_and_what_to_type_next(self):
        folder = self.folder()
        done = self.run_ok([pit_case.example("leak"), "--quick", "-o", "leak.pit"], cwd=folder)
        self.assertEqual(done.stderr, "run: leak.pit\n"
                                      "next: pitwall report leak.pit --view memory\n")
        self.assertRegex(done.stdout, r"^60 steps, RSS from \d+\.\d to \d+\.\d MB\n")
        command = done.stderr.splitlines()[1].split()[2:]
        shown = self.run_ok([pit_case.tool()] + command, cwd=folder).stdout
        self.assertRegex(shown, r"(?m)^\S+ log +60 +\+2\d\d kB")
        done = self.run_ok([pit_case.example("straggler"), "--quick", "-o", "s.pit"], cwd=folder)
        self.assertEqual(done.stderr, "run: s-0.pit\nrun: s-1.pit\nrun: s-2.pit\nrun: s-3.pit\n"
                                      "next: pitwall report s-3.pit\n")

    def test_quiet_says_the_result_alone(self):
        for name in LEARNERS:
            with self.subTest(name=name):
                done = self.run_ok([pit_case.example(name), "--quick", "--quiet", "-o", "run.pit"],
                                   cwd=self.folder())
                self.assertEqual(done.stderr, "")
                self.assertTrue(PROVEN.search(done.stdout))
                for line in done.stdout.splitlines():
                    self.assertRegex(line, PROVEN)

    def on_terminal(self, command, columns, **streams):
        """The output of a command on its own terminal; `streams` are those that go elsewhere."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        streams = {"stdout": slave, "stderr": slave, **streams}
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, env=pit_case.clean_env(),
                              **streams) as child:
            os.close(slave)
            seen = b""
            while True:
                try:
                    got = os.read(master, 4096)
                except OSError:  # the terminal is gone
                    break
                if not got:
                    break
                seen += got
        os.close(master)
        self.assertEqual(child.returncode, 0)
        return seen.decode()

    def test_progress_is_for_terminals(self):
        command = [pit_case.example("heat"), "--quick", "-o", os.path.join(self.folder(), "a.pit")]
        self.assertNotIn("\r", pit_case.run(command).stderr)
        seen = self.on_terminal(command, 100, stdout=subprocess.DEVNULL)
        self.assertRegex(seen, r"\rheat \[#+ *\] +\d+ %  epoch \d/3, residual")

    def test_progress_leaves_other_lines_alone_and_keeps_to_the_width(self):
        seen = self.on_terminal([pit_case.example("heat"), "--quick", "-o",
                                 os.path.join(self.folder(), "a.pit")], 40)
        shown = [re.split(r"\r(?:\x1b\[K)?", line.rstrip("\r"))[-1] for line in seen.split("\n")]
        self.assertEqual(sum(line.startswith("  Batch 0: ") for line in shown), 3, shown)
        self.assertEqual([line for line in shown if "heat [" in line], [])
        for line in re.findall(r"\r(heat \[.*?)\x1b\[K", seen):
            self.assertLess(len(line), 40)
        self.assertIn("\rheat [", seen)

    def test_recording_off_changes_nothing_but_the_run(self):
        folder = self.folder()
        for name in ("fitting", "decoding", "straggler"):
            done = self.run_ok([pit_case.example(name), "--quick", "-o",
                                os.path.join(folder, name + ".pit")],
                               env=pit_case.clean_env(PITWALL="0"), cwd=folder)
            self.assertTrue(PROVEN.search(done.stdout))
            self.assertEqual([file for file in os.listdir(folder) if file.endswith(".pit")], [])


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
