"""pitwall.profiling: every sample of the training profiling guide, and what it got wrong."""

import py_case


class Samples(py_case.Case):
    def test_the_profiler_directly(self):
        found = self.python("""
            from pitwall.profiling import get_profiler, log_profiling_metrics
            profiler = get_profiler()
            start_time = profiler.start_timer("my_operation")
            age = time.time() - start_time
            time.sleep(0.01)
            profiler.end_timer("my_operation", start_time)
            log_profiling_metrics()
            summary = profiler.get_summary()
            summary["my_operation"]["count"] = 99
            tell([profiler.get_summary(), type(start_time).__name__, -1 < age < 3600])
        """)
        summary, kind, is_near = found
        self.assertEqual(list(summary["my_operation"]), ["avg_time", "total_time", "count"])
        self.assertEqual(summary["my_operation"]["count"], 1)
        self.assertGreaterEqual(summary["my_operation"]["total_time"], py_case.slept(0.01))
        self.assertEqual([kind, is_near], ["float", True])
        self.assertEqual(self.stdout, "--- Profiling Metrics (Step 0) ---\n"
                                      "my_operation: avg={0:.4f}s, total={0:.2f}s, count=1\n".format(
                                          summary["my_operation"]["total_time"]))

    def test_a_time_of_ones_own(self):
        found = self.python("""
            from pitwall.profiling import TrainingProfiler
            profiler = TrainingProfiler()
            start = time.time()
            time.sleep(0.02)
            profiler.end_timer("op", start)
            tell(profiler.get_summary()["op"]["total_time"])
        """)
        self.assertGreaterEqual(found, 0.019)

    def test_decorators(self):
        found = self.python("""
            import inspect
            from pitwall.profiling import profile_operation, get_profiler
            @profile_operation("expensive_function")
            def my_expensive_function(data, k=1):
                return data, k
            for i in range(100):
                result = my_expensive_function(i)
            @profile_operation
            def bare(): return [1]
            bare()
            summary = get_profiler().get_summary()
            tell([result, {k: v["count"] for k, v in summary.items()},
                  str(inspect.signature(my_expensive_function))])
        """)
        self.assertEqual(found, [[99, 1], {"expensive_function": 100, "bare": 1}, "(data, k=1)"])

    def test_data_loaders(self):
        found = self.python("""
            from pitwall.profiling import profile_data_loader, get_profiler
            class Loader:
                batch_size = 4
                def __init__(self): self.dataset = list(range(3))
                def __len__(self): return 3
                def __iter__(self):
                    for i in self.dataset: time.sleep(0.01); yield i
            train_loader = Loader()
            profiled_loader = profile_data_loader(train_loader)
            seen = []
            for batch in profiled_loader: seen.append(batch)
            for batch in profiled_loader: seen.append(batch)
            profiled_loader.batch_size = 8
            tell([seen, len(profiled_loader), profiled_loader.dataset, train_loader.batch_size,
                  get_profiler().get_summary(), counts(), losses()])
        """)
        self.assertEqual(found[:4], [[0, 1, 2, 0, 1, 2], 3, [0, 1, 2], 8])
        figures = found[4]["data_batch_production"]
        self.assertEqual(figures["count"], 6)
        self.assertGreaterEqual(figures["total_time"], py_case.slept(0.06))
        self.assertEqual(found[5:], [{"data_batch_production": 6}, {}])

    def test_loss_functions_and_make_step(self):
        found = self.python("""
            from pitwall.profiling import profile_jax_loss_fn, profile_make_step, get_profiler
            def my_loss_fn(model_params, model_static, state, inputs, targets, key):
                return (1.5, state), "grads"
            profiled_loss_fn = profile_jax_loss_fn(my_loss_fn, "my_loss_computation")
            (value, state), grads = profiled_loss_fn(1, 2, "state", 4, 5, 6)
            def my_make_step(model, state, filter_spec, inputs, targets, loss_fn, opt, opt_state, key):
                return model, state, opt_state, value, grads
            profiled_make_step = profile_make_step(my_make_step)
            model, state, opt_state, value, grads = profiled_make_step(
                "model", state, 0, 0, 0, profiled_loss_fn, 0, "opt", 0
            )
            profile_jax_loss_fn(lambda: 1)()
            tell([value, state, grads, model, opt_state, list(get_profiler().get_summary())])
        """)
        self.assertEqual(found, [1.5, "state", "grads", "model", "opt",
                                 ["my_loss_computation", "make_step_total", "loss_computation"]])

    def test_custom_operations(self):
        found = self.python("""
            from pitwall.profiling import get_profiler, profile_operation
            profiler = get_profiler()
            start_time = profiler.start_timer("my_custom_operation")
            time.sleep(0.01)
            profiler.end_timer("my_custom_operation", start_time)
            @profile_operation("my_custom_operation")
            def my_function():
                time.sleep(0.02)
            my_function()
            tell(profiler.get_summary())
        """)
        self.assertEqual(list(found), ["my_custom_operation"])
        figures = found["my_custom_operation"]
        self.assertEqual(figures["count"], 2)
        self.assertGreaterEqual(figures["total_time"], py_case.slept(0.03))
        self.assertAlmostEqual(figures["avg_time"], figures["total_time"] / 2)

    def test_printed_every_so_many_steps(self):
        self.python("""
            from pitwall.profiling import TrainingProfiler
            profiler = TrainingProfiler(log_to_wandb=True, log_every=100)
            for i in range(200):
                profiler.end_timer("data_batch_production", profiler.start_timer("data_batch_production"))
                step = profiler.start_timer("make_step_total")
                profiler.end_timer("loss_fn_computation", profiler.start_timer("loss_fn_computation"))
                profiler.end_timer("make_step_total", step)
        """)
        lines = self.stdout.splitlines()
        self.assertEqual(len(lines), 8)
        self.assertEqual([lines[0], lines[4]], ["--- Profiling Metrics (Step 100) ---",
                                                "--- Profiling Metrics (Step 200) ---"])
        for line, name in zip(lines[1:4],
                              ("data_batch_production", "loss_fn_computation", "make_step_total")):
            self.assertRegex(line, r"^%s: avg=\d+\.\d{4,}s, total=\d+\.\d\d+s, count=100$" % name)

    def test_the_global_profiler_and_training_loops(self):
        found = self.python("""
            from pitwall.profiling import (get_profiler, profile_make_step, profile_training_loop)
            step = profile_make_step(lambda x: x + 1)
            def train(n):
                for i in range(n): step(i)
                return "model"
            result = profile_training_loop(train, log_every=2)(5)
            profiler = get_profiler()
            log_every = profiler.log_every
            profiler.reset()
            tell([result, profiler.get_summary(), log_every])
        """)
        self.assertEqual(found, ["model", {}, 100])
        self.assertEqual([line for line in self.stdout.splitlines() if line.startswith("---")],
                         ["--- Profiling Metrics (Step %d) ---" % n for n in (2, 4, 5)])


