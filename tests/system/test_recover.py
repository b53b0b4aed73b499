"""Runs whose live pages are in shared memory: on a FUSE filesystem, and with PITWALL_LIVE=shm.

The test has a private /dev/shm, so that `pitwall recover` finds only the runs of this test.
"""

import errno
import json
import os
import shutil
import signal
import struct
import subprocess

import pit_case
import pit_check
import pit_reader
import places
from places import Case, Told, node_counts, read, shm_pages, write

READERS = 10
# The sampler renews the copy at the path every five seconds, if it is awake: with this rate it never is. Else a
# process that was stopped for a while would copy at any moment of a test, and leave half a copy when it is killed.
NO_NEW_COPY = {"PITWALL_SAMPLE": "0.0001"}


def setUpModule():
    places.own_shared_memory()


class ShmCase(Case):
    """Starts and kills runs in shared memory, of which nothing may be left after a test."""

    def setUp(self):
        for name in os.listdir("/dev/shm"):
            path = os.path.join("/dev/shm", name)
            os.rmdir(path) if os.path.isdir(path) else os.unlink(path)

    def live(self, path, *steps, env=None):
        """A program that has done its steps and waits; its run is in shared memory."""
        other = self.folder()
        ready = os.path.join(other, "ready")
        env = {**NO_NEW_COPY, **({"PITWALL_LIVE": "shm"} if env is None else env)}
        child = self.start_place("open=" + path, *steps, "status", "ready=" + ready,
                                 "until=" + os.path.join(other, "go"), "close", env=env)
        child.go = os.path.join(other, "go")
        self.wait_file(ready, child)
        return child

    def killed(self, path, *steps, env=None):
        """A run of which all that is left is its pages and its mirror; the path of the pages."""
        before = set(shm_pages())
        self.kill(self.live(path, *steps, env=env))
        (name,) = set(shm_pages()) - before
        return os.path.join("/dev/shm", name)

    def tool(self, *arguments, status=0):
        return self.run_status(status, [pit_case.reader(), *arguments])

    def at_once(self, arguments, count=READERS):
        """The same command many times at the same moment: [(status, stdout, stderr)]."""
        read_end, write_end = os.pipe()  # all of them wait for its end
        children = [self.start(["sh", "-c", 'read _; exec "$@" </dev/null', "sh", pit_case.reader(),
                                *arguments], stdin=read_end) for _ in range(count)]
        os.close(read_end)
        os.close(write_end)
        done = []
        for child in children:
            out, err = child.communicate(timeout=300 * pit_case.slowness())
            done.append((child.returncode, out.decode(), err.decode()))
        return done


