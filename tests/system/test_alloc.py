"""libpitwall-alloc.so, preloaded: counts and leaks are exact, and programs run as before.

The library is built without sanitizers in every build, because it cannot be preloaded into a program
that has one: a sanitizer has its own malloc, which must be loaded first. In a sanitizer build the
programs of this test are compiled plainly, and the library's counters and leak set run under the
sanitizer in the unit test test_leak_set, which is run from here too.
"""

import os
import re
import subprocess

import pit_case

SYSTEM = os.path.join(pit_case.source_dir(), "tests", "system")

# A library to be loaded, which allocates.
LOADED = r"""
#include <malloc.h>
#include <stdlib.h>
static void *blocks[1000];
static int count;
void take_blocks(int n, long long *bytes)
{
    for (count = 0; count < n; count++) {
        blocks[count] = count % 2 ? malloc(40 + count) : calloc(3, 10 + count);
        *bytes += (long long)malloc_usable_size(blocks[count]);
    }
}
void give_blocks(void)
{
    while (count)
        free(blocks[--count]);
}
"""

# A dlsym that allocates, as some have done; preloaded after the library. The look-up of the next
# function starts after the caller, so the real dlsym may not be called in the tail position.
EARLY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
static char *first, *zeroed, *grown, *aligned, *last;
static int calls;
void *dlsym(void *handle, const char *name)
{
    static void *(*real)(void *, const char *);
    if (!real)
        real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real)
        real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    void *passing = malloc(1000);
    if (handle == RTLD_NEXT && calls++ == 0) {
        strcpy(first = malloc(100), "the first block");
        zeroed = calloc(10, 10);
        strcpy(grown = malloc(10), "grown");
        grown = realloc(grown, 3000);
        if (posix_memalign((void **)&aligned, 512, 100))
            abort();
        last = memalign(64, 100);
        free(aligned_alloc(64, 64));
    }
    void *found = real(handle, name);
    free(passing);
    return found;
}
int early_blocks_are_good(void)
{
    int good = calls >= 1 && strcmp(first, "the first block") == 0 && strcmp(grown, "grown") == 0;
    good = good && (unsigned long)aligned % 512 == 0 && (unsigned long)last % 64 == 0;
    for (int i = 0; i < 100; i++)
        good = good && zeroed[i] == 0;
    first = realloc(first, 100000);
    good = good && strcmp(first, "the first block") == 0;
    free(first);
    free(zeroed);
    free(grown);
    free(aligned);
    free(last);
    return good;
}
"""

PYTHON = """
import json, subprocess, threading, zlib
data = [{"n": i, "s": "x" * (i % 300)} for i in range(3000)]
text = json.dumps(data)
packed = zlib.compress(text.encode() * 20)
sums = []
def work(k):
    sums.append(sum(len(str(i * k)) for i in range(20000)) + len(zlib.decompress(packed)))
threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(sorted(sums), len(packed), subprocess.check_output(["echo", "child"]))
raise SystemExit(7)
"""

BASH = r"""
declare -A seen
for i in $(seq 1 2000); do seen[$((i % 97))]+="$i "; done
echo "${#seen[@]}" "${seen[5]}" | tr ' ' '\n' | sort -rn | head -n 3
( : ) & wait; x=$(printf '%050d' 7); echo "$x"; exit 3
"""


def library():
    return os.path.join(pit_case.build_dir(), "lib", "libpitwall-alloc.so")


def preloaded(*more, **settings):
    return pit_case.clean_env(LD_PRELOAD=":".join([library(), *more]), **settings)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Alloc(pit_case.Case):
    def compiled(self, compiler, source, *options):
        """A program or library compiled plainly; its path."""
        result = os.path.join(self.folder(), "compiled")
        self.run_ok([compiler, "-O2", "-g", "-I", os.path.join(pit_case.source_dir(), "src"),
                     source, *options, "-o", result], timeout=120)
        return result

    def compiled_text(self, text, *options):
        return self.compiled("gcc", write(os.path.join(self.folder(), "source.c"), text),
                             "-shared", "-fPIC", "-Wall", "-Werror", *options)

    def program(self, name):
        """The build's own program or, where that has a sanitizer, one without."""
        if not pit_case.sanitizer():
            return pit_case.program(name)
        return self.compiled("gcc", os.path.join(SYSTEM, name + ".c"), "-std=gnu11", "-pthread",
                             "-ldl")

    def check_case(self, program, *arguments, env=None):
        done = self.run_ok([program, *arguments], env=env or preloaded())
        self.assertEqual((done.stdout, done.stderr), ("good\n", ""))


