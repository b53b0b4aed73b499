"""A run is complete however its program ends: killed at any instant, _exit, exec, exit, abort."""

import concurrent.futures
import os
import random
import signal
import subprocess
import time

import pit_case
import pit_reader
import pit_runs

# At random moments: a sample. test_kill_windows stops after every store, test_kill_shapes kills more shapes.
KILLS = 200 if pit_case.is_test_all() else 80
if pit_case.sanitizer():
    KILLS //= 4


def start(folder, seed, *settings, env=None):
    """prog_spans in a folder; its process, run and truth."""
    run, truth = os.path.join(folder, "run.pit"), os.path.join(folder, "truth")
    process = subprocess.Popen(
        [pit_case.program("prog_spans"), run, truth, str(seed)] + list(settings),
        env=pit_case.clean_env(**(env or {})), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL)
    return process, run, truth


def is_stopped(pid):
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


def ended_spans(truth):
    return sum(sums[0] for sums in truth.paths.values())


class Kill(pit_case.Case):
    def stop_where(self, process, path, truth_path, is_wanted, note):
        """Stop the program, read its own record, and let it continue until the record is as wanted."""
        def look():
            process.send_signal(signal.SIGSTOP)
            self.assertTrue(pit_runs.wait_until(lambda: is_stopped(process.pid)), note)
            if is_wanted(pit_runs.Truth(truth_path), path):
                return True
            process.send_signal(signal.SIGCONT)
            return False
        self.assertTrue(pit_runs.wait_until(look, pause=0.005), note + "it never came to that")

    def kill_one(self, seed, folder, settings, delay_ms, early=False, env=None, until=None):
        """Start, kill after a while or when the record is as wanted, read, compare. Returns the run, or
        None if it was not open yet."""
        note = "PIT_TEST_SEED=%d, %s, killed after %.2f ms: " % (
            self.seed, " ".join([str(seed)] + settings), delay_ms)
        os.mkdir(folder)
        process, path, truth_path = start(folder, seed, *settings, env=env)
        try:
            if not early:
                self.assertTrue(pit_runs.wait_until(lambda: pit_runs.opened(truth_path)), note)
            time.sleep(delay_ms / 1000)
            if until:
                self.stop_where(process, path, truth_path, until, note)
        finally:
            process.kill()
            process.wait(300)
        self.assertEqual(process.returncode, -signal.SIGKILL, note)
        if early and not pit_runs.opened(truth_path):
            self.not_open_yet(path, note)
            return None
        truth = pit_runs.Truth(truth_path)
        document = pit_runs.report(self, path, note)
        run = pit_runs.read_both(self, path, "died", note)
        pit_runs.check_report(self, document, run, "died", note)
        self.assertEqual(run["state"], "recording", note)
        self.assertEqual(sum(t["counters"]["abandoned"] + t["counters"]["left_open"]
                             + t["counters"]["end_without_begin"] + t["counters"]["wrong_thread"]
                             for t in run["threads"]), 0, note)
        pit_runs.check_counts(self, run, truth, note)
        pit_runs.check_open(self, run, truth, note)
        pit_runs.check_values(self, run, truth, note)
        return run

    def not_open_yet(self, path, note):
        """Killed before pit_open returned: a report, or a message that explains why there is none."""
        if not os.path.exists(path):
            return
        done = pit_case.run([pit_case.reader(), "report", path], timeout=20)
        self.assertIn(done.returncode, (0, 66), note + done.stderr)
        self.assertNotEqual(done.stdout + done.stderr, "", note)
        document, said = pit_runs.dump(path)
        if document:
            pit_runs.read_both(self, path, "died", note)
        else:
            self.assertRegex(said, "^prog_dump: -[0-9]+: .", note)
            with self.assertRaises(pit_reader.BadRun, msg=note):
                pit_reader.load(path)

    def test_a_kill_between_a_block_of_places_and_its_first_word(self):
        """The block exists, first without content, then with half of it."""
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_golden"), "places", path])
        os.chmod(path, 0o644)
        with open(path, "r+b") as file:
            data = bytearray(file.read())
            view = pit_reader.View(data)
            header = pit_reader.read_header(view)
            blocks, _ = pit_reader.walk(view, header["start"], header["used_bytes"])
            places = [block for block in blocks if block.type == pit_reader.PLACES_OF]
            self.assertTrue(places)
            for block in places:  # `used` and everything after the block's header
                data[block.offset + 16:block.offset + 24] = bytes(8)
                data[block.offset + 64:block.offset + block.bytes] = bytes(block.bytes - 64)
            for said, is_known in ((b"", False), (b"hal", True)):
                at = places[0].offset + 64 + 24
                data[at:at + len(said)] = said
                file.seek(0)
                file.write(data)
                file.flush()
                run = pit_runs.read_both(self, path, "closed")
                self.assertEqual(bool(run["places"]), is_known)

    def many(self, jobs):
        """Two at a time, because a program records while another run is read."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return [future.result() for future in
                    [pool.submit(self.kill_one, *job[0], **job[1]) for job in jobs]]

    def jobs(self, count, choose):
        self.seed = pit_runs.seed_of_test()
        print("seed %d" % self.seed, end=" ", flush=True)
        dice, folder = random.Random(self.seed), self.folder()
        for i in range(count):
            settings, delay, more = choose(dice, i)
            yield (dice.randrange(10**9), os.path.join(folder, str(i)), settings, delay), more

    def test_a_kill_at_a_random_moment_loses_no_finished_span(self):
        def choose(dice, i):
            settings = ["threads=%d" % dice.choice((1, 1, 2, 3)),
                        "ring=%d" % dice.choice((32768, 32768, 131072, 2**64 - 1))]
            if i % 40 == 0:
                settings[1] = "ring=0"
            delay = dice.uniform(0.5, 30) if i % 4 else dice.uniform(30, 300)
            return settings, delay * min(pit_case.slowness(), 5), {}
        self.many(self.jobs(KILLS, choose))

    def test_a_kill_after_some_spans_and_inside_one(self):
        def choose(dice, i):
            wanted = 10 ** (i % 5)
            def until(truth, _):
                return ended_spans(truth) >= wanted and any(
                    "" not in thread["here"] for thread in truth.threads.values())
            return ["threads=%d" % dice.choice((1, 2)), "ring=32768"], 0, {"until": until}
        for i, run in enumerate(self.many(self.jobs(5, choose))):
            self.assertGreaterEqual(sum(pit_runs.counts_by_path(run).values()), 10 ** i)
            self.assertTrue(any(t["open"] for t in run["threads"]))

    def test_a_kill_while_the_run_is_opened_leaves_a_run_or_nothing(self):
        def choose(dice, _):
            return ["threads=2"], dice.uniform(0, 6 * pit_case.slowness()), {"early": True}
        self.many(self.jobs(40 if not pit_case.sanitizer() else 10, choose))

    def test_a_kill_while_the_file_grows_to_its_limit(self):
        def choose(dice, i):
            settings = ["mode=many", "max=1" if i % 2 else "max=0", "ring=65536",
                        "threads=%d" % dice.choice((1, 2))]
            # The first one runs long enough that its file has grown.
            more = {} if i else {"until": lambda truth, _: len(truth.paths) > 3000}
            return settings, dice.uniform(0.2, 60) * min(pit_case.slowness(), 5), more
        runs = self.many(self.jobs(16 if not pit_case.sanitizer() else 4, choose))
        self.assertGreater(runs[0]["used_bytes"], 1 << 20)

    def test_a_kill_in_deep_recursion(self):
        def choose(dice, _):
            wanted = dice.randrange(30, 120)
            def until(truth, _):
                here = [path for thread in truth.threads.values() for path in thread["here"]]
                return bool(here) and all(path.count("/") >= wanted for path in here)
            return ["mode=deep", "ring=65536"], 0, {"until": until}
        runs = self.many(self.jobs(10 if not pit_case.sanitizer() else 3, choose))
        self.assertGreater(min(len(t["open"]) for run in runs for t in run["threads"]), 30)

    def test_a_kill_late_enough_that_series_and_values_were_folded(self):
        def width(path):
            return max((b[1] for t in pit_reader.load(path)["threads"] for n in t["nodes"]
                        for b in n["series"]), default=0)
        def choose(dice, _):
            first = []  # the width at the first check
            def until(truth, path):
                if not first and width(path):
                    first.append(width(path))
                return bool(first) and width(path) > first[0] and any(
                    thread["values"][0] > 512 for thread in truth.threads.values())
            return ["threads=2", "ring=65536"], dice.uniform(0, 50), {"until": until}
        for run in self.many(self.jobs(4 if not pit_case.sanitizer() else 2, choose)):
            self.assertTrue(any(v["count"] > 512 for t in run["threads"] for v in t["values"]))

    def test_a_kill_of_a_run_in_shared_memory(self):
        def choose(dice, _):
            return (["threads=2", "ring=65536"], dice.uniform(1, 100),
                    {"env": {"PITWALL_LIVE": "shm"}})
        runs = self.many(self.jobs(8 if not pit_case.sanitizer() else 2, choose))
        places = {run["place"] for run in runs}
        if places == {"in place"}:
            self.skipTest("/dev/shm has no room for a run")
        self.assertEqual(places, {"shm"})


class Steps(pit_case.Case):
    """A program is stopped after every single instruction, and its run read as if it had died."""

    @pit_case.plain_build  # the same stores, among ten times the instructions
    def test_the_run_is_right_after_every_instruction(self):
        seed, folder = pit_runs.seed_of_test(), self.folder()
        print("seed %d" % seed, end=" ", flush=True)
        steps = 150000
        done = pit_case.run([pit_case.program("prog_steps"), folder, seed, steps, 150],
                            timeout=100)
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, "PIT_TEST_SEED=%d\n%s%s"
                         % (seed, done.stdout, done.stderr))
        states = int(done.stdout.split()[0])
        self.assertGreater(states, 500)
        kept = [name for name in os.listdir(folder) if name.startswith("state-")]
        self.assertGreater(len(kept), 50)
        for name in kept:
            note = "PIT_TEST_SEED=%d, %s: " % (seed, name)
            truth = pit_runs.Truth(os.path.join(folder, name.replace("state-", "truth-")))
            run = pit_runs.read_both(self, os.path.join(folder, name), "died", note)
            pit_runs.check_counts(self, run, truth, note)
            pit_runs.check_open(self, run, truth, note)
            pit_runs.check_values(self, run, truth, note)

    @pit_case.plain_build
    def test_both_readers_agree_on_every_state_after_a_new_block(self):
        """A block is made, and filled word by word: a kill may come between any two of them."""
        folder = self.folder()
        done = pit_case.run([pit_case.program("prog_steps"), folder, "blocks", 3000000, 10])
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        kept = sorted((name for name in os.listdir(folder) if name.startswith("state-")),
                      key=lambda name: int(name[len("state-"):-len(".pit")]))
        kinds = set()
        for name in kept:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                view = pit_reader.View(file.read())
            header = pit_reader.read_header(view)
            blocks, _ = pit_reader.walk(view, header["start"], header["used_bytes"])
            kinds.add(blocks[-1].type)
            pit_runs.read_both(self, path, "died", name + ": ")
        self.assertGreaterEqual(kinds, {
            pit_reader.FACTS, pit_reader.NODES, pit_reader.NAMES, pit_reader.VALUE,
            pit_reader.MEMORY_OF, pit_reader.RECORDS, pit_reader.JOURNAL, pit_reader.PLACES_OF,
            pit_reader.RING, pit_reader.OCTAVE})


class End(pit_case.Case):
    STEPS = pit_case.rounds(20000, 4000)

    def end(self, how, status, threads=1):
        seed, folder = pit_runs.seed_of_test(), self.folder()
        note = "PIT_TEST_SEED=%d: " % seed
        process, path, truth = start(folder, seed, "end=" + how, "threads=%d" % threads,
                                     "steps=%d" % self.STEPS, "ring=65536")
        try:
            process.wait(300 * pit_case.slowness())
        finally:
            process.kill()
            process.wait(300)
        self.assertEqual(process.returncode, status, note)
        return path, truth, note

    def check(self, path, truth_path, state, note, exact):
        truth = pit_runs.Truth(truth_path)
        run = pit_runs.read_both(self, path, state, note)
        pit_runs.check_report(self, pit_runs.report(self, path, note), run, state, note)
        pit_runs.check_counts(self, run, truth, note)
        self.assertGreater(sum(pit_runs.counts_by_path(run).values()), self.STEPS // 4, note)
        if exact:
            for sums in truth.paths.values():
                self.assertEqual(sums[0], sums[1], note)
            pit_runs.check_open(self, run, truth, note)
        return run

    def test_exit_without_close_closes_the_run(self):
        for how in ("exit", "return", "close"):
            with self.subTest(how):
                path, truth, note = self.end(how, 0)
                self.check(path, truth, "closed", note, exact=True)

    def test_underscore_exit_leaves_a_run_that_died(self):
        path, truth, note = self.end("_exit", 0)
        self.check(path, truth, "died", note, exact=True)

    def test_abort_leaves_a_run_that_died(self):
        path, truth, note = self.end("abort", -signal.SIGABRT)
        self.check(path, truth, "died", note, exact=True)

    def test_ends_with_other_threads_at_work(self):
        for how, status, state in (("exit", 0, "closed"), ("_exit", 0, "died"),
                                   ("abort", -signal.SIGABRT, "died"), ("return", 0, "closed"),
                                   ("thread-exit", 0, "closed")):
            for _ in range(pit_case.rounds(5, 1)):
                with self.subTest(how):
                    path, truth, note = self.end(how, status, threads=3)
                    self.check(path, truth, state, note, exact=False)

    def test_exec_ends_the_run_though_the_process_lives(self):
        seed, folder = pit_runs.seed_of_test(), self.folder()
        process, path, truth = start(folder, seed, "end=exec", "steps=%d" % self.STEPS, "ring=65536")
        try:
            def replaced():
                with open("/proc/%d/cmdline" % process.pid, "rb") as file:
                    return file.read().startswith(b"sleep")
            self.assertTrue(pit_runs.wait_until(replaced), seed)
            self.check(path, truth, "died", "PIT_TEST_SEED=%d: " % seed, exact=True)
            self.assertIsNone(process.poll())
        finally:
            process.kill()
            process.wait(300)


if __name__ == "__main__":
    pit_case.main()
