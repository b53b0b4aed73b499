"""pitwall.span: every way to use it, and every way to leave it."""

import py_case


class Spans(py_case.Case):
    def test_nested_spans_make_a_tree(self):
        found = self.python("""
            for _ in range(3):
                with pitwall.span("a"):
                    with pitwall.span("b"): pass
                    with pitwall.span("b"): pass
            with pitwall.span("b"): pass
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"a": 3, "a/b": 6, "b": 1}, {}])

    def test_an_exception_ends_the_span_and_goes_through(self):
        found = self.python("""
            caught = []
            for _ in range(5):
                try:
                    with pitwall.span("outer"):
                        with pitwall.span("inner"):
                            raise KeyError("x")
                except KeyError as error:
                    caught.append(repr(error))
            tell([caught, counts(), losses()])
        """)
        self.assertEqual(found, [["KeyError('x')"] * 5, {"outer": 5, "outer/inner": 5}, {}])

    def test_return_break_and_continue_end_it(self):
        found = self.python("""
            def f():
                with pitwall.span("return"):
                    return 1
            for i in range(4):
                f()
                with pitwall.span("continue"):
                    if i < 2: continue
                with pitwall.span("break"):
                    break
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"return": 3, "continue": 3, "break": 1}, {}])

    def test_recursion_and_one_object_used_inside_itself(self):
        found = self.python("""
            def f(n):
                with pitwall.span("f"):
                    if n: f(n - 1)
            f(3)
            shared = pitwall.span("shared")
            with shared:
                with shared:
                    with shared: pass
            tell([counts(), losses(), shared.is_open])
        """)
        want = {"f": 1, "f/f": 1, "f/f/f": 1, "f/f/f/f": 1,
                "shared": 1, "shared/shared": 1, "shared/shared/shared": 1}
        self.assertEqual(found, [want, {}, False])

    def test_one_object_shared_by_threads_ends_where_it_began(self):
        found = self.python("""
            shared = pitwall.span("shared")
            barrier = threading.Barrier(4)
            def work(nap):
                for _ in range(50):
                    with shared:
                        barrier.wait()
                        time.sleep(nap)
            threads = [threading.Thread(target=work, args=(n * 1e-4,)) for n in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"shared": 200}, {}])

    def test_threads_that_begin_one_object_at_the_same_moment(self):
        """To begin runs Python code in the first span of a thread: here both threads are in it together."""
        found = self.python("""
            pitwall.open(in_memory=True)
            both, known, asked = threading.Barrier(2), threading.main_thread, []
            def main_thread():
                asked.append(1)
                both.wait()
                return known()
            shared = pitwall.span("shared")
            def work():
                with shared: both.wait()
            threads = [threading.Thread(target=work) for _ in range(2)]
            threading.main_thread = main_thread
            for t in threads: t.start()
            for t in threads: t.join()
            threading.main_thread = known
            tell([len(asked), counts(), losses(), shared.is_open])
        """)
        self.assertEqual(found, [2, {"shared": 2}, {}, False])

    def test_begin_and_end_by_hand_and_elapsed(self):
        found = self.python("""
            s = pitwall.span("s")
            never = s.elapsed
            s.begin()
            time.sleep(0.02)
            inside = s.elapsed
            took = s.end()
            tell([never != never, inside, took, s.elapsed, counts(), repr(s)])
        """)
        self.assertTrue(found[0])
        self.assertGreaterEqual(found[1], py_case.slept(0.02))
        self.assertGreaterEqual(found[2], found[1])
        self.assertEqual(found[2], found[3])
        self.assertEqual(found[4:], [{"s": 1}, "<pitwall.span 's', ended>"])

    def test_elapsed_stays_what_it_was_wherever_it_is_asked_for(self):
        found = self.python("""
            kept = []
            for i in range(200):
                with pitwall.span("s") as s:
                    if i == 150: time.sleep(0.02)
                kept.append(s)
            took = kept[150].elapsed
            other = []
            thread = threading.Thread(target=lambda: other.append(kept[150].elapsed))
            thread.start()
            thread.join()
            pitwall.close()
            late = kept[151].elapsed
            seen, child = os.pipe()
            if os.fork() == 0:
                os.write(child, repr([kept[150].elapsed, kept[152].elapsed]).encode())
                os._exit(0)
            os.wait()
            tell([took, other[0], kept[150].elapsed, late, json.loads(os.read(seen, 1000))])
        """)
        took, other, again, late, forked = found
        self.assertGreaterEqual(took, 0.0199)
        self.assertEqual([other, again, forked[0]], [took] * 3)
        for other in (late, forked[1]):  # of others than that one
            self.assertGreater(other, 0)
            self.assertNotEqual(other, took)

    def test_more_names_than_are_kept_near(self):
        found = self.python("""
            names = ["name %d" % i for i in range(400)]
            for _ in range(4):
                for name in names:
                    with pitwall.span(name): pass
            again = ["".join(list(name)) for name in names]
            for name in again:
                with pitwall.span(name): pass
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"name %d" % i: 5 for i in range(400)}, {}])

    def test_threads_that_take_turns_inside_their_spans(self):
        found = self.python("""
            turns = [threading.Semaphore(1), threading.Semaphore(0)]
            def work(own):
                for _ in range(100):
                    turns[own].acquire()
                    with pitwall.span("outer"):
                        turns[1 - own].release()
                        turns[own].acquire()
                        with pitwall.span("inner"): pass
                    turns[1 - own].release()
            for _ in range(3):
                threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                for turn in turns:
                    while turn.acquire(blocking=False): pass
                turns[0].release()
            run = pitwall.read_live()
            total = {}
            for node in run["nodes"]:
                total[node["path"]] = total.get(node["path"], 0) + node["count"]
            tell([total, losses()])
        """)
        self.assertEqual(found, [{"outer": 600, "outer/inner": 600}, {}])

    def test_elapsed_leaves_out_what_measuring_memory_inside_costs(self):
        found = self.python("""
            with pitwall.span("outer") as outer:
                for _ in range(200):
                    with pitwall.span("inner", memory=True): pass
                inside = outer.elapsed
            tell([inside, outer.elapsed])
        """)
        self.assertLessEqual(found[0], found[1])

    def test_a_span_thrown_away_while_open_ends_then(self):
        found = self.python("""
            s = pitwall.span("lost").begin()
            del s
            with pitwall.span("next"): pass
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"lost": 1, "next": 1}, {}])

    def test_drop_leaves_no_trace(self):
        found = self.python("""
            with pitwall.span("a"):
                s = pitwall.span("b").begin()
                s.drop()
            tell([counts(), losses()])
        """)
        self.assertEqual(found[0]["a"], 1)
        self.assertEqual(found[0].get("a/b", 0), 0)
        self.assertEqual(found[1], {})

    def test_exit_stack_and_explicit_dunders(self):
        found = self.python("""
            import contextlib
            with contextlib.ExitStack() as stack:
                for name in "abc":
                    stack.enter_context(pitwall.span(name))
            s = pitwall.span("d")
            s.__enter__()
            s.__exit__(None, None, None)
            type(s).__enter__(s)
            type(s).__exit__(s, None, None, None)
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"a": 1, "a/b": 1, "a/b/c": 1, "d": 2}, {}])

    def test_memory_and_records(self):
        found = self.python("""
            with pitwall.span("big", memory=True, record=True):
                block = bytearray(64 << 20)
                del block
            with pitwall.span("big", True, True): pass
            run = pitwall.read_live()
            node = run["nodes"][0]
            records = [r for t in run["threads"] for r in t["records"]]
            tell([node["memory_spans"], node["memory_peak_bytes"], [r["path"] for r in records],
                  records[0]["rss_peak_bytes"] - records[0]["rss_begin_bytes"]])
        """)
        self.assertEqual([found[0], found[2]], [2, ["big", "big"]])
        self.assertGreater(found[1], 60 << 20)
        self.assertGreater(found[3], 60 << 20)

    def test_counts_values_phases_and_labels(self):
        found = self.python("""
            pitwall.label("model", "small")
            with pitwall.span("batch"):
                pitwall.items(32); pitwall.bytes(1 << 40); pitwall.flops(7); pitwall.items(32)
                pitwall.phase("load")
                pitwall.phase("train")
                pitwall.phase(None)
            for loss in (3.0, 2.0, 1):
                pitwall.value("loss", loss)
            pitwall.journal("note", "halfway", {"loss": 2.0})
            run = pitwall.read_live()
            node = {n["path"]: n for n in run["nodes"]}["batch"]
            value = run["threads"][0]["values"][0]
            entry = run["journal"][0]
            tell([node["items"], node["bytes"], node["flops"], counts(run), value["name"],
                  value["count"], value["last"], run["facts"]["label.model"],
                  entry["kind"], entry["text"], entry["figures"]])
        """)
        self.assertEqual(found, [64, 1 << 40, 7, {"batch": 1, "batch/load": 1, "batch/train": 1},
                                 "loss", 3, 1.0, "small", "note", "halfway", {"loss": 2.0}])

    def test_names_of_any_text(self):
        found = self.python(r"""
            names = ["ünïcode", "日本", "a/b", "x" * 300, "\ud800", "tab\t"]
            for name in names:
                with pitwall.span(name): pass
                with pitwall.span("".join(list(name))): pass
            tell([n["count"] for n in pitwall.read_live()["nodes"]])
        """)
        self.assertEqual(found, [2] * 6)

    def test_names_made_at_run_time_are_one_node_each(self):
        found = self.python("""
            for round in range(3):
                for i in range(1000):
                    with pitwall.span("n%d" % i): pass
            tell(sorted(set(counts().values())) + [len(counts())])
        """)
        self.assertEqual(found, [3, 1000])


