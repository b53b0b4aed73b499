"""Everything that the documents name exists: links and anchors, files, commands and options, views, C names,
Python names, variables of the environment. test_docs_run.py runs their programs."""

import json
import os
import re
import sys

import doc_pages
import pit_case
from doc_pages import ROOT, text_of
from tool_help import listed

sys.path.append(os.path.join(pit_case.source_dir(), "tests", "python"))
import py_case  # noqa: E402

EXAMPLES = {"train.c", "train.py", "trainer.py"}  # files of the reader
OTHERS = {"mpi.h", "mpif.h", "cuda.h", "nvml.h"}  # headers of other projects
FOLDERS = "tests|src|examples|bench|python|docs|scripts|cmake|include"


def help_of(command):
    return pit_case.run([pit_case.tool(), command, "--help"]).stdout


def read_all(folder, ends):
    text = ""
    for where, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith(ends):
                text += text_of(os.path.relpath(os.path.join(where, name), ROOT))
    return text


def called(words):
    """(command, options, view) of `pitwall COMMAND …`; quoted text and words after -- do not count."""
    words = re.sub(r"'[^']*'|\"[^\"]*\"|#.*", " ", words)
    words = re.split(r"\s--\s|[|>;]|&&", words.replace("[", " ").replace("]", " "))[0]
    command = re.match(r"pitwall\s+([a-z][a-z-]*)\b", words)
    options = re.findall(r"(?<![\w-])--[a-z][a-z-]*", words)
    view = re.search(r"--view[ =]([a-z][a-z-]*)", words)
    return command and command[1], options, view and view[1]


def calls(path):
    """The command lines on a page: spans of code, and lines of blocks."""
    found = [s for s in doc_pages.code_spans(path) if s.startswith(("pitwall ", "--"))]
    for block in doc_pages.blocks(path):
        if block.language in ("usage", "console", "sh"):
            text = block.text.replace("\\\n", " ").replace("\n       ", " ")
            found += re.findall(r"(?m)(?:^|[|&;] *|\$ )(pitwall [a-z].*)$", text)
    return found


