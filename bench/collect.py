#!/usr/bin/env python3
"""Make a table and a JSON document from the output of the benchmark programs.

    collect.py RESULTS JSON

RESULTS has lines "key value"; an unavailable value is n/a, and null in the JSON.
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

# key, description, unit, bar (the figure should not exceed it; None: no bar)
FIGURES = [
    ("floor_ns", "floor: two reads of the clock", "ns", None),
    ("span_hot_ns", "span, empty body", "ns", None),
    ("span_said_x_measured", "cost of a span as the run reports it, over the measured cost (good: 0.75 to 1.25)", "x", None),
    ("span_hot_x_floor", "span with an empty body, over the floor", "x", 1.12),
    ("span_3deep_x_floor", "three nested spans, each, over the floor", "x", 1.20),
    ("phase_x_floor", "phase that follows a phase, over the floor", "x", 0.80),
    ("named_x_floor", "span with a name made at run time, over the floor", "x", None),
    ("off_ns", "span, no run open", "ns", None),
    ("off_by_environment_ns", "span, PITWALL=0", "ns", None),
    ("two_threads_x_one", "span with two busy threads, over one thread", "x", 1.05),
    ("siblings_64_x_1", "64 sibling spans in turn, over one", "x", 1.05),
    ("siblings_1024_x_1", "1,024 sibling spans in turn, over one", "x", 1.15),
    ("cold_span_ns", "span after reading 256 kB of other data, median", "ns", None),
    ("cold_x_noop", "the same, over an empty call in its place", "x", None),
    ("start_exit_ms", "open a run, one span, exit: added to a program's start and exit", "ms", 2.0),
    ("run_true_ms", "pitwall run on `true`: added to a plain start", "ms", 5),
    ("initial_file_kb", "size of the run file after open", "kB", 1024),
    ("record_1e8_rss_growth_kb", "memory added from 1e6 to 1e8 spans", "kB", None),
    ("mem_span_us", "span that measures memory, delta and peak", "µs", None),
    ("mem_span_x_by_hand", "the same, over the same readings by hand", "x", 1.20),
    ("mem_span_at_once_us", "the same, spans that follow each other directly", "µs", None),
    ("mem_span_8_threads_us", "the same on eight threads at once, per thread", "µs", None),
    ("sampler_cpu_pct", "background sampler: share of one processor", "%", 0.1),
    ("top_cpu_pct", "pitwall top on 10,240 nodes of 512 threads: share of one processor", "%", 2),
    ("ranks_1024_cpu_s", "pitwall report on 1,024 ranks with 66 nodes each: processor time", "s", 1),
    ("ranks_1024_rss_mb", "the same: memory", "MB", 64),
    ("ranks_top_cpu_pct", "pitwall top on 64 live ranks: share of one processor", "%", 2),
    ("ranks_planted_jobs", "jobs of four ranks, one of them reads slowly", "", None),
    ("ranks_planted_named", "of these, the report names the rank and the slow part", "", None),
    ("ranks_fair_jobs", "the same jobs without a slow rank", "", None),
    ("ranks_fair_alarms", "of these, the report blames a rank", "", None),
    ("verdict_jobs", "MPI jobs of two ranks, one with a tenth of a step more work, of each kind", "", None),
    ("verdict_assemble_named", "of these, the report names rank and part", "", None),
    ("verdict_backward_named", "the same, the part is a backward computation", "", None),
    ("verdict_chain_named", "the same, the other rank waits for it and arrives last", "", None),
    ("verdict_wrongly_blamed", "of all three kinds, the report blames the other rank", "", None),
    ("verdict_balanced_jobs", "the same jobs without more work", "", None),
    ("verdict_balanced_alarms", "of these, the report blames a rank", "", None),
    ("serve_list_1000_ms", "pitwall serve: first list of 1,000 runs", "ms", 1000),
    ("serve_live_p99_ms", "pitwall serve: update of a live run with ten watchers, p99", "ms", 20),
    ("serve_live_cpu_p99_ms", "the same in processor time of the server", "ms", 20),
    ("serve_watched_cpu_pct", "the server meanwhile: share of one processor", "%", 2),
    ("serve_rss_growth_kb", "memory added in the second half of that minute", "kB", None),
    ("serve_beside_pct", "a program beside a server with ten watchers: processor time added", "%", 1),
    ("serve_beside_noise_pct", "noise: half of the runs without watchers over the others", "%", None),
    ("serve_day_start_kb", "memory of the server after 8,640 polls", "kB", None),
    ("serve_day_middle_kb", "after 43,200 polls", "kB", None),
    ("serve_day_end_kb", "after 86,400 polls", "kB", None),
    ("serve_day_growth_kb", "memory added by 86,400 polls (one watcher for a day)", "kB", 1024),
    ("serve_linked", "libraries of the server that all commands load", "", 0),
    ("watchers_x_none", "spans while ten programs watch the run, over no watchers", "x", 1.01),
    ("watchers_noise_x", "noise: two halves of the rounds without watchers", "x", None),
    ("timer_call_us", "timed call that prints a line", "µs", 1000),
    ("stage_log_us", "line of the stage log, printed and recorded", "µs", 10),
    ("stage_overhead_pct", "stage log and window: share of a run that uses both", "%", 0.1),
    ("measure_memory_us", "probe around a piece of work: RSS and peak", "µs", 1000),
    ("malloc_pair_x_plain", "malloc and free with libpitwall-alloc, over plain", "x", None),
    ("malloc_pair_added_ns", "the same: added per pair", "ns", 10),
    ("py_empty_with_ns", "Python: a `with` that does nothing, new object", "ns", None),
    ("py_span_ns", "Python: span, new object, empty body", "ns", None),
    ("py_span_x_empty_with", "the same, over the `with` that does nothing", "x", 2.2),
    ("py_span_x_kept_with", "the same, over a `with` that reuses one object", "x", None),
    ("py_decorator_ns", "Python: added by @timed to a call", "ns", None),
    ("py_iter_ns", "Python: added by pitwall.iter to a next()", "ns", None),
    ("py_mem_span_us", "Python: spans that measure memory, directly one after another", "µs", None),
    ("py_by_hand_ns", "Python: two perf_counter() by hand", "ns", None),
    ("py_contextmanager_ns", "Python: a @contextmanager that times", "ns", None),
    ("py_stage_log_10_names_us", "Python: line of a stage log with 10 stages", "µs", None),
    ("py_stage_log_500_names_us", "Python: line of a stage log with 500 stages", "µs", 10),
    ("py_step_end_10_names_us", "Python: end of a step with 10 operations", "µs", None),
    ("py_step_end_500_names_us", "Python: end of a step with 500 operations", "µs", 3),
    ("py_alloc_pct", "Python: added by tracking memory to a loop that allocates", "%", None),
    ("py_tracemalloc_pct", "added by tracemalloc to the same loop", "%", None),
    ("py_record_function_ns", "torch.profiler.record_function, no profiler", "ns", None),
    ("py_cold_empty_with_ns", "a `with` that does nothing, in a small PyTorch step", "ns", None),
    ("py_cold_span_ns", "a span in the same place", "ns", None),
    ("py_step_us", "a small PyTorch training step, 10th percentile", "µs", None),
    ("py_step_noise_pct", "noise of the next figures: bare steps against bare steps", "%", None),
    ("py_step_empty_with_pct", "four `with` that do nothing: added to the step", "%", None),
    ("py_step_spans_pct", "four spans: added to the step", "%", 0.5),
    ("py_step_memory_pct", "four spans that measure memory: added to the step", "%", 5),
    ("function_span_ns", "function compiled with -finstrument-functions", "ns", None),
    ("function_span_x_span", "the same, over a plain span", "x", None),
    ("mpi_call_ns", "MPI_Send to MPI_PROC_NULL, with libpitwall-mpi", "ns", None),
    ("mpi_call_added_ns", "the same: added by the library", "ns", 40),
    ("mpi_collective_added_ns", "added by the library to a collective, which is logged", "ns", 60),
    ("mpi_wait_error_pct", "error of waits in collectives computed from durations alone", "%", 10),
    ("gomp_region_bare_ns", "parallel region of libgomp, one thread", "ns", None),
    ("gomp_region_added_ns", "added by libpitwall-openmp to it", "ns", 300),
    ("ompt_region_bare_ns", "parallel region of libomp, one thread", "ns", None),
    ("ompt_region_added_ns", "added by libpitwall-openmp to it", "ns", 300),
    ("auto_step_ms", "a PyTorch training step with a loader, median", "ms", None),
    ("auto_step_us", "added by the hooks of `pitwall run` to it", "µs", None),
    ("auto_step_pct", "the same, as a share of the step", "%", 1),
    ("auto_step_noise_pct", "noise: steps without hooks against each other", "%", None),
    ("auto_small_step_ms", "a small PyTorch training step with a loader, median", "ms", None),
    ("auto_small_step_us", "added by the hooks to it", "µs", None),
    ("auto_small_step_pct", "the same, as a share of the step", "%", 2),
    ("auto_small_step_noise_pct", "noise: small steps without hooks against each other", "%", None),
    ("auto_cost_said_x_measured", "cost of the hooks as the report gives it, over the measured cost (good: 0.75 to 1.25)", "x", None),
    ("auto_hot_ns", "added by a hook to a module that does nothing, caches warm", "ns", None),
    ("auto_hot_said_x_measured", "the same as the report gives it, over the measured cost (good: 0.75 to 1.25)", "x", None),
    ("places_python_sample_us", "processor time that a stack sample of Python takes", "µs", None),
    ("places_python_own_us", "of this, our thread's, at ten a second", "µs", None),
    ("places_python_own_fast_us", "the same at a thousand a second, caches warmer", "µs", None),
    ("places_python_main_us", "of this, the main thread's", "µs", None),
    ("places_python_main_error_us", "standard error of that", "µs", None),
    ("places_python_pct", "the same ten times a second", "%", 0.1),
    ("places_python_x_bar", "the same, over the bar of 0.1 %", "x", 1),
    ("places_python_direct_pct", "time added by ten samples a second, measured directly", "%", None),
    ("places_python_noise_pct", "noise: two series without samples against each other", "%", None),
    ("opencl_launch_bare_ns", "launch of an OpenCL kernel on PoCL, median", "ns", None),
    ("opencl_launch_cost_ns", "added by libpitwall-opencl to it", "ns", 300),
    ("opencl_kernel_gap_us", "time from launch to end of wait, less the kernel's time in the run", "µs", 20),
    ("report_small_ms", "pitwall report on a small run, from start to exit, median", "ms", 5),
    ("read_ms_1000_nodes", "reading a run of 1,000 nodes", "ms", 3),
    ("fitting_cost_pct", "time added by spans to a batch of examples/fitting", "%", 0.1),
    ("fitting_noise_pct", "noise: two copies of the same code against each other", "%", None),
    ("fitting_instructions_pct", "instructions added by spans to it, counted by callgrind", "%", 0.1),
    ("rom_cost_pct", "time added by spans to a batch of examples/rom", "%", 0.1),
    ("rom_noise_pct", "noise: two copies of the same code against each other", "%", None),
    ("rom_instructions_pct", "instructions added by spans to it, counted by callgrind", "%", 0.1),
    ("save_profile_ms", "saving a model's profile", "ms", 10),
    ("bench_empty_ns", "empty function measured by pit_bench, median", "ns", 1),
    ("page_assets_kb", "web page: scripts and styles inside the library", "kB", 150),
    ("page_fitting_kb", "web page of examples/fitting, one file", "kB", 300),
    ("page_nodes_kb", "web page of a run with 10,000 nodes", "kB", 2048),
    ("page_threads_kb", "web page of a run with 512 threads and 10,240 nodes", "kB", 2048),
    ("page_threads_ms", "that page in a browser, from navigation to paint", "ms", 500),
    ("page_nodes_ms", "web page of 10,000 nodes, from navigation to paint", "ms", 500),
    ("page_points_ms", "the same with 50,000 points in its charts", "ms", 500),
    ("page_nodes_cpu_ms", "the page of 10,000 nodes in processor time of the browser's main thread", "ms", 500),
    ("page_threads_cpu_ms", "the same with 512 threads", "ms", 500),
    ("page_points_cpu_ms", "the same with 50,000 points", "ms", 500),
    ("race_self_races", "races of a 50 ms program against itself", "", None),
    ("race_self_alarms", "of these, wrongly called faster or slower", "", 0),
    ("race_5pct_races", "races of the same program against 5 % more work", "", None),
    ("race_5pct_missed", "of these, difference not found", "", 1),
    ("race_5pct_wrong", "of these, wrongly called faster", "", 0),
    ("race_interval_pct", "half the width of the races' confidence interval, median", "%", None),
    ("race_seconds", "duration of a race, median", "s", None),
    ("planted_right_pct", "test programs, slow or healthy, whose report gives the right finding first", "%", None),
    ("planted_missed_pct", "the other test programs, including those that could not be run", "%", 5),
    ("planted_loaded_right_pct", "right finding first while three other programs use the processor", "%", None),
    ("planted_loaded_missed_pct", "the other test programs under that load", "%", 5),
    ("planted_false_alarms", "false alarms on healthy programs, with and without load", "", 0),
    ("planted_not_run", "test programs that could not be run on this machine", "", None),
    ("store_stall_noise_max_us", "longest empty call while another process syncs", "µs", None),
    ("store_stall_in_place_max_us", "longest span then, run in its file", "µs", None),
    ("store_stall_shm_max_us", "longest span then, run in shared memory", "µs", None),
]

# Figures whose noise was measured in the same run: in percent, or as a ratio.
NOISE = {
    "fitting_cost_pct": "fitting_noise_pct",
    "rom_cost_pct": "rom_noise_pct",
    "auto_step_pct": "auto_step_noise_pct",
    "auto_small_step_pct": "auto_small_step_noise_pct",
    "watchers_x_none": "watchers_noise_x",
    "serve_beside_pct": "serve_beside_noise_pct",
}


def read_results(path):
    """The figures. If one was measured several times, its value is the median, and KEY_best and KEY_worst are
    added; programs that repeat a measurement themselves print the same keys."""
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
    """The compiler in the build's CMake cache, with its version."""
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
    """met or missed; `in the noise` if the noise exceeds the bar and the figure does not exceed the noise."""
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
    """The best and the worst of a figure, or None if it was measured once."""
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
