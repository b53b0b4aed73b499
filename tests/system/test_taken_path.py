"""A run that is copied to its path while it lives: other files that got this path, or the name of the
temporary copy, are left alone. And the permissions of a run with PITWALL_MODE=0."""

import os

import pit_case
import places
from places import node_counts, read, write

# The path is looked at when the run is closed, and not every five seconds too: the sampler sleeps.
MIRRORED = {"PITWALL_LIVE": "shm", "PITWALL_SAMPLE": "0.0001"}
OTHER = b"a file of somebody else\n"


class TakenPath(places.Case):
    def run_while(self, change, steps=(), **env):
        """Change the folder of a mirrored run while its program waits; returns the folder and the output."""
        folder = self.folder()
        path, ready, go = (os.path.join(folder, name) for name in ("run.pit", "ready", "go"))
        child = self.start_place("open=" + path, "nodes=30", "ready=" + ready, "until=" + go,
                                 *steps, "close", "status", env={**MIRRORED, **env})
        self.wait_file(ready, child)
        change(path)
        write(go)
        told = places.Told(child.communicate()[0].decode())
        self.assertTrue(told.done)
        os.unlink(ready)
        os.unlink(go)
        return folder, told

    def test_another_file_at_the_path_stays(self):
        def change(path):
            os.unlink(path)
            write(path, OTHER)
        folder, told = self.run_while(change)
        self.assertEqual(told.closes, [0])
        self.assertEqual(sorted(os.listdir(folder)), ["run-2.pit", "run.pit"])
        self.assertEqual(read(os.path.join(folder, "run.pit")), OTHER)
        self.assertEqual(told.statuses[0]["path"], os.path.join(folder, "run-2.pit"))
        self.assertEqual(self.counts(os.path.join(folder, "run-2.pit")), node_counts(30))

    def test_another_run_at_the_path_stays(self):
        def change(path):
            os.rename(path, path + ".moved")
            self.assertEqual(self.place("open=" + path, "nodes=5", "close").closes, [0])
        folder, told = self.run_while(change)
        self.assertEqual(told.closes, [0])
        self.assertEqual(self.counts(os.path.join(folder, "run.pit")), node_counts(5))
        self.assertEqual(self.counts(os.path.join(folder, "run-2.pit")), node_counts(30))

    def test_a_link_or_a_folder_at_the_path_stays(self):
        def link(path):
            os.unlink(path)
            write(path + ".target", OTHER)
            os.symlink(path + ".target", path)

        def directory(path):
            os.unlink(path)
            os.mkdir(path)
        for change in (link, directory):
            folder, told = self.run_while(change)
            self.assertEqual(told.closes, [0])
            self.assertEqual(self.counts(os.path.join(folder, "run-2.pit")), node_counts(30))
            if change is link:
                self.assertTrue(os.path.islink(os.path.join(folder, "run.pit")))
                self.assertEqual(read(os.path.join(folder, "run.pit.target")), OTHER)

    def test_a_path_that_was_removed_is_used_again(self):
        folder, told = self.run_while(os.unlink)
        self.assertEqual(told.closes, [0])
        self.assertEqual(os.listdir(folder), ["run.pit"])
        self.assertEqual(self.counts(os.path.join(folder, "run.pit")), node_counts(30))

    def test_files_named_like_a_temporary_copy_stay(self):
        folder, told = self.run_while(lambda path: write(path + ".tmp", OTHER))
        self.assertEqual(told.closes, [0])
        self.assertEqual(sorted(os.listdir(folder)), ["run.pit", "run.pit.tmp"])
        self.assertEqual(read(os.path.join(folder, "run.pit.tmp")), OTHER)

    def test_recover_leaves_them_alone_too(self):
        folder = self.folder()
        path, ready = os.path.join(folder, "run.pit"), os.path.join(folder, "ready")
        child = self.start_place("open=" + path, "nodes=30", "ready=" + ready, "until=never",
                                 env=MIRRORED, cwd=folder)
        self.wait_file(ready, child)
        self.kill(child)
        write(path + ".tmp", OTHER)
        self.run_ok([pit_case.tool(), "recover", path])
        self.assertEqual(sorted(os.listdir(folder)), ["ready", "run.pit", "run.pit.tmp"])
        self.assertEqual(read(path + ".tmp"), OTHER)
        self.assertEqual(self.counts(path), node_counts(30))


class Mode(places.Case):
    def test_nothing_for_anybody_means_the_owner_alone(self):
        for text in ("0", "000", "private"):
            path = os.path.join(self.folder(), "sub", "run.pit")
            self.assertEqual(self.place("open=" + path, "close", env={"PITWALL_MODE": text}).closes, [0])
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
            self.assertEqual(os.stat(os.path.dirname(path)).st_mode & 0o777, 0o700)


if __name__ == "__main__":
    pit_case.main()
