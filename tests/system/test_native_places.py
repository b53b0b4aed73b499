"""Samples of native code: the hot function of eleven programs, and the reason if sampling is not permitted.

A program works until its run has enough samples. A sample is taken after a fixed amount of the program's own
processor time, so a busy machine only makes the test slower."""

import json
import os
import re

import pit_case

LIBRARY = """
static volatile double sink;
__attribute__((noinline)) static void hidden_hot(void)
{
    for (int i = 0; i < 200000; i++)
        sink = sink * 0.99 + 1;
}
void library_hot(void) { hidden_hot(); }
"""
# Of the samples outside of a sanitizer's library, where all but the work is a thousandth of the time.
MOST = 0.9
SANITIZER = re.compile(r"lib[atu]b?san\.so.*")


class Places(pit_case.Case):
    def places(self, what, *more):
        """{(span, function without what the compiler adds, file): samples}, with taken and dropped. Samples
        are dropped when the thread that reads them gets no processor for seconds: then the program runs again."""
        for _ in range(20):
            found = self.places_once(what, *more)
            if self.dropped <= 0.05 * self.taken:
                break
        return found

    def places_once(self, what, *more):
        done = self.run_ok([pit_case.program("prog_native"), "run.pit", what, *more],
                           cwd=self.folder())
        *lines, last = done.stdout.splitlines()
        found = {}
        for line in lines:
            span, function, file, samples = line.split("\t")
            key = (span, re.sub(r"\.(isra|constprop|part)\.\d+", "", function), file)
            found[key] = found.get(key, 0) + int(samples)
        taken, dropped, self.reason = last.split("\t")
        self.taken, self.dropped = int(taken), int(dropped)
        self.assertEqual(sum(found.values()) + self.dropped, self.taken)
        return found

    def assert_hot(self, found, span, function, file):
        """Check that most of the samples are present."""
        samples = sum(n for key, n in found.items()
                      if key[0] == span and re.fullmatch(function, key[1])
                      and re.fullmatch(file, key[2]))
        own = sum(n for key, n in found.items() if SANITIZER.fullmatch(key[2]))
        self.assertGreater(samples, MOST * (self.taken - own), found)
        self.assertGreater(samples, self.taken / 2, found)
        self.assertEqual(self.reason, "")

    def assert_few_wrong(self, found, where):
        """The two clocks agree within a microsecond, and spans here take a thousand of them."""
        wrong = sum(n for (span, name, _), n in found.items() if where.get(name, span) != span)
        self.assertLess(wrong, 0.1 * self.taken, found)

    def library(self, *options):
        folder = self.folder()
        source = os.path.join(folder, "hot.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(LIBRARY)
        made = os.path.join(folder, "libhot.so")
        self.run_ok(["cc", "-O2", "-shared", "-fPIC", *options, source, "-o", made])
        return made


class Hot(Places):
    def test_a_static_function(self):
        self.assert_hot(self.places("static"), "work", "static_hot", "prog_native")

    def test_an_exported_function(self):
        self.assert_hot(self.places("exported"), "work", "exported_hot", "prog_native")

    def test_a_function_behind_a_pointer(self):
        self.assert_hot(self.places("pointer"), "work", "pointed_hot", "prog_native")

    def test_a_recursive_function(self):
        self.assert_hot(self.places("recursion"), "work", "recursive_hot", "prog_native")

    def test_a_small_function_that_is_called_often(self):
        self.assert_hot(self.places("small"), "work", "small_hot", "prog_native")

    def test_a_static_function_of_a_shared_library(self):
        found = self.places("library", self.library())
        self.assert_hot(found, "work", "hidden_hot", r"libhot\.so")

    def test_a_stripped_library_is_named_with_the_functions_beginning(self):
        found = self.places("library", self.library("-s"))
        self.assert_hot(found, "work", r"libhot\.so\+0x[0-9a-f]+|library_hot", r"libhot\.so")
        self.assertLess(len([key for key in found if key[2] == "libhot.so"]), 3, found)

    def assert_called(self, found, caller, called, library):
        """Check that most samples are of this function of the program and what it calls in a library. Callers
        are only found on x86-64. A sanitizer's own calls, around which it finds not all callers, are hot too."""
        if os.uname().machine != "x86_64" or pit_case.sanitizer():
            samples = sum(n for (_, name, file), n in found.items()
                          if name.startswith(caller) or file.startswith("lib"))
            self.assertGreater(samples, self.taken / 2, found)
            return
        # In a library's own jump table, of which the tables tell no caller, a sample keeps the library's name.
        self.assert_hot(found, "work", r"%s( calling (%s|%s))?|%s\+0x[0-9a-f]+" % (
            caller, called, *[re.escape(library)] * 2), "prog_native|" + re.escape(library))
        samples = sum(n for key, n in found.items() if " calling " in key[1])
        self.assertGreater(samples, self.taken / 2, found)

    def test_mathematics(self):
        self.assert_called(self.places("exp"), "call_exp", "exp", "libm.so.6")

    def test_copying_memory(self):
        self.assert_called(self.places("memcpy"), "call_memcpy", "memcpy|memmove", "libc.so.6")

    def test_allocating_memory(self):
        self.assert_called(self.places("malloc"), "call_malloc", "malloc|free|cfree", "libc.so.6")


class Spans(Places):
    def test_the_innermost_of_two_spans(self):
        self.assert_hot(self.places("nested"), "outer/inner", "static_hot", "prog_native")

    def test_outside_of_all_spans(self):
        found = self.places("between")
        inside = sum(n for key, n in found.items() if key[0] == "work")
        outside = found.get(("", "exported_hot", "prog_native"), 0)
        self.assertGreater(outside, inside, found)
        self.assert_few_wrong(found, {"exported_hot": "", "small_hot": "work"})

    def test_spans_that_are_over_when_the_sample_is_read(self):
        """Far shorter than the time between two readings of the ring; their order in the ring distinguishes
        them."""
        found = self.places("alternate")
        where = {"static_hot": "round/first", "exported_hot": "round/second", "pointed_hot": "round"}
        right = {name: found.get((span, name, "prog_native"), 0) for name, span in where.items()}
        self.assertGreater(sum(right.values()), MOST * (self.taken - self.dropped), found)
        self.assert_few_wrong(found, where)
        self.assertTrue(all(right.values()), found)


class Stress(pit_case.Case):
    @pit_case.no_thread_sanitizer
    def test_samples_beside_forks_threads_and_exits(self):
        wanted = 10**6 if pit_case.is_test_all() else 20000
        folder = self.folder()
        done = self.run_ok([pit_case.program("prog_native_stress"), "run.pit", wanted], cwd=folder,
                           timeout=1200)
        self.assertGreaterEqual(int(done.stdout), wanted)
        self.assertNotIn("ERROR", done.stderr)  # the leak checker reports threads that it could not stop
        self.assertNotIn("WARNING", done.stderr)
        report = json.loads(self.run_ok([pit_case.reader(), "report", "--json", "run.pit"],
                                        cwd=folder).stdout)
        counts = {node["path"]: node["count"] for node in report["nodes"]}
        self.assertEqual(counts["outer/inner"], 5 * counts["outer"])
        children = [name for name in os.listdir(folder) if name != "run.pit"]
        self.assertTrue(children)
        self.run_ok([pit_case.reader(), "report", *children[:20]], cwd=folder)


class Forbidden(Places):
    """By a real filter of system calls, as in containers."""

    def test_the_run_says_that_it_was_not_permitted(self):
        self.assertEqual(self.places("eperm"), {})
        self.assertEqual(self.taken, 0)
        self.assertIn("forbidden", self.reason)
        self.assertIn("seccomp", self.reason)

    def test_the_run_says_that_there_are_none(self):
        self.assertEqual(self.places("enosys"), {})
        self.assertIn("no perf events", self.reason)

    def test_doctor_has_the_reason_and_a_remedy(self):
        done = self.run_ok([pit_case.program("prog_native"), pit_case.tool(), "doctor"],
                           cwd=self.folder())
        checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
        self.assertEqual(checks["stack samples"]["state"], "no")
        self.assertIn("seccomp", checks["stack samples"]["why"])
        self.assertIn("perf_event_paranoid", checks["stack samples"]["remedy"])


if __name__ == "__main__":
    pit_case.main()
