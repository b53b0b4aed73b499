"""Where a run is stored; if there is no room for it, the program is not harmed.

Real filesystems: a tmpfs of some hundred kilobytes, ext4 on a loop device, folders without write
permission, limits of the process.
"""

import errno
import os
import re
import signal
import socket
import stat
import subprocess

import pit_case
import pit_check
import pit_reader
import places
from places import Case, Told, node_counts, read, write

FULL_FILE_NOTE = "its file stopped growing"
LARGEST = 65536 # bytes, more than any block of the runs made here has


def setUpModule():
    places.own_shared_memory()


class DiskFull(Case):
    """No SIGBUS, no lost figure that is in the file, the rest at close if there is room then."""

    def filesystems(self):
        yield "tmpfs", self.tmpfs("64k"), self.tmpfs("400k")
        yield "ext4", self.ext4(2), self.ext4(2)

    def test_no_room_at_open_goes_on_in_memory(self):
        for kind, small, _ in self.filesystems():
            with self.subTest(kind):
                if kind == "ext4":
                    self.fill(small, leave=100000)
                path = os.path.join(small, "run.pit")
                told = self.place("open=" + path, "nodes=500", "status", "close", "status")
                self.assertEqual(told.opens, [(places.NO_FILE, errno.ENOSPC)])
                self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY)
                self.assertEqual(told.statuses[0]["code"], places.NO_FILE)
                self.assertEqual(told.statuses[0]["recording"], 1)
                self.assertEqual(told.closes, [places.NOT_SAVED])
                self.assertEqual(told.statuses[1]["code"], places.NOT_SAVED)
                self.assertEqual(told.statuses[1]["errno"], errno.ENOSPC)
                self.assertIn("recording continues in memory", told.text)
                self.assertFalse(os.path.exists(path), "an empty file was left behind")

    def test_room_made_before_close_saves_all(self):
        for kind, small, _ in self.filesystems():
            with self.subTest(kind):
                if kind == "ext4":
                    filler = self.fill(small, leave=100000)
                else:
                    self.run_ok(["mount", "-o", "remount,size=2m", small])
                    filler = self.fill(small, leave=64000)
                path, other = os.path.join(small, "run.pit"), self.folder()
                ready, go = os.path.join(other, "ready"), os.path.join(other, "go")
                child = self.start_place("open=" + path, "nodes=500", "ready=" + ready,
                                         "until=" + go, "close", "status")
                self.wait_file(ready, child)
                os.unlink(filler)
                write(go)
                out, _ = child.communicate(timeout=300)
                told = Told(out.decode())
                self.assertEqual((child.returncode, told.done), (0, True))
                self.assertEqual(told.opens, [(places.NO_FILE, errno.ENOSPC)])
                self.assertEqual(told.closes, [0])
                self.assertEqual(self.counts(path), node_counts(500))
                run = self.report(path)["runs"][0]
                self.assertEqual((run["state"], run["storage"]), ("closed", "memory"))
                self.assertEqual(run["open_error"], os.strerror(errno.ENOSPC))
                self.assertIn("recorded in memory: its file could not be created: "
                              + os.strerror(errno.ENOSPC), self.report_text(path))
                self.assertEqual(pit_check.check(pit_reader.load(path)), [])

    def full_while_growing(self, kind, folder):
        """Steps that fill the filesystem while the run grows; leaves a filler of 1 MB on ext4."""
        if kind != "ext4":
            self.run_ok(["mount", "-o", "remount,size=2m", folder])
        return self.fill(folder, leave=700000)

    def test_full_while_growing_loses_nothing_that_is_in_the_file(self):
        for kind, _, folder in self.filesystems():
            with self.subTest(kind):
                self.full_while_growing(kind, folder)
                path = os.path.join(folder, "run.pit")
                told = self.place("open=" + path, "nodes=2000", "spans=node-0:2", "status", "close",
                                  "status")
                self.assertEqual(told.opens, [(0, 0)])
                status = told.statuses[0]
                self.assertEqual((status["code"], status["errno"]),
                                 (places.DISK_FULL, errno.ENOSPC))
                self.assertEqual(status["place"], places.PLACE_FILE)
                self.assertLess(status["in_file"], status["bytes"])
                self.assertEqual(told.closes, [places.NOT_SAVED])
                self.check_part(path, status["in_file"], "closed", extra={"node-0": 2})

    def check_part(self, path, in_file, state, extra):
        """The file has the first nodes, each with its exact count, and the report names what is missing."""
        self.assertEqual(os.path.getsize(path), in_file)
        whole = node_counts(2000)
        whole.update({name: whole[name] + more for name, more in extra.items()})
        found = self.counts(path)
        found.pop("(name lost)", None) # a node may be in the file while its name is not
        self.assertEqual(found, {name: whole.get(name) for name in found})
        # Nodes are made in order: those that are there are the first ones, without a gap.
        self.assertEqual(set(found), {"node-%d" % i for i in range(len(found))})
        self.assertGreater(len(found), 30)
        # Another reader finds as many, and the blocks of the file go up to where it ends.
        (thread,) = pit_reader.load(path)["threads"]
        names = {node["path"] for node in thread["nodes"]}
        self.assertEqual(set(found), {name for name in names if name.startswith("node-")})
        offset, _, size = places.blocks(read(path))[-1]
        self.assertGreater(offset + size, in_file - LARGEST)
        report = self.report(path)
        run = report["runs"][0]
        self.assertEqual((run["state"], run["growth_error"]), (state, os.strerror(errno.ENOSPC)))
        self.assertGreater(report["summary"]["losses"]["beyond_file_bytes"], 0)
        text = self.report_text(path)
        self.assertIn(FULL_FILE_NOTE, text)
        self.assertIn(os.strerror(errno.ENOSPC), text)
        self.assertIn("only in memory", text)
        self.check_complaints(pit_check.check(pit_reader.load(path)))

    def check_complaints(self, complaints):
        """All that may be wrong is that parts were in memory: a cut end, too short histograms."""
        for text in complaints:
            short = re.search(r"(histogram|series \w+) adds up to (\d+), not (\d+)$", text)
            self.assertTrue(text.endswith("reaches past the end")
                            or short and int(short.group(2)) < int(short.group(3)), text)

    def test_killed_long_after_the_disk_was_full(self):
        spans = pit_case.rounds(300000, 20000)
        for kind, _, folder in self.filesystems():
            with self.subTest(kind):
                self.full_while_growing(kind, folder)
                path = os.path.join(folder, "run.pit")
                told = self.place("open=" + path, "nodes=2000", "status", "spans=node-1:%d" % spans,
                                  "spans=node-1999:1000", "kill", status=-signal.SIGKILL)
                self.assertEqual(told.statuses[0]["code"], places.DISK_FULL)
                self.check_part(path, told.statuses[0]["in_file"], "died",
                                extra={"node-1": spans, "node-1999": 1000})

    def test_a_live_run_with_a_full_disk_is_readable(self):
        folder, other = self.tmpfs("600k"), self.folder()
        path, ready = os.path.join(folder, "run.pit"), os.path.join(other, "ready")
        child = self.start_place("open=" + path, "nodes=2000", "ready=" + ready,
                                 "until=" + os.path.join(other, "never"))
        self.wait_file(ready, child)
        report = self.report(path)
        self.assertEqual(report["runs"][0]["state"], "live")
        self.assertGreater(len(report["nodes"]), 50)
        self.assertIn(FULL_FILE_NOTE, self.report_text(path))
        self.kill(child)

    def test_room_made_after_a_full_disk_completes_the_run(self):
        for kind, _, folder in self.filesystems():
            with self.subTest(kind):
                filler = self.full_while_growing(kind, folder)
                path, other = os.path.join(folder, "run.pit"), self.folder()
                ready, go = os.path.join(other, "ready"), os.path.join(other, "go")
                child = self.start_place("open=" + path, "nodes=700", "status", "ready=" + ready,
                                         "until=" + go, "spans=node-5:100", "close")
                self.wait_file(ready, child)
                os.unlink(filler)
                write(go)
                out, _ = child.communicate(timeout=300)
                told = Told(out.decode())
                self.assertEqual((child.returncode, told.done), (0, True))
                self.assertEqual(told.statuses[0]["code"], places.DISK_FULL)
                self.assertEqual(told.closes, [0])
                whole = node_counts(700)
                whole["node-5"] += 100
                self.assertEqual(self.counts(path), whole)
                report = self.report(path)
                self.assertEqual(report["summary"]["losses"]["beyond_file_bytes"], 0)
                self.assertEqual(pit_check.check(pit_reader.load(path)), [])
                text = self.report_text(path)
                self.assertNotIn("is lost", text)
                self.assertNotIn("only in memory", text)


