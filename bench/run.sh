#!/bin/bash
# Runs every benchmark program of a build and shows what was measured against the bars:
#     PITWALL_BUILD=build bench/run.sh
# Prints a table and writes $PITWALL_BUILD/bench.json. A missed bar is shown as missed; the exit
# status is not 0 only if something could not be run.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${PITWALL_BUILD:-$here/../build}
[ -x "$build/bench/bench_span" ] || {
    echo "bench: no benchmark programs in $build/bench: run make first" >&2
    exit 1
}

scratch=$(mktemp -d "$build/bench-runs.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export PITWALL_BENCH_DIR=$scratch
unset PITWALL PITWALL_FILE PITWALL_LIVE PITWALL_MEMORY PITWALL_SAMPLE PITWALL_VERBOSE
results=$scratch/results

run() {
    echo "bench: $*" >&2
    "$build/bench/$1" "${@:2}" >>"$results"
}

run bench_span
run bench_off
PITWALL=0 run bench_off
# a new run each time: the median counts
for _ in 1 2 3 4 5; do
    run bench_threads
    run bench_siblings
    run bench_cold
done
run bench_start
run bench_memory
run bench_memory_span
run bench_monitor
run bench_top "$build/bin/pitwall"
run bench_watch "$build/bin/pitwall"
for _ in 1 2 3 4 5; do run bench_read; done
run bench_profile
run bench_malloc
run bench_functions
echo "bench: bench_mpi.py" >&2
python3 "$here/bench_mpi.py" "$build" >>"$results"
echo "bench: bench_openmp.py" >&2
python3 "$here/bench_openmp.py" "$build" >>"$results"
echo "bench: bench_page.py" >&2
/usr/bin/python3 "$here/bench_page.py" "$build" >>"$results"
echo "bench: bench_race.py" >&2
python3 "$here/bench_race.py" "$build" >>"$results"
run bench_examples
echo "bench: bench_ranks.py" >&2
python3 "$here/bench_ranks.py" "$build" >>"$results"
echo "bench: bench_verdicts.py" >&2
python3 "$here/bench_verdicts.py" "$build" >>"$results"
echo "bench: bench_instructions.py" >&2
python3 "$here/bench_instructions.py" "$build" >>"$results"
echo "bench: bench_run.py" >&2
/usr/bin/python3 "$here/bench_run.py" "$build" >>"$results"
echo "bench: bench_opencl.py" >&2
/usr/bin/python3 "$here/bench_opencl.py" "$build" >>"$results"
echo "bench: bench_serve.py" >&2
/usr/bin/python3 "$here/bench_serve.py" "$build" >>"$results"
run bench_stall noise
run bench_stall in_place
run bench_stall shm

echo "bench: bench_python.py" >&2
PYTHONPATH=$build/python:$build/bench /usr/bin/python3 "$here/bench_python.py" >>"$results"
echo "bench: bench_places.py" >&2
PYTHONPATH=$build/python /usr/bin/python3 "$here/bench_places.py" >>"$results"
echo "bench: bench_auto.py" >&2
PYTHONPATH=$build/python /usr/bin/python3 "$here/bench_auto.py" >>"$results"
echo "bench: planted.py" >&2
python3 "$here/planted.py" --figures "$build" >>"$results"

python3 "$here/collect.py" "$results" "$build/bench.json"
python3 -m json.tool "$build/bench.json" >/dev/null
