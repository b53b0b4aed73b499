"""The examples in Python: each learns what it claims, prints the tables of its document, leaves the
files it names, and its run gives the views that the document shows."""

import csv
import json
import os
import re

import auto_case
import py_case
import py_frameworks
from py_case import pit_case

import test_rom  # its schemas

FOLDER = os.path.join(pit_case.source_dir(), "examples", "python")
SCRIPTS = sorted(name for name in os.listdir(FOLDER) if name.endswith(".py")
                 and name not in ("example_kit.py", "decoding_data.py"))


def run_example(case, script, *arguments, python=py_case.PYTHON, status=0, start=(), cwd=None):
    """Where PyTorch is loaded already, if the script uses it in a single process."""
    command = [os.path.join(FOLDER, script), *arguments]
    env = py_case.environment(JAX_PLATFORMS="cpu")
    is_one = script.endswith("_torch.py") and ("straggler" not in script or arguments == ("--help",))
    if is_one and not start:
        return case.run_loaded(cwd or case.folder(), env, *command, status=status)
    return case.run_status(status, [*start, python, *command], timeout=150, cwd=cwd, env=env)


class Example(auto_case.Loaded):
    """One quick run of `script`, used by all tests of the class."""

    script = ""
    has_out = True
    start = ()

    @classmethod
    def python_path(cls):
        return py_case.PYTHON

    @classmethod
    def setUpClass(cls):
        case = cls("run_it")
        cls.addClassCleanup(case.doCleanups)
        cls.home = case.folder()
        cls.run_file = os.path.join(cls.home, "run.pit")
        more = ("--out", os.path.join(cls.home, "out")) if cls.has_out else ()
        done = run_example(case, cls.script, "--quick", "-o", cls.run_file, *more,
                           python=cls.python_path(), start=cls.start, cwd=cls.home)
        cls.text, cls.talk = done.stdout, done.stderr

    def run_it(self):
        """Only so that a case can be made before the first test."""

    def claims(self):
        """{what: (figure, bar)} as it was printed."""
        rows = re.findall(r"^(.+): (\S+), below the (\S+) that was asked for$", self.text, re.M)
        return {what: (float(figure), float(bar)) for what, figure, bar in rows}

    def view(self, name, *options, form="--json"):
        done = self.run_ok([pit_case.tool(), "report", self.run_file, "--view", name, *options,
                            *([form] if form else [])])
        return json.loads(done.stdout) if form == "--json" else done.stdout

    def rows(self, name, *options, key="name"):
        return {row[key]: row for row in self.view(name, *options)["rows"]}

    def counts(self):
        done = self.run_ok([pit_case.tool(), "report", self.run_file, "--json"])
        return {node["path"]: node["count"] for node in json.loads(done.stdout)["nodes"]}

    def out(self, *path):
        return os.path.join(self.home, "out", *path)

    def assert_same_time(self, one, other):
        """Two readings of the clock around the same work, between which the machine may pause for seconds:
        so only check that both are figures of it, in one unit."""
        self.assertGreater(one, 0)
        self.assertGreater(other, 0)
        self.assertAlmostEqual(one, other, delta=10 + 0.01 * one)

    def check_claims(self, *expected):
        self.assertEqual(list(self.claims()), list(expected))
        for what, (figure, bar) in self.claims().items():
            self.assertLess(figure, bar, what)
        self.assertIn("the run is in %s: pitwall report" % self.run_file, self.talk)


# ---- decoding -----------------------------------------------------------------------------------


def profiling_blocks(text):
    """[(step, {operation: count})] of the blocks that were printed."""
    blocks = re.split(r"^--- Profiling Metrics \(Step (\d+)\) ---\n", text, flags=re.M)[1:]
    line = re.compile(r"^(\w+): avg=\d+\.\d{4,}s, total=\d+\.\d\d+s, count=(\d+)$", re.M)
    return [(int(step), {name: int(count) for name, count in line.findall(block)})
            for step, block in zip(blocks[::2], blocks[1::2])]


