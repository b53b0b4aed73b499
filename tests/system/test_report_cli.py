"""`pitwall report` on every kind of file, and on every kind of output."""

import fcntl
import json
import os
import pty
import resource
import select
import struct
import subprocess
import termios
import unicodedata

import pit_case
from places import Case, blocks, node_counts, read, write

MOST_SECONDS = 300  # for a tool that does not end


def width_of(text):
    """Columns of a line on a terminal, by the Unicode tables of Python."""
    columns = 0
    for c in text:
        if unicodedata.combining(c) or unicodedata.category(c) in ("Cf", "Mn", "Me"):
            continue
        columns += 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1
    return columns


class ReportCase(Case):
    def made(self, *steps, name="run.pit", status=0):
        path = os.path.join(self.folder(), name)
        self.place("open=" + path, *steps, status=status)
        return path

    def tool(self, *arguments, status=0, env=None, **options):
        return self.run_status(status, [pit_case.tool(), *arguments], timeout=MOST_SECONDS,
                               env=pit_case.clean_env(**(env or {})), **options)

    def refused(self, path, why, status=66):
        done = self.tool("report", path, status=status)
        self.assertEqual(done.stdout, "")
        self.assertIn(path, done.stderr)
        self.assertIn(why, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


class Newest(ReportCase):
    """Without a run on the command line."""

    def test_the_newest_run_of_the_folder_is_reported(self):
        folder = self.folder()
        os.mkdir(os.path.join(folder, "pitwall-runs"))
        for name in ("old.pit", "pitwall-runs/new.pit"):  # in this order, and not by their names
            self.place("open=" + os.path.join(folder, name), "nodes=3", "close")
        shown = self.tool("report", "--json", cwd=folder)
        self.assertIn("pitwall-runs/new.pit, the newest run", shown.stderr)
        self.assertEqual(shown.stdout, self.tool("report", "--json", "pitwall-runs/new.pit",
                                                 cwd=folder).stdout)

    def test_a_folder_without_runs_says_so(self):
        self.assertIn("no run in this folder", self.tool("report", cwd=self.folder(), status=64).stderr)


class Files(ReportCase):
    """What may be at a path."""

    def test_finished(self):
        path = self.made("nodes=30", "close")
        self.assertEqual(self.counts(path), node_counts(30))
        self.assertEqual(self.report(path)["runs"][0]["state"], "closed")
        text = self.report_text(path)
        self.assertRegex(text.splitlines()[0], r"^node-\d+ took the most: .* \(self time\)")
        self.assertIn("ended cleanly", text)

    def test_live_and_killed(self):
        path, other = os.path.join(self.folder(), "run.pit"), self.folder()
        ready = os.path.join(other, "ready")
        child = self.start_place("open=" + path, "nodes=30", "begin=epoch", "begin=batch",
                                 "ready=" + ready, "until=" + os.path.join(other, "never"))
        self.wait_file(ready, child)
        report = self.report(path)
        self.assertEqual(report["runs"][0]["state"], "live")
        self.assertIn("open now", self.report_text(path))
        self.kill(child)
        report = self.report(path)
        self.assertEqual(report["runs"][0]["state"], "died")
        self.assertEqual({n["path"]: n["count"] for n in report["nodes"] if n["count"]},
                         node_counts(30))
        text = self.report_text(path)
        self.assertIn("where it died", text)
        self.assertIn("epoch > batch", text)

    def test_truncated_anywhere(self):
        path = self.made("nodes=60", "close")
        data, whole = read(path), node_counts(60)
        step = 40009 if pit_case.sanitizer() else 9973
        for size in [1, 7, 8, 64, 4095, 4096, 4160] + list(range(5000, len(data), step)):
            cut = write(os.path.join(self.folder(), "cut.pit"), data[:size])
            if size < 4096:
                self.refused(cut, "truncated" if size >= 8 else "not a Pitwall run")
                continue
            report = self.report(cut)
            found = {n["path"]: n["count"] for n in report["nodes"]}
            found.pop("(name lost)", None)
            self.assertEqual(found, {k: v for k, v in whole.items() if k in found}, size)
            # The loss starts with the block that the cut goes through.
            cut_at = [offset for offset, _, length in blocks(data) if offset + length > size]
            lost = report["runs"][0]["used_bytes"] - cut_at[0] if cut_at else 0
            self.assertEqual(report["summary"]["losses"]["beyond_file_bytes"], lost, size)

    def test_files_that_are_no_runs(self):
        folder = self.folder()
        self.refused(write(os.path.join(folder, "empty.pit")), "empty")
        self.refused(write(os.path.join(folder, "text.pit"), b"text\n" * 2000), "not a Pitwall run")
        self.refused(os.path.join(folder, "missing.pit"), "No such file")
        self.refused(self.folder(), "no *.pit")
        self.refused("/dev/zero", "not a regular file")
        self.refused("/dev/null", "not a regular file")
        self.refused("/proc/self/mem", "cannot read the run")
        os.mkfifo(os.path.join(folder, "fifo.pit"))
        self.refused(os.path.join(folder, "fifo.pit"), "not a regular file")

    def test_messages_carry_no_control_characters(self):
        done = self.tool("report", "wild\x1b[31m\n.pit", status=66)
        self.assertNotIn("\x1b", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_unreadable(self):
        self.need("setpriv")
        if os.geteuid() != 0:
            self.skipTest("changing the user needs root")
        path = self.made("nodes=3", "close")
        os.chmod(os.path.dirname(path), 0o755)
        os.chmod(path, 0o600)
        done = self.run_status(66, ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                    pit_case.tool(), "report", path])
        self.assertIn("Permission denied", done.stderr)

    def test_damaged(self):
        path = self.made("nodes=30", "close")
        data = bytearray(read(path))
        for offset, value, why in ((0, b"X", "not a Pitwall run"), (8, b"\x09", "newer version"),
                                   (24, b"\x01", "newer version"), (16, b"\x01\x02\x03\x04",
                                                                    "byte order"),
                                   (12, b"\0\0\0\0", "damaged"), (4104, b"\x01", "damaged")):
            bad = bytearray(data)
            bad[offset:offset + len(value)] = value
            self.refused(write(os.path.join(self.folder(), "bad.pit"), bytes(bad)), why)

    def test_a_file_that_claims_to_be_huge(self):
        path = self.made("nodes=30", "close")
        os.truncate(path, 1 << 40)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(self.counts(path), node_counts(30))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                        20 * pit_case.slowness())  # a terabyte of zeros takes minutes


