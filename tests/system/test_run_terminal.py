"""pitwall run on a terminal, in tmux: passwords, Ctrl-C, Ctrl-Z and fg, background jobs: a user sees the
same as without Pitwall; and the report at the end."""

import os
import re
import subprocess
import time

import pit_case

PASSWORD = """import getpass
print("hello " + getpass.getpass("password: ").upper())
"""


class Terminal(pit_case.Case):
    """A shell in tmux: typed text, and the content of the screen."""

    WAIT = 240

    def setUp(self):
        self.home = self.folder()
        self.socket = os.path.join(self.home, "tmux")
        env = pit_case.clean_env(TERM="xterm", HISTFILE="/dev/null", TMUX=None,
                                 PATH=os.path.join(pit_case.build_dir(), "bin") + ":"
                                 + os.environ["PATH"])
        self.run_ok(["tmux", "-S", self.socket, "-f", "/dev/null", "new-session", "-d", "-x", "100",
                     "-y", "50", "-c", self.home, "bash --norc --noprofile"], env=env)
        self.addCleanup(pit_case.run, ["tmux", "-S", self.socket, "kill-server"])
        self.type("PS1='$ '; cd %s; clear" % self.home)
        self.wait_for(r"^\$ *$")

    def tmux(self, *arguments):
        return self.run_ok(["tmux", "-S", self.socket, *arguments]).stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.keys("Enter")

    def screen(self):
        return self.tmux("capture-pane", "-p", "-J", "-S", "-200").rstrip()

    def wait_for(self, pattern, what="the screen"):
        patience = pit_case.Patience(self.WAIT)
        while not patience.is_over():
            screen = self.screen()
            if re.search(pattern, screen, re.M):
                return screen
            time.sleep(0.02)
        raise AssertionError("%r is not on %s:\n%s" % (pattern, what, screen))

    def write(self, name, text):
        with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
            file.write(text)

    def children(self):
        """The commands of the shell's processes, by their state."""
        pid = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        done = subprocess.run(["ps", "-o", "stat=,args=", "--ppid", pid], check=False,
                              stdout=subprocess.PIPE, encoding="utf-8")
        return done.stdout

    def wait_foreground(self):
        """Wait until the job has the terminal and none of its processes is stopped: then a Ctrl-Z reaches
        it."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        patience = pit_case.Patience(self.WAIT)
        while not patience.is_over():
            lines = subprocess.run(["ps", "-o", "stat=,pgid=,tpgid=", "--ppid", shell], check=False,
                                   stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines()
            jobs = [line.split() for line in lines]
            if jobs and all(s[0] != "T" and group == front for s, group, front in jobs):
                return
            time.sleep(0.02)
        raise AssertionError("the job is not in the foreground: %r\n%s" % (lines, self.screen()))

    def both(self, check):
        """A check of a command without us and with us."""
        for prefix in ("", "pitwall run --quiet -o run.pit -- "):
            with self.subTest(prefix):
                check(prefix)
                self.type("clear")
                self.wait_for(r"\A\$ *\Z")


class AsWithoutUs(Terminal):
    def test_a_password_is_read_from_the_terminal(self):
        self.write("ask.py", PASSWORD)

        def check(prefix):
            self.type(prefix + "/usr/bin/python3 ask.py")
            self.wait_for("^password: *$")
            self.type("secret")
            screen = self.wait_for("^hello SECRET$")
            self.assertNotIn("secret", screen)
            self.type("echo visible; stty -a | grep -o ' -*echo '")
            self.wait_for(r"^visible$\n^ echo *$")  # and not -echo

        self.both(check)

    def test_ctrl_c(self):
        def check(prefix):
            self.type(prefix + "sh -c 'echo begun; sleep 100000'; echo status $?")
            self.wait_for("^begun$")
            self.keys("C-c")
            # The shell gives up the rest of the line where the program died of SIGINT itself.
            self.wait_for(r"^\^C(status 130)?\n*(status 130\n)?\$ *$")
            self.type("echo last $?")
            self.wait_for("^last (130|0)$")

        self.both(check)

    def test_ctrl_c_that_the_program_handles(self):
        def check(prefix):
            self.type(prefix + "bash -c 'n=0; trap \"n=\\$((n+1)); echo got \\$n\" INT; echo begun; "
                               "while [ $n -lt 2 ]; do sleep 0.05; done; exit 3'; echo status $?")
            self.wait_for("^begun$")
            self.keys("C-c")
            self.wait_for(r"got 1$")
            time.sleep(0.2)  # a spurious second one would arrive now
            self.assertNotIn("got 2", self.screen().replace("echo got", ""))
            self.keys("C-c")
            self.wait_for("^status 3$")
            self.assertNotIn("got 3", self.screen().replace("echo got", ""))

        self.both(check)

    def test_ctrl_z_and_fg(self):
        def check(prefix):
            self.type(prefix + "sh -c 'echo begun; read line; echo read $line; exit 5'; "
                               "echo status $?")
            self.wait_for("^begun$")
            self.keys("C-z")
            self.wait_for(r"^\[1\]\+ +Stopped +")
            self.wait_for("^status 148$")
            states = self.children()
            self.assertRegex(states, r"(?m)^T")
            self.assertNotRegex(states, r"(?m)^[SR]\S* .*(begun|pitwall)")
            self.type("fg")
            self.wait_foreground()
            self.type("a line")
            self.wait_for("^read a line$")
            self.type("echo after $?")
            self.wait_for(r"^after \d+$")
            self.assertEqual(self.children().count("begun"), 0)

        self.both(check)

    def test_stopped_twice_and_continued_in_the_background(self):
        def check(prefix):
            go = os.path.join(self.home, "go")
            if os.path.exists(go):
                os.remove(go)
            # Not sh, which starts programs by vfork: if Ctrl-Z stops the child before its exec, the parent
            # waits for it in the kernel, cannot be stopped, and no shell gets the terminal back.
            self.type(prefix + "bash -c 'echo begun; until [ -e go ]; do sleep 0.05; done; "
                               "echo slept; exit 6'")
            self.wait_for("^begun$")
            for _ in range(2):
                self.keys("C-z")
                self.wait_for(r"^\[1\]\+ +Stopped +")
                self.type("clear; fg")
                self.wait_foreground()
            self.keys("C-z")
            self.wait_for(r"^\[1\]\+ +Stopped +")
            self.type("bg; touch go; wait %1; echo status $?")
            self.wait_for("^slept$")
            # The shell may report the end before it runs `wait`, which then finds no such job.
            self.wait_for(r"^status 6$|^\[1\]\+ +Exit 6 ")

        self.both(check)

    def test_a_background_job_that_reads_stops_for_it(self):
        def check(prefix):
            self.type(prefix + "sh -c 'read line; echo read $line' &")
            # The shell reports it before the next prompt.
            patience = pit_case.Patience(self.WAIT)
            while "Stopped" not in self.screen() and not patience.is_over():
                self.keys("Enter")
                time.sleep(0.1)
            self.assertIn("Stopped", self.screen())
            self.type("fg")
            self.wait_foreground()
            self.type("a line")
            self.wait_for("^read a line$")

        self.both(check)

    def test_the_window_size_changes(self):
        def check(prefix):
            self.type(prefix + "bash -c 'trap \"stty size; seen=1\" WINCH; echo begun; "
                               "while [ -z \"$seen\" ]; do sleep 0.02; done'")
            self.wait_for("^begun$")
            columns = 80 if prefix else 90
            self.tmux("resize-window", "-x", str(columns), "-y", "40")
            self.wait_for("^40 %d$" % columns)

        self.both(check)


class Report(Terminal):
    def test_on_a_terminal_the_report_comes_by_itself(self):
        # Without readings there is no advice, such as that it had to wait for a processor.
        self.type("PITWALL_SAMPLE=0 pitwall run -o run.pit -- sh -c 'exit 3'")
        screen = self.wait_for(r"^pitwall: exit status 3 after \d+\.\d{3} s; run: run\.pit$")
        self.assertRegex(screen, r"(?m)^exit status 3 after .*; no spans were recorded$")
        self.assertRegex(screen, r"(?m)^ended +exit status 3, ")
        self.type("clear; pitwall run --no-report -o run.pit -- sh -c 'exit 4'")
        screen = self.wait_for(r"^pitwall: exit status 4 ")
        self.assertNotIn("ended ", screen)
        self.type("clear; pitwall run --quiet -o run.pit -- sh -c 'exit 5'; echo $? done")
        screen = self.wait_for("^5 done$")
        self.assertNotIn("exit status", screen)

    def test_only_standard_error_counts(self):
        self.type("pitwall run -o run.pit -- echo hello 2>talk; cat talk | wc -c; echo done")
        screen = self.wait_for("^done$")
        self.assertRegex(screen, r"(?m)^hello\n0$")


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
