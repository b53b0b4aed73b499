"""Channels of GPUs, on stand-ins: a folder in place of /sys, a libnvidia-ml.so.1 built from
tests/stubs/stub_nvml.c and a librocm_smi64.so built from tests/stubs/stub_rocm_smi.c. These tests never ran with
a real GPU; they check how figures and failures are passed on."""

import json
import os
import re
import shutil
import subprocess

import pit_case
import pit_runs
import stub_sysfs

GB = 1 << 30
ADDRESS = "0000:3b:00.0"


class GpuCase(pit_case.Case):
    STUBS = {"libnvidia-ml.so.1": "stub_nvml.c", "librocm_smi64.so": "stub_rocm_smi.c"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = os.path.join(pit_case.build_dir(), "tests", "stub-gpus-%d" % os.getpid())
        os.makedirs(cls.library, exist_ok=True)
        for name, source in cls.STUBS.items():
            source = os.path.join(pit_case.source_dir(), "tests", "stubs", source)
            subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-shared",
                            "-fPIC", "-I", os.path.join(pit_case.source_dir(), "src"), source,
                            "-o", os.path.join(cls.library, name)], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.library)

    def setUp(self):
        self.sysfs = stub_sysfs.StubSysfs(self.folder())
        self.nvml = self.rocm = self.folder()  # answers of the stand-ins
        self.path = os.path.join(self.folder(), "run.pit")

    def gpu(self, driver="nvidia", address=ADDRESS):
        folder = self.sysfs.path("bus", "pci", "drivers", driver, address)
        os.makedirs(folder, exist_ok=True)
        return folder

    def say(self, name, value=""):
        stub_sysfs.write(os.path.join(self.nvml, name), value)

    def told(self, library=True, **env):
        return stub_sysfs.Told(
            self, self.path, self.sysfs, 50, STUB_NVML=self.nvml, STUB_ROCM=self.rocm,
            LD_LIBRARY_PATH=self.library if library else None, **env)

    def top(self):
        done = self.run_ok([pit_case.tool(), "top", "--json", "--once", self.path])
        return json.loads(done.stdout.splitlines()[0])["newest"]

    def wait_for(self, condition):
        """The newest reading, once it is as wanted. The next one may lack what this one has: a call that
        takes two seconds counts as one that does not return, also if the machine was busy meanwhile."""
        now = {}

        def look():
            now.update(self.top())
            return condition(now)
        pit_runs.wait_until(look, 120, 0.02)
        return now

    def wait_figures(self, **figures):
        """Wait for a reading with these figures of the first GPU."""
        def missing(now):
            return {key: now["gpu0_" + key] for key, value in figures.items() if now["gpu0_" + key] != value}
        last = []

        def look():
            last[:] = [missing(self.top())]
            return not last[0]
        pit_runs.wait_until(look, 120, 0.02)

    def wait_text(self, text):
        """Wait until `top` shows this."""
        shown = []

        def look():
            shown[:] = [line for line in self.run_ok([pit_case.tool(), "top", "--once", self.path])
                        .stdout.splitlines() if "gpu" in line]
            return text in "\n".join(shown)
        pit_runs.wait_until(look, 120, 0.02)

    def document(self):
        done = self.run_ok([pit_case.reader(), "report", "--json", self.path])
        return json.loads(done.stdout)

    def channels(self):
        samples = self.document()["runs"][0]["samples"]
        return {c["key"]: c for c in samples["channels"]}

    def text(self, *arguments):
        return " ".join(self.run_ok([pit_case.reader(), "report", *arguments,
                                     self.path]).stdout.split())

    def assert_reason(self, why, *view):
        """The report says why a figure is missing. The reading at close may come while the machine holds up
        a call for two seconds; that is a reason too, and the tests have seen the other one before."""
        self.assertRegex(self.text(*view), re.escape(why) + r"|gpu0 n/a: \w+ does not return")

    def died(self, used):
        """The report of a program that aborts once its GPU has so much in use."""
        done = subprocess.Popen(
            [pit_case.tool(), "run", "-o", self.path, "--", pit_case.program("prog_energy"), "-",
             "50"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
            env=pit_case.clean_env(PITWALL_SYSFS=self.sysfs.root, STUB_NVML=self.nvml, STUB_ROCM=self.rocm,
                                   LD_LIBRARY_PATH=self.library))
        self.addCleanup(done.stdout.close)
        self.assertEqual(done.stdout.readline(), "ready\n")
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == used)
        done.stdin.write("abort\n")
        done.stdin.close()
        done.wait(600)
        full = [f["headline"] for f in self.document()["advice"]["findings"]
                if f["rule"] == "device_memory"]
        self.assertEqual(full, ["DEVICE-MEMORY: gpu0 had 100 % of its memory in use"])
        return self.text()


