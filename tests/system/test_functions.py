"""libpitwall-functions.so: functions compiled with -finstrument-functions are spans, with their names
and exact counts, and programs run as before.

The library is built without sanitizers, like libpitwall-alloc: a library that is preloaded into any program
cannot have one. The unit test test_function_names runs its parts under sanitizers."""

import json
import os
import re
import shutil

import pit_case

SOURCES = os.path.join(pit_case.source_dir(), "tests", "system", "functions")
START = {"before_main": 1, "before_main/leaf": 1}  # of every run of called.c
FLAGS = ["-g", "-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/"]


def source(name):
    return os.path.join(SOURCES, name)


def library():
    return os.path.join(pit_case.build_dir(), "lib", "libpitwall-functions.so")


class Functions(pit_case.Case):
    def compiled(self, compiler, name, *options, output="program"):
        folder = getattr(self, "made", None) or self.folder()
        self.made = folder
        result = os.path.join(folder, output)
        self.run_ok([compiler, source(name), *options, "-o", result], timeout=120)
        return result

    def program(self, *options, compiler="gcc"):
        flags = FLAGS if compiler == "gcc" else FLAGS[:2]
        shared = self.compiled(compiler, "shared.c", *flags, *options, "-shared", "-fPIC",
                               output="libshared.so")
        return self.compiled(compiler, "called.c", *flags, *options, shared, "-pthread",
                             "-Wl,-rpath,$ORIGIN")

    def recorded(self, program, *arguments, run="run.pit", folder=None):
        """Check that the output is that of the unmodified program; return the folder with its runs."""
        folder = folder or self.folder()
        plain = self.run_ok([program, *arguments], cwd=folder)
        done = self.run_ok([pit_case.tool(), "run", "-o", run, "--", program, *arguments],
                           cwd=folder)
        self.assertEqual((done.stdout, done.stderr), (plain.stdout, plain.stderr))
        return folder

    def report(self, folder, run="run.pit"):
        done = self.run_ok([pit_case.tool(), "report", "--json", run], cwd=folder)
        return json.loads(done.stdout)

    def counts(self, program, *arguments):
        found = self.report(self.recorded(program, *arguments))
        self.losses = {key: n for key, n in found["runs"][0]["losses"].items() if n}
        return {node["path"]: node["count"] for node in found["nodes"] if node["count"]}


class Calls(Functions):
    def test_names_and_counts_are_exact_at_every_optimisation(self):
        wanted = {**START, "calls": 1, "calls/branch": 10, "calls/branch/leaf": 20,
                  "calls/expanded": 10, "calls/expanded/leaf": 10, "calls/shared_work": 1,
                  "calls/shared_work/private_work": 5}
        for options in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-O2", "-no-pie"]):
            with self.subTest(options=options):
                self.assertEqual(self.counts(self.program(*options), "calls"), wanted)
                self.assertEqual(self.losses, {})

    def test_a_function_expanded_between_calls_with_arguments_on_the_stack(self):
        wanted = {**START, "many_arguments": 1, "many_arguments/expanding": 10,
                  "many_arguments/expanding/with_many": 30,
                  "many_arguments/expanding/expanded": 30,
                  "many_arguments/expanding/expanded/leaf": 30}
        for option in ("-O0", "-O1", "-O2", "-O3"):
            with self.subTest(option):
                self.assertEqual(self.counts(self.program(option), "many_arguments"), wanted)
                self.assertEqual(self.losses, {})

    def test_clang(self):
        found = self.counts(self.program("-O1", compiler="clang"), "calls")
        self.assertEqual(found["calls/branch/leaf"], 20)
        self.assertEqual(found["calls/shared_work/private_work"], 5)

    def test_a_stripped_program_shows_module_and_offset(self):
        program = self.program("-O1")
        symbols = self.run_ok(["nm", program]).stdout
        address = {m[1]: int(m[0], 16) for m in re.findall(r"^(\w+) \w (\w+)$", symbols, re.M)}
        self.run_ok(["strip", program])
        found = self.counts(program, "calls")
        branch = "program+0x%x" % address["branch"]
        leaf = "program+0x%x" % address["leaf"]
        self.assertEqual(found["program+0x%x/%s/%s" % (address["calls"], branch, leaf)], 20)
        self.assertEqual(found["program+0x%x/shared_work" % address["calls"]], 1)

    def test_functions_that_are_called_back_and_before_and_after_main(self):
        found = self.counts(self.program("-O1"), "called_back")
        compared = found.pop("called_back/compare")
        self.assertTrue(2 <= compared <= 3, compared)
        self.assertEqual(found, {**START, "called_back": 1, "after_main": 1,
                                 "after_main/leaf": 1})