class Counts(Alloc):
    def test_counts_are_exact(self):
        program = self.program("prog_alloc")
        for case in ("each_function", "failing", "reallocating", "peak", "threads", "forks"):
            with self.subTest(case=case):
                self.check_case(program, case)

    def test_a_program_without_the_library_says_so(self):
        self.run_status(3, [self.program("prog_alloc"), "each_function"])

    def test_a_loaded_library_is_counted(self):
        self.check_case(self.program("prog_alloc"), "loaded", self.compiled_text(LOADED))

    def test_a_dlsym_that_allocates_is_served(self):
        early = self.compiled_text(EARLY, "-fno-builtin")
        self.check_case(self.program("prog_alloc"), "early", env=preloaded(early))

    def test_new_and_delete_are_counted_on_8_threads(self):
        source = os.path.join(SYSTEM, "prog_alloc_cpp.cpp")
        for option in ("-shared-libgcc", "-static-libstdc++"):
            with self.subTest(option=option):
                program = self.compiled("g++", source, "-std=c++17", "-pthread", option, "-ldl")
                plain = self.run_ok([program])
                counted = self.run_ok([program, "counted"], env=preloaded())
                self.assertEqual((counted.stdout, counted.stderr), (plain.stdout, plain.stderr))
                self.assertRegex(plain.stdout, r"^(\d+\n){8}throws\n$")


class Leaks(Alloc):
    def test_leaks_are_exact(self):
        program = self.program("prog_alloc_leaks")
        for case in ("one_level", "nested", "each_function", "other_thread", "crowded", "forks",
                     "bare_clone", "no_memory"):
            with self.subTest(case=case):
                self.check_case(program, case)

    def test_the_parts_run_clean_without_the_hooks(self):
        """In a sanitizer build this is what the sanitizer sees of the library."""
        done = self.run_ok([pit_case.program("test_leak_set")])
        self.assertRegex(done.stdout, r"^\d\d+ passed, 0 failed\n$")
        symbols = self.run_ok(["nm", pit_case.program("test_leak_set")]).stdout
        runtime = {"": None, "address": "__asan_init", "thread": "__tsan_init"}
        wanted = runtime[pit_case.sanitizer()]
        self.assertTrue(wanted is None or wanted in symbols, wanted)