class Several(ReportCase):
    """Runs are merged by the paths of their spans."""

    def test_runs_and_folders(self):
        folder = self.folder()
        for rank, count in enumerate((10, 20, 30)):
            self.place("open=" + os.path.join(folder, "rank-%r.pit"), "nodes=%d" % count, "close",
                       env={"RANK": str(rank)})
        write(os.path.join(folder, "notes.txt"), b"no run")
        merged = {name: 0 for name in node_counts(30)}
        for count in (10, 20, 30):
            for name, spans in node_counts(count).items():
                merged[name] += spans
        paths = [os.path.join(folder, "rank-%d.pit" % i) for i in range(3)]
        for arguments in (paths, [folder], [folder + "/"]):
            report = self.report(*arguments)
            self.assertEqual({n["path"]: n["count"] for n in report["nodes"]}, merged)
            self.assertEqual([r["facts"]["rank"] for r in report["runs"]], ["0", "1", "2"])
            self.assertEqual(report["summary"]["spans"], sum(merged.values()))
        self.assertIn("rank-2.pit", self.tool("report", folder).stdout)

    def test_one_bad_run_does_not_hide_the_others(self):
        path = self.made("nodes=10", "close")
        bad = write(os.path.join(os.path.dirname(path), "bad.pit"), b"bad" * 4000)
        done = self.tool("report", "--json", os.path.dirname(path), status=66)
        self.assertEqual(len(json.loads(done.stdout)["nodes"]), 10)
        self.assertIn(bad, done.stderr)


