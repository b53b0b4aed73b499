"""Monitors with libpitwall-alloc preloaded, which is impossible with a sanitizer: the memory of a timed call is
then the memory that the call itself allocated."""

import os
import re

import pit_case

LINE = re.compile(r"^Preparation complete: \d+\.\d\ds, peak memory: (\d+\.\d) MB$", re.M)


class Allocations(pit_case.Case):
    def peak_mb(self, **env):
        path = os.path.join(self.folder(), "run.pit")
        printed = self.run_ok([pit_case.program("prog_monitors"), path, "1"],
                              env=pit_case.clean_env(**env)).stdout
        self.assertRegex(printed, LINE)
        return float(LINE.search(printed).group(1))

    def test_the_peak_is_what_the_call_allocated_touched_or_not(self):
        library = os.path.join(pit_case.build_dir(), "lib", "libpitwall-alloc.so")
        self.assertEqual(self.peak_mb(LD_PRELOAD=library), 24.0)

    def test_without_the_library_it_is_what_became_resident(self):
        self.assertLess(self.peak_mb(), 8)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
