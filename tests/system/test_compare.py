"""`pitwall compare` on runs of a real program, and on JSON of the programs people have."""

import csv
import glob
import io
import json
import os
import random
import re
import tempfile

import pit_case

PAIRS = 10
NASTY = 'a|b,"c"\n=<b>\x1b[31m`*é'
PYTHON = "/usr/bin/python3"


def make_run(path, steps, megabytes=0, name=None):
    command = [pit_case.program("prog_compare"), path, steps, megabytes] + ([name] if name else [])
    done = pit_case.run(command, env=pit_case.clean_env(PITWALL_CLOCK="monotonic"))
    if done.returncode != 0:
        raise AssertionError("prog_compare: %d: %s" % (done.returncode, done.stderr))


def make_sides(folder, sides, pairs=PAIRS):
    """Makes runs of the sides in turn, in random order; returns their folders."""
    coin = random.Random(7)
    for pair in range(pairs):
        order = list(sides)
        coin.shuffle(order)
        for name in order:
            os.makedirs(os.path.join(folder, name), exist_ok=True)
            make_run(os.path.join(folder, name, "%02d.pit" % pair), *sides[name])


class CompareCase(pit_case.Case):
    def compare(self, *arguments, status=0, **options):
        return self.run_status(status, [pit_case.tool(), "compare", *arguments], **options)

    def document(self, *arguments, status=0):
        """status None: with or without a verdict, as the machine allowed."""
        command = [pit_case.tool(), "compare", *arguments, "--json"]
        done = pit_case.run(command) if status is None else self.run_status(status, command)
        self.assertIn(done.returncode, (0, 2), done.stderr)
        return json.loads(done.stdout)

    def item(self, document, what, kind="time"):
        found = [c for c in document["comparisons"] if (c["what"], c["kind"]) == (what, kind)]
        self.assertEqual(len(found), 1, what)
        return found[0]


