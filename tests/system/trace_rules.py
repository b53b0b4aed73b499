"""The rules of the two trace formats as checks: each returns a list of faults in a document."""

from decimal import Decimal

PHASES = {"X", "C", "M", "i", "b", "e"}


def is_number(value):
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def check_event(event):
    """The fields that every reader wants, by the kind of event."""
    wrong = []
    phase = event.get("ph")
    if phase not in PHASES:
        return ["unknown ph %r" % phase]
    for key, kind in (("name", str), ("pid", int), ("tid", int)):
        if not isinstance(event.get(key), kind):
            wrong.append("%s is %r in %r" % (key, event.get(key), event))
    if phase != "M" and (not is_number(event.get("ts")) or event["ts"] < 0):
        wrong.append("ts is %r" % event.get("ts"))
    if phase == "X" and (not is_number(event.get("dur")) or event["dur"] < 0):
        wrong.append("dur is %r" % event.get("dur"))
    if phase == "C" and not (event.get("args") and all(is_number(v) for v in event["args"].values())):
        wrong.append("a counter without numbers: %r" % event)
    if phase in "be" and not isinstance(event.get("id"), str):
        wrong.append("an async event without id: %r" % event)
    if phase == "M" and not event.get("args"):
        wrong.append("metadata without args: %r" % event)
    return wrong


def check_nesting(slices):
    """Slices of one (pid, tid): any two are disjoint, or one contains the other. Exact: times are decimals,
    not floats."""
    wrong, stack = [], []
    ordered = sorted(slices, key=lambda e: (e["ts"], -e["dur"]))
    for event in ordered:
        end = event["ts"] + event["dur"]
        while stack and stack[-1][0] <= event["ts"]:
            stack.pop()
        if stack and end > stack[-1][0]:
            wrong.append("%r (%s + %s) sticks out of %r, which ends at %s"
                         % (event["name"], event["ts"], event["dur"], stack[-1][1], stack[-1][0]))
        stack.append((end, event["name"]))
    return wrong


def check_async(events):
    """Each b has one e of its id, not before it."""
    wrong, begun = [], {}
    for event in events:
        key = (event["cat"], event["id"])
        if event["ph"] == "b":
            if key in begun:
                wrong.append("id %s is begun twice" % (key,))
            begun[key] = event
        elif key not in begun:
            wrong.append("id %s ends without a begin" % (key,))
        else:
            begin = begun.pop(key)
            if event["ts"] < begin["ts"] or event["name"] != begin["name"]:
                wrong.append("id %s ends wrongly" % (key,))
    return wrong + ["id %s never ends" % (key,) for key in begun]


def check_chrome_trace(document):
    wrong = [w for event in document["traceEvents"] for w in check_event(event)]
    if wrong:
        return wrong
    lanes = {}
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            lanes.setdefault((event["pid"], event["tid"]), []).append(event)
    for slices in lanes.values():
        wrong += check_nesting(slices)
        # In the file a parent comes before its children, for readers that do not sort.
        if [e["ts"] for e in slices] != sorted(e["ts"] for e in slices):
            wrong.append("slices are not sorted by their begin")
    named = {(e["pid"], e["tid"]) for e in document["traceEvents"] if e["name"] == "thread_name"}
    wrong += ["thread %s has no name" % (lane,) for lane in lanes if lane not in named]
    return wrong + check_async([e for e in document["traceEvents"] if e["ph"] in "be"])


def check_profile(profile, frame_count):
    wrong, stack = [], []
    for key in ("type", "name", "unit", "startValue", "endValue", "events"):
        if key not in profile:
            return ["a profile without %s" % key]
    if profile["type"] != "evented" or profile["unit"] != "nanoseconds":
        wrong.append("type %s, unit %s" % (profile["type"], profile["unit"]))
    last = profile["startValue"]
    for event in profile["events"]:
        if set(event) != {"type", "frame", "at"} or event["type"] not in "OC":
            return wrong + ["not an event: %r" % event]
        if not 0 <= event["frame"] < frame_count:
            wrong.append("frame %r is not in the table" % event["frame"])
        if event["at"] < last:
            wrong.append("at %s after %s" % (event["at"], last))
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        elif not stack or stack.pop() != event["frame"]:
            wrong.append("closes another frame than the one opened last")
    if stack:
        wrong.append("%d frames are never closed" % len(stack))
    if last > profile["endValue"]:
        wrong.append("the last event is behind endValue")
    return wrong


def check_speedscope(document):
    wrong = []
    if document.get("$schema") != "https://www.speedscope.app/file-format-schema.json":
        wrong.append("$schema is %r" % document.get("$schema"))
    frames = document["shared"]["frames"]
    if any(set(f) != {"name"} or not isinstance(f["name"], str) for f in frames):
        wrong.append("a frame without a name")
    if len({f["name"] for f in frames}) != len(frames):
        wrong.append("a frame is there twice")
    if document["profiles"] and not 0 <= document["activeProfileIndex"] < len(document["profiles"]):
        wrong.append("activeProfileIndex is out of range")
    for profile in document["profiles"]:
        wrong += check_profile(profile, len(frames))
    return wrong
