"""pitwall race: whole commands in turn, correct verdicts, gates, output forms and failures.

If a verdict matters, the commands print their figure themselves (--figure), so that the load of the machine
changes nothing."""

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys

import pit_case

TOOL = pit_case.tool()


# A training script that does not use Pitwall; its argument is the batch size.
TRAIN = """
import sys
import torch
from torch.utils.data import DataLoader
torch.set_num_threads(1)
model = torch.nn.Linear(4, 1)
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in DataLoader(torch.randn(64, 4), batch_size=int(sys.argv[1])):
    optimiser.zero_grad()
    model(batch).sum().backward()
    optimiser.step()
print("took=1")
"""


def told(*figures):
    """Commands that print a chosen duration, and the option that uses it."""
    return ["--figure", "took", *["echo took=%s" % figure for figure in figures]]


# Figures from 10 to 98 in an irregular order, the same each time; those of b are those of a, one run
# later, so that there is no verdict on them.
NOISE = ("{ read n <%s; } 2>/dev/null || n=%d; n=$((n + 1)); echo $n >%s; "
         "echo took=$(((n * n * 31 + n * 17) %% 89 + 10))")
NOISY = ["--figure", "took", NOISE % ("a", 0, "a"), NOISE % ("b", 1, "b")]


def heed_interrupts():
    """In the new process: tests may be run where interrupts are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Race(pit_case.Case):
    def setUp(self):
        self.home = self.folder()

    def race(self, *arguments, status=0, **options):
        """status None: a verdict or none, depending on the machine."""
        if status is None:
            done = pit_case.run([TOOL, "race", *arguments], cwd=self.home, timeout=240, **options)
            self.assertIn(done.returncode, (0, 2), done)
            return done
        return self.run_status(status, [TOOL, "race", *arguments], cwd=self.home, timeout=240,
                               **options)

    def answer(self, *arguments, status=0):
        return json.loads(self.race("--json", *arguments, status=status).stdout)

    def item(self, answer, what, side="B"):
        found = [i for i in answer["comparisons"] if i["what"] == what and i["side"] == side]
        self.assertEqual(len(found), 1, [i["what"] for i in answer["comparisons"]])
        return found[0]

    def test_auto_installs_the_hooks_and_only_then(self):
        told_auto = ["--figure", "took", "-w", "0", "-r", "1",
                     'test -n "$PITWALL_AUTO" && echo took=1', "echo took=1"]
        self.race("--auto", *told_auto, status=2)
        self.assertIn("the command failed", self.race(*told_auto, status=69).stderr)

    @pit_case.plain_build  # the interpreter is not built with a sanitizer; other races read runs with it
    def test_auto_compares_the_parts_of_a_training_script_and_its_items(self):
        with open(os.path.join(self.home, "train.py"), "w") as file:
            file.write(TRAIN)
        command = "%s train.py" % sys.executable
        answer = self.answer("--auto", "-w", "0", "-r", "1", "--shell", "none", "--figure", "took",
                             command + " 8", command + " 16", status=2)
        found = {c["what"]: c for c in answer["comparisons"]}
        self.assertLessEqual({"took", "wall time", "items/s"}, set(found))
        self.assertTrue([what for what in found if what.endswith("forward")], sorted(found))
        self.assertTrue([what for what in found if what.endswith("backward")], sorted(found))
        self.assertEqual(found["items/s"]["unit"], "items/s")

    def test_a_clear_winner_is_found_at_the_first_look(self):
        answer = self.answer("-w", "0", "--budget", "1e6", *told("0.3", "0.27"))
        took = self.item(answer, "took")
        self.assertEqual((took["verdict"], took["decided_by"]), ("faster", "lowest third"))
        self.assertAlmostEqual(took["change"], -0.1)
        self.assertAlmostEqual(took["b"] / took["a"] - 1, took["change"])
        self.assertEqual((took["a_runs"], took["b_runs"]), (10, 10))
        self.assertTrue(took["is_whole"])
        self.assertTrue(answer["headline"].startswith("B is 10.0 % faster ["), answer["headline"])
        self.assertAlmostEqual(answer["level"], 0.05 / 6)
        self.assertEqual(self.item(answer, "peak memory")["unit"], "bytes")

    def test_without_a_figure_of_its_own_the_wall_time_decides(self):
        answer = self.answer("-r", "7", "-w", "0", "sleep 0.05", "true", status=None)
        wall = self.item(answer, "wall time")
        self.assertEqual(wall["a_runs"], 7)
        self.assertGreaterEqual(wall["a"], 0.05)  # no run of it can be shorter
        self.assertEqual(wall["is_whole"], True)
        self.assertIn(wall["decided_by"], ("lowest third", "mean"))

    def test_noise_goes_on_to_the_last_look_or_to_the_end_of_the_budget(self):
        short = self.answer("-w", "0", "--budget", "0.001", *NOISY, status=2)
        self.assertEqual(self.item(short, "took")["a_runs"], 10)
        self.assertAlmostEqual(short["level"], 0.05)  # the only test has the whole level
        if not pit_case.rounds(1, 0):
            return  # test_race_engine goes on to the last look in every build
        for name in "ab":
            os.remove(os.path.join(self.home, name))
        took = self.item(self.answer("-w", "0", "--budget", "1e6", *NOISY, status=2), "took")
        self.assertEqual((took["verdict"], took["a_runs"], took["b_runs"]), ("none", 320, 320))

    def test_no_more_runs_are_advised_than_somebody_would_make(self):
        done = self.race("-w", "0", "-r", "20", *NOISY, status=2)
        first = done.stdout.splitlines()[0]
        self.assertTrue(first.startswith("no verdict: "), first)
        self.assertIn("the machine is too noisy for this difference: try --cpu, a quiet hour, or "
                      "more iterations inside one run", first)
        self.assertNotIn("more runs a side", done.stdout)

    def test_commands_that_record_are_compared_span_by_span(self):
        program = pit_case.program("prog_scale")
        answer = self.answer("-r", "6", "-w", "0", "--shell", "none", "-o", "runs",
                             "%s - 4" % program, "%s - 2" % program, status=None)
        files = sorted(os.listdir(os.path.join(self.home, "runs")))
        self.assertEqual(files, ["%s-%03d.pit" % (k, i) for k in "ab" for i in range(1, 7)])
        work = self.item(answer, "work")
        self.assertEqual((work["a_runs"], work["b_runs"]), (6, 6))
        self.assertGreaterEqual(work["a"], 0.02)  # it sleeps this long in any case
        self.assertGreaterEqual(work["b"], 0.01)

    def test_gates_say_good_bad_and_no_verdict(self):
        slower = ["-r", "8", "-w", "0", *told("0.02", "0.2")]
        done = self.race("--fail-on", "slower:5%@took", *slower, status=1)
        self.assertIn("slower", done.stdout)
        self.race("--fail-on", "slower:5%@took", "-r", "8", "-w", "0", *told("0.2", "0.02"))
        self.race("--fail-on", "slower:5%", "-r", "2", "-w", "0", *told("0.2", "0.2"), status=2)
        # a node that does not exist: a gate without data has not passed
        self.race("--fail-on", "slower:5%@no/such", *slower, status=2)

    def test_several_commands_are_ranked_against_the_first(self):
        answer = self.answer("-r", "8", "-w", "0", "-P", "n=30,10,01", "--figure", "took",
                             "echo took: 0.{n}")
        self.assertEqual([side["name"] for side in answer["sides"]],
                         ["echo took: 0.{n} (n=%s)" % n for n in ("30", "10", "01")])
        self.assertEqual([self.item(answer, "took", i)["verdict"] for i in "BC"],
                         ["faster", "faster"])
        self.assertEqual(answer["ranking"], ["C", "B", "A"])

    def test_every_form_is_whole(self):
        arguments = ["-r", "6", "-w", "0", "-n", "long | one, \"quoted\"", "-n", "=short",
                     *told("0.2", "0.01")]
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
        self.assertIn("the command of --prepare failed", done.stderr)
        for figure in ("none", "took=0", "took=x", "overtook=1"):
            done = self.race("-w", "0", "--figure", "took", "echo took=1", "echo %s" % figure,
                             status=69)
            self.assertIn("does not print this figure", done.stderr)

    def test_the_preparation_runs_before_each_and_warmup_is_not_counted(self):
        answer = self.answer("-r", "4", "-w", "2", "-p", "echo x >>prepared",
                             "test -s prepared && echo a >>ran", "echo b >>ran", status=2)
        with open(os.path.join(self.home, "ran"), encoding="utf-8") as file:
            ran = file.read().split()
        self.assertEqual((ran.count("a"), ran.count("b")), (6, 6))
        with open(os.path.join(self.home, "prepared"), encoding="utf-8") as file:
            self.assertEqual(len(file.read().split()), 12)
        self.assertEqual(self.item(answer, "wall time")["a_runs"], 4)
        # in each round both, in an order that is not always the same
        rounds = ["".join(ran[i:i + 2]) for i in range(0, 12, 2)]
        self.assertTrue(set(rounds) <= {"ab", "ba"}, rounds)

    def begin(self, *commands):
        """A race that would take long."""
        return subprocess.Popen([TOOL, "race", "-w", "0", "-r", "10000", "--figure", "took",
                                 *commands], cwd=self.home, env=pit_case.clean_env(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=heed_interrupts)

    def wait_for_lines(self, process, least):
        path = os.path.join(self.home, "ran")

        def have_run():
            self.assertIsNone(process.poll(), "it ended before it was interrupted")
            return os.path.exists(path) and os.path.getsize(path) >= 2 * least
        pit_case.wait_until(have_run, pause=0.01)

    def test_an_interrupt_gives_the_answer_so_far(self):
        command = "echo x >>ran; sleep 0.01; echo took=%s"
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.begin("--json", command % "0.1", command % "0.2")
            self.wait_for_lines(process, 40)
            process.send_signal(number)
            out, err = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, (out, err))
            took = self.item(json.loads(out), "took")
            self.assertEqual(took["verdict"], "slower")
            self.assertAlmostEqual(took["change"], 1)
            self.assertGreaterEqual(took["a_runs"], 15)
            self.assertIn("pitwall: race: interrupted after %d complete rounds" % took["a_runs"], err)
            os.remove(os.path.join(self.home, "ran"))

    def test_an_interrupt_before_the_first_round_is_told_as_one(self):
        process = self.begin("echo x >>ran; exec sleep 600", "echo x >>ran; exec sleep 600")
        self.wait_for_lines(process, 1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual((process.returncode, out), (130, ""), err)
        self.assertIn("interrupted after 0 complete rounds", err)

    def test_progress_is_on_a_terminal_and_nowhere_else(self):
        ours, theirs = pty.openpty()
        arguments = [TOOL, "race", "-w", "0", *told("0.1", "0.2")]
        process = subprocess.Popen(arguments, cwd=self.home, env=pit_case.clean_env(),
                                   stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        seen = b""
        try:
            while True:
                part = os.read(ours, 65536)
                if not part:
                    break
                seen += part
        except OSError:  # the terminal is gone with its last user
            pass
        self.assertEqual(process.wait(timeout=300), 0, seen)
        os.close(ours)
        text = seen.decode()
        self.assertIn("round 1 of 10 ", text)
        self.assertIn("round 10 of 10 ", text)
        self.assertIn(" of 60 s   b +100.0 %", text)
        self.assertEqual(self.race("-w", "0", *told("0.1", "0.2")).stderr, "")

    def test_a_race_on_one_processor(self):
        cpu = min(os.sched_getaffinity(0))
        self.race("-r", "5", "-w", "0", "--cpu", str(cpu), "--figure", "took",
                  "grep Cpus_allowed_list /proc/self/status >>cpus; echo took=1", "echo took=2")
        with open(os.path.join(self.home, "cpus"), encoding="utf-8") as file:
            self.assertEqual({line.split()[1] for line in file}, {str(cpu)})

    def test_the_help_and_the_docs_name_the_looks(self):
        top = pit_case.source_dir()
        with open(os.path.join(top, "src", "analysis", "looks.h"), encoding="utf-8") as file:
            looks = re.search(r"define PIT__LOOK_PAIRS ([\d, ]+)", file.read()).group(1)
        self.assertIn(looks, self.race("--help").stdout)
        for page in ("race.md", "statistics.md"):
            with open(os.path.join(top, "docs", page), encoding="utf-8") as file:
                text = " ".join(file.read().split()).replace(" and ", ", ")
                self.assertIn(looks, text, page)

    def test_the_level_is_read_as_compare_reads_it(self):
        for text, level in (("0.05", 0.05), ("10%", 0.1), ("0.2", 0.2)):
            answer = self.answer("-r", "2", "-w", "0", "--level", text, "--effect", "3", "true",
                                 "true", status=2)
            self.assertAlmostEqual(answer["level"], level)
            self.assertAlmostEqual(answer["effect"], 0.03)

    def test_wrong_usage_says_what_is_wrong(self):
        for arguments, words in (
            ((), "give two commands"),
            (("true",), "give two commands"),
            (("-r", "0", "true", "true"), "--runs"),
            (("--budget", "0", "true", "true"), "--budget"),
            (("--budget", "nan", "true", "true"), "--budget"),
            (("--cpu", "9999", "true", "true"), "--cpu"),
            (("--cpu", "x", "true", "true"), "--cpu"),
            (("--effect", "x", "true", "true"), "--effect"),
            (("--fail-on", "bad", "true", "true"), "--fail-on"),
            (("-P", "n", "true", "true"), "-P"),
            (("--nonsense", "true", "true"), "unknown option"),
        ):
            done = self.race(*arguments, status=64)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