class DecodingTorch(Example):
    script = "train_decoding_torch.py"
    has_out = False
    operations = {"data_batch_production": 64, "loss_fn_computation": 64, "model_update": 64,
                  "training_step": 64}

    def test_it_learns(self):
        self.check_claims("held-out loss")

    def test_the_block_of_averages_has_every_operation(self):
        after_50 = {name: 50 for name in self.operations}
        self.assertEqual(profiling_blocks(self.text), [(50, after_50), (64, self.operations)])

    def test_the_run_has_the_same_operations_and_both_losses(self):
        found = self.rows("profiling", key="operation")
        self.assertEqual({name: row["count"] for name, row in found.items()}, self.operations)
        self.assertEqual(self.counts()["training_step/model_update"], 64)
        for value in ("train_loss", "val_loss"):
            curve = self.view("convergence", "--value", value, "--threshold", "0.5")["rows"][0]
            self.assertEqual(curve["epochs"], 8)
            self.assertLess(curve["last"], 0.5)
        loss, _ = self.claims()["held-out loss"]
        self.assertAlmostEqual(curve["last"], loss, places=4)

    def test_without_profiling_nothing_is_timed_or_printed(self):
        found = self.python("""
            sys.path.insert(0, %r)
            import torch, train_decoding_torch as example
            from pitwall.profiling import get_profiler
            model = example.StateSpaceDecoder(3, 2, units=4)
            x, y = torch.randn(8, 5, 3), torch.randn(8, 5, 2)
            loader = torch.utils.data.DataLoader(
                torch.utils.data.TensorDataset(x, y), batch_size=4)
            optimizer = torch.optim.Adam(model.parameters())
            loss = torch.nn.functional.mse_loss
            results = []
            for switch in (False, True):
                example.train_decoding_torch(model, loader, (x, y), (x, y), optimizer, loss,
                                             num_epochs=2, enable_profiling=switch)
                results.append([len(counts()), get_profiler().get_summary()])
                print("after", switch)
            tell(results)
        """ % FOLDER, timeout=120)
        self.assertEqual(found[0], [0, {}])
        self.assertEqual(found[1][1]["training_step"]["count"], 4)
        self.assertTrue(self.stdout.startswith("after False\n--- Profiling Metrics (Step 4) ---\n"))


class DecodingJax(Example):
    script = "train_decoding_jax.py"
    has_out = False
    is_all = False

    @classmethod
    def python_path(cls):
        return py_frameworks.find()[0]

    @classmethod
    def setUpClass(cls):
        if py_frameworks.find()[0]:
            super().setUpClass()

    def setUp(self):
        py_frameworks.Case.setUp(self)

    def test_it_learns(self):
        self.check_claims("held-out loss")

    def test_compiling_is_told_from_running(self):
        steps, counts = profiling_blocks(self.text)[-1]
        self.assertEqual(steps, 64)
        for name in ("data_batch_production", "loss_fn_computation", "model_update",
                     "make_step_total"):
            self.assertEqual(counts.pop(name), 64)
        self.assertEqual(counts, {"loss_fn_computation_trace": 1, "model_update_trace": 1,
                                  "make_step_total_trace": 1})

    def test_the_run_has_the_operations(self):
        found = self.rows("profiling", key="operation")
        self.assertEqual({name: row["count"] for name, row in found.items()},
                         profiling_blocks(self.text)[-1][1])
        self.assertEqual(self.counts()["make_step_total/loss_fn_computation"], 64)

    def test_a_run_of_wandb_gets_losses_and_profile(self):
        found = self.python("""
            sys.path.insert(0, %r)
            import argparse, wandb
            run = wandb.init(project="my_project", mode="offline")
            import train_decoding_jax as example
            claims = list(example.work(argparse.Namespace(seed=2, quick=True)))
            tell([run.name, run.step, sorted(dict(run.summary)), claims])
            run.finish()
        """ % FOLDER, timeout=150, JAX_PLATFORMS="cpu", **py_frameworks.WANDB)
        name, step, keys, claims = found
        self.assertEqual([name, step], ["decoding", 8])
        for key in ("train_loss", "val_loss", "profiling/make_step_total_avg_time",
                    "profiling/loss_fn_computation_count"):
            self.assertIn(key, keys)
        self.assertLess(claims[0][1], claims[0][2])


# ---- fitting ------------------------------------------------------------------------------------


