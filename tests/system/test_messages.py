"""Messages to other ranks and callers in the run: both readers, more messages than the run has
room for, and after a kill; the view, its forms, and Python."""

import json
import os
import signal
import struct

import doc_pages
import pit_case
import pit_reader
import pit_runs

PARTNERS_AT, CALLERS_AT, BLOCK_BYTES = 1664, 26240, 75392


def wanted_partners():
    """Of the first 1,024 ranks: rank, messages, bytes."""
    counts = [i + 1 if i < 10 else 1 for i in range(1100)]
    return [[i, counts[i], counts[i] << i % 40] for i in range(1100)]


class Messages(pit_case.Case):
    def record(self, *inside):
        path = os.path.join(self.folder(), "run.pit")
        self.run_status(-signal.SIGKILL if inside else 0,
                        [pit_case.program("prog_messages"), path, *inside])
        return path

    def check(self, run):
        found, wanted = run["messages"], wanted_partners()
        self.assertEqual(found["partners"], wanted[:1024])
        self.assertEqual(found["others"], [76 + 5, sum(row[2] for row in wanted[1024:]) + 5000])
        sizes = {}
        for rank, count, size in wanted:
            one = sizes.setdefault(rank % 40 + 1, [rank % 40 + 1, 0, 0])
            one[1], one[2] = one[1] + count, one[2] + size
        sizes[10][1] += 5  # 1,000 bytes are below 2¹⁰
        sizes[10][2] += 5000
        self.assertEqual(found["sizes"], [sizes[i] for i in sorted(sizes)])
        calls = {}
        for caller in found["callers"]:
            calls[caller["path"]] = calls.get(caller["path"], 0) + caller["calls"]
        self.assertEqual(calls["MPI_Send"] + found["calls_lost"], 1100 + 45)
        self.assertGreater(found["calls_lost"], 0)  # 300 callers, 256 places
        node, = (n for n in run["threads"][0]["nodes"] if n["path"] == "MPI_Send")
        self.assertEqual(node["bytes"], sum(row[2] for row in wanted) + 5000)
        return found

    def test_ranks_and_callers_past_the_room_are_summed(self):
        run = pit_runs.read_both(self, self.record(), "closed")
        found = self.check(run)
        self.assertEqual(found["collective_sizes"], [[0, 3, 0]])
        reduce, = (c for c in found["callers"] if c["path"] == "MPI_Allreduce")
        self.assertEqual((reduce["calls"], reduce["function"], reduce["file"]),
                         (3, "main", "prog_messages"))

    def test_the_time_of_callers_is_that_of_their_node(self):
        run = pit_reader.load(self.record())
        for thread in run["threads"]:
            node, = (n for n in thread["nodes"] if n["path"] == "MPI_Allreduce")
            of_callers = sum(c["ticks"] for c in run["messages"]["callers"]
                             if c["path"] == "MPI_Allreduce")
            self.assertEqual(of_callers, node["total"])

    def test_a_kill_leaves_the_call_that_is_open(self):
        run = pit_runs.read_both(self, self.record("inside"), "died")
        found = self.check(run)
        self.assertEqual(found["collective_sizes"], [[0, 3, 0], [4, 1, 9]])
        calls = [c["calls"] for c in found["callers"] if c["path"] == "MPI_Allreduce"]
        self.assertEqual(calls, [4])

    def test_readers_agree_on_bytes_that_make_no_sense(self):
        path = self.record()
        with open(path, "rb") as file:
            data = bytearray(file.read())
        view = pit_reader.View(data)
        blocks, _ = pit_reader.walk(view, 4096, len(data))
        at = next(b.offset for b in blocks if b.type == pit_reader.MESSAGES)
        for offset, value in ((64, 2**64 - 1), (1600, 2**64 - 1), (PARTNERS_AT, 2**64 - 1),
                              (PARTNERS_AT + 24, 1), (PARTNERS_AT + 32, 2**64 - 1), (16, 0),
                              (CALLERS_AT, 0), (CALLERS_AT + 24, 2**64 - 1),
                              (CALLERS_AT + 28, 77), (CALLERS_AT + 8, 2**64 - 1), (1616, 2**64 - 1)):
            with self.subTest(offset):
                bad = bytearray(data)
                struct.pack_into("<Q", bad, at + offset, value)
                with open(path, "wb") as file:
                    file.write(bad)
                pit_runs.read_both(self, path, "closed")
                self.run_status(2 if offset == 16 else 0,
                                [pit_case.tool(), "report", "--view", "messages", path])

    def test_an_older_reader_passes_over_the_block(self):
        path = self.record()
        with open(path, "rb") as file:
            data = bytearray(file.read())
        blocks, _ = pit_reader.walk(pit_reader.View(data), 4096, len(data))
        for block in blocks:
            if block.type == pit_reader.MESSAGES:
                struct.pack_into("<I", data, block.offset, 99)  # an unknown type
        with open(path, "wb") as file:
            file.write(data)
        run = pit_runs.read_both(self, path, "closed")
        self.assertIsNone(run["messages"])
        self.assertEqual({n["path"]: n["count"] for n in run["threads"][0]["nodes"]},
                         {"MPI_Send": 1150, "MPI_Allreduce": 3})

    def test_the_view_in_its_forms(self):
        path = self.record()
        said = json.loads(self.run_ok([pit_case.tool(), "report", "--view", "messages", "--json",
                                       path]).stdout)
        wanted = sorted(wanted_partners(), key=lambda row: (-row[2], -row[1], row[0]))
        pairs = [[row["to"], row["messages"], row["bytes"]] for row in said["rows"]]
        self.assertEqual([row for row in pairs if row[0] is not None], wanted[:16])
        rest, = (row for row in pairs if row[0] is None)
        self.assertEqual(rest[1:], [1150 - sum(row[1] for row in wanted[:16]),
                                    sum(row[2] for row in wanted) + 5000
                                    - sum(row[2] for row in wanted[:16])])
        self.assertEqual(said["collective_sizes"], [{"from_bytes": 0, "messages": 3, "bytes": 0}])
        site, = (s for s in said["call_sites"] if s["call"] == "MPI_Allreduce")
        self.assertEqual((site["function"], site["calls"]), ("main", 3))
        text = self.run_ok([pit_case.tool(), "report", "--view", "messages", path]).stdout
        self.assertIn("rank 0 sends most, to ranks without a line of their own", text)
        self.assertIn("main+0x", text)
        lines = self.run_ok([pit_case.tool(), "report", "--view", "messages", "--csv", path]).stdout
        self.assertEqual(len(lines.splitlines()), 1 + 17)
        page = doc_pages.text_of(os.path.join("docs", "views", "messages.md"))
        for column in lines.splitlines()[0].split(","):
            self.assertIn("`%s`" % column, page)

    def test_a_run_without_messages_says_so(self):
        path = os.path.join(self.folder(), "plain.pit")
        self.run_ok([pit_case.tool(), "run", "--quiet", "-o", path, "--", "true"])
        done = pit_case.run([pit_case.tool(), "report", "--view", "messages", path])
        self.assertIn("no messages were recorded", done.stdout + done.stderr)


if __name__ == "__main__":
    pit_case.main(has_threads=False)
