#!/usr/bin/env python3
"""Make a table and a JSON document of what the benchmark programs printed.

    collect.py RESULTS JSON

RESULTS has lines "key value"; a value that could not be had is n/a, and null in the JSON.
docs/bench.md says what each figure is.
"""

import datetime
import json
import math
import os
import platform
import statistics
import subprocess
import sys

# key, what, unit, bar (the figure must not be above it; None: reported without one)
FIGURES = [
    ("floor_ns", "two reads of the clock: the floor", "ns", None),
    ("span_hot_ns", "span, empty body", "ns", None),
    ("span_said_x_measured", "what a run says that a span costs, over that: 0.75 to 1.25", "x", None),
    ("span_hot_x_floor", "span, over the floor", "x", 1.12),
    ("span_3deep_x_floor", "three nested spans, each, over the floor", "x", 1.20),
    ("phase_x_floor", "phase after a phase, over the floor", "x", 0.80),
    ("named_x_floor", "span by a name made at run time, over the floor", "x", None),
    ("off_ns", "span, nothing opened", "ns", None),
    ("off_by_environment_ns", "span, PITWALL=0", "ns", None),
    ("two_threads_x_one", "span on each of two threads, over one thread", "x", 1.05),
    ("siblings_64_x_1", "64 siblings in turn, over one", "x", 1.05),
    ("siblings_1024_x_1", "1,024 siblings in turn, over one", "x", 1.15),
    ("cold_span_ns", "span after 256 kB of other data, median", "ns", None),
    ("cold_x_noop", "the same over an empty call in its place", "x", None),
    ("start_exit_ms", "open, one span, exit: over a bare start", "ms", 2.0),
    ("run_true_ms", "pitwall run on `true`, which leaves a run, over a plain start", "ms", 5),
    ("initial_file_kb", "run file after open", "kB", 1024),
    ("record_1e8_rss_growth_kb", "memory added from 1e6 to 1e8 spans", "kB", None),
    ("mem_span_us", "span that measures memory, delta and peak", "µs", None),
    ("mem_span_x_by_hand", "the same over its readings by hand", "x", 1.20),
    ("mem_span_at_once_us", "the same, one right after another", "µs", None),
    ("mem_span_8_threads_us", "that on eight threads at once, each", "µs", None),
    ("sampler_cpu_pct", "the background sampler, of one processor", "%", 0.1),
    ("top_cpu_pct", "pitwall top on 10,240 nodes of 512 threads, of one processor", "%", 2),
    ("ranks_1024_cpu_s", "report of 1,024 ranks of 66 nodes, processor time", "s", 1),
    ("ranks_1024_rss_mb", "the same, memory", "MB", 64),
    ("ranks_top_cpu_pct", "pitwall top on 64 live ranks, of one processor", "%", 2),
    ("ranks_planted_jobs", "jobs of four ranks of which one reads slowly", "", None),
    ("ranks_planted_named", "of these, the rank and its part named", "", None),
    ("ranks_fair_jobs", "the same jobs without the slow one", "", None),
    ("ranks_fair_alarms", "of these, a rank blamed", "", None),
    ("serve_list_1000_ms", "pitwall serve: a thousand runs listed for the first time", "ms", 1000),
    ("serve_live_p99_ms", "pitwall serve: what changed in a live run, ten watchers, p99", "ms", 20),
    ("serve_watched_cpu_pct", "the server meanwhile, of one processor", "%", 2),
    ("serve_rss_growth_kb", "memory it adds in the second half of that", "kB", None),
    ("serve_day_growth_kb", "memory it adds in 86,400 polls, a day of one watcher, each with a new document", "kB", 1024),
    ("serve_linked", "libraries of the server that other commands load: libmicrohttpd and what it needs", "", 0),
    ("watchers_x_none", "spans while ten programs watch the run, over none", "x", 1.01),
    ("watchers_noise_x", "the noise of that: none over none", "x", None),
    ("timer_call_us", "timed call that prints its line", "µs", 1000),
    ("stage_log_us", "line of the stage log, printed and recorded", "µs", 10),
    ("stage_overhead_pct", "calls of a stage log and a window, of a run with both", "%", 0.1),
    ("measure_memory_us", "memory around a piece of work: RSS and peak", "µs", 1000),
    ("malloc_pair_x_plain", "malloc and free with libpitwall-alloc, over plain", "x", None),
    ("malloc_pair_added_ns", "what it adds to a pair", "ns", 10),
    ("py_empty_with_ns", "Python: a `with` that does nothing, new object", "ns", None),
    ("py_span_ns", "Python: span, new object, empty body", "ns", None),
    ("py_span_x_empty_with", "the same over the `with` that does nothing", "x", 2.2),
    ("py_span_x_kept_with", "the same over one on an object that is kept", "x", None),
    ("py_decorator_ns", "Python: what @timed adds to a call", "ns", None),
    ("py_iter_ns", "Python: what iter adds to a next", "ns", None),
    ("py_mem_span_us", "Python: spans that measure memory, one right after another", "µs", None),
    ("py_by_hand_ns", "Python: two perf_counter() by hand", "ns", None),
    ("py_contextmanager_ns", "Python: a @contextmanager that times", "ns", None),
    ("py_stage_log_10_names_us", "Python: a line of a stage log of 10 stages", "µs", None),
    ("py_stage_log_500_names_us", "Python: a line of a stage log of 500 stages", "µs", 10),
    ("py_step_end_10_names_us", "Python: the end of a step, 10 operations", "µs", None),
    ("py_step_end_500_names_us", "Python: the end of a step, 500 operations", "µs", 3),
    ("py_alloc_pct", "Python: memory tracked in a loop that allocates", "%", None),
    ("py_tracemalloc_pct", "tracemalloc in the same loop", "%", None),
    ("py_record_function_ns", "torch.profiler.record_function, no profiler", "ns", None),
    ("py_cold_empty_with_ns", "a `with` that does nothing, in a small PyTorch step", "ns", None),
    ("py_cold_span_ns", "a span there", "ns", None),
    ("py_step_us", "a small PyTorch training step, 10th percentile", "µs", None),
    ("py_step_noise_pct", "such steps against one another: the noise of the next ones", "%", None),
    ("py_step_empty_with_pct", "four `with` that do nothing in it", "%", None),
    ("py_step_spans_pct", "four spans in it", "%", 0.5),
    ("py_step_memory_pct", "four spans that measure memory in it", "%", 5),
    ("function_span_ns", "function compiled with -finstrument-functions", "ns", None),
    ("function_span_x_span", "the same over a plain span", "x", None),
    ("mpi_call_ns", "MPI_Send to nobody, with libpitwall-mpi", "ns", None),
    ("mpi_call_added_ns", "what the library adds to it", "ns", 40),
    ("mpi_collective_added_ns", "what it adds to a collective, which goes to the log", "ns", 60),
    ("mpi_wait_error_pct", "waits in collectives by durations alone, against the clock", "%", 10),
    ("gomp_region_bare_ns", "a parallel region of libgomp, a team of one", "ns", None),
    ("gomp_region_added_ns", "what libpitwall-openmp adds to it", "ns", 300),
    ("ompt_region_bare_ns", "a parallel region of libomp, a team of one", "ns", None),
    ("ompt_region_added_ns", "what libpitwall-openmp adds to it", "ns", 300),
    ("auto_step_ms", "a PyTorch training step with a loader, 10th percentile", "ms", None),
    ("auto_step_us", "what the hooks of `pitwall run` add to it", "µs", None),
    ("auto_step_pct", "the same, of the step", "%", 1),
    ("auto_step_noise_pct", "the noise of that: steps without hooks against each other", "%", None),
    ("auto_small_step_ms", "a small PyTorch training step with a loader, 10th percentile", "ms", None),
    ("auto_small_step_us", "what the hooks add to it", "µs", None),
    ("auto_small_step_pct", "the same, of the step", "%", 2),
    ("auto_small_step_noise_pct", "the noise of that", "%", None),
    ("auto_cost_said_x_measured", "what the hooks say they add to it, over that: 0.75 to 1.25", "x", None),
    ("auto_hot_ns", "what a hook adds to a module that does nothing, caches warm", "ns", None),
    ("auto_hot_said_x_measured", "what it says, over that: 0.75 to 1.25", "x", None),
    ("opencl_launch_bare_ns", "launch of an OpenCL kernel on PoCL, median", "ns", None),
    ("opencl_launch_cost_ns", "what libpitwall-opencl adds to it", "ns", 300),
    ("opencl_kernel_gap_us", "launch to end of wait, less what the run says of the kernel", "µs", 20),
    ("report_small_ms", "pitwall report of a small run, from start to exit, median", "ms", 5),
    ("read_ms_1000_nodes", "read a run of 1,000 nodes", "ms", 3),
    ("fitting_cost_pct", "a batch of examples/fitting with its spans, over one without: time", "%", 0.1),
    ("fitting_noise_pct", "the noise of that: copies of the same code against each other", "%", None),
    ("fitting_instructions_pct", "the same in instructions, counted by callgrind", "%", 0.1),
    ("rom_cost_pct", "a batch of examples/rom with its spans, over one without: time", "%", 0.1),
    ("rom_noise_pct", "the noise of that: copies of the same code against each other", "%", None),
    ("rom_instructions_pct", "the same in instructions, counted by callgrind", "%", 0.1),
    ("save_profile_ms", "save a model's profile", "ms", 10),
    ("bench_empty_ns", "an empty function by pit_bench, median", "ns", 1),
    ("page_assets_kb", "the page's own files, in the library", "kB", 150),
    ("page_fitting_kb", "the page of examples/fitting, as one file", "kB", 300),
    ("page_nodes_kb", "the page of a run with 10,000 nodes", "kB", 2048),
    ("page_threads_kb", "the page of a run of 512 threads and 10,240 nodes", "kB", 2048),
    ("page_threads_ms", "that page, from navigation to paint, in a browser", "ms", 500),
    ("page_nodes_ms", "the page of 10,000 nodes, from navigation to paint, in a browser", "ms", 500),
    ("page_points_ms", "a page with 50,000 points in its charts, likewise", "ms", 500),
    ("race_self_races", "races of a program of 50 ms against itself", "", None),
    ("race_self_alarms", "of these, called faster or slower", "", 0),
    ("race_5pct_races", "races of it against 5 % more work", "", None),
    ("race_5pct_missed", "of these, not found", "", 1),
    ("race_5pct_wrong", "of these, wrongly called faster", "", 0),
    ("race_interval_pct", "what those races could tell on this machine, plus or minus", "%", None),
    ("race_seconds", "what a race took", "s", None),
    ("planted_right_pct", "programs of a known cause, or healthy, whose report is right first", "%", None),
    ("planted_missed_pct", "the others of them, those that could not be run included", "%", 5),
    ("planted_loaded_right_pct", "right first beside three programs that burn the processor", "%", None),
    ("planted_loaded_missed_pct", "the others of them", "%", 5),
    ("planted_false_alarms", "alarms on healthy programs, quiet and beside burners", "", 0),
    ("planted_not_run", "planted programs that could not be run on this machine", "", None),
    ("store_stall_noise_max_us", "worst call of nothing while another process syncs", "µs", None),
    ("store_stall_in_place_max_us", "worst span then, the run in its file", "µs", None),
    ("store_stall_shm_max_us", "worst span then, the run in shared memory", "µs", None),
]