class Nvml(GpuCase):
    def test_figures_arrive_everywhere(self):
        self.gpu()
        self.say("used", 3 * GB)
        self.say("own", 2 * GB)
        told = self.told()
        told.tell("memory step")
        self.wait_figures(own_memory_bytes=2 * GB, busy=0.5, memory_bytes=3 * GB, power_w=250,
                          temperature_c=61, clock_hz=1410e6, pcie_bytes_per_s=300 * 1024)
        self.wait_text("gpu0 3.00 GB of 8.00 GB")
        told.tell("end")
        told.close()
        self.assertIn("gpu0 50 % busy, memory at most 3.00 GB of 8.00 GB, 250 W, at most 61 C",
                      self.text())
        self.assertIn("GPU peak", self.text("--view", "memory"))
        node = next(n for n in self.document()["nodes"] if n["path"] == "step")
        self.assertEqual(node["device_memory_max_bytes"], 2 * GB)
        pit_runs.read_both(self, self.path, "closed")

    @pit_case.plain_build
    def test_python_has_them(self):
        self.gpu()
        told = self.told()
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == GB)
        told.close()
        code = ("import json, pitwall, sys; run = pitwall.read(sys.argv[1]);"
                "print(json.dumps([row['gpu0_memory_bytes'] for row in run['samples']]))")
        env = pit_case.clean_env(PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        done = subprocess.run(["/usr/bin/python3", "-c", code, self.path], env=env, check=True,
                              stdout=subprocess.PIPE, encoding="utf-8")
        self.assertIn(GB, json.loads(done.stdout))

    def test_the_energy_counter_is_the_energy_of_the_run(self):
        self.gpu()
        self.say("energy", 5000)
        told = self.told()
        self.wait_for(lambda now: now["gpu0_energy_j"] == 5)
        self.say("energy", 65000)
        self.wait_for(lambda now: now["gpu0_energy_j"] == 65)
        told.close()
        energy = self.document()["energy"]
        self.assertEqual([(s["key"], s["joules"]) for s in energy["sources"]],
                         [("gpu0_energy_j", 60)])
        self.assertIn("gpu0 60.0 J in", self.text("--view", "energy"))

    def test_a_gpu_without_the_counter_has_no_energy(self):
        self.gpu()
        self.say("no_energy")
        told = self.told()
        self.wait_figures(power_w=250, energy_j=None)
        self.wait_for(lambda now: "does not tell" in self.channels()["gpu0_energy_j"]["missing"])
        told.close()
        self.assertIsNone(self.document()["energy"]["joules"])
        self.assert_reason("gpu0 n/a: this GPU, or its driver, does not tell", "--view", "energy")

    def test_a_library_that_fails_midway(self):
        self.gpu()
        told = self.told()
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == GB)
        self.say("fail", 15)
        self.wait_for(lambda now: now["gpu0_memory_bytes"] is None)
        self.assertGreater(self.top()["rss_bytes"], 0)
        told.tell("begin goes on")
        told.tell("end")
        os.remove(os.path.join(self.nvml, "fail"))
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == GB)
        told.close()

    def test_a_library_that_always_fails_says_why(self):
        self.gpu()
        self.say("fail", 15)
        told = self.told()
        self.wait_for(lambda now: "GPU is lost" in
                      (self.channels()["gpu0_memory_bytes"]["missing"] or ""))
        told.close()
        self.assert_reason("gpu0 n/a: nvmlDeviceGetMemoryInfo: GPU is lost")

    def test_a_call_that_hangs_stops_nobody(self):
        self.gpu()
        told = self.told()
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == GB)
        self.say("hang")
        self.wait_for(lambda now: now["gpu0_memory_bytes"] is None)
        before = self.top()
        told.tell("begin goes on")
        told.tell("end")
        self.wait_for(lambda now: now["time_ns"] > before["time_ns"] and now["rss_bytes"] > 0)
        os.remove(os.path.join(self.nvml, "hang"))
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == GB)
        told.close()

    def test_a_call_that_never_returns_does_not_hold_up_the_end(self):
        self.gpu()
        self.say("hang")
        told = self.told()
        self.wait_for(lambda now: "nvmlDeviceGetMemoryInfo does not return" in
                      (self.channels()["gpu0_memory_bytes"]["missing"] or ""))
        told.close()
        self.assertIn("gpu0 n/a: nvmlDeviceGetMemoryInfo does not return", self.text())

    def test_a_library_that_shows_no_device(self):
        self.gpu()
        self.say("none")
        told = self.told()
        self.wait_for(lambda now: "does not show" in
                      (self.channels()["gpu0_memory_bytes"]["missing"] or ""))
        told.close()
        self.assert_reason("NVML does not show " + ADDRESS)

    def test_a_library_that_is_not_there(self):
        self.gpu()
        told = self.told(library=False)
        self.wait_for(lambda now: "no libnvidia-ml.so.1" in
                      (self.channels()["gpu0_memory_bytes"]["missing"] or ""))
        told.close()

    def test_only_visible_gpus_are_read(self):
        self.gpu()
        self.gpu(address="0000:5c:00.0")
        told = self.told(CUDA_VISIBLE_DEVICES="1")
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == GB)
        self.assertNotIn("gpu1_memory_bytes", self.top())
        told.close()
        os.rename(self.path, self.path + ".old")
        self.told(CUDA_VISIBLE_DEVICES="").close()
        self.assertNotIn("gpu0_memory_bytes", self.channels())

    def test_a_run_that_died_with_a_full_gpu_is_named(self):
        self.gpu()
        self.say("used", 8 * GB - 1)
        self.assertIn("ended by an error, most likely out of memory on the GPU: 8.00 GB of 8.00 GB"
                      " in use", self.died(8 * GB - 1))

    def test_without_a_gpu_there_is_no_thread(self):
        told = self.told()
        names = {open("/proc/%d/task/%s/comm" % (told.process.pid, t), encoding="ascii").read()
                 for t in os.listdir("/proc/%d/task" % told.process.pid)}
        self.assertNotIn("pitwall-gpu\n", names)
        with open("/proc/%d/maps" % told.process.pid, encoding="utf-8") as maps:
            self.assertNotIn("libnvidia-ml", maps.read())
        told.close()
        self.assertEqual([k for k in self.channels() if k.startswith("gpu")], [])


