"""Misuse raises an exception that names the fault: a table of calls, and objects that cannot be sent to
another process."""

import py_case

# The call, and the exception it raises.
CALLS = [
    ("pitwall.report(view='x')", "ValueError: view must be one of tree, flat, "),
    ("pitwall.report(sort='x')", "ValueError: sort must be one of total, self, "),
    ("pitwall.report(form='xml')", "ValueError: form must be one of text, json, "),
    ("pitwall.report(view='tree', form='json', sort='x')", "ValueError: sort must be one of "),
    ("pitwall.report(width=10)", "ValueError: width must be 0, or 40 to 10000, not 10"),
    ("pitwall.report(width=2**40)", "ValueError: width must be a whole number, not 1099"),
    ("pitwall.report(depth=-1)", "ValueError: depth must be a whole number >= 0, not -1"),
    ("pitwall.report(depth='x')", "TypeError: depth must be a whole number >= 0, not 'x'"),
    ("pitwall.report(min_share=3)", "ValueError: min_share must be a share from 0 to 1, not 3.0"),
    ("pitwall.report(view='sweep', title=1)", "TypeError: title must be a str, not 1"),
    ("pitwall.report(view='sweep', title='a\\0b')", "ValueError: 'a\\x00b' contains a null character"),
    ("pitwall.report(datasets=1)", "TypeError: datasets: not an option of the report; "
     "timing-summary has it"),
    ("pitwall.report(view='tree', baseline='x')", "TypeError: baseline: not an option of the view tree; "
     "speedup has it"),
    ("pitwall.report(view='timing-summary', datasets=-1)",
     "ValueError: datasets must be a whole number >= 0, not -1"),
    ("pitwall.report(None)", "TypeError: a run is read from a path"),
    ("pitwall.report('a\\0b')", "ValueError: embedded null byte"),
    ("pitwall.read('a\\0b')", "ValueError: embedded null byte"),
    ("pitwall.read(5)", "TypeError: expected str, bytes or os.PathLike object, not int"),
    ("pitwall.open('a\\0b')", "ValueError: embedded null byte"),
    ("pitwall.open('a.pit', speed=1)", "TypeError: open() got an unexpected keyword argument 'speed'"),
    ("pitwall.open('a.pit', max_bytes='x')", "ValueError: max_bytes must be a number of bytes, not 'x'"),
    ("pitwall.open('a.pit', sample_hz='x')", "ValueError: could not convert string to float: 'x'"),
    ("pitwall.open('a.pit', labels=[1])", "TypeError: cannot convert dictionary"),
    ("pitwall.view('x', [('a', 1.0)])", "ValueError: view must be one of tree, flat, "),
    ("pitwall.view('speedup', [('a\\0b', 1.0)])",
     "ValueError: a name must not contain a null character"),
    ("pitwall.view('speedup', [('a', 'b')])", "TypeError: seconds must be a number, not 'b'"),
    ("pitwall.view('speedup', [('a', 1.0)], speed=1)", "TypeError: speed: no view has this option"),
    ("pitwall.label('', 'x')", "ValueError: label '': needs a key"),
    ("pitwall.label('long', 5000 * 'x')", "ValueError: label 'long': needs a key; key and value take "),
    ("pitwall.journal('', 'x')", "ValueError: entry '': needs a kind"),
    ("pitwall.journal('long', 20000 * 'x')", "ValueError: entry 'long': needs a kind, and takes "),
    ("pitwall.scale(abs, [-1, 2, 3])", "ValueError: a size must be a whole number >= 0, not -1"),
    ("pitwall.scale(abs, [1.5, 2, 3])", "TypeError: a size must be a whole number >= 0, not 1.5"),
    ("pitwall.find_scaling([1, 2, 3], [1])",
     "ValueError: costs and sizes must have the same length, not 1 and 3"),
    ("pitwall.set_device(1)", "TypeError: memory must be a function, not 1"),
    ("pitwall.set_device(tuple, wait=1)", "TypeError: wait must be a function, not 1"),
    ("pitwall.scale(abs, [1, 2, 3], rounds=-1)",
     "ValueError: expected a whole number >= 0, not -1"),
    ("pitwall.find_convergence([1], 0.1, smooth=-1)",
     "ValueError: expected a whole number >= 0, not -1"),
    ("pitwall.timing.track_time(None, 'x', os.abort)", "TypeError: timers must be a dict, not NoneType"),
    ("pitwall.timing.track_time_and_memory([], 'x', os.abort)",
     "TypeError: timers must be a dict, not list"),
    ("pitwall.epoch_monitor().on_batch_start('x')",
     "TypeError: expected a whole number >= 0, not 'x'"),
    ("pitwall.epoch_monitor().on_batch_end(-1)",
     "ValueError: expected a whole number >= 0, not -1"),
    ("pitwall.runtime_analyzer.RuntimeAnalyzer().benchmark_inference(print, 0, n_trials=0)",
     "ValueError: n_trials must be at least 1, not 0"),
    ("pitwall.runtime_analyzer.RuntimeAnalyzer().benchmark_inference(print, 0, n_steps=-1)",
     "ValueError: n_steps must be at least 1, not -1"),
    ("pitwall.runtime_analyzer.RuntimeAnalyzer().compare_models([])",
     "ValueError: no profiles to compare"),
    ("pitwall.bench(5)", "TypeError: 'int' object is not callable"),
    ("pitwall.race(abs, abs, 1, rounds=0)", "ValueError: rounds must be 1 or more, not 0"),
    ("pitwall.race(abs, abs, 1, budget=0)", "ValueError: budget must be more than 0 seconds, not 0"),
    ("pitwall.race(abs, abs, 1, level=2)", "Error: race: an argument"),
    ("pitwall.race(abs, abs, 1, processes='x')", "ValueError: processes must be False, True, "),
]


