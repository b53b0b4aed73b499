#!/usr/bin/env python3
"""A second reader of run files, written from docs/run-format.md alone.

It shares no code with the library, so that tests can compare the two readers. It reads a run at rest
(closed, or its process has ended). Of a live run it reads one copy, whose parts may differ by a few
spans.

    pit_reader.py RUN            print one JSON document
    pit_reader.py --check RUN    print violated invariants; exit 1 if there are any

As a module: load(path) -> dict. Bad files raise BadRun. pit_check.check(dict) -> list of texts.
"""

import json
import re
import struct
import sys

import pit_check
import pit_comm
from pit_view import U32_MAX, U64_MAX, BadRun, Block, View

POPPED = 2 ** 64 - 1
OBJECT_ENDING = 2 ** 31
ENDED = 1 << 6  # among the flags of a frame
NO_BUCKET = U32_MAX
NO_WINDOW = 2**31

(FACTS, THREAD, NODES, NAMES, SERIES, OCTAVE, RING, VALUE, OBJECTS, MEMORY_OF, ALLOC_OF, RECORDS,
 SAMPLES, JOURNAL, CHANNELS, PLACES_OF, COLLECTIVES, TEAMS) = range(1, 19)
MESSAGES, ENERGY_OF = 20, 21
HEADER_BYTES = 4096
NODE_BYTES = 1216
LEAST_BYTES = {THREAD: 8512, SERIES: 4160, OCTAVE: 320, VALUE: 32960, OBJECTS: 4096,
               MEMORY_OF: 320, ALLOC_OF: 320, RECORDS: 16384, SAMPLES: 65920, JOURNAL: 64,
               CHANNELS: 128, PLACES_OF: 16704, COLLECTIVES: 65664,
               TEAMS: 320, MESSAGES: 75392, ENERGY_OF: 320}

MEMORY_FIELDS = ("count", "delta_last", "delta_sum", "delta_max", "peak_last", "peak_sum",
                 "peak_max", "rss_max", "rss_last", "minor_faults", "major_faults", "error_bytes",
                 "peak_method", "_", "device_max")
ALLOC_FIELDS = ("count", "allocs", "frees", "alloc_bytes", "freed_bytes", "peak_last", "peak_max",
                "live_last", "live_sum", "leaked_bytes", "leaked_blocks", "leak_spans")
TEAM_FIELDS = ("count", "threads", "threads_max", "busy_ns", "slowest_ns", "elapsed_ns", "wait_ns",
               "lag_ns")
ENERGY_FIELDS = ("count",) + tuple(
    "%s_%s" % (of, what) for of in ("processors", "devices")
    for what in ("microjoules", "measured", "estimated", "unknown"))
RECORD_FIELDS = ("begin", "duration", "where", "items", "rss_begin", "rss_end", "rss_peak",
                 "error_bytes", "minor_faults", "major_faults", "alloc_bytes", "freed_bytes",
                 "peak_method", "has")
MERGES = ("last", "max", "min", "sum", "mean", "once")
# The channels of a SAMPLES block: key, unit, per unit, counter, over time, over runs, source, help.
FIRST_CHANNELS = (
    ("rss_bytes", "bytes", 1, False, "last", "sum", "process", "resident memory"),
    ("rss_max_bytes", "bytes", 1, False, "max", "sum", "process",
     "highest resident memory of the readings"),
    ("cpu_ns", "ns", 1, True, "last", "sum", "process", "processor time, user and system"),
    ("threads", "", 1, False, "last", "sum", "threads", "threads of the process"),
    ("minor_faults", "", 1, True, "last", "sum", "process", "page faults without storage"),
    ("major_faults", "", 1, True, "last", "sum", "process", "page faults that read storage"),
    ("switches", "", 1, True, "last", "sum", "process",
     "context switches because the process waited"),
    ("forced_switches", "", 1, True, "last", "sum", "process",
     "context switches because others had to run"),
    ("read_bytes", "bytes", 1, True, "last", "sum", "storage", "read from storage"),
    ("write_bytes", "bytes", 1, True, "last", "sum", "storage", "written to storage"),
    ("available_bytes", "bytes", 1, False, "min", "min", "machine",
     "memory of the machine that is left"),
    ("cgroup_used_bytes", "bytes", 1, False, "max", "max", "cgroup",
     "memory of the cgroup, page cache included"),
    ("memory_pressure", "share", 10000, False, "max", "max", "pressure",
     "time in which something waited for memory"),
)
CHANNEL_FIELDS = ("key", "unit", "per_unit", "is_counter", "over_time", "over_runs", "source", "help")
PEAK_METHODS = (None, "rusage", "hwm")

