"""pitwall.runtime_analyzer: every sample of the runtime analysis module's documentation."""

import json
import os

import py_case

START = """
import numpy as np
from pathlib import Path
from pitwall.runtime_analyzer import *
A = np.eye(20) * 0.9
initial_state = np.ones(20)
def mvar_forecast(z0, n_steps):
    z, path = z0, []
    for _ in range(n_steps): z = A @ z; path.append(z)
    return path
def train_model(data): time.sleep(0.02); return "model"
data = None
"""
PROFILE_KEYS = ["model_name", "training", "inference", "memory", "throughput", "complexity",
                "pitwall"]


class Samples(py_case.Case):
    def test_standalone(self):
        folder = self.folder()
        found = self.python(START + """
output_dir = Path("out/experiment/MVAR")
analyzer = RuntimeAnalyzer()
with analyzer.time_operation('training') as timer:
    inside = timer.elapsed
    model = train_model(data)
    later = timer.elapsed
training_time = timer.elapsed
profile = quick_benchmark(
    model_name='MVAR',
    forecast_fn=mvar_forecast,
    z0=initial_state,
    training_time=training_time,
    model_params=2020,
    latent_dim=20,
    n_steps=100,
    n_trials=50,
    lag=5
)
analyzer.save_profile(profile, output_dir / 'runtime_profile.json')
tell([inside, later, training_time, type(profile).__name__])
""", cwd=folder)
        inside, later, training, kind = found
        self.assertLess(inside, later)
        self.assertLessEqual(later, training)
        self.assertGreaterEqual(training, 0.02)
        self.assertEqual(kind, "RuntimeProfile")
        with open(os.path.join(folder, "out/experiment/MVAR/runtime_profile.json")) as file:
            profile = json.load(file)
        self.assertEqual(list(profile), PROFILE_KEYS)
        self.assertEqual(profile["training"], {"total_seconds": training})
        for key in ("single_step", "full_trajectory"):
            self.assertEqual(list(profile["inference"][key]), [
                "mean_seconds", "std_seconds", "min_seconds", "max_seconds", "samples"])
            self.assertEqual(profile["inference"][key]["samples"], 50)
        self.assertEqual(list(profile["memory"]), [
            "peak_mb", "current_mb", "model_parameters", "parameter_memory_mb"])
        self.assertAlmostEqual(profile["memory"]["parameter_memory_mb"], 2020 * 8 / 2 ** 20)
        self.assertEqual(list(profile["throughput"]), [
            "steps_per_second", "predictions_per_second", "seconds_per_step",
            "microseconds_per_step"])
        self.assertEqual(profile["complexity"], {
            "total_parameters": 2020, "latent_dimension": 20, "lag_order": 5,
            "expected_parameters": 2020, "parameters_per_lag": 400,
            "inference_flops_per_step": 4000, "training_complexity": "O(N_samples * p * d²)",
            "inference_complexity": "O(p * d²)"})
        self.assertGreater(profile["pitwall"]["percentiles"]["single_step"]["p99_seconds"], 0)

    def test_manual(self):
        found = self.python(START + """
analyzer = RuntimeAnalyzer()
with analyzer.time_operation('model_training') as timer:
    model = train_model(data)
def count_parameters(model): return 420
inference_times = analyzer.benchmark_inference(
    forecast_fn=mvar_forecast,
    z0=initial_state,
    n_steps=100,
    n_trials=50,
    warmup_trials=5
)
memory = analyzer.measure_memory(
    model_params=count_parameters(model),
    param_dtype=np.float64
)
half = analyzer.measure_memory(420, np.float32)
profile = analyzer.build_profile(
    model_name='MyModel',
    training_time=timer.elapsed,
    inference_times=inference_times,
    model_params=count_parameters(model),
    latent_dim=20,
    n_forecast_steps=100,
    lag=5
)
analyzer.save_profile(profile, 'my_profile.json')
t = inference_times['full_trajectory']
tell([list(inference_times), t.samples, t.min_seconds <= t.mean_seconds <= t.max_seconds,
      len(t.times), t.cpu_mean_seconds > 0, memory.parameter_memory_mb, half.parameter_memory_mb,
      profile.complexity, profile.to_dict()["pitwall"]["operations"], timer.elapsed,
      profile.throughput, t.mean_seconds])
""")
        self.assertEqual(found[:2], [["single_step", "full_trajectory"], 50])
        self.assertEqual(found[2:5], [True, 50, True])
        self.assertAlmostEqual(found[5], 420 * 8 / 2 ** 20)
        self.assertAlmostEqual(found[6], 420 * 4 / 2 ** 20)
        self.assertEqual(found[7], {"total_parameters": 420, "latent_dimension": 20})
        # A timed operation reaches the profile.
        self.assertEqual(found[8], {"model_training": found[9]})
        self.assertAlmostEqual(found[10]["seconds_per_step"], found[11] / 100)
        self.assertAlmostEqual(found[10]["predictions_per_second"],
                               20 * found[10]["steps_per_second"])

    def test_comparing(self):
        folder = self.folder()
        found = self.python(START + """
analyzer = RuntimeAnalyzer()
# Figures as of a quiet machine: on a busy one there may be no verdict.
import random, statistics
def timing(seconds):
    times = [seconds * (1 + 0.02 * random.Random(i).random()) for i in range(50)]
    return TimingResult(sum(times), statistics.mean(times), statistics.pstdev(times), min(times),
                        max(times), len(times), statistics.median(times), details={"times": times})
inference_times_a = {"single_step": timing(1e-4), "full_trajectory": timing(0.01)}
inference_times_b = {"single_step": timing(1e-3), "full_trajectory": timing(0.1)}
profile_a = analyzer.build_profile(
    model_name='ModelA',
    training_time=2.0,
    inference_times=inference_times_a,
    model_params=100,
    latent_dim=20,
    n_forecast_steps=100
)
profile_b = analyzer.build_profile(
    model_name='ModelB',
    training_time=6.9,
    inference_times=inference_times_b,
    model_params=215,
    latent_dim=20,
    n_forecast_steps=100
)
comparison = analyzer.compare_models([profile_a, profile_b])
analyzer.save_comparison(comparison, 'comparison.json')
print(f"Training speedup: {comparison['training_time_ratio']['ModelB_vs_ModelA']:.2f}x")
print(f"Inference speedup: {comparison['inference_speedup']['ModelB_vs_ModelA']:.2f}x")
print(f"Winner (training): {comparison['winners']['fastest_training']}")
tell(comparison)
""", cwd=folder)
        self.assertEqual(list(found), [
            "models", "training_time_ratio", "inference_speedup", "memory_ratio",
            "parameter_ratio", "winners", "pitwall"])
        self.assertAlmostEqual(found["training_time_ratio"]["ModelB_vs_ModelA"], 3.45)
        self.assertAlmostEqual(found["inference_speedup"]["ModelB_vs_ModelA"], 0.1)
        self.assertAlmostEqual(found["memory_ratio"]["ModelB_vs_ModelA"], 2.15)
        self.assertEqual(found["winners"], {"fastest_training": "ModelA",
                                            "fastest_inference": "ModelA",
                                            "smallest_memory": "ModelA"})
        verdict = found["pitwall"]["significance"]["ModelB_vs_ModelA"]["full_trajectory"]
        self.assertEqual(verdict["verdict"], "slower")
        self.assertRegex(self.stdout, r"^Training speedup: 3\.45x\nInference speedup: 0\.10x\n"
                                      r"Winner \(training\): ModelA\n$")
        with open(os.path.join(folder, "comparison.json")) as file:
            self.assertEqual(json.load(file), found)

    def test_pipeline(self):
        folder = self.folder()
        self.python(START + """
analyzer = RuntimeAnalyzer()
profiles = []
for name, params, kwargs in (("MVAR", 2020, {"lag": 5}), ("LSTM", 0, {"hidden_dim": 16})):
    with analyzer.time_operation(name) as timer: train_model(data)
    profiles.append(quick_benchmark(name, mvar_forecast, initial_state, timer.elapsed, params, 20,
                                    n_steps=10, n_trials=5, **kwargs))
    analyzer.save_profile(profiles[-1], Path("out/exp") / name / "runtime_profile.json")
analyzer.save_comparison(analyzer.compare_models(profiles), "out/exp/runtime_comparison.json")
analyzer.save_summary("exp", profiles, "out/exp/summary.json")
""", cwd=folder)
        out = os.path.join(folder, "out/exp")
        self.assertEqual(sorted(os.listdir(out)), ["LSTM", "MVAR", "runtime_comparison.json",
                                                   "summary.json"])
        with open(os.path.join(out, "summary.json")) as file:
            summary = json.load(file)
        self.assertEqual(summary["experiment_name"], "exp")
        analysis = summary["runtime_analysis"]
        self.assertEqual([p["model_name"] for p in analysis["profiles"]], ["MVAR", "LSTM"])
        with open(os.path.join(out, "runtime_comparison.json")) as file:
            self.assertEqual(json.load(file), analysis["comparison"])
        self.assertRegex(self.stdout, "hint: 5 trials are few; n_trials=")


