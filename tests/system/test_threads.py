"""Threads that start and end, misuse their spans, and receive signals: counts are still exact."""

import os
import random
import signal
import subprocess
import time

import pit_case
import pit_runs


def seconds(plain, sanitized):
    return plain if not pit_case.sanitizer() else sanitized


class Threads(pit_case.Case):
    def run_prog(self, *arguments, timeout=60):
        """Run prog_threads to its end; returns the run's path and its output."""
        path = os.path.join(self.folder(), "run.pit")
        done = self.run_ok([pit_case.program("prog_threads"), arguments[0], path]
                           + list(arguments[1:]), timeout=timeout)
        return path, done.stdout.split()

    def tables(self, run):
        return {thread["name"]: thread for thread in run["threads"]}

    # -- threads that come and go

    def churn(self, leave, count):
        seed = pit_runs.seed_of_test()
        print("seed %d" % seed, end=" ", flush=True)
        note = "PIT_TEST_SEED=%d: " % seed
        truth_path = os.path.join(self.folder(), "truth")
        path, said = self.run_prog("churn", truth_path, seed, count, leave)
        truth = pit_runs.Truth(truth_path)
        run = pit_runs.read_both(self, path, "closed", note)
        pit_runs.check_counts(self, run, truth, note)
        for ended, ending, *_ in truth.paths.values():
            self.assertEqual(ended, ending, note)
        self.assertLessEqual(len(run["threads"]), 65, note)
        self.assertLessEqual(sum(t["thread_count"] for t in run["threads"]), count, note)
        self.assertGreater(sum(t["thread_count"] for t in run["threads"]), count * 0.9, note)
        self.assertEqual([t["open"] for t in run["threads"] if t["open"]], [], note)
        self.assertEqual(sum(t["counters"]["left_open"] for t in run["threads"]), int(said[0]),
                         note)
        return int(said[0])

    def test_counts_are_exact_while_threads_come_and_go(self):
        self.assertEqual(self.churn(0, seconds(3000, 300)), 0)

    def test_spans_left_open_by_a_thread_are_counted_not_recorded(self):
        # One thread in five leaves some: 425 in all, or 85 with a deviation of 15.
        self.assertGreater(self.churn(1, seconds(1000, 200)), seconds(50, 0))

    def test_threads_one_after_another_share_a_table(self):
        count = seconds(10000, 500)
        path, _ = self.run_prog("serial", count)
        run = pit_runs.read_both(self, path, "closed")
        self.assertLessEqual(len(run["threads"]), 2)
        self.assertEqual(sum(t["thread_count"] for t in run["threads"]), count)
        self.assertEqual(pit_runs.counts_by_path(run), {"short": count, "short/inner": count})
        self.assertLess(os.path.getsize(path), 1 << 20)

    def test_a_kill_while_threads_come_and_go(self):
        seed = pit_runs.seed_of_test()
        print("seed %d" % seed, end=" ", flush=True)
        dice = random.Random(seed)
        for i in range(seconds(20, 4)):
            folder = self.folder()
            path, truth_path = os.path.join(folder, "run.pit"), os.path.join(folder, "truth")
            delay = dice.uniform(1, 80)
            note = "PIT_TEST_SEED=%d, kill %d after %.1f ms: " % (seed, i, delay)
            process = subprocess.Popen(
                [pit_case.program("prog_threads"), "churn", path, truth_path,
                 str(dice.randrange(10**9)), "0", str(i % 2)],
                env=pit_case.clean_env(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            try:
                self.assertTrue(pit_runs.wait_until(lambda: pit_runs.opened(truth_path)), note)
                time.sleep(delay / 1000)
            finally:
                process.kill()
                process.wait(300)
            self.assertEqual(process.returncode, -signal.SIGKILL, note)
            truth = pit_runs.Truth(truth_path)
            run = pit_runs.read_both(self, path, "died", note)
            pit_runs.check_counts(self, run, truth, note)
            pit_runs.check_open(self, run, truth, note)
            pit_runs.check_report(self, pit_runs.report(self, path, note), run, "died", note)

    # -- misuse

    def test_misuse_is_counted_and_changes_nothing_else(self):
        path, _ = self.run_prog("misuse")
        run = pit_runs.read_both(self, path, "closed")
        self.assertEqual(pit_runs.counts_by_path(run),
                         {"outer": 1, "outer/handed": 1, "outer/loose": 1, "outer/loose/loose": 0,
                          "loose": 0, "loose/loose": 0, "loose/loose/done": 1,
                          "loose/loose/loose": 0})
        sums = {key: sum(t["counters"][key] for t in run["threads"])
                for key in run["threads"][0]["counters"]}
        self.assertEqual(sums, {"end_without_begin": 2, "abandoned": 1, "wrong_thread": 1,
                                "too_deep": 0, "table_full": 0, "signal": 0, "clock_back": 0,
                                "left_open": 3})

    def test_threads_have_the_names_they_were_given(self):
        path, _ = self.run_prog("misuse")
        tables = self.tables(pit_runs.read_both(self, path, "closed"))
        # The leaver came after the taker and got its table.
        self.assertEqual(set(tables), {"the owner", "leaver"})
        self.assertEqual(tables["leaver"]["thread_count"], 2)

    def test_an_object_is_recorded_by_the_thread_that_ends_it(self):
        path, _ = self.run_prog("misuse")
        tables = self.tables(pit_runs.read_both(self, path, "closed"))
        ended = {name: [n["count"] for n in t["nodes"] if n["path"] == "outer/handed"]
                 for name, t in tables.items()}
        self.assertEqual(ended, {"the owner": [0], "leaver": [1]})
        self.assertTrue(all(n["detached"] for t in tables.values() for n in t["nodes"]
                            if n["path"] == "outer/handed"))

    # -- signals

    def test_spans_in_a_signal_handler_are_recorded_or_counted(self):
        path, said = self.run_prog("signals", 5000 if not pit_case.sanitizer() else 1000)
        before, attempts, spans = map(int, said)
        run = pit_runs.read_both(self, path, "closed")
        counts = pit_runs.counts_by_path(run)
        recorded = sum(n for name, n in counts.items() if name.split("/")[-1] == "handler")
        counted = run["counters"]["in_signal"] + sum(t["counters"]["signal"]
                                                     for t in run["threads"])
        # Spans before pit_open was done may be lost.
        self.assertLessEqual(recorded + counted, attempts)
        self.assertGreaterEqual(recorded + counted, attempts - before)
        # Usually most of main's time is outside the recorder, but not on every machine.
        self.assertGreater(recorded, 10)
        for name in ("main", "main/inner", "main/first", "main/second"):
            self.assertEqual(counts[name], spans, name)
        sums = {key: sum(t["counters"][key] for t in run["threads"])
                for key in ("end_without_begin", "abandoned", "wrong_thread", "left_open")}
        self.assertEqual(set(sums.values()), {0}, sums)


if __name__ == "__main__":
    pit_case.main()
