"""All output of the compatibility modules goes through sys.stdout, also if it was replaced."""

import py_case

EVERYTHING = """
import contextlib, io
from pitwall import memory_monitor, profiling, runtime_analyzer, time_profiler, timing

def everything():
    timers = {}
    timing.track_time(timers, "A", sum, [1])
    timing.track_time_and_memory(timers, "B", sum, [1])
    timing.track_time_and_gpu(timers, "C", sum, [1])
    timing.print_timing_summary({"A": 1.0, "B": 2.0}, "Section")
    timing.print_speedup_analysis({"A": 1.0, "B": 2.0})
    detailed = timing.DetailedTimer("Phases")
    detailed.start_phase("one")
    detailed.end_phase()
    detailed.print_breakdown()
    timing.print_inference_benchmark(lambda x: x, [1], "Model", num_iterations=5, warmup=1)
    timing.print_warmup_analysis(timing.track_warmup_timing(3, [3.0, 1.0, 1.0]), "Warm")
    monitor = memory_monitor.PerformanceMonitor()
    for _ in range(2):
        with monitor.track("operation", aggregate=True): pass
    monitor.print_summary()
    monitor.print_bottlenecks()
    with memory_monitor.track_performance("block"): pass
    memory_monitor.monitor_performance("function")(lambda: 1)()
    epochs = memory_monitor.EpochPerformanceMonitor()
    with epochs.epoch():
        with epochs.batch(0) as batch: batch.loss = 1.0
    profiler = profiling.TrainingProfiler()
    profiler.end_timer("op", profiler.start_timer("op"))
    profiler.log_metrics()
    stages = time_profiler.TimeProfiler()
    stages.log("first")
    stages.log("first", 1.0)
    with stages.stage("second"): pass
    stages.summary()
    pitwall.window("TAG", every=1, items={"x": "ms"}).add(1.0)
    runtime_analyzer.RuntimeAnalyzer().benchmark_inference(lambda z, n: z, 1, 3, 3, 1)

class Writer:
    def __init__(self): self.parts = []
    def write(self, text): self.parts.append(text)
"""

WANTED = (
    "A complete:", "B complete:", "C complete:", "TIMING SUMMARY - Section", "SPEEDUP ANALYSIS",
    "Phases - Detailed Breakdown:", "Model Inference Benchmark:", "Warm - Warmup Analysis:",
    "PERFORMANCE SUMMARY", "AGGREGATE STATISTICS", "BOTTLENECK: operation", "[Performance] block:",
    "[Performance] function:", "  Batch 0:", "  Epoch end:", "  Batch timing:",
    "--- Profiling Metrics (Step 0) ---", "[STAGE] first", "[TIMING] first: 1.00s", "[STAGE] second",
    "[TIMING] second:", "[TIMING SUMMARY]", "[TAG] Last 1 calls:", "hint: ",
)


class Stdout(py_case.Case):
    def printed(self, program):
        return self.python(program, start=py_case.START + EVERYTHING)

    def check(self, text):
        self.assertEqual([part for part in WANTED if part not in text], [])
        self.assertEqual(self.stdout, "")  # nothing bypasses it
        self.assertEqual(self.stderr, "")

    def test_a_text_in_memory(self):
        self.check(self.printed("""
            out = io.StringIO()
            with contextlib.redirect_stdout(out): everything()
            tell(out.getvalue())
        """))

    def test_an_object_that_can_write_and_no_more(self):
        self.check(self.printed("""
            with contextlib.redirect_stdout(Writer()) as out: everything()
            tell("".join(out.parts))
        """))

    def test_an_output_of_plain_ascii(self):
        self.check(self.printed("""
            out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
            with contextlib.redirect_stdout(out): everything()
            tell(out.buffer.getvalue().decode("ascii"))
        """))

    def test_no_output_at_all(self):
        self.printed("sys.stdout = None\neverything()\nsys.stdout = sys.__stdout__\ntell(1)")
        self.assertEqual([self.stdout, self.stderr], ["", ""])

    def test_an_output_that_fails_is_an_exception_and_the_time_counts(self):
        found = self.printed("""
            class Full(Writer):
                def write(self, text): raise OSError(28, "No space left on device")
            timers = {}
            with contextlib.redirect_stdout(Full()):
                try: timing.track_time(timers, "A", sum, [1])
                except OSError as error: text = error.strerror
            tell([text, list(timers)])
        """)
        self.assertEqual(found, ["No space left on device", ["A"]])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