class Runs(CompareCase):
    """Two sides of a program whose clock moves by the work it does."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.place = tempfile.TemporaryDirectory(prefix="pitwall-test-")
        cls.addClassCleanup(cls.place.cleanup)
        make_sides(cls.place.name, {"old": (100000,), "slow": (200000,), "again": (100000,)})
        make_sides(cls.place.name, {"named": (1000, 0, NASTY), "large": (1000, 48, NASTY)}, 8)

    def side(self, name):
        return os.path.join(self.place.name, name)

    def test_slower_work_is_found_where_it_is(self):
        document = self.document(self.side("old"), self.side("slow"))
        forward = self.item(document, "epoch/batch/forward")
        self.assertEqual(forward["verdict"], "slower")
        self.assertAlmostEqual(forward["change"], 1.0, delta=0.02)
        self.assertEqual((forward["a_runs"], forward["b_runs"]), (PAIRS, PAIRS))
        self.assertEqual(self.item(document, "epoch/batch/backward")["verdict"], "same")
        self.assertFalse(document["advisory"], "the runs' start times show the coin")
        self.assertRegex(document["headline"], r"^B is \d+\.\d % slower \[\d+\.\d, \d+\.\d\] in "
                                               r"epoch/batch(/forward)? \(10 runs a side\)$")
        other = self.document(self.side("slow"), self.side("old"))
        self.assertRegex(other["headline"], r"^B is \d+\.\d % faster \[")

    def test_a_gate_gives_one_for_a_regression(self):
        for gate in ("slower:20%", "slower:50%@epoch/batch/forward",
                     "epoch/batch/forward:slower:50%", "slower:20%@*"):
            with self.subTest(gate=gate):
                done = self.compare(self.side("old"), self.side("slow"), "--fail-on", gate,
                                    status=1)
                self.assertRegex(done.stdout, r"gate %s: FAILED: (epoch|wall time)" % re.escape(gate))

    def test_a_gate_gives_nothing_where_all_is_well(self):
        gate = "slower:80%@epoch/batch/forward"
        done = self.compare(self.side("old"), self.side("again"), "--fail-on", gate)
        self.assertIn("gate %s: passed" % gate, done.stdout)
        self.compare(self.side("slow"), self.side("old"), "--fail-on", gate)

    def test_a_gate_that_could_not_look_has_not_passed(self):
        old, slow = self.side("old"), self.side("slow")
        for arguments in ((old, slow, "--fail-on", "slower:5%@nowhere"),
                          (old, slow, "--fail-on", "memory:5%@epoch"),
                          (old, slow, "--node", "nowhere", "--fail-on", "slower:5%"),
                          (old + "/00.pit", slow + "/00.pit", "--fail-on", "slower:5%"),
                          (old + "/00.pit", slow + "/00.pit")):
            with self.subTest(arguments=arguments):
                self.compare(*arguments, status=2)

    def test_one_failed_gate_among_several_is_a_failure(self):
        self.compare(self.side("old"), self.side("slow"), "--fail-on", "slower:500%",
                     "--fail-on", "slower:5%@nowhere", "--fail-on", "slower:20%", status=1)

    def test_runs_of_other_times_are_advisory_and_fail_only_if_trusted(self):
        early = ",".join(self.side("old") + "/%02d.pit" % i for i in range(5))
        late = ",".join(self.side("slow") + "/%02d.pit" % i for i in range(5, 10))
        gate = ("--fail-on", "slower:20%@epoch/batch/forward", "--node", "epoch/batch/forward")
        done = self.compare(early, late, *gate, status=2)
        self.assertIn("advisory: not interleaved", done.stdout)
        self.compare(early, late, *gate, "--trust", status=1)
        self.compare(early, late, *gate, "--interleaved", status=1)

    def test_one_run_a_side_is_indicative_and_fails_no_gate(self):
        sides = (self.side("old") + "/00.pit", self.side("slow") + "/00.pit")
        done = self.compare(*sides, "--fail-on", "slower:5%@epoch/batch/forward", "--trust", status=2)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "indicative: B is 100.0 % slower [100.0, 100.0] in "
                                   "epoch/batch/forward (60 blocks a side)")
        self.assertIn("indicative: one run a side; on one binary about 4 of 10 are wrong alarms", lines)
        self.assertRegex(done.stdout, r"gate slower:5%@epoch/batch/forward: no verdict")
        document = self.document(*sides, status=2)
        self.assertTrue(document["indicative"])
        self.assertTrue(self.item(document, "epoch/batch/forward")["is_indicative"])
        self.assertFalse(self.item(document, "wall time")["is_indicative"])
        same = self.document(sides[0], self.side("again") + "/00.pit", status=2)
        self.assertRegex(same["headline"], r"^indicative: B is the same within 2 %: ")

    def test_runs_made_in_any_turn_are_recognised_in_folders_and_by_wildcards(self):
        for name, order in (("abab", "ABABABAB"), ("abba", "ABBAABBA"), ("coin", "BAABBABA")):
            place = self.folder()
            for i, side in enumerate(order):
                os.makedirs(os.path.join(place, side), exist_ok=True)
                make_run(os.path.join(place, side, "%d.pit" % i), 1000)
            files = {side: sorted(glob.glob(os.path.join(place, side, "*.pit"))) for side in "AB"}
            for words in ((os.path.join(place, "A"), os.path.join(place, "B")),
                          (*files["A"], "vs", *files["B"])):
                with self.subTest(order=name, words=len(words)):
                    command = [pit_case.tool(), "compare", *words]
                    text = pit_case.run(command).stdout
                    self.assertIn("\ninterleaved: found by their start times\n", text)
                    self.assertNotIn("advisory", text)

    def test_a_b_and_change_are_of_one_estimator(self):
        document = self.document(self.side("old"), self.side("slow"))
        for item in document["comparisons"]:
            self.assertAlmostEqual(item["b"] / item["a"] - 1, item["change"], delta=1e-6)
        text = self.compare(self.side("old"), self.side("slow")).stdout
        self.assertRegex(text, r"\nA, B, change: p10 of the iterations; mean of the lowest third")

    def test_memory_counts_too(self):
        gate = ("--fail-on", "memory:100%")
        done = self.compare(self.side("named"), self.side("large"), *gate, status=1)
        self.assertRegex(done.stdout, r"\nB takes \d+\.\d % more memory\n")
        self.assertRegex(done.stdout, r"\n\d+ compared: .*, [1-9]\d* with more memory, \d+ without")
        peak = self.item(self.document(self.side("named"), self.side("large"), status=None),
                         "peak memory", "memory")
        self.assertEqual(peak["verdict"], "more")
        # The address sanitizer takes some, the thread sanitizer's shadow four times as much again.
        most = 60 << 20 if pit_case.sanitizer() != "thread" else 400 << 20
        self.assertTrue(36 << 20 < peak["b"] - peak["a"] < most, peak)
        self.compare(self.side("large"), self.side("named"), *gate)

    def test_folders_lists_and_words_name_the_same_runs(self):
        def runs(side):
            return sorted(os.path.join(self.side(side), n) for n in os.listdir(self.side(side)))
        ways = [(self.side("old"), self.side("slow")),
                (",".join(runs("old")), ",".join(runs("slow"))),
                (*runs("old"), "vs", *runs("slow"))]
        figures = []
        for way in ways:
            document = self.document(*way)
            figures.append((document["comparisons"], document["headline"]))
        self.assertEqual(figures[0], figures[1])
        self.assertEqual(figures[0], figures[2])

    def test_several_sides_are_ranked_against_the_first(self):
        document = self.document(self.side("old"), self.side("slow"), self.side("again"))
        self.assertEqual(len(document["ranking"]), 3)
        self.assertEqual({c["side"] for c in document["comparisons"]}, {"B", "C"})
        text = self.compare(self.side("old"), self.side("slow"), self.side("again")).stdout
        self.assertRegex(text, r"(?m)^\d\. B = .*slow, 10 runs: B is \d+\.\d % slower")

    def form(self, sides, form):
        """The output, with a verdict or without."""
        done = pit_case.run([pit_case.tool(), "compare", *sides, form],
                            env=pit_case.clean_env(LC_ALL="C.UTF-8"))
        self.assertIn(done.returncode, (0, 2), done.stderr)
        return done.stdout

    def test_names_of_any_kind_break_no_form(self):
        sides = (self.side("named"), self.side("large"))
        self.item(self.document(*sides, status=None), NASTY)
        lines = self.form(sides, "--width=0")
        self.assertIn('a|b,"c"\\n=<b>\\x1b[31m`*é', lines)
        self.assertNotIn("\x1b", lines)
        rows = list(csv.DictReader(io.StringIO(self.form(sides, "--csv"))))
        self.assertIn(NASTY, [row["what"] for row in rows])
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))
        table = [line for line in self.form(sides, "--markdown").splitlines()
                 if line.startswith("|")]
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
        self.assertEqual(len(cells), 1, table)
        gone = self.document(self.side("old"), self.side("named"), status=None)
        self.assertEqual(gone["only"], [{"what": NASTY, "kind": "time", "side": "B",
                                         "not_in": "A"}])

    def test_markdown_is_a_comment_with_the_answer_first(self):
        text = self.compare(self.side("old"), self.side("slow"), "--markdown", "--fail-on",
                            "slower:20%", status=1).stdout
        self.assertRegex(text, r"^\*\*B is \d+\.\d % slower .*\*\*\n\n")
        self.assertIn("\n- gate slower:20%: FAILED: ", text)
        self.assertIn("\n| where | A | B | change | interval | verdict |", text)

    def test_diff_is_the_same_command(self):
        arguments = [self.side("old"), self.side("slow")]
        self.assertEqual(self.run_ok([pit_case.tool(), "diff", *arguments]).stdout,
                         self.compare(*arguments).stdout)

    def test_a_larger_effect_makes_small_differences_the_same(self):
        what = ("--node", "epoch/batch/forward")
        document = self.document(self.side("old"), self.side("slow"), *what, "--effect", "900%")
        self.assertEqual(document["comparisons"][0]["verdict"], "same")
        self.assertTrue(document["comparisons"][0]["is_real"])
        # With 10 runs a side a level of 1 in 10 million is out of reach.
        self.compare(self.side("old"), self.side("slow"), *what, "--level", "1e-7", status=2)


GOOGLE = r"""
#include <benchmark/benchmark.h>
#include <cmath>
static void work(long n) { for (long i = 0; i < n; i++) benchmark::DoNotOptimize(i); }
static void BM_work(benchmark::State &state) {
    for (auto _ : state) work(2000L * WORK);
    state.counters["odd"] = std::nan("");
}
static void BM_same(benchmark::State &state) { for (auto _ : state) work(3000); }
static void BM_grows(benchmark::State &state) {
    for (auto _ : state) work(state.range(0));
    state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_work);
