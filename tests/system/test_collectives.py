"""Collective calls in the run: both readers, any number of calls, and after a kill inside one."""

import json
import os
import signal

import pit_case
import pit_runs


class Collectives(pit_case.Case):
    def record(self, calls, *inside):
        path = os.path.join(self.folder(), "run.pit")
        self.run_status(-signal.SIGKILL if inside else 0,
                        [pit_case.program("prog_collectives"), path, str(calls), *inside])
        return path

    def check_points(self, group, calls, stride):
        ended = [c for c in group["points"] if c["duration_ns"] is not None]
        self.assertEqual([c["seq"] for c in ended], list(range(0, calls, stride)))
        self.assertEqual([c["bytes"] for c in ended], list(range(0, calls, stride)))
        self.assertTrue(all(c["path"] == "step/MPI_Barrier" and c["is_sync"] for c in ended))
        enters = [c["enter_ns"] for c in ended]
        self.assertEqual(enters, sorted(enters))

    def test_the_stride_is_the_same_for_the_same_number_of_calls(self):
        for calls, stride in ((1, 1), (1024, 1), (1025, 2), (2048, 2), (2049, 4), (9000, 16)):
            with self.subTest(calls):
                run = pit_runs.read_both(self, self.record(calls), "closed")
                other, world = run["groups"]
                self.assertEqual((other["id"], other["size"], other["rank"]), (8, 2, 0))
                self.assertEqual((world["id"], world["size"], world["rank"]), (7, 3, 1))
                self.assertEqual((world["calls"], world["stride"]), (calls, stride))
                self.check_points(world, calls, stride)
                comm = {n["path"]: "comm" in n for t in run["threads"] for n in t["nodes"]}
                self.assertEqual(comm, {"MPI_Bcast": True, "step": False, "step/MPI_Barrier": True})

    def test_a_kill_inside_leaves_the_call_with_its_number(self):
        for calls, stride in ((0, 1), (1, 1), (1023, 1), (1024, 2), (1025, 2), (3001, 4)):
            with self.subTest(calls):
                run = pit_runs.read_both(self, self.record(calls, "inside"), "died")
                world = run["groups"][1]
                self.assertEqual((world["calls"], world["stride"]), (calls + 1, stride))
                self.check_points(world, calls, stride)
                last = world["points"][-1]
                self.assertEqual((last["seq"], last["bytes"], last["path"]),
                                 (calls, calls, "MPI_Bcast"))
                self.assertIsNone(last["duration_ns"])
                self.assertEqual(len([c for c in world["points"] if c["duration_ns"] is None]), 1)

    def test_times_are_the_runs(self):
        path = self.record(20)
        mine = pit_runs.read_both(self, path, "closed")
        theirs = json.loads(self.run_ok([pit_case.program("prog_dump"), path, "clock"]).stdout)
        for a, b in zip(mine["groups"], theirs["groups"]):
            for call, same in zip(a["points"], b["points"]):
                for key in ("enter_ns", "duration_ns"):
                    self.assertAlmostEqual(call[key], same[key], delta=2 + 1e-6 * call[key])


if __name__ == "__main__":
    pit_case.main(has_threads=False)
