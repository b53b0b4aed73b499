"""pitwall.memory_monitor: every sample of the performance monitoring guide, and what it got wrong."""

import csv
import os
import re

import py_case

HEAD = ["=" * 90, "PERFORMANCE SUMMARY", "=" * 90,
        "Operation                      Time (s)     CPU (MB)        GPU (MB)        GPU Peak",
        "-" * 90]
AGGREGATE = ["=" * 90, "AGGREGATE STATISTICS (for repeated operations)", "=" * 90,
             "Operation                      Count    Total (s)    Mean (s)     Min (s)      "
             "Max (s)", "-" * 90]


class Samples(py_case.Case):
    def test_performance_monitor(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            kept = []
            monitor = PerformanceMonitor()
            with monitor.track("data loading"):
                kept.append(b"x" * (50 << 20))
            with monitor.track("preprocessing"):
                time.sleep(0.02)
            with monitor.track("model forward"):
                len(b"y" * (80 << 20))
            monitor.print_summary()
            tell([[vars(m) for m in monitor.get_metrics()], monitor.get_total_time(),
                  monitor.get_operation_time("preprocessing")])
        """)
        metrics, total, preprocessing = found
        self.assertEqual(list(metrics[0]), [
            "operation", "duration_seconds", "cpu_start_mb", "cpu_end_mb", "cpu_delta_mb",
            "cpu_peak_mb", "gpu_start_mb", "gpu_end_mb", "gpu_delta_mb", "gpu_peak_mb", "call_count"])
        self.assertAlmostEqual(metrics[0]["cpu_delta_mb"], 50, delta=4)
        self.assertAlmostEqual(sum(m["duration_seconds"] for m in metrics), total)
        self.assertEqual(metrics[1]["duration_seconds"], preprocessing)
        # A temporary is freed at the end, but still in the peak.
        forward = metrics[2]
        self.assertAlmostEqual(forward["cpu_delta_mb"], 0, delta=4)
        self.assertAlmostEqual(forward["cpu_peak_mb"] - forward["cpu_start_mb"], 80, delta=4)
        lines = self.stdout.splitlines()
        self.assertEqual(lines[:5], HEAD)
        self.assertRegex(lines[5], r"^data loading +\d+\.\d{3,} {10}\+(4|5)\d\.\d {12}n/a {9}n/a$")
        self.assertRegex(lines[9], r"^TOTAL +\d+\.\d{3}s$")
        self.assertEqual(lines[8::2], ["-" * 90, "=" * 90])
        self.assertEqual(len(lines), 11)

    def test_aggregated_operations(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            class Loss:
                calls = 0
                def backward(self): Loss.calls += 1
            loss, dataloader = Loss(), [[i, i] for i in range(15)]
            def model(batch): return sum(batch)
            monitor = PerformanceMonitor()
            for epoch in range(10):
                for batch in dataloader:
                    with monitor.track("batch_forward", aggregate=True):
                        output = model(batch)

                    with monitor.track("batch_backward", aggregate=True):
                        loss.backward()
            monitor.print_summary(show_aggregate=True)
            assert (output, Loss.calls) == (28, 150)
            tell([(m.operation, m.call_count) for m in monitor.get_metrics()])
        """)
        self.assertEqual(found, [["batch_forward", 150], ["batch_backward", 150]])
        lines = self.stdout.splitlines()
        at = lines.index(AGGREGATE[1]) - 1
        self.assertEqual(lines[at - 1], "")
        self.assertEqual(lines[at:at + 5], AGGREGATE)
        self.assertRegex(lines[at + 5], r"^batch_forward {18}150 {2,}(\d+\.\d+ +){3}\d+\.\d+$")
        self.assertEqual(len(lines), at + 8)

    def test_context_manager(self):
        self.python("""
            from pitwall.memory_monitor import track_performance
            with track_performance("critical_operation"):
                kept = b"x" * (30 << 20)
            with track_performance("quiet", print_result=False, device=0): pass
        """)
        self.assertRegex(self.stdout, r"^\[Performance\] critical_operation: \d+\.\d{3}s, "
                                      r"CPU \+(29|30)\.\dMB, GPU n/a\n$")

    def test_with_a_device(self):
        self.python("""
            from pitwall.memory_monitor import track_performance, EpochPerformanceMonitor
            mb = 1 << 20
            state = {"now": 100 * mb, "peak": 100 * mb}
            def reset(): state["peak"] = state["now"]
            pitwall.set_device(lambda: (state["now"], 3236 * mb, state["peak"]), None, reset)
            with track_performance("critical_operation"):
                state["now"] = 612 * mb; state["peak"] = 1024 * mb
            monitor = EpochPerformanceMonitor(True, 1)
            monitor.on_epoch_start()
            monitor.on_batch_start(0); monitor.on_batch_end(0, 0.009458)
            monitor.on_epoch_end()
        """)
        lines = self.stdout.splitlines()
        self.assertRegex(lines[0], r"CPU [+-]\d+\.\dMB, GPU \+512\.0MB$")
        self.assertEqual(lines[1], " " * 14 + "GPU peak: 1024.0MB")
        self.assertRegex(lines[2], r"^  Batch 0: \d+\.\d{3}s, GPU 612\.0MB, CPU \d+\.\dMB, loss=0\.009458$")
        self.assertRegex(lines[3], r"^  Epoch end: \d+\.\d{3}s total, GPU 612\.0MB, 3236MB reserved, "
                                   r"peak \d+MB$")

    def test_decorator(self):
        found = self.python("""
            import inspect, pickle
            from pitwall.memory_monitor import monitor_performance
            @monitor_performance("data processing")
            def process_batch(batch, scale=2): return batch * scale
            @monitor_performance
            def bare(x): return x
            @monitor_performance()
            def empty(x): return x
            tell([process_batch(3), bare(1), empty(2), str(inspect.signature(process_batch)),
                  pickle.loads(pickle.dumps(bare)) is bare])
        """)
        self.assertEqual(found, [6, 1, 2, "(batch, scale=2)", True])
        self.assertRegex(self.stdout, r"^\[Performance\] data processing: .*\n"
                                      r"\[Performance\] bare: .*\n\[Performance\] empty: .*\n$")

    def test_epochs(self):
        found = self.python("""
            from pitwall.memory_monitor import EpochPerformanceMonitor
            monitor = EpochPerformanceMonitor(enabled=True, verbose_batches=2)
            for epoch in range(3):
                monitor.on_epoch_start()
                for batch_idx, batch in enumerate(range(5)):
                    monitor.on_batch_start(batch_idx)
                    sleep(0.3 if epoch == 0 and batch_idx == 0 else 0.001)
                    monitor.on_batch_end(batch_idx, 0.5)
                monitor.on_epoch_end()
            stats = monitor.get_statistics()
            variance_ratio = stats['max_batch_time'] / stats['min_batch_time']
            if variance_ratio > 2.0:
                print(f"High variance ({variance_ratio:.1f}x) - investigate outliers!")
            tell(stats)
        """, start=py_case.START + py_case.CLOCK)
        self.assertEqual(list(found), [
            "total_epoch_time", "avg_epoch_time", "total_batch_time", "avg_batch_time",
            "min_batch_time", "max_batch_time", "num_batches", "num_epochs"])
        # Over all epochs, not the last one's batches.
        self.assertEqual([found["num_batches"], found["num_epochs"]], [15, 3])
        self.assertAlmostEqual(found["max_batch_time"], 0.3)
        self.assertAlmostEqual(found["avg_batch_time"], found["total_batch_time"] / 15)
        lines = self.stdout.splitlines()
        self.assertEqual(len(lines), 3 * 4 + 1)
        for at in (0, 4, 8):
            self.assertRegex(lines[at], r"^  Batch 0: \d+\.\d{3}s, GPU n/a, CPU \d+\.\dMB, "
                                        r"loss=0\.500000$")
            self.assertRegex(lines[at + 1], r"^  Batch 1: ")
            self.assertRegex(lines[at + 2], r"^  Epoch end: \d+\.\d{3}s total$")
        # Of that epoch only.
        self.assertEqual(lines[3], "  Batch timing: avg=0.061s, min=0.001s, max=0.300s")
        self.assertEqual(lines[11], "  Batch timing: avg=0.001s, min=0.001s, max=0.001s")

    def test_comparing_operations(self):
        self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            def load_data(): sleep(0.005); return [1, 2]
            def preprocess(data): sleep(0.005); return data
            def model(data): sleep(0.6); return data
            def post_process(output): sleep(0.15); return output
            monitor = PerformanceMonitor()
            with monitor.track("data_loading"):
                data = load_data()
            with monitor.track("preprocessing"):
                data = preprocess(data)
            with monitor.track("model_forward"):
                output = model(data)
            with monitor.track("post_processing"):
                result = post_process(output)
            monitor.print_summary()
            print("--")
            total_time = monitor.get_total_time()
            for metric in monitor.get_metrics():
                percentage = (metric.duration_seconds / total_time) * 100
                if percentage > 50:
                    print(f"⚠️  BOTTLENECK: {metric.operation} ({percentage:.1f}%)")
                elif percentage > 20:
                    print(f"⚡ Consider optimizing: {metric.operation} ({percentage:.1f}%)")
            print("--")
            monitor.print_bottlenecks()
        """, start=py_case.START + py_case.CLOCK, PYTHONIOENCODING="utf-8")
        table, by_hand, ours = self.stdout.split("\n--\n")
        self.assertEqual([line.split()[0] for line in table.splitlines()[5:9]],
                         ["data_loading", "preprocessing", "model_forward", "post_processing"])
        for line in by_hand.splitlines():
            self.assertIn(line, ours.splitlines())
        self.assertRegex(by_hand, "BOTTLENECK: model_forward")

    def test_variance_of_batches(self):
        self.python("""
            from pitwall.memory_monitor import EpochPerformanceMonitor
            monitor = EpochPerformanceMonitor(enabled=True)
            monitor.on_epoch_start()
            for batch_idx in range(6):
                monitor.on_batch_start(batch_idx)
                sleep(0.05 if batch_idx == 0 else 0.002)
                monitor.on_batch_end(batch_idx)
            monitor.on_epoch_end()
            print("--")
            stats = monitor.get_statistics()
            print(f"Average batch time: {stats['avg_batch_time']:.3f}s")
            print(f"Min batch time: {stats['min_batch_time']:.3f}s")
            print(f"Max batch time: {stats['max_batch_time']:.3f}s")
            variance_ratio = stats['max_batch_time'] / stats['min_batch_time']
            if variance_ratio > 2.0:
                print(f"⚠️  High variance ({variance_ratio:.1f}x) - investigate outliers!")
        """, start=py_case.START + py_case.CLOCK, PYTHONIOENCODING="utf-8")
        lines = self.stdout.split("--\n")[1].splitlines()
        self.assertEqual(lines[:3], ["Average batch time: 0.010s", "Min batch time: 0.002s",
                                     "Max batch time: 0.050s"])
        self.assertIn("High variance (25.0x) - investigate outliers!", lines[3])

    def test_configurations(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            def train_with_batch_size(batch_size):
                sleep(0.02 if batch_size == 64 else 0.4)
            results = {}
            for batch_size in [8, 16, 32, 64]:
                monitor = PerformanceMonitor()
                with monitor.track(f"batch_size_{batch_size}"):
                    train_with_batch_size(batch_size)
                results[batch_size] = monitor.get_total_time()
            optimal = min(results, key=results.get)
            print(f"Optimal batch size: {optimal} ({results[optimal]:.3f}s)")
            tell(results)
        """, start=py_case.START + py_case.CLOCK)
        self.assertEqual(list(found), ["8", "16", "32", "64"])
        self.assertEqual(self.stdout, "Optimal batch size: 64 (0.020s)\n")

    def test_bottlenecks_without_a_utf8_terminal(self):
        self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            monitor = PerformanceMonitor()
            with monitor.track("model_forward"): time.sleep(0.01)
            monitor.print_bottlenecks()
        """, PYTHONIOENCODING="ascii")
        self.assertIn("BOTTLENECK: model_forward (100.0%)", self.stdout)
        self.assertTrue(self.stdout.isascii())

    def test_a_sweep_of_configurations_that_are_dicts(self):
        found = self.python("""
            results, table = pitwall.sweep(lambda c: c["lr"], [{"lr": 0.1}, {"lr": 0.2}], "setting")
            tell([list(results), min(results.values()) > 0, table])
        """)
        self.assertEqual(found[:2], [["{'lr': 0.1}", "{'lr': 0.2}"], True])
        self.assertIn("{'lr': 0.2}", found[2])

    def test_sweep(self):
        found = self.python("""
            results, table = pitwall.sweep(lambda n: sleep(n / 100), [20, 40, 1], "batch size")
            print(table, end="")
            tell(min(results, key=results.get))
        """, start=py_case.START + py_case.CLOCK)
        self.assertEqual(found, 1)
        self.assertRegex(self.stdout, r"^Optimal batch size: 1 \(\d+\.\d{3}s\)\n")

    def test_metrics_as_records(self):
        folder = self.folder()
        found = self.python("""
            import pandas as pd
            from pitwall.memory_monitor import PerformanceMonitor
            monitor = PerformanceMonitor()
            with monitor.track("a"): pass
            metrics_df = pd.DataFrame([
                {
                    'operation': m.operation,
                    'time': m.duration_seconds,
                    'cpu_mb': m.cpu_delta_mb,
                    'gpu_mb': m.gpu_delta_mb
                }
                for m in monitor.get_metrics()
            ])
            metrics_df.to_csv('performance_metrics.csv')
            monitor.to_csv('ours.csv')
            PerformanceMonitor().to_csv('none.csv')
            tell([list(metrics_df), list(pd.DataFrame(monitor.to_records()))[:4]])
        """, cwd=folder)
        self.assertEqual(found[0], found[1])
        with open(os.path.join(folder, "ours.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0])[:4], ["operation", "time", "cpu_mb", "gpu_mb"])
        self.assertEqual(len(rows), 1)
        self.assertEqual([rows[0]["operation"], rows[0]["call_count"]], ["a", "1"])
        self.assertGreater(float(rows[0]["time"]), 0)
        self.assertGreater(float(rows[0]["cpu_peak_mb"]), 1)
        # There is no device: its figures are unknown, not 0.
        self.assertEqual({value for key, value in rows[0].items() if key.startswith("gpu_")}, {""})
        with open(os.path.join(folder, "none.csv")) as file:
            self.assertEqual(file.read().splitlines(), [",".join(rows[0])])

    def test_rows_of_the_library_come_back_as_they_were(self):
        found = self.python("""
            row = {"name": "a", "seconds": 1.0, "cpu_delta_mb": 5.0, "gpu_delta_mb": 0.0,
                   "gpu_peak_mb": 0.0}
            tell([pitwall.view("performance", rows=[{**row, **more}]).splitlines()[5].split()
                  for more in ({}, {"has_device": False}, {"has_memory": False})])
        """)
        self.assertEqual(found, [["a", "1.000", "+5.0", "+0.0", "0.0"],
                                 ["a", "1.000", "+5.0", "n/a", "n/a"],
                                 ["a", "1.000", "n/a", "+0.0", "0.0"]])

    def test_reference(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor, EpochPerformanceMonitor
            monitor = PerformanceMonitor(enabled=True, device=0)
            with monitor.track("operation_name", aggregate=False): pass
            before = monitor.get_operation_time("operation_name")
            monitor.clear()
            after = [monitor.get_total_time(), monitor.get_operation_time("operation_name")]
            monitor.print_summary(show_aggregate=True)
            off = PerformanceMonitor(enabled=False)
            with off.track("x"): pass
            epochs = EpochPerformanceMonitor(enabled=False)
            epochs.on_epoch_start(); epochs.on_batch_start(0); epochs.on_batch_end(0, loss=None)
            epochs.on_epoch_end()
            import inspect
            tell([before > 0, after, off.get_metrics(), epochs.get_statistics(),
                  str(inspect.signature(EpochPerformanceMonitor)),
                  str(inspect.signature(PerformanceMonitor))])
        """)
        self.assertEqual(found, [True, [0, 0], [], {}, "(enabled=True, verbose_batches=5, device=0, wait=True)",
                                 "(enabled=True, device=0, wait=True)"])
        self.assertEqual(self.stdout, "No performance metrics recorded\n")

    def test_reference_of_epochs(self):
        found = self.python("""
            from pitwall.memory_monitor import EpochPerformanceMonitor
            monitor = EpochPerformanceMonitor(
                enabled=True,
                verbose_batches=5,
                device=0
            )
            batch_idx = 0
            monitor.on_epoch_start()
            monitor.on_batch_start(batch_idx)
            monitor.on_batch_end(batch_idx, loss=None)
            monitor.on_epoch_end()
            stats = monitor.get_statistics()
            tell({key: type(figure).__name__ for key, figure in stats.items()})
        """)
        self.assertEqual(found, {
            "total_epoch_time": "float", "avg_epoch_time": "float", "total_batch_time": "float",
            "avg_batch_time": "float", "min_batch_time": "float", "max_batch_time": "float",
            "num_batches": "int", "num_epochs": "int"})
        self.assertRegex(self.stdout.splitlines()[0],
                         r"^  Batch 0: \d+\.\d{3}s, GPU n/a, CPU \d+\.\dMB$")

    def test_reference_of_blocks_and_decorators(self):
        self.python("""
            from pitwall.memory_monitor import track_performance, monitor_performance
            with track_performance("operation", print_result=True, device=0):
                pass

            @monitor_performance("operation", device=0)
            def my_function():
                pass
            my_function()
        """)
        lines = self.stdout.splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^\[Performance\] operation: \d+\.\d{3}s, CPU .*, GPU n/a$")

    def test_configuration(self):
        found = self.python("""
            from pitwall.memory_monitor import EpochPerformanceMonitor, from_config
            def of(m): return [m.enabled, m.verbose_batches]
            tell([of(from_config({"trainer_params": {"enable_memory_monitoring": True,
                                                     "memory_monitor_batches": 10, "epochs": 50}})),
                  of(from_config({"enable_memory_monitoring": False})),
                  of(EpochPerformanceMonitor()),
                  of(EpochPerformanceMonitor(True, 5)),
                  of(pitwall.epoch_monitor()),
                  of(pitwall.epoch_monitor(verbose_batches=5)),
                  of(pitwall.epoch_monitor(enabled=True))])
        """, PITWALL_MONITOR="0", PITWALL_MONITOR_BATCHES="7")
        # Explicit settings in code take precedence over the environment.
        self.assertEqual(found, [[True, 10], [False, 5], [False, 7], [True, 5],
                                 [False, 7], [False, 5], [True, 7]])


