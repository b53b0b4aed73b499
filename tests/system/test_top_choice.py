"""Which run `pitwall top` shows: the live one of this folder, one that has just started, the next one."""

import os
import re
import signal
import subprocess

import pit_case
from tmux_case import Terminal, TmuxCase, masked


class Choice(TmuxCase):
    def once(self, *words, status=0, **options):
        return self.run_status(status, [pit_case.tool(), "top", "--once", *map(str, words)], **options)

    def runs_folder(self):
        """A user's folder, with pitwall-runs in it."""
        here = self.folder()
        os.mkdir(os.path.join(here, "pitwall-runs"))
        return here

    def top_here(self, here, *words, until, columns=80, lines=24):
        """top without an argument, in that folder, once `until` is on the screen."""
        terminal = Terminal(self, columns, lines)
        terminal.type("cd %s; clear" % here)
        terminal.wait_prompt()
        terminal.type(" ".join([pit_case.tool(), "top", *words]))
        terminal.wait(lambda text: until in text, until)
        return terminal

    def shown_pid(self, terminal, child):
        terminal.wait(lambda text: "pid %d " % child.pid in text.splitlines()[0],
                      "the run of process %d" % child.pid)


class OfThisFolder(Choice):
    def test_live_runs_of_this_folder_come_alone(self):
        here = self.runs_folder()
        mine, _ = self.program("train", path=os.path.join(here, "pitwall-runs", "mine.pit"))
        other, _ = self.program("train")
        text = self.once(cwd=here).stdout
        self.assertIn("pitwall-runs/mine.pit, pid ", text)
        self.assertNotIn(other, text)
        self.assertTrue(os.path.exists(mine))

    def test_so_does_one_whose_program_was_started_here_and_writes_elsewhere(self):
        here, path = self.folder(), os.path.join(self.folder(), "away.pit")
        child = subprocess.Popen([pit_case.program("prog_top"), path, "train"], cwd=here,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 env=pit_case.clean_env())
        self.addCleanup(self.end, child)
        self.assertEqual(child.stdout.readline(), b"ready\n")
        self.program("train")
        text = self.once(cwd=here).stdout
        self.assertEqual(re.findall(r"^(.*), pid \d+$", text, re.MULTILINE), [path])

    def test_a_run_of_another_folder_that_has_ended_is_not_shown_though_it_is_mapped(self):
        dead, child = self.program("train")
        self.end(child, signal.SIGKILL)
        self.top(dead, until="died")  # a reader: it has the run mapped
        live, _ = self.program("train")
        text = self.once(cwd=self.folder()).stdout
        self.assertNotIn(dead, text)
        self.assertIn(live, text)

    def test_the_newest_run_here_that_has_ended_stays_until_one_is_live(self):
        here = self.runs_folder()
        old = os.path.join(here, "pitwall-runs", "old.pit")
        _, child = self.program("train", path=old)
        self.end(child)
        terminal = self.top_here(here, "pitwall-runs", until="done")
        _, new = self.program("train", path=os.path.join(here, "pitwall-runs", "new.pit"))
        self.shown_pid(terminal, new)
        self.assertRegex(terminal.screen(), r"prog_top ended after .* now showing prog_top, pid %d"
                         % new.pid)
        self.assertIn("old.pit", self.once("pitwall-runs/old.pit", cwd=here).stdout)

    def test_from_another_folder_it_comes_to_this_one(self):
        here = self.folder()
        self.program("train")
        terminal = self.top_here(here, until="no live run in this folder; showing")
        _, child = self.program("train", path=os.path.join(here, "mine.pit"))
        self.shown_pid(terminal, child)


