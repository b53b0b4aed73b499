"""`pitwall top`: its screens, the state of the terminal afterwards, and its text and JSON forms."""

import json
import os
import re
import signal
import subprocess
import time

import pit_case
import pit_runs
from tmux_case import PROMPT, VERDICT, Terminal, TmuxCase

GOLDEN = os.path.join(pit_case.source_dir(), "tests", "golden")


def golden(name):
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        return file.read()


class Screens(TmuxCase):
    def test_screens_of_three_sizes_are_as_they_should_be_also_after_a_resize(self):
        path, _ = self.program("train")
        terminal = self.top(path)
        for columns, lines in ((80, 24), (200, 60), (40, 10), (80, 24)):
            with self.subTest(size="%dx%d" % (columns, lines)):
                terminal.resize(columns, lines)
                terminal.wait_masked(golden("top-%dx%d.txt" % (columns, lines)))
                screen = terminal.screen().splitlines()
                self.assertLessEqual(max(map(len, screen)), columns)

    def test_a_screen_of_any_size_does_no_harm(self):
        path, _ = self.program("train")
        terminal = self.top(path)
        for columns, lines in ((1, 1), (3, 50), (10, 15), (21, 14), (600, 3), (300, 100)):
            terminal.resize(columns, lines)
            time.sleep(0.2)
        terminal.resize(80, 24)
        terminal.wait_masked(golden("top-80x24.txt"))

    def test_figures_stand_under_the_ends_of_their_titles(self):
        path, _ = self.program("train")
        for columns in (40, 80, 120, 200):
            terminal = self.top(path, columns=columns, lines=24)
            screen = terminal.wait(lambda text: not re.search("─ data_loading .*n/a", text),
                                   "rates").splitlines()
            head = next(i for i, line in enumerate(screen) if line.startswith(" span "))
            row = next(line for line in screen if "─ data_loading " in line)
            for title in re.finditer(r"(?<=  )(?:self )?[a-z/]+", screen[head]):
                if title.group() == "duration":
                    self.assertRegex(row[title.start():], "^ *[▁▂▃▄▅▆▇█]")
                    self.assertNotRegex(row[:title.start()], "[▁▂▃▄▅▆▇█]")
                elif title.group() != "items/s":
                    self.assertRegex(row[title.end() - 1], r"[\d%skMs]", title.group())
                    self.assertEqual(row[title.end():title.end() + 1].strip(), "",
                                     screen[head] + "\n" + row)

    def test_colour_only_where_it_is_wanted(self):
        path, _ = self.program("train")
        for option, has_colour in (("", True), ("--no-colour", False)):
            terminal = self.top(path, option)
            coloured = terminal.tmux("capture-pane", "-p", "-e")
            self.assertEqual(bool(re.search("\x1b\\[[0-9;]*3[1-6]m", coloured)), has_colour)

    def test_without_utf8_all_of_it_is_ascii(self):
        path, _ = self.program("train")
        terminal = Terminal(self, 80, 24)
        terminal.type("LC_ALL=C LANG=C %s top %s" % (pit_case.tool(), path))
        screen = terminal.wait(lambda text: "`- forward" in text, "ASCII lines")
        self.assertTrue(screen.isascii(), screen)

    def test_a_name_that_would_move_the_cursor_is_made_visible(self):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_place"), "open=" + path, "begin=a\x1b[2Jb", "close"])
        terminal = self.top(path, until="done")
        terminal.wait(lambda screen: r"a\x1b[2Jb" in screen, "the name")


class Keys(TmuxCase):
    def test_sort_fold_filter_pause_and_help(self):
        path, _ = self.program("train")
        terminal = self.top(path, until="forward")
        terminal.keys("?")
        terminal.wait(lambda screen: "press any key to return" in screen, "the help")
        terminal.keys("x")
        terminal.wait(lambda screen: "data_loading" in screen, "the tree")
        terminal.keys("s")
        terminal.wait(lambda screen: "sort: now" in screen, "the next order")
        terminal.keys("S")
        terminal.wait(lambda screen: "sort: run" in screen, "the order before")
        terminal.keys("Down", "Space")
        terminal.wait(lambda screen: "batch +4" in screen and "forward" not in screen, "a fold")
        terminal.keys("Space")
        terminal.wait(lambda screen: "forward" in screen, "the fold undone")
        terminal.keys("-")
        terminal.wait(lambda screen: "epoch +5" in screen, "all folded")
        terminal.keys("+")
        terminal.wait(lambda screen: "matmul" in screen, "all unfolded")
        terminal.keys("/")
        terminal.keys("-l", "MATx")
        terminal.wait(lambda screen: "no span of that name" in screen, "nothing found")
        terminal.keys("BSpace", "Enter")
        terminal.wait(lambda screen: "matmul" in screen and "- data_loading" not in screen and
                      "─ data_loading" not in screen, "only what was asked for")
        terminal.keys("Escape")
        terminal.wait(lambda screen: "forward" in screen, "all of it")
        terminal.keys("p")
        terminal.wait(lambda screen: "PAUSED" in screen, "the pause")
        paused = terminal.wait_still()
        time.sleep(1.2)
        self.assertEqual(terminal.screen(), paused)
        terminal.keys("p")
        terminal.wait(lambda screen: "PAUSED" not in screen, "going on")

    def test_threads_and_runs_are_turned_through(self):
        folder = self.folder()
        self.program("train", path=os.path.join(folder, "a.pit"))
        self.program("nodes", 6, 3, path=os.path.join(folder, "b.pit"))
        terminal = self.top(folder, until="1/2")
        terminal.keys("Tab")
        screen = terminal.wait(lambda screen: "2/2" in screen, "the second run")
        if "node 0" not in screen:
            terminal.keys("n")
        terminal.wait(lambda screen: "node 0" in screen and "threads 3" in screen, "three threads")
        terminal.keys("t")
        terminal.wait(lambda screen: "thread 1 of" in screen, "the first thread")
        terminal.keys("T")
        terminal.wait(lambda screen: "threads 3" in screen, "all threads")
        terminal.keys("BTab")
        terminal.wait(lambda screen: "matmul" in screen, "the other run")

    def test_many_rows_are_scrolled_through_and_the_mark_stays(self):
        path, _ = self.program("nodes", 300, 1)
        terminal = self.top(path, until="node 0")
        terminal.keys("s", "s", "s", "s")
        terminal.wait(lambda screen: "sort: name" in screen, "order by name")
        terminal.keys("End")
        terminal.wait(lambda screen: "node 99" in screen and "node 0 " not in screen, "the end")
        terminal.keys("Home")
        terminal.wait(lambda screen: "node 0 " in screen, "the beginning")


class Exits(TmuxCase):
    """However it ends, the terminal is restored."""

    def check(self, leave, path=None):
        path = path or self.program("train")[0]
        terminal = Terminal(self, 80, 24)
        before = terminal.modes()
        terminal.type("clear; echo before-it")
        terminal.wait_prompt()
        after = os.path.join(self.folder(), "after")
        terminal.type("sh -c '%s top %s; echo status=$?; stty -a > %s; echo done >> %s'"
                      % (pit_case.tool(), path, after, after))
        terminal.wait(lambda screen: "forward" in screen, "top")
        terminal.wait(lambda _: terminal.state() == "1 0", "the other screen without a cursor")
        leave(terminal)
        screen = terminal.wait(lambda text: re.search(r"status=\d", text), "the end of top")
        terminal.wait(lambda _: terminal.state() == "0 1", "the main screen and the cursor")
        self.assertIn("before-it", screen)
        self.assertEqual(terminal.modes_in(after), before)
        terminal.type("echo still $((40+2))")
        terminal.wait(lambda text: "still 42" in text, "the shell's echo")
        return re.search(r"status=(\d+)", screen).group(1)

    def test_by_its_key(self):
        self.assertEqual(self.check(lambda terminal: terminal.keys("q")), "0")

    def test_by_control_c(self):
        terminal = self.top(self.program("train")[0], until="forward")
        terminal.keys("C-c")
        terminal.wait_prompt()
        terminal.wait(lambda _: terminal.state() == "0 1", "the main screen and the cursor")

    def test_by_signals_that_ask_for_it_and_by_crashes(self):
        path, _ = self.program("train")
        numbers = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGBUS,
                   signal.SIGABRT, signal.SIGFPE]
        for number in numbers:
            with self.subTest(signal=number.name):
                status = self.check(lambda t, n=number: os.kill(t.child(), n), path)
                self.assertEqual(int(status), 128 + number)

    def test_by_sigkill_its_guard_gives_the_terminal_back(self):
        """The shell may have written its prompt before the guard left the other screen; what holds
        is the terminal itself."""
        path, _ = self.program("train")
        terminal = Terminal(self, 80, 24)
        before = terminal.modes()
        after, go = (os.path.join(self.folder(), name) for name in ("after", "go"))
        terminal.type("sh -c '%s top %s; until [ -e %s ]; do sleep 0.05; done; stty -a > %s; echo done >> %s'"
                      % (pit_case.tool(), path, go, after, after))
        terminal.wait(lambda screen: "forward" in screen, "top")
        os.kill(terminal.child(), signal.SIGKILL)
        # The guard sets the modes before it leaves the screen.
        terminal.wait(lambda _: terminal.state() == "0 1", "the main screen and the cursor")
        with open(go, "w"):
            pass
        self.assertEqual(terminal.modes_in(after), before)
        terminal.type("echo still $((40+2))")
        terminal.wait(lambda text: "still 42" in text, "the shell's echo")

    def test_control_z_gives_the_terminal_back_until_it_goes_on(self):
        path, _ = self.program("train")
        terminal = Terminal(self, 80, 24)
        before = terminal.modes()
        terminal.type("%s top %s" % (pit_case.tool(), path))
        terminal.wait(lambda screen: "forward" in screen, "top")
        for _ in range(2):
            terminal.keys("C-z")
            terminal.wait(lambda screen: "Stopped" in screen and
                          screen.rstrip().endswith(PROMPT.strip()), "the shell")
            terminal.wait(lambda _: terminal.state() == "0 1", "the main screen and the cursor")
            self.assertEqual(terminal.modes(), before)
            terminal.type("clear; fg")
            terminal.wait(lambda screen: "forward" in screen and "q quit" in screen, "top again")
            terminal.wait(lambda _: terminal.state() == "1 0", "the other screen without a cursor")
        os.kill(terminal.child(), signal.SIGSTOP)
        terminal.wait(lambda screen: "Stopped" in screen, "the shell")
        terminal.type("fg")
        terminal.wait(lambda screen: "forward" in screen and "Stopped" not in screen, "top again")
        terminal.keys("q")
        terminal.wait_prompt()
        self.assertEqual(terminal.modes(), before)

    def test_no_guard_is_left_behind(self):
        terminal = self.top(self.program("train")[0], until="forward")
        top = terminal.child()
        guards = subprocess.run(["pgrep", "-P", str(top)], capture_output=True, text=True,
                                check=False).stdout.split()
        self.assertEqual(len(guards), 1)
        terminal.keys("q")
        terminal.wait_prompt()
        terminal.wait(lambda _: not os.path.exists("/proc/" + guards[0]), "the guard to end")