class Defects(py_case.Case):
    def test_an_empty_span_has_no_reading_of_memory_in_it(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            reads = []
            def memory():
                reads.append(1)
                sleep(100)  # reading takes that long
                return 0, 0, 0
            pitwall.set_device(memory)
            monitor = PerformanceMonitor()
            with monitor.track("outer"):
                with monitor.track("empty"): sleep(1)
            tell([len(reads), [m.duration_seconds for m in monitor.get_metrics()]])
        """, start=py_case.START + py_case.CLOCK)
        self.assertEqual(found, [4, [1, 1]])

    def test_nested_operations_count_once(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            monitor = PerformanceMonitor()
            with monitor.track("outer"):
                with monitor.track("inner"): time.sleep(0.02)
            tell([monitor.get_total_time(), monitor.get_operation_time("outer"),
                  monitor.get_operation_time("inner")])
        """)
        self.assertEqual(found[0], found[1])
        self.assertGreaterEqual(found[2], py_case.slept(0.02))

    def test_an_aggregated_operation_is_one_line(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            monitor = PerformanceMonitor()
            for _ in range(%d):
                with monitor.track("batch", aggregate=True): pass
            before = pitwall.rss()
            for _ in range(%d):
                with monitor.track("batch", aggregate=True): pass
            grown = pitwall.rss() - before
            monitor.print_summary()
            tell([monitor.get_metrics()[0].call_count, grown])
        """ % (1000, py_case.scaled(5000)))
        self.assertEqual(found[0], 1000 + py_case.scaled(5000))
        self.assertLess(found[1], 2 << 20 if not py_case.pit_case.sanitizer() else 64 << 20)
        self.assertEqual(len([line for line in self.stdout.splitlines() if "batch" in line]), 2)

    def test_an_exception_in_a_decorated_function_is_logged_and_goes_through(self):
        found = self.python("""
            from pitwall.memory_monitor import monitor_performance, track_performance, PerformanceMonitor
            @monitor_performance
            def fails(): raise ValueError("x")
            caught = []
            try: fails()
            except ValueError as error: caught.append(str(error))
            monitor = PerformanceMonitor()
            try:
                with monitor.track("op"): raise KeyError("y")
            except KeyError: caught.append(len(monitor.get_metrics()))
            tell([caught, counts(), losses()])
        """)
        self.assertEqual(found, [["x", 1], {"fails": 1, "op": 1}, {}])
        self.assertRegex(self.stdout, r"^\[Performance\] fails: \d+\.\d{3}s")

    def test_an_inner_span_leaves_the_outer_device_peak(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            mb = 1 << 20
            state = {"now": 0, "peak": 0}
            def reset(): state["peak"] = state["now"]
            pitwall.set_device(lambda: (state["now"], state["now"], state["peak"]), None, reset)
            monitor = PerformanceMonitor()
            with monitor.track("outer"):
                state["peak"] = 8192 * mb
                with monitor.track("inner"): state["peak"] = 1 * mb
            tell({m.operation: m.gpu_peak_mb for m in monitor.get_metrics()})
        """)
        self.assertEqual(found, {"inner": 1.0, "outer": 8192.0})

    def test_an_end_without_a_start_does_nothing(self):
        found = self.python("""
            from pitwall.memory_monitor import EpochPerformanceMonitor
            monitor = EpochPerformanceMonitor()
            monitor.on_batch_end(0, 1.0); monitor.on_epoch_end()
            tell(monitor.get_statistics())
        """)
        self.assertEqual(found, {})
        self.assertEqual(self.stdout, "")

    def test_a_loss_is_converted_only_where_it_is_printed(self):
        found = self.python("""
            from pitwall import memory_monitor
            class Loss:
                asked = 0
                def __float__(self): Loss.asked += 1; return 0.25
            def run(batches):
                Loss.asked = 0
                monitor = memory_monitor.EpochPerformanceMonitor(True, batches)
                monitor.on_epoch_start()
                for i in range(10):
                    monitor.on_batch_start(i); monitor.on_batch_end(i, Loss())
                monitor.on_epoch_end()
                return Loss.asked
            found = [run(3), run(0)]
            memory_monitor.verbose = False
            tell(found + [run(3)])
        """)
        self.assertEqual(found, [3, 0, 0])


