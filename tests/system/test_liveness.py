"""Whether a run is live: by its lock and by its process. It is dead only if both say so."""

import fcntl
import os
import re
import signal
import struct
import subprocess

import pit_case
import places
from places import Case, node_counts, read, shm_pages, write


LOCK_LIVE = 1 << 40  # PIT_FMT_LOCK_LIVE


def is_locked(path):
    """Does a process hold the lock of a live run? Seen from every namespace of processes."""
    with open(path, "rb") as file:
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, LOCK_LIVE, 1, 0)
        return struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK


def setUpModule():
    places.own_shared_memory()


class Liveness(Case):
    """Each way to lose the lock, and each way to be dead, at the path and in shared memory."""

    WAYS = [{}, {"PITWALL_SAMPLE": "-1"}, {"PITWALL_LIVE": "shm"},
            {"PITWALL_LIVE": "shm", "PITWALL_SAMPLE": "-1"}]

    def setUp(self):
        for name in shm_pages():
            os.unlink(os.path.join("/dev/shm", name))

    def ways(self, ways=None):
        for env in ways or self.WAYS:
            with self.subTest(env):
                path = os.path.join(self.folder(), "run.pit")
                yield path, env, "/dev/shm/pitwall-*" if "PITWALL_LIVE" in env else path

    def begun(self, path, env, *steps, then=("close",)):
        """A program that has recorded 1,000 spans, done the steps, and waits."""
        other = self.folder()
        ready, go = os.path.join(other, "ready"), os.path.join(other, "go")
        child = self.start_place("open=" + path, "spans=work:1000", *steps, "ready=" + ready,
                                 "until=" + go, "nodes=500", *then, env=env)
        child.go = go
        self.wait_file(ready, child)
        return child

    def state(self, path):
        """As report and list say; they must agree."""
        state = self.report(path)["runs"][0]["state"]
        listed = self.run_ok([pit_case.reader(), "list", path]).stdout
        self.assertIn({"closed": "done"}.get(state, state), listed)
        return state

    def check_lives_and_ends_well(self, path, child):
        for _ in range(2): # a report must not change anything
            self.assertEqual(self.state(path), "live")
            self.run_ok([pit_case.reader(), "recover"])
        self.assertNotIn("died", self.report_text(path))
        write(child.go)
        out, _ = child.communicate(timeout=300)
        self.assertEqual((child.returncode, places.Told(out.decode()).closes), (0, [0]))
        self.assertEqual(self.state(path), "closed")
        self.assertEqual(self.counts(path), {"work": 1000, **node_counts(500)})
        self.assertEqual(shm_pages(), [])

    def test_a_copy_of_the_own_run_leaves_it_live(self):
        for path, env, mapped in self.ways():
            child = self.begun(path, env, "read-files=" + mapped)
            self.check_lives_and_ends_well(path, child)

    def test_a_closed_descriptor_leaves_it_live(self):
        for path, env, _ in self.ways():
            self.check_lives_and_ends_well(path, self.begun(path, env, "closefrom"))

    def test_the_sampler_takes_a_lost_lock_again(self):
        path = os.path.join(self.folder(), "run.pit")
        child = self.begun(path, {}, "closefrom")
        self.wait_until("for the sampler's lock", lambda: is_locked(path))
        self.check_lives_and_ends_well(path, child)

    def test_growth_after_a_closed_descriptor_is_in_the_file(self):
        for path, env, _ in self.ways():
            child = self.begun(path, env, "closefrom", then=("kill",))
            write(child.go)
            self.assertEqual(child.wait(timeout=300), -signal.SIGKILL)
            self.assertEqual(self.counts(path), {"work": 1000, **node_counts(500)})

    def test_a_renamed_file_with_a_closed_descriptor_grows(self):
        for end, status, state in (("close", 0, "closed"), ("kill", -signal.SIGKILL, "died")):
            for name in ("moved.pit", "new\nline (deleted)"):
                for path, env, _ in self.ways(self.WAYS[:2]):
                    to = os.path.join(os.path.dirname(path), name)
                    child = self.begun(path, env, then=("closefrom", "nodes=500", end))
                    os.rename(path, to)
                    write(child.go)
                    self.assertEqual(child.wait(timeout=300), status)
                    self.assertEqual(self.state(to), state)
                    self.assertEqual(self.counts(to), {"work": 1000, **node_counts(1000)})
                    self.assertEqual(os.listdir(os.path.dirname(path)), [name])

    def test_an_ordinary_user_reopens_it_too(self):
        folder = self.folder()
        os.chmod(folder, 0o777)
        path = os.path.join(folder, "run.pit")
        self.run_ok(["setpriv", "--reuid=%d" % places.NOBODY, "--clear-groups",
                     pit_case.program("prog_place"), "open=" + path, "spans=work:1000",
                     "closefrom", "nodes=500", "close"])
        self.assertEqual(self.counts(path), {"work": 1000, **node_counts(500)})

    def test_a_copy_of_a_live_run_is_not_live(self):
        path = os.path.join(self.folder(), "run.pit")
        child = self.begun(path, {})
        copy = write(os.path.join(self.folder(), "copy.pit"), read(path))
        self.assertEqual(self.state(copy), "died")
        self.check_lives_and_ends_well(path, child)

    def test_killed_is_dead_and_so_is_a_zombie(self):
        for path, env, _ in self.ways():
            child = self.begun(path, env)
            child.send_signal(signal.SIGKILL)
            # It is not waited for yet. Its first thread may be gone before the others are.
            self.wait_until("for the zombie", lambda pid=child.pid: " Z " in re.sub(
                r"\(.*\)", "", read("/proc/%d/stat" % pid).decode()) and
                len(os.listdir("/proc/%d/task" % pid)) == 1)
            self.assertEqual(self.state(path), "died")
            child.wait(timeout=300)
            self.assertEqual(self.state(path), "died")
            self.assertEqual(self.counts(path), {"work": 1000})

    def test_a_forked_child_does_not_keep_it_alive(self):
        for path, env, _ in self.ways():
            never = os.path.join(self.folder(), "never")
            child = self.begun(path, env, "fork-until=" + never)
            child.send_signal(signal.SIGKILL)
            child.wait(timeout=300)
            text = child.stdout.read().decode()
            forked = int(re.search(r"child (\d+)", text).group(1))
            try:
                self.assertTrue(os.path.exists("/proc/%d" % forked))
                self.assertEqual(self.state(path), "died")
            finally:
                os.kill(forked, signal.SIGKILL)

    def test_exec_ends_it(self):
        for path, env, _ in self.ways():
            other = self.folder()
            ready, go = os.path.join(other, "ready"), os.path.join(other, "go")
            child = self.start_place("open=" + path, "spans=work:1000", "ready=" + ready,
                                     "exec-until=" + go, env=env)
            self.wait_file(ready, child)
            after = b"prog_place\0until=%s\0" % go.encode()
            self.wait_until("for the exec", lambda pid=child.pid, after=after: after == read(
                "/proc/%d/cmdline" % pid))
            self.assertEqual(self.state(path), "died")
            self.assertEqual(self.counts(path), {"work": 1000})
            write(go)
            child.wait(timeout=300)

    def test_another_process_with_its_number_does_not_count(self):
        path = os.path.join(self.folder(), "run.pit")
        child = self.begun(path, {})
        self.kill(child)
        data = bytearray(read(path))
        other = subprocess.Popen(["sleep", "3600"])
        self.addCleanup(self.stop, other)
        data[56:60] = other.pid.to_bytes(4, "little")
        os.chmod(path, 0o644)
        with open(path, "r+b") as file: # the same file, with the number of a process that lives
            file.write(data)
        self.assertEqual(self.state(path), "died")

    def test_from_another_pid_namespace_the_lock_counts(self):
        path = os.path.join(self.folder(), "run.pit")
        child = self.begun(path, {})
        done = self.run_ok(["unshare", "-p", "-f", "--mount-proc", pit_case.reader(), "list", path])
        self.assertIn("live", done.stdout)
        self.check_lives_and_ends_well(path, child)

    def test_the_sampler_takes_a_lost_lock_again_for_readers_of_another_namespace(self):
        path = os.path.join(self.folder(), "run.pit")
        child = self.begun(path, {}, "read-files=" + path)
        inside = ["unshare", "-p", "-f", "--mount-proc", pit_case.reader(), "list", path]
        self.wait_until("for the lock", lambda: "live" in self.run_ok(inside).stdout)
        self.check_lives_and_ends_well(path, child)


if __name__ == "__main__":
    pit_case.main()
