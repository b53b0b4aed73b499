"""Python's own allocations as counted by track_time_and_memory; its hooks are removed completely."""

import os

import py_case
from py_case import pit_case

START = py_case.START + """
import ctypes, gc, tracemalloc
from pitwall import timing
from pitwall.timing import track_time_and_memory
timing.verbose = False
MB = 1 << 20
def track(function, *args):
    timers = {}
    result = track_time_and_memory(timers, "t", function, *args)
    figures = timers["t"]
    return figures["peak_memory_mb"], figures["current_memory_mb"], result
def big(mb): return b"x" * (mb * MB)
class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")]
def allocators():
    found = []
    for domain in range(3):
        one = Allocator()
        ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(one))
        found.append([getattr(one, name) for name, kind in one._fields_])
    return found
def holes(count, step=100):
    # Room for small objects in arenas that stay resident: one of a hundred is kept.
    objects = [object() for _ in range(count)]
    kept = objects[::step]
    del objects
    return kept
"""


class Case(py_case.Case):
    def follow(self, program, **env):
        """With malloc returning large blocks at once: memory that it keeps would be resident."""
        return self.python(program, start=START, MALLOC_MMAP_THRESHOLD_="65536", **env)


class Figures(Case):
    def test_objects_in_reused_arenas_are_seen(self):
        peak, left = self.follow("""
            kept = holes(1_000_000)
            tell(track(lambda: len([object() for _ in range(900_000)]))[:2])
        """)
        self.assertGreater(peak, 900_000 * 16 / 2**20)
        self.assertLess(peak, 900_000 * (16 + 8) * 1.3 / 2**20)
        self.assertLess(left, 3)

    def test_a_million_small_objects_are_counted_to_the_byte(self):
        peak, left = self.follow("""
            kept = holes(1_050_000)
            slots = [None] * 1_000_000
            def fill():
                for i in range(len(slots)): slots[i] = object()
            track(fill)
            for i in range(len(slots)): slots[i] = None
            tell([figure * MB for figure in track(fill)[:2]])
        """)
        self.assertAlmostEqual(left, 16_000_000, delta=2000)
        self.assertAlmostEqual(peak, 16_000_000, delta=2000)

    def test_a_large_object_that_is_dropped(self):
        peak, left = self.follow("tell(track(lambda: len(big(64)))[:2])")
        self.assertAlmostEqual(peak, 64, delta=3)
        self.assertAlmostEqual(left, 0, delta=3)

    def test_a_large_object_that_is_kept(self):
        peak, left = self.follow("tell(track(big, 64)[:2])")
        self.assertAlmostEqual(peak, 64, delta=3)
        self.assertAlmostEqual(left, 64, delta=3)

    def test_memory_that_nobody_touched_is_allocated_all_the_same(self):
        peak, left = self.follow("tell(track(bytes, 64 * MB)[:2])")
        self.assertAlmostEqual(peak, 64, delta=1)
        self.assertAlmostEqual(left, 64, delta=1)

    def test_freeing_what_was_there_before_counts_for_nothing(self):
        peak, left = self.follow("""
            old = [bytes(100 * MB)]
            def swap():
                old.clear()
                old.append(bytes(30 * MB))
            tell(track(swap)[:2])
        """)
        self.assertAlmostEqual(peak, 30, delta=1)
        self.assertAlmostEqual(left, 30, delta=1)

    def test_a_block_that_is_resized_counts_once(self):
        peak, left = self.follow("""
            def grow():
                block = bytearray(10 * MB)
                block.extend(bytes(1))
                for size in range(11, 41): block.extend(bytes(MB))
                del block[5 * MB:]
                return block
            tell(track(grow)[:2])
        """)
        self.assertGreater(peak, 40)
        self.assertLess(peak, 40 * 1.2 + 2)
        self.assertLess(left, 15)
        self.assertGreater(left, 4.9)

    def test_calls_inside_calls(self):
        found = self.follow("""
            def inner():
                dropped = bytes(20 * MB)
                return bytes(10 * MB)
            def outer():
                first = bytes(40 * MB)
                one = track(inner)
                two = track(inner)
                del first
                return one, two
            peak, left, (one, two) = track(outer)
            tell([peak, left, one[:2], two[:2]])
        """)
        for got, want in zip((found[0], found[1], *found[2], *found[3]), (80, 20, 30, 10, 30, 10)):
            self.assertAlmostEqual(got, want, delta=1)

    def test_what_an_inner_call_left_is_freed_in_the_outer(self):
        peak, left = self.follow("""
            def outer():
                kept = track(bytes, 50 * MB)
                del kept
                return bytes(5 * MB)
            tell(track(outer)[:2])
        """)
        self.assertAlmostEqual(peak, 50, delta=1)
        self.assertAlmostEqual(left, 5, delta=1)

    def test_an_inner_call_frees_what_the_outer_allocated(self):
        found = self.follow("""
            def outer():
                blocks = [bytes(50 * MB)]
                def inner():
                    blocks.clear()
                    return bytes(5 * MB)
                return track(inner)
            peak, left, inner = track(outer)
            tell([peak, left, *inner[:2]])
        """)
        self.assertEqual([round(mb) for mb in found], [50, 5, 5, 5])

    def test_recursion(self):
        found = self.follow("""
            def down(depth):
                mine = bytes(MB)
                return (track(down, depth - 1) if depth else None), mine
            peaks, left = [], []
            result = track(down, 20)
            while result:
                peaks.append(result[0]); left.append(result[1])
                result = result[2][0]
            tell([peaks, left])
        """)
        for figures in found:
            self.assertEqual([round(mb) for mb in figures], list(range(21, 0, -1)))

    def test_a_call_that_raises(self):
        found = self.follow("""
            timers, before = {}, allocators()
            def fail():
                block = bytes(30 * MB)
                del block
                raise KeyError("x")
            try: track_time_and_memory(timers, "t", fail)
            except KeyError as error: caught = str(error)
            tell([caught, timers["t"]["peak_memory_mb"], timers["t"]["current_memory_mb"],
                  allocators() == before])
        """)
        self.assertEqual([found[0], round(found[1]), round(found[2]), found[3]],
                         ["'x'", 30, 0, True])

    def test_the_printed_line_has_the_same_figure(self):
        self.follow("""
            timing.verbose = True
            track_time_and_memory({}, "Model", bytes, 64 * MB)
        """)
        self.assertRegex(self.stdout, r"^Model complete: \d+\.\d\ds, peak memory: 64\.\d MB\n$")


