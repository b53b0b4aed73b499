"""The cost of a log line and of the end of a step does not grow with the number of names: counted in bytes
and calls, not in seconds."""

import py_case

# The most memory that one call takes while it runs, and the Python and C functions it calls.
MEASURE = """
        import tracemalloc
        def cost(call):
            for _ in range(5): call()
            events = []
            sys.setprofile(lambda frame, event, arg: events.append(event))
            call()
            sys.setprofile(None)
            tracemalloc.start()
            call()
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            call()
            peak = tracemalloc.get_traced_memory()[1] - before
            tracemalloc.stop()
            return [len(events), peak]
        def grown(make):
            return [cost(make(names)) for names in (10, 500)]
"""


class Cost(py_case.Case):
    def check(self, program, **env):
        few, many = self.python(MEASURE + program, **env)
        self.assertEqual(few[0], many[0], "calls at 10 and at 500 names")
        self.assertLess(abs(many[1] - few[1]), 1024, "bytes at 10 and at 500 names: %s, %s" %
                        (few[1], many[1]))

    def test_a_line_of_the_stage_log(self):
        for verbose in ("0", "1"):
            self.check("""
        from pitwall.time_profiler import TimeProfiler
        def make(names):
            profiler = TimeProfiler()
            for i in range(names): profiler.log("stage %03d" % i, 1.0)
            return lambda: profiler.log("stage 007", 1.0)
        tell(grown(make))
            """, PITWALL_VERBOSE=verbose)

    def test_a_stage_as_a_block(self):
        self.check("""
        from pitwall.time_profiler import TimeProfiler
        def make(names):
            profiler = TimeProfiler()
            for i in range(names): profiler.log("stage %03d" % i, 1.0)
            def call():
                with profiler.stage("stage 007"): pass
            return call
        tell(grown(make))
            """, PITWALL_VERBOSE="0")

    def test_the_end_of_a_step(self):
        self.check("""
        from pitwall.profiling import TrainingProfiler
        def make(names):
            profiler = TrainingProfiler(log_every=10 ** 9)
            for i in range(names):
                profiler.end_timer("op %03d" % i, profiler.start_timer("op %03d" % i))
            def call():
                profiler.end_timer("make_step_total", profiler.start_timer("make_step_total"))
            return call
        tell(grown(make))
            """)

    def test_a_decorated_step(self):
        self.check("""
        from pitwall.profiling import get_profiler, profile_make_step
        def make(names):
            profiler = get_profiler()
            profiler.reset()
            profiler.log_every = 10 ** 9
            for i in range(names):
                profiler.end_timer("op %03d" % i, profiler.start_timer("op %03d" % i))
            step = profile_make_step(lambda: None)
            return step
        tell(grown(make))
            """)


if __name__ == "__main__":
    py_case.main()
