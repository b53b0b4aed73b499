"""`pitwall --version`: the version of the header and the commit, also for sources without git."""

import os
import re
import shutil

import pit_case

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Version(pit_case.Case):
    def commit_of(self, folder):
        """The commit that CMake finds for sources in this folder."""
        script = os.path.join(self.folder(), "ask.cmake")
        with open(script, "w", encoding="utf-8") as file:
            file.write('include("%s")\nmessage("commit=${pitwall_commit}")\n'
                       % os.path.join(pit_case.source_dir(), "cmake", "commit.cmake"))
        done = self.run_ok(["cmake", "-DPROJECT_SOURCE_DIR=" + folder, "-P", script])
        return re.search(r"commit=(.*)", done.stderr).group(1)

    def sources(self):
        """A folder with the files that `git archive` changes."""
        folder = self.folder()
        os.mkdir(os.path.join(folder, "cmake"))
        for name in (".gitattributes", os.path.join("cmake", "archive_commit.txt")):
            shutil.copy(os.path.join(pit_case.source_dir(), name), os.path.join(folder, name))
        return folder

    def test_the_tool_prints_the_version_of_the_header(self):
        done = self.run_ok([pit_case.tool(), "--version"])
        self.assertRegex(done.stdout, r"^pitwall %s( \([0-9a-f]{7,40}(-dirty)?\))?\n$"
                         % re.escape(pit_case.version()))

    def test_a_source_package_has_it_in_a_file(self):
        folder = self.sources()
        with open(os.path.join(folder, "COMMIT"), "w", encoding="utf-8") as file:
            file.write(COMMIT[:12] + "-dirty\n")
        self.assertEqual(self.commit_of(folder), COMMIT[:12] + "-dirty")

    def test_a_tarball_of_git_archive_has_it(self):
        folder, unpacked = self.sources(), self.folder()
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        self.run_ok([*git, "init", "-q"])
        self.run_ok([*git, "add", "."])
        self.run_ok([*git, "commit", "-q", "-m", "a"])
        commit = self.run_ok([*git, "rev-parse", "HEAD"]).stdout.strip()
        self.assertEqual(self.commit_of(folder), commit[:12])
        archive = os.path.join(unpacked, "a.tar")
        self.run_ok([*git, "archive", "-o", archive, "HEAD"])
        self.run_ok(["tar", "-xf", archive, "-C", unpacked])
        self.assertEqual(self.commit_of(unpacked), commit[:12])

    def test_without_all_of_them_it_is_empty(self):
        self.assertEqual(self.commit_of(self.sources()), "")
        self.assertEqual(self.commit_of(self.folder()), "")


if __name__ == "__main__":
    pit_case.main(plain_build_only=True, has_threads=False)
