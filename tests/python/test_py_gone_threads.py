"""Generators whose thread has ended: their spans count as left open until the generator ends elsewhere."""

import textwrap

import py_case

# A generator with a span, suspended on threads that have really ended: Python's join returns earlier.
START = """
def gen():
    with pitwall.span("held"): yield 1
waiting = []
def suspend(count):
    for _ in range(count):
        g = gen(); next(g); waiting.append(g)
def is_there(tid):
    return os.path.exists("/proc/self/task/%d" % tid)
def run(call, *args):
    thread = threading.Thread(target=call, args=args); thread.start()
    tid = thread.native_id
    thread.join()
    while is_there(tid): time.sleep(0.001)
"""


class GoneThreads(py_case.Case):
    def told(self, text):
        return self.python(START + textwrap.dedent(text))

    def test_all_end_on_another_thread(self):
        self.assertEqual(self.told("""
            run(suspend, 50)
            before = losses()
            for g in waiting: next(g, None)
            with pitwall.span("own"): pass
            tell([before, counts(), losses()])
        """), [{"left_open": 50}, {"held": 50, "own": 1}, {}])

    def test_the_other_thread_recorded_before(self):
        self.assertEqual(self.told("""
            with pitwall.span("own"): pass
            run(suspend, 10)
            before = losses()
            for g in waiting[:8]: g.close()
            tell([before, counts(), losses()])
        """), [{"left_open": 10}, {"held": 8, "own": 1}, {"left_open": 2}])

    def test_some_end_before_their_thread(self):
        self.assertEqual(self.told("""
            with pitwall.span("own"): pass
            suspended, go = threading.Event(), threading.Event()
            def begin():
                suspend(10)
                suspended.set(); go.wait()
            def end_some():
                suspended.wait()
                for g in waiting[:5] + waiting[-1:]: next(g, None)
                go.set()
            other = threading.Thread(target=end_some); other.start()
            run(begin)
            other.join()
            before = losses()
            for g in waiting: next(g, None)
            tell([before, counts(), losses()])
        """), [{"left_open": 4}, {"held": 10, "own": 1}, {}])

    def test_nested_spans_with_flags_and_spans_begun_by_hand(self):
        self.assertEqual(self.told("""
            def nested():
                with pitwall.span("a"), pitwall.span("b", memory=True):
                    span = pitwall.span("hand").begin()
                    yield
                    span.end()
            def begin():
                with pitwall.span("outer"):
                    for _ in range(3):
                        g = nested(); next(g); waiting.append(g)
            run(begin)
            before = losses()
            for g in waiting: next(g, None)
            tell([before, counts(), losses()])
        """), [{"left_open": 9},
               {"outer": 1, "outer/a": 3, "outer/a/b": 3, "outer/a/b/hand": 3}, {}])

    def test_threads_one_after_another_share_a_table(self):
        self.assertEqual(self.told("""
            for _ in range(20):
                run(suspend, 3)
            def end_half():
                for g in waiting[::2]: g.close()
            run(end_half)
            middle = losses()
            waiting.clear()
            tell([middle, counts(), losses()])
        """), [{"left_open": 30}, {"held": 60}, {}])


if __name__ == "__main__":
    py_case.main()