class Native(Case):
    WORK = """
        import numpy
        def work():
            objects = [object() for _ in range(100_000)]
            kept = numpy.ones(25 << 20)
            numpy.ones(5 << 20)
            return kept, objects
        track(work)
        tell(track(work)[:2])
    """

    def test_numpy_by_resident_memory(self):
        peak, left = self.follow(self.WORK)
        self.assertAlmostEqual(peak, 240, delta=8)
        self.assertAlmostEqual(left, 202, delta=8)

    def test_numpy_with_the_counting_library(self):
        library = os.path.join(pit_case.build_dir(), "lib", "libpitwall-alloc.so")
        peak, left = self.follow(self.WORK, LD_PRELOAD=library)
        small = 100_000 * (16 + 8) / 2**20
        self.assertAlmostEqual(peak, 240 + small, delta=0.5)
        self.assertAlmostEqual(left, 200 + small, delta=0.5)

    def test_the_counting_library_with_malloc_for_all(self):
        library = os.path.join(pit_case.build_dir(), "lib", "libpitwall-alloc.so")
        found = self.follow("""
            tell(track(lambda: [bytes(50 * MB), [object() for _ in range(100_000)]])[:2])
        """, LD_PRELOAD=library, PYTHONMALLOC="malloc")
        for figure in found:
            # 24 bytes of malloc for each object, and nothing twice
            self.assertAlmostEqual(figure, 50 + 100_000 * (24 + 8) / 2**20, delta=0.5)


class Tracemalloc(Case):
    def test_on_before(self):
        found = self.follow("""
            tracemalloc.start()
            before = allocators()
            figures = track(bytes, 30 * MB)
            traced = tracemalloc.get_traced_memory()[0] / MB
            same = allocators() == before
            del figures
            gone = tracemalloc.get_traced_memory()[0] / MB
            tell([*track(bytes, 30 * MB)[:2], traced, gone, same])
        """)
        self.assertEqual([round(mb) for mb in found[:4]], [30, 30, 30, 0])
        self.assertTrue(found[4])

    def test_started_inside(self):
        found = self.follow("""
            before = allocators()
            def start():
                first = bytes(10 * MB)
                tracemalloc.start()
                del first
                return bytes(30 * MB)
            one = track(start)
            traced = tracemalloc.get_traced_memory()[0] / MB
            two = track(bytes, 20 * MB)
            tracemalloc.stop()
            three = track(bytes, 7 * MB)
            tell([*one[:2], traced, *two[:2], *three[:2], allocators() == before])
        """)
        self.assertEqual([round(mb) for mb in found[:7]], [30, 30, 30, 20, 20, 7, 7])
        self.assertTrue(found[7])

    def test_started_and_stopped_inside(self):
        found = self.follow("""
            before = allocators()
            def both():
                tracemalloc.start()
                kept = bytes(30 * MB)
                traced = tracemalloc.get_traced_memory()[0] / MB
                tracemalloc.stop()
                more = bytes(20 * MB)
                del more
                return traced, kept
            peak, left, result = track(both)
            tell([peak, left, result[0], allocators() == before])
        """)
        self.assertEqual([round(mb) for mb in found[:3]], [50, 30, 30])
        self.assertTrue(found[3])

    def test_stopped_inside_falls_back_to_resident_memory(self):
        found = self.follow("""
            before = allocators()
            tracemalloc.start()
            def stop():
                first = bytes(100 * MB)
                tracemalloc.stop()
                del first
                return big(30)
            one = track(stop)
            same = allocators() == before
            two = track(bytes, 20 * MB)
            tell([*one[:2], same, *two[:2], allocators() == before])
        """)
        self.assertAlmostEqual(found[0], 100, delta=3)  # as far as it was observed
        self.assertAlmostEqual(found[1], 30, delta=3)  # without the 100 whose end was not observed
        self.assertEqual([found[2], round(found[3]), round(found[4]), found[5]],
                         [True, 20, 20, True])

    def test_stopped_inside_with_a_call_after_it(self):
        found = self.follow("""
            tracemalloc.start()
            def outer():
                first = bytes(40 * MB)
                tracemalloc.stop()
                del first
                return track(bytes, 6 * MB)
            peak, left, inner = track(outer)
            tell([peak, left, *inner[:2]])
        """)
        self.assertEqual(round(found[0]), 40)  # as far as it was observed
        self.assertLess(found[1], 10)  # not the 40 whose end was not observed
        self.assertEqual([round(mb) for mb in found[2:]], [6, 6])