class Leaving(Functions):
    def test_calls_left_by_longjmp_have_no_time_and_nothing_hangs_under_them(self):
        for options in ("-O0", "-O1", "-O2", "-O3"):
            with self.subTest(options=options):
                found = self.counts(self.program(options), "jumps")
                self.assertEqual(found, {**START, "jumps": 1, "jumps/catcher": 20,
                                         "jumps/catcher/leaf": 20})
                self.assertGreaterEqual(self.losses["abandoned"], 20)

    def test_a_loop_of_longjmps_ends_well(self):
        found = self.counts(self.program("-O1"), "jumps_in_a_loop")
        self.assertEqual(found, {**START, "jumps_in_a_loop": 1, "jumps_in_a_loop/leaf": 1})

    def test_exceptions(self):
        wanted = {"main": 1, "main/net::Layer<>::Layer": 1, "main/net::Layer<>::~Layer": 1,
                  "main/net::Layer<>::operator()": 12,
                  "main/net::Layer<>::operator()/net::Layer<>::forward": 12,
                  "main/net::guarded": 12, "main/net::guarded/net::(anonymous)::hidden": 3,
                  "main/main::lambda": 2}
        for compiler, checked in (("g++", 12), ("clang++", 9)):  # clang has no exit for an exception
            with self.subTest(compiler=compiler):
                program = self.compiled(compiler, "classes.cpp", *FLAGS[:2], "-O1", "-std=c++17",
                                        *(FLAGS[2:] if compiler == "g++" else []))
                self.assertEqual(self.counts(program),
                                 dict(wanted, **{"main/net::guarded/net::checked": checked}))

    def test_recursion_past_every_limit(self):
        found = self.counts(self.program("-O1"), "recursion")
        self.assertEqual(found["recursion"], 1)
        self.assertEqual(found["recursion/leaf"], 1)
        self.assertEqual(found["recursion" + "/deep" * 11], 2)
        self.assertEqual(found["recursion" + "/deep" * 12], 1)
        self.assertEqual(found["recursion/even/odd/even/odd"], 1)
        self.assertGreater(self.losses["too_deep"], 0)


class Processes(Functions):
    def test_threads_that_come_and_go(self):
        found = self.counts(self.program("-O2"), "threads")
        self.assertEqual(found, {**START, "threads": 1, "on_thread": 24,
                                 "on_thread/branch": 24000, "on_thread/branch/leaf": 48000})
        self.assertEqual(self.losses, {})

    def test_signal_handlers_on_stacks_of_their_own(self):
        found = self.counts(self.program("-O1"), "handlers")
        self.assertEqual(found, {**START, "handlers": 1, "handlers/interrupted": 10,
                                 "handlers/interrupted/leaf": 10,
                                 "handlers/interrupted/in_handler": 10,
                                 "handlers/interrupted/in_handler/leaf": 10})

    def test_signals_at_any_moment_leave_the_counts_right(self):
        found = self.counts(self.program("-O2"), "many_signals")
        self.assertEqual(found["many_signals"], 1)
        self.assertEqual(found["many_signals/branch"], 200000)
        self.assertEqual(found["many_signals/branch/leaf"], 400000)
        self.assertTrue([path for path in found if path.endswith("in_handler")])

    def test_forked_children_have_runs_of_their_own(self):
        folder = self.recorded(self.program("-O1"), "forks")
        runs = sorted(name for name in os.listdir(folder) if name.endswith(".pit"))
        self.assertEqual(len(runs), 3)
        found = [{node["path"]: node["count"] for node in self.report(folder, run)["nodes"]
                  if node["count"]} for run in runs]
        self.assertIn({**START, "forks": 1, "forks/leaf": 1}, found)
        self.assertEqual(found.count({"branch": 1, "branch/leaf": 2}), 2)

    def test_a_program_without_instrumented_functions_loads_nothing(self):
        done = self.run_ok([pit_case.tool(), "run", "--", "cat", "/proc/self/maps"])
        self.assertIn("libpitwall-functions.so", done.stdout)
        self.assertNotIn("libpitwall.so", done.stdout)