ENDED_FIELDS = ("pid", "start_wall_ns", "duration_ns", "exit_status", "exit_signal",
                "dumped_core", "user_ns", "system_ns", "rss_peak", "minor_faults",
                "major_faults", "switches", "forced_switches", "read_bytes", "write_bytes",
                "read_chars", "write_chars", "children", "oom_kills")
RUN_COUNTERS = ("no_table", "in_signal", "values_lost", "mirrors_failed", "objects_unseen",
                "repaired", "null_argument")
THREAD_COUNTERS = ("end_without_begin", "abandoned", "wrong_thread", "too_deep", "table_full",
                   "signal", "clock_back", "left_open")
PLACE_KINDS = ("python", "native")
PLACES = ("in place", "shm", "mirror", "memory")


# ---- header and blocks ----------------------------------------------------------------------


def read_header(view):
    if len(view.data) < HEADER_BYTES:
        raise BadRun("shorter than a header")
    if bytes(view.data[:8]) != b"PITWALL\x1a":
        raise BadRun("not a Pitwall run")
    endian = view.u32(16)
    if endian == 0x04030201:
        view.order = ">"
    elif endian != 0x01020304:
        raise BadRun("unknown byte order")
    major = view.get("H", 8)[0]
    if major != 1:
        raise BadRun("format version %d is not known" % major)
    if view.u64(24):
        raise BadRun("needs features that are not known")
    start = view.u32(12)
    if start < HEADER_BYTES or start % 64 or view.u32(20) != 64:
        raise BadRun("bad header size or alignment")
    state, place, last_pair = view.u32(48), view.u32(52), view.u32(68)
    if state > 1 or place > 3 or last_pair > 1:
        raise BadRun("bad state, place or clock pair in the header")

    def pair(offset):
        return dict(zip(("ticks", "raw_ns", "wall_ns", "error_ns"), view.get("4Q", offset)))

    return {
        "start": start, "state": ("recording", "closed")[state], "place": PLACES[place],
        "pid": view.u32(56), "clock": view.u32(64), "nominal_hz": view.u64(72),
        "first": pair(80), "last": pair(128 + 32 * last_pair),
        "used_bytes": view.u64(192), "file_bytes": view.u64(200),
        "growth_errno": view.u32(216), "open_errno": view.u32(220),
        "span_cost_ps": view.u64(224), "ring_bytes": view.u64(232),
        "run_id": bytes(view.data[32:48]).hex(), "parent_run_id": bytes(view.data[240:256]).hex(),
        "live_name": view.text(320, 128), "ended": read_ended(view),
        "counters": dict(zip(RUN_COUNTERS, view.get("8Q", 256))),
    }


def read_ended(view):
    """How the process ended, if its parent wrote that into the run; an unknown figure is None."""
    told, *figures = view.get("20Q", 448)
    if told != 1:
        return None
    return {key: None if figure == 2**64 - 1 else figure
            for key, figure in zip(ENDED_FIELDS, figures)}


def walk(view, start, end):
    """All blocks up to `end`, and whether the walk found damage."""
    blocks, offset = [], start
    while offset + 64 <= end:
        block = Block(view, offset)
        if block.type == 0:
            return blocks, None
        if block.bytes < 64 or block.bytes % 64:
            return blocks, "bad block length at offset %d" % offset
        if offset + block.bytes > end:
            return blocks, "the block at offset %d reaches past the end" % offset
        block.need(LEAST_BYTES.get(block.type, 64))
        blocks.append(block)
        offset += block.bytes
    return blocks, None


