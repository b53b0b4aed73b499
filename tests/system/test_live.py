"""A run can be read while it is written, by other processes and by its own; no reader waits for a writer."""

import os
import random
import signal
import subprocess
import time

import pit_case
import pit_runs

POLLS = 10000 if not pit_case.sanitizer() else 300


class Live(pit_case.Case):
    def start(self, *arguments, **options):
        """prog_live at work; it is killed after the test."""
        path = os.path.join(self.folder(), "run.pit")
        process = subprocess.Popen(
            [pit_case.program("prog_live"), arguments[0], path] + list(arguments[1:]),
            env=pit_case.clean_env(), stdout=subprocess.PIPE, encoding="utf-8",
            preexec_fn=lambda: os.nice(10), **options)  # so that the reader gets its turn
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, 300)
        self.addCleanup(process.kill)
        return process, path

    def read(self, path, polls, how, note=""):
        """The output of prog_live_reader: readings, wrong, spans, longest (µs), off by, steady."""
        done = pit_case.run([pit_case.program("prog_live_reader"), path, polls, how], timeout=60)
        self.assertEqual(done.returncode, 0, note + done.stdout + done.stderr)
        return [int(word) for word in done.stdout.split()]

    def test_each_reading_of_a_live_run_is_one_instant(self):
        process, path = self.start("write", stdin=subprocess.DEVNULL)
        self.assertEqual(process.stdout.readline(), "begun\n")
        before = self.read(path, 1, "running")[2]
        readings, wrong, _, longest, off, steady = self.read(path, POLLS, "running")
        self.assertEqual(wrong, 0)
        self.assertGreaterEqual(readings, POLLS)
        self.assertGreaterEqual(steady, POLLS // 4)
        self.assertTrue(pit_runs.wait_until(lambda: self.read(path, 1, "running")[2] > before))
        # That no reading waits for the writer is tested below, with a stopped writer.
        print("longest reading %d µs, histogram off by %d at most" % (longest, off), end=" ")
        self.assertIsNone(process.poll())

    def test_a_run_is_read_though_its_writer_is_stopped_in_the_middle(self):
        seed = pit_runs.seed_of_test()
        print("seed %d" % seed, end=" ", flush=True)
        dice = random.Random(seed)
        process, path = self.start("write", stdin=subprocess.DEVNULL)
        self.assertEqual(process.stdout.readline(), "begun\n")

        def is_stopped():
            return pit_runs.state_of(process.pid) == "T"

        def went_on():
            return self.read(path, 1, "running")[2] > last

        last = 0
        for i in range(50 if not pit_case.sanitizer() else 8):
            note = "PIT_TEST_SEED=%d, stop %d: " % (seed, i)
            self.assertTrue(pit_runs.wait_until(went_on), note)
            time.sleep(dice.uniform(0.0005, 0.02))
            process.send_signal(signal.SIGSTOP)
            try:
                self.assertTrue(pit_runs.wait_until(is_stopped), note)
                readings, wrong, spans, _, off, _ = self.read(path, 3, "stopped", note)
                self.assertEqual((readings, wrong, off), (3, 0, 0), note)
                self.assertGreater(spans, last, note)
                last = spans
                document, _ = pit_runs.dump(path)
                self.assertEqual(document["state"], "live", note)
            finally:
                process.send_signal(signal.SIGCONT)

    def test_a_process_reads_its_own_run_while_it_records(self):
        process, path = self.start("self", str(POLLS // 4), stdin=subprocess.PIPE)
        try:
            readings, wrong, spans = map(int, process.stdout.readline().split())
            self.assertEqual((readings, wrong), (POLLS // 4 + 1, 0))
            self.assertGreater(spans, 0)
            # It has opened its own file by its path; others must still see that it lives.
            self.assertEqual(pit_runs.report(self, path)["runs"][0]["state"], "live")
            self.assertEqual(self.read(path, 2, "running")[1], 0)
        finally:
            process.stdin.close()
        rounds = int(process.stdout.readline())
        self.assertEqual(process.wait(300 * pit_case.slowness()), 0)
        run = pit_runs.read_both(self, path, "closed")
        counts = pit_runs.counts_by_path(run)
        self.assertEqual(counts, dict.fromkeys(
            ("outer", "outer/inner", "outer/empty", "outer/first", "outer/second"), rounds))


if __name__ == "__main__":
    pit_case.main()
