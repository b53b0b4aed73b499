"""Other processes write to the file of a live run or truncate it: the recording program is not harmed.

The tests do this as root, because the file is not writable for other users.
"""

import os
import struct

import pit_case
from places import Case, read

COUNTERS, MENDED = 256, 5 # where the header has its counters, and which of them
SEEDS = 200 if os.environ.get("PITWALL_TEST_ALL") == "1" else 6


class Hostile(Case):
    """Many seeds of each kind of harm."""

    def attacked(self, how, when, seed, rounds=2, guard=None):
        path = os.path.join(self.folder(), "run.pit")
        # A program that uses more than its share is stuck.
        done = self.run_status(0, [pit_case.program("prog_hostile"), how, when, seed, rounds, path],
                               env=pit_case.clean_env(PITWALL_GUARD=guard), timeout=120)
        self.assertTrue(done.stdout.endswith("done\n"), (how, when, seed, done.stdout, done.stderr))
        return path

    def test_zeros_over_the_file(self):
        for seed in range(2):
            for when in ("closed", "open", "beside"):
                self.attacked("zeros", when, seed)

    def test_any_bytes_while_no_span_is_open(self):
        for seed in range(SEEDS):
            for how in ("random", "spots", "ones"):
                self.attacked(how, "closed", seed)

    @pit_case.plain_build  # a sanitizer has handlers of its own, so there is no guard
    def test_any_bytes_at_any_time_under_the_guard(self):
        for seed in range(SEEDS):
            for how in ("random", "spots", "ones", "zeros"):
                for when in ("open", "beside"):
                    self.attacked(how, when, seed, guard="1")

    @pit_case.plain_build  # a sanitizer has handlers of its own, so there is no guard
    def test_a_file_that_is_cut_under_the_guard(self):
        for seed in range(SEEDS):
            for how in ("cut", "half", "copy"):
                for when in ("closed", "open", "beside"):
                    self.attacked(how, when, seed, rounds=1, guard="1")

    @pit_case.plain_build  # a sanitizer has handlers of its own, so there is no guard
    def test_the_tool_switches_the_guard_on(self):
        path = os.path.join(self.folder(), "run.pit")
        for how in ("cut", "random"):
            done = self.run_ok([pit_case.tool(), "run", "-o", os.path.join(self.folder(), "x.pit"),
                                pit_case.program("prog_hostile"), how, "open", "1", "1", path])
            self.assertTrue(done.stdout.endswith("done\n"), done.stdout)

    @pit_case.plain_build  # a sanitizer has handlers of its own, so there is no guard
    def test_what_was_mended_is_counted(self):
        path = self.attacked("half", "closed", 1, rounds=1, guard="1")
        self.assertGreater(struct.unpack_from("=Q", read(path), COUNTERS + 8 * MENDED)[0], 0)
        done = self.run_ok([pit_case.tool(), "report", path])
        self.assertRegex(done.stdout, r"faults? in the run's own pages w(as|ere) repaired")


if __name__ == "__main__":
    pit_case.main(thread_sanitizer=False)
