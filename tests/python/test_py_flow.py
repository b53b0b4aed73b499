"""Spans of threads, generators, asyncio tasks and contexts: each ends correctly, in the place where
it was begun; nothing leaks."""

import os
import subprocess

import py_case
from py_case import pit_case


class Generators(py_case.Case):
    def test_interleaved_generators_each_end_their_own_span(self):
        found = self.python("""
            def gen(name, n):
                with pitwall.span(name):
                    for i in range(n):
                        with pitwall.span("step"): pass
                        yield i
            a, b = gen("a", 2), gen("b", 3)
            with pitwall.span("outer"):
                list(zip(a, b))    # a ends while b is open
                list(b)
            tell([counts(), losses()])
        """)
        self.assertEqual(found[0]["outer"], 1)
        self.assertEqual(found[0]["outer/a"], 1)
        self.assertEqual(found[0]["outer/b"], 1)
        self.assertEqual([found[0]["outer/a/step"], found[0]["outer/b/step"]], [2, 3])
        self.assertEqual(found[1], {})

    def test_a_generator_that_outlives_the_span_around_it(self):
        found = self.python("""
            def gen():
                with pitwall.span("inside"):
                    yield 1
            with pitwall.span("outer"):
                g = gen(); next(g)
            with pitwall.span("later"): pass
            g.close()
            with pitwall.span("last"): pass
            tell([counts(), losses()])
        """)
        self.assertEqual(found[1], {})
        self.assertEqual([found[0]["outer"], found[0]["outer/inside"], found[0]["last"]], [1, 1, 1])

    def test_many_generators_ended_in_any_order(self):
        found = self.python("""
            import random
            random.seed(7)
            def gen():
                with pitwall.span("g"):
                    yield
            for _ in range(300):
                alive = []
                for _ in range(8):
                    g = gen(); next(g); alive.append(g)
                random.shuffle(alive)
                for g in alive: g.close()
            tell([sum(counts().values()), losses()])
        """)
        self.assertEqual(found, [2400, {}])

    def test_a_generator_finished_by_another_thread_has_its_span_once(self):
        found = self.python("""
            def gen():
                with pitwall.span("g"):
                    yield
            for _ in range(100):
                g = gen(); next(g)
                t = threading.Thread(target=g.close); t.start(); t.join()
            others = []
            def begin():
                g = gen(); next(g); others.append(g)
            for _ in range(100):
                t = threading.Thread(target=begin); t.start(); t.join()
            for g in others: g.close()
            with pitwall.span("after") as s: pass
            tell([counts(), "wrong_thread" in losses(), s.elapsed > 0])
        """)
        self.assertEqual(found, [{"g": 200, "after": 1}, False, True])


