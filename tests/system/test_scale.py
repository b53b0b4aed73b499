"""pitwall scale: the class of real commands and of labelled runs, its forms and its errors."""

import csv
import io
import json
import os

import pit_case

TOOL = pit_case.tool()

# Sleeps in proportion to its argument, and on a busy machine longer.
SLEEPER = "sleep $(awk 'BEGIN { print %s }')"


class Scale(pit_case.Case):
    def scale(self, *arguments, status=0, **options):
        return self.run_status(status, [TOOL, "scale", *arguments], **options)

    def test_a_command_is_measured_at_every_size(self):
        done = self.scale("-P", "n=1..128*2", "--rounds", "2", "--json", "--predict", "256",
                          SLEEPER % "{n} * 0.002")
        answer = json.loads(done.stdout)
        self.assertEqual([p["size"] for p in answer["points"]], [1, 2, 4, 8, 16, 32, 64, 128])
        for point in answer["points"]:
            self.assertGreaterEqual(point["cost_ns"], 2e6 * point["size"])
        self.assertTrue(answer["class"])
        self.assertEqual([p["size"] for p in answer["predictions"]], [256])
        self.assertEqual(answer["unit"], "seconds")

    def test_memory_grows_with_what_is_held(self):
        hold = "python3 -c 'import sys; x = b\"x\" * ({n} << 20); sys.exit(len(x) == 0)'"
        done = self.scale("-P", "n=20,40,80,160,320", "--rounds", "1", "--what", "memory", "--json",
                          hold)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["unit"], "bytes")
        self.assertEqual(answer["class"], "n")
        self.assertAlmostEqual(answer["factor"] / (1 << 20), 1, delta=0.1)
        self.assertIn("only 5 sizes", answer["warning"])

    def test_all_forms_have_the_same_points(self):
        arguments = ["-P", "n=1,2,4,8", "--rounds", "1", SLEEPER % "{n} * 0.01"]
        text = self.scale(*arguments).stdout
        self.assertRegex(text, r"^time grows as \S+")
        self.assertIn("●", text)
        rows = list(csv.DictReader(io.StringIO(self.scale("--csv", *arguments).stdout)))
        self.assertEqual([float(row["size"]) for row in rows], [1, 2, 4, 8])
        self.assertGreater(float(rows[3]["cost_ns"]), 80e6)
        markdown = self.scale("--markdown", *arguments).stdout
        self.assertEqual(len([line for line in markdown.splitlines() if line.startswith("|")]), 6)

    def test_runs_are_taken_by_their_label(self):
        home = self.folder()
        for size in (1, 2, 4, 8, 16):
            self.run_ok([pit_case.program("prog_scale"), os.path.join(home, "%d.pit" % size),
                         str(size)], env=pit_case.clean_env(PITWALL_CLOCK="monotonic"))
        done = self.scale("--label", "size", "--node", "work", "--json", "--predict", "32", home)
        answer = json.loads(done.stdout)
        self.assertEqual(len(answer["points"]), 5)
        self.assertEqual(answer["class"], "n")
        prediction = answer["predictions"][0]
        self.assertAlmostEqual(prediction["cost"], 32 * 0.005, delta=0.001)
        self.assertLessEqual(prediction["low"], prediction["cost"])
        done = self.scale("--label", "colour", home, status=66)
        self.assertIn("no label of this name that is a number", done.stderr)
        done = self.scale("--label", "size", "--node", "none", home, status=66)
        self.assertIn("no such figure", done.stderr)

    def test_a_failing_command_stops_it_and_is_shown(self):
        done = self.scale("-P", "n=1,2,4", "echo out of {n}; exit 3", status=69)
        self.assertRegex(done.stderr, r"out of [124]\n")
        self.assertIn("status 3 with n=", done.stderr)
        self.assertEqual(done.stdout, "")
        done = self.scale("-P", "n=1,2,4", "--shell", "none", "no-such-program {n}", status=69)
        self.assertIn("status 127", done.stderr)

    def test_without_a_shell_words_are_split_at_blanks_and_quotes(self):
        self.scale("-P", "n=1,2,4", "--rounds", "1", "--shell", "none",
                   "test 'a b' = \"a b\" -a \"{n}\" != '$HOME'")
        done = self.scale("-P", "n=1,2,4", "--shell", "none", "echo 'open {n}", status=64)
        self.assertIn("unclosed quote", done.stderr)

    def test_wrong_usage_says_what_is_wrong(self):
        for arguments, words in (
            ((), "give -P or --label"),
            (("-P", "n", "true"), "must be NAME=SIZE"),
            (("-P", "n=1,x", "true"), "-P: n=1,x: must be NAME=SIZE"),
            (("-P", "n=1..8", "true"), "must be NAME=SIZE"),
            (("-P", "n=0,1", "true"), "must be NAME=SIZE"),
            (("-P", "n=1,2", "true"), "-P: n: the command does not contain {n}"),
            (("-P", "n=1,2"), "give one command"),
            (("-P", "n=1,2", "true", "true"), "give one command"),
            (("-P", "n=1,2", "--rounds", "0", "true {n}"), "--rounds"),
            (("-P", "n=1,2", "--what", "disk", "true {n}"), "must be wall, cpu or memory"),
        ):
            done = self.scale(*arguments, status=64)
            self.assertIn(words, done.stderr)
        done = self.scale("-P", "n=1,2", "--rounds", "1", "true {n}", status=2)
        self.assertIn("fewer than 3 different sizes", done.stderr)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
