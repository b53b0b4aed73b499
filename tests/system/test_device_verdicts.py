"""Verdicts on devices, from a program to the text of the report. The device is a stand-in that reports its
work by pit_add_span (tests/system/gpu/stub_device.c): each verdict appears where it was planted, in text, JSON and
Python, and nowhere else."""

import json
import os

import pit_case

SOURCE = os.path.join(pit_case.source_dir(), "tests", "system", "gpu", "stub_device.c")
RULES = {"gpu_idle", "launch_bound", "sync_bound", "device_memory"}
WORDS = {
    "idle": ("gpu_idle", r"GPU-IDLE: the device had nothing to do for \d+(\.\d)? % of step; "
             r"data_loading alone takes \d+(\.\d)? %"),
    "launch": ("launch_bound", r"LAUNCH-BOUND: forward spends \S+ [mµ]?s on each launch, for "
               r"\S+ [mµn]?s of device work"),
    "sync": ("sync_bound", r"SYNC-BOUND: the host waits for the device \d+(\.\d)? % of the time, most "
             r"of it in clFinish"),
}


class Verdicts(pit_case.Case):
    def recorded(self, how):
        """The folder with run.pit, and the rules that were found."""
        folder = self.folder()
        lib = os.path.dirname(pit_case.library())
        program = os.path.join(folder, "stub_device")
        self.run_ok(["gcc", "-O1", "-I", os.path.join(pit_case.source_dir(), "include"), SOURCE,
                     "-o", program, "-L" + lib, "-lpitwall", "-Wl,-rpath," + lib])
        self.run_ok([program, how], cwd=folder, env=pit_case.clean_env())
        shown = self.run_ok([pit_case.tool(), "report", "--json", "run.pit"], cwd=folder).stdout
        findings = json.loads(shown)["advice"]["findings"]
        return folder, {found["rule"]: found["headline"] for found in findings}

    def check(self, how):
        rule, words = WORDS[how]
        folder, found = self.recorded(how)
        self.assertRegex(found[rule], words)
        self.assertEqual(set(found) & RULES, {rule})
        text = self.run_ok([pit_case.tool(), "report", "--view", "bottlenecks", "run.pit"],
                           cwd=folder).stdout
        self.assertRegex(" ".join(text.split()), words)
        code = "import pitwall; print(pitwall.report('run.pit', view='bottlenecks'))"
        env = pit_case.clean_env(PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        text = self.run_ok(["/usr/bin/python3", "-c", code], cwd=folder, env=env).stdout
        self.assertRegex(" ".join(text.split()), words)

    def test_idle(self):
        self.check("idle")

    def test_launch(self):
        self.check("launch")

    def test_sync(self):
        self.check("sync")

    def test_a_device_that_works_is_left_alone(self):
        self.assertEqual(set(self.recorded("healthy")[1]) & RULES, set())


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
