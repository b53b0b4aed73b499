"""Devices in the compatibility modules: each monitor waits for its own device, reads it, and resets no peak."""

import math

import py_case

# A torch with simulated CUDA devices: work ends only in synchronize, memory is set by the test.
STUB = """
import types
class stub_cuda:
    MB = 1 << 20
    devices = {0: [0, 0], 1: [0, 0]}  # MB now, and the highest
    pending = {0: 0.0, 1: 0.0}
    waits, resets = {0: 0, 1: 0}, 0
    def is_available(self): return True
    def is_initialized(self): return True
    def memory_allocated(self, index): return self.devices[index][0] * self.MB
    def memory_reserved(self, index): return 3236 * self.MB
    def max_memory_allocated(self, index): return self.devices[index][1] * self.MB
    def reset_peak_memory_stats(self, index): self.resets += 1
    def hold(self, index, mb):
        self.devices[index] = [mb, max(mb, self.devices[index][1])]
    def submit(self, seconds=0.005, index=0): self.pending[index] += seconds
    def synchronize(self, index):
        self.waits[index] += 1
        time.sleep(self.pending[index])
        self.pending[index] = 0.0
cuda = stub_cuda()
sys.modules["torch"] = types.SimpleNamespace(cuda=cuda, nn=types.SimpleNamespace(Module=type("M", (), {})))
"""


class Case(py_case.Case):
    def stub(self, program, **more):
        return self.python(program, start=py_case.START + STUB, **more)


