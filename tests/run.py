#!/usr/bin/env python3
"""What `make test` runs: every stage, or those named as arguments.

    unit      gcc build, tests/unit
    layers    include rules, file sizes, exported symbols
    system    tests/system and tests/cli, on that build
    python    tests/python, on that build
    asan      unit, system and python under the address and undefined-behaviour sanitizers
    tsan      unit and system under the thread sanitizer
    clang     clang build with warnings as errors, tests/unit; other files are checked for warnings
    aarch64   cross build for ARM with warnings as errors, tests/unit under qemu
    musl      static build with musl, tests/unit and tests/musl
    fuzz      every fuzzer of tests/fuzz for FUZZ_SECONDS (15; 60 with PITWALL_TEST_ALL)

The programs of all stages run in parallel, while the next stage is built. Every program ends with the line
`N passed, N failed`; the numbers are added up. A program that crashes, hangs (TEST_TIMEOUT: 300 s, 1800 with
PITWALL_TEST_ALL) or tests nothing is a failure, and so is a file that a program left in the source tree. The
output of a program is in build/test-logs/ and is shown at once if it failed. The last line is the sum.

With PITWALL_TEST_ALL=1 (`make test-all`) statistical tests use all data, not a sample.
"""

import glob
import os
import re
import subprocess
import sys

import run_jobs
import surroundings

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = "/usr/bin/python3"
# Builds take half of the processor time. Sanitizers make the compiler slow; -O1, which their manuals
# recommend, and -g1 halve that. Recorder, reader, model and analysis are optimised in every build, because
# the tests must see their real order of stores. Code that prints is optimised in the first build only; the tests
# are there too, but -O2 would take twice as long.
QUICK_TESTS = "-DPITWALL_TEST_FLAGS=-O0"
QUICK_PRINT = "-DPITWALL_PRINT_FLAGS=-O0"
# gold, which comes with binutils, links in half the time. The first build is linked like that of a user; that for
# ARM too, because gold of binutils 2.40 ends there with an internal error, depending on the addresses.
QUICK_LINK = "-DCMAKE_EXE_LINKER_FLAGS_RELWITHDEBINFO=-fuse-ld=gold"
# Debug information takes a tenth of the first build's time; -g1, without variables, leaves the code the same.
FIRST_FLAGS = ["-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG", "-DPITWALL_TEST_FLAGS=-O1;-g1"]
# Looking for warnings takes time. They are errors in the builds with clang and for ARM.
NO_WARNINGS = "-DPITWALL_WARNINGS=OFF"
SANITIZED = ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1", QUICK_TESTS,
             QUICK_PRINT, QUICK_LINK, NO_WARNINGS]