class Decorators(py_case.Case):
    def test_bare_with_arguments_and_from_a_span(self):
        found = self.python("""
            @pitwall.timed
            def bare(a, b=2): return a + b
            @pitwall.timed(name="named", memory=True)
            def other(): return "x"
            @pitwall.timed("short")
            def third(): return 3
            @pitwall.span("spanned")
            def fourth(*args, **kwargs): return args, kwargs
            got = [bare(1), bare(1, b=5), other(), third(), fourth(1, name="n", function=2)]
            tell([got, counts(), losses()])
        """)
        self.assertEqual(found[0], [3, 6, "x", 3, [[1], {"name": "n", "function": 2}]])
        self.assertEqual(found[1:], [{"bare": 2, "named": 1, "short": 1, "spanned": 1}, {}])

    def test_methods_bind(self):
        found = self.python("""
            class Model:
                @pitwall.timed
                def forward(self, x): return (self.k, x)
                @pitwall.timed
                @staticmethod
                def fixed(x): return x
                @pitwall.timed
                @classmethod
                def made(cls): return cls.__name__
                @property
                @pitwall.timed
                def size(self): return 9
                k = 7
            m = Model()
            f = m.forward
            tell([m.forward(1), f(2), Model.forward(m, 3), Model.fixed(4), m.fixed(5), m.made(),
                  m.size, counts()])
        """)
        self.assertEqual(found[:-1], [[7, 1], [7, 2], [7, 3], 4, 5, "Model", 9])
        self.assertEqual(found[-1], {"Model.forward": 3, "Model.fixed": 2, "Model.made": 1,
                                     "Model.size": 1})

    def test_an_exception_goes_through_a_decorated_function(self):
        found = self.python("""
            @pitwall.timed
            def bad(): raise ImportError("once")
            try: bad()
            except ImportError as error: text = str(error)
            tell([text, counts(), losses()])
        """)
        self.assertEqual(found, ["once", {"bad": 1}, {}])

    def test_signature_and_attributes_stay(self):
        found = self.python("""
            import inspect, functools
            @pitwall.timed
            def f(a, b: int = 2, *args, c, **rest) -> float:
                "What it does."
            f.note = 5
            async def co(): pass
            def gen(): yield
            async def agen(): yield
            tell([str(inspect.signature(f)), f.__name__, f.__qualname__, f.__doc__, f.__module__,
                  f.note, f.__wrapped__.__name__, callable(f), f.__defaults__,
                  inspect.iscoroutinefunction(pitwall.timed(co)),
                  inspect.isgeneratorfunction(pitwall.timed(gen)),
                  inspect.isasyncgenfunction(pitwall.timed(agen))])
        """)
        self.assertEqual(found, ["(a, b: int = 2, *args, c, **rest) -> float", "f", "f",
                                 "What it does.", "__main__", 5, "f", True, [2], True, True, True])

    def test_a_decorated_function_is_pickled_by_its_name(self):
        found = self.python("""
            import copy, pickle, weakref
            @pitwall.timed
            def f(x): return x * 2
            class C:
                @pitwall.timed
                def m(self): return 1
            same = pickle.loads(pickle.dumps(f))
            tell([same is f, same(4), pickle.loads(pickle.dumps(C.m)) is C.m, copy.copy(f) is f,
                  weakref.ref(f)() is f])
        """)
        self.assertEqual(found, [True, 8, True, True, True])

    def test_generators_are_timed_step_by_step(self):
        found = self.python("""
            @pitwall.timed
            def numbers(n):
                got = []
                for i in range(n):
                    try:
                        got.append((yield i))
                    except ValueError:
                        got.append("thrown")
                return got
            with pitwall.span("consumer"):
                g = numbers(3)
                steps = [next(g), g.send("a"), g.throw(ValueError())]
                try: g.send("z")
                except StopIteration as end: result = end.value
            closed = numbers(5)
            next(closed); closed.close()
            tell([steps, result, list(numbers(2)), counts(), losses()])
        """)
        self.assertEqual(found[:3], [[0, 1, 2], ["a", "thrown", "z"], [0, 1]])
        self.assertEqual(found[3:], [{"consumer": 1, "consumer/numbers": 4, "numbers": 4}, {}])

    def test_coroutines_and_asynchronous_generators(self):
        found = self.python("""
            @pitwall.timed
            async def work(n):
                await asyncio.sleep(0.01)
                return n
            @pitwall.timed
            async def stream(n):
                for i in range(n):
                    await asyncio.sleep(0)
                    yield i
            async def main():
                return [await work(1), await asyncio.gather(*map(work, range(5))),
                        [i async for i in stream(3)],
                        [i async for i in pitwall.iter(stream(2), "wrapped")]]
            tell([asyncio.run(main()), counts(), losses(), pitwall.read_live()["nodes"][0]["min_ns"]])
        """)
        self.assertEqual(found[0], [1, [0, 1, 2, 3, 4], [0, 1, 2], [0, 1]])
        self.assertEqual(found[1]["work"], 6)
        self.assertEqual(found[1]["stream"], 4)
        self.assertEqual(found[1]["wrapped"], 2)
        self.assertEqual(found[2], {})
        self.assertGreaterEqual(found[3], 9e6)