class Limits(Case):
    """Limits of the process are met without a signal."""

    def test_file_size_limit_below_the_first_size(self):
        path = os.path.join(self.folder(), "run.pit")
        told = self.place("fsize=100000", "open=" + path, "nodes=300", "status", "close")
        self.assertEqual(told.opens, [(places.NO_FILE, errno.EFBIG)])
        self.assertEqual(told.closes, [places.NOT_SAVED])
        self.assertFalse(os.path.exists(path))

    def test_file_size_limit_lifted_before_close(self):
        path = os.path.join(self.folder(), "run.pit")
        told = self.place("fsize=100000", "open=" + path, "nodes=300", "fsize=100000000", "close")
        self.assertEqual((told.opens, told.closes), ([(places.NO_FILE, errno.EFBIG)], [0]))
        self.assertEqual(self.counts(path), node_counts(300))

    def test_file_size_limit_in_between(self):
        path = os.path.join(self.folder(), "run.pit")
        told = self.place("fsize=600000", "open=" + path, "nodes=1000", "status", "close")
        self.assertEqual(told.opens, [(0, 0)])
        self.assertEqual((told.statuses[0]["code"], told.statuses[0]["errno"]),
                         (places.DISK_FULL, errno.EFBIG))
        self.assertEqual(told.closes, [places.NOT_SAVED])
        found = self.counts(path)
        found.pop("(name lost)", None)
        self.assertGreater(len(found), 50)
        self.assertEqual(found, {name: node_counts(1000)[name] for name in found})
        self.assertIn(os.strerror(errno.EFBIG), self.report_text(path))
        self.assertLessEqual(os.path.getsize(path), 600000)

    def test_file_size_limit_and_a_mirror(self):
        path = os.path.join(self.folder(), "run.pit")
        told = self.place("open=" + path, "nodes=1000", "fsize=4096", "status", "close", "status",
                          env={"PITWALL_LIVE": "shm"})
        self.assertEqual(told.closes, [places.NOT_SAVED])
        self.assertEqual(told.statuses[1]["errno"], errno.EFBIG)
        self.assertEqual(self.run_ok([pit_case.reader(), "recover", path]).stdout,
                         path + ": recovered\n")
        self.assertEqual(self.counts(path), node_counts(1000))
        self.assertEqual(os.listdir(os.path.dirname(path)), ["run.pit"])

    def test_no_descriptor_left(self):
        path = os.path.join(self.folder(), "run.pit")
        told = self.place("eat-files", "open=" + path, "nodes=100", "status", "close",
                          "give-files-back")
        self.assertEqual(told.opens, [(places.NO_FILE, errno.EMFILE)])
        self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY)
        self.assertEqual(told.closes, [places.NOT_SAVED])

    def test_size_limit_of_the_run_is_kept_and_told(self):
        path = os.path.join(self.folder(), "run.pit")
        self.place("max=4194304", "open=" + path, "nodes=6000", "close")
        self.assertLessEqual(os.path.getsize(path), 4194304)
        losses = self.report(path)["summary"]["losses"]
        found = self.counts(path)
        self.assertEqual(sum(node_counts(6000).values()),
                         sum(found.values()) + losses["table_full"])

    # The sanitizers take terabytes of addresses for themselves: no such limit can be set there.
    if not pit_case.sanitizer():

        def test_address_space_limit_leaves_the_program_its_share(self):
            path = os.path.join(self.folder(), "run.pit")
            limit = 1 << 30
            told = self.place("space=%d" % limit, "open=" + path, "nodes=300",
                              "use-memory=%d" % (limit * 3 // 4), "close")
            self.assertEqual((told.opens, told.closes), ([(0, 0)], [0]))
            self.assertIn("memory had", told.text)
            self.assertEqual(self.counts(path), node_counts(300))

        def test_almost_no_address_space(self):
            ended = set()
            for limit in range(2 << 20, 26 << 20, 1 << 20):
                path = os.path.join(self.folder(), "run.pit")
                told = self.place("space=%d" % limit, "open=" + path, "nodes=50", "close")
                code = told.opens[0][0]
                ended.add(code)
                self.assertIn(code, (0, places.NO_MEMORY), limit)
                if code == 0:
                    self.assertEqual(told.closes, [0])
                    lost = self.report(path)["summary"]["losses"]["table_full"]
                    self.assertEqual(sum(self.counts(path).values()) + lost,
                                     sum(node_counts(50).values()), limit)
                else:
                    self.assertFalse(os.path.exists(path), limit)
            self.assertEqual(ended, {0, places.NO_MEMORY})


class Paths(Case):
    """Every kind of path that is taken, forbidden or strange."""

    def open_error(self, path, number, **options):
        told = self.place("open=" + path, "nodes=20", "status", "close", **options)
        self.assertEqual(told.opens, [(places.NO_FILE, number)], path)
        self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY)
        return told

    def test_read_only_filesystem(self):
        folder = self.tmpfs("2m")
        self.run_ok(["mount", "-o", "remount,ro", folder])
        self.open_error(os.path.join(folder, "run.pit"), errno.EROFS)
        self.open_error(os.path.join(folder, "new", "run.pit"), errno.EROFS)

    def test_folder_without_permission(self):
        self.need("setpriv")
        if os.geteuid() != 0:
            self.skipTest("changing the user needs root")
        folder = self.folder()
        os.chmod(folder, 0o755)
        path = os.path.join(folder, "run.pit")
        done = self.run_ok(["setpriv", "--reuid=%d" % places.NOBODY, "--regid=%d" % places.NOBODY,
                            "--clear-groups", pit_case.program("prog_place"), "open=" + path,
                            "nodes=5", "close"])
        told = Told(done.stdout)
        self.assertEqual(told.opens, [(places.NO_FILE, errno.EACCES)])
        self.assertEqual(os.listdir(folder), [])

    def test_missing_folders_are_made(self):
        path = os.path.join(self.folder(), "a", "b", "c", "run.pit")
        self.assertEqual(self.place("open=" + path, "nodes=20", "close").closes, [0])
        self.assertEqual(self.counts(path), node_counts(20))

    def test_a_file_in_the_place_of_a_folder(self):
        folder = self.folder()
        write(os.path.join(folder, "file"), b"mine")
        self.open_error(os.path.join(folder, "file", "run.pit"), errno.ENOTDIR)
        self.open_error(os.path.join(folder, "file", "deeper", "run.pit"), errno.ENOTDIR)
        self.assertEqual(read(os.path.join(folder, "file")), b"mine")

    def test_a_folder_as_path_gets_the_default_name(self):
        for end in ("", "/"):
            folder = self.folder()
            self.assertEqual(self.place("open=" + folder + end, "nodes=3", "close").closes, [0])
            (name,) = os.listdir(folder)
            self.assertRegex(name, r"^prog_place-\d{8}-\d{6}-.+-\d+\.pit$")

    def test_what_exists_is_never_touched(self):
        folder = self.folder()
        path = os.path.join(folder, "run.pit")
        self.place("open=" + path, "nodes=20", "close")
        before, facts = read(path), os.stat(path)
        told = self.place("open=" + path, "nodes=3", "status", "close")
        self.assertEqual(told.statuses[0]["path"], os.path.join(folder, "run-2.pit"))
        self.place("open=" + path, "nodes=4", "close")
        self.assertEqual(sorted(os.listdir(folder)), ["run-2.pit", "run-3.pit", "run.pit"])
        self.assertEqual(read(path), before)
        self.assertEqual(os.stat(path).st_mtime_ns, facts.st_mtime_ns)
        self.assertEqual(self.counts(os.path.join(folder, "run-2.pit")), node_counts(3))
        self.assertEqual(self.counts(os.path.join(folder, "run-3.pit")), node_counts(4))

    def test_a_name_without_our_suffix(self):
        folder = self.folder()
        write(os.path.join(folder, "data"), b"mine")
        self.place("open=" + os.path.join(folder, "data"), "nodes=3", "close")
        self.assertEqual(read(os.path.join(folder, "data")), b"mine")
        self.assertEqual(self.counts(os.path.join(folder, "data-2")), node_counts(3))

    def test_ranks_that_start_at_the_same_moment(self):
        for live in (None, "shm"):
            folder, other = self.folder(), self.folder()
            path, go = os.path.join(folder, "run.pit"), os.path.join(other, "go")
            ready = [os.path.join(other, "ready-%d" % i) for i in range(8)]
            children = [self.start_place("ready=" + ready[i], "until=" + go, "open=" + path,
                                         "nodes=%d" % (i + 1), "close", env={"PITWALL_LIVE": live})
                        for i in range(8)]
            for file, child in zip(ready, children):
                self.wait_file(file, child)
            write(go)
            for child in children:
                child.communicate(timeout=300 * pit_case.slowness())
                self.assertEqual(child.returncode, 0)
            names = sorted(os.listdir(folder))
            self.assertEqual(names,
                             sorted(["run.pit"] + ["run-%d.pit" % i for i in range(2, 9)]))
            sizes = sorted(len(self.counts(os.path.join(folder, name))) for name in names)
            self.assertEqual(sizes, [1, 2, 3, 4, 5, 6, 7, 8])

    def test_a_dangling_link_is_not_followed(self):
        folder, other = self.folder(), self.folder()
        path, target = os.path.join(folder, "run.pit"), os.path.join(other, "target")
        os.symlink(target, path)
        self.place("open=" + path, "nodes=3", "close")
        self.assertTrue(os.path.islink(path))
        self.assertFalse(os.path.exists(target))
        self.assertEqual(self.counts(os.path.join(folder, "run-2.pit")), node_counts(3))

    def test_a_device_pipe_or_socket_gets_no_sibling(self):
        folder = self.folder()
        names = [os.path.join(folder, name) for name in ("pipe", "socket", "zero", "link")]
        os.mkfifo(names[0])
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(names[1])
        os.mknod(names[2], stat.S_IFCHR | 0o666, os.makedev(1, 5))
        os.symlink("zero", names[3])
        for name in names:
            told = self.place("open=" + name, "nodes=3", "status", "close")
            self.assertEqual(told.opens, [(places.NO_FILE, errno.EINVAL)], name)
            self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY, name)
            self.assertEqual(told.closes, [places.NOT_SAVED], name)
            done = pit_case.run([pit_case.tool(), "run", "-o", name, "true"])
            self.assertEqual(done.returncode, 74, done.stderr)
            self.assertIn("not a regular file", done.stderr)
        self.assertEqual(sorted(os.listdir(folder)), ["link", "pipe", "socket", "zero"])

    def test_the_null_device_means_in_memory(self):
        folder = self.folder()
        path = os.path.join(folder, "null")
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        before = sorted(n for n in os.listdir("/dev") if "null" in n)
        for name in ("/dev/null", path):
            told = self.place("open=" + name, "nodes=3", "status", "close", cwd=folder)
            self.assertEqual((told.opens, told.closes), ([(0, 0)], [0]))
            self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY)
            told = self.place("nodes=3", "status", env={"PITWALL_FILE": name}, cwd=folder)
            self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY)
            for program in (["true"], [pit_case.program("prog_place"), "nodes=3"]):
                self.run_ok([pit_case.tool(), "run", "-o", name, *program], cwd=folder)
        self.assertEqual(os.listdir(folder), ["null"])
        self.assertEqual(sorted(n for n in os.listdir("/dev") if "null" in n), before)

    def test_very_many_files_of_one_name(self):
        folder, many = self.folder(), pit_case.rounds(20000, 2000)
        path = os.path.join(folder, "run.pit")
        write(path)
        for number in range(2, many + 1):
            write(os.path.join(folder, "run-%d.pit" % number))
        told = self.place("open=" + path, "nodes=3", "status", "close")
        self.assertEqual((told.opens, told.closes), ([(0, 0)], [0]))
        self.assertEqual(told.statuses[0]["path"], os.path.join(folder, "run-%d.pit" % (many + 1)))
        for program in (["echo", "done"], [pit_case.program("prog_place"), "nodes=3"]):
            done = self.run_ok([pit_case.tool(), "run", "-o", path, *program])
            self.assertEqual(done.stdout, "done\n")
        made = sorted(n for n in os.listdir(folder) if os.path.getsize(os.path.join(folder, n)))
        last = ["run-%d.pit" % (many + n) for n in (1, 2, 3)]
        self.assertEqual(made, last)
        self.assertEqual(self.counts(os.path.join(folder, last[-1])), node_counts(3))

    def test_names_that_are_too_long(self):
        folder = self.folder()
        self.open_error(os.path.join(folder, "n" * 300), errno.ENAMETOOLONG)
        self.open_error(os.path.join(folder, *["long" * 10] * 110), errno.ENAMETOOLONG)
        self.assertEqual(os.listdir(folder), [])

    def test_the_folder_changes_between_open_and_close(self):
        folder, other = self.folder(), self.folder()
        for env in ({}, {"PITWALL_LIVE": "shm"}):
            told = self.place("open=sub/run.pit", "nodes=30", "chdir=" + other, "status", "close",
                              cwd=folder, env=env)
            self.assertEqual(told.closes, [0])
            self.assertEqual(self.counts(told.statuses[0]["path"]), node_counts(30))
        self.assertEqual(os.listdir(other), [])
        self.assertEqual(sorted(os.listdir(os.path.join(folder, "sub"))), ["run-2.pit", "run.pit"])

    def test_no_folder_for_the_first_try_but_one_at_close(self):
        folder = self.folder()
        write(os.path.join(folder, "sub"))
        other = self.folder()
        ready, go = os.path.join(other, "ready"), os.path.join(other, "go")
        path = os.path.join(folder, "sub", "run.pit")
        child = self.start_place("open=" + path, "nodes=30", "ready=" + ready, "until=" + go,
                                 "close")
        self.wait_file(ready, child)
        os.unlink(os.path.join(folder, "sub"))
        os.mkdir(os.path.join(folder, "sub"))
        write(go)
        self.assertEqual(Told(child.communicate(timeout=300)[0].decode()).closes, [0])
        self.assertEqual(self.counts(path), node_counts(30))

    def modes(self, *steps, env=None):
        """Permissions of a finished run's file and of the folders that were created for it."""
        folder = self.folder()
        path = os.path.join(folder, "a", "b", "run.pit")
        self.place(*steps, "open=" + path, "nodes=3", "close", env=env)
        found = [stat.S_IMODE(os.stat(p).st_mode)
                 for p in (path, os.path.dirname(path), os.path.join(folder, "a"))]
        self.assertEqual(found[1], found[2])
        return tuple(found[:2])

    def test_modes_of_files_and_folders(self):
        for live in (None, "shm"):
            for mask, asked, mode in (
                    ("0077", None, 0o600), ("0022", None, 0o644), ("0002", None, 0o644),
                    ("0", None, 0o644), ("0", "private", 0o600), ("0", "0600", 0o600),
                    ("0", "600", 0o600), ("0", "0640", 0o640), ("0027", "0644", 0o640),
                    ("0", "0777", 0o644), ("0", "nonsense", 0o600)):
                folder = mode | (mode & 0o444) >> 2
                env = {"PITWALL_LIVE": live, "PITWALL_MODE": asked}
                self.assertEqual(self.modes("umask=" + mask, env=env), (mode, folder),
                                 (live, mask, asked))
            env = {"PITWALL_LIVE": live, "PITWALL_MODE": "0644"}
            self.assertEqual(self.modes("umask=0", "mode=0600", env=env), (0o600, 0o700))

    def test_nobody_can_write_to_a_live_run(self):
        folder, other = self.folder(), self.folder()
        path, go = os.path.join(folder, "run.pit"), os.path.join(other, "go")
        child = self.start_place("open=" + path, "nodes=3", "ready=" + os.path.join(other, "ready"),
                                 "until=" + go, "nodes=300", "close")
        self.wait_file(os.path.join(other, "ready"), child)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode) & 0o222, 0)
        write(go)
        child.communicate(timeout=300)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o644)
        self.assertEqual(self.counts(path), node_counts(303))
        # The bit of a killed run is restored by `pitwall run`, when it records how it ended, and by recover.
        killed = os.path.join(folder, "killed.pit")
        pit_case.run([pit_case.tool(), "run", "-o", killed, pit_case.program("prog_place"),
                      "nodes=3", "kill"])
        self.assertEqual(stat.S_IMODE(os.stat(killed).st_mode), 0o644)
        self.place("open=" + killed, "nodes=3", "kill", status=-signal.SIGKILL)
        second = os.path.join(folder, "killed-2.pit")
        self.assertEqual(stat.S_IMODE(os.stat(second).st_mode), 0o444)
        self.run_ok([pit_case.reader(), "recover", second])
        self.assertEqual(stat.S_IMODE(os.stat(second).st_mode), 0o644)


