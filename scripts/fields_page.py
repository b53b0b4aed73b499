#!/usr/bin/python3
"""Turn the field tables into a page: docs/fields.md.

    scripts/fields_page.py            write the page
    scripts/fields_page.py --check    fail if the page is out of date

The tables are read from the library in $PITWALL_BUILD or build/, through the public calls that any
program has.
"""

import ctypes
import os
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(TREE, "docs", "fields.md")
KINDS = (  # as enum pit_row_kind counts them
    ("Nodes", "One row per node of the merged call tree: `pitwall report` in every form, `pitwall export "
     "--format csv`, `nodes[]` in JSON, `read()[\"nodes\"]` in Python; some of them in `pitwall top`."),
    ("How a process ended", "One row per run, for programs under [`pitwall run`](run.md): `ended` in JSON "
     "and Python, the lines `ended` and `system` of a report."),
    ("Losses", "Lost spans and misuse: `losses` in JSON and Python, for the run and for each thread; "
     "a report names those that are not 0."),
    ("Ranks", "One row per rank of a job, with the times of one step: the view [`ranks`](views/ranks.md), `ranks.rows` in "
     "JSON, `pitwall.ranks()[\"rows\"]` in Python."),
)
HEAD = """# Fields

<!-- made by scripts/fields_page.py from src/model/*_fields.c -->

Every figure has one key: the column name in CSV and the key in JSON and Python. The key ends in the
unit: `_ns` nanoseconds, `_bytes` bytes, `_per_s` per second. A share is 0…1. A figure that is not available
is an empty cell in CSV, `null` in JSON, `None` in Python, and `n/a` or empty in text.

*Merged* says how the figures of several threads and runs are combined: `sum`, `smallest`, `largest`, `last`
(that of the thread that ended last), `same` (rows with the same value are merged), `computed` (from other merged
figures), `once a machine` (a sum that counts readings of one machine at the same time only once). The title is
the column title in text and Markdown; figures without a title are only for programs.

`pitwall.fields()` gives the same list in Python, `pit_field_at` in C
([reference](reference-fields.md)). Readings of the sampler describe themselves: see
[memory.md](memory.md).
"""


class Field(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("key", "title", "help")]


def library():
    build = os.environ.get("PITWALL_BUILD", os.path.join(TREE, "build"))
    found = ctypes.CDLL(os.path.join(build, "lib", "libpitwall.so"))
    found.pit_field_at.restype = ctypes.POINTER(Field)
    found.pit_field_at.argtypes = [ctypes.c_int, ctypes.c_size_t]
    for name in ("pit_field_kind", "pit_field_merge", "pit_field_reason"):
        getattr(found, name).restype = ctypes.c_char_p
    return found


def rows(lib, of):
    """A list of tuples: key, title, kind, merge, help, reason, shown."""
    found, index = [], 0
    while True:
        field = lib.pit_field_at(of, index)
        if not field:
            return found
        texts = [field.contents.key, field.contents.title, lib.pit_field_kind(field),
                 lib.pit_field_merge(field), field.contents.help, lib.pit_field_reason(field)]
        found.append(tuple(t.decode() for t in texts) + (lib.pit_field_is_shown(field),))
        index += 1


def cell(text):
    return text.replace("\\", "\\\\").replace("|", "\\|")


def page(lib):
    out = HEAD
    for of, (title, about) in enumerate(KINDS):
        found = rows(lib, of)
        merged = any(row[3] for row in found)
        out += "\n## %s\n\n%s\n\n| key | title | kind |%s what | no value where |\n|---|---|---|%s---|---|\n" % (
            title, about, " merged |" if merged else "", "---|" if merged else "")
        for key, name, kind, merge, text, reason, shown in found:
            out += "| `%s` | %s | %s |%s %s | %s |\n" % (
                key, cell(name) if shown else "", kind, " %s |" % merge if merged else "",
                cell(text), cell(reason))
    return out


def main(arguments):
    text, old = page(library()), ""
    if os.path.exists(PAGE):
        with open(PAGE, encoding="utf-8") as file:
            old = file.read()
    if "--check" in arguments and old != text:
        sys.exit("docs/fields.md is not what the field tables say: run make docs")
    if old != text:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