class Sysfs(GpuCase):
    def test_amdgpu(self):
        folder = self.gpu("amdgpu", "0000:03:00.0")
        for name, value in (("gpu_busy_percent", 75), ("mem_info_vram_used", 6 * GB),
                            ("mem_info_vram_total", 16 * GB), ("hwmon/hwmon4/power1_average", 150e6),
                            ("hwmon/hwmon4/temp1_input", 55000),
                            ("hwmon/hwmon4/freq1_input", 2100000000)):
            stub_sysfs.write(os.path.join(folder, name), int(value))
        self.say("no_init", 1)  # the stand-in of ROCm SMI: a real one may be installed
        told = self.told()
        self.wait_figures(memory_bytes=6 * GB, busy=0.75, power_w=150, temperature_c=55, clock_hz=2.1e9,
                          energy_j=None)
        told.close()

    def test_intel(self):
        folder = self.gpu("xe", "0000:08:00.0")
        stub_sysfs.write(os.path.join(folder, "hwmon/hwmon2/energy1_input"), 7000000)
        stub_sysfs.write(os.path.join(folder, "tile0/gt0/freq0/act_freq"), 1300)
        told = self.told(library=False)
        self.wait_figures(energy_j=7, clock_hz=1.3e9, memory_bytes=None)
        told.close()


