"""pitwall run: any program runs unmodified and leaves a run, however it ends."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import time

import pit_case
import pit_check
import pit_reader
import pit_runs


# Without readings: on a busy machine they would show that the program had to wait for a processor.
WITHOUT_ADVICE = pit_case.clean_env(PITWALL_SAMPLE="0")


class RunCase(pit_case.Case):
    def setUp(self):
        self.home = self.folder()
        self.path = os.path.join(self.home, "run.pit")

    def launch(self, *command, status=0, options=("-o", "run.pit"), **more):
        more.setdefault("cwd", self.home)
        return self.run_status(status, [pit_case.tool(), "run", *options, "--", *command], **more)

    def shell(self, script, status=0, **more):
        return self.launch("sh", "-c", script, status=status, **more)

    def read(self, path=None):
        done = self.run_ok([pit_case.tool(), "report", path or self.path, "--json"])
        return json.loads(done.stdout)

    def ended(self, path=None):
        return self.read(path)["runs"][0]["ended"]

    def runs(self):
        return sorted(name for name in os.listdir(self.home) if name.endswith(".pit"))


class Ending(RunCase):
    """The record of how a program ended."""

    def test_of_a_program_without_spans(self):
        self.shell("exit 7", status=7, env=WITHOUT_ADVICE)
        report = self.read()
        run = report["runs"][0]
        self.assertEqual(run["state"], "closed")
        self.assertEqual((run["facts"]["program"], run["facts"]["arguments"]), ("sh", "-c exit 7"))
        ended = run["ended"]
        self.assertEqual((ended["exit_status"], ended["exit_signal"]), (7, None))
        self.assertEqual(ended["pid"], run["pid"])
        self.assertGreater(ended["duration_ns"], 0)
        self.assertAlmostEqual(run["duration_ns"] / ended["duration_ns"], 1, delta=0.01)
        self.assertGreater(ended["rss_peak_bytes"], 100000)
        self.assertGreater(ended["minor_faults"], 0)
        self.assertRegex(report["summary"]["headline"],
                         r"^exit status 7 after .*s; no spans were recorded$")
        self.assertEqual(pit_check.check(pit_reader.load(self.path)), [])
        pit_runs.read_both(self, self.path, "closed")

    def test_of_a_program_that_a_signal_killed(self):
        self.shell("kill -9 $$", status=137)
        run = self.read()["runs"][0]
        self.assertEqual(run["state"], "died")
        self.assertEqual((run["ended"]["exit_status"], run["ended"]["exit_signal"]), (None, 9))
        text = self.run_ok([pit_case.tool(), "report", self.path]).stdout
        self.assertTrue(text.startswith("killed by SIGKILL"), text)
        self.assertRegex(text, r"\nended +killed by SIGKILL, .*, user .*, peak RSS .*")
        pit_runs.read_both(self, self.path, "died")

    def test_of_a_program_that_opens_the_same_path_itself(self):
        self.launch(pit_case.program("prog_memory"), "script", "run.pit", "0", "0bone", "0e")
        self.assertEqual(self.runs(), ["run.pit"])
        self.assertEqual(self.ended()["exit_status"], 0)

    def test_of_a_program_with_spans_it_is_in_its_own_run(self):
        self.launch(pit_case.program("prog_sub_runs"), "spans", "5")
        report = self.read()
        self.assertEqual(self.runs(), ["run.pit"])
        self.assertEqual(report["nodes"][0]["count"], 5)
        self.assertEqual(report["runs"][0]["ended"]["exit_status"], 0)
        self.assertGreaterEqual(report["runs"][0]["ended"]["duration_ns"],
                                report["runs"][0]["duration_ns"])
        pit_runs.read_both(self, self.path, "closed")

    def test_a_killed_program_with_spans_names_the_signal(self):
        self.launch(pit_case.program("prog_sub_runs"), "die", "2", status=143)
        report = self.read()
        self.assertEqual(report["runs"][0]["post_mortem"]["verdict"], "killed by SIGTERM")
        self.assertEqual({node["path"]: (node["count"], node["open"]) for node in report["nodes"]},
                         {"die": (2, 0), "outer": (0, 1)})

    def test_a_run_in_shared_memory_gets_it_too(self):
        script = 'PITWALL_LIVE=shm; export PITWALL_LIVE; exec "$0" spans 5'
        self.shell_of_program(script)
        self.assertEqual(self.ended()["exit_status"], 0)
        self.assertEqual(self.read()["nodes"][0]["count"], 5)

    def shell_of_program(self, script, **more):
        return self.launch("sh", "-c", script, pit_case.program("prog_sub_runs"), **more)

    def test_time_and_io(self):
        self.shell("dd if=/dev/zero of=big bs=64k count=16 2>/dev/null; sleep 0.2; "
                   "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
        ended = self.ended()
        self.assertGreater(ended["duration_ns"], 200e6)
        self.assertGreater(ended["user_ns"] + ended["system_ns"], 1e6)
        self.assertGreaterEqual(ended["write_chars"], 1 << 20)

    @contextlib.contextmanager
    def begun(self, script, lines):
        """Starts a shell below `pitwall run` that reads this many lines from `hold`; they are given at the
        end. Returns the tool's process."""
        path = os.path.join(self.home, "hold")
        os.mkfifo(path)
        hold = os.open(path, os.O_RDWR)
        tool = subprocess.Popen([pit_case.tool(), "run", "-o", "run.pit", "--", "sh", "-c", script],
                                cwd=self.home, env=pit_case.clean_env(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL)
        try:
            yield tool
            os.write(hold, b"\n" * lines)
            self.assertEqual(tool.wait(300 * pit_case.slowness()), 0)
        finally:
            tool.kill()
            tool.wait()
            os.close(hold)

    @staticmethod
    def waits_of(tool):
        """How often the tool has waited: each check of the program's children ends with a wait."""
        with open("/proc/%d/status" % tool.pid, encoding="utf-8") as file:
            return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M).group(1))

    def test_children_are_seen_at_any_depth(self):
        child = "(: >%s; read line <hold) &"
        script = "%s (%s %s wait) & wait" % tuple(child % name for name in "abc")
        with self.begun(script, 3) as tool:
            self.assertTrue(pit_runs.wait_until(lambda: all(
                os.path.exists(os.path.join(self.home, name)) for name in "abc")))
            before = self.waits_of(tool)
            self.assertTrue(pit_runs.wait_until(lambda: self.waits_of(tool) > before + 5))
        self.assertEqual(self.ended()["children_seen"], 4)

    def test_a_long_program_is_looked_at_seldom(self):
        with self.begun("read line <hold", 1) as tool:
            self.assertTrue(pit_runs.wait_until(lambda: self.waits_of(tool) > 10, pause=0.02))
            begun, before = time.monotonic(), self.waits_of(tool)
            time.sleep(1)
            waits = self.waits_of(tool) - before
            self.assertLess(waits, 60 * (time.monotonic() - begun))

    def test_labels_and_facts_of_a_program_without_spans(self):
        self.launch("true", options=("-o", "run.pit", "--label", "lr=0.1"))
        facts = self.read()["runs"][0]["facts"]
        self.assertEqual(facts["label.lr"], "0.1")
        self.assertEqual(facts["cwd"], os.path.realpath(self.home))
        self.assertIn("kernel", facts)

    def test_a_file_that_exists_is_never_touched(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("mine")
        self.launch("true")
        self.launch(pit_case.program("prog_sub_runs"), "spans", "5")
        self.assertEqual(self.runs(), ["run-2.pit", "run-3.pit", "run.pit"])
        for name in ("run-2.pit", "run-3.pit"):
            self.assertEqual(self.ended(os.path.join(self.home, name))["exit_status"], 0)
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_the_default_name_is_the_programs(self):
        self.launch("true", options=())
        name, = os.listdir(os.path.join(self.home, "pitwall-runs"))
        ended = self.ended(os.path.join(self.home, "pitwall-runs", name))
        self.assertRegex(name, r"^true-\d{8}-\d{6}-.*-%d\.pit$" % ended["pid"])

    def test_a_script_of_python_is_the_program(self):
        self.launch("/usr/bin/python3", "-m", "this", options=())
        name, = os.listdir(os.path.join(self.home, "pitwall-runs"))
        self.assertTrue(name.startswith("this-"), name)
        run = self.read(os.path.join(self.home, "pitwall-runs", name))["runs"][0]
        self.assertEqual([run["facts"][key] for key in ("program", "interpreter", "arguments")],
                         ["this", "python3", "-m this"])

    def test_a_template_is_the_programs_too(self):
        self.launch("true", options=("-o", "a-%p%%.pit"))
        name, = self.runs()
        self.assertEqual(name, "a-%d%%.pit" % self.ended(os.path.join(self.home, name))["pid"])

    def test_switched_off_it_leaves_nothing(self):
        with open(os.path.join(self.home, "conf.yaml"), "w", encoding="utf-8") as file:
            file.write("pitwall: {enabled: false}\n")
        self.launch("true", options=("--config", "conf.yaml", "-o", "run.pit"))
        self.assertEqual(self.runs(), [])


class SubRuns(RunCase):
    def test_what_the_program_starts_is_beneath_it(self):
        self.launch("sh", "-c", '"$0" spans 2; "$0" start 3 "$0" spans 4; exit 5',
                    pit_case.program("prog_sub_runs"), status=5)
        report = self.read()
        self.assertEqual(report["nodes"], [])
        self.assertEqual(report["runs"][0]["ended"]["exit_status"], 5)
        below = report["sub_runs"]
        self.assertEqual({n["path"]: n["count"] for n in below["nodes"]}, {"spans": 6, "start": 3})
        self.assertEqual(below["count"], 3)

    def test_a_run_inside_a_run(self):
        tool, program = pit_case.tool(), pit_case.program("prog_sub_runs")
        self.launch(tool, "run", "--", tool, "run", "-o", "inner.pit", "--", program, "spans", "2")
        report = self.read()
        below = report["sub_runs"]
        self.assertEqual([run["depth"] for run in below["runs"]], [1, 2])
        self.assertEqual([run["ended"]["exit_status"] for run in below["runs"]], [0, 0])
        self.assertEqual([n["count"] for n in below["nodes"]], [2])


class Elsewhere(RunCase):
    """Runs that a program opens in a folder other than that of its own run."""

    def setUp(self):
        super().setUp()
        self.other = os.path.realpath(self.folder())

    def test_a_run_that_the_program_opens_elsewhere_is_beneath_it_and_named(self):
        mine = os.path.join(self.other, "mine.pit")
        self.launch(pit_case.program("prog_sub_runs"), "open", mine, options=("-o", "runs/run.pit"))
        path = os.path.join(self.home, "runs", "run.pit")
        below = self.read(path)["sub_runs"]
        self.assertEqual([run["path"] for run in below["runs"]], [mine])
        self.assertEqual([(n["path"], n["count"]) for n in below["nodes"]], [("own", 7)])
        for place in (path, os.path.join(self.home, "runs")):
            text = self.run_ok([pit_case.tool(), "report", place]).stdout
            self.assertRegex(text, "(?m)^elsewhere {1,2}%s$" % mine)
            self.assertRegex(text, "^exit status 0 after .*; no spans of its own, those of 1 sub-run ")
        self.assertEqual(os.listdir(self.other), ["mine.pit"])

    def test_what_that_run_starts_in_its_own_folder_is_found_too(self):
        mine = os.path.join(self.other, "mine.pit")
        self.launch(pit_case.program("prog_sub_runs"), "fork", mine)
        below = self.read()["sub_runs"]
        self.assertEqual({n["path"]: n["count"] for n in below["nodes"]},
                         {"parent": 10, "child": 5, "grandchild": 10})
        self.assertEqual([run["depth"] for run in below["runs"]], [1, 2, 3])

    def test_a_template_with_a_folder_for_each_process(self):
        program = pit_case.program("prog_sub_runs")
        self.launch(program, "start", "2", program, "spans", "3", options=("-o", "%p/run.pit"))
        folders = sorted(os.listdir(self.home))
        self.assertEqual(len(folders), 2)
        reports = [self.read(os.path.join(self.home, name, "run.pit")) for name in folders]
        self.assertIn({"start": 2, "spans": 3},
                      [{n["path"]: n["count"] for part in (r, r["sub_runs"]) for n in part["nodes"]}
                       for r in reports])

    def test_several_and_one_that_is_gone(self):
        program, names = pit_case.program("prog_sub_runs"), ("a.pit", "b", "gone.pit")
        script = "; ".join('"$0" open %s' % os.path.join(self.other, name) for name in names)
        self.launch("sh", "-c", script, program)
        os.unlink(os.path.join(self.other, "gone.pit"))
        below = self.read()["sub_runs"]
        self.assertEqual(sorted(os.path.basename(run["path"]) for run in below["runs"]), ["a.pit", "b"])
        for command in ("list", "report"):
            text = self.run_ok([pit_case.tool(), command, "."], cwd=self.home).stdout
            self.assertNotIn("unreadable", text)
            self.assertNotRegex(text, "(?m)^elsewhere .*gone")

    def test_in_the_same_folder_there_is_no_link(self):
        self.launch(pit_case.program("prog_sub_runs"), "open", "mine.pit")
        self.assertEqual(self.runs(), ["mine.pit", "run.pit"])
        self.assertEqual(self.read()["sub_runs"]["count"], 1)


class AsWithoutUs(RunCase):
    def test_a_pipeline_on_both_sides(self):
        script = "seq 1 200000 | %s run --quiet -o run.pit -- sort -n | tail -1; yes | %s run -- head -2"
        done = self.run_ok(["sh", "-c", script % ((pit_case.tool(),) * 2)], cwd=self.home)
        self.assertEqual(done.stdout, "200000\ny\ny\n")
        self.assertEqual(done.stderr, "")

    def test_a_reader_that_goes_away_kills_the_program_not_us(self):
        script = "{ %s run -o run.pit -- yes; echo $? >&2; } | head -1" % pit_case.tool()
        done = self.run_ok(["sh", "-c", script], cwd=self.home)
        self.assertEqual((done.stdout, done.stderr), ("y\n", "141\n"))
        self.assertEqual(self.ended()["exit_signal"], signal.SIGPIPE)

    def test_descriptors_signals_and_mask_are_those_of_a_plain_start(self):
        show = "grep -E '^(SigBlk|SigIgn|SigCgt)' /proc/self/status; ls /proc/self/fd | wc -l; pwd; umask"

        def prepare():
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
            os.close(0)

        plain = pit_case.run(["sh", "-c", show], cwd=self.home, preexec_fn=prepare).stdout
        ours = self.launch("sh", "-c", show, preexec_fn=prepare).stdout
        self.assertEqual(ours, plain)
        self.assertEqual(len(plain.splitlines()), 6)

    def test_closed_streams_are_closed_for_the_program_too_and_no_trouble_for_us(self):
        script = "for i in 0 1 2; do [ -e /proc/self/fd/$i ] || echo $i closed >>told; done; exit 5"
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            self.launch("sh", "-c", script, status=5,
                        preexec_fn=lambda fds=closed: [os.close(fd) for fd in fds])
            told = os.path.join(self.home, "told")
            with open(told, encoding="utf-8") as file:
                self.assertEqual(file.read(), "".join("%d closed\n" % fd for fd in closed))
            os.unlink(told)
        for command, status in (("list", 74), ("--version", 74)):
            done = pit_case.run([pit_case.tool(), command], cwd=self.home,
                                preexec_fn=lambda: os.close(1))
            self.assertEqual(done.returncode, status, done.stderr)

    def test_an_ignored_pipe_signal_stays_ignored(self):
        def prepare():
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)

        show = ["grep", "^SigIgn", "/proc/self/status"]
        plain = pit_case.run(show, preexec_fn=prepare, restore_signals=False).stdout
        ours = self.launch(*show, preexec_fn=prepare, restore_signals=False).stdout
        self.assertEqual(ours, plain)

    def test_without_a_terminal_and_in_a_session_of_its_own(self):
        done = self.launch("sh", "-c", "cat; echo out; echo err >&2; exit 3", status=3,
                           start_new_session=True, stdin=subprocess.DEVNULL)
        self.assertEqual((done.stdout, done.stderr), ("out\n", "err\n"))

    def signalled(self, number, script, ready="ready\n"):
        process = subprocess.Popen([pit_case.tool(), "run", "-o", "run.pit", "--", "sh", "-c", script],
                                   cwd=self.home, env=pit_case.clean_env(), stdout=subprocess.PIPE,
                                   encoding="utf-8")
        try:
            self.assertEqual(process.stdout.readline(), ready)
            process.send_signal(number)
            out = process.communicate(timeout=300 * pit_case.slowness())[0]
        finally:
            pit_case.kill_all(process)
        return process.returncode, out

    def test_signals_sent_to_us_reach_the_program(self):
        for name in ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2"):
            status, out = self.signalled(getattr(signal, "SIG" + name),
                                         "trap 'echo got %s; exit 9' %s; echo ready; "
                                         "while :; do sleep 0.02; done" % (name, name))
            self.assertEqual((status, out), (9, "got %s\n" % name))

    def test_stopped_and_continued_by_others(self):
        """Only the terminal stops both of us; test_run_stopped.py has the rest."""
        process = subprocess.Popen([pit_case.tool(), "run", "-o", "run.pit", "--", "sh", "-c",
                                    "echo $$; read line; exit 4"], cwd=self.home,
                                   env=pit_case.clean_env(), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        try:
            child = int(process.stdout.readline())
            os.kill(child, signal.SIGSTOP)
            self.assertTrue(pit_runs.wait_until(lambda: pit_runs.state_of(child) == "T"))
            os.kill(child, signal.SIGCONT)
            process.stdin.write(b"go on\n")
            process.stdin.close()
            self.assertEqual(process.wait(240 * pit_case.slowness()), 4)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


class Trouble(RunCase):
    def test_not_found_and_not_executable_leave_no_run(self):
        with open(os.path.join(self.home, "plain"), "w", encoding="utf-8") as file:
            file.write("text")
        done = self.launch("no-such-program", status=127)
        self.assertEqual(done.stderr,
                         "pitwall: cannot start: no-such-program: No such file or directory\n")
        with open(os.path.join(self.home, "script"), "w", encoding="utf-8") as file:
            file.write("#!/nowhere/python\n")
        os.chmod(os.path.join(self.home, "script"), 0o755)
        done = self.launch("./script", status=127)
        self.assertEqual(done.stderr, "pitwall: cannot start: ./script: "
                                      "its interpreter is missing\n")
        done = self.launch("./plain", status=126)
        self.assertEqual(done.stderr, "pitwall: cannot start: ./plain: Permission denied\n")
        self.assertEqual(self.runs(), [])

    def test_where_no_run_can_be_the_program_is_not_started(self):
        with open(os.path.join(self.home, "file"), "w", encoding="utf-8"):
            pass
        done = self.launch("touch", "started", status=74, options=("-o", "file/run.pit"))
        self.assertEqual(done.stderr, "pitwall: cannot write the run: %s/file/run.pit: "
                                      "Not a directory\n" % os.path.realpath(self.home))
        self.assertFalse(os.path.exists(os.path.join(self.home, "started")))

    def test_what_takes_no_file_is_told_before_the_program_starts(self):
        for path, why in (("/proc/run.pit", "|".join(map(os.strerror, (2, 13)))),
                          ("/dev/zero", "it exists and is not a regular file")):
            done = self.launch("touch", "started", status=74, options=("-o", path))
            self.assertRegex(done.stderr, "^pitwall: cannot write the run: %s: (%s)\n$" % (path, why))
            self.assertFalse(os.path.exists(path.replace(".pit", "") + "-2"))
        self.assertEqual(os.listdir(self.home), [])

    def test_missing_folders_are_made(self):
        self.launch("true", options=("-o", "a/b/run.pit"))
        self.assertEqual(self.ended(os.path.join(self.home, "a", "b", "run.pit"))["exit_status"], 0)

    def test_without_room_the_status_is_still_the_programs(self):
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        done = self.launch("sh", "-c", "exit 6", status=6, preexec_fn=no_room)
        self.assertRegex(done.stderr, "^pitwall: cannot write the run: .*/run.pit: File too large\n$")
        self.assertEqual(self.runs(), [])

    def test_a_limit_of_file_sizes_that_spans_do_not_fit_in_is_told(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))

        done = self.launch(pit_case.program("prog_sub_runs"), "spans", "5", preexec_fn=limit)
        self.assertRegex(done.stderr, "^pitwall: spans could not be recorded: .*/run.pit: "
                                      r"file size is limited to 100 kB \(ulimit -f\)\n$")
        self.assertEqual(self.ended()["exit_status"], 0)

    def test_a_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to mount a small filesystem")
        small = os.path.join(self.home, "small")
        os.mkdir(small)
        mounted = pit_case.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small])
        if mounted.returncode:
            self.skipTest("cannot mount here: " + mounted.stderr.strip())
        self.addCleanup(pit_case.run, ["umount", small])
        with open(os.path.join(small, "filler"), "wb") as file:
            file.write(bytes(32 << 10))
        done = self.launch(pit_case.program("prog_sub_runs"), "spans", "5",
                           options=("-o", "small/run.pit"))
        self.assertRegex(done.stderr, "^pitwall: spans could not be recorded: "
                                      r".*/run.pit: the disk has \d+ kB free\n$")
        os.unlink(os.path.join(small, "run.pit"))
        with open(os.path.join(small, "filler"), "wb") as file:
            file.write(bytes(64 << 10))
        done = self.launch(pit_case.program("prog_sub_runs"), "spans", "5",
                           options=("-o", "small/run.pit"))
        self.assertRegex(done.stderr,
                         "^pitwall: cannot write the run: .*: No space left on device\n$")
        self.assertEqual(os.listdir(small), ["filler"])


