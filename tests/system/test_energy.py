"""Energy counters, on a stand-in for /sys/class/powercap whose files this test changes between two lines of the
program: joules are known exactly and do not depend on a clock. No real energy counter is read."""

import json
import os
import subprocess

import pit_case
import pit_runs
import stub_sysfs

J = 1000000  # microjoules


class Energy(pit_case.Case):
    def stub(self, **zones):
        sysfs = stub_sysfs.StubSysfs(self.folder())
        sysfs.zone("intel-rapl:0", "package-0", 1000 * J)
        sysfs.zone("intel-rapl:0:0", "core", 700 * J)
        sysfs.zone("intel-rapl:0:1", "dram", 50 * J)
        sysfs.zone("intel-rapl:1", "psys", 9000 * J)
        return sysfs

    def view(self, *runs, **env):
        return self.run_ok([pit_case.reader(), "report", "--view", "energy", *runs]).stdout

    def rows(self, *runs):
        done = self.run_ok([pit_case.reader(), "report", "--view", "energy", "--json", *runs])
        return {row["path"]: row for row in json.loads(done.stdout)["rows"]}

    def document(self, *runs):
        return json.loads(self.run_ok([pit_case.reader(), "report", "--json", *runs]).stdout)

    def move(self, sysfs, package, dram, core=0):
        sysfs.set("intel-rapl:0", int(package))
        sysfs.set("intel-rapl:0:0", int(core))
        sysfs.set("intel-rapl:0:1", int(dram))
        sysfs.set("intel-rapl:1", int(99999 * J))

    def test_joules_of_spans_and_run_are_those_of_the_counters(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("begin epoch")
        told.tell("begin batch")
        told.tell("items 10")
        self.move(sysfs, 1100 * J, 70 * J, 790 * J)
        told.tell("end")
        self.move(sysfs, 1400 * J, 80 * J)
        told.tell("end")
        self.move(sysfs, 1500 * J, 90 * J)
        told.close()
        rows = self.rows(run)
        self.assertAlmostEqual(rows["epoch"]["energy_j"], 430, delta=1e-6)
        self.assertAlmostEqual(rows["epoch/batch"]["energy_j"], 120, delta=1e-6)
        self.assertAlmostEqual(rows["epoch/batch"]["energy_per_item_j"], 12, delta=1e-6)
        self.assertEqual(rows["epoch/batch"]["energy_how"], "measured")
        self.assertIsNone(rows["epoch"]["energy_per_item_j"])
        self.assertIsNone(rows["epoch"]["devices_energy_j"])
        energy = self.document(run)["energy"]
        self.assertAlmostEqual(energy["joules"], 540, delta=1e-6)
        self.assertEqual({s["key"]: s["joules"] for s in energy["sources"]},
                         {"package_0_energy_j": 500, "dram_0_energy_j": 40})
        text = self.view(run)
        self.assertRegex(text, r"package_0 500 J in .* on average, measured by RAPL")
        self.assertIn("540 J by all counters", text)
        self.assertNotIn("psys", text)
        self.assertNotIn("core", text)

    def test_the_stub_is_told_in_every_report(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("begin epoch")
        told.tell("end")
        told.close()
        for view in ([], ["--view", "energy"], ["--view", "memory"], ["--view", "tree"]):
            text = self.run_ok([pit_case.reader(), "report", *view, run]).stdout
            self.assertIn(sysfs.root + " (PITWALL_SYSFS)", " ".join(text.split()), view)
        self.assertEqual(self.document(run)["runs"][0]["facts"]["sysfs"], sysfs.root)

    def test_a_counter_that_begins_again_goes_on(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        sysfs.set("intel-rapl:0", stub_sysfs.RANGE - 10 * J)
        # A sampler that is stopped after it read the counter would show a value from a turn before.
        told = stub_sysfs.Told(self, run, sysfs, 0.01)
        for turn in range(3):  # ten joules to the end, five after it, and up to there again
            told.tell("begin turn")
            sysfs.set("intel-rapl:0", 5 * J)
            told.tell("end")
            told.tell("begin way")
            sysfs.set("intel-rapl:0", stub_sysfs.RANGE - 10 * J)
            told.tell("end")
        told.close()
        rows = self.rows(run)
        self.assertAlmostEqual(rows["turn"]["energy_j"], 45, delta=1e-3)
        self.assertEqual(rows["turn"]["energy_spans"], 3)
        whole = 3 * (stub_sysfs.RANGE / J)
        self.assertAlmostEqual(self.document(run)["energy"]["joules"], whole, delta=whole / 1e6)

    def test_short_spans_are_estimated_by_mean_power(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("short 1000")
        self.move(sysfs, 1400 * J, 50 * J)
        told.close()
        row, document = self.rows(run)["short"], self.document(run)
        self.assertEqual(row["energy_spans"], 1000)
        node = next(n for n in document["nodes"] if n["path"] == "short")
        source = next(s for s in document["energy"]["sources"] if s["key"] == "package_0_energy_j")
        self.assertAlmostEqual(source["joules"], 400, delta=1e-6)
        # A span that was stopped for 20 ms or more is measured, and the counter did not move: the rest is
        # estimated.
        raw = pit_runs.read_both(self, run, "closed")["threads"][0]["energy"][0]
        self.assertGreater(raw["processors_estimated"], 0)
        estimated_s = node["total_ns"] / 1e9 * raw["processors_estimated"] / (
            raw["processors_estimated"] + raw["processors_measured"])
        self.assertAlmostEqual(row["energy_estimated_j"], estimated_s * source["power_w"],
                               delta=0.02 * row["energy_estimated_j"])
        self.assertIn(row["energy_how"], ("estimated", "part estimated"))
        self.assertIn("~", self.view(run))

    def test_two_ranks_of_a_machine_count_once(self):
        sysfs, folder = self.stub(), self.folder()
        runs = [os.path.join(folder, "rank%d.pit" % i) for i in range(2)]
        ranks = [stub_sysfs.Told(self, runs[i], sysfs, RANK=i, WORLD_SIZE=2) for i in range(2)]
        for rank in ranks:
            rank.tell("begin epoch")
            rank.tell("items 50")
        self.move(sysfs, 1300 * J, 50 * J)
        for rank in ranks:
            rank.tell("end")
        for run in runs:  # so that a reading of one after the end of the other adds nothing
            pit_runs.wait_until(lambda run=run: self.newest(run)["package_0_energy_j"] == 1300)
        for rank in ranks:
            rank.close()
        energy = self.document(*runs)["energy"]
        package = next(s for s in energy["sources"] if s["key"] == "package_0_energy_j")
        self.assertEqual(package["runs"], 2)
        self.assertAlmostEqual(package["joules"], 300, delta=3)
        row = self.rows(*runs)["epoch"]
        self.assertAlmostEqual(row["energy_j"], 300, delta=1e-6)
        self.assertAlmostEqual(row["energy_per_item_j"], 3, delta=1e-6)
        self.assertIn("read by 2 runs, counted once", " ".join(self.view(*runs).split()))

    def newest(self, run):
        done = self.run_ok([pit_case.tool(), "top", "--json", "--once", run])
        return json.loads(done.stdout.splitlines()[0])["newest"]

    def test_runs_one_after_another_add_up(self):
        sysfs, folder, runs = self.stub(), self.folder(), []
        for i in range(2):
            runs.append(os.path.join(folder, "run%d.pit" % i))
            told = stub_sysfs.Told(self, runs[i], sysfs)
            told.tell("begin epoch")
            self.move(sysfs, (1100 + 100 * i) * J, 50 * J)
            told.tell("end")
            told.close()
        self.assertAlmostEqual(self.document(*runs)["energy"]["joules"], 200, delta=1e-6)
        row = self.rows(*runs)["epoch"]
        self.assertAlmostEqual(row["energy_j"], 200, delta=1e-6)
        self.assertEqual(row["energy_spans"], 2)

    def test_a_killed_run_keeps_the_energy_of_its_spans(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("begin epoch")
        self.move(sysfs, 1250 * J, 50 * J)
        told.tell("end")
        told.close("die", status=-9)
        self.assertAlmostEqual(self.rows(run)["epoch"]["energy_j"], 250, delta=1e-6)
        pit_runs.read_both(self, run, "died")

    def test_without_powercap_the_reason_is_told(self):
        sysfs, run = stub_sysfs.StubSysfs(self.folder()), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        self.assertEqual(told.tell("joules"), "-27 nan nan\n")
        told.tell("begin epoch")
        told.tell("end")
        told.close()
        text = " ".join(self.view(run).split())
        self.assertIn("energy n/a: no counter could be read; pitwall doctor says why", text)
        self.assertIn("processors n/a: no /sys/class/powercap", text)
        row = self.rows(run)["epoch"]
        self.assertIsNone(row["energy_j"])
        self.assertIsNone(row["energy_how"])
        self.assertIsNone(self.document(run)["energy"]["joules"])

    def unreadable(self, sysfs, zone):
        """Since 2020 only root may read it. Root can read any file, so the test puts a folder there, which
        fails for every user."""
        path = sysfs.path("class", "powercap", zone, "energy_uj")
        os.chmod(path, 0)
        if os.geteuid() == 0:
            return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        return []

    def test_counters_of_root_alone_give_the_udev_rule(self):
        sysfs, folder = self.stub(), self.folder()
        run = os.path.join(folder, "run.pit")
        before = self.unreadable(sysfs, "intel-rapl:0") + ["env"]
        for path in (sysfs.root, folder):
            os.chmod(path, 0o777)
        done = subprocess.run(
            before + [pit_case.program("prog_energy"), run, "100"], input="close\n", check=False,
            env=pit_case.clean_env(PITWALL_SYSFS=sysfs.root), stdout=subprocess.PIPE,
            encoding="utf-8")
        self.assertEqual(done.returncode, 0)
        text = " ".join(self.view(run).split())
        self.assertIn("package_0 n/a: energy_uj is root's alone: pitwall doctor prints a udev rule",
                      text)
        source = next(s for s in self.document(run)["energy"]["sources"]
                      if s["key"] == "package_0_energy_j")
        self.assertIsNone(source["joules"])
        self.assertIn("udev", source["missing"])

    def test_a_counter_that_is_not_there_is_told(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        os.remove(sysfs.path("class", "powercap", "intel-rapl:0", "energy_uj"))
        stub_sysfs.Told(self, run, sysfs).close()
        self.assertIn("package_0 n/a: energy_uj is not there", " ".join(self.view(run).split()))

    def test_a_counter_that_goes_midway_leaves_its_spans_out(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("begin epoch")
        self.move(sysfs, 1100 * J, 50 * J)
        told.tell("end")
        told.tell("begin epoch")
        os.remove(sysfs.path("class", "powercap", "intel-rapl:0", "energy_uj"))
        told.tell("end")
        told.close()
        row = self.rows(run)["epoch"]
        self.assertAlmostEqual(row["energy_j"], 100, delta=1e-6)
        self.assertEqual((row["energy_spans"], row["energy_unknown_spans"]), (2, 1))

    def test_both_readers_agree(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("begin epoch")
        self.move(sysfs, 1100 * J, 60 * J)
        told.tell("end")
        told.close()
        both = pit_runs.read_both(self, run, "closed")
        (energy,) = both["threads"][0]["energy"]
        self.assertEqual((energy["count"], energy["processors_microjoules"]), (1, 110 * J))
        first = {c["key"]: c.get("first") for c in both["samples"]["channels"]}
        self.assertEqual(first["package_0_energy_j"], 1000 * J)

    def test_the_epoch_monitor_prints_joules(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("epoch")
        self.move(sysfs, 1123 * J, 50.5 * J)
        self.assertRegex(told.tell("done"), r"Epoch end: .*s total, energy 123\.5J\n")
        told.close()
        text = self.run_ok([pit_case.reader(), "report", "--view", "epochs", run]).stdout
        self.assertIn("energy 123.5J", text)

    @pit_case.plain_build
    def test_python_marks_spans_and_reads_figures(self):
        sysfs, run = self.stub(), os.path.join(self.folder(), "run.pit")
        code = """if True:
            import pitwall, sys, time
            path = sys.argv[2] + "/class/powercap/intel-rapl:0/energy_uj"
            pitwall.open(sys.argv[1])
            @pitwall.timed(energy=True)
            def step(to):
                time.sleep(0.04)
                open(path, "w").write("%d\\n" % (to * 1000000))
            step(1010)
            with pitwall.span("epoch", energy=True):
                step(1030)
            pitwall.close()
            for node in pitwall.read(sys.argv[1])["nodes"]:
                print(node["path"], node["energy_j"], node["energy_how"])
            """
        env = pit_case.clean_env(PITWALL_SYSFS=sysfs.root,
                                 PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        done = subprocess.run(["/usr/bin/python3", "-c", code, run, sysfs.root], env=env, check=True,
                              stdout=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["epoch 20.0 measured", "epoch/step 20.0 measured", "step 10.0 measured"])


if __name__ == "__main__":
    pit_case.main()
