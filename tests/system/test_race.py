"""pitwall race: whole commands in turn, a verdict that holds, gates, forms and failures.

The commands sleep for times that are several times apart: a busy machine adds tens of milliseconds."""

import csv
import io
import json
import os

import pit_case

TOOL = pit_case.tool()


class Race(pit_case.Case):
    def setUp(self):
        self.home = self.folder()

    def race(self, *arguments, status=0, **options):
        return self.run_status(status, [TOOL, "race", *arguments], cwd=self.home, timeout=120,
                               **options)

    def answer(self, *arguments, status=0):
        return json.loads(self.race("--json", *arguments, status=status).stdout)

    def item(self, answer, what, side="B"):
        found = [i for i in answer["comparisons"] if i["what"] == what and i["side"] == side]
        self.assertEqual(len(found), 1, [i["what"] for i in answer["comparisons"]])
        return found[0]

    def test_a_clear_winner_is_found_at_the_first_look(self):
        answer = self.answer("-w", "0", "sleep 0.3", "sleep 0.1")
        wall = self.item(answer, "wall time")
        self.assertEqual(wall["verdict"], "faster")
        self.assertTrue(-0.7 < wall["change"] < -0.3, wall)
        self.assertEqual((wall["a_runs"], wall["b_runs"]), (10, 10))
        self.assertEqual(self.item(answer, "peak memory")["unit"], "bytes")

    def test_commands_that_record_are_compared_span_by_span(self):
        program = pit_case.program("prog_scale")
        answer = self.answer("-r", "6", "-w", "0", "--shell", "none", "-o", "runs",
                             "%s - 4" % program, "%s - 2" % program)
        files = sorted(os.listdir(os.path.join(self.home, "runs")))
        self.assertEqual(files, ["%s-%03d.pit" % (k, i) for k in "ab" for i in range(1, 7)])
        work = self.item(answer, "work")
        self.assertEqual(work["verdict"], "faster")
        self.assertTrue(-0.6 < work["change"] < -0.4, work)

    def test_gates_say_good_bad_and_no_verdict(self):
        slower = ["-r", "8", "-w", "0", "sleep 0.02", "sleep 0.2"]
        done = self.race("--fail-on", "slower:5%", *slower, status=1)
        self.assertIn("slower", done.stdout)
        self.race("--fail-on", "slower:5%", "-r", "8", "-w", "0", "sleep 0.2", "sleep 0.02")
        self.race("--fail-on", "slower:5%", "-r", "2", "-w", "0", "sleep 0.02", "sleep 0.02",
                  status=2)
        # a node that nobody has: a gate that could not look has not passed
        self.race("--fail-on", "slower:5%@no/such", *slower, status=2)

    def test_several_commands_are_ranked_against_the_first(self):
        answer = self.answer("-r", "8", "-w", "0", "-P", "n=30,10,01", "sleep 0.{n}")
        self.assertEqual([side["name"] for side in answer["sides"]],
                         ["sleep 0.{n} (n=%s)" % n for n in ("30", "10", "01")])
        self.assertEqual([self.item(answer, "wall time", i)["verdict"] for i in "BC"],
                         ["faster", "faster"])
        self.assertEqual(answer["ranking"], ["C", "B", "A"])

    def test_every_form_is_whole(self):
        arguments = ["-r", "6", "-w", "0", "-n", "long | one, \"quoted\"", "-n", "=short",
                     "sleep 0.2", "sleep 0.01"]
        text = self.race(*arguments).stdout
        self.assertIn("faster", text.splitlines()[0])
        rows = list(csv.DictReader(io.StringIO(self.race("--csv", *arguments).stdout)))
        self.assertGreaterEqual(len(rows), 3)
        self.assertIn("|", self.race("--markdown", *arguments).stdout)

    def test_a_failing_command_stops_it_with_its_output(self):
        done = self.race("-w", "0", "true", "echo what went wrong; exit 7", status=69)
        self.assertIn("what went wrong\n", done.stderr)
        self.assertIn("status 7", done.stderr)
        self.assertEqual(done.stdout, "")
        done = self.race("-w", "0", "-p", "exit 9", "true", "true", status=69)
        self.assertIn("the preparation failed", done.stderr)

    def test_the_preparation_runs_before_each_and_warmup_is_not_counted(self):
        answer = self.answer("-r", "5", "-w", "2", "-p", "echo x >>prepared",
                             "test -s prepared && echo a >>ran", "echo b >>ran", status=2)
        with open(os.path.join(self.home, "ran"), encoding="utf-8") as file:
            ran = file.read().split()
        self.assertEqual((ran.count("a"), ran.count("b")), (7, 7))
        with open(os.path.join(self.home, "prepared"), encoding="utf-8") as file:
            self.assertEqual(len(file.read().split()), 14)
        self.assertEqual(self.item(answer, "wall time")["a_runs"], 5)
        # in each round both, in an order that is not always the same
        rounds = ["".join(ran[i:i + 2]) for i in range(0, 14, 2)]
        self.assertTrue(set(rounds) <= {"ab", "ba"}, rounds)

    def test_the_level_is_read_as_compare_reads_it(self):
        for text, level in (("0.05", 0.05), ("10%", 0.1), ("0.2", 0.2)):
            answer = self.answer("-r", "2", "-w", "0", "--level", text, "--effect", "3", "true",
                                 "true", status=2)
            self.assertAlmostEqual(answer["level"], level)
            self.assertAlmostEqual(answer["effect"], 0.03)

    def test_wrong_usage_says_what_is_wrong(self):
        for arguments, words in (
            ((), "no command given"),
            (("true",), "two commands are needed"),
            (("-r", "0", "true", "true"), "--runs"),
            (("--effect", "x", "true", "true"), "--effect"),
            (("--fail-on", "bad", "true", "true"), "--fail-on"),
            (("-P", "n", "true", "true"), "-P"),
            (("--nonsense", "true", "true"), "unknown option"),
        ):
            done = self.race(*arguments, status=64)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