class Rocm(GpuCase):
    """An AMD GPU by the driver's files, and by ROCm SMI for what these lack: energy, the process's own
    memory."""

    def amd(self):
        folder = self.gpu("amdgpu", "0000:03:00.0")
        for name, value in (("gpu_busy_percent", 75), ("mem_info_vram_used", 6 * GB),
                            ("mem_info_vram_total", 16 * GB),
                            ("hwmon/hwmon4/power1_average", 150000000)):
            stub_sysfs.write(os.path.join(folder, name), value)
        return folder

    def test_figures_arrive_everywhere(self):
        self.amd()
        self.say("own", 2 * GB)
        self.say("energy", 1000000)
        told = self.told()
        told.tell("memory step")
        self.wait_for(lambda now: now["gpu0_own_memory_bytes"] == 2 * GB)
        now = self.wait_for(lambda now: now["gpu0_energy_j"] is not None)
        self.assertAlmostEqual(now["gpu0_energy_j"], 15.3, delta=0.01)
        self.say("energy", 5000000)
        self.wait_for(lambda now: now["gpu0_energy_j"] and now["gpu0_energy_j"] > 70)
        self.wait_text("gpu0 6.00 GB of 16.0 GB")
        told.tell("end")
        told.close()
        self.assertIn("gpu0 75 % busy, memory at most 6.00 GB of 16.0 GB, 150 W", self.text())
        document = self.document()
        (source,) = document["energy"]["sources"]
        self.assertAlmostEqual(source["joules"], 61.2, delta=0.01)
        node = next(n for n in document["nodes"] if n["path"] == "step")
        self.assertEqual(node["device_memory_max_bytes"], 2 * GB)
        self.assertIn("gpu0 61.2 J in", self.text("--view", "energy"))
        pit_runs.read_both(self, self.path, "closed")

    @pit_case.plain_build
    def test_python_has_them(self):
        self.amd()
        told = self.told()
        self.wait_for(lambda now: now["gpu0_energy_j"] is not None)
        told.close()
        code = ("import json, pitwall, sys; run = pitwall.read(sys.argv[1]);"
                "print(json.dumps([row['gpu0_energy_j'] for row in run['samples']]))")
        env = pit_case.clean_env(PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        done = self.run_ok(["/usr/bin/python3", "-c", code, self.path], env=env)
        self.assertIn(15, [joules and int(joules) for joules in json.loads(done.stdout)])

    def test_a_library_that_fails_midway_never_gives_way_to_another_counter(self):
        folder = self.amd()
        stub_sysfs.write(os.path.join(folder, "hwmon/hwmon4/energy1_input"), 999000000)
        told = self.told()
        self.wait_for(lambda now: now["gpu0_energy_j"] is not None and now["gpu0_energy_j"] < 16)
        self.say("fail", 7)
        self.wait_figures(energy_j=None, memory_bytes=6 * GB)  # the files are still read
        told.tell("begin goes on")
        told.tell("end")
        os.remove(os.path.join(self.rocm, "fail"))
        self.wait_for(lambda now: now["gpu0_energy_j"] is not None)
        told.close()
        self.assertEqual(self.document()["energy"]["joules"], 0)  # the counter stood still

    def test_a_call_that_hangs_stops_nobody(self):
        self.amd()
        told = self.told()
        self.wait_for(lambda now: now["gpu0_energy_j"] is not None)
        self.say("hang", 1)
        self.wait_for(lambda now: now["gpu0_energy_j"] is None)
        before = self.top()
        told.tell("begin goes on")
        told.tell("end")
        self.wait_for(lambda now: now["time_ns"] > before["time_ns"] and now["rss_bytes"] > 0)
        os.remove(os.path.join(self.rocm, "hang"))
        self.wait_for(lambda now: now["gpu0_energy_j"] is not None)
        told.close()

    def test_without_a_usable_library_the_files_are_read(self):
        self.amd()
        for name in ("none", "no_init"):
            self.say(name, 1)
            told = self.told()
            self.wait_figures(memory_bytes=6 * GB, energy_j=None)
            self.wait_for(lambda now: "does not tell" in self.channels()["gpu0_energy_j"]["missing"])
            told.close()
            self.assert_reason("gpu0 n/a: this GPU, or its driver, does not tell", "--view", "energy")
            os.remove(os.path.join(self.rocm, name))
            os.remove(self.path)

    @pit_case.plain_build
    def test_the_real_library_without_a_gpu(self):
        """Debian's librocm_smi64.so finds no GPU and reports that on standard error; the files are read."""
        self.amd()
        told = self.told(library=False)
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == 6 * GB)
        self.assertIsNone(self.top()["gpu0_energy_j"])
        told.close()

    def test_a_driver_that_goes_away(self):
        folder = self.amd()
        told = self.told()
        self.wait_for(lambda now: now["gpu0_memory_bytes"] == 6 * GB)
        shutil.rmtree(folder)
        self.wait_for(lambda now: now["gpu0_memory_bytes"] is None)
        told.tell("begin goes on")
        told.tell("end")
        told.close()

    def test_a_run_that_died_with_a_full_gpu_is_named(self):
        folder = self.amd()
        stub_sysfs.write(os.path.join(folder, "mem_info_vram_used"), 16 * GB - 1)
        self.assertIn("most likely out of memory on the GPU: 16.0 GB of 16.0 GB in use",
                      self.died(16 * GB - 1))


