"""Checks the rules of the source tree: includes, file sizes, exported symbols.

The table below is the one in ARCHITECTURE.md. A layer may include its own files, the layers and public
headers listed for it, and libc.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "system"))
import pit_case  # noqa: E402
import run  # noqa: E402

PUBLIC = {"include/pitwall.h", "include/pitwall_report.h", "include/pitwall_bench.h",
          "include/pitwall_fields.h", "include/pitwall_ranks.h"}

LAYERS = {
    "include/pitwall.h": set(),
    "include/pitwall_report.h": {"include/pitwall.h"},
    "include/pitwall_bench.h": {"include/pitwall.h", "include/pitwall_report.h"},
    "include/pitwall_fields.h": {"include/pitwall.h", "include/pitwall_report.h"},
    "include/pitwall_ranks.h": {"include/pitwall.h", "include/pitwall_report.h"},
    "src/base": set(),
    "src/format": set(),
    "src/device": {"src/base", "src/format"},
    "src/recorder": {"src/base", "src/format", "src/device", "include/pitwall.h"},
    "src/alloc": {"src/format"},
    "src/preload": {"src/base", "include/pitwall.h"},
    "src/functions": {"src/base", "src/preload", "include/pitwall.h"},
    "src/mpi": {"src/preload", "include/pitwall.h"},
    "src/openmp": {"src/preload", "include/pitwall.h"},
    "src/opencl": {"src/base", "include/pitwall.h"},
    "src/reader": {"src/base", "src/format"} | PUBLIC,
    "src/analysis": set(),
    "src/report": {"src/base"},
    "src/model": {"src/base", "src/analysis", "src/reader", "src/report"} | PUBLIC,
    "src/compare": {"src/base", "src/model", "src/analysis", "src/reader", "src/report"} | PUBLIC,
    "src/logs": {"src/base", "src/analysis", "src/report"} | PUBLIC,
    "src/views": {"src/base", "src/model", "src/compare", "src/logs", "src/analysis",
                  "src/reader", "src/report"} | PUBLIC,
    "src/assets": set(),
    "src/exports": {"src/base", "src/model", "src/compare", "src/views", "src/report",
                    "src/assets"} | PUBLIC,
    "src/monitor": {"src/base", "src/model", "src/compare", "src/logs", "src/views", "src/exports",
                    "src/assets", "src/analysis", "src/reader", "src/report"} | PUBLIC,
    "src/cli": {"src/base", "src/model", "src/compare", "src/logs", "src/views", "src/exports",
                "src/assets", "src/analysis", "src/reader", "src/report"} | PUBLIC,
    "python": PUBLIC,
    "examples": PUBLIC,
}

# Analysis does no I/O and prints nothing; libraries beyond libc are for the tool alone.
NO_IO = {"stdio.h", "unistd.h", "fcntl.h", "sys/mman.h", "sys/stat.h", "wchar.h"}
THIRD_PARTY = {"jansson.h", "yaml.h", "microhttpd.h", "ncurses.h", "curses.h", "sqlite3.h",
               "libpq-fe.h", "zstd.h", "zlib.h"}

LIBC = re.compile(r"^(lib(c|m|pthread)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+)$")

# A header in include/ is a manual, of which users read parts.
MAX_LINES = {"src/": 500, "include/": 1000, "": 800}
MAX_FUNCTION = 60  # one screen, from the function's name to its closing brace
SEARCH = ("src", "include")
SKIPPED_FOLDERS = {".git", "build", "__pycache__", "pitwall-runs"}
SAME_NAME_ALLOWED = {"README.md", "CMakeLists.txt", "__init__.py"}


def tree_files():
    """All files of the tree, as paths from its top."""
    top = pit_case.source_dir()
    found = []
    for folder, folders, files in os.walk(top):
        folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith("build-")]
        found += [os.path.relpath(os.path.join(folder, f), top) for f in files]
    return sorted(found)


def text_of(path):
    with open(os.path.join(pit_case.source_dir(), path), encoding="utf-8") as file:
        return file.read()


def layer_of(path):
    """The key of LAYERS that a file belongs to, or None."""
    for key in LAYERS:
        if path == key or path.startswith(key + "/"):
            return key
    return None


def includes_of(path, opener='"'):
    """The names a C file includes, as "name" or, with opener '<', as <name>."""
    closer = {'"': '"', "<": ">"}[opener]
    return re.findall(r"^[ \t]*#[ \t]*include[ \t]+%s([^%s\n]+)%s" % (opener, closer, closer),
                      text_of(path), re.M)


def resolve(path, name):
    """The file of the tree that an include line means, or None."""
    for base in (os.path.dirname(path),) + SEARCH:
        candidate = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(pit_case.source_dir(), candidate)):
            return candidate
    return None


def may_include(path, target):
    own, other = layer_of(path), layer_of(target)
    if own == other:
        return True
    return target in LAYERS[own] or other in LAYERS[own]


def functions_of(path):
    """(name, lines) of each function of a C file that is laid out as clang-format does it: the body
    begins and ends with a brace in the first column."""
    lines, start = text_of(path).split("\n"), None
    for at, line in enumerate(lines):
        if line == "{":
            start = at - 1
            while lines[start].startswith((" ", "\t")):
                start -= 1
        elif line == "}" and start is not None:
            name = re.search(r"(\w+)\(", " ".join(lines[start:at]))
            yield name.group(1) if name else lines[start], at - start + 1
            start = None


C_FILES = [p for p in tree_files() if p.endswith((".c", ".h"))]


class Layers(pit_case.Case):
    def test_every_source_file_belongs_to_a_layer(self):
        lost = [p for p in C_FILES if p.startswith(("src/", "include/")) and not layer_of(p)]
        self.assertEqual(lost, [])
        self.assertTrue([p for p in C_FILES if layer_of(p) == "src/recorder"])

    def test_every_include_is_allowed_by_the_table(self):
        wrong = []
        for path in C_FILES:
            if not layer_of(path):
                continue
            for name in includes_of(path):
                target = resolve(path, name)
                if not target:
                    wrong.append("%s: %s is nowhere in the tree" % (path, name))
                elif not may_include(path, target):
                    wrong.append("%s may not include %s" % (path, target))
        self.assertEqual(wrong, [])

    def test_public_headers_in_angle_brackets_obey_the_table_too(self):
        wrong = []
        for path in C_FILES:
            for name in includes_of(path, "<"):
                target = "include/" + name
                if target in PUBLIC and layer_of(path) and not may_include(path, target):
                    wrong.append("%s may not include %s" % (path, target))
        self.assertEqual(wrong, [])

    def test_analysis_and_format_do_no_io(self):
        wrong = ["%s includes <%s>" % (p, n) for p in C_FILES
                 if layer_of(p) in ("src/analysis", "src/format")
                 for n in includes_of(p, "<") if n in NO_IO]
        self.assertEqual(wrong, [])

    def test_other_libraries_are_used_by_the_tool_alone(self):
        wrong = ["%s includes <%s>" % (p, n) for p in C_FILES
                 if p.startswith(("src/", "include/")) and layer_of(p) != "src/cli"
                 for n in includes_of(p, "<") if n in THIRD_PARTY]
        self.assertEqual(wrong, [])


class Files(pit_case.Case):
    def test_no_file_is_longer_than_a_reader_can_bear(self):
        long = []
        for path in tree_files():
            if path.endswith((".c", ".h", ".py", ".sh", ".cmake")):
                lines = text_of(path).count("\n")
                most = next(n for folder, n in MAX_LINES.items() if path.startswith(folder))
                if lines > most:
                    long.append("%s has %d lines, over %d" % (path, lines, most))
        self.assertEqual(long, [])

    def test_no_function_is_longer_than_a_screen(self):
        long, count = [], 0
        for path in C_FILES:
            for name, lines in functions_of(path) if path.startswith("src/") else ():
                count += 1
                if lines > MAX_FUNCTION:
                    long.append("%s: %s has %d lines" % (path, name, lines))
        self.assertEqual(long, [])
        self.assertGreater(count, 1500)

    def test_nothing_is_left_for_later(self):
        word = re.compile(r"\b(TODO|FIXME|XXX)\b")
        found = ["%s:%d: %s" % (p, n, line.strip())
                 for p in tree_files() if p.startswith(("src/", "include/"))
                 for n, line in enumerate(text_of(p).splitlines(), 1) if word.search(line)]
        self.assertEqual(found, [])

    def test_source_file_names_are_unique_in_the_tree(self):
        seen, twice = {}, []
        for path in tree_files():
            name = os.path.basename(path)
            if not name.endswith((".c", ".h", ".py", ".md")) or name in SAME_NAME_ALLOWED:
                continue
            if path.startswith(os.path.join("docs", "views", "")):  # named like their view
                continue
            if name in seen:
                twice.append("%s and %s" % (seen[name], path))
            seen[name] = path
        self.assertEqual(twice, [])

    def test_every_source_file_opens_with_its_purpose(self):
        mute = [p for p in C_FILES if not text_of(p).lstrip().startswith("/*")]
        self.assertEqual(mute, [])


class Threads(pit_case.Case):
    def test_unit_tests_not_run_under_the_thread_sanitizer_start_no_thread(self):
        """A program that cannot call pthread_create has nothing that this sanitizer could find."""
        left_out = list(run.without_threads())
        self.assertTrue(left_out)
        for name in left_out:
            done = self.run_ok(["nm", "--undefined-only", pit_case.program(name)])
            self.assertNotIn("pthread_create", done.stdout, name)


class Symbols(pit_case.Case):
    def names(self, library, *options):
        lines = self.run_ok(["nm", "--defined-only", "-g", *options, library]).stdout.splitlines()
        return {parts[2] for parts in (line.split() for line in lines) if len(parts) == 3}

    def declared(self):
        """The functions and variables that the public headers declare with PIT_API."""
        text = "".join(re.sub(r"/\*.*?\*/", "", text_of(p), flags=re.S) for p in sorted(PUBLIC))
        declarations = re.findall(r"^PIT_API\b([^;]*);", text, re.M)
        # The name precedes the parameters, or comes last.
        return {re.search(r"(\w+)\s*(\(|$)", d.strip()).group(1) for d in declarations}

    def test_the_shared_library_exports_what_the_headers_declare_and_nothing_else(self):
        exported = self.names(pit_case.library("so"), "-D")
        self.assertTrue(exported)
        self.assertEqual(sorted(exported - self.declared()), [])
        self.assertEqual(sorted(self.declared() - exported), [])

    def test_global_names_of_the_static_library_carry_the_prefix(self):
        wrong = [n for n in self.names(pit_case.library("a")) if not n.startswith("pit_")]
        self.assertEqual(sorted(wrong), [])

    def test_global_names_that_are_not_public_have_two_underscores(self):
        private = self.names(pit_case.library("a")) - self.declared()
        self.assertEqual(sorted(n for n in private if not n.startswith("pit__")), [])

    def test_the_library_needs_libc_libm_and_pthreads_alone(self):
        text = self.run_ok(["readelf", "-dW", pit_case.library("so")]).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
        self.assertTrue(needed)
        self.assertEqual([n for n in needed if not LIBC.match(n)], [])

    def test_the_library_stays_loaded_and_has_its_version(self):
        text = self.run_ok(["readelf", "-dW", pit_case.library("so")]).stdout
        self.assertRegex(text, r"\(FLAGS_1\).*NODELETE")
        self.assertIn("soname: [libpitwall.so.0]", text)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