class Iterables(py_case.Case):
    def test_length_attributes_and_a_second_pass(self):
        found = self.python("""
            class Loader:
                dataset = "the set"
                def __len__(self): return 3
                def __iter__(self): return iter([1, 2, 3])
                def __getitem__(self, i): return i * 10
            loader = pitwall.iter(Loader(), "data")
            loader.epoch = 4
            tell([len(loader), loader.dataset, loader[2], loader.epoch, list(loader), list(loader),
                  2 in loader, bool(pitwall.iter([], "none")), counts(), losses()])
        """)
        self.assertEqual(found, [3, "the set", 20, 4, [1, 2, 3], [1, 2, 3], True, False,
                                 {"data": 6}, {}])

    def test_any_iterable(self):
        found = self.python("""
            def gen():
                yield from range(4)
            class Old:
                def __getitem__(self, i):
                    if i == 2: raise IndexError
                    return i
            got = [list(pitwall.iter(x, "x")) for x in
                   ([1], (2,), {3: 4}, "ab", gen(), Old(), map(str, [5]), range(2))]
            one = pitwall.iter(gen(), "next")
            tell([got, next(one), next(one), bool(one), counts()])
        """)
        self.assertEqual(found[0], [[1], [2], [3], ["a", "b"], [0, 1, 2, 3], [0, 1], ["5"], [0, 1]])
        self.assertEqual(found[1:], [0, 1, True, {"x": 14, "next": 2}])

    def test_an_error_of_the_iterable_is_counted_and_goes_through(self):
        found = self.python("""
            def gen():
                yield 1
                raise OSError("disk")
            try: list(pitwall.iter(gen(), "x"))
            except OSError as error: text = str(error)
            tell([text, counts(), losses()])
        """)
        self.assertEqual(found, ["disk", {"x": 2}, {}])

    def test_spans_in_the_loop_are_not_inside_the_iterables(self):
        found = self.python("""
            with pitwall.span("epoch"):
                for i in pitwall.iter(range(3), "data"):
                    with pitwall.span("step"): pass
            tell(counts())
        """)
        self.assertEqual(found, {"epoch": 1, "epoch/data": 3, "epoch/step": 3})


if __name__ == "__main__":
    py_case.main()
