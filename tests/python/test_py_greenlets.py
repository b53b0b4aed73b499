"""Spans of greenlets, which switch between stacks without the interpreter's knowledge, and of gevent's tasks:
each has its own stack of open spans, at the top of the tree like those of a thread."""

import py_case

START = py_case.START + """
import contextvars, gc
import greenlet
here = greenlet.getcurrent
def left_open():
    return [len(t["open"]) for t in pitwall.read_live()["threads"]]
"""


def with_exceptions():
    """The address sanitizer finds the exceptions of a C++ library, such as greenlet, only if libstdc++ is loaded
    together with it."""
    preload = py_case.preload().get("LD_PRELOAD")
    return {"LD_PRELOAD": preload + " libstdc++.so.6"} if preload else {}


class Greenlets(py_case.Case):
    def found(self, program, start=START):
        return self.python(program, start=start, **with_exceptions())

    def test_interleaved_greenlets_have_a_stack_each(self):
        found = self.found("""
            main = here()
            def work(name, rounds):
                for _ in range(rounds):
                    with pitwall.span(name):
                        main.switch()
                        with pitwall.span("inner"):
                            main.switch()
            with pitwall.span("outer"):
                alive = [greenlet.greenlet(work) for _ in range(3)]
                for number, each in enumerate(alive):
                    each.switch("abc"[number], 100 + number)
                while alive:
                    for each in alive: each.switch()
                    alive = [each for each in alive if not each.dead]
                with pitwall.span("own"): pass
            tell([counts(), losses(), left_open()])
        """)
        self.assertEqual(found, [{"outer": 1, "outer/own": 1, "a": 100, "a/inner": 100, "b": 101,
                                  "b/inner": 101, "c": 102, "c/inner": 102}, {}, [0]])

    def test_the_first_span_of_the_thread_is_a_greenlets(self):
        found = self.found("""
            main = here()
            def work(name):
                with pitwall.span(name):
                    main.switch()
                    with pitwall.span("inner"): pass
            each = [greenlet.greenlet(work) for _ in range(2)]
            for number in range(2): each[number].switch("ab"[number])
            with pitwall.span("main"):
                for number in range(2): each[number].switch()
                with pitwall.span("own"): pass
            tell([counts(), losses()])
        """)
        self.assertEqual(found, [{"a": 1, "a/inner": 1, "b": 1, "b/inner": 1, "main": 1, "main/own": 1}, {}])

    def test_a_span_lasts_as_long_as_its_own_greenlet_is_in_it(self):
        """Not until the last of those that began after it has ended."""
        found = self.found("""
            main = here()
            def work(name, times):
                with pitwall.span(name) as s:
                    for _ in range(times): main.switch()
                return s.elapsed
            long, short = greenlet.greenlet(work), greenlet.greenlet(work)
            begun = time.perf_counter()
            long.switch("long", 2); short.switch("short", 1)
            until_short = short.switch()
            time.sleep(0.02)
            long.switch()
            until_long = long.switch()
            whole = time.perf_counter() - begun
            tell([until_short + 0.02 * 0.9 <= until_long <= whole * 1.1])
        """)
        self.assertEqual(found, [True])

    def test_killed_and_collected_greenlets_leave_nothing_open(self):
        found = self.found("""
            main = here()
            def work():
                with pitwall.span("a"):
                    with pitwall.span("b", memory=True): main.switch()
            for i in range(300):
                each = [greenlet.greenlet(work) for _ in range(3)]
                for one in each: one.switch()
                each[i % 3].throw()
                del one, each[i % 3]
                each.clear()
                gc.collect() if i % 50 == 0 else None
            tell([counts(), losses(), left_open()])
        """)
        self.assertEqual(found, [{"a": 900, "a/b": 900}, {}, [0]])

    def test_a_greenlet_that_died_with_a_span_it_never_ended(self):
        """The next ones may get a context at the same address."""
        found = self.found("""
            kept = []
            def leaves():
                kept.append(pitwall.span("left"))
                kept[-1].begin()
            def works():
                with pitwall.span("work"): pass
            for _ in range(200):
                greenlet.greenlet(leaves).switch()
                greenlet.greenlet(works).switch()
            with pitwall.span("main"): pass
            found = counts()
            tell([found["work"], found["main"], [path for path in found if path.startswith("left/")]])
        """)
        self.assertEqual(found, [200, 1, []])

    def test_contexts_entered_inside_greenlets(self):
        """A context that runs inside a greenlet belongs to it, also across a switch."""
        found = self.found("""
            main = here()
            def part():
                with pitwall.span("part"): main.switch()
            def work():
                with pitwall.span("work"):
                    contextvars.copy_context().run(part)
                    with pitwall.span("rest"): main.switch()
            def last():
                with pitwall.span("last"): pass
            for _ in range(50):
                each = [greenlet.greenlet(work) for _ in range(4)]
                with pitwall.span("round"):
                    for step in range(3):
                        for one in each: one.switch()
                    contextvars.copy_context().run(last)
            tell([counts(), losses(), left_open()])
        """)
        self.assertEqual(found, [{"work": 200, "work/part": 200, "work/rest": 200, "round": 50, "round/last": 50},
                                 {}, [0]])

    def test_generators_inside_greenlets(self):
        found = self.found("""
            main = here()
            def load(name):
                for _ in range(20):
                    with pitwall.span(name): yield
            def work(name):
                with pitwall.span(name):
                    for _ in zip(load("x"), load("y")): main.switch()
            alive = [greenlet.greenlet(work) for _ in range(3)]
            for number, each in enumerate(alive): each.switch("abc"[number])
            while alive:
                for each in alive: each.switch()
                alive = [each for each in alive if not each.dead]
            tell([counts(), losses(), left_open()])
        """)
        self.assertEqual(found, [{path: 20 if "/" in path else 1 for path in
                                  ("a", "a/x", "a/y", "b", "b/x", "b/y", "c", "c/x", "c/y")}, {}, [0]])

    def test_threads_with_greenlets(self):
        found = self.found("""
            def work(home, name):
                for _ in range(200):
                    with pitwall.span(name):
                        home.switch()
                        with pitwall.span("inner"): home.switch()
            def thread():
                alive = [greenlet.greenlet(work) for _ in range(4)]
                with pitwall.span("thread"):
                    for number, each in enumerate(alive): each.switch(here(), "abcd"[number])
                    while alive:
                        for each in alive: each.switch()
                        alive = [each for each in alive if not each.dead]
            threads = [threading.Thread(target=thread) for _ in range(4)]
            for each in threads: each.start()
            for each in threads: each.join()
            tell([counts(), losses(), sum(left_open())])
        """)
        self.assertEqual(found, [{"thread": 4, **{path: 800 for name in "abcd" for path in (name, name + "/inner")}},
                                 {}, 0])

    def test_tasks_of_gevent(self):
        found = self.found("""
            from gevent import monkey
            monkey.patch_all()
            import gevent
            import json, os, sys, threading, time
            import pitwall
            def task(number):
                for _ in range(30):
                    with pitwall.span("task", memory=number % 2 == 0):
                        time.sleep(0.0001 * (number % 3))
                        with pitwall.span("part") as part:
                            gevent.sleep(0)
                            pitwall.items(number)
            def sleeper():
                with pitwall.span("sleeper"): gevent.sleep(1000)
            with pitwall.span("crawl"):
                killed = [gevent.spawn(sleeper) for _ in range(20)]
                gevent.joinall([gevent.spawn(task, i) for i in range(20)])
                gevent.killall(killed)
                thread = threading.Thread(target=task, args=(1,))
                thread.start(); thread.join()
            run = pitwall.read_live()
            with open(os.environ["PY_CASE_TELL"], "w") as file:
                json.dump([{n["path"]: n["count"] for n in run["nodes"]},
                           {n["path"]: n["items"] for n in run["nodes"] if n["items"]},
                           {k: v for k, v in run["losses"].items() if v},
                           [len(t["open"]) for t in run["threads"]]], file)
        """, start="")
        self.assertEqual(found, [{"crawl": 1, "sleeper": 20, "task": 630, "task/part": 630},
                                 {"task/part": 30 * (sum(range(20)) + 1)}, {}, [0]])


if __name__ == "__main__":
    py_case.main()