class Defects(py_case.Case):
    def test_lists_and_generators_are_timed_too(self):
        found = self.python("""
            from pitwall.profiling import profile_data_loader, get_profiler
            def generator():
                for i in range(4): time.sleep(0.005); yield i
            seen = [list(profile_data_loader(x)) for x in ([1, 2], generator(), (), range(3), "ab")]
            it = profile_data_loader([7, 8])
            nexts = [next(it), next(it)]
            try: next(it)
            except StopIteration: nexts.append("end")
            try: profile_data_loader(5)
            except TypeError as error: wrong = str(error)
            tell([seen, nexts, wrong, get_profiler().get_summary()["data_batch_production"]])
        """)
        self.assertEqual(found[0], [[1, 2], [0, 1, 2, 3], [], [0, 1, 2], ["a", "b"]])
        self.assertEqual(found[1], [7, 8, "end"])
        self.assertIn("not iterable", found[2])
        self.assertEqual(found[3]["count"], 13)
        self.assertGreaterEqual(found[3]["total_time"], py_case.slept(0.02))

    def test_what_the_consumer_does_is_not_the_loaders_time(self):
        found = self.python("""
            from pitwall.profiling import profile_data_loader, get_profiler
            def load():
                for i in range(3):
                    sleep(1)
                    yield i
            for batch in profile_data_loader(load()): sleep(20)
            tell(get_profiler().get_summary()["data_batch_production"]["total_time"])
        """, start=py_case.START + py_case.CLOCK)
        self.assertAlmostEqual(found, 3, places=5)

    def test_an_exception_of_the_loader_goes_through(self):
        found = self.python("""
            from pitwall.profiling import profile_data_loader
            def bad():
                yield 1
                raise KeyError("broken")
            seen = []
            try:
                for x in profile_data_loader(bad()): seen.append(x)
            except KeyError as error: seen.append(str(error))
            tell([seen, losses()])
        """)
        self.assertEqual(found, [[1, "'broken'"], {}])

    def test_a_tuple_stays_a_tuple_and_an_exception_is_timed(self):
        found = self.python("""
            from pitwall.profiling import profile_operation, get_profiler
            @profile_operation("pair")
            def pair(): return 1, 2
            @profile_operation("bad")
            def bad(): raise ValueError("x")
            try: bad()
            except ValueError: pass
            tell([type(pair()).__name__, {k: v["count"] for k, v in get_profiler().get_summary().items()}])
        """)
        self.assertEqual(found, ["tuple", {"bad": 1, "pair": 1}])

    def test_a_clock_that_steps_back_gives_no_negative_time(self):
        found = self.python("""
            from pitwall.profiling import TrainingProfiler
            profiler = TrainingProfiler()
            start = profiler.start_timer("op")
            profiler.end_timer("op", start + 1.0)
            tell(profiler.get_summary()["op"]["total_time"])
        """)
        self.assertEqual(found, 0)

    def test_a_decorated_function_goes_to_a_spawned_worker(self):
        found = self.python("""
            import multiprocessing
            from pitwall.profiling import profile_operation
            from pitwall.memory_monitor import monitor_performance
            @profile_operation("work")
            def work(x): return x * 2
            if __name__ == "__main__":
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    tell(pool.map(work, [1, 2, 3]))
        """)
        self.assertEqual(found, [2, 4, 6])

    def test_a_folder_of_runs_beside_the_script_is_no_package(self):
        import os
        folder = self.folder()
        os.makedirs(os.path.join(folder, "pitwall-runs"))
        self.assertEqual(self.python("import pitwall.profiling; tell(1)", cwd=folder), 1)