class Waiting(Case):
    FACES = """
        from pitwall import memory_monitor as m, profiling as p, time_profiler as s, timing as t
        for module in (m, p, s, t): module.verbose = False
        def work(*args): cuda.submit()
        def stepped():
            for i in range(3):
                cuda.submit()
                yield i
        found = {}
        def take(name, seconds):
            found[name] = [seconds, cuda.waits[0]]
            cuda.pending[0], cuda.waits[0] = 0.0, 0
        %s
        monitor = m.PerformanceMonitor(**wait)
        with monitor.track("a"): work()
        take("track", monitor.get_metrics()[0].duration_seconds)
        with monitor.track("b", aggregate=True): work()
        take("aggregate", monitor.get_operation_time("b"))
        epochs = m.EpochPerformanceMonitor(**wait)
        epochs.on_epoch_start(); epochs.on_batch_start(0)
        work()
        epochs.on_batch_end(0); epochs.on_epoch_end()
        take("batch", epochs.get_statistics()["avg_batch_time"])
        epochs.on_epoch_start(); work(); epochs.on_epoch_end()
        take("epoch", epochs.get_statistics()["total_epoch_time"])
        profiler = p.TrainingProfiler(**wait)
        profiler.end_timer("c", (lambda start: (work(), start)[1])(profiler.start_timer("c")))
        take("timer", profiler.get_summary()["c"]["total_time"])
        p.profile_operation("d", **wait)(work)()
        take("profile_operation", p.get_profiler().get_summary()["d"]["total_time"])
        p.profile_jax_loss_fn(work, "e", **wait)()
        take("profile_jax_loss_fn", p.get_profiler().get_summary()["e"]["total_time"])
        p.profile_make_step(work, **wait)()
        take("make_step", p.get_profiler().get_summary()["make_step_total"]["total_time"])
        list(p.profile_operation("f", **wait)(stepped)())
        take("generator", p.get_profiler().get_summary()["f"]["total_time"])
        stages = s.TimeProfiler(**wait)
        with stages.stage("g"): work()
        take("stage", stages.timings["g"])
        phases = t.DetailedTimer("x", **wait)
        phases.start_phase("h"); work(); phases.end_phase()
        take("phase", phases.phases["h"])
        take("inference", t.benchmark_inference(work, [1], 2, 0, **wait)["min_ms"] / 1000)
        t.wait = wait.get("wait", True)
        timers = {}
        t.track_time(timers, "i", work)
        take("track_time", timers["i"])
        t.track_time_and_memory(timers, "j", work)
        take("track_time_and_memory", timers["j"]["time"])
        tell(found)
    """

    def test_every_face_waits(self):
        found = self.stub(self.FACES % "wait = {}")
        self.assertEqual({name: seconds for name, (seconds, _) in found.items() if seconds < py_case.slept(0.005)}, {})

    def test_every_face_can_be_told_not_to(self):
        found = self.stub(self.FACES % "wait = {'wait': False}")
        self.assertEqual({name: waits for name, (_, waits) in found.items() if waits}, {})

    def test_what_was_handed_over_before_is_not_the_works(self):
        """The device is also waited for at the begin: with a clock that advances only there."""
        found = self.stub("""
            from pitwall.memory_monitor import PerformanceMonitor
            monitor, order = PerformanceMonitor(), []
            cuda.submit()
            cuda.synchronize = lambda index: order.append("wait")
            with monitor.track("a"): order.append("work")
            tell(order)
        """)
        self.assertEqual(found, ["wait", "work", "wait"])

    def test_lines_of_track_performance(self):
        self.stub("""
            from pitwall.memory_monitor import track_performance, monitor_performance
            with track_performance("a"): cuda.submit(0.02)
            @monitor_performance
            def b(): cuda.submit(0.02)
            b()
            @monitor_performance
            def c():
                for i in range(2):
                    cuda.submit(0.01)
                    yield i
            assert list(c()) == [0, 1]
            @monitor_performance("d", wait=False)
            def quick(): cuda.waits[0] = 0; cuda.submit(0.02)
            quick()
            assert cuda.waits[0] == 0
        """)
        lines = [line for line in self.stdout.splitlines() if line.startswith("[Performance]")]
        self.assertEqual(len(lines), 4, self.stdout)
        for line in lines[:3]:
            self.assertGreaterEqual(float(line.split(": ")[1].split("s,")[0]), 0.02, line)

    def test_a_device_that_only_waits(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            pitwall.set_device(wait=lambda: time.sleep(0.005))
            monitor = PerformanceMonitor()
            with monitor.track("a"): pass
            metric = monitor.get_metrics()[0]
            tell([metric.duration_seconds, metric.gpu_end_mb])
        """)
        self.assertGreaterEqual(found[0], py_case.slept(0.005))
        self.assertTrue(math.isnan(found[1]))

    def test_cuda_that_the_program_has_not_used_is_not_started(self):
        found = self.stub("""
            from pitwall.memory_monitor import PerformanceMonitor
            cuda.is_initialized = lambda: False
            monitor = PerformanceMonitor()
            with monitor.track("a"): pass
            tell(cuda.waits[0])
        """)
        self.assertEqual(found, 0)


class Each(Case):
    def test_monitors_read_their_own_device(self):
        found = self.stub("""
            from pitwall.memory_monitor import EpochPerformanceMonitor, PerformanceMonitor
            cuda.hold(0, 100); cuda.hold(1, 900)
            epochs = EpochPerformanceMonitor(device=1)
            zero, one = PerformanceMonitor(device=0), PerformanceMonitor(device=1)
            epochs.on_epoch_start(); epochs.on_batch_start(0)
            with one.track("outer"):
                with zero.track("inner"): cuda.hold(0, 130)
                cuda.hold(1, 950)
            epochs.on_batch_end(0); epochs.on_epoch_end()
            tell([[m.gpu_start_mb, m.gpu_end_mb, m.gpu_delta_mb, m.gpu_peak_mb]
                  for m in zero.get_metrics() + one.get_metrics()])
        """)
        self.assertEqual(found, [[100, 130, 30, 130], [900, 950, 50, 950]])
        self.assertRegex(self.stdout, r"Batch 0: .*, GPU 950\.0MB, ")
        self.assertRegex(self.stdout, r"Epoch end: .*, GPU 950\.0MB, 3236MB reserved, peak 950MB")

    def test_waits_are_for_the_own_device(self):
        found = self.stub("""
            from pitwall.memory_monitor import PerformanceMonitor, track_performance
            with PerformanceMonitor(device=1).track("a"): pass
            with track_performance("b", device=1): pass
            tell([cuda.waits[0], cuda.waits[1]])
        """)
        self.assertEqual(found, [0, 4])

    def test_no_peak_is_reset(self):
        """The highest value so far is known; a lower peak cannot be known without a reset."""
        found = self.stub("""
            from pitwall.memory_monitor import PerformanceMonitor
            from pitwall.timing import track_time_and_gpu, get_gpu_memory_usage
            monitor, timers = PerformanceMonitor(), {}
            with monitor.track("first"): cuda.hold(0, 1024); cuda.hold(0, 512)
            with monitor.track("lower"): cuda.hold(0, 600); cuda.hold(0, 512)
            with monitor.track("higher"): cuda.hold(0, 2048); cuda.hold(0, 10)
            track_time_and_gpu(timers, "gpu", lambda: cuda.hold(0, 20))
            monitor.print_summary()
            tell([[m.gpu_peak_mb for m in monitor.get_metrics()], timers["gpu"]["max_allocated_mb"],
                  get_gpu_memory_usage()["max_allocated_mb"], cuda.resets])
        """)
        peaks, timed, now, resets = found
        self.assertEqual([peaks[0], peaks[2], now, resets], [1024, 2048, 2048, 0])
        self.assertTrue(math.isnan(peaks[1]) and math.isnan(timed))
        self.assertRegex(self.stdout, r"(?m)^lower .* n/a$")
        self.assertIn("GPU Peak n/a: the device reported no new peak, and its mark is not reset",
                      self.stdout)

    def test_a_given_reset_gives_each_its_peak(self):
        found = self.python("""
            from pitwall.memory_monitor import EpochPerformanceMonitor, PerformanceMonitor
            from pitwall.timing import get_gpu_memory_usage
            mb, state = 1 << 20, {"now": 100, "peak": 100}
            def hold(*figures):
                for figure in figures:
                    state["now"] = figure; state["peak"] = max(state["peak"], figure)
            def reset(): state["peak"] = state["now"]
            pitwall.set_device(lambda: (state["now"] * mb, 0, state["peak"] * mb), None, reset)
            monitor, epochs = PerformanceMonitor(), EpochPerformanceMonitor(verbose_batches=0)
            epochs.on_epoch_start()
            with monitor.track("outer"):
                hold(700, 200)
                get_gpu_memory_usage()  # reading alone resets nothing
                with monitor.track("inner"): hold(300, 200)
            epochs.on_epoch_end()
            tell([m.gpu_peak_mb for m in monitor.get_metrics()])
        """)
        self.assertEqual(found, [300, 700])
        self.assertIn("peak 700MB", self.stdout)

    def test_devices_can_be_given_by_their_number(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            mb = 1 << 20
            for k in (0, 1):
                pitwall.set_device(lambda k=k: ((k + 1) * mb, 0, (k + 1) * mb), device=k)
            rows = []
            for k in (0, 1, 2):
                monitor = PerformanceMonitor(device=k)
                with monitor.track("a"): pass
                rows.append(monitor.get_metrics()[0].gpu_end_mb)
            tell(rows)
        """)
        self.assertEqual(found[:2], [1, 2])
        self.assertTrue(math.isnan(found[2]))  # not that of another


if __name__ == "__main__":
    py_case.main()
