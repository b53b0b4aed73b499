"""Paths that stand for an open file (/dev/stdout, /dev/fd/N, links to them) or have no name at all: the run
stays in memory, no file appears next to them, and the close reports that nothing was saved."""

import errno
import os

import pit_case
import places


def devices():
    return sorted(n for n in os.listdir("/dev") if n.startswith(("std", "fd")))


class NamesOfOpenFiles(places.Case):
    def setUp(self):
        self.addCleanup(self.remove_new, devices())

    @staticmethod
    def remove_new(before):
        for name in set(devices()) - set(before):
            os.unlink(os.path.join("/dev", name))

    def names(self, folder):
        os.mkdir(os.path.join(folder, "folder"))
        for target, link in (("/dev/stdout", "link"), ("link", "second"), ("../second", "folder/third"),
                             ("/proc/self/fd", "table"), ("table/1", "fourth"), ("/dev", "devices"),
                             ("devices/stdout", "fifth")):
            os.symlink(target, os.path.join(folder, link))
        return [*(os.path.join(folder, link) for link in ("second", "folder/third", "table/1", "fourth",
                                                          "devices/stdout", "fifth")),
                "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/2",
                os.path.join(folder, "link")]

    @staticmethod
    def files(folder):
        return sorted(os.listdir(folder) + os.listdir(os.path.join(folder, "folder")))

    def place_in_files(self, *steps, **env):
        """Run prog_place with regular files as its outputs."""
        folder = self.folder()
        with open(os.path.join(folder, "out"), "w+", encoding="utf-8") as out, \
                open(os.path.join(folder, "errors"), "w+", encoding="utf-8") as errors:
            self.run_ok([pit_case.program("prog_place"), *steps], env=pit_case.clean_env(**env),
                        stdout=out, stderr=errors)
        self.assertEqual(places.read(errors.name), b"")
        self.assertEqual(sorted(os.listdir(folder)), ["errors", "out"])
        return places.Told(places.read(out.name).decode())

    def test_a_run_has_no_such_path(self):
        folder, before = self.folder(), devices()
        names, present = self.names(folder), self.files(folder)
        for name in names:
            told = self.place_in_files("open=" + name, "nodes=3", "status", "close")
            self.assertEqual(told.opens, [(places.NO_FILE, errno.EINVAL)], name)
            self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY, name)
            self.assertEqual(told.closes, [places.NOT_SAVED], name)
        self.assertEqual((self.files(folder), devices()), (present, before))

    def test_the_environment_names_one(self):
        folder, before = self.folder(), devices()
        names, present = self.names(folder), self.files(folder)
        for name in names:
            told = self.place_in_files("nodes=3", "status", "close", PITWALL_FILE=name)
            self.assertEqual(told.statuses[0]["place"], places.PLACE_MEMORY, name)
            self.assertEqual(told.closes, [places.NOT_SAVED], name)
        self.assertEqual((self.files(folder), devices()), (present, before))

    def test_the_tool_refuses_one(self):
        folder, before = self.folder(), devices()
        names, present = self.names(folder), self.files(folder)
        for name in names:
            with open(os.path.join(self.folder(), "out"), "w", encoding="utf-8") as out:
                done = pit_case.run([pit_case.tool(), "run", "-o", name, "echo", "ran"], stdout=out)
            self.assertEqual(done.returncode, 74, done.stderr)
            self.assertIn("not a regular file", done.stderr)
            self.assertEqual(os.path.getsize(out.name), 0)
        self.assertEqual((self.files(folder), devices()), (present, before))

    def test_a_link_to_another_file_gets_a_file_next_to_it(self):
        folder = self.folder()
        os.symlink("nowhere", os.path.join(folder, "run.pit"))
        told = self.place("open=" + os.path.join(folder, "run.pit"), "nodes=3", "status", "close")
        self.assertEqual((told.opens, told.closes), ([(0, 0)], [0]))
        self.assertEqual(sorted(os.listdir(folder)), ["run-2.pit", "run.pit"])


class NoName(places.Case):
    def test_a_path_that_is_too_long_is_not_saved(self):
        long = os.path.join(self.folder(), *["long" * 10] * 110)
        told = self.place("open=" + long, "nodes=3", "close")
        self.assertEqual(told.opens, [(places.NO_FILE, errno.ENAMETOOLONG)])
        self.assertEqual(told.closes, [places.NOT_SAVED])
        done = pit_case.run([pit_case.tool(), "run", "-o", long, "true"])
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn(long[:40], done.stderr)


if __name__ == "__main__":
    pit_case.main()
