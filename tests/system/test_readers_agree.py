"""The golden runs of tests/data: they give the same figures today as when they were made, and the library agrees
with the reader that was written from the format page alone."""

import glob
import json
import os
import sys

import pit_case
import pit_check
import pit_reader
import pit_runs

DATA = os.path.join(pit_case.source_dir(), "tests", "data")
sys.path.append(DATA)

import make_golden  # noqa: E402  (it lies beside the runs)

READ = {"finished": "closed", "memory": "closed", "channels": "closed", "killed": "died", "unknown-block": "died",
        "newer-minor": "died", "ended": "died"}
REFUSED = {"newer-major": -22, "newer-features": -22, "other-order": -23}


def path_of(name):
    return os.path.join(DATA, name + ".pit")


def plain_numbers(x):
    """NaN and infinities as the texts that replace them in JSON."""
    if isinstance(x, dict):
        return {key: plain_numbers(value) for key, value in x.items()}
    if isinstance(x, list):
        return [plain_numbers(value) for value in x]
    return pit_reader.finite(x) if isinstance(x, float) else x


class Golden(pit_case.Case):
    def kept(self, name):
        with open(os.path.join(DATA, name + ".json"), encoding="utf-8") as file:
            return file.read()

    def test_every_run_of_the_folder_is_read_or_refused_as_when_it_was_made(self):
        names = sorted(os.path.basename(p)[:-4] for p in glob.glob(path_of("*")))
        self.assertEqual(names, sorted(list(READ) + list(REFUSED) + ["cut"]))
        for name in names:
            with self.subTest(name):
                said = make_golden.expected(pit_case.build_dir(), path_of(name))
                self.assertEqual(said, self.kept(name))

    def test_both_readers_say_the_same_of_every_whole_run(self):
        for name, state in READ.items():
            with self.subTest(name):
                run = pit_reader.load(path_of(name))
                self.assertEqual(pit_check.check(run), [])
                mine = plain_numbers(pit_runs.comparable(run, state))
                document, said = pit_runs.dump(path_of(name))
                self.assertIsNotNone(document, said)
                self.assertEqual(pit_runs.differences(document, mine), [])
                self.assertEqual(document, mine)

    def test_both_readers_say_the_same_of_a_journal_that_went_round(self):
        path = os.path.join(self.folder(), "journal.pit")
        self.run_ok([pit_case.program("prog_golden"), "journal", path])
        run = pit_runs.read_both(self, path, "closed")
        self.assertGreater(run["journal_dropped"], 0)
        self.assertEqual(run["journal_dropped"] + len(run["journal"]), 30000)
        for i, entry in enumerate(run["journal"], run["journal_dropped"]):
            self.assertEqual(entry["wall_ns"], 1000 + i)
            self.assertEqual(entry["kind"], "odd" if i % 2 else "even")
            self.assertEqual(entry["figures"],
                             [["index", float(i), ""], ["tenths", i / 10, "s"]][:i % 3])

    def test_both_readers_say_the_same_of_places_that_gave_way_to_others(self):
        path = os.path.join(self.folder(), "places.pit")
        self.run_ok([pit_case.program("prog_golden"), "places", path])
        places = pit_runs.read_both(self, path, "closed")["places"]
        source = places["sources"]["python"]
        self.assertEqual((source["hz"], source["dropped"]), (12.5, 0))
        self.assertEqual(places["sources"]["native"]["reason"], 'not allowed: "perf" \u00e9')
        noted = sum(1 + i % 3 for i in range(3000) if i % 5) + 3000 + 3
        self.assertEqual(source["samples"], noted)
        hot = [e["samples"] for e in places["entries"] if e["function"] == "hot"]
        self.assertEqual((len(hot), sum(hot)), (7, 3000))
        rest = [e for e in places["entries"] if not e["function"] and e["path"]]
        self.assertGreater(sum(e["samples"] for e in rest), 1000)

    def test_the_cut_run_has_its_first_part(self):
        document = json.loads(self.kept("cut"))
        whole = json.loads(self.kept("killed"))
        paths = {node["path"] for t in document["threads"] for node in t["nodes"]}
        all_paths = {node["path"] for t in whole["threads"] for node in t["nodes"]}
        self.assertTrue(paths)
        self.assertLess(len(document["threads"][0]["events"]) + len(paths),
                        len(whole["threads"][0]["events"]) + len(all_paths) + 1)

    def test_a_newer_minor_version_reads_like_this_one(self):
        self.assertEqual(json.loads(self.kept("newer-minor")), json.loads(self.kept("killed")))

    def test_how_its_process_ended_is_all_that_the_run_with_an_end_has_more(self):
        run = json.loads(self.kept("ended"))
        ended = run.pop("ended")
        self.assertEqual(run, json.loads(self.kept("killed")))
        self.assertEqual((ended["exit_signal"], ended["exit_status"]), (9, None))
        self.assertEqual((ended["duration_ns"], ended["children"]), (2 * 10**9, 2))
        self.assertEqual((ended["read_bytes"], ended["write_bytes"]), (4096, None))

    def test_what_lies_behind_an_unknown_block_is_found(self):
        document = json.loads(self.kept("unknown-block"))
        self.assertEqual(document["facts"]["label.behind"], "found")
        self.assertEqual(document["threads"], json.loads(self.kept("killed"))["threads"])
        self.assertEqual(pit_reader.load(path_of("unknown-block"))["skipped_blocks"], 1)

    def test_runs_of_newer_major_versions_and_other_byte_orders_are_refused(self):
        for name, code in REFUSED.items():
            with self.subTest(name):
                self.assertEqual(json.loads(self.kept(name)), {"refused": code})
        for name in ("newer-major", "newer-features"):
            with self.assertRaises(pit_reader.BadRun):
                pit_reader.load(path_of(name))

    def test_the_golden_runs_hold_what_they_were_made_to_hold(self):
        finished, killed = json.loads(self.kept("finished")), json.loads(self.kept("killed"))
        counts = {n["path"]: n["count"] for t in finished["threads"] for n in t["nodes"]}
        self.assertEqual(counts["epoch/train/forward"], 110)
        self.assertEqual(counts["epoch/load"], 22)
        self.assertEqual(counts["outer/abandoned"], 0)
        self.assertEqual(finished["threads"][0]["counters"]["abandoned"], 1)
        self.assertEqual(finished["threads"][0]["counters"]["end_without_begin"], 1)
        self.assertEqual(finished["threads"][0]["values"][0]["count"], 600)
        opened = [s["path"] for s in killed["threads"][0]["open"]]
        self.assertEqual(opened, ["run", "run/evaluate", "run/evaluate/batch", "run/request"])
        self.assertEqual(killed["threads"][1]["counters"]["wrong_thread"], 1)

    def test_the_run_with_memory_holds_figures_records_and_readings(self):
        run = json.loads(self.kept("memory"))
        main, worker = run["threads"]
        measured = {m["path"]: m for t in run["threads"] for m in t["memory"]}
        self.assertEqual({path: m["count"] for path, m in measured.items()},
                         {"epoch": 5, "epoch/fill": 5, "cache": 3})
        for path in ("epoch", "epoch/fill", "cache"):
            self.assertGreater(measured[path]["peak_max"], 2 << 20, path)
            self.assertIn(measured[path]["peak_method"], ("rusage", "hwm"))
        self.assertEqual([s["path"] for s in main["open"]], ["open"])
        alloc = {a["path"]: a for a in main["alloc"]}
        leak = alloc["epoch/leak"]
        self.assertEqual((leak["count"], leak["leak_spans"], leak["leaked_blocks"]), (5, 5, 5))
        self.assertGreaterEqual(leak["leaked_bytes"], 500)
        self.assertGreater(alloc["epoch/fill"]["freed_bytes"], 5 * (3 << 20))
        records = [(r["path"], r["items"], r["has_memory"], r["has_alloc"])
                   for r in main["records"]]
        self.assertEqual(records, [(path, i if path != "epoch" else 0, path == "epoch", True)
                                   for i in range(5) for path in ("epoch/kept", "epoch")])
        self.assertEqual([r["path"] for r in worker["records"]], ["cache"] * 3)
        samples = run["samples"]
        self.assertGreater(len(samples["points"]), 3)
        self.assertIn(None, [p["available_bytes"] for p in samples["points"]])
        self.assertEqual(samples["cgroup_limit"], 2 << 30)
        self.assertGreater(samples["rss_peak"], max(r["rss_end"] for r in worker["records"]))

    def test_the_run_with_channels_says_what_each_is(self):
        samples = json.loads(self.kept("channels"))["samples"]
        channels = {c["key"]: c for c in samples["channels"]}
        older = {c["key"]: c for c in json.loads(self.kept("memory"))["samples"]["channels"]}
        self.assertEqual(channels, older)  # a run before channels is presented as the same ones
        self.assertEqual(set(samples["newest"]), set(channels) | {"ticks"})
        self.assertGreater(len(samples["points"]), 3)
        self.assertIn(None, [p["available_bytes"] for p in samples["points"]])
        self.assertEqual(samples["cgroup_limit"], 2 << 30)

    def test_the_runs_tell_nothing_of_the_machine_they_were_made_on(self):
        for name in READ:
            facts = pit_reader.load(path_of(name))["facts"]
            facts.pop("label.behind", None)
            self.assertEqual(facts, dict(make_golden.KNOWN_FACTS))


if __name__ == "__main__":
    pit_case.main()
