"""pitwall.timing: every sample of the timing utilities' documentation, and what they got wrong."""

import json
import os

import py_case

SUMMARY = """\
============================================================
TIMING SUMMARY - Section 1.1
============================================================
MLP training:              125.45s ( 39.5%)
SIREN training:             89.32s ( 28.1%)
KAN training:              102.67s ( 32.3%)
------------------------------------------------------------
Total time:                317.44s
Average per dataset:        35.27s
============================================================
"""
SPEEDUP = """\
============================================================
SPEEDUP ANALYSIS
============================================================
Baseline: KAN (150.00s)
------------------------------------------------------------
SIREN                :  1.67x faster
MLP                  :  1.25x faster
============================================================
"""
WARMUP = """\
MLP - Warmup Analysis:
----------------------------------------
  First epoch:           5.200s
  Steady state:          3.020s
  Warmup overhead:       2.180s ( 72.2%)
----------------------------------------
"""
NUMBER = r" -?\d[\d.e-]*"


class Samples(py_case.Case):
    def test_quick_start(self):
        found = self.python("""
            from pitwall import track_time, print_timing_summary
            def train_function(a, b): time.sleep(0.03); return a + b
            timers = {}
            results = track_time(timers, "Model Training", train_function, 1, 2)
            print_timing_summary(timers, "My Experiment")
            tell([results, timers])
        """)
        self.assertEqual(found[0], 3)
        self.assertGreaterEqual(found[1]["Model Training"], py_case.slept(0.03))
        lines = self.stdout.splitlines()
        self.assertEqual(lines[0], "Model Training complete: %.2fs total" % found[1]["Model Training"])
        self.assertEqual(lines[2], "TIMING SUMMARY - My Experiment")
        self.assertEqual(lines[4], "Model Training: %17.2fs (100.0%%)" % found[1]["Model Training"])
        self.assertNotIn("Average", self.stdout)

    def test_the_script_of_a_section_before_and_after(self):
        """The same three trainings, timed by hand and by track_time."""
        found = self.python("""
            datasets, depths, activations, epochs, device = [1, 2, 3], [2], ["relu"], 2, "cpu"
            grids = [3, 5]
            def run_mlp_tests(datasets, depths, activations, epochs, device):
                time.sleep(0.03); return {"mlp": len(datasets)}
            def run_siren_tests(datasets, depths, epochs, device):
                time.sleep(0.02); return {"siren": len(datasets)}
            def run_kan_grid_tests(datasets, grids, epochs, device):
                time.sleep(0.01); return {"kan": len(datasets)}, ["model"] * len(grids)

            import time
            script_start = time.time()
            mlp_start = time.time()
            run_mlp_tests(datasets, depths, activations, epochs, device)
            mlp_time = time.time() - mlp_start

            from pitwall import track_time, print_timing_summary
            timers = {}
            mlp_results = track_time(timers, "MLP", run_mlp_tests, datasets, depths, activations, epochs, device)
            siren_results = track_time(timers, "SIREN", run_siren_tests, datasets, depths, epochs, device)
            kan_results, models = track_time(timers, "KAN", run_kan_grid_tests, datasets, grids, epochs, device)
            print_timing_summary(timers, "Section 1.1", num_datasets=len(datasets))
            tell([mlp_results, siren_results, kan_results, models, timers, mlp_time,
                  time.time() - script_start])
        """)
        self.assertEqual(found[:4], [{"mlp": 3}, {"siren": 3}, {"kan": 3}, ["model", "model"]])
        timers, by_hand, whole = found[4:]
        self.assertEqual(list(timers), ["MLP", "SIREN", "KAN"])
        for seconds, least in zip([by_hand, *timers.values()], (0.03, 0.03, 0.02, 0.01)):
            self.assertGreaterEqual(seconds, py_case.slept(least))
        self.assertLessEqual(by_hand + sum(timers.values()), whole + 0.05)  # two clocks
        lines = self.stdout.splitlines()
        for line, name in zip(lines, timers):
            self.assertEqual(line, "%s complete: %.2fs total" % (name, timers[name]))
        self.assertEqual(lines[4], "TIMING SUMMARY - Section 1.1")
        self.assertRegex(lines[10], r"^Total time: {16} +\d+\.\d\ds$")
        self.assertRegex(lines[11], r"^Average per dataset: {7} +\d+\.\d\ds$")
        self.assertEqual(len(lines), 13)

    def test_what_the_documents_print_prints_as_a_dict(self):
        self.python("""
            from pitwall.timing import (benchmark_inference, enable_memory_tracking,
                                        track_time_and_gpu, track_time_and_memory)
            enable_memory_tracking()
            timers = {}
            track_time_and_memory(timers, "Model", lambda n: [0] * n, 1000)
            print(timers)
            timers = {}
            track_time_and_gpu(timers, "KAN training", lambda n: [0] * n, 1000)
            print(timers)
            print(benchmark_inference(lambda x: x, [1], num_iterations=100, warmup=10))
        """)
        lines = self.stdout.splitlines()
        self.assertRegex(lines[1], r"^\{'Model': \{'time': N, 'peak_memory_mb': N, "
                                   r"'current_memory_mb': N\}\}$".replace(" N", NUMBER))
        self.assertRegex(lines[3], r"^\{'KAN training': \{'time': N\}\}$".replace(" N", NUMBER))
        self.assertRegex(lines[4], r"^\{'mean_ms': N, 'min_ms': N, 'max_ms': N, "
                                   r"'throughput_samples_per_sec': N, ".replace(" N", NUMBER))

    def test_the_summary_to_the_column(self):
        self.python("""
            from pitwall.timing import print_timing_summary
            timers = {"MLP training": 125.45, "SIREN training": {"time": 89.32}, "KAN training": 102.67}
            print_timing_summary(timers, "Section 1.1", num_datasets=9)
        """)
        self.assertEqual(self.stdout, SUMMARY)

    def test_several_results_come_back_as_they_are(self):
        found = self.python("""
            from pitwall.timing import track_time
            result1, result2, result3 = track_time({}, "name", lambda x: (x, 2, [3]), 1)
            tell([result1, result2, result3])
        """)
        self.assertEqual(found, [1, 2, [3]])

    def test_memory(self):
        found = self.python("""
            from pitwall.timing import track_time_and_memory, enable_memory_tracking
            enable_memory_tracking()
            timers, kept = {}, []
            def train_fn(mb):
                kept.append(b"x" * (mb << 20))
                big = b"y" * (100 << 20)
                return len(big)
            result = track_time_and_memory(timers, "Model", train_fn, 50)
            tell([result, timers])
        """)
        self.assertEqual(found[0], 100 << 20)
        model = found[1]["Model"]
        self.assertEqual(list(model), ["time", "peak_memory_mb", "current_memory_mb"])
        self.assertAlmostEqual(model["peak_memory_mb"], 150, delta=4)
        self.assertAlmostEqual(model["current_memory_mb"], 50, delta=4)
        self.assertRegex(self.stdout,
                         r"^Model complete: \d+\.\d\ds, peak memory: 1(4\d|5\d)\.\d MB\n$")

    def test_without_a_gpu(self):
        found = self.python("""
            from pitwall.timing import track_time_and_gpu, get_gpu_memory_usage
            timers = {}
            result = track_time_and_gpu(timers, "KAN training", lambda: "r")
            tell([result, list(timers["KAN training"]), get_gpu_memory_usage()])
        """)
        self.assertEqual(found, ["r", ["time"], None])
        self.assertRegex(self.stdout, r"^KAN training complete: \d+\.\d\ds \(CPU mode\)\n$")

    def test_with_a_device(self):
        found = self.python("""
            from pitwall.timing import track_time_and_gpu, get_gpu_memory_usage
            state = {"now": 512 << 20, "peak": 512 << 20, "waits": 0}
            def wait(): state["waits"] += 1
            def reset(): state["peak"] = state["now"]
            pitwall.set_device(lambda: (state["now"], 1024 << 20, state["peak"]), wait, reset)
            def train_fn(): state["peak"] = 1000 << 20
            timers = {}
            track_time_and_gpu(timers, "KAN training", train_fn)
            stats = get_gpu_memory_usage()
            tell([timers, stats, state["waits"]])
        """)
        timers, stats, waits = found
        self.assertEqual({k: v for k, v in timers["KAN training"].items() if k != "time"},
                         {"allocated_mb": 512, "reserved_mb": 1024, "max_allocated_mb": 1000})
        self.assertEqual(stats["allocated_mb"], 512)
        self.assertGreaterEqual(waits, 2)
        self.assertIn("KAN training complete: %.2fs, GPU peak: 1000.0 MB" % timers["KAN training"]["time"],
                      self.stdout)

    def test_convergence(self):
        found = self.python("""
            from pitwall.timing import calculate_convergence_metrics
            results = {"loss": [1.0, 0.1, 0.02, 0.008, 0.009], "epoch_times": [3, 2, 2, 2, 2]}
            metrics = calculate_convergence_metrics(results, threshold=0.01)
            models = calculate_convergence_metrics(
                {"a": results, "b": {"val_loss": [1.0, 0.5]}}, threshold=0.01)
            up = calculate_convergence_metrics({"accuracy": [0.2, 0.9, 0.95]}, 0.9)
            down = calculate_convergence_metrics({"test": [5, 1]}, 2, mode="max")
            tell([metrics, models, up, down])
        """)
        metrics, models, up, down = found
        self.assertEqual(metrics["epochs_to_converge"], 4)
        self.assertEqual(metrics["time_to_converge"], 9)
        self.assertEqual(models["a"], metrics)
        self.assertIsNone(models["b"]["epochs_to_converge"])
        self.assertIsNone(models["b"]["time_to_converge"])
        self.assertEqual(up["epochs_to_converge"], 2)
        self.assertEqual(down["epochs_to_converge"], 1)

    def test_speedups(self):
        found = self.python("""
            from pitwall.timing import calculate_speedup_ratios, print_speedup_analysis
            timers = {"MLP": 120.0, "SIREN": 90.0, "KAN": 150.0}
            speedups = calculate_speedup_ratios(timers)
            print_speedup_analysis(timers, baseline="KAN")
            to_mlp = calculate_speedup_ratios(timers, baseline="MLP")
            zero = calculate_speedup_ratios({"a": 1.0, "b": 0.0})
            print_speedup_analysis({"a": 1.0, "nothing": 0.0})
            print_speedup_analysis(timers, "SIREN")
            try: calculate_speedup_ratios(timers, "none")
            except KeyError as error: wrong = str(error)
            tell([speedups, to_mlp, zero["a"], zero["b"] != zero["b"], wrong])
        """)
        self.assertAlmostEqual(found[0]["SIREN"], 150 / 90)
        self.assertEqual({k: round(v, 2) for k, v in found[0].items()},
                         {"MLP": 1.25, "SIREN": 1.67, "KAN": 1.0})
        self.assertEqual(found[1]["KAN"], 0.8)
        self.assertEqual(found[2:], [1.0, True, "'none'"])
        self.assertTrue(self.stdout.startswith(SPEEDUP))
        self.assertIn("nothing", self.stdout)
        self.assertRegex(self.stdout, r"(?m)^KAN {18}:  0\.60x slower$")

    def test_phases(self):
        found = self.python("""
            from pitwall.timing import DetailedTimer
            timer = DetailedTimer("Training")
            timer.start_phase("data_loading"); timer.end_phase()
            timer.start_phase("forward_pass"); time.sleep(0.02); timer.end_phase()
            timer.start_phase("backward_pass"); time.sleep(0.05); timer.end_phase()
            timer.end_phase()
            timer.print_breakdown()
            tell(timer.phases)
        """)
        self.assertGreaterEqual(found["backward_pass"], py_case.slept(0.05))
        lines = self.stdout.splitlines()
        self.assertEqual(lines[0], "Training - Detailed Breakdown:")
        self.assertEqual([lines[1], lines[5]], ["-" * 40] * 2)
        rows = {line.split()[0]: line for line in lines[2:5]}  # sorted by time, which depends on the
                                                               # machine
        self.assertEqual(set(rows), {"backward_pass", "forward_pass", "data_loading"})
        for name, line in rows.items():  # below a millisecond three digits
            self.assertRegex(line, r"^  %-20s: +(\d+\.\d\d|0\.000+[1-9]\d\d)s \([ \d]{3}\.\d%%\)$" % name)

    def test_files(self):
        folder = self.folder()
        self.python("""
            from pitwall.timing import export_timing_csv, export_timing_json
            timers = {"MLP": 120.0, "SIREN": 90.0, "KAN": {"time": 150.0, "peak_memory_mb": 2.5,
                                                            "current_memory_mb": float("nan")}}
            export_timing_csv(timers, "sec1_timing.csv", section_name="Section 1.1")
            export_timing_json(timers, "sec1_timing.json", section_name="Section 1.1")
        """, cwd=folder)
        with open(os.path.join(folder, "sec1_timing.csv")) as file:
            self.assertEqual(file.read(),
                             "Section,Model,Time (s),peak_memory_mb,current_memory_mb\n"
                             "Section 1.1,MLP,120.0000,,\nSection 1.1,SIREN,90.0000,,\n"
                             "Section 1.1,KAN,150.0000,2.5000,\n")
        with open(os.path.join(folder, "sec1_timing.json")) as file:
            document = json.load(file)
        self.assertEqual(list(document), ["section", "timestamp", "timings"])
        self.assertEqual(document["timings"]["KAN"],
                         {"time": 150.0, "peak_memory_mb": 2.5, "current_memory_mb": None})

    def test_json_of_times_alone_and_of_more(self):
        """The first is written by the library, the second has members that only the program knows."""
        folder = self.folder()
        self.python("""
            from pitwall.timing import export_timing_json
            timers = {'MLP': 120.0, 'SIREN': 90.5, 'é "x"': float("nan"), 5: 1e-9}
            export_timing_json(timers, 'times.json', section_name='Section 1.1')
            export_timing_json({**timers, "KAN": {"time": 1.5, "mine": {"a": [1, None]}}},
                               'more.json', section_name='Section 1.1')
        """, cwd=folder)
        texts, documents = {}, {}
        for name in ("times", "more"):
            with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
                texts[name] = file.read()
            documents[name] = json.loads(texts[name])
            self.assertEqual(documents[name]["section"], "Section 1.1")
            self.assertRegex(documents[name]["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertIn('\n    "SIREN": 90.5,\n    "é \\"x\\"": null,\n', texts[name])
        self.assertEqual(documents["times"]["timings"],
                         {"MLP": 120, "SIREN": 90.5, 'é "x"': None, "5": 1e-9})
        more = documents["more"]["timings"]
        self.assertEqual(more.pop("KAN"), {"time": 1.5, "mine": {"a": [1, None]}})
        self.assertEqual(more, documents["times"]["timings"])

    def test_a_file_that_cannot_be_written_raises_and_leaves_nothing(self):
        found = self.python("""
            from pitwall.timing import export_timing_csv, export_timing_json
            caught = []
            for export in (export_timing_csv, export_timing_json):
                try: export({"a": 1.0}, "none/x.out")
                except OSError as error: caught.append(type(error).__name__)
            tell([caught, os.listdir(".")])
        """)
        self.assertEqual(found[0], ["FileNotFoundError"] * 2)
        self.assertNotIn("none", found[1])

    def test_inference(self):
        found = self.python("""
            from pitwall.timing import benchmark_inference, print_inference_benchmark
            calls = []
            def model(x): calls.append(1); time.sleep(0.0005)
            results = benchmark_inference(model, [1, 2, 3, 4], num_iterations=20, warmup=3)
            counted = len(calls)
            print_inference_benchmark(model, [1] * 4, model_name="KAN")
            with pitwall.span("MLP benchmark"):
                pitwall.timing.verbose = False
                print_inference_benchmark(model, [1], "MLP", num_iterations=7, warmup=0)
            tell([results, counted, counts()])
        """)
        results, calls, spans = found
        # A trial that lost the core to another program is repeated, up to ten times for each.
        for name, trials in (("inference", 20), ("KAN", 100), ("MLP benchmark/MLP", 7)):
            self.assertGreaterEqual(spans[name], trials)
            self.assertLessEqual(spans[name], 11 * trials)
        self.assertEqual(list(results)[:4],
                         ["mean_ms", "min_ms", "max_ms", "throughput_samples_per_sec"])
        self.assertGreaterEqual(results["min_ms"], py_case.slept(0.5))
        self.assertLessEqual(results["p50_ms"], results["p95_ms"])
        self.assertAlmostEqual(results["throughput_samples_per_sec"] * results["mean_ms"] / 1e3, 4,
                               places=6)
        self.assertGreaterEqual(calls, 23)
        lines = self.stdout.splitlines()
        self.assertEqual(lines[:2], ["KAN Inference Benchmark:", "-" * 40])
        for line, label in zip(lines[2:5], ("Mean", "Min", "Max")):
            self.assertRegex(line, r"^  %-18s *\d+\.\d{3} ms$" % (label + " latency:"))
        self.assertRegex(lines[5], r"^  Throughput:  +\d+\.\d samples/sec$")
        self.assertEqual(len(lines), 7)

    def test_warmup(self):
        found = self.python("""
            from pitwall.timing import track_warmup_timing, print_warmup_analysis
            epoch_times = [5.2, 3.1, 3.0, 3.1, 3.0, 2.9]
            stats = track_warmup_timing(total_epochs=6, epoch_times=epoch_times)
            print_warmup_analysis(stats, model_name="MLP")
            tell([stats, track_warmup_timing(1, [5.0])])
        """)
        stats = found[0]
        self.assertEqual([round(stats[key], 2) for key in (
            "first_epoch_time", "avg_steady_state_time", "warmup_overhead")], [5.2, 3.02, 2.18])
        self.assertAlmostEqual(stats["warmup_overhead_pct"], 72.2, places=1)
        self.assertEqual(stats["warmup_ends_at"], 1)
        self.assertEqual(found[1], {})
        self.assertEqual(self.stdout, WARMUP)

    def test_several_features_together(self):
        folder = self.folder()
        self.python("""
            from pitwall import track_time, print_timing_summary
            from pitwall.timing import (
                track_time_and_gpu,
                print_speedup_analysis,
                export_timing_json
            )
            def run_mlp_tests(datasets, depths, activations, epochs, device): time.sleep(0.02)
            def run_siren_tests(datasets, depths, epochs, device): time.sleep(0.01)
            def run_kan_grid_tests(datasets, grids, epochs, device): time.sleep(0.03); return 1, 2
            datasets = depths = activations = epochs = device = grids = None
            timers = {}
            mlp_results = track_time_and_gpu(timers, "MLP", run_mlp_tests, datasets, depths, activations, epochs, device)
            siren_results = track_time_and_gpu(timers, "SIREN", run_siren_tests, datasets, depths, epochs, device)
            kan_results, models = track_time_and_gpu(timers, "KAN", run_kan_grid_tests, datasets, grids, epochs, device)
            print_timing_summary(timers, "Section 1.1", num_datasets=9)
            print_speedup_analysis(timers, baseline='KAN')
            export_timing_json(timers, 'sec1_1_timings.json', section_name='Section 1.1')
        """, cwd=folder)
        self.assertRegex(self.stdout, r"Baseline: KAN \(\d+\.\d\ds\)")
        self.assertIn("Average per dataset:", self.stdout)
        with open(os.path.join(folder, "sec1_1_timings.json")) as file:
            self.assertEqual(list(json.load(file)["timings"]), ["MLP", "SIREN", "KAN"])


class Defects(py_case.Case):
    def test_a_repeated_name_adds_up(self):
        found = self.python("""
            from pitwall.timing import track_time, track_time_and_memory
            timers = {}
            for _ in range(3): track_time(timers, "a", time.sleep, 0.01)
            nested = {}
            for mb in (80, 20): track_time_and_memory(nested, "m", lambda: len(b"x" * (mb << 20)))
            tell([timers["a"], nested["m"]])
        """)
        self.assertGreaterEqual(found[0], py_case.slept(0.03))
        self.assertAlmostEqual(found[1]["peak_memory_mb"], 80, delta=4)
        self.assertAlmostEqual(found[1]["current_memory_mb"], 0, delta=4)

    def test_an_exception_goes_through_and_its_time_counts(self):
        found = self.python("""
            from pitwall.timing import track_time
            calls = []
            def fails(): calls.append(1); time.sleep(0.01); raise ImportError("x")
            timers = {}
            try: track_time(timers, "a", fails)
            except ImportError as error: caught = str(error)
            kinds = [entry["kind"] for entry in pitwall.read_live()["journal"]]
            tell([caught, timers["a"], len(calls), counts(), kinds])
        """)
        self.assertEqual([found[0], found[2], found[3], found[4]], ["x", 1, {"a": 1}, ["failed"]])
        self.assertGreaterEqual(found[1], py_case.slept(0.01))
        self.assertEqual(self.stdout, "")

    def test_any_keyword_is_the_functions(self):
        found = self.python("""
            from pitwall.timing import track_time
            import inspect
            def f(**kwargs): return kwargs
            tell([track_time({}, "a", f, name=1, timers=2, func=3),
                  track_time(timers={}, name="b", func=f, x=1),
                  str(inspect.signature(track_time))])
        """)
        self.assertEqual(found, [{"name": 1, "timers": 2, "func": 3}, {"x": 1},
                                 "(timers, name, func, *args, **kwargs)"])

    def test_nested_memory_and_the_users_own_tracemalloc(self):
        found = self.python("""
            import tracemalloc
            from pitwall.timing import track_time_and_memory, enable_memory_tracking
            enable_memory_tracking()
            off = tracemalloc.is_tracing()
            tracemalloc.start()
            timers = {}
            def inner(): return len(b"x" * (60 << 20))
            def outer():
                n = len(b"x" * (90 << 20))
                return track_time_and_memory(timers, "inner", inner)
            track_time_and_memory(timers, "outer", outer)
            tell([off, tracemalloc.is_tracing(), timers])
        """)
        self.assertEqual(found[:2], [False, True])
        self.assertAlmostEqual(found[2]["inner"]["peak_memory_mb"], 60, delta=4)
        self.assertAlmostEqual(found[2]["outer"]["peak_memory_mb"], 90, delta=4)

    def test_numpy_memory_is_seen(self):
        found = self.python("""
            import numpy
            from pitwall.timing import track_time_and_memory
            timers = {}
            kept = track_time_and_memory(timers, "n", lambda: numpy.ones(25 << 20))
            tell(timers["n"])
        """)
        self.assertAlmostEqual(found["peak_memory_mb"], 200, delta=4)
        self.assertAlmostEqual(found["current_memory_mb"], 200, delta=4)

    def test_nested_values_in_every_table(self):
        self.python("""
            from pitwall.timing import *
            from pitwall.timing import track_time
            timers = {"a": {"time": 1.0, "peak_memory_mb": 1.0, "current_memory_mb": 0.0}, "b": 2.0}
            print_timing_summary(timers, "S"); print_speedup_analysis(timers)
            export_timing_csv(timers, "x.csv")
            track_time(timers, "a", lambda: None)
            assert timers["a"]["time"] >= 1.0
        """)
        self.assertRegex(self.stdout, r"(?m)^a: {23}    1\.00s \( 33\.3%\)$")
        self.assertRegex(self.stdout, r"(?m)^a {20}:  2\.00x faster$")

    def test_phases_of_several_threads(self):
        found = self.python("""
            from pitwall.timing import DetailedTimer
            with DetailedTimer("t") as timer:
                def work(name, nap):
                    timer.start_phase(name); time.sleep(nap); timer.end_phase()
                threads = [threading.Thread(target=work, args=("p%d" % i, 0.05)) for i in range(4)]
                for t in threads: t.start()
                for t in threads: t.join()
            tell(timer.phases)
        """)
        self.assertEqual(sorted(found), ["p0", "p1", "p2", "p3"])
        for seconds in found.values():
            self.assertGreaterEqual(seconds, py_case.slept(0.05))

    def test_starting_a_phase_ends_the_open_one(self):
        found = self.python("""
            from pitwall.timing import DetailedTimer
            timer = DetailedTimer("t")
            timer.start_phase("a"); sleep(2); timer.start_phase("b"); sleep(1); timer.end_phase()
            sleep(30)
            tell(timer.phases)
        """, start=py_case.START + py_case.CLOCK)
        self.assertEqual(found, {"a": 2, "b": 1})


class Silence(py_case.Case):
    PROGRAM = """
        from pitwall import timing
        %s
        timers = {}
        timing.track_time(timers, "a", lambda: print("mine"))
        timing.print_timing_summary(timers, "S")
        timing.print_speedup_analysis(timers)
        timing.print_inference_benchmark(lambda x: x, [1], num_iterations=2)
        timing.print_warmup_analysis({"first_epoch_time": 2.0, "avg_steady_state_time": 1.0}, "m")
        timer = timing.DetailedTimer("t"); timer.start_phase("p"); timer.print_breakdown()
        tell(list(timers))
    """

    def test_by_the_module(self):
        self.assertEqual(self.python(self.PROGRAM % "timing.verbose = False"), ["a"])
        self.assertEqual(self.stdout, "mine\n")

    def test_by_the_package(self):
        self.assertEqual(self.python(self.PROGRAM % "pitwall.verbose = False"), ["a"])
        self.assertEqual(self.stdout, "mine\n")

    def test_the_environment_leaves_the_tables_that_were_asked_for(self):
        self.assertEqual(self.python(self.PROGRAM % "", PITWALL_VERBOSE="0"), ["a"])
        self.assertNotIn("complete", self.stdout)
        for head in ("mine", "TIMING SUMMARY - S", "SPEEDUP ANALYSIS", "Model Inference Benchmark:",
                     "m - Warmup Analysis:", "t - Detailed Breakdown:"):
            self.assertIn(head, self.stdout)
        self.assertRegex(self.stdout, r"(?m)^  p \(open\) +: ")

    def test_what_is_called_may_speak(self):
        self.python("""
            from pitwall import timing, memory_monitor
            timing.verbose = False
            def f():
                with memory_monitor.track_performance("inner"): pass
            timing.track_time({}, "a", f)
        """)
        self.assertRegex(self.stdout, r"^\[Performance\] inner: \d+\.\d{3}s, CPU .*\n$")


class Everywhere(py_case.Case):
    def test_with_recording_off_all_is_measured(self):
        found = self.python("""
            from pitwall.timing import track_time, track_time_and_memory
            timers = {}
            track_time(timers, "a", time.sleep, 0.01)
            track_time_and_memory(timers, "m", lambda: len(b"x" * (40 << 20)))
            tell(timers)
        """, PITWALL="0")
        self.assertGreaterEqual(found["a"], py_case.slept(0.01))
        self.assertAlmostEqual(found["m"]["peak_memory_mb"], 40, delta=4)
        self.assertIn("a complete: %.2fs total\n" % found["a"], self.stdout)

    def test_redirected_output_is_seen_and_in_order(self):
        found = self.python("""
            import contextlib, io
            from pitwall.timing import track_time, print_timing_summary
            with contextlib.redirect_stdout(io.StringIO()) as text:
                timers = {}
                print("before")
                track_time(timers, "a", lambda: None)
                print_timing_summary(timers, "S")
            tell([text.getvalue().splitlines()[:2], timers["a"]])
        """)
        self.assertEqual(found[0], ["before", "a complete: %.2fs total" % found[1]])
        self.assertEqual(self.stdout, "")

    def test_what_stdout_raises_is_raised(self):
        found = self.python("""
            from pitwall.timing import track_time
            class Bad:
                def write(self, text): raise RuntimeError("no room")
                def flush(self): pass
            before, sys.stdout = sys.stdout, Bad()
            try: track_time({}, "a", lambda: 1)
            except RuntimeError as error: caught = str(error)
            sys.stdout = None
            result = track_time({}, "a", lambda: 2)
            sys.stdout = before
            tell([caught, result])
        """)
        self.assertEqual(found, ["no room", 2])

    def test_spans_of_the_faces_and_native_ones_are_one_tree(self):
        found = self.python("""
            from pitwall.timing import track_time
            def f():
                with pitwall.span("inner"): pass
            with pitwall.span("outer"):
                track_time({}, "timed", f)
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"outer": 1, "outer/timed": 1, "outer/timed/inner": 1}, {}])


class Cost(py_case.Case):
    def test_memory_is_tracked_without_tracemalloc(self):
        """The cost is py_alloc_pct and py_tracemalloc_pct of `make bench`."""
        found = self.python("""
            import tracemalloc
            from pitwall import timing
            timing.verbose = False
            timing.enable_memory_tracking()
            tell([timing.track_time_and_memory({}, "m", tracemalloc.is_tracing),
                  tracemalloc.is_tracing()])
        """)
        self.assertEqual(found, [False, False])


class Beyond(py_case.Case):
    def test_files_keep_memory_and_gpu(self):
        folder = self.folder()
        self.python("""
            from pitwall.timing import export_timing_csv
            timers = {"a,b": {"time": 1.0, "allocated_mb": 512.1, "reserved_mb": 1024,
                              "max_allocated_mb": float("nan")},
                      "=plain": 2.0, "own": {"time": 3.0, "note": "x"}}
            export_timing_csv(timers, "t.csv", section_name="S")
        """, cwd=folder)
        with open(os.path.join(folder, "t.csv")) as file:
            self.assertEqual(file.read(),
                             "Section,Model,Time (s),allocated_mb,reserved_mb,max_allocated_mb,note\n"
                             'S,"a,b",1.0000,512.1000,1024,,\n'
                             "S,'=plain,2.0000,,,,\nS,own,3.0000,,,,x\n")

    def test_results_of_trainings_in_their_nested_shape(self):
        found = self.python("""
            from pitwall.timing import calculate_convergence_metrics
            one = {"train": [0.5, 0.1, 0.002], "test": [0.6, 0.005, 0.004], "dense_mse": [1.0],
                   "total_time": 6.0, "time_per_epoch": 2.0}
            mlp = {0: {2: {"relu": one, "tanh": dict(one, test=[1.0, 1.0, 1.0])}}}
            siren = [{"train": [0.5, 0.001]}, {"train_loss": [1.0, 0.5]}]
            first = calculate_convergence_metrics(mlp)
            second = calculate_convergence_metrics({"siren": siren, "epochs": 2})
            tell([first[0][2]["relu"], first[0][2]["tanh"]["epochs_to_converge"],
                  [item["epochs_to_converge"] for item in second["siren"]], list(second)])
        """)
        relu, tanh, siren, names = found
        self.assertEqual([relu["epochs_to_converge"], relu["time_to_converge"]], [2, 4.0])
        self.assertEqual([tanh, siren, names], [None, [2, None], ["siren"]])

    def test_an_open_phase_is_shown_as_open(self):
        self.python("""
            from pitwall.timing import DetailedTimer
            timer = DetailedTimer("Training")
            timer.start_phase("load"); sleep(0.01); timer.end_phase()
            timer.start_phase("load"); sleep(0.02)
            timer.print_breakdown()
        """, start=py_case.START + py_case.CLOCK)
        lines = self.stdout.splitlines()
        self.assertRegex(lines[2], r"^  load \(open\) +: +0\.02s \(")
        self.assertRegex(lines[3], r"^  load {16}: +0\.01s \(")

    def test_rows_below_a_millisecond_keep_three_digits(self):
        self.python("""
            from pitwall.timing import print_timing_summary
            print_timing_summary({"a": 0.000412, "b": 0.00000417, "c": 0.0, "d": 12.25}, "S")
        """)
        self.assertEqual([line.split()[1] for line in self.stdout.splitlines()[3:7]],
                         ["0.000412s", "0.00000417s", "0.00s", "12.25s"])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)  # amounts of memory: a sanitizer has its own