class Doctor(GpuCase):
    def checks(self, **env):
        done = self.run_ok([pit_case.tool(), "doctor", "--json"], cwd=self.folder(),
                           env=pit_case.clean_env(PITWALL_SYSFS=self.sysfs.root, STUB_NVML=self.nvml, STUB_ROCM=self.rocm,
                                                  **env))
        return {c["name"]: c for c in json.loads(done.stdout)["checks"]}

    def test_every_source_is_told(self):
        checks = self.checks()
        folder = os.path.join(pit_case.source_dir(), "src", "recorder", "sources")
        for name in os.listdir(folder):
            known = {"rapl.c": "energy (RAPL)"}.get(name, "reads " + name[:-2])
            self.assertIn(known, checks)
            self.assertTrue(checks[known]["recorded"])
        self.assertEqual(checks["energy (RAPL)"]["state"], "no")
        self.assertIn("no /sys/class/powercap", checks["energy (RAPL)"]["why"])
        self.assertEqual(checks["reads gpu"]["state"], "no")
        self.assertEqual(checks["reads process"]["state"], "yes")

    def test_counters_and_gpus_that_are_read(self):
        self.gpu()
        self.sysfs.zone("intel-rapl:0", "package-0", 5)
        checks = self.checks(LD_LIBRARY_PATH=self.library)
        self.assertEqual(checks["energy (RAPL)"]["figure"], "recorded now: 1 channel")
        self.assertIn("recorded now", checks["reads gpu"]["figure"])

    def test_a_counter_that_cannot_be_read_has_the_udev_rule(self):
        self.sysfs.zone("intel-rapl:0", "package-0", 5)
        os.remove(self.sysfs.path("class", "powercap", "intel-rapl:0", "energy_uj"))
        check = self.checks()["energy (RAPL)"]
        self.assertEqual(check["state"], "no")
        self.assertIn('SUBSYSTEM=="powercap"', check["remedy"])

    def test_a_library_that_is_missing_is_told(self):
        self.gpu()
        check = self.checks(LD_LIBRARY_PATH=None)["reads gpu"]
        self.assertEqual(check["state"], "no")
        self.assertIn("libnvidia-ml", check["why"])


if __name__ == "__main__":
    pit_case.main()