class Live(ShmCase):
    """While the process runs."""

    def test_fuse_keeps_its_pages_in_shared_memory(self):
        path = os.path.join(self.fuse(), "run.pit")
        child = self.live(path, "nodes=200", env={})
        (name,) = shm_pages()
        facts = os.stat(os.path.join("/dev/shm", name))
        self.assertEqual((facts.st_mode & 0o777, facts.st_uid), (0o400, os.geteuid()))
        # The mirror is there from the start, and is read through to the pages.
        mirror = pit_reader.load(path)
        self.assertEqual(mirror["place"], "mirror")
        self.assertEqual([len(t["nodes"]) for t in mirror["threads"]], [])
        report = self.report(path)
        run = report["runs"][0]
        self.assertEqual((run["state"], run["storage"], run["is_mirror"], run["recovered"]),
                         ("live", "shm", False, False))
        self.assertEqual({n["path"]: n["count"] for n in report["nodes"]}, node_counts(200))
        self.assertIn("its live pages were in shared memory", self.report_text(path))
        # No process takes over a live run.
        self.assertIn("nothing to do", self.tool("recover", path).stdout)
        self.assertEqual(self.tool("recover").stdout, "")
        self.assertEqual(shm_pages(), [name])
        write(child.go)
        out, _ = child.communicate(timeout=300)
        told = Told(out.decode())
        self.assertEqual((child.returncode, told.opens, told.closes), (0, [(0, 0)], [0]))
        self.assertEqual(told.statuses[0]["place"], places.PLACE_SHM)

    def test_a_clean_close_leaves_the_run_alone_at_its_path(self):
        for folder, env in ((self.fuse(), {}), (self.folder(), {"PITWALL_LIVE": "shm"})):
            path = os.path.join(folder, "run.pit")
            told = self.place("open=" + path, "nodes=200", "close", env=env)
            self.assertEqual(told.closes, [0])
            self.assertEqual(shm_pages(), [])
            self.assertEqual(os.listdir(folder), ["run.pit"])
            self.assertEqual(self.counts(path), node_counts(200))
            run = pit_reader.load(path)
            self.assertEqual((run["state"], run["place"], pit_check.check(run)),
                             ("closed", "shm", []))
            self.assertEqual(run["used_bytes"], os.path.getsize(path))
            self.assertEqual(run["file_bytes"], os.path.getsize(path))

    def test_a_program_that_reads_its_own_run_goes_on(self):
        for folder, env in ((self.fuse(), {}), (self.folder(), {"PITWALL_LIVE": "shm"}),
                            (self.folder(), {"PITWALL_LIVE": None})):
            path = os.path.join(folder, "run.pit")
            child = self.live(path, "nodes=20", "read-own=" + path, "nodes=20",
                              "read-own=" + path, env=env)
            self.assertEqual(len(shm_pages()), 0 if "PITWALL_LIVE" in env and not
                             env["PITWALL_LIVE"] else 1)
            report = self.report(path) # it still holds its lock
            self.assertEqual(report["runs"][0]["state"], "live")
            self.assertEqual({n["path"]: n["count"] for n in report["nodes"]}, node_counts(40))
            write(child.go)
            out, _ = child.communicate(timeout=300)
            self.assertEqual([line for line in out.decode().splitlines() if line[:4] == "own "],
                             ["own 0 %d 0 0" % sum(node_counts(n).values()) for n in (20, 40)])
            self.assertEqual(Told(out.decode()).closes, [0])
            self.assertEqual(self.counts(path), node_counts(40))
            self.assertEqual(shm_pages(), [])

    def test_a_path_that_is_renamed_over_all_the_time(self):
        # On FUSE a file can disappear between its look-up and its open, although the path always exists.
        folder = self.fuse()
        path = os.path.join(folder, "run.pit")
        self.place("open=" + path, "nodes=5", "close", env={})
        script = 'while :; do cp "$0" "$0.new" && mv "$0.new" "$0"; done'
        self.start(["sh", "-c", script, path], stdout=subprocess.DEVNULL, start_new_session=True)
        for _ in range(20 if pit_case.sanitizer() else 100):
            self.assertEqual(self.counts(path), node_counts(5))

    def test_the_mirror_is_renewed(self):
        path = os.path.join(self.fuse(), "run.pit")
        child = self.live(path, "nodes=150", env={"PITWALL_SAMPLE": None})
        first = os.stat(path).st_ino
        self.wait_until("for the second mirror", lambda: child.poll() is not None
                        or os.stat(path).st_ino != first)
        self.assertIsNone(child.poll(), "the program ended by itself")
        (thread,) = pit_reader.load(path)["threads"]
        self.assertEqual({n["path"]: n["count"] for n in thread["nodes"]}, node_counts(150))
        # The loss of the machine: the pages are gone, the copy is what there is.
        self.kill(child)
        (name,) = shm_pages()
        os.unlink(os.path.join("/dev/shm", name))
        before = read(path)
        report = self.report(path)
        run = report["runs"][0]
        self.assertEqual((run["state"], run["is_mirror"], run["recovered"]), ("died", True, False))
        self.assertEqual({n["path"]: n["count"] for n in report["nodes"]}, node_counts(150))
        self.assertIn("counts may be some spans apart", self.report_text(path))
        self.assertIn("nothing to do", self.tool("recover", path).stdout)
        self.assertEqual(read(path), before)


