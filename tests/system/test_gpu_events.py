"""Spans with PIT_DEVICE over stand-ins for libcuda.so.1 and libamdhip64.so.5 (stub_cuda.c and stub_hip.c of
tests/system/gpu): our machines
have no GPU. Figures arrive. If a library fails, hangs, is unloaded or has no device, the program only loses
the figures, and the run gives the reason.

With PITWALL_TEST_ALL=1 (make test-all) the calls are compared with NVIDIA's cuda.h, and the real libcudart and
libcupti, both from PyPI, are loaded without a driver."""

import ctypes
import json
import os
import sys
import zipfile

import pit_case

SOURCES = os.path.join(pit_case.source_dir(), "tests", "system", "gpu")
ALL = os.environ.get("PITWALL_TEST_ALL") == "1"


PYTHON = '''
import ctypes
import time
import pitwall

cuda = ctypes.CDLL("libcuda.so.1")
cuda.stub_work.argtypes = [ctypes.c_ulonglong]


@pitwall.timed(name="timed", device=True)
def timed():
    cuda.stub_work(1000000)


def device_times():
    nodes = {node["path"]: node for node in pitwall.read("run.pit")["nodes"]}
    return [nodes[name]["device_count"] for name in ("step", "timed") if name in nodes]


pitwall.device_stream(0)
for _ in range(6000):  # a minute and more: a limit for a hang
    time.sleep(0.01)
    with pitwall.span("step", device=True):
        cuda.stub_work(5000000)
    timed()
    found = device_times()
    if len(found) == 2 and all(found):
        break
assert all(found), found
'''


def only_with_all(test):
    """A case that downloads 14 MB."""
    return test if ALL else None


class GpuEvents(pit_case.Case):
    LIBRARY, SOURCE, NAME = "libcuda.so.1", "stub_cuda.c", "CUDA"

    def made(self):
        folder = self.folder()
        lib = os.path.dirname(pit_case.library())
        self.run_ok(["gcc", "-shared", "-fPIC", "-O1", os.path.join(SOURCES, self.SOURCE), "-o",
                     os.path.join(folder, self.LIBRARY), "-Wl,-soname," + self.LIBRARY])
        self.run_ok(["gcc", "-O1", "-I", os.path.join(pit_case.source_dir(), "include"),
                     os.path.join(SOURCES, "gpu_spans.c"), "-o", os.path.join(folder, "program"),
                     "-L" + lib, "-lpitwall", "-Wl,-rpath," + lib])
        return folder

    def recorded(self, how, mode=""):
        folder = self.made()
        env = pit_case.clean_env(LD_LIBRARY_PATH=folder, PITWALL_FILE="run.pit", STUB_CUDA=mode)
        done = self.run_ok([os.path.join(folder, "program"), how, self.LIBRARY], cwd=folder, env=env)
        said = dict(line.split() for line in done.stdout.splitlines())
        self.assertEqual(said["there"], "1")
        shown = self.run_ok([pit_case.tool(), "report", "--json", "run.pit"], cwd=folder)
        found = json.loads(shown.stdout)
        nodes = {node["path"]: node for node in found["nodes"]}
        self.assertEqual(nodes["step"]["count"], int(said["steps"]))  # the program went on
        return nodes, found["runs"][0]["facts"]

    def test_device_times_arrive_beside_host_times(self):
        nodes, facts = self.recorded("arrive")
        work = nodes["step/step"]
        self.assertTrue(work["on_device"])
        self.assertGreaterEqual(work["count"], 10)
        self.assertEqual(nodes["step"]["device_count"], work["count"])
        self.assertGreaterEqual(work["min_ns"], 4.99e6)  # the work given to the device; it cannot take less
        self.assertIn(self.NAME + ": times of its work lie within", facts["device_clock"])

    def test_a_library_that_fails_is_not_asked_again(self):
        nodes, facts = self.recorded("told", "fails")
        self.assertIn("error 700", facts["device_events"])

    def test_a_library_that_hangs_stops_nothing(self):
        self.recorded("go_on", "hangs")

    def test_a_library_without_a_device_gives_a_reason(self):
        nodes, facts = self.recorded("go_on", "empty")
        self.assertIsNone(nodes["step"]["device_total_ns"])
        self.assertIn("shows no device", facts["device_events"])

    def test_a_library_that_the_program_lets_go_of_stays_until_the_end(self):
        nodes, _ = self.recorded("close")
        self.assertGreaterEqual(nodes["step"]["device_count"], 10)


class Hip(GpuEvents):
    """The same, every case, by HIP."""

    LIBRARY, SOURCE, NAME = "libamdhip64.so.5", "stub_hip.c", "HIP"

    def test_the_real_library_without_a_gpu_gives_a_reason(self):
        folder = self.made()
        os.remove(os.path.join(folder, self.LIBRARY))
        done = self.run_ok([os.path.join(folder, "program"), "real", self.LIBRARY], cwd=folder,
                           env=pit_case.clean_env())
        self.assertEqual(done.stdout, "HIP shows no device to threads that asked for device times\n")


class CudaAlone(pit_case.Case):
    LIBRARY, SOURCE = GpuEvents.LIBRARY, GpuEvents.SOURCE

    def test_python_asks_by_device_true(self):
        folder = GpuEvents.made(self)
        script = os.path.join(folder, "train.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(PYTHON)
        env = pit_case.clean_env(LD_LIBRARY_PATH=folder, PITWALL_FILE="run.pit",
                                 PYTHONPATH=os.path.join(pit_case.build_dir(), "python"))
        self.run_ok(["/usr/bin/python3", script], cwd=folder, env=env)

    @only_with_all
    def test_calls_are_those_of_the_public_header_and_real_libraries_fail_cleanly(self):
        folder = self.folder()
        self.run_ok([sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", folder,
                     "-r", os.path.join(pit_case.source_dir(), "python", "requirements-cuda.txt")],
                    timeout=600)
        for wheel in [f for f in os.listdir(folder) if f.endswith(".whl")]:
            with zipfile.ZipFile(os.path.join(folder, wheel)) as packed:
                packed.extractall(folder)
        nvidia = os.path.join(folder, "nvidia")
        self.run_ok(["gcc", "-Wall", "-Werror", "-I", os.path.join(nvidia, "cuda_runtime", "include"),
                     "-I", os.path.join(pit_case.source_dir(), "src"), "-c",
                     os.path.join(SOURCES, "held_to_cuda.c"), "-o", os.path.join(folder, "held.o")])
        count = ctypes.c_int(-1)
        runtime = ctypes.CDLL(os.path.join(nvidia, "cuda_runtime", "lib", "libcudart.so.12"))
        self.assertNotEqual(runtime.cudaGetDeviceCount(ctypes.byref(count)), 0)
        runtime.cudaGetErrorString.restype = ctypes.c_char_p
        self.assertIn(b"driver", runtime.cudaGetErrorString(runtime.cudaGetLastError()))
        version = ctypes.c_uint32(0)
        cupti = ctypes.CDLL(os.path.join(nvidia, "cuda_cupti", "lib", "libcupti.so.12"))
        self.assertEqual(cupti.cuptiGetVersion(ctypes.byref(version)), 0)
        self.assertNotEqual(cupti.cuptiActivityEnable(3), 0)  # no driver: a code, no crash


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
