"""Runs every block of code in the documents: programs compile without warnings and run, commands run, and the
output is as shown. doc_pages.py describes how blocks are marked."""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

import doc_pages
import pit_case

sys.path.append(os.path.join(pit_case.source_dir(), "tests", "python"))
import py_case  # noqa: E402

WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
STATUS = "--- status "  # the line after each command of a console block
TRIES, LEAST_TRIES = 20, 5
# `sleep` of a block with the note `until`: it also waits for that, and for five minutes at most.
LONGER_SLEEP = """sleep() {
    command sleep "$1"
    for _ in {1..3000}; do { %s; } > /dev/null 2>&1 && return; command sleep 0.1; done
}
"""


class Differs(Exception):
    """The output does not look like that on the page."""


def environment():
    """The environment of a reader who installed Pitwall: the tool, the headers, the library, the package."""
    build = pit_case.build_dir()
    library = os.path.join(build, "lib")
    return py_case.environment(
        PATH=os.pathsep.join([os.path.join(build, "bin"), os.path.join(build, "examples"),
                              os.environ["PATH"]]),
        CPATH=os.path.join(doc_pages.ROOT, "include"), LIBRARY_PATH=library,
        LD_LIBRARY_PATH=library, LC_ALL="C.UTF-8", NO_COLOR=None, FORCE_COLOR=None, COLUMNS=None)