class Options(ReportCase):
    """Which rows are shown, and in which order."""

    def rows(self, *options):
        """The first words of the rows of the table."""
        lines = self.tool("report", self.path, *options).stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if " count " in line)
        return [line.split()[0] for line in lines[head + 1:] if line.startswith("node-")]

    def setUp(self):
        self.path = self.made("nodes=9", "spans=node-4:500", "spans=node-7:90", "close")

    def test_sort(self):
        report = self.report(self.path)
        nodes = report["nodes"]
        for key in ("total", "self", "count", "mean", "p50", "p95", "p99", "max"):
            field = key if key == "count" else key + "_ns"
            for more in ([], ["--flat"]):
                rows = self.rows("--sort", key, *more)
                value = {n["name"]: n[field] for n in nodes}
                self.assertEqual(sorted(rows), sorted(value))
                self.assertEqual([value[r] for r in rows], sorted(value.values(), reverse=True),
                                 (key, more))
        self.assertEqual(self.rows("--sort", "name"), sorted(n["name"] for n in nodes))

    def test_min_share_and_depth(self):
        nodes = self.report(self.path)["nodes"]
        for percent in (1, 20, 100):
            want = sorted(n["name"] for n in nodes if n["share"] >= percent / 100)
            self.assertEqual(sorted(self.rows("--min-share", str(percent))), want, percent)
        deep = self.made("begin=ONE", "begin=TWO", "begin=THREE", "spans=FOUR:3", "close")
        text = self.tool("report", deep, "--depth", "2").stdout
        words = text[text.index(" count "):].split()
        self.assertEqual([w for w in words if w.isupper()], ["ONE", "TWO"])
        self.assertIn("2 nodes not shown", text)

    def test_wrong_usage(self):
        for arguments in (["--sort", "x"], ["--depth", "-1"], ["--depth", "two"],
                          ["--min-share", "101"], ["--min-share", "nan"], ["--width", "20"],
                          ["--bogus"], ["--sort"]):
            done = self.tool("report", self.path, *arguments, status=64)
            self.assertEqual(done.stdout, "")
            self.assertIn("Try `pitwall report --help`.", done.stderr)