class Overview(TmuxCase):
    """Several ranks at once."""

    def setUp(self):
        super().setUp()
        self.where = self.folder()
        self.children = {rank: self.program("train", path=os.path.join(self.where, "r%d.pit" % rank),
                                            RANK=str(rank))[1] for rank in (10, 2)}
        self.program("nodes", 4, 1, path=os.path.join(self.where, "no-rank-%s.pit" % ("x" * 60)))

    def test_all_runs_are_lines_by_rank_and_one_is_chosen(self):
        terminal = self.top(self.where, until="o all runs")
        self.assertIn("1/3  rank 2", terminal.screen())
        terminal.keys("o")
        screen = terminal.wait(lambda text: "3 runs" in text and "% data_loading" in text
                               and text.count(" live ") >= 3, "the lines")
        lines = screen.splitlines()
        self.assertRegex(lines[1], r"^ run +state +time +CPU +RSS +spans/s +most now")
        self.assertEqual([line.split()[:3] for line in lines[2:4]],
                         [["rank", "2", "r2.pit"], ["rank", "10", "r10.pit"]])
        self.assertIn("… live", lines[4])
        states = {line.index(" live ") for line in lines[2:5]}
        self.assertEqual(len(states), 1, screen)
        self.end(self.children[10], signal.SIGKILL)
        terminal.wait(lambda text: re.search(r"rank 10 .* died ", text), "its death")
        terminal.keys("Down", "Enter")
        terminal.wait(lambda text: "2/3  rank 10" in text, "the marked one")
        terminal.keys("o", "Up", "o")
        terminal.wait(lambda text: "1/3  rank 2" in text, "the one above it")

    def test_it_fits_small_screens(self):
        terminal = self.top(self.where, columns=40, lines=10, until="1/3")
        terminal.keys("o")
        terminal.wait(lambda text: re.search(
            r"3 runs.*\n run +state +time +spans/s *\n rank 2  r2\S* +live +\S+ \S+ +\S+ *\n", text),
            "the lines")
        terminal.keys("q")
        terminal.wait_prompt()

    def test_a_snapshot_begins_with_it(self):
        text = self.run_ok([pit_case.tool(), "top", "--once", self.where]).stdout
        pieces = text.split("\n\n")
        at = next(i for i, piece in enumerate(pieces) if piece.startswith("run "))
        head, first = pieces[at:at + 2]
        self.assertIn("\nranks       2, 1 host", "\n".join(pieces[:at]))
        self.assertEqual([re.split("  +", line)[0] for line in head.splitlines()[:3]],
                         ["run", "rank 2", "rank 10"])
        self.assertIn("r2.pit, rank 2, pid ", first)