class Killed(ShmCase):
    """After SIGKILL everything is there, and is brought back exactly once."""

    def check_brought_back(self, path, count):
        self.assertEqual(shm_pages(), [])
        self.assertEqual(sorted(os.listdir(os.path.dirname(path))), [os.path.basename(path)])
        report = self.report(path)
        run = report["runs"][0]
        self.assertEqual({n["path"]: n["count"] for n in report["nodes"]}, node_counts(count))
        self.assertEqual((run["state"], run["is_mirror"], run["recovered"]), ("died", False, False))
        self.assertEqual(pit_check.check(pit_reader.load(path)), [])

    def test_recover_brings_it_back(self):
        for folder, env in ((self.fuse(), {}), (self.folder(), {"PITWALL_LIVE": "shm"})):
            path = os.path.join(folder, "run.pit")
            self.killed(path, "nodes=300", env=env)
            self.assertEqual(self.tool("recover", path).stdout, path + ": recovered\n")
            self.check_brought_back(path, 300)
            self.assertIn("nothing to do", self.tool("recover", path).stdout)

    def test_report_brings_it_back(self):
        path = os.path.join(self.fuse(), "run.pit")
        self.killed(path, "nodes=300", "begin=outer", "begin=inner", env={})
        report = self.report(path)
        self.assertTrue(report["runs"][0]["recovered"])
        self.assertEqual([s["path"] for s in report["runs"][0]["threads"][0]["open"]],
                         ["outer", "outer/inner"])
        counts = {n["path"]: n["count"] for n in report["nodes"]}
        self.assertEqual(counts, dict(node_counts(300), **{"outer": 0, "outer/inner": 0}))
        self.assertIn("outer > inner", self.report_text(path))
        self.assertEqual(shm_pages(), [])

    def test_counts_are_those_of_the_program(self):
        rounds = 2 if pit_case.sanitizer() else 5
        for _ in range(rounds):
            path, told = os.path.join(self.fuse(), "run.pit"), os.path.join(self.folder(), "told")
            child = self.start_place("open=" + path, "count=" + told)

            def counters():
                data = read(told) if os.path.exists(told) else b""
                return struct.unpack("3Q", data) if len(data) == 24 else (0, 0, 0)

            self.wait_until("for spans on all threads", lambda: min(counters()) > 2000)
            self.kill(child)
            want = sorted(counters())
            self.tool("recover", path)
            run = pit_reader.load(path)
            self.assertEqual(pit_check.check(run), [])
            got = sorted(n["count"] for t in run["threads"] for n in t["nodes"]
                         if n["path"] == "counted")
            self.assertEqual(len(got), 3)
            for have, least in zip(got, want): # the end of a span comes before its count
                self.assertIn(have - least, (0, 1))
            self.assertEqual(self.counts(path)["counted"], sum(got))

    def test_one_of_many_readers_brings_it_back(self):
        for _ in range(1 if pit_case.sanitizer() else 4):
            path = os.path.join(self.fuse(), "run.pit")
            self.killed(path, "nodes=1500", env={})
            done = self.at_once(["report", "--json", path])
            self.assertEqual([(status, err) for status, _, err in done], [(0, "")] * READERS)
            reports = [json.loads(out) for _, out, _ in done]
            self.assertEqual(sum(r["runs"][0]["recovered"] for r in reports), 1)
            for report in reports:
                self.assertEqual(report["nodes"], reports[0]["nodes"])
            self.check_brought_back(path, 1500)

    def test_one_of_many_recovers_brings_it_back(self):
        for command in (["recover"], ["recover", "PATH"]):
            for _ in range(1 if pit_case.sanitizer() else 5):
                path = os.path.join(self.folder(), "run.pit")
                self.killed(path, "nodes=1500")
                done = self.at_once([path if part == "PATH" else part for part in command])
                self.assertEqual([status for status, _, _ in done], [0] * READERS, done)
                self.assertEqual(sum(": recovered" in out for _, out, _ in done), 1, done)
                self.check_brought_back(path, 1500)

    def test_recover_finds_all(self):
        folder = self.folder()
        paths = [os.path.join(folder, "run-%c.pit" % c) for c in "abc"]
        for count, path in enumerate(paths):
            self.killed(path, "nodes=%d" % (10 + count))
        alive = self.live(os.path.join(folder, "alive.pit"), "nodes=5")
        done = self.tool("recover")
        self.assertEqual(sorted(done.stdout.splitlines()), [p + ": recovered" for p in paths])
        for count, path in enumerate(paths):
            self.assertEqual(self.counts(path), node_counts(10 + count))
        self.assertEqual(len(shm_pages()), 1)
        done = self.tool("recover")
        self.assertEqual((done.stdout, "nothing to recover" in done.stderr), ("", True))
        self.assertEqual(self.counts(os.path.join(folder, "alive.pit")), node_counts(5))
        self.kill(alive)

    def test_recover_creates_a_folder_that_was_deleted(self):
        """Else nothing but a restart would free the memory."""
        for end in ("killed", "closed"):
            above = self.folder()
            path = os.path.join(above, "runs", "today", "run.pit")
            child = self.live(path, "nodes=100")
            shutil.rmtree(os.path.join(above, "runs"))
            if end == "killed":
                self.kill(child)
            else:
                write(child.go)
                self.assertEqual(Told(child.communicate(timeout=300)[0].decode()).closes, [places.NOT_SAVED])
            self.assertEqual(len(shm_pages()), 1)
            done = self.tool("recover")
            self.assertEqual(done.stdout, path + ": recovered\n")
            self.assertEqual(shm_pages(), [])
            self.assertEqual(self.counts(path), node_counts(100))
            self.assertEqual(os.stat(os.path.join(above, "runs")).st_mode & 0o777, 0o700)

    def test_killed_before_the_first_mirror(self):
        path = os.path.join(self.fuse(), "run.pit")
        self.run_status(-signal.SIGKILL, [pit_case.program("prog_place_killed"), path])
        self.assertEqual(os.path.getsize(path), 0)
        self.assertEqual(len(shm_pages()), 1)
        self.assertEqual(self.tool("recover").stdout, path + ": recovered\n")
        run = self.report(path)["runs"][0]
        self.assertEqual((run["state"], run["facts"]["program"]), ("died", "prog_place_killed"))
        self.assertEqual(shm_pages(), [])
        self.assertEqual(os.listdir(os.path.dirname(path)), ["run.pit"])

    def test_killed_in_the_last_mirror(self):
        path = os.path.join(self.fuse(), "run.pit")
        self.run_status(-signal.SIGKILL, [pit_case.program("prog_place_killed"), path, "late"])
        self.assertTrue(self.report(path)["runs"][0]["recovered"])
        run = self.report(path)["runs"][0]
        self.assertEqual((run["state"], run["is_mirror"]), ("closed", False))
        self.assertEqual(self.counts(path), {"before": 5})
        self.assertEqual((shm_pages(), os.listdir(os.path.dirname(path))), ([], ["run.pit"]))

    def test_a_run_that_was_moved_meanwhile(self):
        folder = self.folder()
        path, moved = os.path.join(folder, "run.pit"), os.path.join(folder, "moved.pit")
        self.killed(path, "nodes=40")
        os.rename(path, moved)
        write(path, b"another file")
        self.assertIn("cannot", self.tool("recover", status=66).stderr)
        self.assertEqual(read(path), b"another file")
        self.assertEqual(self.counts(moved), node_counts(40))
        self.assertEqual(shm_pages(), [])


