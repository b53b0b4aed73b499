"""pitwall.time_profiler: every sample of the timing instrumentation summary."""

import json
import os
import re
import subprocess

import py_case

STAGES = [("Argument parsing", 0.12), ("LLM model loading", 44.23),
          ("Graph tower initialization (gpm)", 2.45),
          ("Dataset loading and preprocessing", 12.34), ("Trainer initialization", 0.89),
          ("Main training loop", 2345.67), ("State saving", 4.23)]
SUMMARY = """\
================================================================================
[TIMING SUMMARY]
================================================================================
  Argument parsing                        : 0.12s                (0.0%)
  LLM model loading                       : 44.23s               (1.8%)
  Graph tower initialization (gpm)        : 2.45s                (0.1%)
  Dataset loading and preprocessing       : 12.34s               (0.5%)
  Trainer initialization                  : 0.89s                (0.0%)
  Main training loop                      : 2345.67s (39.09min)  (97.3%)
  State saving                            : 4.23s                (0.2%)
  TOTAL                                   : 2409.93s (40.17min)
================================================================================
"""
STAMP = r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] "
PIPELINE = """
    from pitwall.time_profiler import profiler
    profiler.log("=== TRAINING PIPELINE START ===")
    for stage, seconds in %r:
        profiler.log(stage, seconds)
    profiler.summary()
""" % STAGES