class Beneath(TmuxCase):
    def test_a_run_that_is_named_comes_with_the_live_ones_beneath_it(self):
        path, _ = self.program("train")
        folder = os.path.dirname(path)
        info = json.loads(self.run_ok([pit_case.tool(), "info", "--json", path]).stdout)
        run_id = info["runs"][0]["run_id"]
        for name, env in (("a.pit", {"PITWALL_PARENT": run_id}), ("b.pit", {})):
            self.program("nodes", 2, 1, path=os.path.join(folder, name), **env)
        lines = self.run_ok([pit_case.tool(), "top", "--once", path]).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines[:4] if line], ["run", "run.pit", "a.pit"])
        done = self.run_ok([pit_case.tool(), "top", "--once", "a.pit"], cwd=folder).stdout
        self.assertNotIn("run.pit", done)


class Targets(TmuxCase):
    def test_a_run_is_followed_to_its_end_and_the_result_stays(self):
        path, child = self.program("train")
        terminal = self.top(path)
        self.end(child)
        terminal.wait(lambda text: "done" in text.splitlines()[0] and VERDICT.search(text)
                      and "data_loading" in text and " now " not in text, "the end")
        terminal.keys("s", "?", "x", "q")
        terminal.wait_prompt()

    def test_a_run_that_dies_and_one_whose_file_is_deleted(self):
        path, child = self.program("train")
        terminal = self.top(path)
        os.unlink(path)
        time.sleep(1)
        self.assertIn("live", terminal.screen().splitlines()[0])
        self.end(child, signal.SIGKILL)
        terminal.wait(lambda text: "died" in text.splitlines()[0] and "data_loading" in text,
                      "its death")

    def test_a_file_that_is_cut_is_said_and_top_goes_on(self):
        path, child = self.program("train")
        terminal = self.top(path)
        pit_runs.stop(child.pid)  # else it would meet the cut itself
        terminal.keys("p")
        terminal.wait(lambda text: "PAUSED" in text, "the pause")
        os.truncate(path, 4096)
        terminal.keys("s")  # redrawn from pages that are gone, without a refresh that could notice
        terminal.wait(lambda text: "sort: now" in text, "the other order")
        terminal.keys("p")
        terminal.wait(lambda text: "was cut" in text and "data_loading" in text,
                      "a word, and the tree as it was at the last look")
        terminal.keys("?", "x", "s", "q")
        terminal.wait_prompt()
        child.kill()

    def test_a_file_that_is_written_over_is_said(self):
        path, child = self.program("train")
        terminal = self.top(path)
        pit_runs.stop(child.pid)
        size = os.path.getsize(path)
        with open(path, "wb") as file:
            file.truncate(2 * size)
        terminal.wait(lambda text: "was cut" in text, "a word")
        child.kill()

    def test_ten_thousand_nodes_and_512_threads_stay_responsive(self):
        for nodes, threads in ((10000, 1), (10240, 512)):
            with self.subTest(threads=threads):
                path, _ = self.program("nodes", nodes, threads)
                terminal = self.top(path, columns=200, lines=60, until="node 0")
                for key, word in (("s", "sort: now"), ("s", "sort: rate"), ("S", "sort: now"),
                                  ("?", "press any key to return"), ("x", "sort: now")):
                    terminal.keys(key)
                    terminal.wait(lambda screen, w=word: w in screen, word)

    def test_it_only_reads_the_run(self):
        path, _ = self.program("train")
        terminal = self.top(path)
        pid = terminal.child()
        with open("/proc/%d/maps" % pid) as file:
            modes = [line.split()[1] for line in file if path in line]
        self.assertEqual(modes, ["r--s"])
        for name in os.listdir("/proc/%d/fd" % pid):
            if os.readlink("/proc/%d/fd/%s" % (pid, name)) == path:
                with open("/proc/%d/fdinfo/%s" % (pid, name)) as file:
                    flags = int(re.search(r"flags:\s+(\d+)", file.read()).group(1), 8)
                self.assertEqual(flags & os.O_ACCMODE, os.O_RDONLY)


