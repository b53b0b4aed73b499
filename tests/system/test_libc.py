"""Which C libraries will do: the newest glibc symbol that anything built needs, and musl."""

import os
import re
import shutil

import pit_case

OLDEST_DEBIAN = (2, 36)  # Debian 12, the oldest that is supported


def needed(case, path):
    """The newest version of glibc's symbols in a program or library, as (2, 34)."""
    done = case.run_ok(["objdump", "-T", path])
    found = re.findall(r"\bGLIBC_(\d+)\.(\d+)", done.stdout)
    return max((int(a), int(b)) for a, b in found)


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


class Musl(pit_case.Case):
    def test_a_static_program_records_and_reads(self):
        """The unit tests are another stage: here a program of a user, linked with the library alone."""
        if not shutil.which("musl-gcc"):
            self.skipTest("no musl-gcc")
        library = os.path.join(pit_case.build_dir(), "musl", "lib", "libpitwall.a")
        if not os.path.exists(library):
            self.skipTest("build/musl was not made")
        folder = self.folder()
        with open(os.path.join(folder, "p.c"), "w", encoding="utf-8") as file:
            file.write('#include <pitwall.h>\nint main(void)\n{\n    pit_open("run.pit", 0);\n'
                       '    for (int i = 0; i < 7; i++)\n        PIT_SPAN("work") { pit_items(1); }\n'
                       "    return pit_close();\n}\n")
        self.run_ok(["musl-gcc", "-static", "-O2", "p.c", "-o", "p", "-I",
                     os.path.join(pit_case.source_dir(), "include"), library, "-lm"], cwd=folder)
        self.run_ok(["./p"], cwd=folder)
        done = self.run_ok([pit_case.tool(), "report", "--csv", "run.pit"], cwd=folder)
        self.assertRegex(done.stdout, r"(?m)^work,.*\b7\b")


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