class Refused(ShmCase):
    """Every user can write to /dev/shm: files there that are not as expected are not touched."""

    def check_refused(self, path, why, alone=True):
        before = read(path)
        for command in (["report", path], ["recover", path], ["recover"] if alone else None):
            if command:
                done = self.tool(*command, status=66)
                self.assertEqual(done.stdout, "")
                self.assertRegex(done.stderr, r"^pitwall: cannot \w+ the run: ")
                self.assertIn("refused: /dev/shm/pitwall-" if path in command
                              else "belong to another user, or are a link", done.stderr)
                if path in command:
                    self.assertIn(why, done.stderr)
        self.assertEqual(read(path), before)
        self.assertEqual(os.listdir(os.path.dirname(path)), [os.path.basename(path)])

    def test_a_link_in_the_place_of_the_pages(self):
        path = os.path.join(self.folder(), "run.pit")
        pages = self.killed(path, "nodes=20")
        target = os.path.join(self.folder(), "target")
        shutil.move(pages, target)
        os.symlink(target, pages)
        before = read(target)
        self.check_refused(path, "it is a link")
        self.assertEqual(read(target), before)
        self.assertTrue(os.path.islink(pages))

    def test_a_link_to_nothing(self):
        path = os.path.join(self.folder(), "run.pit")
        pages = self.killed(path, "nodes=20")
        os.unlink(pages)
        os.symlink("/nowhere/at/all", pages)
        self.check_refused(path, "it is a link")

    def test_another_owner(self):
        if os.geteuid() != 0:
            self.skipTest("changing the owner needs root")
        path = os.path.join(self.folder(), "run.pit")
        pages = self.killed(path, "nodes=20")
        os.chown(pages, places.NOBODY, places.NOBODY)
        self.check_refused(path, "it belongs to another user")
        self.assertTrue(os.path.exists(pages))
        os.chown(pages, 0, 0)
        self.assertEqual(self.counts(path), node_counts(20))

    def test_a_second_name(self):
        path = os.path.join(self.folder(), "run.pit")
        pages = self.killed(path, "nodes=20")
        os.link(pages, "/dev/shm/second")
        self.check_refused(path, "it has a second name")
        os.unlink("/dev/shm/second")
        self.assertEqual(self.counts(path), node_counts(20))

    def test_pages_of_another_run(self):
        path, other = os.path.join(self.folder(), "run.pit"), os.path.join(self.folder(), "o.pit")
        pages, others = self.killed(path, "nodes=20"), self.killed(other, "nodes=21")
        os.rename(others, pages)
        self.check_refused(path, "it is not this run's", alone=False)
        self.assertEqual(pit_reader.load(other)["place"], "mirror")

    def test_pages_that_are_no_run(self):
        for data in (b"", b"junk" * 5000):
            path = os.path.join(self.folder(), "run.pit")
            pages = self.killed(path, "nodes=20")
            write(pages, data)
            self.check_refused(path, "it is not this run's")
            os.unlink(pages)

    def test_a_fifo_and_a_folder(self):
        for make in (os.mkfifo, os.mkdir):
            path = os.path.join(self.folder(), "run.pit")
            pages = self.killed(path, "nodes=20")
            os.unlink(pages)
            make(pages)
            self.check_refused(path, "")
            os.rename(pages, "/dev/shm/away-" + make.__name__)

    def test_a_live_name_that_leads_elsewhere(self):
        path = os.path.join(self.folder(), "run.pit")
        pages = self.killed(path, "nodes=20")
        target = os.path.join(self.folder(), "pitwall-target.pit")
        shutil.move(pages, target)
        data = bytearray(read(path))
        name = os.path.relpath(target, "/dev/shm").encode()
        os.mkdir("/dev/shm/pitwall-folder")
        for bad in (name, b"pitwall-folder/../" + name, b"pitwall-" + b"x" * 120):
            data[320:448] = bad[:128].ljust(128, b"\0")
            write(path, bytes(data))
            self.assertTrue(self.report(path)["runs"][0]["is_mirror"])
            self.assertTrue(os.path.exists(target))


