"""The output of `make bench`: the table, bench.json, figures met or missed, and the figures in README.md and
docs/bench.md. Nothing is timed here."""

import importlib.util
import json
import os
import re
import sys
import unittest

import pit_case


def load(*path):
    """A script of the tree as a module."""
    path = os.path.join(pit_case.source_dir(), *path)
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COLLECT = load("bench", "collect.py")
KEYS = [key for key, _, _, _ in COLLECT.FIGURES]


class Table(pit_case.Case):
    def collect(self, status=0, **figures):
        """Run collect.py on results in which every figure is 0.5 except those given, which may be lists of
        several processes; returns the document and the table, or its error."""
        folder = self.folder()
        results, output = os.path.join(folder, "results"), os.path.join(folder, "bench.json")
        with open(results, "w", encoding="utf-8") as file:
            for key in KEYS:
                value = figures.get(key, 0.5)
                for one in value if isinstance(value, list) else [value]:
                    if one is not None:
                        file.write("%s %s\n" % (key, one))
        done = self.run_status(status, [sys.executable, os.path.join(pit_case.source_dir(), "bench",
                                                                     "collect.py"), results, output])
        if status:
            return done.stderr
        with open(output, encoding="utf-8") as file:
            return json.load(file), done.stdout

    def verdicts(self, **figures):
        document, _ = self.collect(**figures)
        return {figure["key"]: figure["verdict"] for figure in document["figures"]}

    def test_the_document_has_the_machine_and_every_figure_in_its_order(self):
        document, _ = self.collect(span_hot_ns="n/a")
        self.assertEqual(document["schema"], 1)
        for fact in ("cpu", "kernel", "compiler", "clocksource", "cores", "date", "commit"):
            self.assertIn(fact, document["machine"])
        self.assertEqual([figure["key"] for figure in document["figures"]], KEYS)
        for figure in document["figures"]:
            self.assertEqual(list(figure), ["key", "what", "unit", "value", "bar", "noise", "reach",
                                            "verdict"])
            self.assertEqual(figure["value"], None if figure["key"] == "span_hot_ns" else 0.5)
            self.assertEqual(figure["verdict"] == "", figure["bar"] is None)

    def test_keys_are_there_once_with_words_for_people(self):
        self.assertEqual(len(set(KEYS)), len(KEYS))
        for key, what, unit, bar in COLLECT.FIGURES:
            self.assertTrue(" " in what and key not in what, what)
            self.assertIn(unit, ("ns", "µs", "ms", "s", "x", "%", "kB", "MB", ""))
            self.assertTrue(bar is None or bar >= 0)

    def test_a_figure_at_its_bar_is_met_and_one_above_it_is_missed(self):
        found = self.verdicts(stage_log_us=10, stage_overhead_pct=0.11, start_exit_ms="n/a")
        self.assertEqual(found["stage_log_us"], "met")
        self.assertEqual(found["stage_overhead_pct"], "missed")
        self.assertEqual(found["start_exit_ms"], "n/a")

    def test_noise_above_the_bar_leaves_a_figure_inside_it_undecided(self):
        for cost, noise, expected in ((0.05, 0.02, "met"), (0.01, 0.02, "met"), (0.3, 0.2, "missed"),
                                      (0.3, 0.09, "missed"), (0.3, 0.4, "in the noise"),
                                      (0.05, 0.4, "in the noise"), (-0.2, 0.4, "in the noise"),
                                      (0.3, "n/a", "missed")):
            with self.subTest(cost=cost, noise=noise):
                found = self.verdicts(fitting_cost_pct=cost, fitting_noise_pct=noise)
                self.assertEqual(found["fitting_cost_pct"], expected)

    def test_noise_of_a_ratio_is_how_far_it_is_from_one(self):
        for ratio, noise, expected in ((1.02, 1.03, "in the noise"), (1.02, 0.95, "in the noise"),
                                       (1.02, 1.001, "missed"), (1.005, 1.001, "met")):
            with self.subTest(ratio=ratio, noise=noise):
                found = self.verdicts(watchers_x_none=ratio, watchers_noise_x=noise)
                self.assertEqual(found["watchers_x_none"], expected)

    def test_only_figures_with_a_bar_and_a_measured_noise_have_one(self):
        bars = {key: bar for key, _, _, bar in COLLECT.FIGURES}
        for key, noise in COLLECT.NOISE.items():
            self.assertIsNotNone(bars[key])
            self.assertIsNone(bars[noise])
        document, _ = self.collect()
        self.assertEqual({f["key"]: f["noise"] for f in document["figures"] if f["noise"]},
                         COLLECT.NOISE)

    def test_of_several_measurements_the_median_counts_with_best_and_worst_beside_it(self):
        document, _ = self.collect(span_hot_ns=[0.9, 0.7, 0.8])
        self.assertEqual(document["values"]["span_hot_ns"], 0.8)
        self.assertEqual(document["values"]["span_hot_ns_best"], 0.7)
        figure = [f for f in document["figures"] if f["key"] == "span_hot_ns"][0]
        self.assertEqual(figure["reach"][0], 0.7)
        self.assertGreater(figure["reach"][1], 0.8)

    def test_a_figure_that_is_missing_or_no_number_is_an_error(self):
        self.assertIn("bench: no figure for rom_cost_pct", self.collect(1, rom_cost_pct=None))
        self.assertIn("rom_cost_pct is nan", self.collect(1, rom_cost_pct="nan"))

    def test_columns_of_the_table_align(self):
        _, text = self.collect(race_self_alarms=3, record_1e8_rss_growth_kb=0)
        lines = text.splitlines()[1:]
        self.assertEqual(len(lines), 1 + len(KEYS))
        end = lines[0].index("measured") + len("measured")
        for line, (_, what, unit, _) in zip(lines[1:], COLLECT.FIGURES):
            self.assertTrue(line.startswith(what + " "))
            self.assertTrue(line[:end].endswith(unit) and line[end:end + 2].strip() == "", line)


