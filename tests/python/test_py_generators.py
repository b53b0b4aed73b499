"""Spans that a generator leaves open while it is suspended: each ends correctly, once, and is not
mixed with spans of other code; the tree does not grow."""

import py_case

# Every program ends with this: nodes by path, with a mark for those that overlap their parent; errors of
# the tree; losses.
TREE = """
def tree():
    run = pitwall.read_live()
    wrong = []
    for node in run["nodes"]:
        inside = [n for n in run["nodes"] if not n["detached"]
                  and n["path"].rpartition("/")[0] == node["path"]]
        if sum(n["total_ns"] for n in inside) > node["total_ns"] + 1:
            wrong.append(node["path"])
    return {n["path"] + ("*" if n["detached"] else ""): n["count"]
            for n in run["nodes"] if n["count"]}, wrong, losses(run)
"""


class Generators(py_case.Case):
    def tree(self, program, wanted):
        found, wrong, lost = self.python(TREE + self.dedent(program) + "\ntell(tree())\n")
        self.assertEqual(found, wanted)
        self.assertEqual(wrong, [], "longer than what is around them")
        self.assertEqual(lost, {})

    @staticmethod
    def dedent(program):
        lines = program.strip("\n").split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        return "\n".join(line[indent:] for line in lines)

    def test_two_generators_in_turn(self):
        self.tree("""
            def loader(n):
                for i in range(n):
                    with pitwall.span("load"):
                        yield i
            list(zip(loader(1000), loader(1000)))
        """, {"load": 2000})

    def test_two_generators_in_turn_below_a_span(self):
        self.tree("""
            def loader(name, n):
                for i in range(n):
                    with pitwall.span(name):
                        with pitwall.span("read"): pass
                        yield i
                        with pitwall.span("give back"): pass
            with pitwall.span("epoch"):
                for _ in zip(loader("a", 500), loader("b", 500)):
                    with pitwall.span("train"): pass
        """, {"epoch": 1, "epoch/a*": 500, "epoch/a/read": 500, "epoch/a/give back": 500,
              "epoch/b*": 500, "epoch/b/read": 500, "epoch/b/give back": 499, "epoch/train": 500})

    def test_a_span_that_ends_before_the_yield_is_like_any_other(self):
        self.tree("""
            def loader(n):
                for i in range(n):
                    with pitwall.span("read"): pass
                    yield i
            with pitwall.span("epoch"):
                for _ in zip(loader(100), loader(100)):
                    with pitwall.span("train"): pass
        """, {"epoch": 1, "epoch/read": 200, "epoch/train": 100})

    def test_functions_that_a_generator_calls_are_inside_its_span(self):
        self.tree("""
            @pitwall.timed("decode")
            def decode(): pass
            def read():
                with pitwall.span("read"): decode()
            def loader(n):
                with pitwall.span("loader"):
                    for i in range(n):
                        read()
                        yield i
            with pitwall.span("epoch"):
                for _ in zip(loader(100), loader(100)): read()
        """, {"epoch": 1, "epoch/loader*": 2, "epoch/loader/read": 200,
              "epoch/loader/read/decode": 200, "epoch/read": 100, "epoch/read/decode": 100})

    def test_generators_of_generators(self):
        self.tree("""
            def source(n):
                for i in range(n):
                    with pitwall.span("source"):
                        yield i
            def doubled(items):
                for i in items:
                    with pitwall.span("double"):
                        yield 2 * i
            with pitwall.span("all"):
                for _ in zip(doubled(source(300)), doubled(source(300))):
                    with pitwall.span("use"): pass
        """, {"all": 1, "all/source*": 600, "all/double*": 600, "all/use": 300})

    def test_yield_from(self):
        self.tree("""
            def inner(n):
                for i in range(n):
                    with pitwall.span("inner"):
                        yield i
            def outer(n):
                with pitwall.span("outer"):
                    yield from inner(n)
            list(zip(outer(100), outer(100)))
            with pitwall.span("after"): pass
        """, {"outer": 2, "outer/inner*": 200, "after": 1})

    def test_closed_early_thrown_into_and_left_to_the_collector(self):
        self.tree("""
            import gc
            def gen(n):
                with pitwall.span("gen"):
                    for i in range(n):
                        with pitwall.span("step"):
                            yield i
            for round in range(100):
                with pitwall.span("round"):
                    a, b, c, d = (gen(5) for _ in range(4))
                    for g in (a, b, c, d, a, c): next(g)
                    a.close()
                    try: b.throw(ValueError)
                    except ValueError: pass
                    del c
                    cycle = [d]; cycle.append(cycle); del d, cycle
                    g = None
                    gc.collect()
        """, {"round": 100, "round/gen*": 400, "round/gen/step": 600})

    def test_hundreds_at_once_begun_here_and_finished_there(self):
        self.tree("""
            import random
            random.seed(5)
            def gen():
                with pitwall.span("held"):
                    yield 1
                    with pitwall.span("end"): pass
            waiting = []
            for i in range(20):
                with pitwall.span("begin"):
                    for _ in range(25):
                        g = gen(); next(g); waiting.append(g)
            random.shuffle(waiting)
            with pitwall.span("finish"):
                for g in waiting:
                    next(g, None)
                    with pitwall.span("between"): pass
        """, {"begin": 20, "begin/held*": 500, "begin/held/end": 500, "finish": 1,
              "finish/between": 500})

    def test_exit_stacks_and_spans_begun_by_hand(self):
        self.tree("""
            import contextlib
            def stacked(n):
                for i in range(n):
                    with contextlib.ExitStack() as stack:
                        stack.enter_context(pitwall.span("one"))
                        stack.enter_context(pitwall.span("two"))
                        yield i
            def by_hand(n):
                for i in range(n):
                    span = pitwall.span("hand").begin()
                    yield i
                    span.end()
            with pitwall.span("all"):
                for _ in zip(stacked(100), by_hand(100), stacked(100), by_hand(100)):
                    with pitwall.span("use"): pass
        """, {"all": 1, "all/one*": 200, "all/one/two": 200, "all/hand*": 200, "all/use": 100})

    def test_a_context_manager_made_of_a_generator_has_its_block_inside(self):
        self.tree("""
            import contextlib
            @contextlib.contextmanager
            def part(name):
                with pitwall.span(name):
                    yield
            def loader(n):
                for i in range(n):
                    with part("load"):
                        with pitwall.span("read"): pass
                        yield i
            with part("epoch"):
                with contextlib.ExitStack() as stack:
                    stack.enter_context(part("stacked"))
                    for _ in zip(loader(50), loader(50)):
                        with part("train"), pitwall.span("step"): pass
        """, {"epoch": 1, "epoch/stacked": 1, "epoch/stacked/load*": 100,
              "epoch/stacked/load/read": 100, "epoch/stacked/train": 50,
              "epoch/stacked/train/step": 50})

    def test_asynchronous_generators_of_one_task_and_of_many(self):
        self.tree("""
            import contextlib
            @contextlib.asynccontextmanager
            async def part(name):
                with pitwall.span(name):
                    yield
            async def loader(n):
                for i in range(n):
                    with pitwall.span("load"):
                        await asyncio.sleep(0)
                        yield i
            async def task():
                async with pitwall.span("task"):
                    a, b = loader(20), loader(20)
                    for _ in range(20):
                        await a.__anext__(); await b.__anext__()
                        async with part("train"):
                            await asyncio.sleep(0)
                    await a.aclose(); await b.aclose()
            async def main():
                await asyncio.gather(*(task() for _ in range(10)))
            asyncio.run(main())
        """, {"task": 10, "task/load*": 400, "task/train": 200})

    def test_spans_with_flags(self):
        self.tree("""
            def gen(n, **flags):
                for i in range(n):
                    with pitwall.span("gen", **flags):
                        with pitwall.span("inside", memory=True): pass
                        yield i
            with pitwall.span("all", memory=True):
                for _ in zip(gen(50, memory=True), gen(50, record=True), gen(50)):
                    with pitwall.span("use", memory=True): pass
        """, {"all": 1, "all/gen*": 150, "all/gen/inside": 150, "all/use": 50})

    def test_a_timed_iterable_over_such_a_generator(self):
        self.tree("""
            def gen(n):
                for i in range(n):
                    with pitwall.span("gen"):
                        yield i
            with pitwall.span("all"):
                for _ in zip(pitwall.iter(gen(50), "data"), pitwall.iter(gen(50), "data")): pass
        """, {"all": 1, "all/data": 100, "all/data/gen*": 100})

    def test_many_withs_in_one_generator_and_long_jumps(self):
        # Over 256 instructions inside a `with`: the offset of its end takes more than one byte.
        body = "\n".join("                    x%d = i + %d" % (i, i) for i in range(200))
        self.tree("""
            def gen(n):
                for i in range(n):
                    with pitwall.span("plain"):
%s
                    with pitwall.span("held"):
%s
                        yield i
            with pitwall.span("all"):
                list(zip(gen(10), gen(10)))
        """ % (body.replace("                    x", "                        x"),
               body.replace("                    x", "                        x")),
            {"all": 1, "all/plain": 20, "all/held*": 20})

    def test_threads_each_with_generators(self):
        self.tree("""
            def gen(n):
                for i in range(n):
                    with pitwall.span("gen"):
                        yield i
            def work():
                for _ in range(20):
                    with pitwall.span("work"):
                        list(zip(gen(20), gen(20)))
            threads = [threading.Thread(target=work) for _ in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
        """, {"work": 80, "work/gen*": 3200})

    # A generator is resumed by whichever thread asks for its next item: a pool that serves a stream.
    OTHER = """
        from concurrent.futures import ThreadPoolExecutor
        def on(pool, call, *args): return pool.submit(call, *args).result()
        first, second = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
    """

    def test_a_generator_that_two_threads_resume_in_turn(self):
        self.tree(self.OTHER + """
        def loader(n):
            for i in range(n):
                with pitwall.span("load"):
                    yield i
        g = loader(300)
        for i in range(301):
            on((first, second)[i % 2], next, g, None)
            with pitwall.span("own"): pass
        g = loader(300)
        for i in range(301):
            on(first, next, g, None) if i % 3 else next(g, None)
        for pool in (first, second):
            on(pool, lambda: pitwall.span("later").__enter__().__exit__(None, None, None))
        """, {"load": 600, "own": 301, "later": 2})

    def test_spans_inside_spans_that_end_on_another_thread(self):
        """Each is counted once. Where they are depends on the thread: a span that begins after a generator
        has changed its thread is below what is open there."""
        found, wrong, lost = self.python(TREE + self.dedent(self.OTHER + """
        def loader(n):
            with pitwall.span("outer"):
                for i in range(n):
                    with pitwall.span("held"):
                        with pitwall.span("read"): pass
                        yield i
                        with pitwall.span("end"): pass
        with pitwall.span("around"):
            g = loader(100)
            for i in range(101):
                on((first, second)[i % 2], next, g, None)
        tell(tree())
        """))
        sums = {}
        for path, count in found.items():
            name = path.rstrip("*").rpartition("/")[2]
            sums[name] = sums.get(name, 0) + count
            self.assertLessEqual(path.count("/"), 2, found)
        self.assertEqual(sums, {"around": 1, "outer": 1, "held": 100, "read": 100, "end": 100})
        self.assertEqual((wrong, lost), ([], {}))

    def test_generators_that_another_thread_closes_or_collects(self):
        self.tree(self.OTHER + """
        import gc
        def gen():
            with pitwall.span("held", memory=True):
                yield 1
        def make(n):
            found = [gen() for _ in range(n)]
            for g in found: next(g)
            return found
        waiting = on(first, make, 200)
        on(second, lambda: [g.close() for g in waiting[:100]])
        del waiting[:]
        class Ring: pass
        def rings():
            for g in make(100):
                ring = Ring(); ring.self, ring.g = ring, g
        gc.disable()
        on(first, rings)
        gc.collect()
        for _ in range(3):
            on(first, lambda: pitwall.span("own").__enter__().__exit__(None, None, None))
        """, {"held": 300, "own": 3})

    def test_a_thread_that_is_gone_when_its_generator_ends(self):
        found, wrong, _ = self.python(TREE + self.dedent("""
            def gen():
                with pitwall.span("held"):
                    yield 1
            waiting = []
            def begin():
                for _ in range(50):
                    g = gen(); next(g); waiting.append(g)
            thread = threading.Thread(target=begin); thread.start(); thread.join()
            for g in waiting: next(g, None)
            with pitwall.span("own"): pass
            tell(tree())
        """))
        self.assertEqual((found, wrong), ({"held": 50, "own": 1}, []))

    def test_a_suspended_generator_is_not_kept_alive(self):
        found = self.python("""
            import gc, weakref
            def gen():
                with pitwall.span("gen"):
                    yield 1
            seen = []
            for _ in range(100):
                g = gen(); next(g); seen.append(weakref.ref(g)); del g
            with pitwall.span("after"): pass
            gc.collect()
            tell([sum(ref() is not None for ref in seen), counts()])
        """)
        self.assertEqual(found, [0, {"gen": 100, "after": 1}])


if __name__ == "__main__":
    py_case.main()
