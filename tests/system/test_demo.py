"""The demo as a user sees it: on a terminal, through the script that draws its picture. Also the script that
builds it silently."""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import pit_case

NAME = "{http://www.w3.org/2000/svg}"
SCRIPTS = os.path.join(pit_case.source_dir(), "scripts")


def lines_of(path):
    """The lines of a picture as text: its pieces put where they stand."""
    root = ElementTree.parse(path).getroot()
    rows = {}
    for text in root.find(NAME + "g").iter(NAME + "text"):
        column = round((float(text.get("x")) - 18) / 8)
        line = rows.get(int(text.get("y")), "")
        rows[int(text.get("y"))] = line.ljust(column) + text.text
    return [rows[y] for y in sorted(rows)]


class Quietly(pit_case.Case):
    def run_quietly(self, status, script):
        return self.run_status(status, [os.path.join(SCRIPTS, "quietly.sh"), "building it", "sh", "-c",
                                        script])

    def test_a_build_that_succeeds_says_one_line(self):
        done = self.run_quietly(0, "echo '[ 10%] Building a.c.o'; echo warned >&2")
        self.assertEqual((done.stdout, done.stderr), ("", "building it\n"))

    def test_a_build_that_fails_shows_all_it_said(self):
        done = self.run_quietly(3, "echo '[ 10%] Building a.c.o'; echo 'a.c:1: error' >&2; exit 3")
        self.assertEqual(done.stderr, "building it\n[ 10%] Building a.c.o\na.c:1: error\n")


class Screenshot(pit_case.Case):
    def shoot(self, status, *arguments, timeout=60):
        path = os.path.join(self.folder(), "shot.svg")
        self.run_status(status, [sys.executable, os.path.join(SCRIPTS, "screenshot.py"), "-o", path]
                        + list(arguments), timeout=timeout)
        return path

    def test_what_was_overwritten_is_not_drawn_and_colour_is(self):
        path = self.shoot(0, "--", "printf",
                          r"working 50 %%\rdone\033[K\n\033[1;31mred & bold\033[0m plain\n\n├─ é\n")
        self.assertEqual(lines_of(path), ["done", "red & bold plain", "├─ é"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, r'fill="#ff6b81" font-weight="bold">red<')
        self.assertRegex(text, r'fill="#d6deeb">plain<')

    def test_lines_can_be_cut_and_the_status_is_passed_on(self):
        command = ("--", "sh", "-c", "printf 'a\\nb 1\\nc\\nb 2\\nd\\n'; exit 3")
        self.assertEqual(lines_of(self.shoot(3, "--cut", "^b 1", "^b 2", *command)), ["a", "b 2", "d"])
        done = pit_case.run([sys.executable, os.path.join(SCRIPTS, "screenshot.py"), "-o",
                             os.path.join(self.folder(), "x.svg"), "--cut", "z", "b"] + list(command))
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing to cut between z and b", done.stderr)

    def test_the_demo_shows_its_seven_parts_and_fits_the_screen(self):
        path = self.shoot(0, "--columns", "80", "--", os.path.join(SCRIPTS, "demo.sh"),
                          pit_case.build_dir(), timeout=200)
        lines = lines_of(path)
        text = "\n".join(lines)
        self.assertEqual([line for line in lines if len(line) > 80], [])
        self.assertLessEqual(len(lines), 150)
        self.assertEqual(re.findall(r"(?m)^(\d)\. ", text), ["1", "2", "3", "4", "5", "6", "7"])
        # The slowest is what the others are compared with: on a busy machine any of the three.
        models = re.findall(r"(?m)^(?:Baseline: )?(MLP|SIREN|KAN) training "
                            r"(?:\(| *: +\d+\.\d\dx (?:faster|slower)$)", text)
        self.assertEqual(sorted(models), ["KAN", "MLP", "SIREN"], text)
        # Which finding comes first depends on the machine; one is shown.
        third = text[text.index("\n3. "):text.index("\n4. ")]
        self.assertEqual(len(re.findall(r"(?m)^[A-Z]{3,}[A-Z -]*: ", third)), 1)
        self.assertNotIn("Killed", text)
        self.assertRegex(text, r"(?m)^(B \(KAN\) is \d|no verdict: )")
        self.assertRegex(text, r"(?m)^wall time +\S+ m?s +\S+ m?s +[-+0]")
        self.assertRegex(text, r"where it died:\n  heat: \S")
        # Which rank is slow depends on the machine; that there are two ranks does not.
        sixth = text[text.index("\n6. "):text.index("\n7. ")]
        self.assertRegex(sixth, r"(?m)^ranks +2 of 2, 1 host, ")
        self.assertRegex(sixth, r"(?m)^ +[01] .* ms")
        self.assertNotRegex(text, r"(?m)^machine ")
        home = os.path.join(pit_case.build_dir(), "demo")
        for name in ("fitting.pit", "fitting.csv", "decoding.pit", "killed.pit", "rom.txt",
                     "rom/oscillators/summary.json"):
            self.assertTrue(os.path.exists(os.path.join(home, name)), name)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