class Defects(py_case.Case):
    def test_the_peak_is_a_true_one(self):
        found = self.python(START + """
len(b"x" * (200 << 20))
memory = RuntimeAnalyzer().measure_memory(10, np.float64)
tell([memory.peak_mb, memory.current_mb])
""")
        self.assertGreater(found[0] - found[1], 150)

    def test_a_baseline_of_no_parameters_divides_by_nothing(self):
        found = self.python(START + """
analyzer = RuntimeAnalyzer()
def profile(name, params, training):
    return analyzer.build_profile(name, training, {}, params, 20)
comparison = analyzer.compare_models([profile("A", 0, 0.0), profile("B", 10, 1.0),
                                      profile("C", 20, None)])
tell(comparison)
""")
        self.assertEqual(found["parameter_ratio"], {"B_vs_A": None, "C_vs_A": None})
        self.assertEqual(found["training_time_ratio"]["B_vs_A"], None)
        self.assertEqual(found["inference_speedup"]["B_vs_A"], None)
        self.assertEqual(found["models"], ["A", "B", "C"])

    def test_lstm_parameters_of_several_layers_are_torchs(self):
        found = self.python(START + """
import torch
class Net(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.lstm = torch.nn.LSTM(20, 16, num_layers=layers); self.out = torch.nn.Linear(16, 20)
class Wrapper:
    def __init__(self, model): self.model = model
rows = []
for layers in (1, 2, 3):
    net = Net(layers)
    params = compute_lstm_params(net)
    assert params == compute_lstm_params(Wrapper(net))
    found = RuntimeAnalyzer().analyze_complexity("LSTM", params, 20, hidden_dim=16,
                                                 num_layers=layers)
    rows.append([params, found["expected_parameters"], found["num_layers"]])
tell(rows)
""", timeout=120)
        for params, expected, _ in found:
            self.assertEqual(params, expected)
        self.assertEqual([row[2] for row in found], [1, 2, 3])

    def test_mvar_parameters(self):
        found = self.python(START + """
arrays = {"A_0": np.zeros(20), "A_j": np.zeros((5, 20, 20))}
lists = {"A_0": [0.0] * 20, "A_j": [np.zeros((20, 20)) for _ in range(5)]}
plain = {"A_0": [0.0] * 2, "A_j": [[[1, 2], [3, 4]]] * 3}
tell([compute_mvar_params(m) for m in (arrays, lists, plain)])
""")
        self.assertEqual(found, [2020, 2020, 14])

    def test_an_exception_of_the_forecast_goes_through(self):
        found = self.python(START + """
calls = []
def bad(z, n): calls.append(n); raise ValueError("no")
try: RuntimeAnalyzer().benchmark_inference(bad, None)
except ValueError as error: caught = str(error)
with_error = RuntimeAnalyzer()
try:
    with with_error.time_operation("a"): raise KeyError("x")
except KeyError: pass
tell([caught, len(calls), list(with_error.timings), losses()])
""")
        self.assertEqual(found, ["no", 1, ["a"], {}])

    def test_other_models_by_a_table(self):
        found = self.python(START + """
from pitwall import runtime_analyzer
runtime_analyzer.complexity_models["Mine"] = lambda params, d, **k: {"training_complexity": "O(d)",
                                                                    "depth": k["depth"]}
analyzer = RuntimeAnalyzer()
tell([analyzer.analyze_complexity("Mine", 10, 2, depth=3),
      analyzer.analyze_complexity("Other", 10, 2),
      analyzer.build_profile("Mine", 1.0, {}, 10, 2, depth=3).to_dict()["complexity"]["depth"]])
""")
        self.assertEqual(found, [{"total_parameters": 10, "latent_dimension": 2,
                                  "training_complexity": "O(d)", "depth": 3},
                                 {"total_parameters": 10, "latent_dimension": 2}, 3])

    def test_the_standard_deviation_is_of_the_population(self):
        found = self.python(START + """
import statistics
t = RuntimeAnalyzer().benchmark_inference(mvar_forecast, initial_state, 5, 50)["full_trajectory"]
tell([t.std_seconds, statistics.pstdev(t.times), t.mean_seconds, statistics.mean(t.times)])
""")
        self.assertAlmostEqual(found[0], found[1], places=12)
        self.assertAlmostEqual(found[2], found[3], places=12)


