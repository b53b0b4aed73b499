"""Runs written by older versions (tests/data/runs-*) give the same figures as with those versions.

Each folder has runs and the figures of each, in a format used only here, so that renaming a key of some
output changes neither side. The version that wrote the runs also wrote the figures; they are never
regenerated.
"""

import glob
import gzip
import json
import os

import pit_case
import pit_check
import pit_reader
import pit_runs

DATA = os.path.join(pit_case.source_dir(), "tests", "data")

# The names of a reading's figures in the first format, and their channels.
CHANNELS = (("rss", "rss_bytes"), ("rss_max", "rss_max_bytes"), ("cpu_ns", "cpu_ns"),
            ("threads", "threads"), ("minor_faults", "minor_faults"),
            ("major_faults", "major_faults"), ("switches", "switches"),
            ("forced_switches", "forced_switches"), ("read_bytes", "read_bytes"),
            ("write_bytes", "write_bytes"), ("available", "available_bytes"),
            ("cgroup_used", "cgroup_used_bytes"), ("pressure", "memory_pressure"))


def reading(sample):
    """One reading in the order of CHANNELS, its time first; by either name of a figure."""
    return [sample["ticks"]] + [sample[new] if new in sample else sample[old]
                                for old, new in CHANNELS]


def figures(run):
    """The kept figures: `run` in the form of pit_runs.comparable or prog_dump."""
    nodes, opened, values, records, memory = [], [], [], [], []
    for thread in run["threads"]:
        for node in thread["nodes"]:
            series = node["series"]
            nodes.append([thread["name"], node["path"], node["count"], node["total"],
                          node["child"], node["min"], node["max"], str(node["squares"]),
                          node["items"], sum(node["histogram"].values()), len(node["histogram"]),
                          sum(b[2] for b in series), sum(b[3] for b in series)])
        opened += [[s["path"], s["begin"]] for s in thread["open"]]
        values += [[v["name"], v["count"], v["last"], [list(p) for p in v["points"]]]
                   for v in thread["values"]]
        records += [[r["path"], r["begin"], r["duration"], r["rss_begin"], r["rss_end"],
                     r["rss_peak"], r["minor_faults"]] for r in thread["records"]]
        memory += [[m["path"], m["count"], m["delta_sum"], m["peak_max"], m["rss_max"]]
                   for m in thread["memory"]]
    samples = run["samples"]
    return {
        "run": [run["pid"], run["run_id"], run["start_ticks"], run["start_wall_ns"]],
        "nodes": nodes, "open": opened, "values": values, "records": records, "memory": memory,
        "events": [len(t["events"]) for t in run["threads"]],
        "losses": [sorted(t["counters"].items()) for t in run["threads"]],
        "lost": [run["in_signal"], run["no_table"], run["values_lost"]],
        "ended": sorted((run.get("ended") or {}).values(), key=str),
        "journal": [[e["kind"], e["text"], e["ticks"]] for e in run["journal"]],
        "limits": [samples[key] for key in ("machine_bytes", "cgroup_limit", "cgroup_version",
                                            "oom_kills", "rss_peak", "stride")],
        "newest": reading(samples["newest"]),
        "readings": [reading(point) for point in samples["points"]],
    }


def plain(document):
    """As it comes back from JSON: tuples are lists."""
    return json.loads(json.dumps(document))


class OlderRuns(pit_case.Case):
    def each(self):
        """Name, path of the run, and its figures."""
        found = sorted(glob.glob(os.path.join(DATA, "runs-*", "*.pit.gz")))
        self.assertGreater(len(found), 3)
        folder = self.folder()
        for kept in found:
            name = "-".join(kept[:-len(".pit.gz")].split(os.sep)[-2:])
            path = os.path.join(folder, name + ".pit")
            with gzip.open(kept) as source, open(path, "wb") as target:
                target.write(source.read())
            with open(kept[:-len(".pit.gz")] + ".json", encoding="utf-8") as file:
                yield name, path, json.load(file)

    def hold(self, name, said, kept):
        self.assertEqual(pit_runs.differences(plain(said), kept, name), [])

    def test_the_library_reads_the_same_figures(self):
        for name, path, kept in self.each():
            with self.subTest(name):
                document, said = pit_runs.dump(path)
                self.assertIsNotNone(document, said)
                self.hold(name, figures(document), kept)

    def test_the_second_reader_reads_the_same_figures(self):
        for name, path, kept in self.each():
            with self.subTest(name):
                run = pit_reader.load(path)
                self.assertEqual(pit_check.check(run), [])
                self.hold(name, figures(pit_runs.comparable(run, "")), kept)

    def test_the_runs_hold_something_of_everything(self):
        kept = {name: figures_ for name, _, figures_ in self.each()}
        for part in ("nodes", "open", "values", "records", "memory", "ended", "journal"):
            self.assertTrue(any(run[part] for run in kept.values()), part)
        for name, run in kept.items():
            self.assertGreater(len(run["readings"]), 2, name)
        self.assertTrue(any(run["limits"][-1] > 1 for run in kept.values()), "no folded readings")


if __name__ == "__main__":
    pit_case.main()
