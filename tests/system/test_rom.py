"""The pipeline of examples/rom.c: two models trained, benchmarked, profiled and compared. Its files
follow the schemas and samples of tests/golden, with the same keys in the same order, and their figures
are consistent."""

import copy
import json
import os
import unittest

import jsonschema

import pit_case

# Most of the time is the training of the example, which a sanitizer makes slow: half as many epochs there.
SHORT = ["--quick"] if pit_case.sanitizer() else []
EPOCHS = 4 if SHORT else 8
PROFILE_KEYS = ["model_name", "training", "inference", "memory", "throughput", "complexity", "pitwall"]
COMPARISON_KEYS = ["models", "training_time_ratio", "inference_speedup", "memory_ratio",
                   "parameter_ratio", "winners", "pitwall"]
LSTM_KEYS = ["total_parameters", "latent_dimension", "hidden_dimension", "num_layers",
             "expected_parameters", "parameters_per_layer", "inference_flops_per_step",
             "training_complexity", "inference_complexity"]


def golden(name):
    with open(os.path.join(pit_case.source_dir(), "tests", "golden", name + ".schema.json"),
              encoding="utf-8") as file:
        return json.load(file)


def load(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def check(document, name):
    schema = golden(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)


def leaves(document, path=()):
    """The path of every key of nested objects."""
    for key, value in document.items():
        yield path + (key,)
        if isinstance(value, dict):
            yield from leaves(value, path + (key,))


class Schemas(unittest.TestCase):
    def test_the_samples_keep_to_them_and_lose_that_with_any_key(self):
        for name in ("runtime_profile", "runtime_comparison"):
            sample = golden(name)["examples"][0]
            check(sample, name)
            for path in leaves(sample):
                if "_vs_" in path[-1]:
                    continue
                broken = copy.deepcopy(sample)
                inner = broken
                for key in path[:-1]:
                    inner = inner[key]
                del inner[path[-1]]
                with self.subTest(name=name, without=path):
                    self.assertRaises(jsonschema.ValidationError, check, broken, name)


class Rom(pit_case.Case):
    @classmethod
    def setUpClass(cls):
        case = cls("run_it")
        cls.out = case.folder()
        cls.addClassCleanup(case.doCleanups)
        cls.done = case.run_ok([pit_case.example("rom"), *SHORT, "--out",
                                os.path.join(cls.out, "a", "b"), "--experiment", "made up",
                                "--trials", "50", "--peak"])
        cls.folder_of_it = os.path.join(cls.out, "a", "b", "made up")

    def run_it(self):
        """Only so that a case can be made before the first test."""

    def profile(self, model):
        return load(self.folder_of_it, model, "runtime_profile.json")

    def test_the_files_are_where_people_look_for_them(self):
        found = sorted(os.path.relpath(os.path.join(folder, name), self.folder_of_it)
                       for folder, _, names in os.walk(self.folder_of_it) for name in names)
        self.assertEqual(found, ["LSTM/runtime_profile.json", "MVAR/runtime_profile.json", "rom.pit",
                                 "runtime_comparison.json", "summary.json"])

    def test_profiles_have_the_keys_in_their_order(self):
        sample = golden("runtime_profile")["examples"][0]
        for model in ("MVAR", "LSTM"):
            profile = self.profile(model)
            check(profile, "runtime_profile")
            self.assertEqual(list(profile), PROFILE_KEYS)
            for part in ("training", "inference", "memory", "throughput"):
                self.assertEqual(list(profile[part]), list(sample[part]))
            for part in ("single_step", "full_trajectory"):
                self.assertEqual(list(profile["inference"][part]), list(sample["inference"][part]))
                self.assertNotIn("total_seconds", profile["inference"][part])
            expected = LSTM_KEYS if model == "LSTM" else list(sample["complexity"])
            self.assertEqual(list(profile["complexity"]), expected)

    def test_figures_of_a_profile_agree_with_one_another(self):
        for model, parameters, flops, size in (("MVAR", 2020, 4000, 8), ("LSTM", 7572, 14592, 4)):
            profile = self.profile(model)
            self.assertEqual(profile["model_name"], model)
            for timing in profile["inference"].values():
                self.assertLessEqual(timing["min_seconds"], timing["mean_seconds"])
                self.assertLessEqual(timing["mean_seconds"], timing["max_seconds"])
                self.assertEqual(timing["samples"], 50)
            memory, complexity = profile["memory"], profile["complexity"]
            self.assertEqual(memory["model_parameters"], parameters)
            self.assertAlmostEqual(memory["parameter_memory_mb"], parameters * size / 2 ** 20)
            self.assertGreaterEqual(memory["peak_mb"], memory["current_mb"])
            self.assertEqual(complexity["total_parameters"], parameters)
            self.assertEqual(complexity["expected_parameters"], parameters)
            self.assertEqual(complexity["inference_flops_per_step"], flops)
            rate = profile["throughput"]["steps_per_second"]
            step = profile["inference"]["full_trajectory"]["mean_seconds"] / 100
            self.assertAlmostEqual(rate * step, 1)
            self.assertAlmostEqual(profile["throughput"]["predictions_per_second"] / rate, 20)
            self.assertAlmostEqual(profile["throughput"]["microseconds_per_step"], 1e6 * step)
            own = profile["pitwall"]["flops"]
            self.assertAlmostEqual(own["achieved_per_second"] / (flops * rate), 1)
            self.assertGreater(own["machine_per_second"], 0)
            self.assertAlmostEqual(own["share_of_machine"] * own["machine_per_second"]
                                   / own["achieved_per_second"], 1)

    def test_the_comparison_is_of_the_two_profiles(self):
        document = load(self.folder_of_it, "runtime_comparison.json")
        check(document, "runtime_comparison")
        self.assertEqual(list(document), COMPARISON_KEYS)
        self.assertEqual(document["models"], ["MVAR", "LSTM"])
        mvar, lstm = self.profile("MVAR"), self.profile("LSTM")
        ratio = lstm["training"]["total_seconds"] / mvar["training"]["total_seconds"]
        self.assertAlmostEqual(document["training_time_ratio"]["LSTM_vs_MVAR"], ratio)
        times = [p["inference"]["full_trajectory"]["mean_seconds"] for p in (mvar, lstm)]
        self.assertAlmostEqual(document["inference_speedup"]["LSTM_vs_MVAR"], times[0] / times[1])
        self.assertAlmostEqual(document["memory_ratio"]["LSTM_vs_MVAR"], 7572 * 4 / (2020 * 8))
        self.assertAlmostEqual(document["parameter_ratio"]["LSTM_vs_MVAR"], 7572 / 2020)
        self.assertEqual(document["winners"]["smallest_memory"], "MVAR")
        faster = "MVAR" if times[0] <= times[1] else "LSTM"
        self.assertEqual(document["winners"]["fastest_inference"], faster)

    def test_the_summary_has_both_and_the_comparison(self):
        summary = load(self.folder_of_it, "summary.json")
        self.assertEqual(list(summary), ["experiment_name", "runtime_analysis"])
        self.assertEqual(summary["experiment_name"], "made up")
        analysis = summary["runtime_analysis"]
        self.assertEqual(list(analysis), ["profiles", "comparison"])
        self.assertEqual(analysis["profiles"], [self.profile("MVAR"), self.profile("LSTM")])
        self.assertEqual(analysis["comparison"], load(self.folder_of_it, "runtime_comparison.json"))

    def test_it_prints_what_the_models_learnt_and_took(self):
        text = self.done.stdout
        self.assertRegex(text, r"(?m)^MVAR: loss 0\.0[0-4]\d+, bar 0\.05$")
        self.assertRegex(text, r"(?m)^LSTM: loss 0\.0[0-7]\d+, bar 0\.08$")
        self.assertIn("TIMING SUMMARY - training\n", text)
        self.assertIn("LSTM Inference Benchmark:\n" + "-" * 40 + "\n  Mean latency:", text)

    def test_the_run_has_the_training_and_every_trial(self):
        run = self.run_ok([pit_case.tool(), "report", "--json",
                           os.path.join(self.folder_of_it, "rom.pit")])
        counts = {}

        def walk(document):
            if isinstance(document, dict):
                if "path" in document and "count" in document:
                    counts[document["path"]] = document["count"]
                for value in document.values():
                    walk(value)
            elif isinstance(document, list):
                for value in document:
                    walk(value)

        walk(json.loads(run.stdout))
        self.assertEqual(counts["train LSTM/epoch/batch/backward"], 60 * EPOCHS)
        self.assertEqual(counts["train MVAR/solve"], 1)
        for name in ("MVAR single step", "MVAR trajectory", "LSTM trajectory"):
            self.assertGreaterEqual(counts["benchmark/" + name], 50)

    def test_a_folder_that_cannot_be_made_is_an_error_with_its_reason(self):
        blocked = os.path.join(self.folder(), "file")
        with open(blocked, "w", encoding="utf-8"):
            pass
        done = self.run_status(1, [pit_case.example("rom"), "--epochs", "3", "--out", blocked, "--trials", "1"])
        self.assertIn("runtime_profile.json: the output cannot be written: Not a directory",
                      done.stderr)

    def test_a_model_that_did_not_learn_is_an_error(self):
        out = self.folder()
        done = self.run_status(1, [pit_case.example("rom"), "--out", out, "--epochs", "1", "--trials", "5"])
        self.assertIn("LSTM did not learn", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(out, "oscillators", "summary.json")))

    def test_wrong_arguments_are_refused(self):
        self.run_status(64, [pit_case.example("rom"), "--trials", "0"])
        self.run_status(64, [pit_case.example("rom"), "--epochs", "x"])
        self.run_status(64, [pit_case.example("rom"), "--what"])


if __name__ == "__main__":
    pit_case.main(has_threads=False)
