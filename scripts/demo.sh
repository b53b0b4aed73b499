#!/bin/bash
# `make demo`: what Pitwall says of a training run, of two variants, and of a run that was killed.
# Needs a build: demo.sh BUILD

set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
tool=$build/bin/pitwall
home=$build/demo
rm -rf "$home"
mkdir -p "$home"

say() { printf '\n== %s\n\n' "$*"; }

say "Training a small network with its parts marked as spans"
"$build/examples/fitting" -o "$home/fitting.pit" >"$home/fitting.txt"
echo
"$tool" report "$home/fitting.pit"

say "The same run in another view: what stands out, and what to try"
"$tool" report --view bottlenecks "$home/fitting.pit"

say "Two variants raced: whole commands in turn, in an order by coin"
"$tool" race --runs 8 -o "$home/race" -n "one epoch" -n "two epochs" \
    "$build/examples/fitting --epochs 1 --quiet" "$build/examples/fitting --epochs 2 --quiet" || true

say "A run killed with SIGKILL still knows where it was"
"$build/examples/fitting" -o "$home/killed.pit" --epochs 1000 --quiet &
victim=$!
sleep 1.2
kill -9 "$victim"
wait "$victim" 2>/dev/null || true
"$tool" report --depth 2 "$home/killed.pit"

cat <<END

The runs are in $home. Try next:
  $tool report --view profile $home/fitting.pit     # each part in depth
  $tool export --format chrome-trace -o trace.json $home/fitting.pit   # for a trace viewer
  $tool scale -P n=1,2,4,8 '$build/examples/fitting --epochs {n} --quiet'
  $tool help                                       # all commands
  less examples/fitting.c                                 # how the spans got there
END
