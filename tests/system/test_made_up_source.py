"""A source of the sampler is one file: tests/sources/made_up.c is built into a separate library and then appears
in the run, in both readers, in JSON, in text, in Python and in `top`."""

import json
import os
import subprocess

import pit_case
import pit_runs

KEYS = ("made_up0_power_w", "made_up1_power_w", "made_up_readings")


class MadeUpSource(pit_case.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = pit_case.program("prog_extra_source")

    def recorded(self):
        path = os.path.join(self.folder(), "made-up.pit")
        self.run_ok([self.program, path])
        return path

    def test_both_readers_find_its_channels(self):
        run = pit_runs.read_both(self, self.recorded(), "closed")
        channels = {c["key"]: c for c in run["samples"]["channels"]}
        power, silent, readings = (channels[key] for key in KEYS)
        self.assertEqual((power["source"], power["unit"], power["per_unit"], power["missing"]),
                         ("made_up", "W", 1000, None))
        self.assertEqual((power["over_time"], power["over_runs"]), ("mean", "once"))
        self.assertEqual(silent["missing"], "the device does not answer")
        self.assertTrue(readings["is_counter"])
        for row in run["samples"]["points"] + [run["samples"]["newest"]]:
            self.assertEqual((row[KEYS[0]], row[KEYS[1]]), (12500, None))
            self.assertGreater(row[KEYS[2]], 0)
        self.assertIn("rss_bytes", channels)  # the other sources are unchanged

    def test_json_and_text_show_them(self):
        path = self.recorded()
        samples = pit_runs.report(self, path)["runs"][0]["samples"]
        self.assertLess(set(KEYS), {c["key"] for c in samples["channels"]})
        for row in samples["points"] + [samples["newest"]]:
            self.assertEqual((row[KEYS[0]], row[KEYS[1]]), (12.5, None))
        text = self.run_ok([pit_case.reader(), "report", "--view", "memory", path]).stdout
        self.assertIn("made_up0_power_w 12.5 W, min 12.5 W, max 12.5 W", text)
        self.assertIn("made_up1_power_w n/a: the device does not answer", text)
        self.assertIn("made_up_readings ", text)
        trace = path + ".json"
        self.run_ok([pit_case.reader(), "export", "--format", "chrome-trace", "-o", trace, path])
        with open(trace, encoding="utf-8") as file:
            self.assertIn('"made_up0_power_w"', file.read())

    @pit_case.plain_build
    def test_python_has_them(self):
        code = ("import json, pitwall, sys; run = pitwall.read(sys.argv[1]);"
                "print(json.dumps([run['channels'], run['samples']]))")
        env = pit_case.clean_env(PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        done = subprocess.run(["/usr/bin/python3", "-c", code, self.recorded()], env=env, check=True,
                              stdout=subprocess.PIPE, encoding="utf-8")
        channels, samples = json.loads(done.stdout)
        self.assertLess(set(KEYS), {c["key"] for c in channels})
        for row in samples:
            self.assertEqual((row[KEYS[0]], row[KEYS[1]]), (12.5, None))
            self.assertGreater(row["rss_bytes"], 0)
            self.assertIn("time_ns", row)

    def test_top_has_them_while_it_runs(self):
        path = os.path.join(self.folder(), "live.pit")
        process = subprocess.Popen([self.program, path, "keep"], env=pit_case.clean_env(),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        try:
            self.assertEqual(process.stdout.readline(), "rest\n")
            done = self.run_ok([pit_case.tool(), "top", "--json", "--once", path])
            newest = json.loads(done.stdout.splitlines()[0])["newest"]
            self.assertEqual((newest[KEYS[0]], newest[KEYS[1]]), (12.5, None))
        finally:
            process.stdin.close()
            process.wait()
            process.stdout.close()

    def test_nothing_else_names_it(self):
        """Only its own files and this test name it: no other file of the tree had to be changed."""
        found = []
        for folder in ("src", "include", "python", "cmake"):
            for top, _, files in os.walk(os.path.join(pit_case.source_dir(), folder)):
                for name in files:
                    with open(os.path.join(top, name), "rb") as file:
                        if b"made_up" in file.read():
                            found.append(os.path.join(top, name))
        self.assertEqual([path for path in found if not path.endswith(".pyc")], [])


if __name__ == "__main__":
    pit_case.main()
