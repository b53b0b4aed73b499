"""Names of any bytes: everything that is printed or exported is valid UTF-8, and JSON without NaN."""

import csv
import io
import json
import os

import pit_case

# What a program may use as a name: bytes that are no UTF-8, halves of UTF-16, cut characters.
PROGRAM = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.pit__begin_name.restype = ctypes.c_uint64
lib.pit__begin_name.argtypes = [ctypes.c_char_p, ctypes.c_uint]
lib.pit__end.argtypes = [ctypes.c_uint64]
lib.pit__value.argtypes = [ctypes.c_char_p, ctypes.c_double]
assert lib.pit_open(sys.argv[2].encode(), None) == 0
for name in (b"\\xff\\xfe", b"\\xed\\xa0\\x80", b"\\xf0\\x9f\\x98", b"a\\xffb, \\"c\\"", b"=\\xc3", b"\\xc3\\xa9"):
    lib.pit__end(lib.pit__begin_name(name, 2))
    for value in (1.0, float("nan"), float("inf")):
        lib.pit__value(name, value)
    lib.pit_label(b"key-" + name, name)
    lib.pit_add_fact(b"fact-" + name, name)
    lib.pit_journal(b"stage", name, None, 0, 0)
lib.pit_thread_name(b"thread \\xff")
assert lib.pit_close() == 0
"""


def refuse(constant):
    raise ValueError(constant)


class Names(pit_case.Case):
    def recorded(self):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok(["/usr/bin/python3", "-c", PROGRAM, pit_case.library(), path],
                    env=pit_case.clean_env(**self.preloaded()))
        return path

    @staticmethod
    def preloaded():
        """A program that is not built with a sanitizer must load its library first."""
        name = {"address": "libasan.so", "thread": "libtsan.so"}.get(pit_case.sanitizer())
        if not name:
            return {}
        found = pit_case.run(["gcc", "-print-file-name=" + name]).stdout.strip()
        return {"LD_PRELOAD": found, "ASAN_OPTIONS": "detect_leaks=0"}

    def output(self, *command):
        out = os.path.join(self.folder(), "out")
        with open(out, "wb") as file:
            self.run_ok([pit_case.tool(), *command], stdout=file)
        with open(out, encoding="utf-8", errors="strict") as file:
            return file.read()

    def test_all_that_is_printed_is_utf8(self):
        path = self.recorded()
        for command in (["report"], ["report", "--csv"], ["info"], ["list"], ["top", "--once"],
                        *(["export", "--format", name] for name in ("csv", "markdown", "prometheus",
                                                                    "html"))):
            self.assertTrue(self.output(*command, path), command)

    def test_json_is_json(self):
        path = self.recorded()
        for command in (["report", "--json"], ["info", "--json"], ["list", "--json"],
                        *(["export", "--format", name] for name in ("json", "chrome-trace",
                                                                    "speedscope"))):
            json.loads(self.output(*command, path), parse_constant=refuse)

    def test_a_table_keeps_its_columns(self):
        rows = list(csv.reader(io.StringIO(self.output("export", self.recorded(), "--format", "csv"))))
        self.assertEqual(len({len(row) for row in rows}), 1)
        names = {row[rows[0].index("name")] for row in rows[1:]}
        self.assertEqual(names, {"\ufffd\ufffd", "\ufffd\ufffd\ufffd", "a\ufffdb, \"c\"", "'=\ufffd", "\u00e9"})


if __name__ == "__main__":
    pit_case.main()
