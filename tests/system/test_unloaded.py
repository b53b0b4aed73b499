"""A plugin with spans is loaded and unloaded, in the main thread and in another: the library stays in the
process, because its threads and the ends of the program's threads call into it."""

import json
import os

import pit_case

PLUGIN = r"""
#include <pitwall.h>
int work(const char *run);
int work(const char *run)
{
    int code = run ? pit_open(run, NULL) : 0;
    for (int i = 0; run && i < 100; i++)
        PIT_SPAN("outer") pit_end(pit_begin_with("inner", PIT_MEMORY));
    return code;
}
"""
PROGRAM = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *plugin, *run;
static void *use(void *unused)
{
    for (int i = 0; i < 3; i++) {
        void *loaded = dlopen(plugin, RTLD_NOW);
        int (*work)(const char *) = loaded ? dlsym(loaded, "work") : NULL;
        if (!work)
            _Exit(66);
        work(run);
        if (dlclose(loaded) != 0)
            _Exit(67);
    }
    usleep(250000); /* the sampler reads twice */
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    plugin = argv[1];
    run = strcmp(argv[2], "-") ? argv[2] : NULL;
    if (argc != 4 || pthread_create(&thread, NULL, use, NULL) != 0)
        return 71;
    pthread_join(thread, NULL);
    use(NULL);
    if (argv[3][0] == 'l')
        pthread_exit(NULL);
    return 0;
}
"""


class Unloaded(pit_case.Case):
    def compiled(self, text, *options):
        source, result = (os.path.join(self.folder(), name) for name in ("source.c", "result"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        self.run_ok(["gcc", "-O1", "-Wall", "-I", os.path.join(pit_case.source_dir(), "include"), source, *options,
                     "-pthread", "-ldl", "-lm", "-o", result])
        return result

    def test_a_plugin_is_unloaded(self):
        program, shared = self.compiled(PROGRAM), pit_case.library()
        for linked in ([shared, "-Wl,-rpath," + os.path.dirname(shared)], [pit_case.library("a")]):
            plugin = self.compiled(PLUGIN, "-shared", "-fPIC", *linked)
            for how in ("returns", "leaves"):
                run = os.path.join(self.folder(), "run.pit")
                self.run_ok([program, plugin, run, how])
                got = json.loads(self.run_ok([pit_case.tool(), "report", "--json", run]).stdout)
                self.assertEqual({node["name"]: node["count"] for node in got["nodes"]},
                                 {"outer": 600, "inner": 600}, (linked, how))
                self.assertEqual(os.listdir(os.path.dirname(run)), ["run.pit"])
                self.run_ok([program, plugin, "-", how])  # it never records


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)  # the runtime of a sanitizer must be loaded first
