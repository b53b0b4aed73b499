"""Monitors in a real program: the lines that it printed are printed again from its run."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import time

import pit_case

# Which lines a view is of; a program prints them among others.
STAGES = re.compile(r"^(\[[\d-]+ [\d:]+\] \[(STAGE|TIMING)\]|={80}$|\[TIMING SUMMARY\]$|  [^:]{40}: )")
EPOCHS = re.compile(r"^  (Batch \d+:|Epoch end:|Batch timing:)")
WINDOWS = re.compile(r"^\[GPM TIMING\] ")
VIEWS = {"stages": STAGES, "epochs": EPOCHS, "windows": WINDOWS}


def lines_of(text, pattern):
    return [line for line in text.splitlines() if pattern.match(line)]


def shape_of(text):
    """The text without what depends on how long something took: figures, and the columns that they fill."""
    text = re.sub(r"[\d.+-]+", "#", text)
    return re.sub(r" +", " ", re.sub(r"#s \(#(min|h)\)", "#s", text))


def parse_timing_log(lines):
    """The timing summary document's own function, on lines instead of a file."""
    timings = {}
    for line in lines:
        if '[TIMING]' in line:
            match = re.search(r'\[TIMING\] (.*?): ([\d.]+)', line)
            if match:
                stage, seconds = match.groups()
                timings[stage] = float(seconds)
    return timings


class MonitorCase(pit_case.Case):
    def run_path(self):
        return os.path.join(self.folder(), "run.pit")

    def trained(self, path, epochs=3, **env):
        return self.run_ok([pit_case.program("prog_monitors"), path, epochs],
                           env=pit_case.clean_env(**env)).stdout

    def view(self, path, view, form="text", **env):
        forms = [] if form == "text" else ["--" + form]
        return self.run_ok([pit_case.reader(), "report", path, "--view", view, *forms],
                           env=pit_case.clean_env(**env)).stdout


class Lines(MonitorCase):
    def test_views_of_the_run_give_the_lines_that_were_printed(self):
        path = self.run_path()
        printed = self.trained(path)
        for view, pattern in VIEWS.items():
            with self.subTest(view=view):
                again = self.view(path, view).splitlines()
                self.assertTrue(again)
                self.assertEqual(again, lines_of(printed, pattern))

    def test_all_kinds_of_lines_are_there(self):
        printed = self.trained(self.run_path())
        for pattern in (r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \[STAGE\] === TRAINING PIPELINE ",
                        r"^\[.*\] \[TIMING\] Main training loop: \d+\.\d\ds( \(\d+\.\d\dmin\))?$",
                        r"^\[.*\] \[TIMING\] An hour and a half: 5400\.00s \(1\.50h\)$",
                        r"^  An hour and a half {22}: 5400\.00s \(1\.50h\) {5}\(\d+\.\d%\)$",
                        r"^  TOTAL {35}: \d{4,}\.\d\ds \(\d+\.\d\dh\)$",
                        r"^  Batch 0: \d+\.\d{3}s, GPU n/a, CPU \d+\.\dMB, loss=1\.000000$",
                        r"^  Batch 1: .*, loss=0\.500000$",
                        r"^  Epoch end: \d+\.\d{3}s total$",
                        r"^  Batch timing: avg=\d+\.\d{3}s, min=\d+\.\d{3}s, max=\d+\.\d{3}s$",
                        r"^\[GPM TIMING\] Last 3 graphs: Pattern gen=\d+\.\d\dms, "
                        r"Total=\d+\.\d\dms, Avg nodes=29\.3$",
                        r"^Preparation complete: \d+\.\d\ds, peak memory: \d+\.\d MB$",
                        r"^\[Performance\] warm-up: \d+\.\d{3}s, CPU [+-]\d+\.\dMB, GPU n/a$",
                        r"^--- Profiling Metrics \(Step 12\) ---$",
                        r"^training_step: avg=\d+\.\d{4,}s, total=\d+\.\d\d+s, count=12$"):
            with self.subTest(pattern=pattern):
                self.assertRegex(printed, re.compile(pattern, re.M))
        self.assertNotIn("Batch 2:", printed)
        self.assertNotIn("patterns", printed)

    def test_times_of_day_are_of_the_local_zone(self):
        path, before = self.run_path(), time.time()
        printed = self.trained(path, TZ="JST-9")
        ends = [time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(when + 9 * 3600))
                for when in (before, time.time())]
        self.assertTrue(ends[0] <= printed[1:20] <= ends[1], (ends, printed[:80]))
        self.assertEqual(self.view(path, "stages", TZ="JST-9").splitlines(),
                         lines_of(printed, STAGES))

    def test_silence_leaves_the_summary_and_records_all(self):
        path = self.run_path()
        lines = self.trained(path, PITWALL_VERBOSE="0").splitlines()
        # Only the requested summary is printed.
        self.assertEqual(lines[:3] + lines[-1:], ["=" * 80, "[TIMING SUMMARY]", "=" * 80, "=" * 80])
        self.assertEqual([line[:1] for line in lines[3:-1]], [" "] * 4)
        self.assertIn("[STAGE] === TRAINING PIPELINE START ===", self.view(path, "stages"))
        self.assertEqual(self.view(path, "epochs").count("Epoch end"), 3)

    def test_without_a_recorder_the_lines_are_printed_all_the_same(self):
        path = self.run_path()
        printed = self.trained(path, epochs=3, PITWALL="0")
        self.assertFalse(os.path.exists(path))
        recorded = self.trained(path, epochs=3)
        self.assertEqual(shape_of(printed), shape_of(recorded))