class Fitting(Example):
    script = "fitting_torch.py"
    models = ("MLP", "SIREN", "KAN")

    def test_every_model_learns_every_function(self):
        self.check_claims(*("%s, worst loss of a function" % model for model in self.models))

    def test_the_tables_of_the_document_are_printed(self):
        for model in self.models:
            for line in ("%s training complete: ", "%s - Detailed Breakdown:\n" + "-" * 40,
                         "%s - Warmup Analysis:\n" + "-" * 40,
                         "%s Inference Benchmark:\n" + "-" * 40 + "\n  Mean latency:"):
                self.assertIn(line % model, self.text)
        self.assertIn("TIMING SUMMARY - Function fitting\n", self.text)
        self.assertIn("Average per dataset:", self.text)
        self.assertRegex(self.text, r"SPEEDUP ANALYSIS\n=+\nBaseline: \w+ training \(")

    def test_the_files_have_the_figures_that_were_printed(self):
        with open(self.out("timing.json"), encoding="utf-8") as file:
            saved = json.load(file)
        with open(self.out("timing.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(saved["section"], "Function fitting")
        self.assertEqual([row["Model"] for row in rows], ["%s training" % m for m in self.models])
        for row in rows:
            seconds = saved["timings"][row["Model"]]
            self.assertEqual(row["Time (s)"], "%.4f" % seconds)
            self.assertRegex(self.text, r"\n%s: +%.2fs \(" % (row["Model"], seconds))

    def test_the_run_gives_the_views_of_the_document(self):
        names = ["%s training" % model for model in self.models]
        found = self.rows("timing-summary", "--node", "section")
        self.assertEqual(list(found), names)
        with open(self.out("timing.json"), encoding="utf-8") as file:
            saved = json.load(file)["timings"]
        for name in names:
            self.assert_same_time(found[name]["seconds"], saved[name])
        speedups = self.rows("speedup", "--node", "section", "--baseline", names[0])
        for name in names:
            self.assertAlmostEqual(speedups[name]["speedup"],
                                   found[names[0]]["seconds"] / found[name]["seconds"])
        phases = self.rows("breakdown", "--node", "section/KAN training/epoch/KAN")
        self.assertEqual(sorted(phases), ["backward_pass", "forward_pass", "update"])
        self.assertEqual(phases["update"]["count"], 240)
        for model in self.models:
            trials = self.rows("inference", "--node", model)[model]["count"]
            self.assertGreaterEqual(trials, 100)  # an interrupted trial is repeated
        first = self.view("warmup", "--node", "section/MLP training/epoch")["rows"][0]
        self.assertGreater(first["first_epoch_time"], 0)

    def test_convergence_is_the_same_in_print_and_in_the_run(self):
        printed = re.search(r"^MLP +mean loss below 0\.01: after (\d+) epochs", self.text, re.M)
        found = self.view("convergence", "--value", "MLP loss", "--threshold", "0.01")["rows"][0]
        self.assertEqual(found["epochs_to_converge"], int(printed.group(1)))
        self.assertEqual(found["epochs"], 80)


# ---- heat ---------------------------------------------------------------------------------------


class Heat(Example):
    script = "heat_torch.py"
    has_out = False
    config = os.path.join(FOLDER, "heat.yaml")
    start = (pit_case.tool(), "run", "--no-auto", "--config", config, "--")

    def test_it_finds_the_conductivity(self):
        self.check_claims("loss against the thermometers", "conductivity, off by")

    def test_the_configuration_says_how_many_batches_are_shown(self):
        lines = re.findall(r"^  (Batch \d+|Epoch end|Batch timing):", self.text, re.M)
        self.assertEqual(lines, ["Batch 0", "Epoch end", "Batch timing"] * 7)
        self.assertIn("175 iterations in 7 epochs, ", self.text)

    def test_the_run_gives_the_same_lines_and_the_summary(self):
        text = self.view("epochs", form=None)
        self.assertTrue(self.text.startswith(text))
        found = self.rows("performance", "--depth", "1", key="operation")
        self.assertEqual(list(found), ["load_ground_truth", "optimization"])
        for name, row in found.items():
            printed = re.search(r"^%s +(\S+) +\S+ +n/a +n/a$" % name, self.text, re.M).group(1)
            self.assert_same_time(row["time"], float(printed))
        batches = self.rows("aggregate", key="operation")["optimization/epoch/batch"]
        self.assertEqual(batches["count"], 175)
        self.assertRegex(self.text, r"(BOTTLENECK|Consider optimizing): \w+ \(")

    def test_the_switch_of_its_own_wins_over_the_configuration(self):
        for choice, lines in (("off", 0), ("on", 14)):
            folder = self.folder()
            done = run_example(self, self.script, "--quick", "--monitor", choice, "-o",
                               os.path.join(folder, "run.pit"), start=self.start, cwd=folder)
            self.assertEqual(len(re.findall(r"^  Batch \d+:", done.stdout, re.M)), lines)
            self.assertEqual("iterations in 7 epochs" in done.stdout, choice == "on")


# ---- burgers ------------------------------------------------------------------------------------


class Burgers(Example):
    script = "burgers_torch.py"
    has_out = False

    def test_it_learns_what_the_waves_do(self):
        self.check_claims("error against standing still")

    def test_epochs_and_parts_are_watched(self):
        lines = re.findall(r"^  (Batch \d+|Epoch end|Batch timing):", self.text, re.M)
        self.assertEqual(lines, [*("Batch %d" % i for i in range(5)), "Epoch end",
                                 "Batch timing"] * 3)
        self.assertTrue(self.text.startswith(self.view("epochs", form=None)))
        found = self.rows("performance", "--depth", "1", key="operation")
        for name in ("data loading", "model", "training", "evaluation"):
            printed = re.search(r"^%s +(\S+) +\S+ +n/a +n/a$" % name, self.text, re.M).group(1)
            self.assert_same_time(found[name]["time"], float(printed))
        self.assertEqual(self.rows("aggregate", key="operation")["training/epoch/batch"]["count"],
                         144)

    def test_batch_sizes_are_ranked_in_the_text_and_in_the_run(self):
        best = re.search(r"^Optimal batch size: (\d+) \(", self.text, re.M).group(1)
        ranked = re.findall(r"^(\d+) +[\d.]+ +[\d.]+x +1$", self.text, re.M)
        self.assertEqual(sorted(ranked, key=int), ["8", "16", "32", "64"])
        self.assertEqual(ranked[0], best)
        self.assertIn("Optimal batch size: %s (" % best, self.view("sweep", form=None))


# ---- patterns -----------------------------------------------------------------------------------


class Patterns(Example):
    script = "patterns.py"
    stages = ["Dataset loading and preprocessing", "Graph tower initialization (gpm)",
              "Pattern counting", "Main training loop", "Evaluation", "Growth with the dataset",
              "Model saving"]

    def test_it_tells_the_molecules_apart(self):
        self.check_claims("wrong of the held-out molecules")

    def test_stages_are_logged_and_the_regular_expression_of_the_document_reads_them(self):
        timings = dict(re.findall(r"\[TIMING\] (.*?): ([\d.]+)", self.text))
        self.assertEqual(list(timings), self.stages)
        with open(self.out("timing_data.json"), encoding="utf-8") as file:
            saved = json.load(file)
        self.assertEqual({k: "%.2f" % v for k, v in saved["timings"].items()}, timings)
        self.assertGreaterEqual(saved["total_time"], sum(saved["timings"].values()))

    def test_windows_are_over_a_hundred_graphs_each(self):
        lines = re.findall(r"^\[GPM TIMING\] Last 100 graphs: Pattern gen=[\d.]+ms, "
                           r"Total=[\d.]+ms, Avg nodes=([\d.]+)$", self.text, re.M)
        self.assertEqual(len(lines), 3)
        for nodes in lines:
            self.assertTrue(16 <= float(nodes) <= 35)
        self.assertRegex(self.text, r"\n300 graphs, \d{5,} walks of \d+ patterns\n")

    def test_growth_is_told_as_measured_and_by_formula(self):
        self.assertRegex(self.text, r"\ntime grows as \S+")
        self.assertIn("O(num_patterns * pattern_size * num_nodes * avg_degree), ", self.text)

    def test_the_run_and_the_log_give_the_same_lines(self):
        # The growth's table stands between the lines of the stages.
        logged = [line for line in self.text.splitlines() if "[STAGE]" in line or "[TIMING]" in line]
        shown = self.view("stages", form=None).splitlines()
        self.assertEqual(shown[: len(logged)], logged)
        windows = [line for line in self.text.splitlines() if line.startswith("[GPM TIMING]")]
        self.assertEqual(self.view("windows", form=None).splitlines(), windows)
        path = os.path.join(self.folder(), "patterns.log")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)
        table = self.run_ok([pit_case.tool(), "log", path]).stdout
        for stage in self.stages:
            self.assertIn("\n%s " % stage, table)
        self.assertRegex(table, r"\nGPM TIMING +Pattern gen +ms +3 +300 ")

    def test_the_stage_that_asked_for_memory_has_it_in_the_run(self):
        found = self.rows("performance", key="operation")
        self.assertIsNotNone(found["Pattern counting"]["cpu_mb"])
        self.assertIsNone(found["Evaluation"]["cpu_mb"])


# ---- reduced-order models -----------------------------------------------------------------------


class Rom(Example):
    script = "rom_torch.py"

    def profile(self, model):
        return test_rom.load(self.out("oscillators", model, "runtime_profile.json"))

    def test_both_models_learn(self):
        self.check_claims("MVAR, squared error of a step", "LSTM, squared error of a step")

    def test_profiles_keep_to_the_schema_and_have_the_models_figures(self):
        for model, parameters in (("MVAR", 2020), ("LSTM", 7572)):
            profile = self.profile(model)
            test_rom.check(profile, "runtime_profile")
            self.assertEqual(list(profile), test_rom.PROFILE_KEYS)
            self.assertEqual(profile["memory"]["model_parameters"], parameters)
            self.assertEqual(profile["complexity"]["expected_parameters"], parameters)
            self.assertAlmostEqual(profile["memory"]["parameter_memory_mb"],
                                   parameters * 4 / 2 ** 20)
            mean = profile["inference"]["full_trajectory"]["mean_seconds"]
            self.assertRegex(self.text, r"%s: a step \S+ us, 100 steps %.2f ms" % (model, 1e3 * mean))
            operations = profile["pitwall"]["operations"]
            self.assertEqual(profile["training"]["total_seconds"], operations["train " + model])

    def test_comparison_and_summary_hold_both(self):
        comparison = test_rom.load(self.out("oscillators", "runtime_comparison.json"))
        test_rom.check(comparison, "runtime_comparison")
        self.assertEqual(comparison["models"], ["MVAR", "LSTM"])
        self.assertAlmostEqual(comparison["parameter_ratio"]["LSTM_vs_MVAR"], 7572 / 2020)
        for what, winner in comparison["winners"].items():
            self.assertRegex(self.text, r"\n%s: +%s\n" % (what.replace("_", " "), winner))
        summary = test_rom.load(self.out("oscillators", "summary.json"))
        self.assertEqual(summary["experiment_name"], "oscillators")
        analysis = summary["runtime_analysis"]
        self.assertEqual(analysis["profiles"], [self.profile("MVAR"), self.profile("LSTM")])
        self.assertEqual(analysis["comparison"], comparison)

    def test_the_run_has_training_and_trials(self):
        counts = self.counts()
        self.assertEqual(counts["train LSTM/epoch/batch/backward"], 120)
        for model in ("MVAR", "LSTM"):
            self.assertGreaterEqual(counts["benchmark/%s trajectory" % model], 50)
        found = self.rows("timing-summary")
        self.assert_same_time(found["train LSTM"]["seconds"],
                              self.profile("LSTM")["training"]["total_seconds"])
        rows = self.view("inference", "--node", "benchmark/LSTM trajectory")["rows"]
        self.assertGreater(rows[0]["mean_ms"], 0)

    def test_profiles_can_be_compared_by_the_tool(self):
        done = pit_case.run([pit_case.tool(), "compare", *(
            self.out("oscillators", model, "runtime_profile.json") for model in ("MVAR", "LSTM"))])
        self.assertIn(done.returncode, (0, 2), done.stderr)
        self.assertIn("full_trajectory", done.stdout)
        self.assertNotIn("inference/full_trajectory: measured one after the other", done.stdout)


# ---- the six of performance monitoring ----------------------------------------------------------


class Monitoring(Example):
    script = "performance_monitoring_examples.py"

    def test_all_six_hold_what_they_claim(self):
        self.assertEqual(re.findall(r"^--- Example (\d):", self.text, re.M), list("123456"))
        claims = re.findall(r" (NOT )?below the \S+ that was asked for$", self.text, re.M)
        self.assertEqual(claims, [""] * 8)

    def test_the_tables_of_the_document_are_printed(self):
        self.assertEqual(self.text.count("\nPERFORMANCE SUMMARY\n"), 2)
        self.assertRegex(self.text, r"\nbatch_backward +30 +\d+\.\d+ +\d+\.\d+ ")
        self.assertRegex(self.text, r"\n\[Performance\] critical_operation: \d+\.\d{3}s, CPU [+-]\d")
        self.assertEqual(self.text.count("[Performance] data processing: "), 3)
        self.assertEqual(len(re.findall(r"^  Epoch end: ", self.text, re.M)), 6)
        self.assertRegex(self.text, r"BOTTLENECK: (data_loading|training) \(")

    def test_the_csv_has_both_operations(self):
        with open(self.out("performance_metrics.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0])[:4], ["operation", "time", "cpu_mb", "gpu_mb"])
        self.assertEqual([row["operation"] for row in rows], ["data_loading", "training"])
        self.assertEqual([row["gpu_mb"] for row in rows], ["", ""])
        found = self.rows("performance", key="operation")
        for row in rows:
            self.assert_same_time(float(row["time"]), found[row["operation"]]["time"])

    def test_the_run_gives_the_views_of_the_document(self):
        self.assertEqual(self.rows("aggregate", key="operation")["batch_forward"]["count"], 30)
        self.assertIn(self.view("epochs", form=None), self.text)
        sweep = self.view("sweep")
        self.assertEqual(sorted(row["value"] for row in sweep["rows"]), ["16", "32", "64", "8"])
        seconds = {row["value"]: row["seconds"] for row in sweep["rows"]}
        printed = re.search(r"^Optimal batch size: (\d+) \(", self.text, re.M).group(1)
        self.assertEqual(sweep["optimal"]["seconds"], min(seconds.values()))
        self.assertIn(printed, seconds)  # by its own readings: another one may be the minimum there

    def test_numbers_choose_examples(self):
        folder = self.folder()
        done = run_example(self, self.script, "5", "3", cwd=folder)
        self.assertEqual(re.findall(r"^--- Example (\d):", done.stdout, re.M), ["5", "3"])
        for wrong in ("7", "0", "x"):
            run_example(self, self.script, wrong, cwd=folder, status=64)
        self.assertEqual(len(os.listdir(os.path.join(folder, "pitwall-runs"))), 1)


# ---- ranks --------------------------------------------------------------------------------------


class Straggler(Example):
    """Which rank is called slow depends on time and is not tested: the machine may be slower than the disk."""

    script = "straggler_torch.py"
    has_out = False

    def setUp(self):
        self.run_file = os.path.join(self.home, "run-0.pit")  # of the rank that prints

    def test_it_learns(self):
        self.check_claims("loss")

    def test_each_rank_has_a_run_with_the_same_calls(self):
        counts = {"step": 60, **{"step/" + part: 60 for part in (
            "data_loading", "forward", "backward", "all_reduce", "optimizer")}}
        for rank in range(2):
            self.run_file = os.path.join(self.home, "run-%d.pit" % rank)
            self.assertEqual(self.counts(), counts)
        self.assertRegex(self.text, r"(?m)^rank +step \(ms\) .*\n +0 .*\n +1 .*\n")
        self.assertEqual(self.talk.count("the run is in"), 2)


# ---- all of them --------------------------------------------------------------------------------


class All(auto_case.Loaded):
    def interpreter(self, script):
        if "jax" not in script:
            return py_case.PYTHON
        interpreter, why = py_frameworks.find()
        if interpreter is None:
            self.skipTest(why)
        return interpreter

    def test_each_is_tested_here(self):
        tested = sorted(case.script for case in Example.__subclasses__())
        self.assertEqual(tested, SCRIPTS)

    def test_help_fits_a_screen_and_has_a_command_to_try(self):
        for script in SCRIPTS:
            with self.subTest(script=script):
                done = run_example(self, script, "--help", python=self.interpreter(script))
                lines = done.stdout.splitlines()
                self.assertLess(len(lines), 40)
                self.assertLess(max(map(len, lines)), 105)
                self.assertIn("    python3 %s -o " % script, done.stdout)
                self.assertIn("    pitwall report " if "rom" not in script else "    cat ",
                              done.stdout)

    def test_wrong_usage_and_files_that_cannot_be_written(self):
        folder = self.folder()
        run_example(self, "patterns.py", "--what", status=64, cwd=folder)
        done = run_example(self, "patterns.py", "-o", "/dev/null/run.pit", status=74, cwd=folder)
        self.assertRegex(done.stderr, r"^patterns\.py: .*/dev/null/run\.pit.*: Not a directory\n$")
        done = run_example(self, "patterns.py", "--out", "/dev/null/out", status=74, cwd=folder)
        self.assertIn("/dev/null/out", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_claim_that_does_not_hold_is_status_1(self):
        found = self.python("""
            sys.path.insert(0, %r)
            import example_kit
            def work(args):
                yield "one", 0.5, 1.0
                yield "two", float("nan"), 1.0
                yield "three", 0.25, 1.0
            sys.argv[1:] = ["-o", "run.pit"]
            example_kit.main(work, "Claims.\\n\\nMore.")
        """ % FOLDER, status=1)
        self.assertIsNone(found)
        self.assertEqual(self.stdout, "one: 0.5000, below the 1 that was asked for\n"
                         "two: nan, NOT below the 1 that was asked for\n"
                         "three: 0.2500, below the 1 that was asked for\n")


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
