"""Our declarations of device libraries against the vendors' headers, by static asserts. NVIDIA's header
comes from PyPI (120 kB), AMD's from Debian; neither is in the tree."""

import glob
import os
import subprocess

import pit_case


class Headers(pit_case.Case):
    def header_folder(self):
        """Where nvml.h is, in an environment of its own, made once."""
        folder = os.path.join(pit_case.build_dir(), "python-nvml")
        script = os.path.join(pit_case.source_dir(), "scripts", "python_env.sh")
        done = subprocess.run([script, folder, "python/requirements-nvml.txt"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        if done.returncode != 0:
            self.skipTest("nvml.h cannot be installed: " + done.stdout[-300:])
        (found,) = glob.glob(os.path.join(folder, "lib/python3*/site-packages/nvidia/nvml_dev/include"))
        return found

    def compile(self, source, *options):
        return subprocess.run(
            [os.environ.get("CC", "cc"), "-std=gnu11", "-fsyntax-only", *options, "-I",
             os.path.join(pit_case.source_dir(), "src"), "-I", self.header_folder(), source],
            check=False, stderr=subprocess.PIPE, encoding="utf-8")

    def test_nvml(self):
        source = os.path.join(pit_case.source_dir(), "tests", "stubs", "header_nvml.c")
        done = self.compile(source)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def compile_amd(self, *path):
        source = os.path.join(pit_case.source_dir(), "tests", *path)
        return subprocess.run(
            [os.environ.get("CC", "cc"), "-std=gnu11", "-fsyntax-only", "-I",
             os.path.join(pit_case.source_dir(), "src"), source],
            check=False, stderr=subprocess.PIPE, encoding="utf-8")

    def test_rocm_smi(self):
        done = self.compile_amd("stubs", "header_rocm_smi.c")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_hip(self):
        done = self.compile_amd("system", "gpu", "held_to_hip.c")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_wrong_declaration_is_found(self):
        source = os.path.join(self.folder(), "wrong.c")
        with open(source, "w", encoding="ascii") as file:
            file.write('#include <nvml.h>\n#include "device/nvml_api.h"\n_Static_assert(sizeof(struct '
                       'pit__nvml_use) == sizeof(nvmlMemory_t), "wrong");\n')
        self.assertNotEqual(self.compile(source).returncode, 0)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
