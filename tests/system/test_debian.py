"""The packages that `make deb` made, unpacked into a folder: the tool finds its libraries, its headers and
the Python package there; lintian finds nothing wrong."""

import glob
import os

import pit_case

FOLDER = os.path.join(pit_case.build_dir(), "debs")
PACKAGES = ["libpitwall-dev", "libpitwall0", "pitwall", "python3-pitwall"]
PROGRAM = """
#include <pitwall.h>
int main(void)
{
    if (pit_open(NULL, NULL) != 0)
        return 1;
    PIT_SPAN("work") { pit_items(1); }
    return pit_close();
}
"""


class Debian(pit_case.Case):
    def packages(self):
        found = sorted(glob.glob(os.path.join(FOLDER, "*.deb")))
        self.assertEqual([os.path.basename(path).split("_")[0] for path in found], PACKAGES,
                         "run make deb first")
        return found

    def unpacked(self):
        """A folder with all packages, unpacked as below /."""
        root = self.folder()
        for package in self.packages():
            self.run_ok(["dpkg-deb", "-x", package, root])
        return root

    def test_lintian_is_content(self):
        self.packages()
        done = self.run_ok(["lintian", "--allow-root", "--fail-on", "error,warning",
                            "--suppress-tags", "bogus-mail-host,bogus-mail-host-in-debian-changelog",
                            *glob.glob(os.path.join(FOLDER, "*.changes"))])
        self.assertEqual(done.stdout, "")

    def test_what_is_in_them_works(self):
        root = self.unpacked()
        usr = os.path.join(root, "usr")
        tool = os.path.join(usr, "bin", "pitwall")
        (lib,) = glob.glob(os.path.join(usr, "lib", "*-linux-gnu"))
        env = pit_case.clean_env(PYTHONPATH=os.path.join(usr, "lib/python3/dist-packages"),
                                 LD_LIBRARY_PATH=lib, PYTHONDONTWRITEBYTECODE="1")
        work = self.folder()
        self.assertIn(pit_case.version(), self.run_ok([tool, "--version"]).stdout)
        done = self.run_ok([tool, "run", "--alloc", "--", "/usr/bin/python3", "-c",
                            "import pitwall\nwith pitwall.span('a'): pass\nprint(pitwall.__file__)"],
                           cwd=work, env=env)
        self.assertTrue(done.stdout.startswith(usr), done.stdout)
        self.assertNotRegex(done.stderr, "no hooks|no spans|cannot")
        report = self.run_ok([tool, "report", "pitwall-runs"], cwd=work, env=env)
        self.assertRegex(report.stdout, r"(?m)^a +1 ")
        flags = self.run_ok([tool, "--cflags", "--libs"]).stdout.split()
        source = os.path.join(work, "user.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        self.run_ok(["gcc", "-std=c11", source, *flags, "-o", source + ".x"])
        self.run_ok([source + ".x"], cwd=work, env=pit_case.clean_env(LD_LIBRARY_PATH=None))
        env = pit_case.clean_env(PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"))
        version = self.run_ok(["pkg-config", "--modversion", "pitwall"], env=env)
        self.assertEqual(version.stdout, pit_case.version() + "\n")

    def test_pages_and_completion_are_where_debian_looks(self):
        share = os.path.join(self.unpacked(), "usr", "share")
        for path in ("man/man1/pitwall.1.gz", "man/man1/pitwall-run.1.gz",
                     "bash-completion/completions/pitwall", "zsh/vendor-completions/_pitwall",
                     "doc/pitwall/copyright"):
            self.assertTrue(os.path.isfile(os.path.join(share, path)), path)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True, test_all_only=True)
