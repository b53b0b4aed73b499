"""The background sampler: its readings agree with /proc, its series stays small in long runs, and it does not
disturb the program. Records, too: the newest ones, as many as fit, complete.
"""

import contextlib
import os
import re
import signal
import subprocess
import time

import memory_model
import pit_case
import pit_runs
from memory_model import MB

RECORD_PIECE = 127  # records in a block
KEPT = "kept"


def proc(pid, name):
    with open("/proc/%d/%s" % (pid, name), encoding="utf-8") as file:
        return file.read()


def proc_figures(pid):
    """RSS, threads, CPU time and storage bytes of a process, from the kernel."""
    stat = proc(pid, "stat").rsplit(")", 1)[1].split()
    io = dict(line.split(": ") for line in proc(pid, "io").splitlines())
    main_cpu, run_delay = (int(word) for word in proc(pid, "schedstat").split()[:2])
    tick = os.sysconf("SC_CLK_TCK")
    return {
        "rss": int(proc(pid, "statm").split()[1]) * os.sysconf("SC_PAGESIZE"),
        "threads": int(stat[17]),
        "cpu_ns": (int(stat[11]) + int(stat[12])) * 10**9 // tick,
        "read_bytes": int(io["read_bytes"]),
        "write_bytes": int(io["write_bytes"]),
        "transferred_bytes": int(io["rchar"]) + int(io["wchar"]),
        "minor_faults": int(stat[7]),
        "main_cpu_ns": main_cpu,
        "run_delay_ns": run_delay,
        "swap_bytes": int(re.search(r"VmSwap:\s+(\d+)", proc(pid, "status")).group(1)) * 1024,
    }