class Programs(Alloc):
    """Programs that do not use Pitwall: same output, same status. The same stderr also shows that
    the library was loaded: the loader complains about a library that it cannot preload."""

    def assert_same(self, command, plain_status=0, cwd=None, **settings):
        options = {"cwd": cwd or self.folder(), "timeout": 120}
        plain = self.run_status(plain_status, command, env=pit_case.clean_env(**settings),
                                **options)
        with_it = pit_case.run(command, env=preloaded(**settings), **options)
        self.assertEqual((with_it.returncode, with_it.stdout, with_it.stderr),
                         (plain.returncode, plain.stdout, plain.stderr))
        return plain

    def test_the_library_is_in_what_is_started(self):
        done = self.run_ok(["cat", "/proc/self/maps"], env=preloaded())
        self.assertIn(os.path.realpath(library()), done.stdout)

    def test_python(self):
        for allocator in ("pymalloc", "malloc"):
            with self.subTest(allocator=allocator):
                done = self.assert_same(["/usr/bin/python3", "-c", PYTHON], 7, PYTHONHASHSEED="0",
                                        PYTHONMALLOC=allocator)
                self.assertIn("child", done.stdout)

    def test_sort(self):
        path = os.path.join(self.folder(), "lines")
        write(path, "".join("%d line %d\n" % (i * 7919 % 100003, i) for i in range(100000)))
        done = self.assert_same(["sort", "--parallel=4", "-S", "1M", "-n", path])
        self.assertEqual(done.stdout.count("\n"), 100000)

    def test_git(self):
        top = self.folder()
        settings = {"HOME": top, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A",
                    "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
                    "GIT_COMMITTER_EMAIL": "a@example.org"}
        self.run_ok(["git", "init", "-q", top], env=preloaded(**settings))
        for i in range(5):
            for name in range(20):
                write(os.path.join(top, "file%d" % name), "%d\n" % (i * name) * 100)
            for command in (["add", "-A"], ["commit", "-q", "-m", "change %d" % i]):
                self.run_ok(["git", *command], cwd=top, env=preloaded(**settings))
        write(os.path.join(top, "new"), "new\n")
        done = self.assert_same(["git", "log", "--stat", "-p"], cwd=top, **settings)
        self.assertEqual(done.stdout.count("\ncommit "), 4)
        self.assertIn("new", self.assert_same(["git", "status"], cwd=top, **settings).stdout)
        self.assert_same(["git", "fsck", "--full"], cwd=top, **settings)
        self.assert_same(["git", "log", "no-such-branch"], 128, cwd=top, **settings)

    def test_gcc(self):
        folder = self.folder()
        source = os.path.join(pit_case.source_dir(), "src", "alloc", "leak_set.c")
        command = ["gcc", "-std=gnu11", "-O2", "-c", "-I",
                   os.path.join(pit_case.source_dir(), "src"), source, "-o", "out.o"]
        outputs = []
        for env in (pit_case.clean_env(), preloaded()):
            self.run_ok(command, cwd=folder, env=env, timeout=120)
            with open(os.path.join(folder, "out.o"), "rb") as file:
                outputs.append(file.read())
        self.assertEqual(outputs[0], outputs[1])
        write(os.path.join(folder, "bad.c"), "int main(void) { return nothing; }\n")
        self.assertIn("nothing", self.assert_same(["gcc", "-c", "bad.c"], 1, cwd=folder).stderr)

    def test_small_tools(self):
        files = self.folder()  # of its own: the tree may change meanwhile
        for i in range(300):
            os.makedirs(os.path.join(files, "folder %d" % (i % 17)), exist_ok=True)
            write(os.path.join(files, "folder %d" % (i % 17), "file %d" % i), "x" * i)
        self.assertIn("file 299", self.assert_same(["ls", "-laR", files]).stdout)
        self.assert_same(["ls", "/nowhere"], 2)
        self.assertIn("1945", self.assert_same(["bash", "-c", BASH], 3).stdout)

    def test_a_program_that_is_killed_by_a_signal(self):
        self.assert_same(["bash", "-c", "kill -SEGV $$"], -11)


class Library(Alloc):
    def exported(self, path):
        lines = self.run_ok(["nm", "-D", "--defined-only", path]).stdout.splitlines()
        return {line.split()[2] for line in lines}

    def test_it_exports_its_functions_and_nothing_else(self):
        self.assertEqual(self.exported(library()), {
            "malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "memalign",
            "valloc", "pvalloc", "reallocarray", "pit__alloc_library"})

    def test_it_needs_libc_alone_and_has_its_counters_in_static_tls(self):
        text = self.run_ok(["readelf", "-dW", library()]).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
        libc = re.compile(r"lib(c|dl|pthread)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+")
        self.assertEqual([name for name in needed if not libc.fullmatch(name)], [])
        self.assertIn("STATIC_TLS", text)
        self.assertNotIn("__tls_get_addr", self.run_ok(["nm", "-D", library()]).stdout)

    def test_it_is_no_part_of_the_library(self):
        for kind in ("so", "a"):
            names = subprocess.run(["nm", "--defined-only", pit_case.library(kind)], check=True,
                                   capture_output=True, text=True).stdout
            self.assertNotRegex(names, r" [TW] (malloc|free|pit__alloc_library|pit__leaks_begin)\n")


class BelowRun(pit_case.Case):
    """pitwall run --alloc preloads the library."""

    def launch(self, *command, **more):
        return self.run_ok([pit_case.tool(), "run", "--alloc", "--no-auto", "--", *command],
                           cwd=self.folder(), **more)

    def test_the_library_is_in_the_program(self):
        done = self.launch("grep", "-c", "libpitwall-alloc", "/proc/self/maps")
        self.assertGreater(int(done.stdout), 0)

    def test_what_is_preloaded_already_stays_first(self):
        done = self.launch("sh", "-c", "echo $LD_PRELOAD",
                           env=pit_case.clean_env(LD_PRELOAD="/other.so"))
        self.assertRegex(done.stdout, r"^/other\.so:/.*/libpitwall-alloc\.so\n$")


if __name__ == "__main__":
    pit_case.main()
