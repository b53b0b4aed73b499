"""The man pages: one per command, without warnings from the formatter, with everything in the help and
the document; and the files that `make install` adds to the tool."""

import os
import re
import shutil

import pit_case
from tool_help import commands, help_of, options_of

PAGES = os.path.join(pit_case.build_dir(), "man")


def page_of(command):
    return os.path.join(PAGES, "pitwall%s.1" % ("-" + command if command else ""))


class Man(pit_case.Case):
    def read(self, path):
        """A page as a reader sees it, on lines without end."""
        done = self.run_ok(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=1000n", path])
        self.assertEqual(done.stderr, "", path)
        return done.stdout

    def setUp(self):
        if not shutil.which("groff"):
            self.skipTest("the command groff is missing")

    def test_there_is_a_page_for_the_tool_and_every_command(self):
        names = {"pitwall.1"} | {"pitwall-%s.1" % command for command in commands()}
        self.assertEqual(set(os.listdir(PAGES)), names)

    def test_no_page_has_a_warning(self):
        for name in sorted(os.listdir(PAGES)):
            if name != "pitwall-diff.1":  # it sends to another page
                self.run_ok(["groff", "-man", "-Tutf8", "-ww", "-z", os.path.join(PAGES, name)])
                self.assertIn("NAME", self.read(os.path.join(PAGES, name)))
        done = self.run_ok(["man", "--warnings=w", "-l", page_of("report")],
                           env=pit_case.clean_env(MANPAGER="cat", MANROFFOPT="", LC_ALL="C.UTF-8"))
        self.assertEqual(done.stderr, "")
        self.assertIn("PITWALL-REPORT(1)", done.stdout)

    def test_a_page_has_what_the_help_has(self):
        for command in commands():
            if command == "diff":
                self.assertEqual(open(page_of(command), encoding="ascii").read(),
                                 ".so man1/pitwall-compare.1\n")
                continue
            text = self.read(page_of(command))
            for option in options_of(command):
                self.assertRegex(text, r"(?m)^ +(.*, )?%s( |,|$)" % re.escape(option), command)
            examples = help_of(command).split("\nExamples:\n")[1].split("\n\n")[0]
            for line in examples.splitlines():
                self.assertIn(line.strip(), text, command)
            for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "SEE ALSO"):
                self.assertRegex(text, r"(?m)^%s$" % part)

    def test_a_page_has_the_words_of_its_document(self):
        text = " ".join(self.read(page_of("recover")).split())
        self.assertIn("a run is recovered exactly once, and live runs and runs of other users "
                      "are left alone", text)
        self.assertNotIn("`", text)
        self.assertNotIn("](", text)

    def test_the_tools_own_page(self):
        text = self.read(page_of(""))
        for command in commands():
            self.assertIn("pitwall-%s(1)" % command, text)
        self.assertRegex(text, r"(?m)^ +PITWALL_FILE$")

    def test_everything_is_installed(self):
        prefix = self.folder()
        self.run_ok(["cmake", "--install", pit_case.build_dir(), "--prefix", prefix])
        share = os.path.join(prefix, "share")
        self.assertEqual(set(os.listdir(os.path.join(share, "man", "man1"))),
                         set(os.listdir(PAGES)))
        for path in ("bash-completion/completions/pitwall", "zsh/site-functions/_pitwall"):
            self.assertTrue(os.path.exists(os.path.join(share, path)), path)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
