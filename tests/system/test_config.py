"""`pitwall run` and its configuration: what reaches the program, signals and statuses, and the
errors about a wrong file."""

import os
import re
import signal
import subprocess
import sys

import pit_case
from places import Case, write

SHOW = ["sh", "-c", "env | grep ^PITWALL | sort"]


class RunCase(Case):
    def launch(self, *arguments, status=0, **options):
        options.setdefault("cwd", self.folder())
        return self.run_status(status, [pit_case.tool(), "run", *arguments], **options)

    def conf(self, text, name="conf.yaml"):
        self.where = self.folder()
        data = text if isinstance(text, bytes) else text.encode()
        return write(os.path.join(self.where, name), data)

    def variables(self, *arguments, **options):
        """The variables that it sets, except those that every program gets: its file, and its run's id."""
        home = self.folder()
        done = self.launch(*arguments, "--", *SHOW, cwd=home, **options)
        self.assertEqual(done.stderr, "")
        found = dict(line.split("=", 1) for line in done.stdout.splitlines())
        if found["PITWALL"] != "0":
            self.assertRegex(found.pop("PITWALL_PARENT"), "^[0-9a-f]{32}$")
            self.assertEqual(found.pop("PITWALL_GUARD"), "1")
            self.assertRegex(found.pop("PITWALL_RUN_PID"), "^[0-9]+$")
            self.assertEqual(found.pop("PITWALL_AUTO"), "1")
            found["PITWALL_FILE"] = os.path.relpath(found["PITWALL_FILE"], os.path.realpath(home))
        if re.match(r"pitwall-runs/.*-\d+\.pit$", found.get("PITWALL_FILE", "")):
            del found["PITWALL_FILE"]
        return found

    def configured(self, text):
        return self.variables("--config", self.conf(text))

    def refused(self, text, why, status=64):
        path = self.conf(text)
        done = self.launch("--config", "conf.yaml", "--", "touch", "started", status=status,
                           cwd=self.where)
        self.assertEqual(done.stderr, "pitwall: cannot use the configuration: conf.yaml:%s\n" % why)
        self.assertFalse(os.path.exists(os.path.join(os.path.dirname(path), "started")))


class Program(RunCase):
    def test_records_without_a_change_to_the_program(self):
        path = os.path.join(self.folder(), "run.pit")
        self.launch("-o", path, "--", pit_case.program("prog_place"), "spans=work:7")
        self.assertEqual(self.counts(path), {"work": 7})

    def test_default_file(self):
        folder = self.folder()
        self.launch("--", pit_case.program("prog_place"), "spans=work:7", cwd=folder)
        runs = os.listdir(os.path.join(folder, "pitwall-runs"))
        self.assertEqual(len(runs), 1)
        self.assertTrue(runs[0].startswith("prog_place-"))

    def test_memory_and_sampling(self):
        path = os.path.join(self.folder(), "run.pit")
        self.launch("-o", path, "--memory", "--sample", "0", "--",
                    pit_case.program("prog_place"), "spans=work:7")
        node = self.report(path)["nodes"][0]
        self.assertEqual(node["memory_spans"], 7)

    def test_labels_are_kept_with_the_run(self):
        path = os.path.join(self.folder(), "run.pit")
        self.launch("-o", path, "--label", "size=7", "--label", "who=me = you", "--",
                    pit_case.program("prog_place"), "spans=work:7")
        facts = self.report(path)["runs"][0]["facts"]
        self.assertEqual((facts["label.size"], facts["label.who"]), ("7", "me = you"))
        for label in ("size", "=7", "a=b\nc=d", "k=" + "x" * 5000):
            self.launch("--label", label, "--", "true", status=64)

    def test_options_are_variables(self):
        self.assertEqual(self.variables(), {"PITWALL": "1"})
        self.assertEqual(self.variables("-o", "x.pit", "--memory", "--sample", "2.5",
                                        "--sample-stacks", "0"),
                         {"PITWALL": "1", "PITWALL_FILE": "x.pit", "PITWALL_MEMORY": "1",
                          "PITWALL_SAMPLE": "2.5", "PITWALL_SAMPLE_STACKS": "0"})

    def test_the_programs_own_options_are_not_ours(self):
        done = self.launch("echo", "--memory", "-o", "x", "--help")
        self.assertEqual(done.stdout, "--memory -o x --help\n")

    def test_output_and_input_are_the_programs(self):
        path = write(os.path.join(self.folder(), "in"), b"hello\n")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(self.launch("--", "cat", stdin=file).stdout, "hello\n")
        with open("/dev/full", "w", encoding="utf-8") as full:  # its failure, its words
            done = self.launch("--", "sh", "-c", "echo x; exit 5", status=5, stdout=full)
        self.assertNotIn("pitwall", done.stderr)