class Output(ReportCase):
    """Where the report goes."""

    def setUp(self):
        self.path = self.made("nodes=2000", "close")

    def test_a_full_disk(self):
        for options in ([], ["--json"], ["--flat"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = self.tool("report", self.path, *options, status=74, stdout=full)
            self.assertEqual(done.stderr,
                             "pitwall: cannot write: standard output: No space left on device\n")
        small = self.made("nodes=1", "close")
        for command in (["report", small], ["--help"], ["--version"], ["report", "--help"],
                        ["recover", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = self.tool(*command, status=74, stdout=full)
            self.assertEqual(done.stderr.count("\n"), 1, command)

    def test_a_reader_that_goes_away_ends_every_command_silently(self):
        log = os.path.join(pit_case.source_dir(), "tests", "data", "stages.log")
        for command in (("report",), ("report", "--json"), ("report", "--view", "tree"),
                        ("export", "--format", "chrome-trace"), ("info",), ("list",), ("log",),
                        ("compare",), ("top", "--once"), ("top", "--once", "--json"), ("recover",),
                        ("doctor",), ("scale",), ("race",), ("--help",), ("--version",),
                        ("report", "--help"), ("report", "--view", "help"),
                        ("export", "--format", "help")):
            more = {"log": [log], "compare": [self.path, self.path], "doctor": [],
                    "race": ["--runs", "2", "--warmup", "0", "-o", self.folder(), "true", "true"],
                    "scale": ["-P", "n=1,2,3,4", "--rounds", "1", "true {n}"],
                    }.get(command[0], [self.path])
            read_end, write_end = os.pipe()
            os.close(read_end)
            with self.subTest(command), os.fdopen(write_end, "wb") as pipe:
                done = pit_case.run([pit_case.tool(), *command, *more], stdout=pipe)
                said = [line for line in done.stderr.splitlines() if line.startswith("pitwall:")]
                self.assertEqual((done.returncode, said), (141, []), done.stderr)

    def test_head_takes_the_first_line_and_nothing_is_said(self):
        done = self.run_ok(["sh", "-c", "\"$1\" report \"$2\" | head -1", "sh", pit_case.tool(),
                            self.path])
        self.assertEqual((done.stdout.count("\n"), done.stderr), (1, ""))

    def test_closed_standard_output(self):
        done = self.run_status(74, ["sh", "-c", "exec \"$@\" >&-", "sh", pit_case.tool(), "report",
                                    self.path])
        self.assertIn("pitwall: cannot write: standard output", done.stderr)

    def on_terminal(self, columns, *options, rows=50, **env):
        """The output of the tool on a terminal of that width."""
        mine, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        env = dict({"TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": None}, **env)
        child = self.start([pit_case.tool(), "report", *options], stdout=its, stderr=its, env=env)
        os.close(its)
        out, patience = b"", pit_case.Patience(MOST_SECONDS)
        while True:
            self.assertFalse(patience.is_over(), "the tool does not end")
            if not select.select([mine], [], [], 0.2)[0]:
                continue
            try:
                part = os.read(mine, 65536)
            except OSError: # the terminal's way to report the end of file
                part = b""
            if not part:
                break
            out += part
        os.close(mine)
        self.assertEqual(child.wait(timeout=MOST_SECONDS), 0)
        return out.decode().replace("\r\n", "\n")

    def test_widths(self):
        odd = self.made("odd-names", "nodes=20", "close")
        for columns in (80, 120, 200):
            for options in ([], ["--flat"]):
                for path in (self.path, odd):
                    text = self.on_terminal(columns, path, *options, NO_COLOR="1")
                    widest = max(width_of(line) for line in text.splitlines())
                    self.assertLessEqual(widest, columns, (columns, options))
                    self.assertGreater(widest, 60)
        # A terminal without a size gets it from COLUMNS.
        text = self.on_terminal(0, odd, NO_COLOR="1", COLUMNS="70")
        self.assertLessEqual(max(width_of(line) for line in text.splitlines()), 70)
        for width in (40, 60, 100):
            text = self.tool("report", odd, "--width", str(width)).stdout
            self.assertLessEqual(max(width_of(line) for line in text.splitlines()), width)

    def test_the_verdict_stands_last_too_where_the_screen_is_too_small(self):
        path = self.made("nodes=20", "close")
        whole = self.on_terminal(400, path, rows=1000, NO_COLOR="1")
        first, lines = whole.splitlines()[0], whole.count("\n")
        self.assertEqual(whole.count(first), 1)
        # With the prompt after it, it just fits; and does not.
        self.assertEqual(self.on_terminal(400, path, rows=lines + 1, NO_COLOR="1"), whole)
        again = self.on_terminal(400, path, rows=lines, NO_COLOR="1")
        self.assertEqual(again, whole + "\n" + first + "\n")
        # A terminal without a size gets it from LINES, or has none.
        self.assertEqual(self.on_terminal(400, path, rows=0, NO_COLOR="1", LINES=str(lines)), again)
        self.assertEqual(self.on_terminal(400, path, rows=0, NO_COLOR="1", LINES=None), whole)
        # A pipe and a single view are read from their beginning.
        self.assertEqual(self.tool("report", path, env={"LINES": "5"}).stdout.count(first), 1)
        view = self.on_terminal(400, path, "--view", "tree", rows=5, NO_COLOR="1")
        self.assertNotIn(first, view)

    def test_a_verdict_on_a_run_that_died_stands_last_too(self):
        path = self.made("nodes=20", "begin=b", "kill", status=-9)
        lines = self.on_terminal(400, path, rows=10, NO_COLOR="1").splitlines()
        self.assertIn("ended without a close", lines[0])
        self.assertEqual(lines[-2:], lines[:2])

    def test_colour(self):
        small = self.made("nodes=5", "close")
        self.assertIn("\x1b[", self.on_terminal(100, small))
        for options, env in (([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"}),
                             ([], {"FORCE_COLOR": "0"}), (["--no-colour"], {}),
                             (["--no-color"], {"FORCE_COLOR": "1"}),
                             ([], {"NO_COLOR": "1", "FORCE_COLOR": "1"})):
            self.assertNotIn("\x1b", self.on_terminal(100, small, *options, **env), (options, env))
        self.assertNotIn("\x1b", self.tool("report", small, env={"TERM": "xterm"}).stdout)
        self.assertIn("\x1b[", self.tool("report", small, env={"FORCE_COLOR": "1"}).stdout)
        # Colour adds nothing but colour.
        plain = self.on_terminal(100, small, NO_COLOR="1")
        coloured = self.on_terminal(100, small)
        stripped = "".join(part.split("m", 1)[1] if i else part
                           for i, part in enumerate(coloured.split("\x1b[")))
        self.assertEqual(stripped, plain)


class Unmarked(ReportCase):
    def summary(self, path):
        return json.loads(self.tool("report", "--json", path).stdout)["summary"]

    def test_it_and_the_spans_are_the_whole_run(self):
        path = self.made("sleep=20", "spans=a:100", "sleep=30", "spans=b:5000", "spans=a:7", "sleep=10",
                         "close")
        got = self.summary(path)
        unmarked = got["unmarked"]
        # They slept at least so long, and the four are all of the run's time.
        self.assertGreaterEqual(unmarked["before_ns"], 20e6)
        self.assertGreaterEqual(unmarked["between_ns"], 30e6)
        self.assertGreaterEqual(unmarked["after_ns"], 10e6)
        self.assertAlmostEqual(sum(unmarked.values()) + got["in_spans_ns"], got["wall_ns"], delta=2000)
        text = self.tool("report", path).stdout
        for key, row in (("before_ns", "(before the first span) "), ("between_ns", "(between parts) "),
                         ("after_ns", "(after the last) ")):
            self.assertEqual("\n" + row in text, unmarked[key] > 0.01 * got["wall_ns"], (key, got))

    def test_a_span_that_was_open_when_it_died_reaches_to_the_end(self):
        path = self.made("sleep=10", "spans=a:10", "begin=b", "sleep=10", "kill", status=-9)
        got = self.summary(path)
        self.assertGreaterEqual(got["unmarked"]["before_ns"], 10e6)
        self.assertEqual(got["unmarked"]["after_ns"], 0)


class OddNames(ReportCase):
    """Names come from programs; no part of them may reach a terminal raw."""

    RAW = ("\x1b", "\x07", "\r", "\t", "\u202e", "\x00", "\x7f")

    def setUp(self):
        self.path = self.made("odd-names", "nodes=3", "label=evil=\x1b]0;x\x07", "close")

    def test_nothing_raw(self):
        for options in ([], ["--flat"], ["--width", "80"], ["--json"]):
            for env in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}):
                text = self.tool("report", self.path, *options, env=env).stdout
                for raw in self.RAW:
                    if raw == "\u202e" and "--json" in options:
                        continue # for programs: names are not changed
                    self.assertNotIn(raw, text, (options, env))
        text = self.tool("report", self.path).stdout
        self.assertIn("red \\x1b[31m bell \\a", text)
        self.assertIn("two\\nlines\\tand a tab\\r", text)
        self.assertIn("bad utf-8 \\xff\\xc3", text)
        self.assertIn("turned \\u202earound", text)
        self.assertIn("深度学习", text)

    def test_json_has_them_whole(self):
        done = subprocess.run([pit_case.tool(), "report", "--json", self.path], check=True,
                              env=pit_case.clean_env(), stdout=subprocess.PIPE)
        names = [n["name"] for n in json.loads(done.stdout.decode("utf-8"))["nodes"]]
        for name in ("plain", "深度学习", "red \x1b[31m bell \x07", "two\nlines\tand a tab\r", "",
                     "turned \u202earound", "w" * 4000):
            self.assertIn(name, names)
        self.assertEqual(len(names), 12)

    def test_columns_line_up(self):
        for env in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}):
            for options in (["--flat"], ["--flat", "--width", "100"], []):
                text = self.tool("report", self.path, *options, env=env).stdout
                lines = text.splitlines()
                head = next(i for i, line in enumerate(lines) if " count " in line)
                end = next(i for i, line in enumerate(lines) if i > head and not line)
                table = [lines[head]] + [line for line in lines[head + 1:end]
                                         if not line.startswith(("not shown: ", "(", "in brackets: "))]
                self.assertGreaterEqual(len(table), 13)
                edge = width_of(lines[head][:lines[head].index(" count ") + 6])
                for line in table:
                    # the column at the right edge of "count" ends with a digit or its title
                    columns = [c for c in line for _ in range(width_of(c))]
                    self.assertRegex(columns[edge - 1], r"[\dt]", line)
                    self.assertEqual(columns[edge:edge + 1], [" "], line)

    def test_ascii_outside_of_utf8(self):
        nested = self.made("begin=a", "spans=b:2", "close")
        plain = self.tool("report", nested, env={"LC_ALL": "C"}).stdout
        self.assertEqual([c for c in plain if ord(c) > 126], [])
        rich = self.tool("report", nested, env={"LC_ALL": "C.UTF-8"}).stdout
        self.assertNotEqual([c for c in rich if ord(c) > 126], [])


if __name__ == "__main__":
    pit_case.main(has_threads=False)
