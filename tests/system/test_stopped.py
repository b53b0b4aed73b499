"""A program that is stopped from outside for a while: the report says so, and blames no part of the program."""

import json
import os
import signal
import subprocess
import time

import pit_case

STOP_SECONDS = 3


class Stopped(pit_case.Case):
    def test_a_stop_is_a_finding_of_its_own(self):
        path = os.path.join(self.folder(), "run.pit")
        process = subprocess.Popen([pit_case.program("prog_stopped"), path], env=pit_case.clean_env())
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), status)
        time.sleep(STOP_SECONDS)
        os.kill(process.pid, signal.SIGCONT)
        self.assertEqual(process.wait(), 0)
        done = self.run_ok([pit_case.tool(), "report", path, "--json"])
        advice = json.loads(done.stdout)["advice"]
        found = {finding["rule"]: finding for finding in advice["findings"]}
        # A busy machine may add that the program had no processor.
        self.assertIn("stopped", found, advice)
        self.assertNotIn("concentrated", found, advice)
        self.assertNotIn("waiting", found, advice)
        self.assertGreater(found["stopped"]["savings_ns"], 1e9 * (STOP_SECONDS - 1))
        self.assertRegex(found["stopped"]["headline"], "^STOPPED: the whole program was stopped from outside for ")


if __name__ == "__main__":
    pit_case.main()