# Figures whose noise was measured beside them, in the same run: in percent, or as a ratio.
NOISE = {
    "fitting_cost_pct": "fitting_noise_pct",
    "rom_cost_pct": "rom_noise_pct",
    "auto_step_pct": "auto_step_noise_pct",
    "auto_small_step_pct": "auto_small_step_noise_pct",
    "watchers_x_none": "watchers_noise_x",
}


def read_results(path):
    """The figures. Of one that was measured several times the median counts, and KEY_best and
    KEY_worst stand beside it, as those of a program that measures several times itself."""
    found = {}
    with open(path) as file:
        for line in file:
            key, value = line.split()
            found.setdefault(key, []).append(None if value == "n/a" else float(value))
            if found[key][-1] is not None and not math.isfinite(found[key][-1]):
                raise ValueError("%s is %s" % (key, value))
    values = {}
    for key, figures in found.items():
        known = sorted(figure for figure in figures if figure is not None)
        values[key] = statistics.median(known) if known else None
        if len(known) > 1:
            values[key + "_best"], values[key + "_worst"] = known[0], known[-1]
    return values


def first_line(path, prefix=""):
    try:
        with open(path, errors="replace") as file:
            for line in file:
                if line.startswith(prefix):
                    return line[len(prefix):].strip(" \t\n:")
    except OSError:
        pass
    return None


