"""Checks the invariants of a run at rest (docs/run-format.md), on a run read by pit_reader.py."""


def check(run):
    """The violated items of "Invariants of a finished run"; an empty list if there are none."""
    bad = ["damage: " + run["damage"]] if run["damage"] else []
    for thread in run["threads"]:
        exact = not thread["counters"]["abandoned"] and not thread["counters"]["left_open"]
        below = {}
        for node in thread["nodes"]:
            if not node["detached"]:
                below[node["parent"]] = below.get(node["parent"], 0) + node["total"]
        if thread["torn"]:
            bad.append("%s: %d nodes are half written" % (thread["name"], thread["torn"]))
        for i, node in enumerate(thread["nodes"]):
            where = "%s: %s: " % (thread["name"], node["path"])
            for what, got, want in (
                    ("histogram", sum(node["histogram"].values()), node["count"]),
                    ("series count", sum(b[2] for b in node["series"]), node["count"]),
                    ("series total", sum(b[3] for b in node["series"]), node["total"])):
                if got != want:
                    bad.append("%s%s adds up to %d, not %d" % (where, what, got, want))
            child = node["child"] + sum(s["child"] for s in thread["open"]
                                        if s["node"] == i and not s["object"])
            if exact and child != below.get(i, 0):
                bad.append("%schild time is %d, its child nodes have %d"
                           % (where, child, below.get(i, 0)))
            if node["count"] and not (
                    node["min"] * node["count"] <= node["total"] <= node["max"] * node["count"]
                    and node["total"] ** 2 <= node["squares"] * node["count"]):
                bad.append(where + "minimum, maximum, total and squares do not fit together")
    return bad + check_memory(run) + check_places(run)


def check_places(run):
    """No sample is counted twice; one that was just being stored may be missing."""
    bad = []
    for kind, source in (run["places"] or {"sources": {}})["sources"].items():
        noted = sum(e["samples"] for e in run["places"]["entries"] if e["kind"] == kind)
        if run["state"] == "closed" and noted + source["dropped"] != source["samples"]:
            bad.append("places: %d samples in entries, %d dropped, of %d"
                       % (noted, source["dropped"], source["samples"]))
    return bad


def check_memory(run):
    """The same for memory figures and readings."""
    bad = []
    for thread in run["threads"]:
        counts = [node["count"] for node in thread["nodes"]]
        for kind in ("memory", "alloc", "energy"):
            for figures in thread[kind]:
                if figures["count"] > counts[figures["node"]]:
                    bad.append("%s: %s: %s figures of %d spans, there were %d"
                               % (thread["name"], figures["path"], kind, figures["count"],
                                  counts[figures["node"]]))
        for m in thread["memory"]:
            if not (m["peak_last"] <= m["peak_max"] <= m["peak_sum"]
                    and m["peak_max"] <= m["rss_max"] and m["delta_last"] <= m["delta_max"]):
                bad.append("%s: %s: the memory figures do not fit together"
                           % (thread["name"], m["path"]))
    samples = run["samples"] or {"points": [], "newest": {"ticks": 0}}
    ticks = [p["ticks"] for p in samples["points"]]
    if ticks != sorted(ticks) or samples["newest"]["ticks"] < max(ticks, default=0):
        bad.append("samples are not in the order of time")
    # A kill may happen while a reading is added to the last point.
    whole = samples["points"] if run["state"] == "closed" else samples["points"][:-1]
    if any((p.get("rss_bytes") or 0) > (p.get("rss_max_bytes") or float("inf")) for p in whole):
        bad.append("samples: a largest RSS is less than the last")
    return bad
