#!/usr/bin/python3
"""Update the measured figures in the documents: scripts/readme_figures.py [build/bench.json]

README.md shows five of them, docs/bench.md all of ROWS, each table between two comments. A missed bar is
marked as missed. Pitwall's line in the comparison table of README.md is updated too.
"""

import json
import os
import re
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The five of README.md.
SHORT = ("span_hot_x_floor", "off_ns", "py_span_ns", "auto_step_pct", "record_1e8_rss_growth_kb")

# key in bench.json, description in the documents, number format
ROWS = [
    ("span_hot_x_floor", "a span with all statistics, relative to two reads of the clock", "%.2f ×"),
    ("span_3deep_x_floor", "the same, three nested spans, per span", "%.2f ×"),
    ("phase_x_floor", "a phase that follows another: one clock read for both", "%.2f ×"),
    ("two_threads_x_one", "two busy threads, over one", "%.2f ×"),
    ("siblings_1024_x_1", "1,024 sibling spans in turn, over one", "%.2f ×"),
    ("off_ns", "a span while nothing is recorded", "%.1f ns"),
    ("cold_span_ns", "a span right after reading 256 kB of other data", "%.0f ns"),
    ("start_exit_ms", "opening a run and closing it at exit", "%.1f ms"),
    ("record_1e8_rss_growth_kb", "memory added from 10⁶ to 10⁸ spans", "%.0f kB"),
    ("mem_span_us", "a span that measures memory, peak included", "%.1f µs"),
    ("fitting_instructions_pct", "instructions that spans add to [fitting](../examples/fitting.c)", "%.3f %%"),
    ("fitting_cost_pct", "time that spans add to a batch of it", "%.2f %%"),
    ("fitting_noise_pct", "noise of that time, measured in the same run", "%.2f %%"),
    ("rom_instructions_pct", "instructions that spans add to [rom](../examples/rom.c)", "%.3f %%"),
    ("rom_cost_pct", "time that spans add to a batch of it", "%.2f %%"),
    ("rom_noise_pct", "noise of that time, measured in the same run", "%.2f %%"),
    ("stage_overhead_pct", "stage log and window: share of a run that uses both", "%.2f %%"),
    ("py_span_ns", "Python: `with pitwall.span(…)`", "%.0f ns"),
    ("py_span_x_empty_with", "the same, over a `with` that does nothing", "%.2f ×"),
    ("py_decorator_ns", "Python: added by `@pitwall.timed` to a call", "%.0f ns"),
    ("py_iter_ns", "Python: added by `pitwall.iter` to a `next`", "%.0f ns"),
    ("py_by_hand_ns", "for comparison: two `perf_counter()` by hand", "%.0f ns"),
    ("py_contextmanager_ns", "for comparison: a `@contextmanager` that times", "%.0f ns"),
    ("py_record_function_ns", "for comparison: PyTorch's `record_function`, no profiler", "%.0f ns"),
    ("py_step_spans_pct", "four spans: added to a small PyTorch step", "%.2f %%"),
    ("py_step_memory_pct", "four spans that measure memory: added to that step", "%.1f %%"),
    ("auto_step_pct", "hooks of `pitwall run`: added to a PyTorch step of 4 ms", "%.2f %%"),
    ("auto_small_step_pct", "the same, added to a step of 0.6 ms", "%.2f %%"),
    ("race_self_races", "races of a 50 ms program against itself", "%.0f"),
    ("race_self_alarms", "of these, false alarms", "%.0f"),
    ("race_5pct_races", "races of the same program against 5 % more work", "%.0f"),
    ("race_5pct_missed", "of these, difference not found", "%.0f"),
]


def table(bench, rows):
    """One line about the machine, and a row per figure."""
    figures = {figure["key"]: figure for figure in bench["figures"]}
    machine = bench["machine"]
    out = "Measured on %s, %d cores, %s clock, %s:\n\n" % (
        machine["cpu"], machine["cores"], machine["clocksource"].upper(),
        machine["kernel"].split("-")[0])
    out += "| | measured | bar | figure |\n|---|---:|---:|---|\n"
    for key, what, form in rows:
        figure = figures.get(key, {"value": None, "bar": None, "verdict": ""})
        value = "n/a" if figure["value"] is None else form % figure["value"]
        bar = "" if figure["bar"] is None else "%g" % figure["bar"]
        bar += {"missed": " **missed**", "in the noise": " in the noise"}.get(figure["verdict"], "")
        out += "| %s | %s | %s | `%s` |\n" % (what, value, bar, key)
    return out


def put(path, made, own_line=None):
    """Replace the table between the comments of a page and, with own_line, Pitwall's line in the comparison."""
    page = os.path.join(TREE, path)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r"(<!-- figures of make bench[^\n]*-->\n).*?(<!-- end of figures -->)",
                          lambda m: m[1] + "\n" + made + "\n" + m[2], text, flags=re.S)
    if own_line:
        text, own = re.subn(r"(?m)^(\| \*\*Pitwall\*\* [^|]*)\|[^|]*\|[^|]*\|",
                            lambda m: m[1] + own_line, text)
        count = count if own == 1 else 0
    if count != 1:
        sys.exit("%s: no comments for the table of figures; expected <!-- figures of make bench … -->" % path)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


def main(path):
    with open(path, encoding="utf-8") as file:
        bench = json.load(file)
    values = {figure["key"]: figure["value"] for figure in bench["figures"]}
    rows = {row[0]: row for row in ROWS}
    put("README.md", table(bench, [rows[key] for key in SHORT]),
        "| %.1f | %.2f |" % (values["span_hot_ns"], values["span_hot_x_floor"]))
    put(os.path.join("docs", "bench.md"), table(bench, ROWS))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(TREE, "build", "bench.json"))