class Status(RunCase):
    def test_status_is_the_programs(self):
        for status in (0, 1, 2, 74, 127, 255):
            done = self.launch("--", "sh", "-c", "exit %d" % status, status=status)
            self.assertEqual(done.stderr, "")

    def test_killed(self):
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            self.launch("--", "sh", "-c", "kill -%d $$" % number, status=128 + number)

    def test_not_started(self):
        done = self.launch("--", "no-such-program-here", status=127)
        self.assertEqual(done.stderr,
                         "pitwall: cannot start: no-such-program-here: No such file or directory\n")
        path = write(os.path.join(self.folder(), "plain"), b"text")
        self.assertIn("Permission denied", self.launch("--", path, status=126).stderr)

    def test_signals_are_passed_on(self):
        ready = os.path.join(self.folder(), "ready")
        script = ("import signal, sys, time\n"
                  "signal.signal(%d, lambda *a: sys.exit(42))\n"
                  "open(%r, 'w').close()\n"
                  "time.sleep(3600)")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP):
            child = self.start([pit_case.tool(), "run", "--", sys.executable, "-c",
                                script % (number, ready)])
            self.wait_file(ready, child)
            child.send_signal(number)
            self.assertEqual(child.wait(timeout=300), 42, number)
            os.unlink(ready)

    def test_the_program_has_the_signals_of_the_caller(self):
        script = ("import signal; print([int(signal.getsignal(s) == signal.SIG_IGN)"
                  " for s in (signal.SIGHUP, signal.SIGTERM)],"
                  " len(signal.pthread_sigmask(signal.SIG_BLOCK, [])))")
        done = subprocess.run([pit_case.tool(), "run", "--", sys.executable, "-c", script],
                              env=pit_case.clean_env(), stdout=subprocess.PIPE, check=True,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(done.stdout.decode(), "[1, 0] 0\n")

    def test_sigpipe_kills_the_program_as_usual(self):
        script = "yes; echo status $? >&2"
        done = pit_case.run(["sh", "-c", "%s run -- sh -c '%s' | head -n 1" %
                             (pit_case.tool(), script)])
        self.assertIn("status 141", done.stderr)


class Configuration(RunCase):
    def test_trainer_params(self):
        self.assertEqual(self.configured(
            "model: {a: 1}\ntrainer_params:\n  batch_size: 32\n"
            "  enable_memory_monitoring: true  # both\n  memory_monitor_batches: 10\n"),
            {"PITWALL": "1", "PITWALL_MONITOR": "1", "PITWALL_MONITOR_BATCHES": "10"})
        self.assertEqual(self.configured("trainer_params: {enable_memory_monitoring: false}"),
                         {"PITWALL": "1", "PITWALL_MONITOR": "0"})

    def test_our_own_block(self):
        self.assertEqual(self.configured(
            "pitwall:\n  file: runs/%r.pit\n  memory: yes\n  sample_hz: 2.5\n  ring: 65536\n"
            "  verbose: off\n  monitor: on\n  monitor_batches: 0\n  live: shm\n  clock: monotonic\n"
            "  sample_stacks: 20\n"),
            {"PITWALL": "1", "PITWALL_FILE": "runs/%r.pit", "PITWALL_MEMORY": "1",
             "PITWALL_SAMPLE": "2.5", "PITWALL_RING": "65536", "PITWALL_VERBOSE": "0",
             "PITWALL_MONITOR": "1", "PITWALL_MONITOR_BATCHES": "0", "PITWALL_LIVE": "shm",
             "PITWALL_CLOCK": "monotonic", "PITWALL_SAMPLE_STACKS": "20"})
        self.assertEqual(self.configured("pitwall: {enabled: false}"), {"PITWALL": "0"})

    def test_merged_blocks(self):
        self.assertEqual(self.configured(
            "base: &base {enable_memory_monitoring: true, memory_monitor_batches: 3}\n"
            "trainer_params:\n  <<: *base\n  memory_monitor_batches: 7\n"),
            {"PITWALL": "1", "PITWALL_MONITOR": "1", "PITWALL_MONITOR_BATCHES": "7"})

    def test_order_option_file_environment(self):
        path = self.conf("pitwall: {file: conf.pit, sample_hz: 5}")
        env = pit_case.clean_env(PITWALL_FILE="env.pit", PITWALL_RING="1", PITWALL_SAMPLE="1")
        self.assertEqual(self.variables("--config", path, "-o", "option.pit", env=env),
                         {"PITWALL": "1", "PITWALL_FILE": "option.pit", "PITWALL_SAMPLE": "5",
                          "PITWALL_RING": "1"})

    def test_ours_goes_before_the_trainers(self):
        self.assertEqual(self.configured("pitwall: {monitor_batches: 1}\n"
                                         "trainer_params: {memory_monitor_batches: 9}\n"),
                         {"PITWALL": "1", "PITWALL_MONITOR_BATCHES": "1"})

    def test_nothing_of_ours_in_it(self):
        for text in ("", "# empty\n", "a: 1\n", "pitwall:\n", "trainer_params: 5\n"):
            self.assertEqual(self.configured(text), {"PITWALL": "1"}, text)

    def test_a_block_that_lies_deeper_is_found(self):
        self.assertEqual(self.configured("trainer:\n  - name: x\n    trainer_params:\n"
                                         "      enable_memory_monitoring: false\n"),
                         {"PITWALL": "1", "PITWALL_MONITOR": "0"})

    def test_what_is_ignored_is_warned_about(self):
        several = "a: {trainer_params: {memory_monitor_batches: 1}}\nb: {trainer_params: {}}\n"
        for text, where in (("trainer: {enable_memory_monitoring: true}\n",
                             "a setting outside of trainer_params is ignored: conf.yaml: 1:11: "
                             "enable_memory_monitoring"),
                            (several, "several such blocks, and none at the top level: "
                                      "they are ignored: conf.yaml: 2:5: trainer_params")):
            path = self.conf(text)
            done = self.launch("--config", "conf.yaml", "--", "echo", "ran", cwd=os.path.dirname(path))
            self.assertEqual([done.stdout, done.stderr], ["ran\n", "pitwall: warning: %s\n" % where])

    def test_unknown_keys_are_named_and_the_program_runs(self):
        path = self.conf("pitwall:\n  memory: true\n  memroy: true\ntrainer_params: {other: 1}\n")
        done = self.launch("--config", "conf.yaml", "--", "echo", "ran", cwd=os.path.dirname(path))
        self.assertEqual(done.stdout, "ran\n")
        self.assertEqual(done.stderr, "pitwall: warning: unknown key in the configuration: "
                                      "conf.yaml: 3:3: memroy\n")

    def test_wrong_types_have_their_place(self):
        self.refused("a: 1\nb: 2\ntrainer_params:\n  memory_monitor_batches: many\n",
                     "4:27: memory_monitor_batches: must be a whole number")
        self.refused("trainer_params: {memory_monitor_batches: -1}",
                     "1:42: memory_monitor_batches: must be a whole number")
        self.refused("trainer_params: {enable_memory_monitoring: maybe}",
                     "1:44: enable_memory_monitoring: must be true or false")
        self.refused("pitwall: {memory: [1]}", "1:19: memory: must be true or false")
        self.refused("pitwall: {sample_hz: fast}", "1:22: sample_hz: must be a number")
        self.refused("pitwall: {file: ''}", "1:17: file: must be a text")
        self.refused("pitwall: 5", "1:10: pitwall: must be a block of keys")
        self.refused("- a\n- b\n", "1:1: must be a list of keys and values")
        self.refused("pitwall: &a {<<: *a}", "1:10: <<: merged into itself, or too deep")

    def test_broken_yaml_has_its_place(self):
        self.refused("a: 1\nb: [1, 2\nc: 3\n", "3:2: did not find expected ',' or ']'")
        self.refused("a:\n\tb: 1\n", "2:1: found character that cannot start any token")
        self.refused(b"a: \xff\xfe\n", "1:1: invalid leading UTF-8 octet")
        self.refused("pitwall: {memory: *nothing}", "1:19: found undefined alias")

    def test_files_that_cannot_be_read(self):
        folder = self.folder()
        for path, why in ((os.path.join(folder, "none.yaml"), "No such file or directory"),
                          (folder, "Is a directory")):
            done = self.launch("--config", path, "--", "true", status=66)
            self.assertEqual(done.stderr,
                             "pitwall: cannot read the configuration: %s: %s\n" % (path, why))


if __name__ == "__main__":
    pit_case.main(has_threads=False)
