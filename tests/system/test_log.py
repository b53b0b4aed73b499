"""`pitwall log`: timing lines in real logs: compressed, coloured, truncated, between other lines."""

import csv
import gzip
import io
import json
import os
import re
import shutil

import pit_case
from places import write

SAMPLE = os.path.join(pit_case.source_dir(), "tests", "data", "stages.log")

STAGES = [("Argument parsing", 0.12), ("LLM model loading", 44.23),
          ("Graph tower initialization (gpm)", 2.45), ("Dataset loading and preprocessing", 12.34),
          ("Trainer initialization", 0.89), ("Main training loop", 2345.67), ("State saving", 4.23)]


def parse_timing_log(text):
    """The expression that users have in their scripts."""
    found = {}
    for line in text.splitlines():
        match = re.search(r"\[TIMING\] (.*?): ([\d.]+)", line)
        if match:
            found[match.group(1)] = float(match.group(2))
    return found


class LogCase(pit_case.Case):
    def log(self, *arguments, status=0, **options):
        return self.run_status(status, [pit_case.tool(), "log", *arguments], **options)

    def document(self, *paths, status=0, **options):
        return json.loads(self.log(*paths, "--json", status=status, **options).stdout)

    def stages(self, text, status=0):
        """The result for a text: [(stage, count, seconds)]."""
        data = text if isinstance(text, bytes) else text.encode()
        path = write(os.path.join(self.folder(), "a.log"), data)
        self.found = self.document(path, status=status)["logs"][0]
        return [(s["stage"], s["count"], s["total_ns"] / 1e9) for s in self.found["stages"]]

    def sample(self):
        with open(SAMPLE, encoding="utf-8") as file:
            return file.read()


class Sample(LogCase):
    def check(self, log):
        self.assertEqual([(s["stage"], s["total_ns"]) for s in log["stages"]],
                         [(name, round(seconds * 1e9)) for name, seconds in STAGES])
        self.assertEqual(log["total_ns"], 2409930000000)
        self.assertEqual(log["said_total_ns"], 2409930000000)
        self.assertAlmostEqual(log["stages"][5]["share"], 0.9733, delta=0.0001)
        self.assertEqual([(w["tag"], w["item"], w["unit"], w["windows"], w["calls"], w["min"],
                           w["max"]) for w in log["windows"]],
                         [("GPM TIMING", "Pattern gen", "ms", 2, 200, 118.92, 123.45),
                          ("GPM TIMING", "Total", "ms", 2, 200, 445.23, 456.78),
                          ("GPM TIMING", "Avg nodes", "", 2, 200, 28.3, 29.1)])
        self.assertAlmostEqual(log["windows"][0]["mean"], 121.185, places=9)
        self.assertEqual(log["malformed"], 0)

    def test_plain(self):
        self.check(self.document(SAMPLE)["logs"][0])
        self.assertEqual({k: v for k, v in STAGES}, parse_timing_log(self.sample()))

    def test_standard_input(self):
        with open(SAMPLE, encoding="utf-8") as file:
            self.check(self.document("-", stdin=file)["logs"][0])

    def test_gzip_in_several_members_and_zstd(self):
        folder, data = self.folder(), self.sample().encode()
        path = write(os.path.join(folder, "a.log.gz"),
                     gzip.compress(data[:700]) + gzip.compress(data[700:]))
        self.check(self.document(path)["logs"][0])
        if not shutil.which("zstd"):
            self.skipTest("the command zstd is missing")
        for n, part in enumerate((data[:700], data[700:])):
            self.run_ok(["zstd", "-q", write(os.path.join(folder, "part%d" % n), part)])
        both = b"".join(open(os.path.join(folder, "part%d.zst" % n), "rb").read() for n in (0, 1))
        self.check(self.document(write(os.path.join(folder, "b.zst"), both))["logs"][0])

    def test_summary_alone(self):
        text = self.sample()
        log = self.stages(text[text.index("[TIMING SUMMARY]"):])
        self.assertEqual([(n, s) for n, _, s in log], STAGES)

    def test_csv_and_markdown(self):
        rows = list(csv.DictReader(io.StringIO(self.log(SAMPLE, "--csv").stdout)))
        self.assertEqual([(r["name"], float(r["total"])) for r in rows if r["kind"] == "stage"],
                         STAGES)
        self.assertEqual([r["item"] for r in rows if r["kind"] == "window"],
                         ["Pattern gen", "Total", "Avg nodes"])
        table = [x for x in self.log(SAMPLE, "--markdown").stdout.splitlines() if x[:1] == "|"]
        self.assertEqual(len(table), 2 + 8 + 2 + 3)  # a sum below the stages

    def test_text(self):
        text = self.log(SAMPLE).stdout
        self.assertRegex(text, r"Main training loop +1 +39 m 06 s +39 m 06 s +97\.3 %")
        self.assertRegex(text, r"TOTAL +40 m 10 s")
        self.assertNotIn("own TOTAL", text)