class Hooks(Case):
    def test_they_are_there_in_the_call_and_gone_after_it(self):
        found = self.follow("""
            before = allocators()
            inside = track(allocators)[2]
            tell([[a == b for a, b in zip(before, inside)], allocators() == before])
        """)
        self.assertEqual(found, [[True, False, False], True])  # raw, mem, object

    def test_plain_timing_has_none(self):
        self.assertTrue(self.follow("""
            tell(allocators() == timing.track_time({}, "t", allocators))
        """))

    def test_each_thread_has_its_own_calls(self):
        found = self.follow("""
            before, gate, results = allocators(), threading.Barrier(4), {}
            def work(mb):
                kept = []
                for _ in range(mb):
                    kept.append(bytes(MB))
                    gate.wait()
                return kept
            def run(number):
                results[number] = track(work, 10)[:2] if number else work(10)
            threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            tell([[results[n] for n in (1, 2, 3)], allocators() == before])
        """)
        for figures in found[0]:
            self.assertEqual([round(mb) for mb in figures], [10, 10])
        self.assertTrue(found[1])

    def test_another_thread_frees(self):
        peak, left = self.follow("""
            def work():
                blocks = [bytes(50 * MB)]
                thread = threading.Thread(target=blocks.clear)
                thread.start(); thread.join()
                return bytes(5 * MB)
            tell(track(work)[:2])
        """)
        self.assertEqual([round(peak), round(left)], [50, 5])

    def test_threads_that_come_and_go_beneath_a_long_call(self):
        found = self.follow("""
            before, wrong = allocators(), []
            def work(number):
                got = track(lambda: [bytes(1000) for _ in range(5000)])
                if not 4.7 < got[1] < 40: wrong.append(got[:2])
            def main():
                for _ in range(10):
                    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
                    for thread in threads: thread.start()
                    for thread in threads: thread.join()
                return bytes(8 * MB)
            peak, left, _ = track(main)
            tell([wrong, left >= 8, allocators() == before])
        """)
        self.assertEqual(found, [[], True, True])

    def test_a_child_of_fork_in_a_call(self):
        found = self.follow("""
            gate, go = threading.Event(), threading.Event()
            def other():
                kept = [bytes(1000) for _ in range(1000)]
                gate.set(); go.wait()
            thread = threading.Thread(target=track, args=(other,))
            thread.start(); gate.wait()
            pid = os.fork()
            if pid == 0:
                gc.collect()
                figures = track(bytes, 20 * MB)
                os._exit(0 if [round(mb) for mb in figures[:2]] == [20, 20] else 3)
            status = os.waitpid(pid, 0)[1]
            go.set(); thread.join()
            tell(status)
        """)
        self.assertEqual(found, 0)

    def test_a_finalizer_that_is_tracked_itself(self):
        found = self.follow("""
            before, seen = allocators(), []
            class Last:
                def __del__(self): seen.append(track(bytes, 3 * MB)[0])
            def work():
                for _ in range(50):
                    ring = [Last()]; ring.append(ring)
                del ring
                gc.collect()
            figures = track(work)
            tell([len(seen), {round(mb) for mb in seen} == {3}, round(figures[0]),
                  allocators() == before])
        """)
        self.assertEqual(found, [50, True, 3, True])

    def test_with_the_interpreters_debug_hooks(self):
        found = self.follow("""
            before = allocators()
            figures = track(lambda: [bytes(10 * MB), [object() for _ in range(1000)]])
            tell([*figures[:2], allocators() == before])
        """, PYTHONMALLOC="debug")
        self.assertEqual([round(found[0]), round(found[1]), found[2]], [10, 10, True])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)  # amounts of memory: a sanitizer has its own
