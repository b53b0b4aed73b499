"""The advice on real runs with a known cause: the right rule comes first, and no rule is wrong."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import pit_case

# The cases of prog_advice, and the rules that apply to each.
CAUSES = {
    "slow_loader": ["input_waiting"],
    "forward_heavy": ["nothing"],
    "backward_heavy": ["nothing"],
    "slow_first_batch": ["first_step"],
    "high_variance": ["high_variance"],
    "drift": ["drift"],
    "periodic_stall": ["periodic_stall"],
    "leak": ["leak"],
    "cache": ["nothing", "cache"],
    "nothing_wrong": ["nothing"],
    "too_little": [],
    "one_stage": ["compute"],
}
# Those that need the sampler. The others run without it: otherwise the times in which the kernel took the
# processor from them would explain the durations of their batches.
SAMPLED = {"slow_loader", "leak", "cache"}


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
            env = {} if cause in SAMPLED else {"PITWALL_SAMPLE": "-1"}
            running[cause] = subprocess.Popen(command, env=pit_case.clean_env(**env))
        for cause, process in running.items():
            status = process.wait(timeout=300 * pit_case.slowness())
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
        self.assertEqual(rules, CAUSES[cause], advice)
        for finding in advice["findings"]:
            self.assertTrue(finding["evidence"], finding)
            self.assertTrue(finding["remedy"] or finding["severity"] == 0, finding)
        return path, advice


class Advice(AdviceCase):
    """The advice about a run."""

    def test_slow_loader(self):
        path, advice = self.check("slow_loader")
        self.assertRegex(self.report(path).splitlines()[0],
                         r"^INPUT-BOUND: data_loading is [56]\d % of the batch, waiting, not"
                         r" computing; at most [56]\d % shorter without it; read ahead in (another"
                         r" thread while the program works on what it has|several threads at once, so that"
                         r" they wait at the same time)\.$")
        self.assertIn("took the most", self.report(path).splitlines()[1])
        self.assertEqual(advice["findings"][-1]["path"], "batch/data_loading")
        self.assertIn("CPU", advice["findings"][-1]["evidence"])
        self.assertGreater(advice["findings"][-1]["savings_ns"], 0.5e9)

    def test_forward_heavy(self):
        self.check("forward_heavy")

    def test_backward_heavy(self):
        self.check("backward_heavy")

    def test_slow_first_batch(self):
        self.check("slow_first_batch")

    def test_high_variance(self):
        path, _ = self.check("high_variance")
        self.assertRegex(self.report(path, "--view", "bottlenecks").splitlines()[0],
                         r"^HIGH VARIANCE: the slowest batch takes \d+\.\dx the fastest$")

    def test_drift(self):
        self.check("drift")

    def test_periodic_stall(self):
        _, advice = self.check("periodic_stall")
        self.assertIn("one batch in 5 takes", advice["findings"][0]["headline"])

    def test_leak(self):
        self.check("leak")

    def test_cache(self):
        path, advice = self.check("cache")
        self.assertEqual(advice["findings"][-1]["severity"], 0)
        self.assertNotIn("CACHE", self.report(path).splitlines()[0])

    def test_nothing_wrong(self):
        path, advice = self.check("nothing_wrong")
        self.assertFalse(advice["too_little_data"])
        self.assertRegex(self.report(path).splitlines()[0],
                         r"^NOTHING STANDS OUT: (forward|backward) 36 %, (forward|backward) 36 %, ")

    def test_too_little(self):
        path, advice = self.check("too_little")
        self.assertEqual(advice["reason"],
                         "too little data: batch ran 2 times, at least 5 are needed")
        self.assertEqual(self.report(path, "--view", "bottlenecks"), advice["reason"] + "\n")

    def test_one_stage(self):
        path, advice = self.check("one_stage")
        self.assertEqual(advice["findings"][0]["headline"], "COMPUTE: solve is 91 % of the total")
        self.assertRegex(self.report(path), "^solve took the most|^COMPUTE: solve is 91 % of the total, most")


class Views(AdviceCase):
    """The views of a course over a real run."""

    def test_warmup(self):
        path = self.recorded("slow_first_batch")
        lines = self.report(path, "--view", "warmup").splitlines()
        self.assertEqual(lines[0], "batch - Warmup Analysis:")
        self.assertRegex(lines[2], r"^  First epoch: {11}\d+\.\d{3}s$")
        self.assertGreaterEqual(float(lines[2].split()[-1][:-1]), 0.5)
        self.assertRegex(lines[6], r"^  course of 31 calls: (warm-up|disturbed); warm-up ends")

    def test_profile(self):
        path = self.recorded("periodic_stall")
        text = self.report(path, "--view", "profile")
        self.assertIn("a slow one every 5", text)
        self.assertIn("\nbatch/forward\n", text)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