class Recorders(Functions):
    """One recorder per process, however the program got it."""

    PROGRAM = r"""
#include <pitwall.h>
#include <stdlib.h>
static void inner(void) { PIT_SPAN("by hand") { } }
int main(int argc, char **argv)
{
    volatile char *block = malloc(8);
    block[8 * argc - 8] = argv[0][0];
    PIT_SPAN("outer") inner();
    free((void *)block);
    return 0;
}
"""

    def linked(self, *options):
        folder = self.folder()
        text = os.path.join(folder, "linked.c")
        with open(text, "w", encoding="utf-8") as file:
            file.write(self.PROGRAM)
        result = os.path.join(folder, "linked")
        self.run_ok(["gcc", "-O1", "-finstrument-functions", "-I",
                     os.path.join(pit_case.source_dir(), "include"), text, *options, "-lm",
                     "-pthread", "-o", result])
        return result

    def test_a_program_with_the_shared_library(self):
        lib = os.path.dirname(pit_case.library("so"))
        program = self.linked("-L" + lib, "-Wl,-rpath," + lib, "-lpitwall")
        self.assert_one_tree(program)

    def test_a_program_with_the_static_library(self):
        self.assert_one_tree(self.linked(pit_case.library("a")))

    def assert_one_tree(self, program):
        folder = self.recorded(program)
        self.assertEqual([n for n in os.listdir(folder) if n.endswith(".pit")], ["run.pit"])
        found = {n["path"]: n["count"] for n in self.report(folder)["nodes"] if n["count"]}
        self.assertEqual(found["main/outer/inner/by hand"], 1)

    def test_a_stripped_program_with_the_static_library_has_two_runs(self):
        program = self.linked(pit_case.library("a"))
        self.run_ok(["strip", program])
        folder = self.recorded(program)
        runs = [n for n in os.listdir(folder) if n.endswith(".pit")]
        self.assertEqual(sorted(runs), ["run-2.pit", "run.pit"])

    def test_an_address_sanitizer_starts_and_still_finds(self):
        program = self.linked("-fsanitize=address", pit_case.library("a"))
        self.recorded(program)
        done = pit_case.run([pit_case.tool(), "run", "--", program, "over"], cwd=self.folder())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("heap-buffer-overflow", done.stderr)


class Library(Functions):
    def test_it_exports_the_two_hooks_and_needs_libc_alone(self):
        lines = self.run_ok(["nm", "-D", "--defined-only", library()]).stdout.splitlines()
        self.assertEqual({line.split()[2] for line in lines},
                         {"__cyg_profile_func_enter", "__cyg_profile_func_exit"})
        text = self.run_ok(["readelf", "-dW", library()]).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
        self.assertEqual([n for n in needed if not re.match(r"lib(c|dl|pthread)\.so|ld-linux", n)],
                         [])

    def test_an_installed_tool_finds_what_it_needs(self):
        program, prefix, folder = self.program("-O1"), self.folder(), self.folder()
        self.run_ok(["cmake", "--install", pit_case.build_dir(), "--prefix", prefix])
        tool = os.path.join(prefix, "bin", "pitwall")
        self.run_ok([tool, "run", "-o", "run.pit", "--", program, "calls"], cwd=folder)
        names = {node["path"] for node in self.report(folder)["nodes"]}
        self.assertIn("calls/shared_work/private_work", names)
        done = self.run_ok([tool, "run", "--", "printenv", "PYTHONPATH", "LD_PRELOAD"])
        python, preload = done.stdout.splitlines()
        self.assertTrue(os.path.isfile(os.path.join(python, "sitecustomize.py")), python)
        self.assertTrue(os.path.realpath(preload).startswith(os.path.realpath(prefix)), preload)

    def test_a_tool_without_its_files_says_so_and_runs_the_program(self):
        folder = self.folder()
        tool = os.path.join(folder, "pitwall")
        shutil.copy(pit_case.tool(), tool)
        done = self.run_ok([tool, "run", "--", "echo", "it runs"], cwd=folder)
        self.assertEqual(done.stdout, "it runs\n")
        self.assertEqual(done.stderr, (
            "pitwall: no hooks for Python: %s: they are not next to the tool\n"
            "pitwall: no spans of C functions: libpitwall-functions.so: %s: not next to the tool\n"
            % (folder, folder)))

    def test_a_folder_with_a_blank_is_a_matter_of_c_programs_alone(self):
        prefix = os.path.join(self.folder(), "with a blank")
        self.run_ok(["cmake", "--install", pit_case.build_dir(), "--prefix", prefix])
        run = [os.path.join(prefix, "bin", "pitwall"), "run", "--quiet", "--"]
        self.assertEqual(self.run_ok([*run, "/usr/bin/python3", "-c", "pass"], cwd=self.folder()).stderr, "")
        done = self.run_ok([*run, "true"], cwd=self.folder())
        self.assertRegex(done.stderr, r"^pitwall: no spans of C functions: .* a colon or a blank\n$")

    def test_the_environment_keeps_what_it_had(self):
        env = pit_case.clean_env(PYTHONPATH="/mine", LD_PRELOAD="libc.so.6", ASAN_OPTIONS="a=1")
        inner = [pit_case.tool(), "run", "--", "printenv", "PYTHONPATH", "LD_PRELOAD",
                 "ASAN_OPTIONS"]
        done = self.run_ok([pit_case.tool(), "run", "--", *inner], env=env)
        python, preload, asan = done.stdout.splitlines()
        self.assertRegex(python, r"^/[^:]+/auto:/mine$")
        self.assertRegex(preload, r"^libc\.so\.6:/[^:]+/libpitwall-functions\.so$")
        self.assertEqual(asan, "verify_asan_link_order=0:a=1")

    def test_no_auto_leaves_it_out(self):
        done = self.run_ok([pit_case.tool(), "run", "--no-auto", "--", "cat", "/proc/self/maps"])
        self.assertNotIn("libpitwall-functions", done.stdout)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
