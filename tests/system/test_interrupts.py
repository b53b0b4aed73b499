"""Signals, jumps and cancelled threads that interrupt the recorder: nothing hangs, no data is torn."""

import glob
import os
import shutil

import pit_case
import pit_runs


def amount(few, all_of_them, sanitized=None):
    """How often: a sample, and everything with PITWALL_TEST_ALL=1."""
    if os.environ.get("PITWALL_TEST_ALL") == "1":
        return all_of_them
    return few if not pit_case.sanitizer() else sanitized or max(few // 4, 3)


class Interrupts(pit_case.Case):
    def run_prog(self, what, count, how, **env):
        """Run prog_interrupts to its end; returns the folder with its files."""
        folder = self.folder()
        self.run_ok([pit_case.program("prog_interrupts"), what, folder, count, how],
                    env=pit_case.clean_env(**env), timeout=600)
        return folder

    def check_run(self, path, note):
        """The readers agree, a parent is not shorter than its children, nothing is counted twice."""
        run = pit_runs.read_both(self, path, "closed", note)
        for thread in run["threads"]:
            for node in thread["nodes"]:
                self.assertLessEqual(node["child"], node["total"] if node["count"] else 0,
                                     note + node["path"])
        return run

    def by_name(self, run):
        """Counts by the last part of the path."""
        sums = {}
        for path, count in pit_runs.counts_by_path(run).items():
            name = path.split("/")[-1]
            sums[name] = sums.get(name, 0) + count
        return sums

    # -- exit and close in a handler

    def exits(self, how):
        folder = self.run_prog("exit", amount(15, 300), how)
        paths = glob.glob(os.path.join(folder, "*.pit"))
        self.assertGreater(len(paths), 0)
        for path in paths:
            run = self.check_run(path, how + ": ")
            self.assertGreater(sum(pit_runs.counts_by_path(run).values()), 0, how)

    def test_exit_in_a_handler_ends_a_program_with_plain_spans(self):
        self.exits("plain-exit")

    def test_exit_in_a_handler_ends_a_program_with_memory_spans(self):
        self.exits("memory-exit")

    def test_exit_in_a_handler_ends_a_program_with_new_names(self):
        self.exits("name-phase-exit")

    def test_close_in_a_handler_of_plain_spans(self):
        self.exits("plain-close")

    def test_close_in_a_handler_of_memory_spans(self):
        self.exits("memory-record-close")

    # -- cancelled threads

    def cancels(self, how):
        count = amount(60, 2000)
        path = os.path.join(self.run_prog("cancel", count, how), "run.pit")
        run = self.check_run(path, how + ": ")
        self.assertGreaterEqual(self.by_name(run)["record"], count, how)
        self.assertLessEqual(len(run["threads"]), 2, how)

    def test_threads_are_cancelled_in_memory_spans(self):
        self.cancels("memory-deferred")

    # The sanitizers' own code does not outlive a thread that is cancelled at any instruction.
    at_once = "deferred" if pit_case.sanitizer() else "async"

    def test_threads_are_cancelled_at_once_in_memory_spans(self):
        self.cancels("memory-" + self.at_once)

    def test_threads_are_cancelled_at_once_in_plain_spans(self):
        self.cancels("plain-" + self.at_once)

    # -- jumps out of a handler

    def jumps(self, how):
        path = os.path.join(self.run_prog("jump", amount(150, 5000), how), "run.pit")
        run = self.check_run(path, how + ": ")
        self.assertEqual(self.by_name(run)["after"], 1000, how)

    def test_a_thread_goes_on_after_jumps_out_of_plain_spans(self):
        self.jumps("plain")

    def test_a_thread_goes_on_after_jumps_out_of_memory_spans(self):
        self.jumps("memory")

    def test_a_thread_goes_on_after_jumps_out_of_records_and_values(self):
        self.jumps("record-value")

    def test_a_thread_goes_on_after_jumps_out_of_phases_and_new_names(self):
        self.jumps("phase-name")

    def test_a_thread_goes_on_after_jumps_out_of_deeper_calls(self):
        self.jumps("deep")

    def test_a_thread_goes_on_after_jumps_from_another_stack(self):
        self.jumps("plain-alternate")

    # -- every call in a handler

    def storm(self, how):
        path = os.path.join(self.run_prog("storm", amount(6000, 600000, 1500), how), "run.pit")
        run = self.check_run(path, how + ": ")
        self.assertEqual(self.by_name(run)["after"], 1000, how)
        self.assertEqual([t["open"] for t in run["threads"] if t["open"]], [], how)
        shutil.rmtree(os.path.dirname(path))

    def test_every_call_in_a_handler_ten_thousand_times_a_second(self):
        self.storm("own")

    def test_every_call_in_a_handler_with_a_stack_of_its_own(self):
        self.storm("alternate")

    # -- short stacks

    def stack(self, how, first):
        folder = self.folder()
        path = os.path.join(folder, "run.pit")
        self.run_ok([pit_case.program("prog_interrupts"), "stack", folder, 1, how],
                    env=pit_case.clean_env(PITWALL_FILE=path))
        run = self.check_run(path, how + ": ")
        counts = self.by_name(run)
        self.assertEqual((counts["after"], counts.get("plain", 0)), (1000, first), how)
        return run

    def test_the_first_span_on_a_short_stack_opens_the_run(self):
        self.stack("thread", 1)

    def test_the_first_span_on_a_handlers_short_stack_is_counted(self):
        how = "alternate-wide" if pit_case.sanitizer() else "alternate"
        run = self.stack(how, 1)  # the second time, when the run is open
        self.assertGreaterEqual(run["counters"]["in_signal"], 1)


if __name__ == "__main__":
    pit_case.main(thread_sanitizer=False)
