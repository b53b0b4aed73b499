"""The public headers compile alone in every language they promise, and a program links with them."""

import os

import pit_case

HEADERS = ("pitwall.h", "pitwall_report.h", "pitwall_bench.h", "pitwall_fields.h",
           "pitwall_ranks.h")
COMPILERS = (
    ("gcc", "c11"),
    ("gcc", "c17"),
    ("clang", "c11"),
    ("clang", "c17"),
    ("g++", "c++11"),
    ("g++", "c++17"),
    ("clang++", "c++11"),
    ("clang++", "c++17"),
)
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
INCLUDE = "-I" + os.path.join(pit_case.source_dir(), "include")

PROGRAM = r"""
#include <pitwall.h>
#include <pitwall_report.h>

static int leave_early(void)
{
    PIT_SPAN("outer") {
        PIT_SPAN("inner") { return 7; }
    }
    return 0;
}

int main(void)
{
    pit_options options = pit_options();
    options.in_memory = 1;
    options.sample_hz = -1;
    if (pit_open(NULL, &options) != 0)
        return 1;
    for (int i = 0; i < 3; i++)
        if (leave_early() != 7)
            return 2;
    pit_run *run = pit_run_read(NULL, NULL);
    if (!run)
        return 3;
    pit_tree *tree = pit_tree_build((const pit_run *const *)&run, 1);
    if (!tree)
        return 4;
    for (size_t i = 0; i < tree->node_count; i++)
        printf("%s %d\n", tree->nodes[i].path, (int)tree->nodes[i].count);
    pit_tree_free(tree);
    pit_run_free(run);
    return pit_close();
}
"""
EXPECTED = ["outer 3", "outer/inner 3"]


def language_flags(compiler, standard):
    return ["-std=" + standard, "-x", "c++" if compiler.endswith("++") else "c"]


class Headers(pit_case.Case):
    def test_each_header_compiles_alone(self):
        for header in HEADERS:
            for compiler, standard in COMPILERS:
                with self.subTest(header=header, compiler=compiler, standard=standard):
                    source = os.path.join(self.folder(), "alone.src")
                    with open(source, "w", encoding="utf-8") as file:
                        file.write("#include <%s>\n" % header)
                    self.run_ok([compiler, *language_flags(compiler, standard), *STRICT, INCLUDE,
                                 "-fsyntax-only", source])

    def test_including_both_twice_and_in_either_order_is_fine(self):
        source = os.path.join(self.folder(), "twice.c")
        with open(source, "w", encoding="utf-8") as file:
            for header in HEADERS[::-1] + HEADERS:
                file.write("#include <%s>\n" % header)
        self.run_ok(["gcc", "-std=c11", *STRICT, INCLUDE, "-fsyntax-only", source])


class Programs(pit_case.Case):
    def compile_and_run(self, compiler, standard, link, env=None):
        folder = self.folder()
        source, program = os.path.join(folder, "user.src"), os.path.join(folder, "user")
        text = PROGRAM
        if not compiler.endswith("++"):
            text = text.replace("= pit_options();", "= {0};")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        flags = [*language_flags(compiler, standard), *STRICT, "-O2", INCLUDE]
        self.run_ok([compiler, *flags, source, "-x", "none", *link, "-o", program])
        done = self.run_ok([program], cwd=folder, env=env)
        self.assertEqual(sorted(done.stdout.split("\n")[:-1]), EXPECTED)

    def test_a_program_links_with_the_shared_library_alone(self):
        folder = os.path.dirname(pit_case.library())
        for compiler, standard in COMPILERS:
            with self.subTest(compiler=compiler, standard=standard):
                self.compile_and_run(compiler, standard, ["-L" + folder, "-lpitwall"],
                                     env=pit_case.clean_env(LD_LIBRARY_PATH=folder))

    def test_a_program_links_with_the_static_library(self):
        for compiler, standard in COMPILERS:
            with self.subTest(compiler=compiler, standard=standard):
                self.compile_and_run(compiler, standard,
                                     [pit_case.library("a"), "-lpthread", "-lm"])


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