class Silence(py_case.Case):
    def test_by_the_module(self):
        self.python("""
            from pitwall import memory_monitor as m
            m.verbose = False
            with m.track_performance("x"): pass
            monitor = m.PerformanceMonitor()
            with monitor.track("a"): pass
            monitor.print_summary(); monitor.print_bottlenecks()
            epochs = m.EpochPerformanceMonitor()
            with epochs.epoch():
                with epochs.batch(0) as batch: batch.loss = 1.0
            assert epochs.get_statistics()["num_batches"] == 1
        """)
        self.assertEqual(self.stdout, "")


class Tasks(py_case.Case):
    def test_tracks_of_asyncio_tasks_belong_to_their_task(self):
        found = self.python("""
            from pitwall.memory_monitor import PerformanceMonitor, monitor_performance
            monitor = PerformanceMonitor()
            @monitor_performance("decorated")
            async def decorated(): await asyncio.sleep(0.01); return 5
            async def work(i):
                with monitor.track("task"):
                    await asyncio.sleep(0.001 * (5 - i))
                    with pitwall.span("inner"): await asyncio.sleep(0.002)
            async def all():
                await asyncio.gather(*(work(i) for i in range(5)))
                return await decorated()
            result = asyncio.run(all())
            tell([result, counts(), losses(), len(monitor.get_metrics())])
        """)
        self.assertEqual(found, [5, {"task": 5, "task/inner": 5, "decorated": 1}, {}, 5])