def read_facts(view, blocks):
    facts = {}
    for block in blocks:
        block.need(64 + block.used)
        texts = bytes(view.data[block.offset + 64:block.offset + 64 + block.used]).split(b"\0")[:-1]
        texts = [text.decode("utf-8", "replace") for text in texts]
        facts.update(zip(texts[0::2], texts[1::2]))
    return facts


def read_names(view, blocks):
    names = {}
    for block in blocks:
        block.need(64 + block.used)
        at, end = block.offset + 64, block.offset + 64 + block.used
        while at + 4 <= end:
            length = view.u32(at)
            if at + 4 + length + 1 > end:
                raise BadRun("the name at offset %d is longer than its block" % at)
            names[at] = bytes(view.data[at + 4:at + 4 + length]).decode("utf-8", "replace")
            at += (4 + length + 1 + 3) // 4 * 4
    return names


# ---- one thread -----------------------------------------------------------------------------


def bucket_of(duration):
    if duration < 64:
        return duration
    shift = duration.bit_length() - 6
    return 32 * shift + (duration >> shift)


def parts(where):
    """Ref of a node, depth, flags."""
    return where & U32_MAX, where >> 32 & 0xffff, where >> 48


class Thread:
    """One thread table with its nodes, by the rules of "Reading a thread"."""

    def __init__(self, view, header, block, names):
        at = block.offset
        self.view, self.header, self.block, self.names = view, header, block, names
        self.name = view.text(at + 64, 64)
        self.counters = dict(zip(THREAD_COUNTERS, view.get("8Q", at + 128)))
        self.depth = view.get("H", at + 192)[0]
        if self.depth > 255:
            raise BadRun("thread table at offset %d: depth %d" % (at, self.depth))
        self.parent_child, self.ring_events, self.records_written = view.get("3Q", at + 200)
        keys = ("begin", "duration", "count", "total", "child", "sq_lo", "sq_hi", "where")
        self.pending = dict(zip(keys, view.get("8Q", at + 256)))
        self.pending["node"], self.pending["depth"], _ = parts(self.pending["where"])
        if self.pending["depth"] > 255:
            raise BadRun("thread table at offset %d: depth of the pending sample" % at)
        self.nodes = {}   # ref -> node, in the order of refs
        self.series, self.octaves, self.rings, self.values = {}, {}, [], []
        self.of_nodes, self.pieces = {}, []  # blocks of nodes' figures; of records
        self.applied = False
        self.torn = 0     # nodes that cannot be completed

    def frame(self, index):
        begin, child, where = self.view.get("3Q", self.block.offset + 320 + 32 * index)
        node, _, flags = parts(where)
        return {"begin": begin, "child": child, "node": node, "flags": flags}

    # -- nodes

    def add_nodes(self, block):
        block.need(64 + NODE_BYTES * block.used)
        for i in range(block.used):
            at = block.offset + 64 + NODE_BYTES * i
            self.add_node(at // 64, at)

    def add_node(self, ref, at):
        view, pending = self.view, self.pending
        count, total, child, least, most, sq_lo, sq_hi, seq, window = view.get("7QII", at)
        name, parent, flags, items, in_bytes, flops, first = view.get("QIIQQQQ", at + 128)
        squares = sq_hi << 64 | sq_lo
        if seq & 1 and pending["node"] != ref:
            self.torn += 1  # only in a copy taken while the run was live
        elif seq & 1:
            duration = pending["duration"]
            count = pending["count"] + 1
            total = pending["total"] + duration & U64_MAX
            child = pending["child"]
            if pending["depth"]:
                child += self.frame(pending["depth"])["child"]
            squares = (pending["sq_hi"] << 64 | pending["sq_lo"]) + duration * duration
            least, most = min(least, duration), max(most, duration)
        if pending["node"] == ref and count == pending["count"] + 1:
            self.applied = True
        above = self.nodes.get(parent)
        text = self.names.get(name, "(name lost)")
        path = above["path"] + "/" + text if above else text
        self.nodes[ref] = {
            "path": path, "index": len(self.nodes), "parent": above["index"] if above else None,
            "detached": bool(flags & 1), "count": count, "total": total, "child": child,
            "min": least if count else 0, "max": most if count else 0, "squares": squares,
            "items": items, "bytes": in_bytes, "flops": flops, "first": first, "at": at,
            "window": window,
        }
        if flags & 2:
            self.nodes[ref]["comm"] = True
        if flags & 4:
            self.nodes[ref]["on_device"] = True

    def is_pending(self, ref):
        return self.applied and self.pending["node"] == ref

    def histogram(self, ref, node):
        counts = {}
        if node["window"] != NO_WINDOW:
            if node["window"] > 1920 - 256:
                raise BadRun("node at offset %d: bad histogram window" % node["at"])
            for i, n in enumerate(self.view.get("256I", node["at"] + 192)):
                if n:
                    counts[node["window"] + i] = n
        for block in self.octaves.get(ref, ()):
            for i, n in enumerate(self.view.get("32Q", block.offset + 64)):
                if n:
                    counts[32 * block.b + i] = counts.get(32 * block.b + i, 0) + n
        if self.is_pending(ref) and sum(counts.values()) == node["count"] - 1:
            bucket = bucket_of(self.pending["duration"])
            counts[bucket] = counts.get(bucket, 0) + 1
        return dict(sorted(counts.items()))

    def course(self, ref, node):
        """The series as [start, width, count, total, min, max], start in ticks of the run."""
        at, view = node["at"], self.view
        cur_end, cur_count, cur_total, cur_min, cur_max = view.get("5Q", at + 64)
        index, shift = view.get("II", at + 104)
        block = self.series.get(view.u32(at + 112) * 64)
        buckets = {}
        if block:
            if index == NO_BUCKET:
                shift = block.b
            for i in range(128):
                bucket = list(view.get("4Q", block.offset + 64 + 32 * i))
                if bucket[0] and (index == NO_BUCKET or i < index):
                    buckets[i] = bucket
        if shift > 56:
            raise BadRun("node at offset %d: bad width of its series" % at)
        is_pending, duration = self.is_pending(ref), self.pending["duration"]
        is_behind = True
        if index != NO_BUCKET:
            now = [node["count"] - cur_count, node["total"] - cur_total, cur_min, cur_max]
            is_behind = self.pending["begin"] + duration >= cur_end
            if is_pending and is_behind:
                now[0] -= 1
                now[1] -= duration
            elif is_pending:
                now[2], now[3] = min(now[2], duration), max(now[3], duration)
            if now[0]:
                buckets[index] = now
        short = node["count"] - sum(b[0] for b in buckets.values())
        if is_pending and is_behind and short == 1:
            since = self.pending["begin"] + duration - self.header["first"]["ticks"]
            bucket = buckets.setdefault(max(since, 0) >> shift, [0, 0, U64_MAX, 0])
            bucket[0] += 1
            bucket[1] += duration
            bucket[2], bucket[3] = min(bucket[2], duration), max(bucket[3], duration)
        return [[i << shift, 1 << shift] + b for i, b in sorted(buckets.items())]

    # -- stack, events, values

    def open_spans(self, objects):
        frames = [self.frame(i) for i in range(1, self.depth + 1)]
        done = self.pending["depth"] - 1  # index of the pending sample's frame, if it is on the stack
        if self.applied and 0 <= done < self.depth and self.parent_child != POPPED:
            frame = frames[done]
            if (frame["node"], frame["begin"]) == (self.pending["node"], self.pending["begin"]):
                frame["flags"] |= ENDED
                if done:
                    frames[done - 1]["child"] = self.parent_child
        frames = [f for f in frames if not f["flags"] & ENDED]
        spans = [(f["node"], f["begin"], f["child"], bool(f["flags"] & 1), False) for f in frames]
        spans += [(ref, begin, 0, False, True) for begin, ref, thread in objects
                  if thread & ~OBJECT_ENDING == self.block.thread]
        return [{"path": self.nodes[ref]["path"], "node": self.nodes[ref]["index"],
                 "begin": begin, "child": child, "phase": phase, "object": is_object}
                for ref, begin, child, phase, is_object in spans if ref in self.nodes]

    def events(self):
        events = []
        for ring in sorted((r for r in self.rings if r.a != U64_MAX), key=lambda r: r.a):
            ring.need(64 + 24 * ring.b)
            for i in range(max(min(ring.b, self.ring_events - ring.a), 0)):
                begin, duration, where = self.view.get("3Q", ring.offset + 64 + 24 * i)
                events.append((begin, duration) + parts(where)[:2])
        spans = sum(node["count"] for node in self.nodes.values())
        if (self.applied and self.header["ring_bytes"] and self.ring_events + 1 == spans
                and (self.rings or not self.ring_events)):
            p = self.pending
            events.append((p["begin"], p["duration"], p["node"], p["depth"]))
        return [[self.nodes[ref]["path"], begin, duration, depth]
                for begin, duration, ref, depth in events if ref in self.nodes]

    def value(self, block):
        view, at = self.view, block.offset
        name, count, seq, half = view.get("QQII", at + 64)
        if name not in self.names:
            return None  # created, but not filled in yet; or its name is beyond the file
        if half > 1:
            raise BadRun("value at offset %d: bad half" % at)
        stride, last = view.u64(at + 88 + 8 * half), view.get("d", at + 104)[0]
        if seq & 1:
            count, last = view.u64(at + 168), view.get("d", at + 120)[0]
        points = -(-count // stride) if stride else 513
        if points > 512:
            raise BadRun("value at offset %d: more points than room" % at)
        out = []
        for i in range(points):
            where = at + 192 + 32 * (512 * half + i)
            if seq & 1 and i == count // stride:
                where = at + 136
            ticks, total, least, most = view.get("Q3d", where)
            n = min(stride, count - i * stride)
            out.append([ticks, n, total / n, least, most])
        return {"name": self.names[name], "count": count, "last": last if count else None,
                "points": out}

    # -- memory and records

    def figures(self, ref, node, kind, at, fmt, fields):
        """The valid copy of the node's block of a type, or None."""
        offset = 64 * self.view.u32(node["at"] + at)
        block = self.of_nodes.get((kind, offset)) if offset else None
        if not block or block.a != ref:
            return None
        values = self.view.get(fmt, offset + 64 + 128 * (block.b & 1))
        out = dict(zip(fields, values), path=node["path"], node=node["index"])
        if not out["count"]:
            return None
        out.pop("_", None)
        if "peak_method" in out:
            out["peak_method"] = method_of(out["peak_method"])
        return out

    def memory(self):
        all_ = (self.figures(ref, node, MEMORY_OF, 180, "Q3q8QIIQ", MEMORY_FIELDS)
                for ref, node in self.nodes.items())
        return [figures for figures in all_ if figures]

    def alloc(self):
        all_ = (self.figures(ref, node, ALLOC_OF, 184, "7Q2q3Q", ALLOC_FIELDS)
                for ref, node in self.nodes.items())
        return [figures for figures in all_ if figures]

    def energy(self):
        all_ = (self.figures(ref, node, ENERGY_OF, 120, "9Q", ENERGY_FIELDS)
                for ref, node in self.nodes.items())
        return [figures for figures in all_ if figures]

    def teams(self):
        all_ = (self.figures(ref, node, TEAMS, 124, "8Q", TEAM_FIELDS)
                for ref, node in self.nodes.items())
        return [figures for figures in all_ if figures]

    def records(self):
        out = []
        for piece in sorted((r for r in self.pieces if r.a != U64_MAX), key=lambda r: r.a):
            if piece.b > 127:
                raise BadRun("records at offset %d: more than room" % piece.offset)
            for i in range(max(min(piece.b, self.records_written - piece.a), 0)):
                values = self.view.get("12QII", piece.offset + 128 + 128 * i)
                record = dict(zip(RECORD_FIELDS, values))
                ref, depth, _ = parts(record.pop("where"))
                if ref not in self.nodes:
                    continue
                has = record.pop("has")
                record.update(path=self.nodes[ref]["path"], depth=depth,
                              has_memory=bool(has & 1), has_alloc=bool(has & 2),
                              peak_method=method_of(record["peak_method"]))
                out.append(record)
        return out

    def plain(self, objects):
        nodes = []
        for ref, node in self.nodes.items():
            out = {key: node[key] for key in (
                "path", "parent", "detached", "count", "total", "child", "min", "max", "squares",
                "items", "bytes", "flops", "first")}
            out.update((key, True) for key in ("comm", "on_device") if key in node)
            out["histogram"] = self.histogram(ref, node)
            out["series"] = self.course(ref, node)
            nodes.append(out)
        return {
            "name": self.name, "index": self.block.thread, "tid": self.block.a,
            "thread_count": self.block.b, "attached": bool(self.block.used), "depth": self.depth,
            "open": self.open_spans(objects), "nodes": nodes, "events": self.events(),
            "events_written": self.ring_events,
            "values": [value for value in map(self.value, self.values) if value],
            "memory": self.memory(), "alloc": self.alloc(), "energy": self.energy(),
            "teams": self.teams(), "records": self.records(),
            "records_written": self.records_written,
            "counters": self.counters, "torn": self.torn,
        }


def method_of(number):
    return PEAK_METHODS[number] if number < len(PEAK_METHODS) else None


def known(number):
    return None if number == U64_MAX else number


def read_channels(view, block):
    """The channels of a block, each with its column."""
    if block.type == SAMPLES:
        return [dict(zip(CHANNEL_FIELDS, channel), missing="", column=i)
                for i, channel in enumerate(FIRST_CHANNELS)]
    channels = []
    for i in range(block.a):
        at = block.offset + 128 + 256 * i
        key = bytes(view.data[at:at + 48]).split(b"\0")[0]
        if not re.fullmatch(b"[a-z][a-z0-9_]{0,46}", key):
            continue
        per_unit, kind, over_time, over_runs = view.get("Q3I", at + 224)
        channel = {
            "key": key.decode(), "unit": plain_text(view, at + 48, 16),
            "source": plain_text(view, at + 64, 24), "help": plain_text(view, at + 88, 64),
            "missing": plain_text(view, at + 152, 72), "per_unit": per_unit or 1,
            "is_counter": kind == 1, "column": i,
            "over_time": MERGES[over_time] if over_time < len(MERGES) else "last",
            "over_runs": MERGES[over_runs] if over_runs < len(MERGES) else "last",
        }
        if kind == 1 and view.u64(at + 248):
            channel["first"] = view.u64(at + 248)
        if channel["key"] not in [c["key"] for c in channels]:
            channels.append(channel)
    return channels


def plain_text(view, at, room):
    """A text of a description: its last byte is always the end, control characters are replaced."""
    text = bytes(view.data[at:at + room - 1]).split(b"\0")[0]
    return re.sub(rb"[\x01-\x1f\x7f]", b"?", text).decode("utf-8", "replace")


def read_samples(view, block):
    """The sampler's readings, or None before the first one. Unknown figures are None too."""
    at = block.offset
    half, newest_copy, stride0, stride1 = view.get("IIQQ", at + 64)
    if not block.used:
        return None
    stride = (stride0, stride1)[half & 1]
    points = -(-block.used // stride) if stride else 257
    if points > 256:
        raise BadRun("samples at offset %d: more points than room" % at)
    words, rows = 16, at + 128
    if block.type == CHANNELS:
        if block.a > 192:
            raise BadRun("channels at offset %d: more than 192" % at)
        words, rows = 1 + block.a, at + 128 + 256 * block.a
        block.need(128 + 256 * block.a + 514 * 8 * words)
    channels = read_channels(view, block)

    def sample(row):
        figures = view.get("%dQ" % words, rows + 8 * words * row)
        out = {c["key"]: known(figures[1 + c["column"]]) for c in channels}
        out["ticks"] = figures[0]
        return out

    limits = view.get("5Q", at + 88)
    out = dict(zip(("machine_bytes", "cgroup_limit", "cgroup_version", "oom_kills", "rss_peak"),
                   map(known, limits)))
    out.update(readings=block.used, stride=stride, newest=sample(newest_copy & 1),
               points=[sample(2 + 256 * (half & 1) + i) for i in range(points)])
    for channel in channels:
        del channel["column"]
        if any(row[channel["key"]] is not None for row in out["points"] + [out["newest"]]):
            channel["missing"] = None
        elif not channel["missing"]:
            channel["missing"] = "not recorded"
    out["channels"] = channels
    return out


def read_entry(view, at, end):
    """One entry of the journal and the offset of the next; None if it is incomplete."""
    if end - at < 24:
        return None
    size, figures, ticks, wall_ns = view.get("IIQQ", at)
    if size % 8 or size < 24 + 8 * figures or size > end - at:
        return None
    values = view.get("%dd" % figures, at + 24)
    texts = bytes(view.data[at + 24 + 8 * figures:at + size]).split(b"\0")
    if len(texts) < 3 + 2 * figures:
        return None
    texts = [text.decode("utf-8", "surrogateescape") for text in texts]
    out = {"kind": texts[0], "text": texts[1], "ticks": ticks, "wall_ns": wall_ns,
           "figures": [[texts[2 + 2 * i], values[i], texts[3 + 2 * i]] for i in range(figures)]}
    return out, at + size


def read_journal(view, blocks):
    """All entries, oldest first, and how many older ones are gone."""
    blocks = sorted((b for b in blocks if b.a != U64_MAX and b.used), key=lambda b: b.a)
    entries = []
    for block in blocks:
        at, end = block.offset + 64, block.offset + 64 + block.used
        found = read_entry(view, at, end)
        while found:
            entries.append(found[0])
            found = read_entry(view, found[1], end)
    return entries, blocks[0].a if blocks else 0


def read_place(view, at, threads):
    """One entry; None if it is not in use."""
    seq, kind, table, ref, line, _, samples = view.get("6IQ", at)
    if seq & 1 or not samples or kind >= len(PLACE_KINDS):
        return None
    order = sorted(threads)
    out = {"kind": PLACE_KINDS[kind], "line": line, "samples": samples, "path": None, "node": U32_MAX,
           "thread": order.index(table) if table in threads else None,
           "function": view.text(at + 32, 96), "file": view.text(at + 128, 128)}
    for number, index in enumerate(order):
        if ref in threads[index].nodes:
            node = threads[index].nodes[ref]
            out.update(thread=number, path=node["path"], node=node["index"])
    return out


def read_places(view, blocks, threads):
    """Where the main thread was, and how the samples were taken. None without such blocks, or if a kill
    came before the first word of the block was stored."""
    if not blocks:
        return None
    entries = []
    for block in blocks:
        if block.used > 64:
            raise BadRun("places at offset %d: more than room" % block.offset)
        entries += [read_place(view, block.offset + 320 + 256 * i, threads)
                    for i in range(block.used)]
    sources = {}
    for i, kind in enumerate(PLACE_KINDS):
        at = blocks[0].offset + 64 + 128 * i
        millihertz, samples, dropped = view.get("3Q", at)
        sources[kind] = {"hz": millihertz / 1000, "samples": samples, "dropped": dropped,
                         "reason": "" if millihertz else view.text(at + 24, 104)}
    entries = [e for e in entries if e]
    if not entries and not any(s["hz"] or s["reason"] for s in sources.values()):
        return None
    entries.sort(key=lambda e: (
        U32_MAX if e["thread"] is None else e["thread"], e.pop("node"), PLACE_KINDS.index(e["kind"]),
        -e["samples"], e["file"], e["line"], e["function"]))
    return {"sources": sources, "entries": entries}


# ---- the whole run --------------------------------------------------------------------------


def sort_blocks(view, header, blocks):
    """Threads with their blocks; a first pass collects what later blocks refer to."""
    of = {kind: [b for b in blocks if b.type == kind] for kind in range(1, ENERGY_OF + 1)}
    names = read_names(view, of[NAMES])
    threads = {}
    for block in of[THREAD]:
        if block.thread in threads:
            raise BadRun("two thread tables have the index %d" % block.thread)
        threads[block.thread] = Thread(view, header, block, names)
    for kind in (NODES, SERIES, OCTAVE, RING, VALUE, MEMORY_OF, ALLOC_OF, TEAMS, ENERGY_OF, RECORDS):
        for block in of[kind]:
            thread = threads.get(block.thread)
            if not thread:
                raise BadRun("the block at offset %d has no thread table" % block.offset)
            if kind == NODES:
                thread.add_nodes(block)
            elif kind == SERIES:
                thread.series[block.offset] = block
            elif kind == OCTAVE:
                if block.b >= 60:
                    raise BadRun("the block at offset %d has no such octave" % block.offset)
                thread.octaves.setdefault(block.a, []).append(block)
            elif kind == RING:
                thread.rings.append(block)
            elif kind == RECORDS:
                thread.pieces.append(block)
            elif kind in (MEMORY_OF, ALLOC_OF, TEAMS, ENERGY_OF):
                thread.of_nodes[kind, block.offset] = block
            else:
                thread.values.append(block)
    objects = [view.get("QII", block.offset + 64 + 16 * i)
               for block in of[OBJECTS] for i in range(252)]
    done = {t.pending["begin"] for t in threads.values() if t.applied and not t.pending["depth"]}
    objects = [o for o in objects if o[1] and not (o[2] & OBJECT_ENDING and o[0] in done)]
    readings = [b for b in blocks if b.type in (SAMPLES, CHANNELS)]
    samples = read_samples(view, readings[0]) if readings else None
    return (threads, objects, read_facts(view, of[FACTS]), samples,
            read_journal(view, of[JOURNAL]), read_places(view, of[PLACES_OF], threads),
            [g for g in (pit_comm.read_group(view, b, threads, header["first"]["ticks"],
                                    ns_per_tick(header) or 0) for b in of[COLLECTIVES]) if g],
            pit_comm.read_messages(view, of[MESSAGES], threads))


def ns_per_tick(header):
    first, last = header["first"], header["last"]
    if header["clock"] == 1:
        return 1.0
    ticks, raw = last["ticks"] - first["ticks"], last["raw_ns"] - first["raw_ns"]
    if raw < 1000000 and header["nominal_hz"]:
        return 1e9 / header["nominal_hz"]
    return raw / ticks if ticks > 0 and raw > 0 else None


def parse(data):
    view = View(data)
    header = read_header(view)
    blocks, damage = walk(view, header["start"], min(header["used_bytes"], len(data)))
    threads, objects, facts, samples, journal, places, groups, messages = sort_blocks(view, header, blocks)
    run = {key: header[key] for key in (
        "state", "place", "pid", "run_id", "parent_run_id", "clock", "used_bytes", "file_bytes",
        "growth_errno", "open_errno", "span_cost_ps", "ring_bytes", "counters", "ended")}
    run["start_ticks"], run["end_ticks"] = header["first"]["ticks"], header["last"]["ticks"]
    run["start_wall_ns"] = header["first"]["wall_ns"]
    run["ns_per_tick"] = ns_per_tick(header)
    run["damage"] = damage
    run["skipped_blocks"] = sum(1 for b in blocks if b.type > ENERGY_OF)
    run["facts"] = facts
    run["samples"] = samples
    run["journal"], run["journal_dropped"] = journal
    run["places"] = places
    run["groups"] = groups
    run["messages"] = messages
    run["threads"] = [threads[i].plain(objects) for i in sorted(threads)]
    return run


def load(path):
    """The run at `path` as plain dicts and lists. Raises BadRun, OSError."""
    with open(path, "rb") as file:
        return parse(file.read())


def finite(x):
    """JSON has no NaN and no infinities: they become texts."""
    return str(x) if x != x or x in (float("inf"), float("-inf")) else x


def main(arguments):
    checking = arguments[:1] == ["--check"]
    paths = arguments[1:] if checking else arguments
    if len(paths) != 1 or paths[0].startswith("-"):
        sys.stderr.write("usage: pit_reader.py [--check] RUN\n")
        return 64
    try:
        run = load(paths[0])
    except (BadRun, OSError, struct.error) as error:
        sys.stderr.write("pit_reader: %s: %s\n" % (paths[0], error))
        return 1
    if checking:
        bad = pit_check.check(run)
        print("\n".join(bad) if bad else "all holds")
        return 1 if bad else 0
    for thread in run["threads"]:
        for node in thread["nodes"]:
            node["squares"] = str(node["squares"])  # 128 bits: more than JSON numbers keep
        for value in thread["values"]:
            value["last"] = finite(value["last"])
            value["points"] = [[finite(x) for x in point] for point in value["points"]]
    try:
        json.dump(run, sys.stdout, indent=1, allow_nan=False)
        print(flush=True)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the pipe has closed it
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