class Lines(LogCase):
    def test_units_and_names(self):
        self.assertEqual(self.stages(
            "[TIMING] a: 1.5s\n[TIMING] b: 90.00s (1.50min)\n[TIMING] c: 2h\n"
            "[TIMING] d: 250ms\n[TIMING] e: 3min\n[TIMING] f: 7200.00s (120.00min) (2.00h)\n"
            "[TIMING] epoch: 3: 4.00s\n[TIMING] g: 12\n[TIMING] h: 1e-03s\n"
            "[TIMING] load: 2.00s, 300 samples\n"),
            [("a", 1, 1.5), ("b", 1, 90), ("c", 1, 7200), ("d", 1, 0.25), ("e", 1, 180),
             ("f", 1, 7200), ("epoch: 3", 1, 4), ("g", 1, 12), ("h", 1, 0.001), ("load", 1, 2)])

    def test_repeats_add_up(self):
        self.assertEqual(self.stages("[TIMING] a: 1s\n" * 3 + "[TIMING] b: 2s\n"),
                         [("a", 3, 3.0), ("b", 1, 2.0)])

    def test_line_ends_colours_prefixes_and_progress_bars(self):
        want = [("load data", 1, 1.5)]
        for text in ("[TIMING] load data: 1.5s\r\n", "[TIMING] load data: 1.5s",
                     "\x1b[1;32m[TIMING]\x1b[0m load data: \x1b[31m1.5s\x1b[0m\n",
                     "\x1b]0;title\x07[TIMING] load data: 1.5s  \n",
                     "[rank0]: [TIMING] load data: 1.5s\n", "[default3]:[TIMING] load data: 1.5s\n",
                     "10%|#   | 1/10\r50%|###  | 5/10\r[TIMING] load data: 1.5s\n",
                     " 5/10 [00:01<00:01][2024-10-13 22:30:00] [TIMING] load data: 1.5s\n",
                     "INFO:root:[TIMING] load data: 1.5s\n"):
            self.assertEqual(self.stages(text), want, repr(text))

    def test_a_summary_behind_a_launchers_prefix(self):
        text = self.sample()
        text = text[text.index("=" * 80):]
        marked = "".join("[rank0]: " + line + "\n" for line in text.splitlines())
        self.assertEqual([(n, s) for n, _, s in self.stages(marked)], STAGES)

    def test_windows_of_any_tag(self):
        self.stages("[RAY] Last 50 rays: hit=12us, Items/s=3.5, x y=-1.25\n")
        self.assertEqual([(w["tag"], w["item"], w["unit"], w["mean"]) for w in self.found["windows"]],
                         [("RAY", "hit", "ms", 0.012), ("RAY", "Items/s", "", 3.5),
                          ("RAY", "x y", "", -1.25)])

    def test_what_looks_like_ours_and_is_not_is_counted(self):
        self.stages("[TIMING] no time here\n[TIMING] name: XX.XXs\n[TIMING]\n"
                    "[W] Last 5 things: a=b\n[W] Last night: nothing\n[W] Last 10 a=1\n", status=2)
        self.assertEqual(self.found["malformed"], 4)

    def test_lines_without_end_and_junk(self):
        junk = bytes(range(256)) * 5000 + b"\n"
        text = junk + b"x" * 3000000 + b"\n[TIMING] a: 1s\n" + junk + b"\0\0[TIMING] b: 2s\n" + junk
        self.assertEqual(self.stages(text), [("a", 1, 1.0), ("b", 1, 2.0)])

    def test_nothing_is_said_as_nothing(self):
        path = write(os.path.join(self.folder(), "a.log"), b"hello\n")
        self.assertIn("no [TIMING]", self.log(path, status=2).stdout)
        self.log(write(os.path.join(self.folder(), "b.log")), status=2)
        self.log("/dev/null", status=2)

    def test_many_stages_are_found_by_their_names(self):
        """Searching all stages for each line would take longer than the time limit of the command."""
        lines = "".join("[TIMING] stage %d: 1.00s\n" % i for i in range(100000))
        folder = self.folder()
        paths = [write(os.path.join(folder, n), lines.encode()) for n in "ab"]
        rows = json.loads(self.log(*paths, "--json").stdout)["comparison"]
        self.assertEqual(len(rows), 100000)