def output_of(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def compiler(build):
    """As the build's own cache names it, with its version."""
    path = first_line(os.path.join(build, "CMakeCache.txt"), "CMAKE_C_COMPILER:FILEPATH=")
    version = output_of(path or "cc", "--version")
    return version.splitlines()[0] if version else None


def machine(build):
    here = os.path.dirname(os.path.abspath(__file__))
    commit = output_of("git", "-C", here, "rev-parse", "HEAD")
    changed = output_of("git", "-C", here, "status", "--porcelain")
    clocksource = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    return {
        "cpu": first_line("/proc/cpuinfo", "model name") or platform.machine(),
        "kernel": platform.system() + " " + platform.release(),
        "compiler": compiler(build),
        "clocksource": first_line(clocksource),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": commit,
        "uncommitted_changes": None if commit is None else bool(changed),
    }


def verdict(value, bar, noise, unit):
    """met or missed; where the noise alone could pass the bar, a figure inside it is neither."""
    if bar is None:
        return ""
    if value is None:
        return "n/a"
    if noise is not None:
        reach = max(noise, 1 / noise) if unit == "x" else abs(noise)
        if reach > bar and value <= reach:
            return "in the noise"
    return "met" if value <= bar else "missed"


def reach(values, key):
    """The best and the worst of a figure that was measured several times; None of one that was not."""
    ends = values.get(key + "_best"), values.get(key + "_worst")
    return None if None in ends else ends


def table(figures):
    rows = [("what", "measured", "best to worst", "bar", "")]
    for figure in figures:
        value, unit, bar = figure["value"], figure["unit"], figure["bar"]
        digits = "%.2f" if unit == "x" else "%.1f" if unit in ("ns", "µs") else "%.3g"
        digits = "%.0f" if unit == "kB" else digits
        reach = figure["reach"]
        rows.append((figure["what"],
                     "n/a" if value is None else ("%s %s" % (digits % value, unit)).rstrip(),
                     "" if reach is None else "%s to %s" % tuple(digits % end for end in reach),
                     "" if bar is None else ("<= %g %s" % (bar, unit)).rstrip(), figure["verdict"]))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return "\n".join(
        ("%-*s  %*s  %*s  %*s  %s" % (widths[0], row[0], widths[1], row[1], widths[2], row[2],
                                       widths[3], row[3], row[4]))
        .rstrip() for row in rows)


def main(results, output):
    values = read_results(results)
    missing = [key for key, _, _, _ in FIGURES if key not in values]
    if missing:
        sys.exit("bench: no figure for " + ", ".join(missing))
    figures = [{"key": key, "what": what, "unit": unit, "value": values[key], "bar": bar,
                "noise": NOISE.get(key), "reach": reach(values, key),
                "verdict": verdict(values[key], bar, values.get(NOISE.get(key)), unit)}
               for key, what, unit, bar in FIGURES]
    document = {"schema": 1, "machine": machine(os.path.dirname(output)), "figures": figures,
                "values": values}
    with open(output, "w") as file:
        json.dump(document, file, indent=2, allow_nan=False)
        file.write("\n")
    print(", ".join("%s %s" % item for item in document["machine"].items()))
    print(table(figures))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: collect.py RESULTS JSON")
    main(sys.argv[1], sys.argv[2])
