"""Recording leaves the errno of the program alone, also where it opens a run or finds no more memory."""

import os

import pit_case


class Errno(pit_case.Case):
    def check(self, *words, **env):
        done = self.run_ok([pit_case.program("prog_errno"), *words], env=pit_case.clean_env(**env))
        self.assertEqual(done.stdout, "done\n")

    def test_a_run_that_the_program_opens(self):
        self.check(os.path.join(self.folder(), "run.pit"))

    def test_a_run_that_the_first_span_opens(self):
        self.check("-", PITWALL_FILE=os.path.join(self.folder(), "run.pit"))

    def test_a_run_that_cannot_be_created(self):
        self.check("-", PITWALL_FILE="/proc/no-folder/run.pit")

    def test_a_run_in_shared_memory(self):
        self.check(os.path.join(self.folder(), "run.pit"), PITWALL_LIVE="shm")

    @pit_case.plain_build  # a sanitizer needs more memory for itself
    def test_no_more_memory(self):
        self.check(os.path.join(self.folder(), "run.pit"), "limit")

    def test_nothing_is_recorded(self):
        self.check("-")


if __name__ == "__main__":
    pit_case.main()
