"""Spans that measure memory report the program's use of it, also when nested, shared or misused.

The programs hold known amounts in whole pages, and the tests compute from these what a span must report.
A figure may be off by the bound that the run itself gives (the kernel counts pages late) and by the
little memory that the process needs for itself (memory_model.SLACK, more under a sanitizer).
"""

import glob
import json
import os
import re
import random
import resource
import sys

import memory_model
import pit_case
import pit_runs
from memory_model import MB, SLACK

RUSAGE, HWM = 1, 2

# Over exec, a process keeps the peak of the one that started it, and no reset removes it: with this Python
# as its parent a small program would never use the quicker way to read the mark. This parent is small, and
# kills programs that do not end.
SMALL = ["timeout", "--signal=KILL", str(280 * pit_case.slowness())]


def large(megabytes):
    """A command that starts a program from a process of that size."""
    return [sys.executable, "-c",
            "import os, sys\n"
            "held = b'\\1' * (%d << 20)\n"
            "pid = os.fork()\n"
            "if pid == 0: os.execv(sys.argv[1], sys.argv[1:])\n"
            "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))" % megabytes]


class Memory(pit_case.Case):
    def run_prog(self, *arguments, starter=SMALL, **options):
        """Run prog_memory to its end as a child of `starter`; returns the run and its output."""
        path = os.path.join(self.folder(), "run.pit")
        done = self.run_ok(starter + [pit_case.program("prog_memory"), arguments[0], path]
                           + list(arguments[1:]), **options)
        return memory_model.dump(self, path), done.stdout

    def near(self, got, want, error_bytes, what):
        """As good as the run says it is."""
        self.assertLessEqual(abs(got - want), error_bytes + SLACK, "%s: %.3f MB, not %.3f MB" % (
            what, got / MB, want / MB))

    def check_script(self, script, flags="3", method=RUSAGE, note="", **options):
        """Every finished span of a script, as a record and in its node. method None: any."""
        run, _ = self.run_prog("script", flags, *script, **options)
        model = memory_model.Model().run(script)
        by_path = {}
        for want in model.done:
            by_path.setdefault(want["path"], []).append(want)
        self.assertEqual(sum(len(t["records"]) for t in run["threads"]), len(model.done), note)
        for path, wants in by_path.items():
            got = memory_model.records(run, path)
            self.assertEqual(len(got), len(wants), note + path)
            for i, (record, want) in enumerate(zip(got, wants)):
                what = "%s%s, span %d" % (note, path, i)
                error = record["error_bytes"]
                self.assertEqual(record["has_memory"], 1, what)
                if method:
                    self.assertEqual(record["peak_method"], method, what)
                self.near(record["rss_peak"] - record["rss_begin"], want["peak"], error,
                          what + ": peak")
                self.near(record["rss_end"] - record["rss_begin"], want["delta"], error,
                          what + ": delta")
            self.check_node(run, path, got, note)
        self.assertEqual(sum(t["abandoned"] for t in run["threads"]), model.abandoned, note)
        self.assertEqual(sum(t["left_open"] for t in run["threads"]), model.left_open, note)
        return run

    def check_node(self, run, path, got, note):
        """A node's figures are its records', added up."""
        memories = [n["memory"] for n in memory_model.nodes(run, path) if n["memory"]]
        deltas = [r["rss_end"] - r["rss_begin"] for r in got]
        peaks = [max(r["rss_peak"] - r["rss_begin"], 0) for r in got]
        for key, want in (("count", len(got)), ("delta_sum", sum(deltas)), ("peak_sum", sum(peaks)),
                          ("minor_faults", sum(r["minor_faults"] for r in got)),
                          ("major_faults", sum(r["major_faults"] for r in got))):
            self.assertEqual(sum(m[key] for m in memories), want, note + path + ": " + key)
        for key, want in (("delta_max", max(deltas)), ("peak_max", max(peaks)),
                          ("rss_max", max(r["rss_peak"] for r in got))):
            self.assertEqual(max(m[key] for m in memories), want, note + path + ": " + key)
        if len(memories) == 1:
            self.assertEqual((memories[0]["delta_last"], memories[0]["peak_last"],
                              memories[0]["rss_last"]),
                             (deltas[-1], peaks[-1], got[-1]["rss_end"]), note + path)

    # -- one thread

    def test_two_hundred_megabytes_that_come_and_go(self):
        script = ["0bwork", "0g204800", "0d", "0e"] * 2
        run = self.check_script(script)
        memory = memory_model.node(run, "work")["memory"]
        # Every page was touched for the first time twice.
        self.assertGreaterEqual(memory["minor_faults"], 2 * (200 * MB // (2 * MB)))

    def test_one_megabyte_that_comes_and_goes(self):
        self.check_script(["0bwork", "0g1024", "0d", "0e"] * 5)

    def test_what_is_kept_is_the_delta(self):
        self.check_script(["0btake", "0g20480", "0e", "0bgive", "0d", "0e"])

    def test_an_inner_span_and_the_outer_one_have_each_their_own_peak(self):
        run = self.check_script(["0bouter", "0g51200", "0binner", "0g102400", "0d", "0e", "0d",
                                 "0e"])
        self.assertAlmostEqual(memory_model.node(run, "outer")["memory"]["peak_last"] / MB, 150,
                               delta=1 + SLACK / MB)
        self.assertAlmostEqual(memory_model.node(run, "outer/inner")["memory"]["peak_last"] / MB,
                               100, delta=1 + SLACK / MB)

    def test_a_peak_before_or_after_the_inner_span_is_the_outer_ones_alone(self):
        self.check_script(["0bouter", "0g153600", "0d", "0binner", "0g10240", "0d", "0e", "0e"])
        self.check_script(["0bouter", "0binner", "0g10240", "0d", "0e", "0g153600", "0d", "0e"])

    def test_a_peak_before_the_first_span_is_not_in_it(self):
        self.check_script(["0g153600", "0d", "0bfirst", "0g10240", "0d", "0e", "0bnext", "0e"])

    # -- several threads: each span sees the whole process

    def test_four_threads_each_in_a_span_of_its_own(self):
        script = ["%db%s" % (i, name) for i, name in enumerate(("one", "two", "three", "four"))]
        script += ["0g20480", "1g40960", "0d", "2g61440", "1d", "0e", "3g81920", "2d", "1e", "2e",
                   "3d", "3e"]
        self.check_script(script)

    def test_random_threads_that_nest_abandon_and_leave_spans(self):
        seed = pit_runs.seed_of_test()
        print("seed %d" % seed, end=" ", flush=True)
        dice = random.Random(seed)
        for i in range(6 if not pit_case.sanitizer() else 2):
            self.check_script(memory_model.random_script(dice),
                              note="PIT_TEST_SEED=%d, script %d: " % (seed, i))

    def test_an_abandoned_span_spoils_nothing_around_it(self):
        self.check_script(["0bouter", "0blost", "0g30720", "0blost", "0g10240", "0d", "0E1",
                           "0bnext", "0d", "0e"])

    def test_a_thread_that_ends_inside_its_span_spoils_nothing(self):
        self.check_script(["0bouter", "1bleft", "1g20480", "1bleft", "1q", "1bnext", "1g10240",
                           "1d", "1d", "1e", "0e"])

    # -- another start of the process

    def test_a_process_started_by_a_large_one_has_figures_of_its_own(self):
        run = self.check_script(["0bwork", "0g51200", "0d", "0e", "0bsmall", "0g1024", "0d", "0e"],
                                method=HWM, starter=large(1024))
        if not pit_case.sanitizer():
            self.assertLess(memory_model.node(run, "work")["memory"]["rss_max"], 100 * MB)
            self.assertLess(run["rss_peak"], 100 * MB)

    def test_so_has_one_that_was_larger_at_its_first_span(self):
        # The floor shows only once the process is smaller than it.
        self.check_script(["0g307200", "0bfirst", "0e", "0d", "0bsmall", "0g1024", "0d", "0e"],
                          method=None, starter=large(200))

    def test_a_child_of_fork_measures_its_own_memory(self):
        folder = self.folder()
        self.run_ok([pit_case.program("prog_memory"), "fork", os.path.join(folder, "run.pit")])
        paths = glob.glob(os.path.join(folder, "*.pit"))
        self.assertEqual(len(paths), 2)
        for name, want in (("parent", 100 * MB), ("child", 60 * MB)):
            found = [n for path in paths
                     for n in memory_model.nodes(memory_model.dump(self, path), name)
                     if n["count"]]
            self.assertEqual(len(found), 1, name)
            memory = found[0]["memory"]
            self.near(memory["peak_last"], want, memory["error_bytes"], name)
            self.near(memory["delta_last"], 0, memory["error_bytes"], name)

    # -- every span of a recorder

    def test_every_span_measures_where_the_options_say_so(self):
        self.check_script(["0bouter", "0binner", "0g20480", "0d", "0e", "0e"], flags="d")

    def test_every_span_measures_where_the_environment_says_so(self):
        run, _ = self.run_prog("script", "0", "0bouter", "0binner", "0g20480", "0d", "0e", "0e",
                               env=pit_case.clean_env(PITWALL_MEMORY=1))
        for path in ("outer", "outer/inner"):
            memory = memory_model.node(run, path)["memory"]
            self.assertEqual(memory["count"], 1, path)
            self.near(memory["peak_last"], 20 * MB, memory["error_bytes"], path)

    def test_spans_that_follow_at_once_share_no_figures(self):
        grown = ["0ba", "0g65536", "0e"]
        self.check_script([*grown, "0bb", "0e", "0bc", "0d", "0e", "0bd", "0e"])
        self.check_script([*grown, "0d", "0bb", "0e"], note="given back in between: ")
        self.check_script(["0ba", "0g65536", "0d", "0e", "0bb", "0e"], note="peak in the first: ")
        self.check_script(["0ba", "0bb", "0g65536", "0d", "0e", "0e", "0bc", "0bd", "0e", "0e"],
                          note="nested: ")

    def test_no_span_measures_where_nobody_asks(self):
        run, _ = self.run_prog("script", "0", "0bouter", "0e")
        self.assertIsNone(memory_model.node(run, "outer")["memory"])
        self.assertEqual(memory_model.records(run), [])

    # -- what it costs

    def test_the_peak_of_pitwall_run_is_right_although_the_mark_was_reset(self):
        steps = ["0bbig", "0g204800", "0d", "0e", "0bsmall", "0e"]
        program = [pit_case.program("prog_memory"), "script"]
        path = os.path.join(self.folder(), "run.pit")
        done = self.run_ok([pit_case.tool(), "run", "--stats", "-o", path, "--", *program, path,
                            "1", *steps])
        line = re.search(r"^pitwall: ran [\d.]+ s, [\d.]+ s user, [\d.]+ s system, "
                         r"peak RSS ([\d.]+) MB$", done.stderr, re.M)
        self.assertTrue(line, done.stderr)
        self.assertGreater(float(line.group(1)), 199)
        # the kernel passes on the peak since the reset
        child = os.posix_spawn(program[0], [*program, path + "2", "1", *steps],
                               pit_case.clean_env())
        _, status, usage = os.wait4(child, 0)
        self.assertEqual(status, 0)
        if not pit_case.sanitizer():
            self.assertLess(usage.ru_maxrss, 100 * 1024)

    def test_the_time_of_spans_around_does_not_contain_the_reading(self):
        """The program's own clock has it; a stall of the machine is in both."""
        count, least_ns = 1000, 500  # a reading is several system calls
        run, said = self.run_prog("cost", count, 1)
        ns = {path: memory_model.node(run, path)["total"] * run["ns_per_tick"]
              for path in ("outer", "outer/middle", "outer/middle/inner")}
        note = "%r, %s by the program's clock" % (ns, said.strip())
        self.assertLessEqual(ns["outer/middle/inner"], ns["outer/middle"], note)
        self.assertLessEqual(ns["outer/middle"], ns["outer"], note)
        self.assertGreater(float(said) - ns["outer"], count * least_ns, note)

    # -- descriptors

    def check_right_or_none(self, run, path):
        """30 MB came and went and 10 MB stayed, or there is no figure."""
        records = memory_model.records(run, path)
        self.assertEqual(len(records), 1, path)
        record, memory = records[0], memory_model.node(run, path)["memory"]
        if not record["has_memory"]:
            self.assertIsNone(memory, path)
            return
        self.near(record["rss_end"] - record["rss_begin"], 10 * MB, record["error_bytes"], path)
        self.near(memory["delta_last"], 10 * MB, memory["error_bytes"], path)
        self.assertEqual(memory["peak_method"], record["peak_method"], path)
        if record["peak_method"]:
            self.near(record["rss_peak"] - record["rss_begin"], 30 * MB, record["error_bytes"],
                      path)
        else:
            self.assertEqual(record["rss_peak"], 0, path)

    def test_no_descriptor_no_figures_and_everything_else_goes_on(self):
        run, _ = self.run_prog("starved")
        for path in ("first", "second"):
            self.check_right_or_none(run, path)
            node = memory_model.node(run, path)
            self.assertEqual(node["count"], 1)
            self.assertGreater(node["total"], 0)
            self.assertTrue(not node["memory"] or node["memory"]["peak_method"] == 0)

    def test_few_descriptors_do(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

        self.check_script(["0bwork", "0g20480", "0d", "0e"], preexec_fn=few)

    def check_closed(self, files):
        # The program checks its files itself: it fails if one was written to or closed.
        run, _ = self.run_prog("closed", files, self.folder())
        self.check_right_or_none(run, "before")
        self.check_right_or_none(run, "meanwhile/inside")
        self.check_right_or_none(run, "after")
        self.assertEqual(memory_model.node(run, "before")["memory"]["count"], 1)

    def test_a_program_that_closes_all_descriptors_keeps_its_files(self):
        self.check_closed(20)

    def test_the_same_with_more_files_than_our_descriptors_are_high(self):
        self.check_closed(1500)

    # -- signals

    def test_a_handler_that_measures_in_its_own_recorder_does_not_wait_for_ever(self):
        run, said = self.run_prog("handler", starter=[], timeout=20)
        self.assertGreater(int(said), 10)
        self.assertGreater(memory_model.node(run, "main")["memory"]["count"], 10)


class Examples(pit_case.Case):
    """The report distinguishes the leak from a full cache."""

    # Resident memory relative to the requested memory: blocks have headers; the address sanitizer's shadow
    # is an eighth of the touched memory, the thread sanitizer's up to four times that.
    MOST = {"": 1.1, "address": 1.4}.get(pit_case.sanitizer(), 6)

    def run_example(self, name, *arguments):
        """Its text, the verdict on its growth, its nodes, and its length in minutes. The verdict needs readings
        of the second half: a program that was stopped, or whose sampler was, has too few, and runs again."""
        for _ in range(30):
            found = self.run_once(name, *arguments)
            if found[1]["points"] >= 5:
                return found
        self.fail("no run of %s has readings: %r" % (name, found))

    def run_once(self, name, *arguments):
        path = os.path.join(self.folder(), name + ".pit")
        # Freed memory is returned at once: the address sanitizer would otherwise keep 256 MB, and every
        # span that frees would look like a leak.
        env = pit_case.clean_env(
            ASAN_OPTIONS="quarantine_size_mb=0:thread_local_quarantine_size_kb=0")
        self.run_ok([pit_case.example(name), "-o", path] + list(arguments), env=env)
        text = self.run_ok([pit_case.reader(), "report", "--view", "memory", path]).stdout
        document = json.loads(self.run_ok([pit_case.reader(), "report", "--json", path]).stdout)
        nodes = {node["path"]: node for node in document["nodes"]}
        (run,) = document["runs"]
        return text, run["memory"]["growth"], nodes, run["duration_ns"] / 60e9

    def test_the_leak_is_found_where_it_is(self):
        # Up to a hundred times slower there.
        steps = {"": 300, "address": 100}.get(pit_case.sanitizer(), 24)
        text, growth, nodes, _ = self.run_example("leak", "--quick", "--steps", steps)
        self.assertIs(growth["is_growing"], True, growth)
        self.assertRegex(text.splitlines()[0], r"growing .* inside step/")
        if pit_case.sanitizer() != "thread":  # there every access makes shadow, in all parts
            self.assertEqual(growth["where"], "step/log", growth)
            self.assertRegex(text.splitlines()[0], r"growing .* inside step/log")
        leaked = steps * 256 * 1024
        self.assertTrue(0.98 * leaked < nodes["step/log"]["memory_delta_bytes"] < self.MOST * leaked,
                        nodes["step/log"])
        self.assertEqual(nodes["step"]["memory_spans"], steps)
        # Memory of these is freed at the end of the step and reused by the next one. A sanitizer's
        # allocator may return it to the kernel in between: then they allocate it again each time.
        if not pit_case.sanitizer():
            for path in ("step/load", "step/forward"):
                self.assertLess(nodes[path]["memory_delta_bytes"], 0.05 * leaked, path)

    def test_a_cache_that_is_full_is_no_leak(self):
        # It is full after about 150 requests, which take longer than the others: growth is judged over the
        # second half of the time.
        steps = 600 if pit_case.sanitizer() == "thread" else 1200
        text, growth, nodes, minutes = self.run_example("cache", "--steps", steps)
        if pit_case.sanitizer() == "thread":
            # Its own bookkeeping grows slowly, with the requests: by the minute it is more on a faster machine.
            self.assertLess(growth["bytes_a_minute"] * minutes, 24 * MB, (growth, minutes))
        else:
            self.assertIs(growth["is_growing"], False, growth)
            self.assertNotRegex(text, r"growing .* inside")
        held = nodes["request/fill"]["memory_delta_bytes"]
        self.assertTrue(0.95 * 48 * MB < held < self.MOST * 48 * MB, held)
        self.assertLess(nodes["request/fill"]["memory_delta_last_bytes"], MB)

    def test_wrong_options_are_refused(self):
        for name in ("leak", "cache"):
            for bad in (["--steps"], ["--steps", "0"], ["--steps", "x"], ["--what"]):
                done = self.run_status(64, [pit_case.example(name)] + bad, cwd=self.folder())
                self.assertRegex(done.stderr, "^{0}: {1}.*; {0} --help lists the options\n$".format(
                    name, bad[0]))


if __name__ == "__main__":
    pit_case.main()