class Tasks(py_case.Case):
    PROGRAM = """
        import random
        random.seed(3)
        async def task(i):
            with pitwall.span("task"):
                await asyncio.sleep(random.random() * 0.01)
                for _ in range(3):
                    with pitwall.span("step"):
                        await asyncio.sleep(0)
                        with pitwall.span("leaf"):
                            await asyncio.sleep(0)
                try:
                    with pitwall.span("risky"):
                        await asyncio.sleep(0)
                        if i % 7 == 0: raise ValueError
                except ValueError: pass
        async def main():
            await asyncio.gather(*(task(i) for i in range({tasks})))
        {call}
        tell([counts(), losses()])
    """

    def check(self, call, tasks, more):
        found = self.python(self.PROGRAM.format(tasks=tasks, call=call))
        task = "/".join([*more, "task"])
        want = {task: tasks, task + "/step": 3 * tasks, task + "/step/leaf": 3 * tasks,
                task + "/risky": tasks, **more}
        self.assertEqual(found, [want, {}])

    def test_a_thousand_tasks_make_the_tree_of_one(self):
        self.check("asyncio.run(main())", 1000, {})

    def test_tasks_begin_below_the_span_around_the_loop(self):
        self.check('with pitwall.span("outer"): asyncio.run(main())', 200, {"outer": 1})

    def test_tasks_begin_below_the_span_that_made_them(self):
        found = self.python("""
            async def child(name):
                await asyncio.sleep(0)
                with pitwall.span(name):
                    await asyncio.sleep(0)
                    with pitwall.span("leaf"): await asyncio.sleep(0)
                with pitwall.span(name): pass
            async def parent():
                with pitwall.span("made"):
                    with pitwall.span("inside"):
                        early = asyncio.create_task(child("early"))
                    both = [asyncio.create_task(child(n)) for n in ("x", "y")]
                with pitwall.span("waiting"):        # what made them has ended
                    await asyncio.gather(early, *both)
                await asyncio.create_task(child("bare"))
            async def around():
                await asyncio.gather(parent(), parent())
            asyncio.run(around())
            with pitwall.span("outer"): asyncio.run(child("first"))
            asyncio.run(child("second"))
            with pitwall.span("after"): pass
            nodes = pitwall.read_live()["nodes"]
            tell([counts(), losses(), sorted(n["path"] for n in nodes if n["detached"])])
        """)
        want = {"made": 2, "made/inside": 2, "waiting": 2, "after": 1, "outer": 1}
        for path in ("made/inside/early", "made/x", "made/y", "bare"):
            want.update({path: 4, path + "/leaf": 2})
        for path in ("outer/first", "second"):
            want.update({path: 2, path + "/leaf": 1})
        self.assertEqual(found[:2], [want, {}])
        # they overlap the span above them, whose time does not include them
        self.assertEqual(found[2], ["made/inside/early", "made/x", "made/y", "outer/first"])

    def test_plain_code_after_a_loop_goes_on_where_it_was(self):
        """The thread has no context before the loop makes it one."""
        found = self.python("""
            def opened():
                return [span["path"] for t in pitwall.read_live()["threads"] for span in t["open"]]
            async def main():
                with pitwall.span("task"): await asyncio.sleep(0)
            def work():
                with pitwall.span("train"):
                    asyncio.run(main())
                    seen = opened()
                    with pitwall.span("after"): pass
                    asyncio.run(main())
                    with pitwall.span("after"):
                        with pitwall.span("leaf"): pass
                return seen
            seen = [work()]
            thread = threading.Thread(target=lambda: seen.append(work()))
            thread.start(); thread.join()
            tell([counts(), losses(), seen])
        """)
        self.assertEqual(found[0], {"train": 2, "train/task": 4, "train/after": 4,
                                    "train/after/leaf": 2})
        self.assertEqual(found[1:], [{}, [["train"], ["train"]]])

    def test_a_million_spans_of_a_thousand_tasks(self):
        rounds = py_case.scaled(1000000) // 4000
        found = self.python("""
            import random
            random.seed(5)
            async def task(i):
                caught = 0
                for k in range(ROUNDS):
                    try:
                        with pitwall.span("outer"):
                            with pitwall.span("inner"): pass
                            if k % 16 == i % 16: await asyncio.sleep(0)
                            with pitwall.span("inner"):
                                if random.random() < 0.1: raise KeyError
                    except KeyError: caught += 1
                    with pitwall.span("last"): pass
                return caught
            async def main():
                with pitwall.span("main"):
                    return sum(await asyncio.gather(*(task(i) for i in range(1000))))
            caught = asyncio.run(main())
            tell([counts(), losses(), caught])
        """.replace("ROUNDS", str(rounds)), timeout=250)
        all_rounds = rounds * 1000
        self.assertEqual(found[:2], [{"main": 1, "main/outer": all_rounds, "main/last": all_rounds,
                                      "main/outer/inner": 2 * all_rounds}, {}])
        self.assertTrue(0.05 < found[2] / all_rounds < 0.15, found[2])

    def test_elapsed_of_a_task_is_its_own(self):
        found = self.python("""
            async def task(nap):
                with pitwall.span("t") as s:
                    await asyncio.sleep(nap)
                    inside = s.elapsed
                return [inside, s.elapsed]
            async def main():
                return await asyncio.gather(task(0.05), task(0.1), task(0.02))
            tell(asyncio.run(main()))
        """)
        for nap, (inside, after) in zip((0.05, 0.1, 0.02), found):
            self.assertGreaterEqual(inside, nap - 0.001)
            self.assertGreaterEqual(after, inside)

    def test_items_go_to_the_span_of_the_task_that_counts_them(self):
        found = self.python("""
            async def task(name, n):
                with pitwall.span(name):
                    for _ in range(5):
                        await asyncio.sleep(0)
                        pitwall.items(n)
            async def main():
                await asyncio.gather(task("a", 1), task("b", 100))
            asyncio.run(main())
            tell({n["path"]: n["items"] for n in pitwall.read_live()["nodes"]})
        """)
        self.assertEqual(found, {"a": 5, "b": 500})

    def test_cancelled_and_destroyed_tasks_leave_nothing_open(self):
        found = self.python("""
            async def task():
                with pitwall.span("t"):
                    await asyncio.sleep(60)
            async def main():
                tasks = [asyncio.create_task(task()) for _ in range(50)]
                await asyncio.sleep(0.01)
                for t in tasks[:25]: t.cancel()
                await asyncio.gather(*tasks[:25], return_exceptions=True)
            asyncio.run(main())
            run = pitwall.read_live()
            tell([counts(run), losses(run), [t["open"] for t in run["threads"]]])
        """)
        self.assertEqual(found, [{"t": 50}, {}, [[]]])

    def test_threads_under_asyncio(self):
        found = self.python("""
            def work():
                with pitwall.span("work"): time.sleep(0.001)
            async def task():
                with pitwall.span("task"):
                    await asyncio.to_thread(work)
            async def main():
                await asyncio.gather(*(task() for _ in range(40)))
            asyncio.run(main())
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"task": 40, "task/work": 40}, {}])

    def test_plain_code_run_in_a_context_stays_in_the_tree(self):
        found = self.python("""
            import contextvars
            def inner():
                with pitwall.span("inner"): pass
            with pitwall.span("outer"):
                for _ in range(100):
                    contextvars.copy_context().run(inner)
                with pitwall.span("own"): pass
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"outer": 1, "outer/inner": 100, "outer/own": 1}, {}])

    def test_a_context_after_tasks_and_generators_stays_in_the_tree(self):
        """The stack in use last is that of a task, or of a generator that has ended or is suspended."""
        found = self.python("""
            import contextvars
            def inner():
                with pitwall.span("inner"): pass
            def twice():
                contextvars.copy_context().run(inner)
            def gen():
                with pitwall.span("gen"): yield
            async def task():
                with pitwall.span("task"): await asyncio.sleep(0)
            async def tasks():
                await asyncio.gather(task(), task())
            with pitwall.span("outer"):
                asyncio.run(tasks())
                contextvars.copy_context().run(inner)
                for _ in gen(): pass
                contextvars.copy_context().run(twice)
                suspended = gen(); next(suspended)
                contextvars.copy_context().run(twice)
                with pitwall.span("own"): contextvars.copy_context().run(inner)
                suspended.close()
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"outer": 1, "outer/task": 2, "outer/inner": 3, "outer/gen": 2, "outer/own": 1,
                                  "outer/own/inner": 1}, {}])

    def test_a_generator_driven_in_two_contexts(self):
        found = self.python("""
            import contextvars
            def gen():
                with pitwall.span("g"):
                    yield 1
                    yield 2
            for _ in range(100):
                g = gen()
                contextvars.copy_context().run(next, g)
                contextvars.copy_context().run(next, g)
                g.close()
            with pitwall.span("after"): pass
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"g": 100, "after": 1}, {}])

    def test_contexts_are_given_back(self):
        found = self.python("""
            import gc, weakref, contextvars
            held = contextvars.ContextVar("held")
            class Thing: pass
            things = []
            async def task():
                thing = Thing(); things.append(weakref.ref(thing)); held.set(thing); del thing
                with pitwall.span("t"):
                    await asyncio.sleep(0.001)
            async def main():
                await asyncio.gather(*(task() for _ in range(100)))
            asyncio.run(main())
            gc.collect()
            tell(sum(thing() is not None for thing in things))
        """)
        self.assertEqual(found, 0)


