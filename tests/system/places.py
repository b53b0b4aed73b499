"""Filesystems and programs for the tests of a run's location.

Everything that is mounted here is unmounted after the test, even if it fails. Without the rights or tools
to mount, the test is skipped and names what is missing; with CI=true that is a failure (see pit_case).
"""

import ctypes
import json
import os
import shutil
import signal
import struct
import subprocess
import unittest

import pit_case

PLACE_FILE, PLACE_SHM, PLACE_MEMORY = 0, 1, 3
NO_MEMORY, NO_FILE, DISK_FULL, NOT_SAVED = -5, -6, -7, -8
NOBODY = 65534
CLONE_NEWNS = 0x20000


def node_counts(count):
    """The result of prog_place's nodes=COUNT: path -> spans."""
    return {"node-%d" % i: i % 3 + 1 for i in range(count)}


def write(path, data=b""):
    with open(path, "wb") as file:
        file.write(data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def blocks(data):
    """The blocks of a run: [(offset, type, bytes)]."""
    found, at = [], struct.unpack_from("=I", data, 12)[0]
    end = min(len(data), struct.unpack_from("=Q", data, 192)[0])
    while at + 64 <= end:
        kind, _, size = struct.unpack_from("=IIQ", data, at)
        if kind == 0 or at + size > end:
            break
        found.append((at, kind, size))
        at += size
    return found


def own_shared_memory():
    """Give this process and its children a private /dev/shm; for setUpModule."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        raise unittest.SkipTest("a mount namespace: %s" % os.strerror(ctypes.get_errno()))
    for command in (["mount", "--make-rprivate", "/"],
                    ["mount", "-t", "tmpfs", "-o", "size=1g,mode=1777", "tmpfs", "/dev/shm"]):
        done = pit_case.run(command)
        if done.returncode != 0:
            raise unittest.SkipTest("%s: %s" % (" ".join(command), done.stderr.strip()))


def shm_pages():
    """Names of all live pages in shared memory."""
    return sorted(n for n in os.listdir("/dev/shm") if n.startswith("pitwall-"))


class Told:
    """The output of prog_place, step by step."""

    def __init__(self, text):
        self.text = text
        lines = [line.split(" ") for line in text.splitlines()]
        self.opens = [(int(x[1]), int(x[2])) for x in lines if x[0] == "open"]
        self.closes = [int(x[1]) for x in lines if x[0] == "close"]
        self.labels = [int(x[1]) for x in lines if x[0] == "label"]
        self.statuses = [dict(zip(("recording", "code", "errno", "place", "bytes", "in_file"),
                                  map(int, x[1:7])), path=" ".join(x[7:]))
                         for x in lines if x[0] == "status"]
        self.done = lines[-1:] == [["done"]]


class Case(pit_case.Case):
    """A test case with filesystems of its own."""

    # ---- filesystems ----

    def need(self, *commands):
        for command in commands:
            if not shutil.which(command, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
                self.skipTest("the command %s is missing" % command)

    def mount(self, command, at):
        """Run a command that mounts something at `at`."""
        if os.geteuid() != 0:
            self.skipTest("mounting needs root")
        done = pit_case.run(command)
        if done.returncode != 0:
            self.skipTest("cannot mount: %s: %s" % (" ".join(command), done.stderr.strip()))
        self.addCleanup(pit_case.run, ["umount", "-l", at])
        return at

    def tmpfs(self, size):
        at = self.folder()
        return self.mount(["mount", "-t", "tmpfs", "-o", "size=%s" % size, "tmpfs", at], at)

    def ext4(self, megabytes):
        self.need("mkfs.ext4")
        image, at = os.path.join(self.folder(), "image"), self.folder()
        with open(image, "wb") as file:
            file.truncate(megabytes << 20)
        self.run_ok(["mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-m", "0", image],
                    env=pit_case.clean_env(PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"))
        return self.mount(["mount", "-o", "loop", image, at], at)

    def fuse(self, under=None):
        """A FUSE mount; the folder below it is `under`."""
        self.need("bindfs")
        at = self.folder()
        return self.mount(["bindfs", under or self.folder(), at], at)

    def fill(self, folder, leave=0, name="filler"):
        """Fill the filesystem except for about `leave` bytes; returns the path of the file."""
        path = os.path.join(folder, name)
        with open(path, "wb", buffering=0) as file:
            for size in (65536, 4096, 512):
                try:
                    while True:
                        free = os.statvfs(folder)
                        if free.f_bavail * free.f_frsize <= leave:
                            break
                        room = free.f_bavail * free.f_frsize - leave
                        file.write(b"f" * max(1, min(size, room)))
                except OSError:
                    pass
        return path

    # ---- programs ----

    def place(self, *steps, env=None, status=0, **options):
        """Run prog_place to its end; returns its output. It must not be harmed: status 0 and done."""
        done = self.run_status(status, [pit_case.program("prog_place"), *steps],
                               env=pit_case.clean_env(**(env or {})), **options)
        told = Told(done.stdout)
        if status == 0:
            self.assertTrue(told.done, done.stdout)
            self.assertEqual(done.stderr, "", "the library printed something")
        return told

    def start(self, command, **options):
        """Start a program that is killed after the test at the latest."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options["env"] = pit_case.clean_env(**(options.get("env") or {}))
        child = subprocess.Popen([str(part) for part in command], **options)
        self.addCleanup(self.stop, child)
        return child

    @staticmethod
    def stop(child):
        if child.poll() is None:
            child.kill()
        child.wait(timeout=300)
        for stream in (child.stdout, child.stderr):
            if stream:
                stream.close()

    def start_place(self, *steps, **options):
        return self.start([pit_case.program("prog_place"), *steps], **options)

    def wait_until(self, what, ready, seconds=300):
        pit_case.wait_until(ready, seconds, 0.01, what)

    def wait_file(self, path, child=None):
        def ready():
            if child is not None and child.poll() is not None and not os.path.exists(path):
                self.fail("the program ended with %d before it made %s: %s\n%s"
                          % (child.returncode, path, child.stdout.read(),
                             child.stderr.read().decode("utf-8", "replace") if child.stderr else ""))
            return os.path.exists(path)
        self.wait_until("for " + path, ready)

    def kill(self, child):
        child.send_signal(signal.SIGKILL)
        self.assertEqual(child.wait(timeout=300), -signal.SIGKILL)

    # ---- reports ----

    def report(self, *paths, status=0):
        """The JSON report."""
        done = self.run_status(status, [pit_case.reader(), "report", "--json", *paths])
        return json.loads(done.stdout)

    def report_text(self, path, *options):
        return self.run_ok([pit_case.reader(), "report", path, *options]).stdout

    def counts(self, path):
        return {node["path"]: node["count"] for node in self.report(path)["nodes"]}