def machine_figures():
    """Processor time of the whole machine, used and stolen by its host, from the kernel."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, soft, steal = (
            int(word) * 10**9 // os.sysconf("SC_CLK_TCK") for word in file.readline().split()[1:9])
    return {"busy_ns": user + nice + system + irq + soft, "stolen_ns": steal}


def open_files(folder):
    names = []
    for number in os.listdir(folder):
        try:
            names.append(os.readlink(os.path.join(folder, number)))
        except FileNotFoundError:  # closed meanwhile
            pass
    return names


class Sampler(pit_case.Case):
    def run_prog(self, *arguments, **options):
        path = os.path.join(self.folder(), "run.pit")
        done = self.run_ok([pit_case.program("prog_memory_samples"), arguments[0], path]
                           + list(arguments[1:]), **options)
        return memory_model.dump(self, path), done.stdout.split()

    def wait_reading(self, path):
        """Wait until the sampler has read the present state: the second of two more readings began after
        this call."""
        def newest():
            found = memory_model.dump(self, path)["newest"]
            return found["ticks"] if found else 0

        for _ in range(2):
            before = newest()
            self.assertTrue(pit_runs.wait_until(lambda: newest() > before, pause=0.01))

    @contextlib.contextmanager
    def at_rest(self, kind="rest"):
        """A process that holds 64 MB and waits, read since by its sampler, and the path of its run."""
        path = os.path.join(self.folder(), "run.pit")
        process = subprocess.Popen([pit_case.program("prog_memory_samples"), kind, path, "64"],
                                   env=pit_case.clean_env(), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, encoding="utf-8")
        try:
            self.assertEqual(process.stdout.readline(), "rest\n")
            self.wait_reading(path)
            yield process.pid, path
            process.stdin.write("go\n")
            process.stdin.flush()
            self.assertEqual(process.wait(300 * pit_case.slowness()), 0)
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()

    def check_readings(self, kind):
        with self.at_rest(kind) as (pid, path):
            before = proc_figures(pid)
            self.wait_reading(path)
            live = memory_model.dump(self, path)
            after = proc_figures(pid)
        got = live["newest"]
        self.assertEqual(got["threads"], before["threads"])
        # Pages of its files may be taken from it meanwhile.
        low, high = sorted((before["rss"], after["rss"]))
        self.assertTrue(low - 2 * MB < got["rss_bytes"] < high + 2 * MB, (before, got, after))
        for key in ("minor_faults", "read_bytes", "write_bytes", "transferred_bytes"):
            # One reading may be some pages before the other.
            self.assertLessEqual(before[key] * 0.99 - MB, got[key], key)
            self.assertLessEqual(got[key], after[key] * 1.01 + MB, key)
        self.assertLessEqual(before["cpu_ns"] - 3e7, got["cpu_ns"])
        self.assertLessEqual(got["cpu_ns"], after["cpu_ns"] + 3e7)
        self.assertGreater(got["cpu_ns"], 2.5e8)
        self.assertGreater(got["rss_bytes"], 60 * MB)  # the kernel counts some pages late
        if after["write_bytes"]:  # a file in memory is not written to storage
            self.assertGreaterEqual(got["write_bytes"], 8 * MB)
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
        self.assertLess(abs(live["machine_bytes"] - total), 0.05 * total)
        self.assertTrue(0 < got["available_bytes"] < live["machine_bytes"])
        self.assertTrue(got["cgroup_used_bytes"] is None or got["cgroup_used_bytes"] > 0)
        if after["main_cpu_ns"] or after["run_delay_ns"]:
            self.assertTrue(2.5e8 < got["main_cpu_ns"] <= after["main_cpu_ns"], got)
            self.assertLessEqual(got["run_delay_ns"], after["run_delay_ns"])
        self.assertTrue(0 < got["processors"] <= 100 * len(os.sched_getaffinity(0)), got)
        self.assertLessEqual(got["swap_bytes"], max(before["swap_bytes"], after["swap_bytes"]) + MB)

    def test_time_of_the_whole_machine_is_what_proc_says(self):
        for wait_ns in (10**8, 10**9, 10**10):  # on a machine that is taken away, most of it is stolen
            before = machine_figures()
            run, _ = self.run_prog("starved", wait_ns)
            after = machine_figures()
            for key in ("busy_ns", "stolen_ns"):
                values = [row[key] for row in run["samples"] + [run["newest"]]]
                self.assertEqual(values, sorted(values), key)
                self.assertLessEqual(before[key], values[0], key)
                self.assertLessEqual(values[-1], after[key], key)
            if run["newest"]["busy_ns"] > run["samples"][0]["busy_ns"]:
                break
        self.assertGreater(run["newest"]["busy_ns"], run["samples"][0]["busy_ns"])

    def test_readings_are_what_proc_says(self):
        self.check_readings("rest")

    def test_so_they_are_where_files_are_opened_for_each(self):
        self.check_readings("bare")

    def test_a_program_without_a_processor_shows_it(self):
        wanted = 10**8
        run, (told,) = self.run_prog("starved", wanted)
        channel, = (c for c in run["channels"] if c["key"] == "run_delay_ns")
        if told == "n/a":
            self.assertIn("schedstat", channel["missing"])
            return
        delays = [row["run_delay_ns"] for row in run["samples"] + [run["newest"]]]
        self.assertEqual(delays, sorted(delays))
        self.assertGreaterEqual(delays[-1] - delays[0], wanted)
        # It was kept to one; a limit of its group may leave less.
        self.assertTrue(0 < run["newest"]["processors"] <= 100, run["newest"])

    # -- descriptors

    def tables(self, kind):
        """The names of what the sampler and what the program has open; pid and path."""
        with self.at_rest(kind) as (pid, path):
            sampler, = (tid for tid in os.listdir("/proc/%d/task" % pid)
                        if proc(pid, "task/%s/comm" % tid) == "pitwall\n")
            return (open_files("/proc/%d/task/%s/fd" % (pid, sampler)),
                    open_files("/proc/%d/fd" % pid), pid, path)

    def test_its_files_are_nobody_elses(self):
        own, programs, pid, path = self.tables("rest")
        self.assertIn("/proc/%d/statm" % pid, own)
        self.assertIn("/proc/meminfo", own)
        for name in own:
            if name != path:  # the lock that says the run lives is the sampler's too
                self.assertRegex(name, r"^/(proc|sys/fs/cgroup)/")
        self.assertIn(path, programs)
        self.assertEqual([name for name in programs if name.startswith(("/proc/", "/sys/"))], [])

    def test_without_a_table_of_its_own_it_keeps_nothing_open(self):
        own, programs, _, path = self.tables("bare")
        self.assertIn(path, own)  # one table for all
        for names in own, programs:
            self.assertNotIn("/proc/meminfo", names)

    def test_a_program_that_closes_everything_keeps_its_own_files_to_itself(self):
        for milliseconds in (500, 1000, 4000, 16000, 64000):  # until it was read often enough meanwhile
            run, (touched,) = self.run_prog("strangers", 64, milliseconds)
            self.assertEqual(touched, "0")
            if len(run["samples"]) * run["sample_stride"] > 20:
                break
        # the kernel keeps some pages a processor out of its figures
        self.assertTrue(60 * MB < run["newest"]["rss_bytes"] < 1000 * MB, run["newest"])
        self.assertTrue(60 * MB < run["rss_peak"] < 1000 * MB, run["rss_peak"])
        self.assertGreater(len(run["samples"]) * run["sample_stride"], 20)

    def test_it_keeps_no_pipe_of_the_program_open(self):
        self.assertEqual(self.run_prog("pipe")[1], ["1"])

    # -- along the run

    def spun_until(self, is_enough, **env):
        """A run of a program that spins until it has enough readings: the scheduler decides how often a thread
        gets a processor."""
        path = os.path.join(self.folder(), "run.pit")
        process = subprocess.Popen([pit_case.program("prog_memory_samples"), "spin", path, "0", "0"],
                                   env=pit_case.clean_env(**env), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, encoding="utf-8")
        try:
            self.assertEqual(process.stdout.readline(), "open\n")
            pit_runs.wait_until(lambda: is_enough(memory_model.dump(self, path)), pause=0.1)
            process.stdin.close()
            self.assertEqual(process.wait(), 0)
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()
        run = memory_model.dump(self, path)
        seconds = (run["end_ticks"] - run["start_ticks"]) * run["ns_per_tick"] / 1e9
        return run, seconds

    def test_the_series_stays_bounded_and_covers_the_run(self):
        def readings(run):
            return (len(run["samples"]) - 1) * run["sample_stride"]  # at least

        run, seconds = self.spun_until(lambda run: readings(run) > 1000, PITWALL_SAMPLE=1000)
        points = run["samples"]
        self.assertGreater(readings(run), 1000)
        self.assertLessEqual(readings(run), 1000 * seconds + 100)
        self.assertLessEqual(len(points), 256)
        self.assertGreater(len(points), 128 - 1)
        self.assertEqual(run["sample_stride"] & (run["sample_stride"] - 1), 0)
        ticks = [p["ticks"] for p in points]
        self.assertEqual(ticks, sorted(ticks))
        self.assertGreaterEqual(ticks[0], run["start_ticks"])
        self.assertLessEqual(ticks[-1], run["end_ticks"])
        self.assertGreaterEqual(run["newest"]["ticks"], ticks[-1])
        for before, after in zip(points, points[1:]):
            for key in ("cpu_ns", "minor_faults", "switches"):
                self.assertLessEqual(before[key], after[key], key)
        for point in points:
            self.assertGreaterEqual(point["rss_max_bytes"], point["rss_bytes"])

    def test_a_run_at_the_usual_rate_has_ten_a_second(self):
        run, seconds = self.spun_until(lambda run: len(run["samples"]) >= 15)
        count, stride = len(run["samples"]), run["sample_stride"]
        # One at open, one at close.
        self.assertTrue(15 <= count and (count - 1) * stride <= 10 * seconds + 2, (count, stride, seconds))
        if seconds < 20:  # far fewer than there is room for
            self.assertEqual(stride, 1)

    def test_the_limits_of_the_machine_are_known(self):
        run, _ = self.run_prog("spin", 50, 0)
        self.assertGreater(run["machine_bytes"], 64 * MB)
        self.assertIn(run["cgroup_version"], (0, 1, 2))

    # -- the thread

    def test_no_signal_is_handled_by_it(self):
        count = 2000 if not pit_case.sanitizer() else 300
        _, (handled, on_sampler) = self.run_prog("signals", count)
        self.assertGreater(int(handled), count // 2)
        self.assertEqual(int(on_sampler), 0)

    def test_it_is_there_from_open_to_close_and_not_in_a_child(self):
        self.assertEqual(self.run_prog("threads", 10)[1], ["0", "1", "0", "0"])

    def test_there_is_none_where_it_is_switched_off(self):
        for hz, env in ((-1, {}), (0, {"PITWALL_SAMPLE": 0})):
            run, counts = self.run_prog("threads", hz, env=pit_case.clean_env(**env))
            self.assertEqual(counts, ["0"] * 4)
            self.assertEqual((run["samples"], run["newest"]), ([], None))

    # -- the run's own peak

    def test_the_runs_peak_is_right_whenever_it_was(self):
        for when in ("before", "between", "after", "none", "other"):
            with self.subTest(when=when):
                run, _ = self.run_prog("peak", when)
                self.assertGreater(run["rss_peak"], 146 * MB)  # the kernel counts some pages late
                self.assertLess(run["rss_peak"], (160 if not pit_case.sanitizer() else 600) * MB)


class Records(pit_case.Case):
    def check_records(self, run, note=""):
        """The newest, without a gap; the n-th span had n items. How many there ever were."""
        self.assertEqual(len(run["threads"]), 1, note)
        thread = run["threads"][0]
        records, dropped = thread["records"], thread["records_dropped"]
        self.assertEqual([r["items"] for r in records],
                         list(range(dropped + 1, dropped + len(records) + 1)), note)
        ends = [r["begin"] + r["duration"] for r in records]
        self.assertTrue(all(a <= b["begin"] for a, b in zip(ends, records[1:])), note)
        self.assertEqual({(r["path"], r["depth"], r["has_memory"]) for r in records},
                         {(KEPT, 1, 0)} if records else set(), note)
        # The flight recorder has the same spans, by other code.
        events = [tuple(event) for event in thread["events"]]
        both = min(len(events), len(records)) - 1
        if both > 0:
            begins = {begin: duration for begin, duration in events}
            seen = [r for r in records[-both:] if r["begin"] in begins]
            self.assertGreater(len(seen), both // 2, note)
            for r in seen:
                self.assertEqual(r["duration"], begins[r["begin"]], note)
        return dropped + len(records)

    def test_a_million_in_little_room(self):
        count, room = 1000000 if not pit_case.sanitizer() else 100000, 1 << 18
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_memory_records"), "many", path, count, room])
        run = memory_model.dump(self, path)
        self.assertEqual(self.check_records(run), count)
        kept = len(run["threads"][0]["records"])
        pieces = room // (128 * (RECORD_PIECE + 1))
        self.assertLessEqual(kept, pieces * RECORD_PIECE)
        # A thread takes half of the budget, and writes over its oldest piece.
        self.assertGreaterEqual(kept, (pieces // 2 - 1) * RECORD_PIECE)
        self.assertLess(os.path.getsize(path), 8 * MB)
        node = memory_model.node(run, KEPT)
        self.assertEqual((node["count"], node["items"]), (count, count * (count + 1) // 2))

    def test_what_fits_is_kept_whole(self):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_memory_records"), "many", path, 5000, 0])
        run = memory_model.dump(self, path)
        self.assertEqual(self.check_records(run), 5000)
        self.assertEqual(run["threads"][0]["records_dropped"], 0)
        self.assertEqual(sum(r["duration"] for r in run["threads"][0]["records"]),
                         memory_model.node(run, KEPT)["total"])

    def ever(self, path):
        """How many spans the program had recorded when its run was read."""
        return sum(t["records_dropped"] + len(t["records"])
                   for t in memory_model.dump(self, path)["threads"])

    def test_records_are_whole_after_a_kill(self):
        for i in range(8 if not pit_case.sanitizer() else 3):
            path = os.path.join(self.folder(), "run.pit")
            room = (1 << 14, 1 << 16, 1 << 18, 0)[i % 4]
            process = subprocess.Popen([pit_case.program("prog_memory_records"), "many", path, "0",
                                        str(room)], env=pit_case.clean_env(),
                                       stdout=subprocess.PIPE, encoding="utf-8")
            try:
                self.assertEqual(process.stdout.readline(), "open\n")
                self.assertTrue(pit_runs.wait_until(lambda: self.ever(path) > 1000, pause=0.02))
                time.sleep(0.03 * i)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
            self.assertEqual(process.returncode, -signal.SIGKILL)
            run = memory_model.dump(self, path)
            note = "kill %d with room for %d: " % (i, room)
            ever, count = self.check_records(run, note), memory_model.node(run, KEPT)["count"]
            self.assertIn(count - ever, (0, 1), note)
            self.assertGreater(ever, 1000, note)


if __name__ == "__main__":
    pit_case.main()