class Names(Case):
    """Templates, the default name, the environment."""

    def name(self, template, **env):
        folder = self.folder()
        child = self.start_place("open=" + template, "nodes=1", "close", cwd=folder, env=env)
        child.communicate(timeout=300)
        self.assertEqual(child.returncode, 0)
        (name,) = os.listdir(folder)
        return name, str(child.pid)

    def test_templates(self):
        host = socket.gethostname()
        name, pid = self.name("%p-%r-%h-%%-%x-%.pit")
        self.assertEqual(name, "%s-%s-%s-%%-%%x-%%.pit" % (pid, pid, host))
        self.assertEqual(self.name("%r.pit", RANK="7")[0], "7.pit")

    def test_the_first_launcher_that_tells_a_rank_wins(self):
        ranks = {"RANK": "1", "OMPI_COMM_WORLD_RANK": "2", "PMIX_RANK": "3", "PMI_RANK": "4",
                 "SLURM_PROCID": "5"}
        for variable in list(ranks):
            self.assertEqual(self.name("%r.pit", **ranks)[0], ranks[variable] + ".pit")
            del ranks[variable]

    def test_a_rank_that_is_no_number_does_not_reach_a_name(self):
        name, pid = self.name("%r.pit", RANK="../../x")
        self.assertEqual(name, pid + ".pit")
        self.assertEqual(self.name("%r.pit", RANK="x", SLURM_PROCID="5")[0], "5.pit")

    def test_default_name(self):
        folder = self.folder()
        child = self.start_place("open", "nodes=2", "close", cwd=folder)
        child.communicate(timeout=300)
        (name,) = os.listdir(os.path.join(folder, "pitwall-runs"))
        self.assertRegex(name, r"^prog_place-\d{8}-\d{6}-%s-%d\.pit$"
                         % (re.escape(socket.gethostname()), child.pid))
        self.place("open", "nodes=2", "close", cwd=folder, env={"RANK": "3"})
        self.assertTrue([n for n in os.listdir(os.path.join(folder, "pitwall-runs"))
                         if n.endswith("-%s-3.pit" % socket.gethostname())])

    def test_nothing_is_recorded_unasked(self):
        folder = self.folder()
        told = self.place("nodes=10", "status", "close", cwd=folder)
        self.assertEqual(told.statuses[0]["recording"], 0)
        self.assertEqual(os.listdir(folder), [])

    def test_pitwall_1_asks_for_a_run(self):
        folder = self.folder()
        self.place("nodes=10", cwd=folder, env={"PITWALL": "1"})
        (name,) = os.listdir(os.path.join(folder, "pitwall-runs"))
        self.assertEqual(self.counts(os.path.join(folder, "pitwall-runs", name)), node_counts(10))

    def test_pitwall_file_asks_for_a_run_and_names_it(self):
        folder = self.folder()
        self.place("nodes=10", cwd=folder, env={"PITWALL_FILE": "deep/x-%r.pit", "RANK": "4"})
        self.assertEqual(self.counts(os.path.join(folder, "deep", "x-4.pit")), node_counts(10))
        self.place("open=own.pit", "nodes=2", "close", cwd=folder,
                   env={"PITWALL_FILE": "other.pit"})
        self.assertTrue(os.path.exists(os.path.join(folder, "own.pit")))
        self.assertFalse(os.path.exists(os.path.join(folder, "other.pit")))

    def test_pitwall_0_switches_everything_off(self):
        for env in ({"PITWALL": "0"}, {"PITWALL": "0", "PITWALL_FILE": "x.pit"}):
            folder = self.folder()
            told = self.place("open=own.pit", "nodes=10", "status", "close", cwd=folder, env=env)
            self.assertEqual(told.opens, [(-1, 0)])
            self.assertEqual(told.statuses[0]["recording"], 0)
            self.assertEqual(os.listdir(folder), [])


