"""The field tables as the library returns them, and a run in which every field has a value somewhere."""

import os

import pit_case
import stub_sysfs


def tables(case):
    """{"node": [field, …], "ended": …, "losses": …}; a field is a dict."""
    found = {}
    for line in case.run_ok([pit_case.program("prog_fields"), "list"]).stdout.splitlines():
        row, key, title, kind, merge, shown, text = line.split("\t")
        found.setdefault(row, []).append({"key": key, "title": title, "kind": kind, "merge": merge,
                                          "shown": shown == "1", "help": text})
    return found


def keys(case, row):
    return [field["key"] for field in tables(case)[row]]


def has_alloc():
    """A sanitizer has its own malloc: allocations cannot be counted with it."""
    return not pit_case.sanitizer()


def record(case):
    """The path of a new run of prog_fields, with energy counters from a stand-in."""
    folder = case.folder()
    path = os.path.join(folder, "run.pit")
    sysfs = stub_sysfs.StubSysfs(os.path.join(folder, "sys"))
    sysfs.zone("intel-rapl:0", "package-0", 1000)
    options = ["--alloc"] if has_alloc() else []
    case.run_status(128 + 9, [pit_case.tool(), "run", *options, "-o", path, "--",
                              pit_case.program("prog_fields"), "record"],
                    env=pit_case.clean_env(PITWALL_SYSFS=sysfs.root))
    return path
