"""Clang has no warning for the files that only other builds link: the tool, the examples, the benchmarks, the
Python extension, programs of tests. They are checked, but no code is made of them: nothing runs it."""

import concurrent.futures
import json
import os
import re
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))
import pit_case  # noqa: E402

BUILT = re.compile(r"CMakeFiles/pitwall_\w*(objects|list)\.dir/|/tests/unit/")  # with the unit tests


def check(entry):
    """The compiler's last words about one file, and its status."""
    command = shlex.split(entry["command"])
    at = command.index("-o")
    done = pit_case.run([*command[:at], *command[at + 2:], "-fsyntax-only"], cwd=entry["directory"])
    return done.returncode, "%s\n%s" % (" ".join(command), done.stderr)


class Warnings(pit_case.Case):
    def test_no_file_that_is_not_built_has_a_warning(self):
        with open(os.path.join(pit_case.build_dir(), "compile_commands.json"), encoding="utf-8") as file:
            entries = json.load(file)
        rest = [entry for entry in entries if not BUILT.search(entry["command"])]
        for part in ("src/cli/", "examples/", "bench/", "python/", "tests/system/", "tests/planted/"):
            self.assertTrue([entry for entry in rest if part in entry["file"]], part)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for status, words in pool.map(check, rest):
                self.assertEqual(status, 0, words)
        print("%d files" % len(rest), end=" ")


if __name__ == "__main__":
    pit_case.main()
