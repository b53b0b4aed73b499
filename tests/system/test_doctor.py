"""`pitwall doctor`: its output for this machine, and for a machine that lacks something."""

import json
import os
import re
import shutil
import subprocess

import pit_case
from places import NOBODY, Case

# It gives a library ten seconds and an interpreter twenty: the machine may stop one for longer.
HELD_UP = re.compile(r"did not answer: Alarm clock|python3 ended with status 142")
AS_NOBODY = ["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups"]

FAKE_LIBRARY = """
int cuInit(unsigned flags) { %s return (int)flags; }
int cuDeviceGetCount(int *count) { *count = %d; return 0; }
"""


class DoctorCase(Case):
    def doctor(self, *arguments, before=(), env=None, tool=None, **options):
        options.setdefault("cwd", self.folder())
        for _ in range(5):
            done = self.run_ok([*before, tool or pit_case.tool(), "doctor", *arguments],
                               env=pit_case.clean_env(**(env or {})), **options)
            self.assertEqual(done.stderr, "")
            if not HELD_UP.search(" ".join(done.stdout.split())):
                break
        return done.stdout

    def checks(self, *arguments, **options):
        """Name -> check."""
        document = json.loads(self.doctor(*arguments, "--json", **options))
        return {check["name"]: check for check in document["checks"]}

    def need_root(self):
        self.need("setpriv")
        if os.geteuid() != 0:
            self.skipTest("changing the user needs root")


class Form(DoctorCase):
    def test_json_is_whole(self):
        document = json.loads(self.doctor("--json"))
        self.assertEqual(document["schema_version"], 1)
        counts = {"yes": 0, "limited": 0, "no": 0}
        names = []
        for check in document["checks"]:
            counts[check["state"]] += 1
            names.append(check["name"])
            self.assertEqual(set(check), {"name", "state", "recorded", "figure", "why", "remedy"})
            if check["state"] == "yes":
                self.assertTrue(check["figure"], check)
                self.assertIsNone(check["remedy"], check)
            else:
                self.assertTrue(check["why"] and check["remedy"], check)
        self.assertEqual(document["summary"], counts)
        self.assertEqual(len(names), len(set(names)))
        for name in ("clock", "memory", "peak memory", "memory limit", "run files", "live runs",
                     "shared memory", "perf events", "stack samples", "energy (RAPL)",
                     "GPU: CUDA", "GPU: NVML", "GPU: HIP", "GPU: ROCm SMI", "GPU: OpenCL", "Python",
                     "allocations", "functions", "MPI", "OpenMP", "processor wait",
                     "CPU throttling", "storage wait"):
            self.assertIn(name, names)

    def test_text_says_the_same(self):
        folder = self.folder()
        checks = self.checks(cwd=folder)
        text = self.doctor("--width", "80", cwd=folder)
        for name, check in checks.items():
            self.assertRegex(text, r"(?m)^%-9s%s " % (check["state"], re.escape(name)))
        counts = [sum(c["state"] == s for c in checks.values()) for s in ("yes", "limited", "no")]
        self.assertEqual(text.splitlines()[0], "%d of %d available, %d with limits, %d not available"
                         % (counts[0], len(checks), counts[1], counts[2]))

    def test_lines_keep_to_the_width(self):
        for width in (60, 80, 120):
            for line in self.doctor("--width", str(width)).splitlines():
                if len(line) > width:  # one word that contains no blank at which to break the line
                    self.assertEqual(len(line[26:].split()), 1, line)

    def test_nothing_is_left_behind(self):
        folder = self.folder()
        self.doctor(cwd=folder)
        self.doctor(".", cwd=folder)
        self.doctor("not/yet/there", cwd=folder)
        self.doctor(cwd=folder, env={"PITWALL_LIVE": "shm"})
        self.assertEqual(os.listdir(folder), [])

    def test_a_folder_with_a_percent_sign(self):
        folder = os.path.join(self.folder(), "100%p")
        os.mkdir(folder)
        self.assertEqual(self.checks(folder)["run files"]["state"], "yes")
        self.assertEqual(os.listdir(folder), [])


class Settings(DoctorCase):
    def test_the_clock_that_was_asked_for(self):
        check = self.checks(env={"PITWALL_CLOCK": "monotonic"})["clock"]
        self.assertEqual((check["state"], check["why"]), ("limited", "PITWALL_CLOCK is set"))
        self.assertIn("clock_gettime", check["figure"])

    def test_shared_memory_that_was_asked_for(self):
        checks = self.checks(env={"PITWALL_LIVE": "shm"})
        self.assertEqual(checks["run files"]["state"], "limited")
        self.assertIn("in shared memory", checks["run files"]["figure"])
        self.assertEqual(checks["live runs"]["state"], "yes")

    def test_recording_that_is_switched_off(self):
        checks = self.checks(env={"PITWALL": "0"})
        self.assertEqual(checks["recording"]["state"], "no")
        self.assertNotIn("clock", checks)

    def test_the_folder_of_the_environment(self):
        folder = self.folder()
        check = self.checks(env={"PITWALL_FILE": folder + "/%h/run.pit"})["run files"]
        self.assertTrue(check["figure"].startswith(folder + "/%h: "), check)