class Samples(py_case.Case):
    def test_the_expected_output(self):
        self.python(PIPELINE)
        lines = self.stdout.splitlines(keepends=True)
        self.assertRegex(lines[0], "^" + STAMP + r"\[STAGE\] === TRAINING PIPELINE START ===\n$")
        self.assertRegex(lines[1], "^" + STAMP + r"\[TIMING\] Argument parsing: 0\.12s\n$")
        self.assertRegex(lines[6],
                         "^" + STAMP + r"\[TIMING\] Main training loop: 2345\.67s \(39\.09min\)\n$")
        self.assertEqual("".join(lines[8:]), SUMMARY)

    def test_hours_and_repeats(self):
        found = self.python("""
            from pitwall.time_profiler import TimeProfiler
            profiler = TimeProfiler()
            profiler.log("long", 7200.0)
            profiler.log("again", 1.0); profiler.log("again", 2.0)
            tell(profiler.timings)
        """)
        self.assertEqual(found, {"long": 7200, "again": 3})
        self.assertIn("long: 7200.00s (2.00h)\n", self.stdout)

    def test_customisation(self):
        found = self.python("""
            from pitwall.time_profiler import profiler
            profiler.log("Custom stage name")
            t0 = time.time()
            time.sleep(0.01)
            profiler.log("Custom stage name", time.time() - t0)
            tell(profiler.timings)
        """)
        self.assertGreaterEqual(found["Custom stage name"], 0.0099)
        self.assertRegex(self.stdout, STAMP + r"\[STAGE\] Custom stage name\n" + STAMP +
                         r"\[TIMING\] Custom stage name: %.2fs\n" % found["Custom stage name"])

    def test_export(self):
        folder = self.folder()
        found = self.python("""
            from pitwall.time_profiler import profiler
            profiler.log("a", 1.5)
            with open('timing_data.json', 'w') as f:
                json.dump({
                    'timings': profiler.timings,
                    'total_time': time.time() - profiler.start_time
                }, f, indent=2)
            profiler.save("ours.json")
            tell(1)
        """, cwd=folder)
        self.assertEqual(found, 1)
        for name in ("timing_data.json", "ours.json"):
            with open(os.path.join(folder, name)) as file:
                document = json.load(file)
            self.assertEqual(list(document), ["timings", "total_time"])
            self.assertEqual(document["timings"], {"a": 1.5})
            self.assertGreater(document["total_time"], 0)
            self.assertLess(document["total_time"], 1e6)  # since it began, not since 1970

    def test_export_at_the_end_of_a_script(self):
        folder = self.folder()
        self.python("""
            import json
            from pitwall.time_profiler import profiler
            def train():
                profiler.log("=== TRAINING PIPELINE START ===")
                t0 = time.time()
                time.sleep(0.01)
                profiler.log("Main training loop", time.time() - t0)

            if __name__ == "__main__":
                train()
                profiler.summary()

                # Export to JSON
                with open('timing_data.json', 'w') as f:
                    json.dump({
                        'timings': profiler.timings,
                        'total_time': time.time() - profiler.start_time
                    }, f, indent=2)
        """, cwd=folder)
        self.assertRegex(self.stdout, r"(?m)^  Main training loop {22}: \d+\.\d\ds +\(100\.0%\)$")
        with open(os.path.join(folder, "timing_data.json")) as file:
            document = json.load(file)
        self.assertEqual(list(document["timings"]), ["Main training loop"])
        self.assertGreaterEqual(document["timings"]["Main training loop"], 0.0099)
        self.assertGreaterEqual(document["total_time"], document["timings"]["Main training loop"])

    def test_a_tower_that_prints_every_so_many_graphs(self):
        """The document's tower keeps lists and prints by hand; a window prints the same line."""
        self.python("""
            class Tower:
                def __init__(self, every):
                    self.every, self.nodes = every, []
                    self.pattern_gen_times, self.forward_times = [], []
                    self.total_nodes_processed = self.total_patterns_generated = 0
                    self.window = pitwall.window("GPM TIMING", unit="graphs", every=every, items={
                        "Pattern gen": "ms", "Total": "ms", "Avg nodes": "mean"})
                def forward(self, nodes):
                    self.pattern_gen_times.append(nodes / 1e3)
                    self.forward_times.append(nodes / 500)
                    self.nodes.append(nodes)
                    self.total_nodes_processed += nodes
                    self.total_patterns_generated += 4
                    self.window.add(nodes / 1e3, nodes / 500, nodes)
                    if len(self.forward_times) % self.every == 0:
                        def mean(figures): return sum(figures[-self.every:]) / self.every
                        print(f"[GPM TIMING] Last {self.every} graphs: "
                              f"Pattern gen={1e3 * mean(self.pattern_gen_times):.2f}ms, "
                              f"Total={1e3 * mean(self.forward_times):.2f}ms, "
                              f"Avg nodes={mean(self.nodes):.1f}")
            for every in (100, 50):
                tower = Tower(every)
                for graph in range(200): tower.forward(20 + graph % 16)
                assert tower.window.sum("Avg nodes") == tower.total_nodes_processed
        """)
        lines = self.stdout.splitlines()
        self.assertEqual(len(lines), 2 * (2 + 4))
        self.assertEqual(lines[::2], lines[1::2])
        self.assertTrue(lines[0].startswith("[GPM TIMING] Last 100 graphs: Pattern gen="))
        self.assertTrue(lines[4].startswith("[GPM TIMING] Last 50 graphs: Pattern gen="))

    def test_windows(self):
        found = self.python("""
            gpm = pitwall.window("GPM TIMING", unit="graphs", every=100,
                                 items={"Pattern gen": "ms", "Total": "ms", "Avg nodes": "mean",
                                        "patterns": "hidden"})
            for i in range(250):
                slow = i >= 100
                gpm.add(0.12345 + slow, 0.45678 + slow, 28.3, 7)
            gpm.add(**{"Pattern gen": 1, "Total": 2, "Avg nodes": 3, "patterns": 4})
            wrong = []
            for call in (lambda: gpm.add(1), lambda: gpm.add(1, 2, 3, bad=4),
                         lambda: pitwall.window("T", items={}),
                         lambda: pitwall.window("T", items={"a": "hours"})):
                try: call()
                except (TypeError, ValueError): wrong.append(1)
            tell([gpm.count, gpm.sum("patterns"), sum(wrong)])
        """)
        self.assertEqual(found, [251, 250 * 7 + 4, 4])
        # Each line over exactly the last hundred.
        self.assertEqual(self.stdout.splitlines(), [
            "[GPM TIMING] Last 100 graphs: Pattern gen=123.45ms, Total=456.78ms, Avg nodes=28.3",
            "[GPM TIMING] Last 100 graphs: Pattern gen=1123.45ms, Total=1456.78ms, Avg nodes=28.3"])

    def test_the_documents_own_analysis_of_our_log(self):
        folder = self.folder()
        self.python(PIPELINE)
        log = os.path.join(folder, "pretrain_with_timing.log")
        with open(log, "w") as file:
            file.write("***** Running training *****\n" + self.stdout)
            file.write("[GPM TIMING] Last 100 graphs: Pattern gen=123.45ms, Total=456.78ms, "
                       "Avg nodes=28.3\n")
        timings = {}
        with open(log) as file:
            for line in file:
                if "[TIMING]" in line:
                    match = re.search(r"\[TIMING\] (.*?): ([\d.]+)", line)
                    if match:
                        stage, seconds = match.groups()
                        timings[stage] = float(seconds)
        found = self.python("""
            from pitwall.time_profiler import parse_timing_log, read_timing_log
            timings = parse_timing_log('pretrain_with_timing.log')
            print(f"Total training time: {timings.get('Main training loop', 0):.2f}s")
            kinds = [e["kind"] for e in read_timing_log('pretrain_with_timing.log')]
            window = [e for e in read_timing_log('pretrain_with_timing.log') if e["kind"] == "window"]
            tell([timings, sorted(set(kinds)), window[0]["figures"]])
        """, cwd=folder)
        self.assertEqual(found[0], timings)
        self.assertEqual(found[0], dict(STAGES))
        self.assertEqual(found[1], ["stage", "summary", "timing", "total", "window"])
        self.assertEqual(found[2]["Pattern gen"], 123.45)
        self.assertEqual(self.stdout, "Total training time: 2345.67s\n")
        for pattern, count in ((r"\[TIMING\]", 7), (r"\[GPM TIMING\]", 1), ("TIMING SUMMARY", 1)):
            done = subprocess.run(["grep", "-c", pattern, log], capture_output=True, text=True)
            self.assertEqual(done.stdout.strip(), str(count))

    def test_a_log_that_is_not_there_raises(self):
        found = self.python("""
            from pitwall.time_profiler import parse_timing_log
            try: parse_timing_log("none.log")
            except FileNotFoundError as error: tell(error.filename)
        """)
        self.assertEqual(found, "none.log")

    def test_each_line_is_flushed(self):
        """Output is often piped into tee: a line must arrive before the program continues."""
        found = self.python("""
            import subprocess
            program = '''if 1:
                from pitwall.time_profiler import profiler
                import sys
                profiler.log("first")
                sys.stdin.read()
            '''
            child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True)
            line = child.stdout.readline()
            alive = child.poll() is None
            child.communicate("")
            tell([line.rstrip().endswith("[STAGE] first"), alive])
        """)
        self.assertEqual(found, [True, True])

    def test_stages_as_blocks_with_memory(self):
        found = self.python("""
            from pitwall.time_profiler import profiler
            kept = []
            with pitwall.stage("load", memory=True):
                kept.append(b"x" * (40 << 20))
            try:
                with pitwall.stage("fails"): raise KeyError("x")
            except KeyError: pass
            tell([profiler.memory(), list(profiler.timings), counts()])
        """)
        self.assertAlmostEqual(found[0]["load"]["cpu_delta_mb"], 40, delta=4)
        self.assertGreaterEqual(found[0]["load"]["cpu_peak_mb"], 40)
        self.assertEqual(found[1:], [["load", "fails"], {"load": 1, "fails": 1}])
        self.assertEqual(self.stdout.count("[STAGE]"), 2)
        self.assertEqual(self.stdout.count("[TIMING]"), 2)

    def test_complexity(self):
        found = self.python("""
            scaling = pitwall.find_scaling([100, 200, 400, 800, 1600, 3200, 6400, 12800],
                                           [n * n * 1e-9 + 1e-6 for n in
                                            (100, 200, 400, 800, 1600, 3200, 6400, 12800)])
            cost, low, high = scaling.predict(25600)
            gpm = pitwall.model_complexity("GPM", 0, 16, num_patterns=8, pattern_size=4, num_nodes=30,
                                           avg_degree=3)
            tell([scaling.name, cost, low <= cost <= high, "grows as" in str(scaling), gpm])
        """)
        self.assertEqual(found[0], "n^2")
        self.assertAlmostEqual(found[1], 25600 ** 2 * 1e-9, delta=0.1)
        self.assertEqual(found[2:4], [True, True])
        self.assertEqual(found[4]["num_patterns"], 8)


