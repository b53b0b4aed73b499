"""A user's program, linked statically with musl and only the library, writes a run like any other.

The unit tests of this build are separate programs; one stage of tests/run.py runs both.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))
import pit_case  # noqa: E402  (behind the path that it is found by)
import pit_check  # noqa: E402
import pit_reader  # noqa: E402

PROGRAM = """
#include <pitwall.h>
int main(void)
{
    pit_open("run.pit", 0);
    for (int i = 0; i < 7; i++)
        PIT_SPAN("work") { pit_items(1); }
    return pit_close();
}
"""


class Musl(pit_case.Case):
    def test_a_static_program_leaves_a_run(self):
        folder = self.folder()
        with open(os.path.join(folder, "p.c"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        self.run_ok(["musl-gcc", "-static", "-O2", "p.c", "-o", "p", "-I",
                     os.path.join(pit_case.source_dir(), "include"), pit_case.library("a"), "-lm"],
                    cwd=folder)
        self.run_ok(["./p"], cwd=folder)
        run = pit_reader.load(os.path.join(folder, "run.pit"))
        self.assertEqual(pit_check.check(run), [])
        nodes = [node for thread in run["threads"] for node in thread["nodes"]]
        self.assertEqual([(node["path"], node["count"]) for node in nodes], [("work", 7)])


if __name__ == "__main__":
    pit_case.main()