class Calls(py_case.Case):
    def test_every_one_says_what_was_wrong(self):
        found = self.python("""
            def told(call):
                try: return "nothing: %%r" %% (eval(call),)
                except Exception as error: return "%%s: %%s" %% (type(error).__name__, error)
            with pitwall.span("a"): pass
            tell([told(call) for call in %r])
        """ % [call for call, _ in CALLS])
        for (call, wanted), text in zip(CALLS, found):
            with self.subTest(call):
                self.assertEqual(text[:len(wanted)], wanted)

    def test_nothing_of_it_was_recorded_or_printed(self):
        found = self.python("""
            with pitwall.span("a"): pass
            for call in %r:
                try: eval(call)
                except Exception: pass
            tell([counts(), losses(), [name for name in os.listdir() if name.endswith(".pit")]])
        """ % [call for call, _ in CALLS if "bench" not in call])
        self.assertEqual(found, [{"a": 1}, {}, []])
        self.assertEqual([self.stdout, self.stderr], ["", ""])


class Names(py_case.Case):
    PROGRAM = """
        from pitwall import memory_monitor, profiling, runtime_analyzer, time_profiler, timing
        name = %r
        timers = {}
        timing.track_time(timers, name, int)
        timing.track_time_and_memory(timers, name + "2", int)
        timing.print_timing_summary(timers, name)
        timing.print_speedup_analysis({name: 1.0, "b": 2.0}, baseline=name)
        timing.export_timing_csv(timers, "a.csv", name)
        timing.export_timing_json({name: 1.0}, "a.json", name)
        timing.export_timing_json(timers, "b.json", name)
        detailed = timing.DetailedTimer(name)
        detailed.start_phase(name)
        detailed.end_phase()
        detailed.print_breakdown()
        monitor = memory_monitor.PerformanceMonitor()
        with monitor.track(name): pass
        monitor.print_summary()
        with memory_monitor.track_performance(name): pass
        profiler = profiling.TrainingProfiler()
        profiler.end_timer(name, profiler.start_timer(name))
        profiler.log_metrics()
        profiling.profile_operation(name)(int)()
        stages = time_profiler.TimeProfiler()
        stages.log(name, 1.0)
        stages.summary()
        pitwall.window(name, unit=name, every=1, items={name: "ms"}).add(1.0)
        analyzer = runtime_analyzer.RuntimeAnalyzer()
        with analyzer.time_operation(name): pass
        profile = analyzer.build_profile(name, 1.0, {}, 1, 1)
        analyzer.save_profile(profile, "p.json")
        analyzer.compare_models([profile, profile])
        pitwall.bench(int, name=name, trials=5, min_seconds=-1.0)
        pitwall.sweep(lambda n: n, (1, 2), name)
        tell([list(timers), json.load(open("b.json"))["timings"][name + "2"]["time"] >= 0,
              json.load(open("p.json"))["model_name"], monitor.get_operation_time(name) > 0,
              len(counts()) > 5])
    """

    def test_any_name_goes_through_all_of_it(self):
        """Unusual names, as file names may be."""
        for name in ("a\udc80b", "Größe 数", 3000 * "x", "two\nlines", "\x1b[31mred"):
            with self.subTest(ascii(name[:20])):
                found = self.python(self.PROGRAM % name)
                self.assertEqual(found, [[name, name + "2"], True, name, True, True])
                self.assertNotIn("\x1b", self.stdout)