class Lacks(DoctorCase):
    def test_a_full_disk(self):
        at = self.tmpfs("1m")
        self.fill(at)
        check = self.checks(at)["run files"]
        self.assertEqual(check["state"], "no")
        self.assertIn("tmpfs", check["figure"])
        self.assertIn("No space left", check["why"])
        self.assertIn("make room", check["remedy"])
        self.assertEqual(os.listdir(at), ["filler"])

    def test_little_room(self):
        check = self.checks(self.tmpfs("8m"))["run files"]
        self.assertEqual(check["state"], "limited")
        self.assertRegex(check["figure"], r"tmpfs, mapped in place, 7\.\d+ MB free")

    def test_a_filesystem_that_does_not_keep_mappings(self):
        checks = self.checks(self.fuse())
        self.assertEqual(checks["run files"]["state"], "limited")
        self.assertIn("fuse", checks["run files"]["figure"])
        self.assertIn("pitwall recover", checks["run files"]["remedy"])

    def test_a_folder_of_another_user(self):
        self.need_root()
        folder = self.folder()
        os.chmod(folder, 0o755)
        checks = self.checks(before=AS_NOBODY, cwd=folder)
        self.assertEqual(checks["run files"]["state"], "no")
        self.assertIn("Permission denied", checks["run files"]["why"])
        self.assertIn("PITWALL_FILE", checks["run files"]["remedy"])
        self.assertEqual(checks["live runs"]["state"], "no")
        # Checks that need no rights work for every user.
        for name in ("clock", "memory", "peak memory"):
            self.assertNotEqual(checks[name]["state"], "no", checks[name])

    def test_a_proc_that_cannot_be_written(self):
        if os.geteuid() != 0:
            self.skipTest("a mount namespace needs root")
        shell = ["unshare", "--mount", "bash", "-c",
                 'mount -o remount,ro,bind /proc && exec "$@"', "bash"]
        checks = self.checks(before=shell)
        self.assertEqual(checks["peak memory"]["state"], "no")
        self.assertIn("clear_refs", checks["peak memory"]["why"])
        self.assertEqual(checks["memory"]["state"], "yes")

    def test_little_shared_memory(self):
        """A run that needs shared memory can then be kept in memory only."""
        if os.geteuid() != 0:
            self.skipTest("a mount namespace needs root")
        shell = ["unshare", "--mount", "bash", "-c",
                 'mount -t tmpfs -o size=16m tmpfs /dev/shm && exec "$@"', "bash"]
        checks = self.checks(before=shell, env={"PITWALL_LIVE": "shm"})
        self.assertEqual((checks["shared memory"]["state"], checks["shared memory"]["figure"]),
                         ("limited", "16.0 MB free in /dev/shm"))
        self.assertEqual(checks["run files"]["state"], "no")

    def test_a_tool_without_its_library(self):
        tool = shutil.copy(pit_case.tool(), os.path.join(self.folder(), "pitwall"))
        checks = self.checks(tool=tool)
        self.assertEqual((checks["allocations"]["state"], checks["functions"]["state"]),
                         ("no", "no"))
        self.assertIn("libpitwall-functions.so", checks["functions"]["why"])

    def test_a_limit_of_file_sizes(self):
        shell = ["bash", "-c", 'ulimit -f 8192; exec "$@"', "bash"]
        check = self.checks(before=shell)["file size"]
        self.assertEqual((check["state"], check["figure"]), ("limited", "limit 8.00 MB"))


class Libraries(DoctorCase):
    def fake(self, devices, first=""):
        folder = self.folder()
        source = os.path.join(folder, "fake.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(FAKE_LIBRARY % (first, devices))
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", os.path.join(folder, "libcuda.so.1"),
                        source], check=True)
        return self.checks(env={"LD_LIBRARY_PATH": folder})["GPU: CUDA"]

    def test_devices_are_counted(self):
        check = self.fake(2)
        self.assertEqual((check["state"], check["figure"]), ("yes", "2 devices"))
        self.assertFalse(check["recorded"])

    def test_a_library_without_a_device(self):
        check = self.fake(0)
        self.assertEqual(check["state"], "limited")
        self.assertIn("finds no device", check["why"])

    def test_a_library_that_fails(self):
        check = self.fake(2, "return 100;")
        self.assertEqual(check["state"], "limited")
        self.assertIn("100", check["why"])

    def test_a_library_that_crashes(self):
        check = self.fake(2, "__builtin_trap();")
        self.assertEqual(check["state"], "no")
        self.assertIn("did not answer", check["why"])

    # An interpreter without the sanitizer does not load an extension that has it.
    if not pit_case.sanitizer():
        def test_the_python_package(self):
            built = os.path.join(pit_case.build_dir(), "python")
            check = self.checks(env={"PYTHONPATH": built})["Python"]
            self.assertEqual(check["state"], "yes", check)
            self.assertIn(built, check["figure"])

    def test_the_tool_of_a_wheel_asks_the_interpreter_of_its_environment(self):
        folder = self.folder()
        package = os.path.join(folder, "lib", "python3.99", "site-packages", "pitwall")
        for name in ("auto", "bin"):
            os.makedirs(os.path.join(package, name))
        os.mkdir(os.path.join(folder, "bin"))
        tool = shutil.copy(pit_case.tool(), os.path.join(package, "bin", "pitwall"))
        python = os.path.join(folder, "bin", "python3")
        with open(python, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho 3.99 made up\n")
        os.chmod(python, 0o755)
        libraries = os.path.join(pit_case.build_dir(), "lib")
        check = self.checks(tool=tool, env={"LD_LIBRARY_PATH": libraries})["Python"]
        self.assertEqual((check["state"], check["figure"]), ("yes", "package for Python 3.99 made up"))

    def test_a_python_package_that_does_not_load(self):
        folder = self.folder()
        with open(os.path.join(folder, "pitwall.py"), "w", encoding="ascii") as file:
            file.write("raise ImportError('no such extension here')\n")
        check = self.checks(env={"PYTHONPATH": folder})["Python"]
        self.assertEqual((check["state"], check["why"]),
                         ("no", "ImportError: no such extension here"))


if __name__ == "__main__":
    pit_case.main(has_threads=False)
