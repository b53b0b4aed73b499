"""The planted suite without running its programs: its table, how a report is judged, and the advice on runs
that were recorded before (bench/planted.py --record tests/data/planted)."""

import glob
import json
import lzma
import os
import re
import shutil
import sys

import pit_case

sys.path.insert(0, os.path.join(pit_case.source_dir(), "tests", "planted"))
import planted_suite  # noqa: E402
from planted_suite import CASES, Case, judge  # noqa: E402

PROGRAMS = os.path.join(pit_case.source_dir(), "tests", "planted")
RECORDED = os.path.join(pit_case.source_dir(), "tests", "data", "planted")
# Least share of the programs that must be recorded, which means that they were right.
LEAST_SHARE = {"quiet": 0.95, "loaded": 0.95}
MOST_BYTES = 5 << 20  # in the tree, all recorded runs together


def source(case):
    return os.path.join(PROGRAMS, case.program + (".c" if case.kind == "c" else ""))


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Table(pit_case.Case):
    def test_there_are_enough_programs_and_each_is_there(self):
        self.assertGreaterEqual(sum(not case.healthy for case in CASES), 34)
        self.assertGreaterEqual(sum(case.healthy for case in CASES), 12)
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        self.assertEqual([case.name for case in CASES if not os.path.isfile(source(case))], [])

    def test_every_program_of_the_folder_is_in_the_table(self):
        used = {os.path.basename(source(case)) for case in CASES}
        there = {os.path.basename(path) for end in ("c", "py")
                 for path in glob.glob(os.path.join(PROGRAMS, "*." + end))
                 if not os.path.basename(path).startswith("planted_")}
        self.assertEqual(sorted(there - used), [])

    def test_every_rule_of_the_contract_is_planted(self):
        expected = {rule for case in CASES for rule in case.expect}
        # These are no causes in one program: several runs, a remark, and what healthy ones get.
        self.assertEqual(sorted(set(planted_suite.RULES) - expected
                                - {"runs_vary", "cache", *planted_suite.QUIET_RULES}), [])

    def test_the_table_names_only_rules_that_exist(self):
        named = {rule for case in CASES for rule in case.expect + case.never}
        self.assertEqual(sorted(named - set(planted_suite.RULES)), [])
        rules = "".join(text_of(path) for path in glob.glob(
            os.path.join(pit_case.source_dir(), "src", "analysis", "advice*.c")))
        keys = set(re.findall(r'\.key = "([a-z_0-9]+)"|&pit__([a-z_0-9]+)_rule\b', rules))
        keys = {key for pair in keys for key in pair}
        self.assertEqual(sorted(set(planted_suite.RULES) - keys), [])

    def test_places_are_in_their_program(self):
        for case in CASES:
            for piece in case.place:
                self.assertIn(piece, text_of(source(case)), case.name)

    def test_no_rule_is_expected_and_forbidden(self):
        self.assertEqual([c.name for c in CASES if set(c.expect) & set(c.never)], [])


def advice(*rules, severity=2, headline="x"):
    return {"findings": [{"rule": rule, "severity": 0 if rule in planted_suite.QUIET_RULES
                          else severity, "headline": headline, "evidence": "", "remedy": None}
                         for rule in rules]}