class Documents(pit_case.Case):
    def each(self, what, names, is_there):
        for path, name in names:
            with self.subTest(page=path, **{what: name}):
                self.assertTrue(is_there(name))
        self.assertTrue(names)

    def spans(self, pattern):
        """(page, name) of every span of code that is such a name."""
        return sorted({(path, match[1]) for path in doc_pages.pages()
                       for span in doc_pages.code_spans(path)
                       for match in re.finditer(pattern, span)})

    def test_every_link_leads_to_a_page_and_a_heading_in_it(self):
        count = 0
        for path in doc_pages.pages():
            for link in doc_pages.links(path):
                if "://" in link:
                    continue
                count += 1
                target, _, anchor = link.partition("#")
                file = os.path.join(os.path.dirname(path), target) if target else path
                file = os.path.normpath(file)
                with self.subTest(page=path, link=link):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, file)))
                    if anchor:
                        self.assertIn(anchor, doc_pages.anchors(file))
        self.assertGreater(count, 50)

    def test_every_page_is_reached_from_the_readme(self):
        seen, todo = set(), ["README.md"]
        while todo:
            path = todo.pop()
            if path in seen or not path.endswith(".md"):
                continue
            seen.add(path)
            todo += [os.path.normpath(os.path.join(os.path.dirname(path), link.split("#")[0]))
                     for link in doc_pages.links(path)
                     if "://" not in link and not link.startswith("#")]
        self.assertEqual(sorted(set(doc_pages.pages()) - seen), [])

    def test_every_file_that_a_page_names_is_there(self):
        self.each("file", self.spans(r"^((?:%s)/[\w./-]+)$" % FOLDERS),
                  lambda name: os.path.exists(os.path.join(ROOT, name))
                  or os.path.exists(os.path.join(ROOT, name + ".c")))  # a program by its name
        self.each("file", self.spans(r"^build/((?:tests|bin|lib|examples)/[\w./-]+)"),
                  lambda name: os.path.exists(os.path.join(pit_case.build_dir(), name)))

    def test_every_source_file_that_is_named_alone_is_somewhere(self):
        names = {name for _, _, files in os.walk(ROOT) for name in files}
        self.each("file", self.spans(r"^([a-z_]\w*\.(?:c|h|py|sh|md))$"),
                  lambda name: name in names or name in EXAMPLES | OTHERS)

    def test_the_architecture_has_a_row_for_every_folder(self):
        page = text_of("ARCHITECTURE.md")
        folders = ["src/" + name for name in os.listdir(os.path.join(ROOT, "src"))]
        folders += [name for name in os.listdir(ROOT)
                    if os.path.isdir(os.path.join(ROOT, name))
                    and not name.startswith((".", "build"))
                    and name not in ("include", "src", "pitwall-runs", "dist", "__pycache__")]
        for folder in folders:
            with self.subTest(folder=folder):
                self.assertRegex(page, r"(?m)^\|.*`%s/`.*\|" % folder)

    def test_every_feature_has_its_number_and_a_test(self):
        rows = dict(re.findall(r"(?m)^\| (\d\.\d+) \| (.*) \|$", text_of("docs/features.md")))
        wanted = {"%d.%d" % (part, number) for part, last in enumerate((11, 9, 5, 6, 10))
                  for number in range(1, last + 1)}
        self.assertEqual(set(rows), wanted)
        for number, row in rows.items():
            with self.subTest(feature=number):
                self.assertRegex(row, r"`tests/\w+/test_\w+\.(c|py)`")

    def test_every_command_option_and_view_that_a_page_names_is_in_the_help(self):
        commands = re.findall(r"(?m)^  ([a-z]+) ", help_of("--help").replace("--", ""))
        helps = {command: help_of(command) for command in commands}
        views = listed("report", "--view", "help")
        examples = read_all("examples", (".h", ".py"))  # these have their own options
        examples += text_of("python/pitwall/pytest_plugin.py") + text_of("python/pitwall/_notebook.py")
        self.assertIn("report", helps)
        count = 0
        for path in doc_pages.pages():
            own = os.path.splitext(os.path.basename(path))[0]  # docs/race.md: options of race
            for words in calls(path):
                command, options, view = called(words)
                with self.subTest(page=path, says=words):
                    if command:
                        self.assertIn(command, helps)
                    where = helps.get(command) or helps.get(own)
                    where = where or " ".join(helps.values()) + examples
                    for option in options:
                        self.assertRegex(where, r"(?<![\w-])%s(?![\w-])" % option)
                        count += 1
                    if view and view != "help":
                        self.assertIn(view, views)
        self.assertGreater(count, 50)

    def test_every_view_and_every_command_has_its_page(self):
        views = listed("report", "--view", "help")
        for view in views:
            with self.subTest(view=view):
                self.assertIn("--view " + view, text_of("docs/views/%s.md" % view))
        commands = re.findall(r"(?m)^  ([a-z]+) ", pit_case.run([pit_case.tool(), "--help"]).stdout)
        for command in set(commands) - {"diff"}:  # another name of compare
            with self.subTest(command=command):
                self.assertTrue(os.path.exists(os.path.join(ROOT, "docs", command + ".md")))

    def test_every_c_name_is_declared(self):
        declared = set(re.findall(r"\b(?:pit|PIT|PITWALL)_\w+",
                                  read_all("include", ".h") + read_all("src/format", ".h")
                                  + read_all("src/recorder", ".h") + read_all("tests/unit", ".h")))
        gone = set(re.findall(r"\b(?:pit|PIT)_\w+", "".join(
            re.findall(r"(?m)^\| (`[^|]*) \|", text_of("docs/migration/from-0.1.md")))))
        gone -= {"pit_status", "pit_run", "pit_counted", "pit_comparison"}  # a member of these changed
        self.assertEqual(gone & declared, set())
        self.assertGreater(len(gone), 10)
        declared |= gone
        self.each("name", self.spans(r"(?<![\w/.])((?:pit|PIT)_[a-z]\w*)(?!\w*[.…*])"),
                  lambda name: name in declared or any(n.startswith(name) for n in declared
                                                       if name.endswith("_")))

    def test_every_variable_of_the_environment_is_read_somewhere(self):
        read = read_all("src", ".c") + read_all("python", (".py", ".c")) + read_all("include", ".h")
        read += text_of("CMakeLists.txt") + read_all("cmake", ".cmake") + read_all("tests", ".py")
        self.each("variable", self.spans(r"(?<!-D)\b(PITWALL_[A-Z_]+)\b"),
                  lambda name: name in read)

    def test_every_python_name_is_there(self):
        names = [(path, name) for path, name in self.spans(r"^((?:@)?pitwall(?:\.\w+)+)")
                 if not re.search(r"\.(h|c|pc|so|a|json|py|yaml|html|log)$", name)
                 and not name.endswith(".Callback")]  # exists where its library is installed
        wanted = sorted({name.lstrip("@") for _, name in names})
        program = """
import importlib, json, sys
def there(name):
    parts, thing = name.split("."), None
    for i in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:i]))
        except ImportError:
            continue
        for part in parts[i:]:
            thing = getattr(thing, part, None)
        return thing is not None
    return False
print(json.dumps([name for name in json.load(sys.stdin) if not there(name)]))
"""
        list_file = os.path.join(self.folder(), "names.json")
        with open(list_file, "w", encoding="utf-8") as file:
            json.dump(wanted, file)
        with open(list_file, encoding="utf-8") as file:
            done = self.run_ok([py_case.PYTHON, "-c", program], env=py_case.environment(),
                               stdin=file)
        self.assertEqual(json.loads(done.stdout), [])
        self.assertGreater(len(wanted), 10)

    def test_the_reference_is_what_the_headers_say(self):
        self.run_ok([sys.executable, os.path.join(ROOT, "scripts", "api_reference.py"), "--check"])
        declared = set(re.findall(r"\bpit_[a-z]\w*(?=\()", re.sub(r"/\*.*?\*/", "",
                                  read_all("include", ".h"), flags=re.S)))
        headings = "".join(re.findall(r"(?m)^### .*$", read_all("docs", ".md")))
        self.assertGreater(len(declared), 150)
        self.assertEqual([name for name in sorted(declared) if "`%s`" % name not in headings], [])

    def test_every_measured_figure_is_one_of_the_benchmarks(self):
        short, all_of_them = (re.findall(r"(?m)^\|.*\| `([a-z0-9_]+)` \|$", text_of(path))
                              for path in ("README.md", "docs/bench.md"))
        measured = read_all("bench", (".c", ".py", ".sh"))
        self.assertGreater(len(short), 3)
        self.assertGreater(len(all_of_them), 15)
        for key in short + all_of_them:
            with self.subTest(key=key):
                self.assertIn(re.sub(r"_median$", "", key), measured)

    def test_the_headers_own_example_is_the_readmes(self):
        # The ten lines in the header are a comment and cannot be compiled; its calls must exist.
        for call in ("pit_open(NULL, NULL)", "PIT_SPAN(\"epoch\")", "pit_value(\"loss\"",
                     "pit_close()"):
            self.assertIn(call, text_of("include/pitwall.h"))
            self.assertIn(call, text_of("README.md"))


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
