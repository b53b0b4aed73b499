"""A stand-in for the kernel's /sys, for hardware that this machine lacks: energy counters and GPUs as files
in a folder. Its figures are not measured. PITWALL_SYSFS names the folder, and every report mentions it."""

import os
import subprocess

import pit_case

RANGE = 262143328850  # microjoules, as the kernel says it of many processors


def write(path, text):
    """The whole file at once: a reader sees the old text or the new one."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write("%s\n" % text)
    os.rename(path + ".new", path)


class StubSysfs:
    def __init__(self, folder):
        self.root = folder

    def zone(self, zone, name, microjoules, range_=RANGE):
        """A domain of class/powercap: intel-rapl:0, intel-rapl:0:0, …"""
        folder = os.path.join(self.root, "class", "powercap", zone)
        write(os.path.join(folder, "name"), name)
        write(os.path.join(folder, "max_energy_range_uj"), range_)
        self.set(zone, microjoules)

    def set(self, zone, microjoules):
        write(os.path.join(self.root, "class", "powercap", zone, "energy_uj"), microjoules)

    def path(self, *parts):
        return os.path.join(self.root, *parts)


class Told:
    """prog_energy, which executes one command per line."""

    def __init__(self, case, run, sysfs, hz=100, **env):
        self.process = subprocess.Popen(
            [pit_case.program("prog_energy"), run, str(hz)],
            env=pit_case.clean_env(PITWALL_SYSFS=sysfs.root if sysfs else None, **env),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        case.addCleanup(self.stop)
        case.assertEqual(self.process.stdout.readline(), "ready\n")
        self.case = case

    def tell(self, line):
        """Returns the output before its answer."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        printed = []
        while True:
            answer = self.process.stdout.readline()
            self.case.assertTrue(answer, "it ended at " + line)
            if answer == "ok\n":
                return "".join(printed)
            printed.append(answer)

    def close(self, word="close", status=0):
        self.process.stdin.write(word + "\n")
        self.process.stdin.close()
        rest = self.process.stdout.read()
        self.case.assertEqual(self.process.wait(600), status)
        return rest

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()