class Several(LogCase):
    def setUp(self):
        folder = self.folder()
        self.a = write(os.path.join(folder, "a.log"), b"[TIMING] load: 4s\n[TIMING] old: 1s\n")
        self.b = write(os.path.join(folder, "b.log"), b"[TIMING] load: 3s\n[TIMING] new: 2s\n")

    def test_comparison(self):
        self.assertEqual(self.document(self.a, self.b)["comparison"], [
            {"stage": "load", "total_ns": [4e9, 3e9], "ratio": 0.75, "difference_ns": -1e9},
            {"stage": "old", "total_ns": [1e9, None], "ratio": None, "difference_ns": None},
            {"stage": "new", "total_ns": [None, 2e9], "ratio": None, "difference_ns": None}])

    def test_text_of_a_comparison(self):
        text = self.log(self.a, self.b).stdout
        self.assertRegex(text, r"load +4\.00 s +3\.00 s +0\.75 +-1\.00 s")
        self.assertRegex(text, r"old +1\.00 s +n/a +n/a +n/a")


    def test_a_fall_of_a_minute_or_more(self):
        folder = self.folder()
        for text in ("7200.00s (120.00min) (2.00h)", "3600s"):
            for fall, shown in ((60, "-1 m 00 s"), (754, "-12 m 34 s"), (3540, "-59 m 00 s")):
                seconds = float(text.split("s")[0])
                a = write(os.path.join(folder, "a.log"), b"[TIMING] loop: %s\n" % text.encode())
                b = write(os.path.join(folder, "b.log"), b"[TIMING] loop: %.2fs\n" % (seconds - fall))
                row = self.log(a, b).stdout.splitlines()[2]
                self.assertTrue(row.endswith(shown), row)

    def test_ratios_line_up(self):
        folder = self.folder()
        ratios = (0.5, 1, 1.123456, 12, 2.5)
        a = write(os.path.join(folder, "a.log"),
                  b"".join(b"[TIMING] stage %d: 8s\n" % i for i in range(len(ratios))))
        b = write(os.path.join(folder, "b.log"),
                  b"".join(b"[TIMING] stage %d: %fs\n" % (i, 8 * r) for i, r in enumerate(ratios)))
        lines = self.log(a, b).stdout.splitlines()
        end = lines[1].index("ratio") + len("ratio")
        cells = [line[:end].split()[-1] for line in lines[2:]]
        self.assertEqual(cells, ["0.50", "1.00", "1.12", "12.00", "2.50"])

    def test_windows_side_by_side(self):
        with open(SAMPLE, "rb") as file:
            data = file.read()
        other = data.replace(b"Pattern gen=123.45ms", b"Pattern gen=61.725ms").replace(
            b"Pattern gen=118.92ms", b"Pattern gen=59.46ms")
        path = write(os.path.join(self.folder(), "b.log"), other)
        rows = self.document(SAMPLE, path)["window_comparison"]
        self.assertEqual([(r["tag"], r["item"], r["unit"]) for r in rows],
                         [("GPM TIMING", "Pattern gen", "ms"), ("GPM TIMING", "Total", "ms"),
                          ("GPM TIMING", "Avg nodes", "")])
        self.assertEqual([round(r["ratio"], 9) for r in rows], [0.5, 1, 1])
        self.assertAlmostEqual(rows[0]["mean"][0], 121.185)
        self.assertAlmostEqual(rows[0]["difference"], -60.5925)
        self.assertRegex(self.log(SAMPLE, path).stdout,
                         r"windows side by side.*\n.*ratio.*\nGPM TIMING +Pattern gen +ms +121\.185 +"
                         r"60\.5925 +0\.50 +-60\.5925\n")


class Trouble(LogCase):
    def refused(self, path, why, **options):
        done = self.log(path, status=66, **options)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn(why, done.stderr)

    def test_files_that_cannot_be_read(self):
        folder = self.folder()
        self.refused(os.path.join(folder, "missing.log"), "No such file or directory")
        self.refused(folder, "Is a directory")

    def test_damaged_compression_is_an_error_not_a_short_log(self):
        data = gzip.compress(self.sample().encode())
        folder = self.folder()
        self.refused(write(os.path.join(folder, "a.gz"), data[:-20]), "truncated")
        self.refused(write(os.path.join(folder, "b.gz"), data[:60] + b"\xff" * 40 + data[100:]),
                     "damaged gzip data")
        if not shutil.which("zstd"):
            self.skipTest("the command zstd is missing")
        path = write(os.path.join(folder, "c"), self.sample().encode())
        self.run_ok(["zstd", "-q", path])
        data = open(path + ".zst", "rb").read()
        self.refused(write(os.path.join(folder, "d.zst"), data[:-20]), "truncated")
        self.refused(write(os.path.join(folder, "e.zst"), data[:30] + b"\xff" * 40 + data[70:]),
                     "damaged zstd data")

    def test_one_bad_log_of_two(self):
        done = self.log(SAMPLE, "missing.log", status=66)
        self.assertIn("Main training loop", done.stdout)

    def test_full_output(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.log(SAMPLE, status=74, stdout=full)
        self.assertIn("No space left on device", done.stderr)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