class Silence(py_case.Case):
    def test_by_the_module(self):
        self.python("""
            from pitwall import profiling
            profiling.verbose = False
            step = profiling.profile_make_step(lambda: None)
            for _ in range(100): step()
            profiling.log_profiling_metrics(5)
        """)
        self.assertEqual(self.stdout, "")


class Beyond(py_case.Case):
    def test_the_loss_function_of_a_step_is_timed(self):
        found = self.python("""
            from pitwall.profiling import get_profiler, profile_jax_loss_fn, profile_make_step
            def loss_fn(x): time.sleep(0.005); return x, "grads"
            class Criterion:
                reduction = "mean"
                def __call__(self, x): return x
            def make_step(model, inputs, loss_fn, key=None):
                assert getattr(loss_fn, "reduction", "mean") == "mean"
                seen.append(loss_fn)
                return loss_fn(inputs)[0] if key is None else loss_fn(inputs)
            seen, criterion = [], Criterion()
            step = profile_make_step(make_step)
            results = [step(0, 3, loss_fn), step(0, 4, loss_fn=loss_fn), step(0, 5, criterion, key=1)]
            plain = profile_make_step(lambda *args: args[1](args[0]))(7, loss_fn)
            own = profile_jax_loss_fn(loss_fn, "loss_fn_computation")
            assert step(0, 6, own) == 6  # the program times it itself: once
            summary = get_profiler().get_summary()
            tell([results, plain, seen[0] is seen[1], {k: v["count"] for k, v in summary.items()},
                  summary["loss_fn_computation"]["total_time"],
                  summary["make_step_total"]["total_time"]])
        """)
        results, plain, is_same, counts, loss, total = found
        self.assertEqual([results, plain, is_same], [[3, 4, 5], [7, "grads"], True])
        self.assertEqual(counts, {"loss_fn_computation": 5, "make_step_total": 5})
        self.assertGreaterEqual(loss, py_case.slept(0.02))
        self.assertGreaterEqual(total, loss)

    def test_a_decorated_generator_is_one_call(self):
        found = self.python("""
            import asyncio
            from pitwall.profiling import get_profiler, profile_operation
            @profile_operation("items")
            def items():
                for i in range(3):
                    time.sleep(0.005)
                    yield i
            @profile_operation("later")
            async def later():
                await asyncio.sleep(0.005)
                yield 1
            async def gather(): return [i async for i in later()]
            pitwall.open(None)
            values = [list(items()), asyncio.run(gather())]
            tell([values, get_profiler().get_summary(), counts()])
        """)
        values, summary, spans = found
        self.assertEqual(values, [[0, 1, 2], [1]])
        self.assertEqual([summary["items"]["count"], summary["later"]["count"]], [1, 1])
        self.assertGreaterEqual(summary["items"]["total_time"], py_case.slept(0.015))
        self.assertGreaterEqual(summary["later"]["total_time"], py_case.slept(0.005))
        self.assertGreaterEqual(spans["items"], 3)

    def test_nothing_recorded_is_said(self):
        self.python("""
            from pitwall.profiling import get_profiler, log_profiling_metrics
            profiler = get_profiler()
            profiler.end_timer("a", profiler.start_timer("a"))
            profiler.reset()
            log_profiling_metrics()
        """)
        self.assertEqual(self.stdout, "No profiling metrics recorded\n")

    def test_the_environment_silences_what_comes_by_itself(self):
        self.python("""
            from pitwall.profiling import TrainingProfiler
            profiler = TrainingProfiler(log_every=1)
            for i in range(2):
                profiler.end_timer("training_step", profiler.start_timer("training_step"))
            profiler.log_metrics(7)
        """, PITWALL_VERBOSE="0")
        self.assertEqual([line for line in self.stdout.splitlines() if "---" in line],
                         ["--- Profiling Metrics (Step 7) ---"])


if __name__ == "__main__":
    py_case.main()
