"""Shared by the tests of whole runs: the truth that a program kept about itself, and both readers.

span_walk.h describes the layout of the truth. A run is read by tests/pit_reader.py and, through
prog_dump, by the library; `read_both` compares the two figure by figure.
"""

import json
import mmap
import os
import random
import signal
import struct

import pit_case
import pit_check
import pit_reader

HEADER = struct.Struct("6Q")
AREA = struct.Struct("8Q")
SLOT = struct.Struct("6QII72s")
AREAS_AT = 4096
wait_until = pit_case.wait_until


def seed_of_test():
    """A new seed for each run of the tests, or PIT_TEST_SEED to repeat one."""
    return int(os.environ.get("PIT_TEST_SEED") or random.SystemRandom().randrange(10**9))


def state_of(pid):
    """The state letter of a process: R, S, T for stopped, Z …"""
    with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def stop(pid):
    """Stop a process, and wait until none of its threads runs: one may run on for a while after the signal."""
    def states():
        found = set()
        for tid in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/stat" % (pid, tid), encoding="utf-8", errors="replace") as file:
                found.add(file.read().rsplit(")", 1)[1].split()[0])
        return found

    os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: states() == {"T"})


class Truth:
    """What a program of span_walk.c has recorded about itself when the file was read."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        (self.opening, self.opened, self.exiting, used, area_bytes,
         slot_bytes) = HEADER.unpack_from(data)
        self.paths = {}   # path -> [ended, ending, begun, beginning, items_after, items_before]
        self.detached = set()
        self.threads = {}  # tid -> dict
        for index in range(used):
            self._area(data, AREAS_AT + index * area_bytes, slot_bytes)

    def _area(self, data, at, slot_bytes):
        tid, now, mid, then, value_before, value_after, used, _ = AREA.unpack_from(data, at)
        paths = [""]
        for i in range(1, used):
            *numbers, parent, detached, name = SLOT.unpack_from(
                data, at + AREA.size + i * slot_bytes)
            name = name.split(b"\0")[0].decode()
            path = paths[parent] + "/" + name if paths[parent] else name
            paths.append(path)
            if detached:
                self.detached.add(path)
            sums = self.paths.setdefault(path, [0] * 6)
            for k, n in enumerate((numbers[1], numbers[0], numbers[3], numbers[2], numbers[5],
                                   numbers[4])):
                sums[k] += n
        here = {paths[i] if i < len(paths) else "" for i in (now, mid, then)}
        self.threads[tid] = {"here": here, "values": (value_after, value_before)}


def opened(path):
    """Has the program opened its run?"""
    try:
        with open(path, "rb") as file:
            data = file.read(HEADER.size)
    except OSError:
        return False
    return len(data) == HEADER.size and HEADER.unpack(data)[1] == 1


# ---- the two readers ------------------------------------------------------------------------


def comparable(run, state):
    """pit_reader's run in the form of prog_dump, without what the library's model leaves out."""
    threads = []
    for thread in run["threads"]:
        out = {key: thread[key] for key in ("name", "tid", "thread_count", "attached", "open", "events",
                                            "values", "counters", "nodes", "memory", "alloc",
                                            "energy", "teams",
                                            "records")}
        out["events"] = [list(event) for event in out["events"]]
        out["nodes"] = [dict(node, histogram={str(k): n for k, n in node["histogram"].items()})
                        for node in thread["nodes"]]
        out["records_dropped"] = thread["records_written"] - len(thread["records"])
        threads.append(out)
    out = {key: run[key] for key in ("pid", "run_id", "parent_run_id", "used_bytes", "file_bytes",
                                     "start_ticks", "start_wall_ns", "facts", "journal",
                                     "journal_dropped")}
    out["in_signal"] = run["counters"]["in_signal"]
    out["no_table"] = run["counters"]["no_table"]
    out["values_lost"] = run["counters"]["values_lost"]
    out["state"], out["threads"], out["samples"] = state, threads, None
    if run["ended"]:
        out["ended"] = run["ended"]
    if run["places"]:
        out["places"] = run["places"]
    if run["groups"]:
        out["groups"] = [dict(group, points=[
            {"is_inside": call["duration_ns"] is None,
             **{key: call[key] for key in ("seq", "bytes", "path", "thread", "is_sync")}}
            for call in group["points"]]) for group in run["groups"]]
    if run["messages"]:
        out["messages"] = dict(run["messages"], callers=[
            {key: value for key, value in caller.items() if key != "ticks"}
            for caller in run["messages"]["callers"]])
    if run["samples"]:
        out["samples"] = {key: value for key, value in run["samples"].items() if key != "readings"}
    return out


def differences(a, b, where="run", most=8):
    """Where two documents differ, as texts."""
    if type(a) is not type(b) and not (isinstance(a, (int, float)) and isinstance(b, (int, float))):
        return ["%s: %r, %r" % (where, a, b)]
    out = []
    if isinstance(a, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                out.append("%s.%s: only in %s" % (where, key, "one" if key in a else "the other"))
            else:
                out += differences(a[key], b[key], where + "." + key, most)
    elif isinstance(a, list):
        if len(a) != len(b):
            return ["%s: %d and %d entries: %r, %r" % (where, len(a), len(b), a[-2:], b[-2:])]
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                out += differences(x, y, "%s[%d]" % (where, i), most)
    elif a != b:
        out.append("%s: %r, %r" % (where, a, b))
    return out[:most]


def dump(path):
    """The run as the library reads it; or None and the error of prog_dump."""
    program = pit_case.program("prog_dump")
    if pit_case.PLAIN_BUILD:  # it only reads: see pit_case.reader
        program = os.path.join(pit_case.PLAIN_BUILD, "tests", "prog_dump")
    done = pit_case.run([program, path], timeout=20)
    if done.returncode == 1 and not done.stdout:
        return None, done.stderr
    if done.returncode != 0:
        raise AssertionError("prog_dump ended with status %d\n%s" % (done.returncode, done.stderr))
    return json.loads(done.stdout), ""


def read_both(case, path, state, note=""):
    """pit_reader's run, after both readers agreed and all invariants were checked."""
    document, said = dump(path)
    case.assertIsNotNone(document, "%s the library cannot read it: %s" % (note, said))
    run = pit_reader.load(path)
    other = comparable(run, state)
    if document != other:
        case.fail("%s pit_run_open and pit_reader.py differ:\n  %s"
                  % (note, "\n  ".join(differences(document, other))))
    bad = pit_check.check(run)
    if any(t["counters"]["table_full"] for t in run["threads"]) or run["counters"]["no_table"]:
        # At its size limit a run has no room for parts of histogram and series.
        bad = [line for line in bad if "histogram" not in line and "series" not in line]
    case.assertEqual(bad, [], note)
    return run