class Silence(py_case.Case):
    def test_by_the_module(self):
        found = self.python("""
            from pitwall import time_profiler
            time_profiler.verbose = False
            time_profiler.profiler.log("a"); time_profiler.profiler.log("a", 1.0)
            time_profiler.profiler.summary()
            window = time_profiler.window("T", every=1, items={"x": "ms"}); window.add(1.0)
            tell(time_profiler.profiler.timings)
        """)
        self.assertEqual(found, {"a": 1.0})
        self.assertEqual(self.stdout, "")


class Beyond(py_case.Case):
    def test_a_stage_inside_a_stage_leaves_the_outer_its_time(self):
        found = self.python("""
            from pitwall.time_profiler import TimeProfiler
            profiler = TimeProfiler()
            with profiler.stage("outer"):
                time.sleep(0.01)
                with profiler.stage("inner"): time.sleep(0.02)
                with profiler.stage("inner"): time.sleep(0.02)
                profiler.log("logged", 1.0)
                time.sleep(0.01)
            with profiler.stage("inner"): pass
            with profiler.stage("runs"): profiler.summary()
            profiler.save("t.json")
            tell([profiler.timings, json.load(open("t.json"))["timings"]])
        """)
        timings, saved = found
        self.assertEqual(timings, saved)
        self.assertGreaterEqual(timings["inner"], py_case.slept(0.04))
        self.assertGreaterEqual(timings["outer"], py_case.slept(0.06))
        lines = self.stdout.splitlines()
        at = lines.index("[TIMING SUMMARY]")
        rows = [line.split(":")[0].rstrip() for line in lines[at + 2:-2]]
        self.assertEqual(rows[:5], ["    inner", "  logged", "  outer", "  inner", "  runs (open)"])

    def test_interleaved_stages_end_by_their_name(self):
        found = self.python("""
            from pitwall.time_profiler import TimeProfiler
            profiler = TimeProfiler()
            a, b = profiler.stage("a"), profiler.stage("b")
            a.__enter__(); b.__enter__(); a.__exit__(None, None, None)
            ended = list(profiler.timings)
            b.__exit__(None, None, None)
            tell([ended, list(profiler.timings)])
        """)
        self.assertEqual(found, [["a"], ["a", "b"]])

    def test_windows_give_lists_and_percentiles(self):
        found = self.python("""
            import math
            gpm = pitwall.window("GPM TIMING", unit="graphs", every=100, keep=150,
                                 items={"Pattern gen": "ms", "nodes": "hidden"})
            before = [gpm.values("nodes"), math.isnan(gpm.percentile("nodes", 50))]
            for i in range(1, 201): gpm.add(i / 1000, i)
            tell([before, gpm.values("nodes"), gpm.values("Pattern gen")[-1], gpm.count,
                  gpm.percentiles("nodes"), gpm.percentile("nodes", 0), gpm.percentile("nodes", 100)])
        """)
        before, nodes, last, count, percentiles, low, high = found
        self.assertEqual(before, [[], True])
        self.assertEqual([nodes, last, count], [list(range(51, 201)), 0.2, 200])
        self.assertEqual(percentiles, {"p50": 125, "p95": 193, "p99": 199})
        self.assertEqual([low, high], [51, 200])


if __name__ == "__main__":
    py_case.main()
