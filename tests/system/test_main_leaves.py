"""A program whose main thread ends with pthread_exit: the process ends with its last thread, as without
Pitwall, and the run is closed."""

import json
import os

import pit_case

# A library with a span, and a program that loads it in a thread, which ends before or after the main thread.
PLUGIN = r"""
#include <pitwall.h>
int work(const char *run);
int work(const char *run)
{
    int code = pit_open(run, NULL);
    pit_end(pit_begin_name("early"));
    return code;
}
"""
LOADS = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char **words;
static void at_exit(void) { puts("at exit"); }
static void *loads(void *unused)
{
    void *plugin = dlopen(words[1], RTLD_NOW);
    int (*work)(const char *) = plugin ? dlsym(plugin, "work") : NULL;
    if (!work || work(words[2]) != 0)
        _Exit(66);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    words = argv;
    atexit(at_exit);
    if (argc != 4 || pthread_create(&thread, NULL, loads, NULL) != 0)
        return 71;
    if (argv[3][0] == 'j')
        pthread_join(thread, NULL);
    pthread_exit(NULL);
}
"""


class MainLeaves(pit_case.Case):
    def counts(self, run, command):
        """The counts in the run that the program leaves behind."""
        done = self.run_status(0, command)
        self.assertEqual(done.stdout, "at exit\n")
        (told,) = json.loads(self.run_ok([pit_case.tool(), "list", "--json", os.path.dirname(run)]).stdout)["runs"]
        self.assertEqual(told["state"], "done", told)
        got = json.loads(self.run_ok([pit_case.tool(), "report", "--json", run]).stdout)
        return {node["name"]: node["count"] for node in got["nodes"]}

    def compiled(self, text, *options):
        source, result = (os.path.join(self.folder(), name) for name in ("source.c", "result"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        self.run_ok(["gcc", "-O1", "-Wall", "-Werror", source, *options, "-o", result])
        return result

    def leave(self, recorders, way, before=()):
        run = os.path.join(self.folder(), "run.pit")
        return self.counts(run, [*before, pit_case.program("prog_main_leaves"), run, str(recorders), way])

    def test_nothing_but_the_sampler_is_left(self):
        self.assertEqual(self.leave(1, "none"), {"early": 1})

    def test_several_recorders(self):
        self.assertEqual(self.leave(3, "none"), {"early": 1})

    def test_another_thread_goes_on(self):
        self.assertEqual(self.leave(1, "thread"), {"early": 1, "late": 10})

    def test_another_thread_has_opened_the_run_and_has_ended(self):
        self.assertEqual(self.leave(1, "other-opens"), {"early": 1})

    def test_another_thread_has_opened_the_run_and_goes_on(self):
        self.assertEqual(self.leave(2, "other-goes-on"), {"early": 1, "late": 10})

    def test_the_main_thread_records_in_a_run_that_another_has_opened(self):
        self.assertEqual(self.leave(1, "main-records"), {"early": 1, "main": 1})

    def test_a_run_is_opened_when_the_main_thread_has_ended(self):
        self.assertEqual(self.leave(1, "late"), {"early": 1})

    def test_a_forked_child_whose_main_thread_never_records(self):
        self.assertEqual(self.leave(1, "forked"), {"early": 1})

    @pit_case.plain_build  # a sanitizer reads /proc as it starts
    def test_without_proc(self):
        """Nothing tells which threads are left."""
        if os.geteuid() != 0:
            self.skipTest("mounting needs root")
        hidden = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        for way in ("none", "other-opens", "main-records"):
            self.assertEqual(self.leave(2, way, hidden)["early"], 1, way)

    @pit_case.plain_build  # the runtime of a sanitizer must be loaded first
    def test_a_thread_loads_the_library(self):
        plugin = self.compiled(PLUGIN, "-shared", "-fPIC", "-I", os.path.join(pit_case.source_dir(), "include"),
                               pit_case.library(), "-Wl,-rpath," + os.path.dirname(pit_case.library()))
        program = self.compiled(LOADS, "-pthread", "-ldl")
        for way in ("joined", "goes-on"):
            run = os.path.join(self.folder(), "run.pit")
            self.assertEqual(self.counts(run, [program, plugin, run, way]), {"early": 1}, way)


if __name__ == "__main__":
    # A program with the thread sanitizer never ends when its main thread ends with pthread_exit, with Pitwall or
    # without: the sanitizer's own thread keeps it.
    pit_case.main(thread_sanitizer=False)