BENCHMARK(BM_same);
BENCHMARK(BM_grows)->Arg(1000)->Arg(2000)->Complexity();
BENCHMARK_MAIN();
"""

PYTEST = """
import os
N = int(os.environ["WORK"])
def test_work(benchmark):
    benchmark.pedantic(lambda: sum(range(N)), rounds=60, iterations=5, warmup_rounds=2)
def test_same(benchmark):
    benchmark.pedantic(lambda: sum(range(2000)), rounds=60, iterations=5)
"""

GOOGLE_DATA = os.path.join(pit_case.source_dir(), "tests", "data", "google_benchmark")

PROFILE = {
    "model_name": "MVAR", "training": {"total_seconds": 12.5},
    "inference": {"single_step": {"mean_seconds": 0.00023, "std_seconds": 0.00005,
                                  "min_seconds": 0.00018, "max_seconds": 0.00045, "samples": 50},
                  "full_trajectory": {"mean_seconds": 0.023, "std_seconds": 0.002,
                                      "min_seconds": 0.021, "max_seconds": 0.027, "samples": 50}},
    "memory": {"peak_mb": 245.3, "current_mb": 234.1, "model_parameters": 2020,
               "parameter_memory_mb": 0.016},
}


class OtherPrograms(CompareCase):
    """Files that the real programs wrote here and now."""

    def google(self, folder, work):
        source, program = os.path.join(folder, "bench.cc"), os.path.join(folder, "bench%d" % work)
        if not os.path.exists(program):
            with open(source, "w", encoding="utf-8") as file:
                file.write(GOOGLE)
            self.run_ok(["g++", "-O1", "-DWORK=%d" % work, source, "-lbenchmark", "-lpthread",
                         "-o", program], timeout=120)
        return program

    @staticmethod
    def set_figures(path, lists):
        """Put our figures into a file that the real program wrote: the verdict on them is then known,
        whatever the machine was doing."""
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        for figures, seconds in lists(document):
            figures[:] = [seconds * (1 + 0.001 * (i * 7 % 10)) for i in range(len(figures))]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)

    def run_google(self, program, path, repetitions):
        self.run_ok([program, "--benchmark_repetitions=%d" % repetitions,
                     "--benchmark_min_time=0.002", "--benchmark_out=" + path,
                     "--benchmark_out_format=json"], timeout=120)

    def test_google_benchmark(self):
        """Output of the program GOOGLE, with WORK 1 and 12, 60 times each."""
        a, b = os.path.join(GOOGLE_DATA, "old.json"), os.path.join(GOOGLE_DATA, "new.json")
        document = self.document(a, b, "--node", "BM_work", status=None)
        with open(a, encoding="utf-8") as file:
            self.assertIn("NaN", file.read(), "the file is to hold what JSON does not have")
        work = document["comparisons"][0]
        self.assertEqual(work["verdict"], "slower")
        self.assertGreater(work["change"], 4)
        self.assertTrue(work["runs_are_blocks"] and document["advisory"])
        names = {c["what"] for c in self.document(a, b, status=None)["comparisons"]}
        self.assertEqual(names, {"BM_work", "BM_same", "BM_grows/1000", "BM_grows/2000"})
        gate = ("--fail-on", "slower:50%@BM_work")
        self.compare(a, b, *gate, status=2)
        self.compare(a, b, *gate, "--trust", status=1)

    def test_google_benchmark_as_it_is_here(self):
        """Only the format: which figures there are, whatever their values."""
        folder = self.folder()
        path = os.path.join(folder, "a.json")
        self.run_google(self.google(folder, 1), path, 3)
        document = self.document(path, path, status=None)
        self.assertEqual({c["what"] for c in document["comparisons"]},
                         {"BM_work", "BM_same", "BM_grows/1000", "BM_grows/2000"})

    def test_google_benchmark_in_several_processes(self):
        document = self.document(os.path.join(GOOGLE_DATA, "a"), os.path.join(GOOGLE_DATA, "b"),
                                 status=None)
        work = self.item(document, "BM_work")
        self.assertEqual((work["a_runs"], work["b_runs"]), (8, 8))
        self.assertFalse(work["runs_are_blocks"])
        self.assertEqual(work["verdict"], "slower")
        self.assertIsNotNone(work["beside"]["mean"]["change"])

    def hyperfine(self, path, *commands):
        self.run_ok(["hyperfine", "--shell=none", "--runs", "10", "--export-json", path, *commands],
                    timeout=120)
        self.set_figures(path, lambda document: [
            (result["times"], float(result["command"].split()[1])) for result in document["results"]])

    def test_hyperfine(self):
        folder = self.folder()
        both, a, b = (os.path.join(folder, n) for n in ("both.json", "a.json", "b.json"))
        self.hyperfine(both, "sleep 0.01", "sleep 0.04")
        self.hyperfine(a, "sleep 0.01")
        self.hyperfine(b, "sleep 0.04")
        for files in ((both,), (a, b)):
            with self.subTest(files=len(files)):
                document = self.document(*files)
                wall = self.item(document, "wall time")
                self.assertEqual(wall["verdict"], "slower")
                self.assertEqual((wall["a_runs"], wall["b_runs"]), (10, 10))
                self.assertAlmostEqual(wall["change"], 3, delta=0.05)
                self.assertRegex(document["headline"],
                                 r"^B is \d+\.\d % slower \[.*\] \(10 runs a side\)$")
        self.assertEqual([s["name"] for s in self.document(both)["sides"]],
                         ["sleep 0.01", "sleep 0.04"])
        self.compare(a, b, "--fail-on", "slower:20%", "--trust", status=1)
        self.compare(b, a, "--fail-on", "slower:20%")
        # Several commands in both files: matched by name.
        names = {c["what"] for c in self.document(both, both, status=None)["comparisons"]}
        self.assertEqual(names, {"sleep 0.01", "sleep 0.04"})

    def test_pytest_benchmark(self):
        folder = self.folder()
        with open(os.path.join(folder, "test_it.py"), "w", encoding="utf-8") as file:
            file.write(PYTEST)

        for name, work in (("a", 2000), ("b", 8000)):
            self.run_ok([PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py",
                         "--benchmark-json=%s.json" % name], cwd=folder, timeout=120,
                        env=pit_case.clean_env(WORK=work))
            self.set_figures(os.path.join(folder, name + ".json"), lambda document, work=work: [
                (one["stats"]["data"], 1e-8 * work) for one in document["benchmarks"]])
        document = self.document(os.path.join(folder, "a.json"), os.path.join(folder, "b.json"),
                                 "--node", "test_it.py::test_work", status=None)
        work = document["comparisons"][0]
        self.assertEqual(work["verdict"], "slower")
        self.assertAlmostEqual(work["change"], 3, delta=0.05)
        self.assertTrue(document["advisory"])

    def write(self, folder, name, what):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(what if isinstance(what, str) else json.dumps(what))
        return path

    def test_runtime_profiles(self):
        folder = self.folder()
        lstm = json.loads(json.dumps(PROFILE))
        lstm["model_name"] = "LSTM"
        lstm["training"]["total_seconds"] = 43.125
        lstm["memory"]["parameter_memory_mb"] = 0.0344
        a = self.write(folder, "MVAR/runtime_profile.json", PROFILE)
        b = self.write(folder, "LSTM/runtime_profile.json", lstm)
        document = self.document(a, b, status=2) # one figure a side
        self.assertAlmostEqual(self.item(document, "training")["ratio"], 3.45)
        self.assertAlmostEqual(self.item(document, "inference/full_trajectory")["ratio"], 1)
        self.assertAlmostEqual(self.item(document, "parameter memory", "memory")["ratio"], 2.15)
        self.assertAlmostEqual(self.item(document, "peak memory", "memory")["a"], 245.3 * 2**20)
        for i in range(8): # folders of several: one run each
            PROFILE["training"]["total_seconds"] = 12.5 + 0.01 * i
            lstm["training"]["total_seconds"] = 43 + 0.01 * i
            self.write(folder, "a/%d.json" % i, PROFILE)
            self.write(folder, "b/%d.json" % i, lstm)
        self.write(folder, "a/summary.json", {"experiment_name": "x"})
        done = self.compare(os.path.join(folder, "a"), os.path.join(folder, "b"), "--node",
                            "training")
        self.assertRegex(done.stdout, r"^B is 24\d\.\d % slower .* in training \(8 runs a side\)\n")
        self.assertIn("ignored: ", done.stderr)

    def test_what_is_none_of_these_is_refused(self):
        folder = self.folder()
        good = self.write(folder, "good.json", PROFILE)
        cases = {"other.json": ({"a": 1}, "not JSON of google/benchmark, hyperfine"),
                 "cut.json": ('{"results": [{"command": "x",\n "times": [1,', "not JSON: "),
                 "none.json": ({"results": [{"command": "x", "times": []}]}, None),
                 "empty.json": ({"context": {}, "benchmarks": []}, "it contains no figures"),
                 "list.json": ([1, 2], "not JSON of google/benchmark"),
                 "text.txt": ("hello", "not a Pitwall run"),
                 "deep.json": ("[" * 100000, "not JSON: ")}
        for name, (what, why) in cases.items():
            with self.subTest(name=name):
                path = self.write(folder, name, what)
                done = self.compare(path, good, status=66 if why else 2)
                self.assertIn(why or "", done.stderr)
                if why:
                    self.assertEqual(done.stdout, "")

    def test_odd_numbers_are_no_figures_wherever_they_stand(self):
        folder = self.folder()
        text = ('{"context": {}, "benchmarks": [{"name": "NaN \\" Infinity", "run_type": '
                '"iteration", "real_time": %s, "time_unit": "us", "x": -Infinity}, {"name": "y", '
                '"real_time": -NaN, "time_unit": "ns"}]}')
        a = self.write(folder, "a.json", text % "5")
        b = self.write(folder, "b.json", text % "10")
        document = self.document(a, b, status=2)
        self.assertEqual([c["what"] for c in document["comparisons"]], ['NaN " Infinity'])
        self.assertAlmostEqual(document["comparisons"][0]["a"], 5e-6)
        self.assertAlmostEqual(document["comparisons"][0]["ratio"], 2)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
