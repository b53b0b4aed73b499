"""Kills while a block is made, for blocks that test_kill.py cannot cover: those made by another thread or the
sampler, and those that are overwritten. The test builds each state from bytes, in the order in which the
recorder stores them. Both readers agree on each state, and all invariants hold."""

import os
import signal
import struct

import pit_case
import pit_reader
import pit_runs

USED_BYTES_AT, FILE_BYTES_AT, STATE_AT = 192, 200, 48
HEAD = 64
DESCRIPTIONS_AT, DESCRIPTION_BYTES = 128, 256


class Windows(pit_case.Case):
    def made(self, what, status=0):
        """The bytes of a small run of prog_golden, as if its process had been killed at its end."""
        path = os.path.join(self.folder(), "run.pit")
        self.run_status(status, [pit_case.program("prog_golden"), what, path])
        with open(path, "rb") as file:
            data = bytearray(file.read())
        data[STATE_AT:STATE_AT + 4] = bytes(4)
        return data

    def blocks(self, data, kind):
        view = pit_reader.View(data)
        header = pit_reader.read_header(view)
        found, damage = pit_reader.walk(view, header["start"], header["used_bytes"])
        self.assertIsNone(damage)
        return [block for block in found if block.type == kind]

    def check(self, data, note):
        path = os.path.join(self.folder(), "run.pit")
        with open(path, "wb") as file:
            file.write(data)
        return pit_runs.read_both(self, path, "died", note + ": ")

    def grown(self, data, head):
        """The run with one more block after the others, zero except for its header; returns its offset."""
        at = struct.unpack_from("=Q", data, USED_BYTES_AT)[0]
        data = data[:at] + head + bytes(struct.unpack_from("=Q", head, 8)[0] - len(head))
        struct.pack_into("=Q", data, USED_BYTES_AT, len(data))
        struct.pack_into("=Q", data, FILE_BYTES_AT, len(data))
        return data, at

    def stored(self, data, stores, note):
        """One store after the other: [(offset, bytes)]. What is read after each."""
        runs = [self.check(data, note + ", made")]
        for number, (offset, what) in enumerate(stores):
            data[offset:offset + len(what)] = what
            runs.append(self.check(data, "%s, store %d at %d" % (note, number, offset)))
        return runs

    def test_the_table_of_a_thread(self):
        data = self.made("places")
        index = len(self.blocks(data, pit_reader.THREAD))
        size = pit_reader.LEAST_BYTES[pit_reader.THREAD]
        data, at = self.grown(data, struct.pack("=IIQ", pit_reader.THREAD, index, size))
        word = struct.Struct("=Q").pack
        runs = self.stored(data, [(at + 64, b"w"), (at + 65, b"orker"), (at + 24, word(77)),
                                  (at + 32, word(1)), (at + 40, word(12345)), (at + 16, word(1))],
                           "a thread's table")
        self.assertEqual([run["threads"][-1]["name"] for run in runs[:3]], ["", "w", "worker"])
        self.assertEqual([run["threads"][-1]["attached"] for run in runs], [False] * 6 + [True])

    def test_the_readings_of_the_sampler(self):
        donor = self.made("memory")
        block, = self.blocks(donor, pit_reader.CHANNELS)
        whole = bytes(donor[block.offset:block.offset + block.bytes])
        data = self.made("places")
        self.assertEqual(self.blocks(data, pit_reader.CHANNELS), [])
        data, at = self.grown(data, whole[:16])
        rows = DESCRIPTIONS_AT + DESCRIPTION_BYTES * block.a
        row = 8 * (1 + block.a)
        pieces = [(DESCRIPTIONS_AT + i, 1000) for i in range(0, rows - DESCRIPTIONS_AT, 1000)]
        pieces += [(88, 8), (96, 8), (104, 8), (112, 8), (72, 8), (80, 8), (24, 8)]
        pieces += [(rows, row // 2), (rows, row), (rows + row, row), (rows + 2 * row, row // 2),
                   (rows + 2 * row, row)]
        stores = [(at + offset, whole[offset:min(offset + size, rows + 3 * row)])
                  for offset, size in pieces]
        runs = self.stored(data, stores + [(at + 16, struct.pack("=Q", 1))], "readings")
        self.assertEqual([run["samples"] is None for run in runs], [True] * len(stores) + [True, False])
        self.assertEqual(len(runs[-1]["samples"]["points"]), 1)

    def test_a_reading_that_joins_a_point(self):
        """Many readings per point: a kill in the middle leaves some figures of the newest reading in it."""
        data = self.made("memory")
        block, = self.blocks(data, pit_reader.CHANNELS)
        names = [channel["key"] for channel in pit_reader.read_channels(pit_reader.View(data), block)]
        struct.pack_into("=QQ", data, block.offset + 72, 2, 2)
        struct.pack_into("=Q", data, block.offset + 16, 3)
        point = block.offset + DESCRIPTIONS_AT + DESCRIPTION_BYTES * block.a + 3 * 8 * (1 + block.a)
        column = point + 8 * (1 + names.index("rss_bytes"))
        most = struct.unpack_from("=Q", data, point + 8 * (1 + names.index("rss_max_bytes")))[0]
        struct.pack_into("=Q", data, column, most + 4096)
        self.assertEqual(len(self.check(data, "a point")["samples"]["points"]), 2)

    def test_a_journal_that_is_written_over(self):
        data = self.made("journal")
        blocks = self.blocks(data, pit_reader.JOURNAL)
        oldest = min(blocks, key=lambda block: block.a)
        newest = max(block.a for block in blocks)
        before = self.check(data, "the journal")
        at, word = oldest.offset, struct.Struct("=Q").pack
        entry = bytes(data[at + HEAD:at + HEAD + struct.unpack_from("=I", data, at + HEAD)[0]])
        runs = self.stored(data, [
            (at + 24, word(2**64 - 1)), (at + 16, word(0)), (at + 24, word(newest + 10**6)),
            (at + HEAD, entry[:8]), (at + HEAD, entry), (at + 16, word(len(entry)))], "the journal")
        self.assertLess(len(runs[1]["journal"]), len(before["journal"]))
        self.assertEqual(len(runs[-1]["journal"]), len(runs[1]["journal"]) + 1)
        self.assertGreater(runs[1]["journal_dropped"], before["journal_dropped"])

    def test_span_objects_that_begin_and_end(self):
        data = self.made("killed", -signal.SIGKILL)
        block, = self.blocks(data, pit_reader.OBJECTS)
        slots = [block.offset + HEAD + 16 * i for i in range(252)]
        used = [at for at in slots if struct.unpack_from("=I", data, at + 8)[0]]
        self.assertEqual(len(used), 1)
        begin, node, thread = struct.unpack_from("=QII", data, used[0])
        free = next(at for at in slots if at not in used)
        self.stored(data, [(free, struct.pack("=Q", begin + 1)), (free + 12, struct.pack("=I", thread)),
                           (free + 8, struct.pack("=I", node)),
                           (free + 12, struct.pack("=I", thread | pit_reader.OBJECT_ENDING)),
                           (free + 8, bytes(4))], "an object")


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
