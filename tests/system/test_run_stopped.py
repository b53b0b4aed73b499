"""pitwall run and a program that other processes stop and continue, or that leaves orphans behind."""

import ctypes
import os
import signal
import subprocess
import sys

import pit_case
import pit_runs

WAIT = 300
PR_SET_CHILD_SUBREAPER = 36

# Prints its pid, then counts until it receives a signal to end.
PROGRAM = """import os, signal, time
ended = []
signal.signal(signal.SIGUSR1, lambda *_: ended.append(1))
with open("pid.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid.new", "pid")
while not ended:
    time.sleep(0.01)
raise SystemExit(7)
"""

# Two grandchildren that outlive their parent; they end when "go" is there.
ORPHANS = """import os, signal, subprocess, sys, time
got = []
signal.signal(signal.SIGTERM, lambda *_: got.append(1))
for i in range(2):
    subprocess.check_call(["sh", "-c", "sh -c 'echo $$ >orphan-%d.new; mv orphan-%d.new orphan-%d; "
                           "until [ -e go ]; do sleep 0.02; done' </dev/null >/dev/null 2>&1 &" % (i, i, i)])
with open("pid.new", "w") as file:
    file.write(str(os.getpid()))
os.rename("pid.new", "pid")
while not got:
    time.sleep(0.01)
raise SystemExit(8)
"""


def stat_of(pid):
    """(state, ppid) of a process, or None if it is gone."""
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
            words = file.read().rpartition(") ")[2].split()
    except OSError:
        return None
    return words[0], int(words[1])


def state_of(pid):
    found = stat_of(pid)
    return found[0] if found else None