class Facts(Case):
    """The run's facts about its program, compared with those of the system."""

    def facts(self, *steps, cwd=None, env=None):
        path = os.path.join(self.folder(), "run.pit")
        self.place(*steps, "open=" + path, "nodes=1", "close", cwd=cwd or self.folder(), env=env)
        return self.report(path)["runs"][0]["facts"], path

    def test_program_and_machine(self):
        cwd = self.folder()
        facts, path = self.facts(cwd=cwd, env={"RANK": "2", "WORLD_SIZE": "8", "LOCAL_RANK": "1"})
        name = os.uname()
        self.assertEqual(facts["program"], "prog_place")
        self.assertEqual(facts["arguments"], "open=%s nodes=1 close" % path)
        self.assertEqual(facts["cwd"], os.path.realpath(cwd))
        self.assertEqual(facts["path"], path)
        self.assertEqual(facts["host"], name.nodename)
        self.assertEqual(facts["kernel"], "Linux %s %s" % (name.release, name.machine))
        self.assertEqual(facts["cpus"], str(os.cpu_count()))
        self.assertEqual((facts["rank"], facts["world_size"], facts["local_rank"]), ("2", "8", "1"))
        self.assertRegex(facts["start"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$")

    def test_labels(self):
        facts, _ = self.facts("label=model=resnet", "label=note=a=b c", "label=empty=",
                              "label=no equals sign")
        self.assertEqual({k: v for k, v in facts.items() if k.startswith("label.")},
                         {"label.model": "resnet", "label.note": "a=b c", "label.empty": ""})
        path = os.path.join(self.folder(), "run.pit")
        told = self.place("label=model=one", "open=" + path, "label=model=two", "label=late=yes",
                          "label==x", "close")
        self.assertEqual(told.labels, [0, 0, -4])
        facts = self.report(path)["runs"][0]["facts"]
        self.assertEqual((facts["label.model"], facts["label.late"]), ("two", "yes"))
        self.assertIn("model=two", self.report_text(path))

    def git(self, folder, *arguments):
        env = pit_case.clean_env(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null",
                                 GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.org",
                                 GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@example.org")
        return self.run_ok(["git", "-C", folder, *arguments], env=env).stdout.strip()

    def repository(self):
        self.need("git")
        folder = self.folder()
        self.git(folder, "init", "-q", "-b", "main")
        self.git(folder, "commit", "-q", "--allow-empty", "-m", "one")
        return folder

    def check_commit(self, folder):
        commit = self.git(folder, "rev-parse", "HEAD")
        self.assertEqual(len(commit), 40)
        self.assertEqual(self.facts(cwd=folder)[0].get("git"), commit, folder)

    def test_the_commit(self):
        folder = self.repository()
        self.check_commit(folder)
        deeper = os.path.join(folder, "a", "b")
        os.makedirs(deeper)
        self.check_commit(deeper)
        self.git(folder, "pack-refs", "--all")
        self.assertFalse(os.path.exists(os.path.join(folder, ".git", "refs", "heads", "main")))
        self.check_commit(folder)
        self.git(folder, "commit", "-q", "--allow-empty", "-m", "two")
        self.check_commit(folder)
        self.git(folder, "checkout", "-q", "--detach")
        self.check_commit(folder)

    def test_the_commit_of_a_worktree(self):
        folder, other = self.repository(), os.path.join(self.folder(), "tree")
        self.git(folder, "worktree", "add", "-q", "-b", "side", other)
        self.git(other, "commit", "-q", "--allow-empty", "-m", "side")
        self.check_commit(other)
        self.git(folder, "pack-refs", "--all")
        self.check_commit(other)
        self.check_commit(folder)

    def test_the_commit_of_a_submodule(self):
        folder, inner = self.repository(), self.repository()
        self.git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner,
                 "sub")
        self.check_commit(os.path.join(folder, "sub"))

    def test_no_commit_where_there_is_none(self):
        folder = self.folder()
        self.git(folder, "init", "-q", "-b", "main")
        self.assertNotIn("git", self.facts(cwd=folder)[0])
        self.assertNotIn("git", self.facts(cwd="/")[0])


class Forks(Case):
    """Nothing of a place is shared by accident."""

    def test_the_lock_is_gone_with_the_process(self):
        path, other = os.path.join(self.folder(), "run.pit"), self.folder()
        ready = os.path.join(other, "ready")
        child = self.start_place("open=" + path, "nodes=3", "begin=open span", "ready=" + ready,
                                 "until=" + os.path.join(other, "never"), stdout=subprocess.DEVNULL)
        self.wait_file(ready)
        self.assertEqual(self.report(path)["runs"][0]["state"], "live")
        self.kill(child)
        run = self.report(path)["runs"][0]
        self.assertEqual(run["state"], "died")
        self.assertEqual([s["path"] for s in run["threads"][0]["open"]], ["open span"])


if __name__ == "__main__":
    pit_case.main()