class OddTexts(py_case.Case):
    """Texts that are no names of spans take what those take: file names with bytes that are not UTF-8."""

    def test_labels_threads_and_journal(self):
        found = self.python("""
            import threading
            odd, odd_text = "p\\udcff/x", "p\\\\udcff/x"
            def work():
                with pitwall.span("in a thread"): pass
            pitwall.open("run.pit", labels={"from " + odd: odd})
            pitwall.label("code " + odd, odd)
            pitwall.journal("kind", odd, {odd: 1.0}, {odd: odd})
            thread = threading.Thread(target=work, name="thread " + odd)
            thread.start(); thread.join()
            pitwall.thread_name("main " + odd)
            with pitwall.span(odd): pass
            pitwall.close()
            run = pitwall.read("run.pit")
            labels = [[key, value] for key, value in run["facts"].items() if odd_text in key]
            tell([sorted(labels), sorted(t["name"] for t in run["threads"]), counts(run)])
        """)
        odd, path = "p\\udcff/x", "p\\\\udcff\\/x"
        self.assertEqual(found, [[["label.code " + odd, odd], ["label.from " + odd, odd]],
                                 ["main " + odd, "thread " + odd], {path: 1, "in a thread": 1}])

    def test_texts_of_the_wrong_type(self):
        for call in ("label(1, 'a')", "label('a', None)", "label('a', 'b\\0c')", "thread_name(b'a')",
                     "journal(1)"):
            found = self.python("""
                try: pitwall.%s
                except (TypeError, ValueError) as error: tell(str(error))
            """ % call)
            self.assertRegex(found, "must be str, not|null character", call)


class Numbers(py_case.Case):
    def test_numbers_of_any_kind_count_batches(self):
        found = self.python("""
            class Seven:  # as NumPy's are: no int, and good for one
                def __index__(self): return 7
                def __lt__(self, other): return 7 < other
            from pitwall.memory_monitor import EpochPerformanceMonitor
            monitor = EpochPerformanceMonitor(verbose_batches=8)
            with monitor.epoch():
                with monitor.batch(Seven()): pass
            tell(monitor.get_statistics()["num_batches"])
        """)
        self.assertEqual(found, 1)
        self.assertIn("  Batch 7: ", self.stdout)


class Objects(py_case.Case):
    def test_what_belongs_to_a_process_is_not_copied(self):
        found = self.python("""
            import copy, pickle
            own = pitwall.Recorder(in_memory=True)
            default = pitwall.open(in_memory=True)
            told = []
            for thing in (own, default, own.span("a"), pitwall.span("a")):
                for send in (copy.copy, copy.deepcopy, pickle.dumps):
                    try: told.append(repr(send(thing)))
                    except TypeError as error: told.append(str(error))
            tell(told)
        """)
        self.assertEqual(found[:6], 6 * ["cannot copy or pickle a Recorder: it belongs to this process"])
        self.assertEqual(found[6:9],
                         3 * ["cannot copy or pickle a RecorderSpan: it belongs to this process"])
        self.assertEqual(found[9:], 3 * ["cannot pickle 'pitwall.span' object"])

    def test_spans_of_a_recorder_that_does_not_record_still_tell_their_time(self):
        program = """
            own = pitwall.Recorder(in_memory=True)
            if os.environ.get("PITWALL") != "0": own.close()
            span = own.span("a").begin()
            shown = [repr(own.span("b")), repr(span), span.is_open]
            time.sleep(0.005)
            tell([span.end(), span.elapsed, shown, repr(span)])
        """
        for env in ({}, {"PITWALL": "0"}):
            seconds, elapsed, shown, ended = self.python(program, **env)
            self.assertGreaterEqual(seconds, py_case.slept(0.005))
            self.assertEqual(seconds, elapsed)
            self.assertEqual(shown, ["<span 'b' of a recorder, not begun>",
                                     "<span 'a' of a recorder, open>", True])
            self.assertEqual(ended, "<span 'a' of a recorder, ended>")


if __name__ == "__main__":
    py_case.main()
