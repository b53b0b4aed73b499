"""Completion in real shells: offers exactly the commands and options of the tool."""

import os
import pty
import re
import select
import shutil

import pit_case
from tool_help import commands, help_of, listed, options_of

FOLDER = os.path.join(pit_case.source_dir(), "completions")

BASH = r"""
source "$1"
shift
COMP_WORDS=(pitwall "$@")
COMP_CWORD=$#
_pitwall
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""

# ^T inserts all suggestions, ^X prints the resulting line.
ZSH = r"""
PROMPT= RPROMPT=
fpath=(%s $fpath)
autoload -Uz compinit
compinit -u -D
zle -C all-matches complete-word _generic
zstyle ':completion:all-matches:*' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert true
bindkey '^T' all-matches
show-line() { print -r -- "$BUFFER" >&3; BUFFER= }
zle -N show-line
bindkey '^X' show-line
print ready >&3
"""


def option_tables():
    """Command -> the long options in its source, including those that it shares with others."""
    cli = os.path.join(pit_case.source_dir(), "src", "cli")
    with open(os.path.join(cli, "cli.h"), encoding="utf-8") as file:
        shared = dict(re.findall(r"#define (FORM_\w+_OPTIONS)((?:.*\\\n)*.*\n)", file.read()))
    tables = {}
    for command in commands():
        path = os.path.join(cli, "cmd_%s.c" % command)
        if os.path.exists(path):  # diff is compare
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text += "".join(body for name, body in shared.items() if name + "," in text)
            tables[command] = set(re.findall(r'\{"([a-z-]+)", (?:no|required|optional)_arg', text))
    for folder, _, files in os.walk(os.path.join(pit_case.source_dir(), "src", "views")):
        for name in files:  # the options of views are listed with them
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                tables["report"] |= set(re.findall(r'pit_option \w+ = \{\s*\.name = "([a-z-]+)"',
                                                   file.read()))
    return tables


class Shell(pit_case.Case):
    """A folder with a run, a document and something else in it."""

    def setUp(self):
        self.here = self.folder()
        for name in ("a run.pit", "b.pit", "c.json", "d.txt"):
            with open(os.path.join(self.here, name), "w", encoding="ascii"):
                pass
        os.mkdir(os.path.join(self.here, "folder"))
        self.env = pit_case.clean_env(
            PATH=os.path.dirname(pit_case.tool()) + ":" + os.environ["PATH"], TERM="dumb")


class Bash(Shell):
    def offered(self, *words):
        done = self.run_ok(["bash", "--norc", "-c", BASH, "bash",
                            os.path.join(FOLDER, "pitwall.bash"), *words],
                           cwd=self.here, env=self.env)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.splitlines())

    def test_commands(self):
        self.assertEqual(self.offered(""), set(commands()) | {"--help", "--version", "--cflags", "--libs"})
        self.assertEqual(self.offered("re"), {"report", "recover"})

    def test_options_of_every_command(self):
        for command in commands():
            offered = self.offered(command, "-")
            self.assertEqual(offered, options_of(command), command)
            self.assertIn("--help", offered)

    def test_words_of_options(self):
        self.assertEqual(self.offered("report", "--view", ""),
                         set(listed("report", "--view", "help")))
        self.assertEqual(self.offered("report", "--sort", "p"), {"p50", "p95", "p99"})
        self.assertEqual(self.offered("export", "--format", ""),
                         set(listed("export", "--format", "help")))
        self.assertEqual(self.offered("scale", "--what", ""), {"wall", "cpu", "memory"})
        self.assertEqual(self.offered("report", "--depth", ""), set())

    def test_files(self):
        self.assertEqual(self.offered("report", ""), {"a run.pit", "b.pit", "folder"})
        self.assertEqual(self.offered("info", "a"), {"a run.pit"})
        self.assertEqual(self.offered("compare", ""), {"a run.pit", "b.pit", "c.json", "folder"})
        self.assertEqual(self.offered("log", ""),
                         {"a run.pit", "b.pit", "c.json", "d.txt", "folder"})
        self.assertEqual(self.offered("doctor", ""), {"folder"})
        self.assertEqual(self.offered("race", "-o", "f"), {"folder"})

    def test_the_program_of_run(self):
        self.assertEqual(self.offered("run", ""), {"--"})
        self.assertIn("true", self.offered("run", "--", "tru"))
        self.assertEqual(self.offered("run", "--", "cat", "d"), {"d.txt"})


class Zsh(Shell):
    """One shell on its own terminal for all questions of a test."""

    def setUp(self):
        super().setUp()
        if not shutil.which("zsh"):
            self.skipTest("the command zsh is missing")
        setup = os.path.join(self.folder(), "setup")
        with open(setup, "w", encoding="ascii") as file:
            file.write(ZSH % FOLDER)
        self.answers, said = os.pipe()
        child, self.terminal = pty.fork()
        if child == 0:
            os.dup2(said, 3)
            os.chdir(self.here)
            os.execvpe("zsh", ["zsh", "-f", "-i"], self.env)
        os.close(said)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, self.answers)
        self.addCleanup(os.close, self.terminal)
        os.write(self.terminal, b"source %s\n" % setup.encode())
        self.assertEqual(self.answer(), "ready")

    def answer(self):
        text, patience = b"", pit_case.Patience(300)
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self.answers, self.terminal], [], [], 1)
            if self.terminal in ready:
                os.read(self.terminal, 65536)
            if self.answers in ready:
                text += os.read(self.answers, 65536)
            self.assertFalse(patience.is_over(), "zsh does not answer: %r" % text)
        return text.decode().strip()

    def offered(self, *words):
        line = " ".join(("pitwall",) + words)
        os.write(self.terminal, line.encode() + b"\x14\x18")
        start = line[:len(line) - len(words[-1])]
        answer = self.answer()
        self.assertTrue((answer + " ").startswith(start), answer)
        return {word.replace("\0", " ")
                for word in answer[len(start):].replace("\\ ", "\0").split()}

    def test_the_same_is_offered(self):
        self.assertEqual(self.offered(""), set(commands()) | {"--help", "--version", "--cflags", "--libs"})
        for command in commands():
            self.assertEqual(self.offered(command, "-"), options_of(command), command)
        self.assertEqual(self.offered("report", "--view", ""),
                         set(listed("report", "--view", "help")))
        self.assertEqual(self.offered("export", "--format", "c"), {"csv", "chrome-trace"})
        self.assertEqual(self.offered("scale", "--what", ""), {"wall", "cpu", "memory"})
        self.assertEqual(self.offered("info", "b"), {"b.pit"})
        self.assertEqual(self.offered("info", "a"), {"a run.pit"})
        self.assertEqual(self.offered("compare", "c"), {"c.json"})
        self.assertEqual(self.offered("doctor", "f"), {"folder/"})
        self.assertEqual(self.offered("run", "--", "cat", "d"), {"d.txt"})


class Help(pit_case.Case):
    """The help that completion and people read."""

    def test_every_option_is_in_the_help(self):
        tables = option_tables()
        self.assertGreater(len(tables), 8)
        aliases = {"no-color": "no-colour", "maximize": "maximise"}
        for command, names in tables.items():
            self.assertIn("help", names, command)
            named = {"--" + aliases.get(name, name) for name in names}
            given = {option for option in options_of(command) if option.startswith("--")}
            self.assertEqual(named, given, command)

    def test_it_fits_a_screen(self):
        for command in commands():
            text = help_of(command)
            lines = text.splitlines()
            self.assertLessEqual(len(lines), 40, command)
            self.assertEqual([line for line in lines if len(line) > 80], [], command)
            self.assertTrue(text.startswith("Usage: pitwall "), command)
            for part in ("\nExamples:\n  ", "\nExit status: "):
                self.assertIn(part, text, command)
            self.assertEqual(pit_case.run([pit_case.tool(), command, "-h"]).stdout, text)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
