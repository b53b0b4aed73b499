"""The documents hold: every C program in them compiles and runs, every link and every file that they
name is there."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

import pit_case

sys.path.append(os.path.join(pit_case.source_dir(), "tests", "python"))
import py_case  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def documents():
    found = [os.path.join(ROOT, name) for name in os.listdir(ROOT) if name.endswith(".md")]
    docs = os.path.join(ROOT, "docs")
    return sorted(found + [os.path.join(docs, n) for n in os.listdir(docs) if n.endswith(".md")])


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Documents(unittest.TestCase):
    def test_every_c_program_compiles_without_warnings_and_runs(self):
        count = 0
        for path in documents():
            for block in re.findall(r"^```c\n(.*?)^```", text_of(path), re.M | re.S):
                with self.subTest(document=os.path.basename(path), starts=block[:60]):
                    self.compile_and_run(block)
                count += 1
        self.assertGreaterEqual(count, 7)

    def test_every_python_program_runs(self):
        count = 0
        for path in documents():
            for block in re.findall(r"^```python\n(.*?)^```", text_of(path), re.M | re.S):
                if "import pitwall" not in block:
                    continue
                with self.subTest(document=os.path.basename(path), starts=block[:60]):
                    self.run_python(block)
                count += 1
        self.assertGreaterEqual(count, 6)

    def run_python(self, source):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as file:
                file.write(source)
            env = py_case.environment()
            subprocess.run([py_case.PYTHON, "program.py"], cwd=folder, check=True, timeout=120,
                           stdout=subprocess.DEVNULL, env=env)

    def compile_and_run(self, source):
        build = pit_case.build_dir()
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "program.c"), "w", encoding="utf-8") as file:
                file.write(source)
            sanitize = {"address": ["-fsanitize=address,undefined"],
                        "thread": ["-fsanitize=thread"]}.get(pit_case.sanitizer(), [])
            subprocess.run(["gcc", *sanitize, "-std=c11", "-Wall", "-Wextra", "-Wpedantic",
                            "-Wshadow", "-Werror", "-I", os.path.join(ROOT, "include"), "program.c",
                            os.path.join(build, "lib", "libpitwall.a"), "-lpthread", "-lm",
                            "-o", "program"], cwd=folder, check=True)
            subprocess.run([os.path.join(folder, "program")], cwd=folder, check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
            runs = [os.path.join(where, name) for where, _, names in os.walk(folder)
                    for name in names if name.endswith(".pit")]
            for run in runs:
                subprocess.run([os.path.join(build, "bin", "pitwall"), "report", run], check=True,
                               timeout=60, stdout=subprocess.DEVNULL)
            opens = "pit_open(" in source and "in_memory" not in source
            self.assertEqual(len(runs), int(opens))

    def test_every_link_leads_somewhere(self):
        for path in documents():
            for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text_of(path)):
                if "://" in target:
                    continue
                with self.subTest(document=os.path.basename(path), link=target):
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(path), target)))

    def test_every_file_that_the_feature_table_names_is_there(self):
        names = re.findall(r"`((?:tests|src|examples|bench|python)/[^`]+)`",
                           text_of(os.path.join(ROOT, "docs", "features.md")))
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(name=name):
                self.assertTrue(os.path.exists(os.path.join(ROOT, name)))

    def test_the_headers_own_example_is_the_readmes(self):
        # The ten lines in the header are a comment and cannot be compiled; its calls must exist.
        header = text_of(os.path.join(ROOT, "include", "pitwall.h"))
        for call in ("pit_open(NULL, NULL)", "PIT_SPAN(\"epoch\")", "pit_value(\"loss\"",
                     "pit_close()"):
            self.assertIn(call, header)
            self.assertIn(call, text_of(os.path.join(ROOT, "README.md")))


if __name__ == "__main__":
    pit_case.main()
