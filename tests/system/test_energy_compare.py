"""Energy in `compare` and `race`, on a stand-in for /sys/class/powercap: the test moves the
counter, so that the verdicts depend on data and not on a clock."""

import json
import os

import pit_case
import stub_sysfs

J = 1000000
ZONE = "intel-rapl:0"


class EnergyCompare(pit_case.Case):
    def setUp(self):
        self.sysfs = stub_sysfs.StubSysfs(self.folder())
        self.sysfs.zone(ZONE, "package-0", 1000 * J)
        self.joules = 1000

    def record(self, path, joules):
        told = stub_sysfs.Told(self, path, self.sysfs)
        told.tell("begin work")  # longer than 20 updates of the counter
        self.joules += joules
        self.sysfs.set(ZONE, self.joules * J)
        told.tell("end")
        told.close()

    def row(self, document, what):
        (row,) = [item for item in document["comparisons"] if item["what"] == what]
        return row

    def test_compare_has_a_row_of_energy(self):
        folder = self.folder()
        sides = {"a": 100, "b": 200}
        for name, joules in sides.items():
            os.mkdir(os.path.join(folder, name))
            for i in range(6):
                self.record(os.path.join(folder, name, "run%d.pit" % i), joules + i)
        done = pit_case.run([pit_case.reader(), "compare", "--json", os.path.join(folder, "a"),
                             os.path.join(folder, "b")])
        row = self.row(json.loads(done.stdout), "energy")
        self.assertEqual((row["kind"], row["unit"], row["verdict"]), ("energy", "joules", "more"))
        self.assertTrue(100 <= row["a"] <= 105 and 200 <= row["b"] <= 205, row)
        self.assertIsNone(row["speedup"])
        text = pit_case.run([pit_case.reader(), "compare", os.path.join(folder, "a"),
                             os.path.join(folder, "b")]).stdout
        self.assertRegex(text, r"energy +10\d J +20\d J")
        self.assertRegex(text, r"(?m)^B takes [\d.]+ % more energy$")
        self.assertRegex(text, r", 1 with more energy, ")

    def test_runs_without_counters_have_no_row(self):
        folder = self.folder()
        for name in ("a", "b"):
            os.mkdir(os.path.join(folder, name))
            for i in range(2):
                path = os.path.join(folder, name, "run%d.pit" % i)
                empty = stub_sysfs.StubSysfs(self.folder())
                stub_sysfs.Told(self, path, empty).close()
        done = pit_case.run([pit_case.reader(), "compare", "--json", os.path.join(folder, "a"),
                             os.path.join(folder, "b")])
        self.assertNotIn("energy", [item["what"] for item in json.loads(done.stdout)["comparisons"]])

    def command(self, joules):
        """A command that takes so many joules, and long enough to be measured."""
        path = os.path.join(self.folder(), "take.sh")
        counter = self.sysfs.path("class", "powercap", ZONE, "energy_uj")
        with open(path, "w", encoding="ascii") as file:
            file.write("sleep 0.04\nread now <%s\necho $((now + %d)) >%s.new\nmv %s.new %s\n"
                       % (counter, joules * J, counter, counter, counter))
        return "sh " + path

    def test_race_reads_the_counter_around_commands(self):
        done = pit_case.run([pit_case.tool(), "race", "--json", "--runs", "12", self.command(100),
                             self.command(200)],
                            env=pit_case.clean_env(PITWALL_SYSFS=self.sysfs.root), cwd=self.folder())
        row = self.row(json.loads(done.stdout), "processor energy")
        self.assertEqual((row["kind"], row["unit"]), ("energy", "joules"))
        self.assertAlmostEqual(row["a"], 100, delta=1e-3)
        self.assertAlmostEqual(row["b"], 200, delta=1e-3)
        self.assertEqual(row["verdict"], "more")


if __name__ == "__main__":
    pit_case.main()