# The fuzzers read files; they record nothing but their first inputs.
QUICK_RECORDER = "-DPITWALL_QUICK_FOLDERS=recorder;device"
UNIT_FLAGS = ["-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG", QUICK_TESTS]
SANITIZER_ENV = {
    "address": {
        "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    },
    "thread": {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:die_after_fork=0"},
}
# A unit test whose text matches THREADS may start threads: the recorder does, and so does code that opens
# runs. Those in NO_THREADS match but start none.
NO_THREADS = {"test_code_names", "test_compare", "test_fields", "test_held_file", "test_launcher",
              "test_list_view", "test_log_read", "test_native_event", "test_race_engine",
              "test_rapl_domains", "test_run_energy", "test_run_format", "test_run_tree",
              "test_slices", "test_wait_kind"}
THREADS = re.compile(r"pthread|pitwall|recorder/|monitor|model/ranks|made_run|moved_clock|probe")


def unit_tests(folder, launcher=(), env=None, names=None):
    """One program for each tests/unit/test_*.c, or for each of these names."""
    for name in names or unit_names():
        yield run_jobs.Program(name, [*launcher, os.path.join(folder, "tests", name)], env or {})


def first_unit_tests(folder):
    """Those of the first build. test_docs_run.py runs the races of docs/statistics.md there once more and
    compares every rate: here they are made a few times, unless all tests are."""
    few = {"PITWALL_FEW_RACES": "1"} if os.environ.get("PITWALL_TEST_ALL") != "1" else {}
    races = {"test_race_engine"}
    yield from unit_tests(folder, names=sorted(set(unit_names()) - races))
    yield from unit_tests(folder, env=few, names=sorted(races))


def unit_names():
    """Of all unit tests."""
    return sorted(os.path.splitext(os.path.basename(source))[0]
                  for source in glob.glob(os.path.join(TREE, "tests/unit/test_*.c")))


def without_threads():
    """The unit tests of code that starts no thread: nothing for the thread sanitizer. tests/layers.py checks
    that each of them is without pthread_create."""
    for name in unit_names():
        with open(os.path.join(TREE, "tests/unit", name + ".c"), encoding="utf-8") as file:
            if name in NO_THREADS or not THREADS.search(file.read()):
                yield name


def unused_examples(sanitizer):
    """The programs of examples/ that no system test starts under this sanitizer."""
    used = set()
    for program in scripts("system", "", sanitizer):
        with open(program.command[-1], encoding="utf-8") as file:
            used.update(re.findall(r'example\("(\w+)"', file.read()))
    for source in sorted(glob.glob(os.path.join(TREE, "examples/*.c"))):
        name = os.path.splitext(os.path.basename(source))[0]
        if name not in used:
            yield name


def scripts(kind, folder, sanitizer="", launcher=(), plain=""):
    """One program per tests/<kind>/test_*.py that applies to this build. plain: a build without the
    sanitizer, for what starts no thread (pit_case.reader)."""
    env = {"PITWALL_BUILD": folder, "PITWALL_SANITIZER": sanitizer, "PITWALL_PLAIN_BUILD": plain,
           "PYTHONDONTWRITEBYTECODE": "1", **SANITIZER_ENV.get(sanitizer, {})}
    for path in sorted(glob.glob(os.path.join(TREE, "tests", kind, "test_*.py"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(path)
        if sanitizer and "plain_build_only=True" in text:
            continue
        if "test_all_only=True" in text and os.environ.get("PITWALL_TEST_ALL") != "1":
            continue
        if sanitizer == "thread" and re.search(
                "(has_threads|thread_sanitizer)=False", text):
            continue
        yield run_jobs.Program(name, [*launcher, PYTHON, path], env)
    if kind == "system":
        yield run_jobs.Program("tests/cli", [PYTHON, os.path.join(TREE, "tests/cli_cases.py")], env)


def fuzzers(build, folder, seconds):
    """Each fuzzer keeps its inputs in a corpus folder that grows from run to run; seeds are runs made by tests."""
    seeds = [path for path in (os.path.join(build, "fuzz-seeds"),
                               os.path.join(TREE, "tests/fuzz/seeds")) if os.path.isdir(path)]
    for source in sorted(glob.glob(os.path.join(TREE, "tests/fuzz/fuzz_*.c"))):
        name = os.path.splitext(os.path.basename(source))[0]
        corpus = os.path.join(folder, "corpus", name)
        os.makedirs(corpus, exist_ok=True)
        yield run_jobs.Program(name, [
            os.path.join(folder, "tests", name), "-max_total_time=%d" % seconds, "-timeout=60",
            "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=0",
            "-artifact_prefix=%s/" % os.path.join(build, "test-logs/fuzz"), corpus, *seeds],
            {}, counts_itself=False)


def address_programs(folder):
    """tests/python run only here: for the thread sanitizer the interpreter would have to be built with it."""
    yield from unit_tests(folder, env=dict(SANITIZER_ENV["address"], PITWALL_SANITIZER="address"))
    yield from scripts("system", folder, "address")
    yield from scripts("python", folder, "address")


def thread_programs(folder):
    """The thread sanitizer requires fixed addresses, so address randomisation is switched off."""
    works = subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False)
    launcher = ["setarch", "-R"] if works.returncode == 0 else []
    names = sorted(set(unit_names()) - set(without_threads()))
    yield from unit_tests(folder, launcher,
                          dict(SANITIZER_ENV["thread"], PITWALL_SANITIZER="thread"), names)
    yield from scripts("system", folder, "thread", launcher, os.path.dirname(folder))


def stages(build):
    """All stages, in the order of their builds."""
    first, plain = (run_jobs.Build(build, FIRST_FLAGS, targets)
                    for targets in (["unit_tests"], []))

    def layers(folder):
        yield run_jobs.Program("layers.py", [PYTHON, os.path.join(TREE, "tests/layers.py")],
                               {"PITWALL_BUILD": folder, "PYTHONDONTWRITEBYTECODE": "1"})

    def sanitized(name, flags, left_out):
        """Preloaded libraries are the same as in the first build, and are copied from it. Its tool reads the
        runs of the thread sanitizer's programs."""
        return run_jobs.Build(os.path.join(build, name), [
            *SANITIZED, "-DPITWALL_SANITIZE=" + flags, "-DPITWALL_PRELOADS_FROM=" + build,
            "-DPITWALL_LEAVE_OUT=" + ";".join(left_out)],
            before=run_jobs.Build(build, FIRST_FLAGS, ["preloads", "pitwall_tool", "prog_dump"]))

    def other(name, *arguments, targets=("unit_tests",)):
        return run_jobs.Build(os.path.join(build, name), [*UNIT_FLAGS, *arguments], targets)

    def toolchain(name):
        return ["--toolchain", os.path.join(TREE, "cmake", name)]

    def again(folder):
        """tests/unit again, without the statistics over thousands of races, which were tested on the first
        build."""
        return unit_tests(folder, env={"PITWALL_FEW_RACES": "1"})

    seconds = "60" if os.environ.get("PITWALL_TEST_ALL") == "1" else "15"
    emulator = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
    return [
        run_jobs.Stage("unit", first, first_unit_tests),
        run_jobs.Stage("layers", plain, layers),
        run_jobs.Stage("system", plain, lambda folder: scripts("system", folder)),
        run_jobs.Stage("python", plain, lambda folder: scripts("python", folder)),
        run_jobs.Stage("asan", sanitized("asan", "address,undefined", unused_examples("address")),
                       address_programs),
        run_jobs.Stage("tsan", sanitized("tsan", "thread", [*without_threads(), *unused_examples("thread")]),
                       thread_programs),
        run_jobs.Stage("clang", other("clang", "-DCMAKE_C_COMPILER=clang", "-DPITWALL_WERROR=ON",
                                      QUICK_PRINT, QUICK_LINK),
                       lambda folder: [*again(folder), *scripts("clang", folder)]),
        run_jobs.Stage("aarch64", other("aarch64", "-DPITWALL_WERROR=ON", QUICK_PRINT,
                                        *toolchain("aarch64-linux-gnu.cmake")),
                       lambda folder: unit_tests(folder, emulator, {"PITWALL_EMULATED": "1"})),
        # The compiler of the first build with another libc: its optimiser was tested there.
        run_jobs.Stage("musl", other("musl", QUICK_PRINT, QUICK_LINK, NO_WARNINGS, *toolchain("musl.cmake"),
                                     "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG"),
                       lambda folder: [*again(folder), *scripts("musl", folder)]),
        run_jobs.Stage("fuzz", other("fuzz", "-DCMAKE_C_COMPILER=clang", "-DPITWALL_FUZZ=ON",
                                     QUICK_PRINT, QUICK_RECORDER, QUICK_LINK, NO_WARNINGS,
                                     "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -DNDEBUG", targets=()),
                       lambda folder: fuzzers(build, folder, int(os.environ.get("FUZZ_SECONDS", seconds)))),
    ]


def main():
    """Select the stages and run them; the exit status tells whether everything passed."""
    build = os.path.abspath(os.path.join(TREE, os.environ.get("BUILD") or "build"))
    surroundings.make_known()
    known = stages(build)
    names = [stage.name for stage in known]
    wrong = [name for name in sys.argv[1:] if name not in names]
    if wrong:
        sys.exit("run.py: %s: unknown stage; use: %s" % (wrong[0], " ".join(names)))
    chosen = [stage for stage in known if stage.name in (sys.argv[1:] or names)]
    sys.exit(run_jobs.Runner(TREE, build, chosen).run())


if __name__ == "__main__":
    main()