class Beyond(py_case.Case):
    def test_a_decorated_generator_has_its_own_time(self):
        found = self.python("""
            import asyncio, inspect
            from pitwall.memory_monitor import monitor_performance
            @monitor_performance
            def items(n):
                got = []
                for i in range(n):
                    time.sleep(0.01)
                    got.append((yield i))
                return got
            @monitor_performance("async items")
            async def later(n):
                for i in range(n):
                    await asyncio.sleep(0.01)
                    yield i
            def consume():
                taken = yield from items(3)
                assert taken == [None] * 3, taken
            async def gather(): return [i async for i in later(2)]
            left = items(5); next(left); left.close()
            tell([list(consume()), asyncio.run(gather()), inspect.isgeneratorfunction(items)])
        """)
        self.assertEqual(found, [[0, 1, 2], [0, 1], True])
        seconds = [(line.split()[1], float(re.search(r": (\d+\.\d+)s", line).group(1)))
                   for line in self.stdout.splitlines()]
        self.assertEqual([name for name, _ in seconds], ["items:", "items:", "async"])
        for (_, took), least in zip(seconds, (0.01, 0.03, 0.02)):
            self.assertGreaterEqual(took, least, self.stdout)

    def test_nested_operations_are_marked(self):
        self.python("""
            from pitwall.memory_monitor import PerformanceMonitor
            monitor = PerformanceMonitor()
            with monitor.track("outer"):
                with monitor.track("inner"): pass
            monitor.print_summary()
            monitor.to_csv("m.csv")
            assert open("m.csv").read().splitlines()[1].startswith("inner,")
        """)
        self.assertRegex(self.stdout, r"(?m)^  inner {23} ")
        self.assertRegex(self.stdout, r"(?m)^outer {25} ")

    def test_disabled_by_the_configuration_for_operations_too(self):
        program = """
            from pitwall.memory_monitor import PerformanceMonitor
            monitors = [PerformanceMonitor(), PerformanceMonitor(enabled=True)]
            for monitor in monitors:
                with monitor.track("a"): pass
                monitor.print_summary()
            tell([[m.enabled, len(m.get_metrics())] for m in monitors])
        """
        self.assertEqual(self.python(program, PITWALL_MONITOR="0"), [[False, 0], [True, 1]])
        self.assertEqual(self.stdout.count("PERFORMANCE SUMMARY"), 1)

    def test_configurations(self):
        found = self.python("""
            import warnings
            from pitwall.memory_monitor import PerformanceMonitor, from_config
            block = {"enable_memory_monitoring": "false", "memory_monitor_batches": 3}
            def of(config):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    try:
                        monitor = from_config(config)
                        return [monitor.enabled, monitor.verbose_batches, len(caught)]
                    except ValueError as error:
                        return str(error)
            yes = dict(block, enable_memory_monitoring="Yes")
            tell([of({"trainer_params": block}), of({"trainer": [{"trainer_params": yes}]}), of(yes),
                  of({"a": 1}), of({"a": block, "b": yes}),
                  of({"enable_memory_monitoring": "maybe"}),
                  PerformanceMonitor.from_config({"trainer": block}).enabled])
        """)
        self.assertEqual(found, [
            [False, 3, 0], [True, 3, 0], [True, 3, 0], [False, 5, 1],
            "enable_memory_monitoring: found in 2 blocks that differ; pass the block to use",
            "enable_memory_monitoring: must be true or false, not 'maybe'", False])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)  # amounts of memory: a sanitizer has its own
