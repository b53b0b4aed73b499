"""`pitwall run` of programs that do not use Pitwall: they are recorded from their start on, unless another
program is meant to write the run.

The program works until it has used the processor for long enough, so a busy machine only makes the test
slower."""

import json
import os

import pit_case

PLAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile double sink;
__attribute__((noinline)) static void hot_part(void)
{
    for (int i = 0; i < 200000; i++)
        sink = sink * 0.99 + 1;
}
int main(int argc, char **argv)
{
    if (argc > 1)
        return system(argv[1]) != 0;
    printf("start %s\\n", getenv("PITWALL_START") ? "set" : "unset");
    while ((double)clock() < 2.0 * CLOCKS_PER_SEC)
        hot_part();
    return 0;
}
"""
LINKED = """
#include <pitwall.h>
int main(void)
{
    PIT_SPAN("own") {}
    return 0;
}
"""


class Start(pit_case.Case):
    def made(self, folder, name, source, *options):
        text = os.path.join(folder, name + ".c")
        with open(text, "w", encoding="utf-8") as file:
            file.write(source)
        self.run_ok(["gcc", "-O2", "-I", os.path.join(pit_case.source_dir(), "include"), text, *options,
                     "-o", os.path.join(folder, name)])

    def recorded(self, folder, *command):
        """Returns the standard output of the program, its run, and the names of all runs."""
        done = self.run_ok([pit_case.tool(), "run", "--quiet", "-o", "run.pit", "--", *command], cwd=folder)
        report = self.run_ok([pit_case.tool(), "report", "--json", "--alone", "run.pit"], cwd=folder).stdout
        return done.stdout, json.loads(report), sorted(
            name for name in os.listdir(folder) if name.endswith(".pit"))

    def test_a_program_that_does_not_use_pitwall(self):
        folder = self.folder()
        self.made(folder, "plain", PLAIN)
        said, report, runs = self.recorded(folder, "./plain")
        self.assertEqual(said, "start unset\n")
        self.assertEqual(runs, ["run.pit"])
        self.assertEqual(report["nodes"], [])
        places = report["places"]
        self.assertTrue(places and places[0]["function"].startswith("hot_part"), places)
        self.assertIn("hot_part", self.run_ok([pit_case.tool(), "report", "run.pit"], cwd=folder).stdout)

    def test_programs_that_it_starts_are_not_recorded(self):
        folder = self.folder()
        self.made(folder, "plain", PLAIN)
        said, _, runs = self.recorded(folder, "./plain", "./plain; ./plain")
        self.assertEqual(said, "start unset\nstart unset\n")
        self.assertEqual(runs, ["run.pit"])

    def test_a_program_that_uses_pitwall_opens_its_own_run(self):
        shared = os.path.dirname(pit_case.library("so"))
        for name, options in (("shared", ["-L" + shared, "-Wl,-rpath," + shared, "-lpitwall"]),
                              ("static", [pit_case.library("a"), "-lm", "-pthread", "-s"])):
            folder = self.folder()
            self.made(folder, name, LINKED, *options)
            _, report, runs = self.recorded(folder, "./" + name)
            self.assertEqual(runs, ["run.pit"], name)
            self.assertEqual([node["path"] for node in report["nodes"]], ["own"], name)

    def test_a_shell_and_a_wrapper_leave_the_run_to_their_program(self):
        shared = os.path.dirname(pit_case.library("so"))
        for command in (["env", "A=1", "./linked"], ["sh", "-c", "exec ./linked"],
                        ["./shell", "-c", "exec ./linked"]):
            folder = self.folder()
            os.symlink("/bin/sh", os.path.join(folder, "shell"))
            self.made(folder, "linked", LINKED, "-L" + shared, "-Wl,-rpath," + shared, "-lpitwall")
            _, report, runs = self.recorded(folder, *command)
            self.assertEqual(runs, ["run.pit"], command)
            self.assertEqual([node["path"] for node in report["nodes"]], ["own"], command)

    def test_no_auto_leaves_it_alone(self):
        folder = self.folder()
        self.made(folder, "plain", PLAIN)
        self.run_ok([pit_case.tool(), "run", "--quiet", "--no-auto", "-o", "run.pit", "--", "./plain", ":"],
                    cwd=folder)
        report = json.loads(self.run_ok([pit_case.tool(), "report", "--json", "run.pit"], cwd=folder).stdout)
        self.assertFalse(report.get("places"))


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
