#!/bin/bash
# `make demo`: train a small network, record the run, show its report. Needs a build: demo.sh BUILD

set -eu
cd "$(dirname "$0")/.."
build=${1:-build}

run=$build/demo.pit
rm -f "$run"
echo "Training a small network with its parts marked as spans; the run goes to $run"
echo
"$build/examples/digits" -o "$run"
echo
"$build/bin/pitwall" report "$run"
cat <<END

The run is in $run. Try next:
  $build/bin/pitwall report --flat --sort self $run   # one line a name
  $build/bin/pitwall report --json $run               # the same as data
  less examples/digits.c                                # how the spans got there
END