class Judge(pit_case.Case):
    sick = Case("x", "c", "x", "", ("leak",), ("drift",))
    well = Case("y", "c", "y", "")

    def check(self, case, load, expected, *rules, **more):
        self.assertEqual(judge(case, load, advice(*rules, **more)), expected, (load, rules, more))

    def test_the_expected_rule_has_to_come_first(self):
        self.check(self.sick, "quiet", "right", "leak", "drift")
        self.check(self.sick, "quiet", "half", "optimizer", "leak")
        self.check(self.sick, "quiet", "wrong", "drift", "leak")
        self.check(self.sick, "quiet", "wrong", "nothing")
        self.check(self.sick, "quiet", "wrong")

    def test_beside_burners_starved_may_come_before_it(self):
        self.check(self.sick, "loaded", "right", "starved", "leak")
        self.check(self.sick, "loaded", "right", "leak", "starved")
        self.check(self.sick, "quiet", "half", "starved", "leak")
        self.check(self.sick, "loaded", "half", "starved", "optimizer", "leak")
        self.check(self.sick, "loaded", "wrong", "starved")

    def test_a_healthy_program_has_no_finding_above_know(self):
        self.check(self.well, "quiet", "right", "nothing")
        self.check(self.well, "quiet", "right", "compute", "cache", severity=0)
        self.check(self.well, "quiet", "wrong", "compute", "leak", severity=1)
        self.check(self.well, "quiet", "wrong", "starved")
        self.check(self.well, "quiet", "half")

    def test_beside_burners_a_healthy_program_is_starved_at_most(self):
        self.check(self.well, "loaded", "right", "starved")
        self.check(self.well, "loaded", "right", "starved", "compute")
        self.check(self.well, "loaded", "right", "nothing")
        self.check(self.well, "loaded", "wrong", "starved", "drift")

    def test_a_place_is_asked_for_by_file_and_line(self):
        case = next(case for case in CASES if case.name == "unmarked_search")
        line = planted_suite.lines_of(case)[0]
        for text, expected in (("at unique_words.py:%d" % line, "right"),
                               ("at unique_words.py:%d1" % line, "half"),
                               ("at other.py:%d" % line, "half")):
            self.check(case, "quiet", expected, "unmarked", headline=text)

    def test_a_place_in_c_is_a_function(self):
        case = next(case for case in CASES if case.name == "unmarked_native")
        self.check(case, "quiet", "right", "unmarked", headline="in wall_series (particles_step)")
        self.check(case, "quiet", "half", "unmarked", headline="in my_wall_series_2")


class Recorded(pit_case.Case):
    """The programs' own runs, as they were recorded: nothing here is timed."""

    def setUp(self):
        if not os.path.isdir(RECORDED):
            self.skipTest("no recorded runs: bench/planted.py --record tests/data/planted")

    def advice_on(self, case, load):
        """The advice on a recorded run, or None where there is none."""
        packed = glob.glob(os.path.join(RECORDED, "%s.%s" % (case.name, load), "*.pit.xz"))
        if not packed:
            return None
        folder = self.folder()
        for path in packed:
            with lzma.open(path) as file, \
                    open(os.path.join(folder, os.path.basename(path)[:-3]), "wb") as plain:
                shutil.copyfileobj(file, plain)
        done = self.run_ok([pit_case.tool(), "report", os.path.join(folder, "run.pit"), "--json"])
        return json.loads(done.stdout)["advice"]

    def check(self, load):
        missing = []
        # Under a sanitizer a sample: the verdicts were seen, and the code is the same for all.
        step = 4 if pit_case.sanitizer() and not os.environ.get("PITWALL_TEST_ALL") else 1
        for case in CASES[::step]:
            with self.subTest(case.name):
                said = self.advice_on(case, load)
                if said is None:
                    missing.append(case)
                else:
                    self.assertEqual(judge(case, load, said), "right",
                                     "%s: planted %s: %s" % (case.name, case.planted,
                                                             said["findings"][:2]))
        self.assertLessEqual(len(missing), (1 - LEAST_SHARE[load]) * len(CASES),
                             [case.name for case in missing])
        self.assertEqual([case.name for case in missing if case.healthy], [])

    def test_what_is_said_first_of_a_program_that_ran_alone(self):
        self.check("quiet")

    def test_what_is_said_first_of_a_program_beside_burners(self):
        self.check("loaded")

    def test_they_are_of_programs_in_the_table_and_small(self):
        known = {"%s.%s" % (case.name, load) for case in CASES for load in ("quiet", "loaded")}
        self.assertEqual(sorted(set(os.listdir(RECORDED)) - known), [])
        size = sum(os.path.getsize(os.path.join(folder, name))
                   for folder, _, names in os.walk(RECORDED) for name in names)
        self.assertLess(size, MOST_BYTES)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
