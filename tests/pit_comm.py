"""The part of pit_reader.py about communication between processes."""

from pit_view import U32_MAX, U64_MAX, BadRun


def read_call(view, at, seq, threads, start, per_tick):
    """One collective; None if nothing is known of it."""
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
