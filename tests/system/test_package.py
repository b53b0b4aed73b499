"""An installed Pitwall is found by pkg-config and CMake, and its source tree by FetchContent."""

import os
import re
import shlex
import stat

import pit_case

PROGRAM = r"""
#include <pitwall.h>
#include <pitwall_report.h>

int main(void)
{
    pit_options options = {0};
    options.in_memory = 1;
    options.sample_hz = -1;
    if (pit_open(NULL, &options) != 0)
        return 1;
    PIT_SPAN("work") { pit_items(1); }
    pit_run *run = pit_run_read(NULL, NULL);
    if (!run || pit_report_print(stdout, (const pit_run *const *)&run, 1, NULL) != 0)
        return 2;
    pit_run_free(run);
    return pit_close();
}
"""

FIND_PACKAGE = """
cmake_minimum_required(VERSION 3.18)
project(user C)
@FIND_PACKAGE@
add_executable(with_shared user.c)
target_link_libraries(with_shared PRIVATE pitwall::pitwall)
add_executable(with_static user.c)
target_link_libraries(with_static PRIVATE pitwall::pitwall_static)
"""

FETCH_CONTENT = """
cmake_minimum_required(VERSION 3.18)
project(user C)
include(FetchContent)
FetchContent_Declare(pitwall SOURCE_DIR "%s")
FetchContent_MakeAvailable(pitwall)
add_executable(with_shared user.c)
target_link_libraries(with_shared PRIVATE pitwall::pitwall)
add_executable(with_static user.c)
target_link_libraries(with_static PRIVATE pitwall::pitwall_static)
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Package(pit_case.Case):
    def install(self, prefix, destdir=None):
        env = pit_case.clean_env(DESTDIR=destdir)
        self.run_ok(["cmake", "--install", pit_case.build_dir(), "--prefix", prefix], env=env)

    def assert_works(self, program, env=None):
        folder = self.folder()
        done = self.run_ok([program], cwd=folder, env=env)
        self.assertIn("work", done.stdout)
        self.assertEqual(os.listdir(folder), [])

    def build_project(self, text, *options):
        """A CMake project of two programs, built; the folder of its build."""
        folder = self.folder()
        build = os.path.join(folder, "build")
        write(os.path.join(folder, "CMakeLists.txt"), text)
        write(os.path.join(folder, "user.c"), PROGRAM)
        self.run_ok(["cmake", "-S", folder, "-B", build, *options])
        self.run_ok(["cmake", "--build", build, "-j2"], timeout=300)
        return build

    def test_install_puts_every_file_below_destdir_and_prefix(self):
        destdir = self.folder()
        self.install("/opt/pitwall", destdir)
        top = os.path.join(destdir, "opt/pitwall")
        self.assertEqual(os.listdir(destdir), ["opt"])
        for path in ("include/pitwall.h", "include/pitwall_report.h",
                     "include/pitwall_bench.h", "include/pitwall_fields.h", "include/pitwall_ranks.h", "lib/libpitwall.a",
                     "lib/libpitwall.so", "lib/libpitwall.so.0", "lib/pkgconfig/pitwall.pc",
                     "lib/cmake/pitwall/pitwall-config.cmake", "share/doc/pitwall/LICENSE"):
            self.assertTrue(os.path.isfile(os.path.join(top, path)), path)
        mode = os.stat(os.path.join(top, "bin/pitwall")).st_mode
        self.assertTrue(mode & stat.S_IXUSR)

    def test_the_installed_tool_runs(self):
        prefix = self.folder()
        self.install(prefix)
        done = self.run_ok([os.path.join(prefix, "bin/pitwall"), "--version"])
        self.assertIn(pit_case.version(), done.stdout)

    def test_the_installed_tool_says_how_to_compile_against_it(self):
        prefix = os.path.join(self.folder(), "with a blank")
        for tool in (self.installed_tool(prefix), pit_case.tool()):
            with self.subTest(tool):
                flags = self.run_ok([tool, "--cflags", "--libs"]).stdout
                both = [self.run_ok([tool, one]).stdout.strip() for one in ("--cflags", "--libs")]
                self.assertEqual(flags.strip(), " ".join(both))
                source = os.path.join(self.folder(), "user.c")
                write(source, PROGRAM)
                self.run_ok(["gcc", "-std=c11", source, *shlex.split(flags), "-o", source + ".x"])
                self.assert_works(source + ".x", env=pit_case.clean_env(LD_LIBRARY_PATH=None))
        os.remove(os.path.join(prefix, "include", "pitwall.h"))
        done = self.run_status(69, [os.path.join(prefix, "bin", "pitwall"), "--cflags"])
        self.assertRegex(done.stderr, "^pitwall: pitwall.h: .*: not installed with this tool")
        done = self.run_status(64, [pit_case.tool(), "--cflags", "--lib"])
        self.assertRegex(done.stderr, "^pitwall: unexpected argument: --lib: only --cflags and --libs")

    def installed_tool(self, prefix):
        self.install(prefix)
        return os.path.join(prefix, "bin", "pitwall")

    def test_pkg_config_finds_a_tree_below_destdir(self):
        destdir = self.folder()
        self.install("/usr/local", destdir)
        lib = os.path.join(destdir, "usr/local/lib")
        env = pit_case.clean_env(PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"))
        source = os.path.join(self.folder(), "user.c")
        write(source, PROGRAM)
        for kind in ((), ("--static",)):
            with self.subTest(kind=kind):
                flags = self.run_ok(["pkg-config", *kind, "--cflags", "--libs", "pitwall"], env=env)
                self.run_ok(["gcc", "-std=c11", source, *flags.stdout.split(), "-o", source + ".x"])
                self.assert_works(source + ".x", env=pit_case.clean_env(LD_LIBRARY_PATH=lib))
        version = self.run_ok(["pkg-config", "--modversion", "pitwall"], env=env)
        self.assertEqual(version.stdout, pit_case.version() + "\n")

    def test_find_package_gives_both_libraries(self):
        prefix = self.folder()
        self.install(prefix)
        with open(os.path.join(pit_case.source_dir(), "docs", "install.md"), encoding="utf-8") as file:
            line = re.search(r"(?m)^find_package\(.*?\)", file.read()).group()  # as users copy it
        project = FIND_PACKAGE.replace("@FIND_PACKAGE@", line)
        build = self.build_project(project, "-DCMAKE_PREFIX_PATH=" + prefix)
        self.assert_works(os.path.join(build, "with_shared"))
        self.assert_works(os.path.join(build, "with_static"))

    def test_fetch_content_builds_the_library_alone(self):
        # It compiles the same sources as the build under test: the objects are taken from there.
        objects = "" if os.environ.get("PITWALL_TEST_ALL") == "1" else pit_case.build_dir()
        build = self.build_project(FETCH_CONTENT % pit_case.source_dir(),
                                   "-DPITWALL_OBJECTS_FROM=" + objects)
        self.assert_works(os.path.join(build, "with_shared"))
        self.assert_works(os.path.join(build, "with_static"))
        built = {name for _, _, files in os.walk(build) for name in files}
        self.assertIn("libpitwall.a", built)
        self.assertNotIn("pitwall", built)
        self.assertFalse([n for n in built if n.startswith(("test_", "bench_", "prog_"))])


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