class Many(py_case.Case):
    def test_a_million_spans_of_eight_threads_with_exceptions_at_random(self):
        rounds = py_case.scaled(1000000) // 8 // 2
        found = self.python("""
            import random
            ROUNDS = %d
            caught = [0] * 8
            def work(k):
                rng = random.Random(k).random
                for _ in range(ROUNDS):
                    try:
                        with pitwall.span("outer"):
                            with pitwall.span("inner"):
                                if rng() < 0.3: raise RuntimeError
                    except RuntimeError:
                        caught[k] += 1
            threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
            for t in threads: t.start()
            for t in threads: t.join()
            tell([counts(), losses(), sum(caught) > ROUNDS])
        """ % rounds, timeout=200)
        self.assertEqual(found, [{"outer": rounds * 8, "outer/inner": rounds * 8}, {}, True])

    def test_memory_stays_flat_over_ten_million_spans(self):
        rounds = py_case.scaled(10000000) // 5
        found = self.python("""
            def rss(): return pitwall.rss()
            @pitwall.timed
            def f(): pass
            def work(n):
                span = pitwall.span
                for _ in range(n):
                    with span("a"):
                        with span("b"): pass
                    with span("c"): f()
                    for _ in pitwall.iter((1,), "i"): pass
            work(20000)
            before = rss()
            work(%d)
            tell([rss() - before, sum(counts().values())])
        """ % rounds, timeout=250)
        self.assertLess(found[0], (1 << 20) * (1 if not pit_case.sanitizer() else 64))
        self.assertEqual(found[1], (rounds + 20000) * 5)

    def test_memory_stays_flat_over_tasks_and_threads(self):
        found = self.python("""
            async def task():
                with pitwall.span("t"):
                    await asyncio.sleep(0)
                    with pitwall.span("u"): await asyncio.sleep(0)
            async def main(n):
                for _ in range(n):
                    await asyncio.gather(*(task() for _ in range(100)))
            def threads(n):
                for _ in range(n):
                    t = threading.Thread(target=lambda: pitwall.span("th").begin().end())
                    t.start(); t.join()
                    # Its memory is there until the thread has really ended, after the join.
                    while os.path.exists("/proc/self/task/%%d" %% t.native_id): time.sleep(0.0001)
            asyncio.run(main(20)); threads(50)
            before = pitwall.rss()
            asyncio.run(main(%d)); threads(%d)
            tell([pitwall.rss() - before, losses()])
        """ % (py_case.scaled(200), py_case.scaled(1000)), timeout=200)
        self.assertLess(found[0], (2 << 20) * (1 if not pit_case.sanitizer() else 64))
        self.assertEqual(found[1], {})