class Plain(TmuxCase):
    def tool(self, *words, status=0, **options):
        return self.run_status(status, [pit_case.tool(), "top", *map(str, words)], **options)

    def test_once_and_no_terminal_print_one_snapshot(self):
        path, child = self.program("train")
        for words in ((path,), (path, "--once"), (child.pid,), (os.path.dirname(path),)):
            text = self.tool(*words).stdout
            self.assertRegex(text.splitlines()[0], r"^prog_top .*: live, ")
            self.assertIn("spans/s", text)
            self.assertIn("data_loading", text)
            self.assertNotIn("\x1b", text)
        self.end(child)
        text = self.tool(path).stdout
        self.assertRegex(text.splitlines()[0], r": done, ")
        self.assertNotRegex(text, r"\bnow\b")

    def test_live_runs_are_found_by_what_processes_have_mapped(self):
        path, _ = self.program("train")
        text = self.tool("--once", cwd=self.folder()).stdout
        self.assertIn(path, text)

    def test_a_terminal_without_a_screen_gets_a_snapshot(self):
        path, _ = self.program("train")
        terminal = Terminal(self, 80, 24)
        for name in ("dumb", "no-such-terminal"):
            terminal.type("clear; TERM=%s %s top %s; echo status=$?" % (name, pit_case.tool(), path))
            terminal.wait(lambda text: "status=0" in text and "data_loading" in text, "a snapshot")

    def test_json_has_a_line_an_interval_until_the_run_has_ended(self):
        path, child = self.program("train")
        watcher = subprocess.Popen([pit_case.tool(), "top", path, "--json", "--interval", "0.1"],
                                   stdout=subprocess.PIPE, env=pit_case.clean_env(), text=True)
        lines = [json.loads(watcher.stdout.readline()) for _ in range(5)]
        self.end(child)
        rest, _ = watcher.communicate(timeout=300)
        lines += [json.loads(line) for line in rest.splitlines()]
        self.assertEqual(watcher.returncode, 0)
        self.assertEqual({line["state"] for line in lines[:-1]}, {"live"})
        self.assertEqual(lines[-1]["state"], "done")
        self.assertIsNone(lines[0]["spans_per_s"])
        for before, after in zip(lines[1:], lines[2:-1]):
            self.assertGreaterEqual(after["spans"], before["spans"])
            self.assertAlmostEqual(after["spans_per_s"] * after["interval_ns"] / 1e9,
                                   after["spans"] - before["spans"], delta=1e-3)
            top = [n for n in after["nodes"] if "/" not in n["path"]]
            self.assertAlmostEqual(sum(n["now_share"] for n in top), 1, delta=1e-6)
        report = json.loads(self.run_ok([pit_case.tool(), "report", "--json", path]).stdout)
        self.assertEqual({n["path"]: n["count"] for n in report["nodes"]},
                         {n["path"]: n["count"] for n in lines[-1]["nodes"]})

    def test_a_folder_without_live_runs_shows_the_newest(self):
        folder = self.folder()
        for name in ("a.pit", "b.pit"):
            _, child = self.program("train", path=os.path.join(folder, name))
            self.end(child)
        self.assertIn("b.pit", self.tool(folder).stdout.splitlines()[0])

    def test_what_is_not_there_is_said(self):
        folder = self.folder()
        for words, why in (((folder,), "it contains no *.pit"),
                           ((os.path.join(folder, "x.pit"),), "No such file"),
                           (("99999999",), "no such process"),
                           ((str(os.getpid()),), "records no run")):
            done = self.tool(*words, status=66)
            self.assertEqual(done.stdout, "")
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