class Documents(MonitorCase):
    """What the documents recommend for such output."""

    def test_the_documents_own_regular_expression_and_greps_work(self):
        printed = self.trained(self.run_path())
        timings = parse_timing_log(printed.splitlines())
        self.assertEqual(timings["An hour and a half"], 5400.0)
        self.assertIn("Main training loop", timings)
        self.assertIn("Dataset loading and preprocessing", timings)
        log = os.path.join(self.folder(), "train.log")
        with open(log, "w", encoding="utf-8") as file:
            file.write(printed)
        grep = self.run_ok(["grep", r"\[TIMING\]", log]).stdout
        self.assertEqual(len(grep.splitlines()), 3)
        grep = self.run_ok(["grep", r"\[GPM TIMING\]", log]).stdout
        self.assertEqual(len(grep.splitlines()), 4)
        grep = self.run_ok(["grep", "-A", "20", "TIMING SUMMARY", log]).stdout
        self.assertIn("  TOTAL ", grep)

    def test_csv_and_json_hold_the_figures_behind_the_lines(self):
        path = self.run_path()
        printed = self.trained(path)
        rows = list(csv.DictReader(io.StringIO(self.view(path, "epochs", "csv"))))
        batches = [row for row in rows if row["kind"] == "batch"]
        self.assertEqual([(row["epoch"], row["batch"]) for row in batches],
                         [(str(e), str(b)) for e in range(3) for b in range(2)])
        lines = lines_of(printed, re.compile(r"^  Batch \d+:"))
        for row, line in zip(batches, lines):
            self.assertIn("%.3fs" % float(row["seconds"]), line)
            self.assertIn("loss=%.6f" % float(row["loss"]), line)
        rows = json.loads(self.view(path, "stages", "json"))["rows"]
        first = [row for row in rows if row["kind"] == "timing"][0]
        self.assertEqual(first["stage"], "Dataset loading and preprocessing")
        self.assertGreaterEqual(first["seconds"], 0.003)
        self.assertGreater(first["cpu_peak_mb"], 0)
        shares = [row["share"] for row in rows if row["kind"] == "summary"]
        self.assertAlmostEqual(sum(shares), 100.0, places=6)
        rows = json.loads(self.view(path, "windows", "json"))["rows"]
        kept = [row for row in rows if row["item"] == "patterns"]
        self.assertEqual({row["mean"] for row in kept}, {10})

    def test_epochs_and_batches_are_spans(self):
        path = self.run_path()
        self.trained(path)
        done = self.run_ok([pit_case.reader(), "report", "--json", path])
        nodes = {node["path"]: node["count"] for node in json.loads(done.stdout)["nodes"]}
        self.assertEqual(nodes["Main training loop/epoch"], 3)
        self.assertEqual(nodes["Main training loop/epoch/batch"], 12)
        self.assertEqual(nodes["Main training loop/epoch/batch/training_step"], 12)
        self.assertEqual(nodes["Dataset loading and preprocessing/Preparation"], 1)
        self.assertEqual(nodes["Dataset loading and preprocessing/warm-up"], 1)


class Live(MonitorCase):
    def start(self, path):
        child = subprocess.Popen([pit_case.program("prog_monitors"), path],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 env=pit_case.clean_env(), encoding="utf-8")
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def test_lines_come_through_a_pipe_while_the_program_runs(self):
        child = self.start(self.run_path())
        seen = [child.stdout.readline() for _ in range(12)]
        self.assertIsNone(child.poll())
        self.assertIn("[STAGE] === TRAINING PIPELINE START ===", seen[0])
        self.assertTrue(all(line.endswith("\n") for line in seen))

    def test_after_a_kill_the_lines_up_to_then_are_made_again(self):
        path = self.run_path()
        child = self.start(path)
        printed = [child.stdout.readline() for _ in range(60)]
        child.send_signal(signal.SIGKILL)
        printed = "".join(printed) + child.stdout.read()
        child.wait()
        self.assertEqual(child.returncode, -signal.SIGKILL)
        for view, pattern in VIEWS.items():
            with self.subTest(view=view):
                again = self.view(path, view).splitlines()
                lines = lines_of(printed, pattern)
                self.assertGreater(len(lines), 2)
                # An entry is in the run before its line is out: the last one may not have got out.
                self.assertEqual(again[:len(lines)], lines)
                self.assertLessEqual(len(again), len(lines) + 2)

    def test_a_reader_sees_the_lines_of_a_live_run(self):
        path = self.run_path()
        child = self.start(path)
        printed = "".join(child.stdout.readline() for _ in range(40))
        again = self.view(path, "epochs").splitlines()
        lines = lines_of(printed, EPOCHS)
        self.assertEqual(again[:len(lines)], lines)


if __name__ == "__main__":
    pit_case.main()