class Options(RunCase):
    def test_the_flight_recorder(self):
        for size, ring in (("1", 1 << 20), ("0", 0), ("512k", 512 << 10), ("2M", 2 << 20)):
            self.launch(pit_case.program("prog_sub_runs"), "spans", "1",
                        options=("-o", size + ".pit", "--trace", size))
            run = pit_reader.load(os.path.join(self.home, size + ".pit"))
            self.assertEqual(run["ring_bytes"], ring // 16384 * 16384, size)
        for wrong in ("", "x", "1T", "-1", "1kk", "nan"):
            self.launch("true", status=64, options=("--trace", wrong))

    def test_the_report_and_the_closing_line(self):
        done = self.launch("sh", "-c", "echo out; exit 2", status=2, env=WITHOUT_ADVICE,
                           options=("-o", "run.pit", "--report"))
        self.assertEqual(done.stdout, "out\n")
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], "^exit status 2 after .*; no spans were recorded$")
        self.assertRegex(lines[-1], r"^pitwall: exit status 2 after \d+\.\d{3} s; run: run\.pit$")
        for options in ((), ("--quiet",), ("--no-report",)):
            self.assertEqual(self.launch("true", options=options).stderr, "")


if __name__ == "__main__":
    pit_case.main(has_threads=False)