class Shortage(ShmCase):
    """No shared memory, no room at the path."""

    WITH_LITTLE = ["unshare", "-m", "sh", "-c",
                   "mount -t tmpfs -o size=4m tmpfs /dev/shm && exec \"$@\"", "sh"]

    def test_shared_memory_that_is_too_small(self):
        path = os.path.join(self.fuse(), "run.pit")
        done = self.run_ok([*self.WITH_LITTLE, pit_case.program("prog_place"), "open=" + path,
                            "nodes=100", "status", "close"])
        told = Told(done.stdout)
        self.assertEqual(told.opens, [(0, 0)])
        self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY)
        self.assertEqual((told.closes, told.done), ([0], True))
        self.assertEqual(self.counts(path), node_counts(100))
        self.assertIn("recorded in memory, copied to its file", self.report_text(path))
        self.assertEqual(os.listdir(os.path.dirname(path)), ["run.pit"])

    def test_a_kill_with_too_little_shared_memory_leaves_the_last_copy(self):
        path, other = os.path.join(self.fuse(), "run.pit"), self.folder()
        child = self.start([*self.WITH_LITTLE, pit_case.program("prog_place"), "open=" + path,
                            "nodes=100", "until=" + os.path.join(other, "never")])
        # The copy that has the nodes: every few seconds there is a new one.
        self.wait_until("for a copy with the nodes", lambda: os.path.exists(path)
                        and self.counts_or_none(path) == node_counts(100))
        self.assertEqual(self.report(path)["runs"][0]["state"], "live")
        self.kill(child)
        run = self.report(path)["runs"][0]
        self.assertEqual((run["state"], run["storage"], run["is_mirror"]), ("died", "memory", True))
        self.assertEqual(self.counts(path), node_counts(100))

    def counts_or_none(self, path):
        done = pit_case.run([pit_case.reader(), "report", "--json", path])
        if done.returncode:
            return None
        return {node["path"]: node["count"] for node in json.loads(done.stdout)["nodes"]}

    def test_the_tool_says_it_once(self):
        path = os.path.join(self.fuse(), "run.pit")
        done = self.run_ok([*self.WITH_LITTLE, pit_case.tool(), "run", "-o", path,
                            pit_case.program("prog_place"), "nodes=100"])
        self.assertEqual(done.stderr.count("recorded in memory"), 1, done.stderr)
        self.assertIn("256 MB", done.stderr)
        self.assertEqual(self.counts(path), node_counts(100))

    def test_no_shared_memory_at_all(self):
        path = os.path.join(self.fuse(), "run.pit")
        done = self.run_ok(["unshare", "-m", "sh", "-c",
                            "umount /dev/shm && mount --bind /proc/self /dev/shm && exec \"$@\"",
                            "sh", pit_case.program("prog_place"), "open=" + path, "nodes=100",
                            "close"])
        told = Told(done.stdout)
        self.assertEqual((told.opens, told.closes, told.done), ([(0, 0)], [0], True))
        self.assertEqual(self.counts(path), node_counts(100))

    def test_no_room_for_the_mirror(self):
        folder = self.tmpfs("1m")
        filler = self.fill(folder)
        path = os.path.join(folder, "run.pit")
        child = self.live(path, "nodes=200")
        (name,) = shm_pages()
        self.assertGreaterEqual(
            pit_reader.load(os.path.join("/dev/shm", name))["counters"]["mirrors_failed"], 1)
        write(child.go)
        out, _ = child.communicate(timeout=300)
        told = Told(out.decode())
        self.assertEqual((child.returncode, told.done), (0, True))
        self.assertEqual((told.opens, told.closes), ([(0, 0)], [places.NOT_SAVED]))
        # The pages stay until there is room for them.
        self.assertEqual(shm_pages(), [name])
        self.assertIn("cannot", self.tool("recover", status=66).stderr)
        self.assertEqual(shm_pages(), [name])
        os.unlink(filler)
        self.assertEqual(self.tool("recover").stdout, path + ": recovered\n")
        self.assertEqual(self.counts(path), node_counts(200))
        self.assertEqual((shm_pages(), os.listdir(folder)), ([], ["run.pit"]))

    def test_no_room_to_bring_it_back(self):
        folder = self.tmpfs("1m")
        path = os.path.join(folder, "run.pit")
        self.killed(path, "nodes=200")
        filler, mirror = self.fill(folder), read(path)
        for command in (["recover", path], ["report", path]):
            done = self.tool(*command, status=66)
            self.assertIn(os.strerror(errno.ENOSPC), done.stderr)
        self.assertEqual(read(path), mirror)
        self.assertEqual(sorted(os.listdir(folder)), ["filler", "run.pit"])
        os.unlink(filler)
        self.assertEqual(self.counts(path), node_counts(200))

    def test_a_file_size_limit_of_the_reader(self):
        path = os.path.join(self.folder(), "run.pit")
        self.killed(path, "nodes=200")
        done = self.run_status(66, ["bash", "-c", "ulimit -f 16; exec \"$@\"", "bash",
                                    pit_case.reader(), "recover", path])
        self.assertIn(os.strerror(errno.EFBIG), done.stderr)
        self.assertEqual(self.counts(path), node_counts(200))


if __name__ == "__main__":
    pit_case.main()
