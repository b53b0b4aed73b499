"""What our files need of libc: the oldest glibc that is supported, and how threads find their data."""

import os
import re

import pit_case

OLDEST_DEBIAN = (2, 36)  # Debian 12, the oldest that is supported


def needed(case, path):
    """The newest version of glibc's symbols in a program or library, as (2, 34)."""
    done = case.run_ok(["objdump", "-T", path])
    found = re.findall(r"\bGLIBC_(\d+)\.(\d+)", done.stdout)
    return max((int(a), int(b)) for a, b in found)


class ThreadData(pit_case.Case):
    def test_calls_of_mpi_reach_it_without_a_call(self):
        """A variable of a thread whose model is left to the compiler costs a function call at each access."""
        path = os.path.join(pit_case.build_dir(), "lib", "libpitwall-mpi.so")
        self.assertNotIn("__tls_get_addr", self.run_ok(["objdump", "-T", path]).stdout)


class Glibc(pit_case.Case):
    def documented(self):
        page = os.path.join(pit_case.source_dir(), "docs", "c-api.md")
        with open(page, encoding="utf-8") as file:
            found = re.search(r"glibc (\d+)\.(\d+) or later", file.read())
        self.assertTrue(found, "docs/c-api.md does not say which glibc is needed")
        return int(found.group(1)), int(found.group(2))

    def test_no_newer_symbol_than_documented(self):
        build = pit_case.build_dir()
        paths = [os.path.join(build, "bin", "pitwall")]
        for folder in (os.path.join(build, "lib"), os.path.join(build, "python", "pitwall")):
            paths += [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                      if name.endswith(".so")]
        self.assertGreater(len(paths), 2, paths)
        for path in paths:
            with self.subTest(os.path.basename(path)):
                self.assertLessEqual(needed(self, path), self.documented(), path)

    def test_the_oldest_debian_has_it(self):
        self.assertLessEqual(self.documented(), OLDEST_DEBIAN)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