class Page:
    """One page being tried, in a folder of its own."""

    def __init__(self, case, path):
        self.case, self.path, self.folder = case, path, case.folder()
        self.blocks = doc_pages.blocks(path)
        os.symlink(pit_case.build_dir(), os.path.join(self.folder, "build"))
        self.printed = None  # printed by the last program

    def where(self, block):
        return "%s:%d" % (self.path, block.line)

    def compile_all(self):
        """The C programs of the page, two at a time."""
        programs = [b for b in self.blocks if b.language == "c" and "not run" not in b.notes]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for block, done in zip(programs, pool.map(self.compile, programs)):
                self.case.assertEqual(done.returncode, 0, self.where(block) + "\n" + done.stderr)

    def compile(self, block):
        name = os.path.join(self.folder, block.notes.get("file", "program-%d.c" % block.line))
        with open(name, "w", encoding="utf-8") as file:
            file.write(block.text)
        return pit_case.run(["gcc", *WARNINGS, name, pit_case.library("a"), "-lpthread", "-lm",
                             "-o", os.path.join(self.folder, ".program-%d" % block.line)],
                            cwd=self.folder, env=environment())

    def run(self, command, block, what="output"):
        done = pit_case.run(command, cwd=self.folder, env=environment(), timeout=120,
                            stderr=subprocess.STDOUT)
        self.case.assertEqual(done.returncode, 0, "%s\n--- %s\n%s" % (self.where(block), what,
                                                                      done.stdout))
        return done.stdout

    def bash(self, script, block):
        return self.run(["bash", "-e", "-o", "pipefail", "-c", script], block)

    def same(self, printed, sample, block):
        if not doc_pages.prints_as(printed, sample, block.notes):
            raise Differs("%s: it does not print this\n--- printed\n%s\n--- page\n%s"
                          % (self.where(block), printed, sample))

    def try_all(self):
        self.compile_all()
        for block in self.blocks:
            self.case.assertIn(block.language, doc_pages.LANGUAGES, self.where(block)
                               + ": how is it checked? see doc_pages.py")
            if "not run" in block.notes:
                self.case.assertGreater(len(block.notes["not run"].split()), 2, self.where(block))
                continue
            if "before" in block.notes:
                self.bash(block.notes["before"], block)
            getattr(self, "try_" + block.language)(block)

    def try_c(self, block):
        self.printed = self.run([os.path.join(self.folder, ".program-%d" % block.line)], block)

    def try_python(self, block):
        name = block.notes.get("file", "program_%d.py" % block.line)
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(block.text)
        self.printed = self.run([py_case.PYTHON, name], block)

    def try_sh(self, block):
        lines = [line for line in block.text.splitlines() if line and not line.startswith("#")]
        if all(line.startswith("make") for line in lines):
            self.make_knows(lines, block)
        else:
            self.printed = self.bash(block.text, block)

    def make_knows(self, lines, block):
        makefile = doc_pages.text_of("Makefile")
        for line in lines:
            for word in line.split("#")[0].split()[1:]:
                if "=" not in word and not word.startswith('"') and '"' not in word:
                    self.case.assertRegex(makefile, r"(?m)^%s:" % re.escape(word),
                                          self.where(block))

    def try_console(self, block):
        commands = doc_pages.commands_of(block.text)
        self.case.assertTrue(commands, self.where(block) + ": no line begins with `$ `")
        script = LONGER_SLEEP % block.notes["until"] if "until" in block.notes else ""
        script += "".join("%s\necho '%s'$?\n" % (command, STATUS) for command, _ in commands)
        done = pit_case.run(["bash", "-c", script], cwd=self.folder, env=environment(), timeout=120,
                            stderr=subprocess.STDOUT)
        printed = re.split(r"(?m)^%s(\d+)\n" % STATUS, done.stdout)
        for index, (command, sample) in enumerate(commands):
            output = printed[2 * index] if 2 * index < len(printed) else ""
            if sample:
                self.same(output, sample, block)
            else:
                self.case.assertEqual(printed[2 * index + 1:2 * index + 2], ["0"],
                                      "%s: %s\n%s" % (self.where(block), command, output))

    def try_text(self, block):
        if "from" in block.notes:
            wanted = [doc_pages.masked(line) for line in block.text.splitlines() if line.strip()]
            have = {doc_pages.masked(line)
                    for line in doc_pages.text_of(block.notes["from"]).splitlines()}
            for line in wanted:
                self.case.assertIn(line, have, self.where(block))
            return
        self.case.assertIsNotNone(self.printed, self.where(block) + ": printed by what?")
        self.same(self.printed, block.text, block)

    def try_usage(self, block):
        self.case.assertIn("pitwall", block.text, self.where(block))  # test_docs.py has the options

    def try_yaml(self, block):
        name = block.notes.get("file", "conf.yaml")
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(block.text)
        self.run([pit_case.tool(), "run", "--config", name, "--", "true"], block)

    def try_json(self, block):
        json.loads(block.text)

    def try_h(self, block):
        self.case.assertIn("made by scripts/api_reference.py", doc_pages.text_of(self.path),
                           self.where(block))  # test_docs.py compares the page with the header

    def try_diagram(self, block):
        self.case.assertTrue(block.text.strip(), self.where(block))

    def name_columns(self):
        """The page of a view names every column of its CSV, or docs/fields.md does. A page that no test can
        run has no other columns."""
        view = os.path.splitext(os.path.basename(self.path))[0]
        if all("not run" in block.notes for block in self.blocks if block.language == "console"):
            self.case.assertIn("(../fields.md", doc_pages.prose(self.path))
            return
        done = self.case.run_ok([pit_case.tool(), "report", "run.pit", "--view", view, "--csv"],
                                cwd=self.folder)
        page = doc_pages.prose(self.path)
        if "(../fields.md" in page:
            page += doc_pages.text_of("docs/fields.md")
        for column in done.stdout.splitlines()[0].split(","):
            self.case.assertIn("`%s`" % column, page)

    def read_runs(self):
        """Every run that the page's programs left can be read."""
        for where, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(where, name)
                if name.endswith(".pit") and os.path.getsize(path) > 0:
                    self.case.run_ok([pit_case.tool(), "report", path])


class Blocks(pit_case.Case):
    """A case for each page that has blocks."""


def case_of(path):
    def test(self):
        """The output on a page was measured. On a machine that stops a program for seconds, another part
        may take longest, so a page that differs is tried again, if that takes no minutes."""
        patience = pit_case.Patience(60)
        for number in range(1, TRIES + 1):
            page = Page(self, path)
            try:
                page.try_all()
                break
            except Differs as found:
                if number == TRIES or (number >= LEAST_TRIES and patience.is_over()):
                    self.fail("%d tries, the last one: %s" % (number, found))
        if os.path.dirname(path) == os.path.join("docs", "views"):
            page.name_columns()
        page.read_runs()
    return test


for page_path in doc_pages.pages():
    if doc_pages.blocks(page_path):
        setattr(Blocks, "test_" + re.sub(r"\W", "_", page_path), case_of(page_path))


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
