"""The advice on real runs of a known cause: the right rule first, and no wrong one."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import pit_case

# What prog_advice does, and the one rule that holds of it.
CAUSES = {
    "slow_loader": "input_bound",
    "forward_heavy": "forward_bound",
    "backward_heavy": "backward_bound",
    "slow_first_batch": "first_batch",
    "high_variance": "high_variance",
    "drift": "drift",
    "periodic_stall": "periodic_stall",
    "leak": "leak",
    "cache": "cache",
    "nothing_wrong": None,
    "too_little": None,
    "one_stage": "bottleneck",
}


class AdviceCase(pit_case.Case):
    paths = {}

    @classmethod
    def setUpClass(cls):
        """All causes at once: they sleep for most of the time."""
        if cls.paths:
            return
        folder = tempfile.mkdtemp(prefix="pitwall-test-")
        unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
        running = {}
        for cause in CAUSES:
            cls.paths[cause] = os.path.join(folder, cause + ".pit")
            command = [pit_case.program("prog_advice"), cls.paths[cause], cause]
            running[cause] = subprocess.Popen(command, env=pit_case.clean_env())
        for cause, process in running.items():
            status = process.wait(timeout=60 * pit_case.slowness())
            if status != 0:
                raise RuntimeError("prog_advice %s: status %d" % (cause, status))

    def recorded(self, cause):
        return self.paths[cause]

    def report(self, path, *options):
        return self.run_ok([pit_case.tool(), "report", path, *options]).stdout

    def advice(self, path):
        return json.loads(self.report(path, "--json"))["advice"]

    def check(self, cause):
        path = self.recorded(cause)
        advice = self.advice(path)
        rules = [finding["rule"] for finding in advice["findings"]]
        self.assertEqual(rules, [CAUSES[cause]] if CAUSES[cause] else [], advice)
        for finding in advice["findings"]:
            self.assertTrue(finding["evidence"] and finding["remedy"], finding)
        return path, advice


class Advice(AdviceCase):
    """What is said of a run."""

    def test_slow_loader(self):
        path, advice = self.check("slow_loader")
        self.assertRegex(self.report(path).splitlines()[0],
                         r"^INPUT-BOUND: data_loading is [56]\d % of the batch; try more loader"
                         r" workers, pinned memory, prefetching\.$")
        self.assertIn("took the most", self.report(path).splitlines()[1])
        self.assertEqual(advice["findings"][0]["path"], "batch/data_loading")
        self.assertIn("CPU", advice["findings"][0]["evidence"])

    def test_forward_heavy(self):
        self.check("forward_heavy")

    def test_backward_heavy(self):
        self.check("backward_heavy")

    def test_slow_first_batch(self):
        self.check("slow_first_batch")

    def test_high_variance(self):
        path, _ = self.check("high_variance")
        self.assertRegex(self.report(path, "--view", "bottlenecks").splitlines()[0],
                         r"^(⚠️  )?High variance \(\d+\.\dx\) - investigate outliers!$")

    def test_drift(self):
        self.check("drift")

    def test_periodic_stall(self):
        _, advice = self.check("periodic_stall")
        self.assertIn("every 5 passages of batch", advice["findings"][0]["headline"])

    def test_leak(self):
        self.check("leak")

    def test_cache(self):
        path, advice = self.check("cache")
        self.assertEqual(advice["findings"][0]["severity"], 0)
        self.assertNotIn("CACHE", self.report(path).splitlines()[0])

    def test_nothing_wrong(self):
        path, advice = self.check("nothing_wrong")
        self.assertFalse(advice["too_little"])
        self.assertEqual(self.report(path, "--view", "bottlenecks"), "nothing stands out\n")

    def test_too_little(self):
        path, advice = self.check("too_little")
        self.assertEqual(advice["reason"],
                         "too little data: batch was passed 2 times, 5 are needed at least")
        self.assertEqual(self.report(path, "--view", "bottlenecks"), advice["reason"] + "\n")

    def test_one_stage(self):
        path, advice = self.check("one_stage")
        self.assertIn("BOTTLENECK: solve", advice["findings"][0]["headline"])
        self.assertTrue(self.report(path).startswith("solve took the most"))


class Views(AdviceCase):
    """The views of a course over a real run."""

    def test_warmup(self):
        path = self.recorded("slow_first_batch")
        lines = self.report(path, "--view", "warmup").splitlines()
        self.assertEqual(lines[0], "batch - Warmup Analysis:")
        self.assertRegex(lines[2], r"^  First epoch: {11}\d+\.\d{3}s$")
        self.assertGreaterEqual(float(lines[2].split()[-1][:-1]), 0.5)
        self.assertRegex(lines[6], r"^  course of 31 passages: (warm-up|disturbed); warm-up ends")

    def test_profile(self):
        path = self.recorded("periodic_stall")
        text = self.report(path, "--view", "profile")
        self.assertIn("a slow one every 5", text)
        self.assertIn("\nbatch/forward\n", text)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