C_LIBRARY = r"""
#include <pitwall.h>
void work(int depth);
void work(int depth)
{
    PIT_SPAN("c_outer") {
        PIT_SPAN("c_inner") { pit_items(3); }
        if (depth > 0)
            work(depth - 1);
    }
}
"""


class OneTree(py_case.Case):
    def test_c_called_from_python_inside_a_span(self):
        folder = self.folder()
        source = os.path.join(folder, "work.c")
        with open(source, "w") as file:
            file.write(C_LIBRARY)
        shipped = os.path.join(py_case.package_dir(), "pitwall")
        library = os.path.join(folder, "libwork.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source,
                        "-I", os.path.join(pit_case.source_dir(), "include"),
                        "-L", os.path.join(pit_case.build_dir(), "lib"), "-lpitwall",
                        "-Wl,-rpath," + shipped], check=True)
        found = self.python("""
            import ctypes
            lib = ctypes.CDLL(%r)
            with pitwall.span("python"):
                lib.work(0)
                lib.work(0)
            lib.work(0)
            maps = open("/proc/self/maps").read().split()
            copies = {m for m in maps if "libpitwall.so" in m}
            tell([counts(), losses(), len(copies)])
        """ % library)
        self.assertEqual(found, [{"python": 1, "python/c_outer": 2, "python/c_outer/c_inner": 2,
                                  "c_outer": 1, "c_outer/c_inner": 1}, {}, 1])


if __name__ == "__main__":
    py_case.main()