def counts_by_path(run):
    counts = {}
    for thread in run["threads"]:
        for node in thread["nodes"]:
            counts[node["path"]] = counts.get(node["path"], 0) + node["count"]
    return counts


# ---- a run against its truth ----------------------------------------------------------------


def check_counts(case, run, truth, note=""):
    """For every path: ended spans are present, and no more than were about to end."""
    counts, items = counts_by_path(run), {}
    for thread in run["threads"]:
        for node in thread["nodes"]:
            items[node["path"]] = items.get(node["path"], 0) + node["items"]
    wrong = []
    for path, (ended, ending, _, _, items_after, items_before) in truth.paths.items():
        count = counts.pop(path, 0)
        if not ended <= count <= ending:
            wrong.append("%s: %d spans, not %d … %d" % (path, count, ended, ending))
        if not items_after <= items.get(path, 0) <= items_before:
            wrong.append("%s: %d items, not %d … %d"
                         % (path, items.get(path, 0), items_after, items_before))
    wrong += ["%s: %d spans of no such path" % pair for pair in counts.items() if pair[1]]
    case.assertEqual(wrong[:10], [], note)


def check_open(case, run, truth, note=""):
    """Each thread's stack is possible for the moment of its death; open objects are right."""
    seen = {}
    for thread in run["threads"]:
        stack = [span["path"] for span in thread["open"] if not span["object"]]
        for span in thread["open"]:
            if span["object"]:
                seen[span["path"]] = seen.get(span["path"], 0) + 1
        own = truth.threads.get(thread["tid"])
        if own and thread["attached"]:
            innermost = stack[-1] if stack else ""
            case.assertIn(innermost, own["here"], note)
            names = innermost.split("/") if innermost else []
            case.assertEqual(stack, ["/".join(names[:i + 1]) for i in range(len(names))], note)
    wrong = []
    for path, (ended, ending, begun, beginning, _, _) in truth.paths.items():
        if path in truth.detached:
            count = seen.pop(path, 0)
            if not begun - ending <= count <= beginning - ended:
                wrong.append("%s: %d open, not %d … %d"
                             % (path, count, begun - ending, beginning - ended))
    case.assertEqual(wrong + ["%s: is no object" % path for path in seen], [], note)


def check_values(case, run, truth, note=""):
    """The n-th value of a thread was n: every point's mean, minimum and maximum are known."""
    for thread in run["threads"]:
        own = truth.threads.get(thread["tid"])
        for value in thread["values"] if own and thread["thread_count"] == 1 else []:
            case.assertEqual(value["name"], "loss", note)
            case.assertLessEqual(own["values"][0], value["count"], note)
            case.assertLessEqual(value["count"], own["values"][1], note)
            case.assertEqual(value["last"], value["count"] - 1 if value["count"] else None, note)
            at = 0
            for _, n, mean, least, most in value["points"]:
                case.assertEqual((mean, least, most), (at + (n - 1) / 2, at, at + n - 1), note)
                at += n
            case.assertEqual(at, value["count"], note)


def report(case, path, note=""):
    """What `pitwall report --json` says, read as JSON."""
    done = pit_case.run([pit_case.reader(), "report", "--json", path], timeout=20)
    case.assertEqual(done.returncode, 0, note + done.stderr)
    return json.loads(done.stdout)


def check_report(case, document, run, state, note=""):
    """The report's merged tree has the counts of the run."""
    case.assertEqual([entry["state"] for entry in document["runs"]], [state], note)
    counts = {path: n for path, n in counts_by_path(run).items() if n}
    reported = {node["path"]: node["count"] for node in document["nodes"] if node["count"]}
    case.assertEqual(reported, counts, note)