class Documents(unittest.TestCase):
    def test_every_figure_is_explained(self):
        with open(os.path.join(pit_case.source_dir(), "docs", "bench.md"), encoding="utf-8") as file:
            text = file.read()
        explained = set(re.findall(r"`(\w+)`", text))
        lost = [key for key in KEYS if key not in explained and not key.endswith(("_best", "_worst"))]
        self.assertEqual(lost, [])

    def test_the_figures_of_the_readme_are_figures_of_the_bench(self):
        rows = load("scripts", "readme_figures.py").ROWS
        self.assertEqual([key for key, _, _ in rows if key not in KEYS], [])


class Steps(pit_case.Case):
    """bench_examples runs batches of an example with its spans, or without one."""

    def counts(self, *arguments):
        folder = self.folder()
        program = os.path.join(pit_case.build_dir(), "bench", "bench_examples")
        self.run_ok([program, *arguments], env=pit_case.clean_env(PITWALL_BENCH_DIR=folder))
        report = self.run_ok([pit_case.tool(), "report", "--json", "--view", "tree",
                              os.path.join(folder, "bench_examples.pit")])
        return {node["path"]: node["count"] for node in json.loads(report.stdout)["rows"]}

    def test_with_spans_every_batch_is_in_the_run(self):
        for copy in ("spans", "spans_2"):
            parts = ("", "/data", "/forward", "/backward", "/update")
            self.assertEqual(self.counts("fitting", copy, "3"), {"batch" + p: 9 for p in parts})

    def test_without_spans_there_is_none(self):
        for copy in ("plain", "plain_2"):
            self.assertEqual(self.counts("fitting", copy, "3"), {})

    def test_wrong_arguments_are_refused(self):
        program = os.path.join(pit_case.build_dir(), "bench", "bench_examples")
        for arguments in (["fitting"], ["fitting", "other", "3"], ["other", "spans", "3"],
                          ["fitting", "spans", "0"]):
            self.run_status(1, [program, *arguments],
                            env=pit_case.clean_env(PITWALL_BENCH_DIR=self.folder()))


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
