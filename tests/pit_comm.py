"""The part of pit_reader.py about communication between processes."""

from pit_view import U32_MAX, U64_MAX, BadRun


def read_call(view, at, seq, threads, start, per_tick):
    """One collective; None if it is unknown."""
    enter, duration, in_bytes, ref, flags = view.get("3Q2I", at)
    if not enter:
        return None
    out = {"seq": seq, "enter_ns": int((enter - start) * per_tick), "bytes": in_bytes,
           "duration_ns": None if duration == U64_MAX else int(duration * per_tick),
           "path": None, "thread": None, "is_sync": bool(flags & 1)}
    for number, index in enumerate(sorted(threads)):
        if ref in threads[index].nodes:
            out.update(thread=number, path=threads[index].nodes[ref]["path"])
    return out


def read_group(view, block, threads, start, per_tick):
    """The calls of one group that were kept, and the newest if it is still inside."""
    at, calls = block.offset, block.used
    half, _, stride0, stride1, apart_seq = view.get("2I3Q", at + 64)
    stride = (stride0, stride1)[half & 1]
    if not calls:
        return None
    if not stride or stride & stride - 1 or -(-calls // stride) > 1024:
        raise BadRun("collectives at offset %d: bad stride" % at)
    points = []
    for i in range(-(-calls // stride)):
        call = read_call(view, at + 128 + 32 * (1024 * (half & 1) + i), i * stride, threads, start,
                         per_tick)
        if call and (call["duration_ns"] is not None or call["seq"] == calls - 1):
            points.append(call)
    if (calls - 1) % stride and apart_seq == calls - 1:
        call = read_call(view, at + 96, apart_seq, threads, start, per_tick)
        if call and call["duration_ns"] is None:
            points.append(call)
    return {"id": block.a, "size": block.b & U32_MAX, "rank": block.c & U32_MAX, "calls": calls,
            "stride": stride, "points": points}


SIZES, PARTNERS, CALLERS = 48, 1024, 256


def read_sizes(view, at):
    """For the classes that are not empty: class, messages, bytes."""
    rows = [[i, *view.get("2Q", at + 16 * i)] for i in range(SIZES)]
    return [row for row in rows if row[1] or row[2]]


def read_caller(view, at, threads):
    """One entry; None if it is not in use, or its node is missing."""
    address, calls, ticks, ref, is_named, offset = view.get("3Q2IQ", at)
    for number, index in enumerate(sorted(threads)):
        if address and calls and ref in threads[index].nodes:
            node = threads[index].nodes[ref]
            return {"thread": number, "node": node["index"], "path": node["path"],
                    "address": address, "calls": calls, "ticks": ticks,
                    "offset": offset if is_named == 1 else 0,
                    "function": view.text(at + 40, 96) if is_named == 1 else None,
                    "file": view.text(at + 136, 56) if is_named == 1 else None}
    return None


def add_up(lists):
    """[key, count, bytes] summed over several lists, by key; a sum stops at 2⁶⁴ - 1."""
    found = {}
    for key, count, size in (row for rows in lists for row in rows):
        one = found.setdefault(key, [key, 0, 0])
        one[1], one[2] = min(one[1] + count, U64_MAX), min(one[2] + size, U64_MAX)
    return [found[key] for key in sorted(found)]


def read_messages(view, blocks, threads):
    """Messages of all threads: by size, by rank; and callers. None without such a block."""
    blocks = [b for b in blocks if b.used]
    if not blocks:
        return None
    starts = [b.offset for b in blocks]
    partners = [[[rank - 1, count, size] for rank, count, size in
                 (view.get("3Q", at + 1664 + 24 * i) for i in range(PARTNERS)) if rank and count]
                for at in starts]
    others = add_up([[0, *view.get("2Q", at + 1600)]] for at in starts)[0]
    callers = [read_caller(view, at + 26240 + 192 * i, threads) for at in starts for i in range(CALLERS)]
    callers = sorted((c for c in callers if c),
                     key=lambda c: (c["thread"], c["node"], -c["calls"], c["address"]))
    for caller in callers:
        del caller["node"]
    return {"sizes": add_up(read_sizes(view, at + 64) for at in starts),
            "collective_sizes": add_up(read_sizes(view, at + 64 + 16 * SIZES) for at in starts),
            "partners": add_up(partners), "others": others[1:],
            "calls_lost": min(sum(view.u64(at + 1616) for at in starts), U64_MAX),
            "callers": callers}