class Native(py_case.Case):
    def test_bench(self):
        found = self.python("""
            calls = []
            result = pitwall.bench(time.sleep, 0.001, trials=20, warmup=2, min_seconds=-1.0)
            made = pitwall.bench(lambda: calls.append(1), setup=calls.clear, trials=30, name="made")
            try: pitwall.bench(lambda: 1 / 0)
            except ZeroDivisionError as error: caught = str(error)
            tell([result.trials, result.median, result.name, made.iterations, str(made), caught])
        """)
        self.assertEqual([found[0], found[2], found[3], found[5]],
                         [20, "sleep", 1, "division by zero"])
        self.assertGreaterEqual(found[1], 0.001)
        self.assertTrue(found[4].startswith("made Inference Benchmark:\n"))

    def test_race(self):
        found = self.python("""
            def short(): return sum(range(200))
            def long(): return sum(range(2000))
            race = pitwall.race(short, long, rounds=10, round_seconds=0.005)
            back = pitwall.race(long, short, rounds=10, round_seconds=0.005)
            tell([race.verdict, back.verdict, race.change, str(race), race.low <= race.change <= race.high])
        """)
        self.assertEqual(found[:2], ["slower", "faster"])
        self.assertGreater(found[2], 1)
        self.assertTrue(found[3].startswith("long is slower than short: +"))
        self.assertTrue(found[3].endswith("%], 10 rounds in one process"), found[3])
        self.assertTrue(found[4])

    RACERS = """
            def short(n): return sum(range(n))
            def long(n): return sum(range(50 * n))
            def bad(n):
                raise KeyError(n)
            def gone(n):
                os._exit(3)
            def caught(call):
                try: return call()
                except Exception as error: return [type(error).__name__, str(error)]
    """

    def test_a_race_in_processes_of_their_own(self):
        found = self.python(self.RACERS + """
            def race(how, f=short, g=long, **more):
                result = pitwall.race(f, g, 100, round_seconds=0.001, processes=how, **more)
                return [result.verdict, result.processes, result.rounds, str(result)]
            if __name__ == "__main__":
                pitwall.open("run.pit")
                with pitwall.span("here"): pass
                told = [race("spawn", rounds=5), race("fork"), race(True, g=lambda n: long(n))]
                for function in (bad, gone):
                    told.append(caught(lambda: race("fork", g=function)))
                told.append(caught(lambda: race("spawn", g=lambda n: 1)))
                told.append(caught(lambda: race("threads")))
                pitwall.close()
                tell([told, counts(pitwall.read("run.pit")), sorted(os.listdir())])
        """, timeout=300)
        told, spans, files = found
        self.assertEqual(told[0][:3], ["slower", "spawn", 5])
        self.assertTrue(told[0][3].endswith(" 5 rounds by spawn"), told[0])
        self.assertEqual(told[1][:3], ["slower", "fork", 10])  # the first look is enough
        self.assertEqual(told[2][:3], ["slower", "fork", 10])  # a lambda cannot be sent
        self.assertEqual(told[3], ["KeyError", "100"])
        self.assertEqual(told[4], ["Error",
                                   "race: the process of gone ended with status 3 and no result"])
        self.assertEqual(told[5][0], "ValueError")
        self.assertIn("lambda", told[5][1])
        self.assertEqual(told[6], ["ValueError",
                                   "processes must be False, True, 'spawn' or 'fork', not 'threads'"])
        self.assertEqual(spans, {"here": 1})
        self.assertEqual([name for name in files if name.endswith(".pit")], ["run.pit"])

    def test_every_run_of_such_a_race_is_another_process(self):
        found = self.python("""
            def note(n):
                with open("pids", "a") as file: file.write("%d " % os.getpid())
            race = pitwall.race(note, note, 1, rounds=5, processes="fork", round_seconds=1e-6)
            tell([len(set(open("pids").read().split())), str(os.getpid()) in open("pids").read()])
        """)
        self.assertEqual(found, [10, False])

    def test_scale(self):
        found = self.python("""
            sizes = [2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000]
            result = pitwall.scale(lambda n: sum(range(n)), sizes, rounds=3)
            try: pitwall.scale(lambda n: 1 / 0, sizes)
            except ZeroDivisionError: caught = 1
            try: pitwall.find_scaling([1, 2], [1, 2])
            except pitwall.Error as error: few = str(error)
            tell([len(result.costs), caught, few, result.name, result.costs[-1] / result.costs[0]])
        """)
        self.assertEqual(found[:3], [8, 1, "scaling: it takes three sizes at least"])
        # 128 times the size; a busy machine may bend the curve.
        self.assertIn(found[3], ("n", "n log n", "n^2", "n^k"))
        self.assertGreater(found[4], 10)

    def test_views_over_plain_data(self):
        found = self.python("""
            text = pitwall.view("timing-summary", rows=[("a", 1.0), {"name": "b", "seconds": 3.0}],
                                title="S")
            as_json = json.loads(pitwall.view("speedup", rows=[("a", 1.0), ("b", 2.0)], form="json"))
            curve = pitwall.view("convergence", curves=[("loss", [1, 0.001], [1, 1])], threshold=0.01)
            wrong = []
            for call in (lambda: pitwall.view("none", rows=[]),
                         lambda: pitwall.view("speedup", rows=[("a",)]),
                         lambda: pitwall.view("speedup", rows=[("a", "x")]),
                         lambda: pitwall.view("speedup", rows=5),
                         lambda: pitwall.view("speedup", rows=[], form="pdf"),
                         lambda: pitwall.view("speedup", rows=[("a", 1.0)], colour_of=1)):
                try: call(); wrong.append("nothing")
                except (pitwall.Error, TypeError, ValueError) as error: wrong.append(str(error))
            tell([text, as_json, curve, wrong])
        """)
        self.assertIn("b:                           3.00s ( 75.0%)", found[0])
        self.assertIn("loss", found[2])
        self.assertNotIn("nothing", found[3])
        self.assertEqual(len(found[3]), 6)


if __name__ == "__main__":
    py_case.main(plain_build_only=True)  # amounts of memory: a sanitizer has its own
