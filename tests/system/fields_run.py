"""The field tables as the library tells them, and a run in which every field has a value somewhere."""

import os

import pit_case


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
    """A sanitizer brings a malloc of its own: allocations cannot be counted beside it."""
    return not pit_case.sanitizer()


def record(case):
    """The path of a new run of prog_fields."""
    path = os.path.join(case.folder(), "run.pit")
    options = ["--alloc"] if has_alloc() else []
    case.run_status(128 + 9, [pit_case.tool(), "run", *options, "-o", path, "--",
                              pit_case.program("prog_fields"), "record"])
    return path