class Running(pit_case.Case):
    def start(self, text, prefix=(), **options):
        """A program below `pitwall run`: the tool's process, and the program's pid."""
        self.home = self.folder()
        with open(os.path.join(self.home, "program.py"), "w", encoding="utf-8") as file:
            file.write(text)
        tool = subprocess.Popen(
            [*prefix, pit_case.tool(), "run", "--quiet", "-o", "run.pit", "--", sys.executable,
             "program.py"],
            cwd=self.home, env=pit_case.clean_env(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, **options)
        self.addCleanup(self.finish, tool)
        return tool, self.number("pid")

    def finish(self, tool):
        """Nothing is left of a case that failed."""
        if tool.poll() is None:
            tool.kill()
        tool.wait()
        for pid in self.running_here():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def running_here(self):
        """Processes whose folder is that of this test."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink("/proc/%s/cwd" % pid) == self.home and state_of(int(pid)) != "Z":
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def number(self, name):
        path = os.path.join(self.home, name)
        self.wait(lambda: os.path.exists(path), "the program has not written %s" % name)
        with open(path, encoding="utf-8") as file:
            return int(file.read())

    def wait(self, condition, what):
        found = pit_runs.wait_until(condition, WAIT, 0.01)
        self.assertTrue(found, what)
        return found

    def wait_state(self, pid, states, what):
        self.wait(lambda: state_of(pid) in states, "%s: state %s" % (what, state_of(pid)))

    def ends_with(self, tool, status):
        """It ends by itself: everything it waits for has happened."""
        self.wait(lambda: tool.poll() is not None,
                  "pitwall run has not ended: state %s" % state_of(tool.pid))
        self.assertEqual(tool.returncode, status)


class Stopped(Running):
    def test_the_program_alone_is_stopped_and_continued(self):
        for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
            with self.subTest(number.name):
                tool, pid = self.start(PROGRAM)
                for _ in range(3):
                    os.kill(pid, number)
                    self.wait_state(pid, "T", "the program")
                    if number != signal.SIGSTOP:  # a shell is to see that the job has stopped
                        self.wait_state(tool.pid, "T", "pitwall run")
                    os.kill(pid, signal.SIGCONT)
                    self.wait_state(pid, "SR", "the program")
                    self.wait_state(tool.pid, "SR", "pitwall run")
                os.kill(pid, signal.SIGUSR1)
                self.ends_with(tool, 7)

    def test_a_program_stopped_by_sigstop_does_not_stop_us(self):
        tool, pid = self.start(PROGRAM)
        os.kill(pid, signal.SIGSTOP)
        self.wait_state(pid, "T", "the program")
        os.kill(tool.pid, signal.SIGUSR1)  # is passed on, so it was running
        self.wait(lambda: self.pending(pid, signal.SIGUSR1), "SIGUSR1 was not passed on")
        self.wait_state(tool.pid, "SR", "pitwall run")
        os.kill(pid, signal.SIGCONT)
        self.ends_with(tool, 7)

    def pending(self, pid, number):
        with open("/proc/%d/status" % pid, encoding="utf-8") as file:
            masks = [line.split()[1] for line in file if line.startswith("ShdPnd:")]
        return int(masks[0], 16) >> (number - 1) & 1

    def test_a_program_killed_while_both_are_stopped(self):
        tool, pid = self.start(PROGRAM)
        os.kill(pid, signal.SIGTSTP)
        self.wait_state(tool.pid, "T", "pitwall run")
        os.kill(pid, signal.SIGKILL)
        self.ends_with(tool, 128 + signal.SIGKILL)

    def test_we_are_continued_and_the_program_with_us(self):
        tool, pid = self.start(PROGRAM)
        os.kill(pid, signal.SIGTSTP)
        self.wait_state(tool.pid, "T", "pitwall run")
        os.kill(tool.pid, signal.SIGCONT)
        self.wait_state(pid, "SR", "the program")
        os.kill(pid, signal.SIGUSR1)
        self.ends_with(tool, 7)

    def test_no_process_of_ours_is_left(self):
        tool, pid = self.start(PROGRAM)
        os.kill(pid, signal.SIGTSTP)
        self.wait_state(tool.pid, "T", "pitwall run")
        tool.kill()  # the watcher notices that there is no process left to continue
        tool.wait()
        os.kill(pid, signal.SIGKILL)
        self.wait(lambda: not self.running_here(), "still running: %s" % self.running_here())


class Orphans(Running):
    def test_orphans_are_reaped_while_the_program_runs(self):
        """A subreaper is to its descendants what process 1 is to a container."""
        def become_subreaper():
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

        tool, pid = self.start(ORPHANS, preexec_fn=become_subreaper)
        orphans = [self.number("orphan-%d" % i) for i in range(2)]
        for orphan in orphans:
            self.wait(lambda: (stat_of(orphan) or (0, 0))[1] == tool.pid, "not ours: %r" % orphan)
        with open(os.path.join(self.home, "go"), "w", encoding="utf-8"):
            pass
        for orphan in orphans:
            self.wait(lambda: stat_of(orphan) is None,
                      "orphan %d is left: %r" % (orphan, stat_of(orphan)))
        self.assertIsNone(tool.poll())
        os.kill(tool.pid, signal.SIGTERM)  # is passed on
        self.ends_with(tool, 8)
        self.assertIsNone(stat_of(pid))

    def test_as_process_1_of_a_pid_namespace(self):
        unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if os.getuid() != 0:
            unshare += ["--user", "--map-root-user"]
        tried = pit_case.run([*unshare, "true"])
        if tried.returncode != 0:
            self.skipTest("no pid namespace here: " + tried.stderr.strip())
        outer, _ = self.start(ORPHANS, prefix=unshare)
        tool = self.wait(lambda: self.child_of(outer.pid), "nobody below unshare")
        for i in range(2):
            self.number("orphan-%d" % i)
        self.wait(lambda: len(self.children(tool)) == 3, "orphans are not ours")
        with open(os.path.join(self.home, "go"), "w", encoding="utf-8"):
            pass
        self.wait(lambda: len(self.children(tool)) == 1,
                  "left: %r" % [(pid, stat_of(pid)) for pid in self.children(tool)])
        os.kill(tool, signal.SIGTERM)
        self.ends_with(outer, 8)

    def children(self, pid):
        return [int(name) for name in os.listdir("/proc")
                if name.isdigit() and (stat_of(int(name)) or (0, 0))[1] == pid]

    def child_of(self, pid):
        found = self.children(pid)
        return found[0] if found else None


if __name__ == "__main__":
    pit_case.main(has_threads=False)
