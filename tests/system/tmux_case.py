"""A terminal for tests: tmux with a shell, whose state can be compared before and after."""

import os
import re
import shutil
import signal
import subprocess
import time

import pit_case

PROMPT = "ready$ "
MOST_SECONDS = 120  # seconds after which a missing text counts as a failure
NUMBER = re.compile(r"<?\d[\d,.]*(?: (?:ns|µs|ms|s|%|[kMGT]?B|[kMG])(?![\w])(?: \d+ s)?)?(?:/s)?")
# The verdict on prog_top: mostly INPUT-BOUND, but beside other programs, or if it was stopped, another one.
VERDICT = re.compile(r"^ [A-Z]{3,}[A-Z -]*: .*$", re.MULTILINE)
BARS = re.compile(r"[▁▂▃▄▅▆▇█]+(?: *[▁▂▃▄▅▆▇█]+)*")


def masked(screen):
    """A screen without the parts that vary: # for figures, ~ for bars, and one blank for several, because
    figures have different lengths."""
    lines = []
    for line in screen.splitlines():
        line = VERDICT.sub(" VERDICT", line)
        line = BARS.sub("~", line)
        line = NUMBER.sub("#", line).replace("# m #", "#")
        # How often a busy machine takes the processor away depends on the scheduler.
        line = re.sub(r" *no processor # ?%?", "", line)
        lines.append(re.sub(r" +", " ", line).rstrip())
    return "\n".join(lines).rstrip("\n") + "\n"


class Terminal:
    """One tmux server with one window; a bash runs in it."""

    def __init__(self, case, columns, lines):
        self.case = case
        self.socket = os.path.join(case.folder(), "tmux")
        env = pit_case.clean_env(LANG="C.UTF-8", LC_ALL="C.UTF-8", TERM="xterm-256color",
                                 PS1=PROMPT, NO_COLOR=None, TMUX=None)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", columns, "-y", lines,
                  "bash", "--norc", "--noprofile", env=env)
        case.addCleanup(self.tmux, "kill-server", check=False)
        self.wait(lambda screen: PROMPT.strip() in screen, "the shell")

    def tmux(self, *words, check=True, env=None):
        done = subprocess.run(["tmux", "-S", self.socket, *map(str, words)], env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        if check and done.returncode != 0:
            self.case.fail("tmux %s: %s" % (words, done.stderr))
        return done.stdout

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.keys("Enter")

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", columns, "-y", lines)

    def state(self):
        """1 where the alternate screen is on, and where the cursor is shown."""
        return self.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").strip()

    def wait(self, test, what, seconds=MOST_SECONDS):
        patience = pit_case.Patience(seconds)
        while True:
            screen = self.screen()
            if test(screen):
                return screen
            if patience.is_over():
                self.case.fail("waited in vain for %s; the screen:\n%s" % (what, screen))
            time.sleep(0.05)

    def wait_still(self):
        """Wait until the screen is whole: the same at several looks. The screen."""
        looks = []

        def is_still(screen):
            looks.append(screen)
            return len(looks) > 8 and len(set(looks[-8:])) == 1

        return self.wait(is_still, "a screen that stays")

    def wait_masked(self, wanted):
        """Wait until the screen, masked, is `wanted`; show both if it never is."""
        patience = pit_case.Patience(MOST_SECONDS)
        while masked(self.screen()) != wanted:
            if patience.is_over():
                self.case.assertEqual(masked(self.screen()), wanted)
            time.sleep(0.1)

    def wait_prompt(self):
        self.wait(lambda screen: screen.rstrip().endswith(PROMPT.strip()), "the prompt")

    def modes(self):
        """The output of stty. A second shell runs it: a shell that reads keys restores the modes by itself
        when a program dies, this one does not."""
        path = os.path.join(self.case.folder(), "modes")
        self.type("sh -c 'stty -a > %s; echo done >> %s'" % (path, path))
        return self.modes_in(path)

    def modes_in(self, path):
        """The same, as a command that ends with "done" has written it into a file."""
        patience = pit_case.Patience(MOST_SECONDS)
        while not patience.is_over():
            if os.path.exists(path):
                with open(path) as file:
                    text = file.read()
                if text.endswith("done\n"):
                    self.wait_prompt()
                    return text
            time.sleep(0.05)
        return self.case.fail("the shell does not answer:\n" + self.screen())

    def child(self, name="pitwall"):
        """The pid of the program of that name on this terminal."""
        terminal = self.tmux("display-message", "-p", "#{pane_tty}").strip()
        done = subprocess.run(["pgrep", "-t", terminal[len("/dev/"):], "-x", name],
                              capture_output=True, text=True, check=False)
        return int(done.stdout.split()[0])


class TmuxCase(pit_case.Case):
    """A program to watch, and a terminal to watch it in."""

    def setUp(self):
        if not shutil.which("tmux"):
            self.skipTest("the command tmux is missing")

    def program(self, *words, path=None, **env):
        """Start prog_top, which runs until its input ends; returns its path and process."""
        path = path or os.path.join(self.folder(), "run.pit")
        # by its name alone, so that it takes as many columns in every temporary folder
        child = subprocess.Popen([pit_case.program("prog_top"), os.path.basename(path),
                                  *map(str, words)],
                                 cwd=os.path.dirname(path), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 env=pit_case.clean_env(**env))
        self.addCleanup(self.end, child)
        self.assertEqual(child.stdout.readline(), b"ready\n")
        return path, child

    def end(self, child, number=None):
        """Let it end by itself, or by a signal."""
        if number:
            child.send_signal(number)
        if not child.stdin.closed:
            child.stdin.close()
        try:
            child.wait(timeout=300 * pit_case.slowness())
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
        child.stdout.close()

    def top(self, *words, columns=80, lines=24, until=None):
        """A terminal with top in it, waiting until `until`, or else a verdict, is on the screen."""
        terminal = Terminal(self, columns, lines)
        terminal.type("clear")
        terminal.wait_prompt()
        terminal.type(" ".join([pit_case.tool(), "top", *map(str, words)]))
        terminal.wait(lambda screen: until in screen if until else VERDICT.search(screen),
                      until or "the verdict")
        return terminal