class Waiting(Choice):
    def test_a_program_without_spans_yet_is_shown_and_its_first_span_comes(self):
        here = self.runs_folder()
        _, child = self.program("late", path=os.path.join(here, "pitwall-runs", "late.pit"))
        terminal = self.top_here(here, until="no spans yet: the program is importing")
        self.assertIn("live", terminal.screen().splitlines()[0])
        child.stdin.write(b"\n")
        child.stdin.flush()
        terminal.wait(lambda text: "data_loading" in text, "the spans")

    def test_a_program_that_was_just_started_is_waited_for(self):
        here = self.folder()
        words = "read line; exec %s late.pit train" % pit_case.program("prog_top")
        child = subprocess.Popen([pit_case.tool(), "run", "--", "sh", "-c", words], cwd=here,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, env=pit_case.clean_env())
        self.addCleanup(self.end, child)
        terminal = self.top_here(here, until="A program was started here.")
        self.assertIn("records nothing yet", self.once(cwd=here, status=66).stderr)
        child.stdin.write(b"\n")
        child.stdin.flush()
        terminal.wait(lambda text: "data_loading" in text and "live" in text.splitlines()[0],
                      "the run")

    def test_wait_takes_the_first_live_run_and_nothing_else(self):
        here = self.runs_folder()
        _, child = self.program("train", path=os.path.join(here, "pitwall-runs", "old.pit"))
        self.end(child)
        self.program("train")  # of another folder
        terminal = self.top_here(here, "--wait", until="Waiting for a run in " + here[:10])
        self.assertEqual(masked(terminal.screen()).splitlines()[2:4],
                         [" To record a program, start it in another terminal:",
                          " pitwall run -- PROGRAM [ARGUMENTS]"])
        terminal.keys("?")
        terminal.wait(lambda text: "press any key to return" in text, "the keys")
        terminal.keys("x", "s", "Tab", "o", "Space")
        terminal.wait(lambda text: "Waiting for a run" in text, "the waiting")
        _, child = self.program("train", path=os.path.join(here, "pitwall-runs", "new.pit"))
        self.shown_pid(terminal, child)
        terminal.keys("q")
        terminal.wait_prompt()

    def test_waiting_can_be_left(self):
        terminal = self.top_here(self.folder(), "--wait", until="Waiting for a run")
        terminal.keys("q")
        terminal.wait_prompt()

    def test_a_run_and_a_folder_that_do_not_exist_yet(self):
        here = self.folder()
        for argument, path in (("one.pit", "one.pit"), ("later", "later/two.pit")):
            terminal = self.top_here(here, argument, "--wait", until="Waiting for a run: " + argument)
            os.makedirs(os.path.dirname(os.path.join(here, path)), exist_ok=True)
            _, child = self.program("train", path=os.path.join(here, path))
            self.shown_pid(terminal, child)

    def test_a_snapshot_waits_for_the_first_span(self):
        here = self.folder()
        watcher = subprocess.Popen([pit_case.tool(), "top", "--once", "--wait"], cwd=here,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=pit_case.clean_env())
        self.addCleanup(watcher.stderr.close)
        self.assertEqual(watcher.stderr.readline(), "pitwall: waiting for a run\n")
        _, child = self.program("late", path=os.path.join(here, "late.pit"))
        child.stdin.write(b"\n")
        child.stdin.flush()
        text = watcher.communicate(timeout=300)[0]
        self.assertEqual(watcher.returncode, 0)
        self.assertIn("epoch", text)


class Next(Choice):
    def two(self):
        here = self.folder()
        _, first = self.program("train", path=os.path.join(here, "a.pit"))
        _, second = self.program("train", path=os.path.join(here, "b.pit"))
        return here, first, second

    def test_when_a_run_ends_the_one_that_lives_is_shown_and_said(self):
        for ends, word in ((None, "ended"), (signal.SIGKILL, "died")):
            here, first, second = self.two()
            terminal = self.top_here(here, until="data_loading", lines=12)
            self.shown_pid(terminal, second)  # it was started last
            self.end(second, ends)
            self.shown_pid(terminal, first)
            self.assertRegex(terminal.screen().splitlines()[-1],
                             r"^ prog_top %s after .+; now showing prog_top, pid %d\. Tab"
                             % (word, first.pid))
            terminal.keys("Tab")  # back to the one that has ended: it stays
            self.shown_pid(terminal, second)
            terminal.wait(lambda text: "now showing" not in text, "the keys")
            self.end(first)

    def test_the_last_one_stays_with_its_result(self):
        here, first, second = self.two()
        terminal = self.top_here(here, until="data_loading")
        self.end(first)
        self.end(second)
        terminal.wait(lambda text: "done" in text.splitlines()[0], "the result")

    def test_a_run_that_was_named_stays(self):
        here, first, second = self.two()
        terminal = self.top_here(here, "b.pit", until="data_loading")
        self.end(second)
        terminal.wait(lambda text: "done" in text.splitlines()[0], "its end")
        self.assertIn("pid %d " % second.pid, terminal.screen().splitlines()[0])
        self.assertIsNone(first.poll())

    def test_ten_runs_begin_with_the_list_and_one_is_chosen(self):
        here = self.folder()
        children = [self.program("nodes", 2, 1, path=os.path.join(here, "r%d.pit" % i))[1]
                    for i in range(10)]
        terminal = self.top_here(here, until="10 runs")
        terminal.wait(lambda text: text.count(" live ") == 10, "ten lines")
        # the newest first
        names = re.findall(r"^ (r\d)\.pit ", terminal.screen(), re.MULTILINE)
        self.assertEqual(names, ["r%d" % i for i in range(9, -1, -1)])
        self.assertEqual(terminal.screen().splitlines()[-1].strip(),
                         "Enter show it  arrows mark  o back  q quit")
        terminal.keys("Down", "Down", "Down", "Enter")
        self.shown_pid(terminal, children[6])
        terminal.wait(lambda text: "4/10" in text.splitlines()[0] and "node 0" in text, "its spans")


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
