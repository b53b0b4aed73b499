#!/bin/bash
# What `pitwall race` says of one program against itself, and against itself doing 5 % more work.
# bench_race.sh BUILD: prints "name value" lines for collect.py.
#
#   race_self_alarms   of RACES_SELF (40) races against itself, those with a verdict of faster or slower
#   race_5pct_missed   of RACES_MORE (10) races against 5 % more work, those that did not find it slower
#   race_5pct_wrong    those of them that called it faster
#   race_interval_pct  how far the interval of the change reached to either side there, in percent of
#                      the time: the median. Above 5 the machine was too busy for 5 % to be found

set -eu
build=$1
work=$build/bench/bench_work
tool=$build/bin/pitwall
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

race() { # race UNITS UNITS: verdict on the wall time, and how far its interval reaches
    "$tool" race --quiet --json --shell none -o "$runs" "$work $1" "$work $2" 2>/dev/null |
        /usr/bin/python3 -c 'import json, sys
found = json.load(sys.stdin)["comparisons"][0]
print(found["verdict"], 50 * (found["high"] - found["low"]))'
}

for ((i = 0; i < ${RACES_SELF:-40}; i++)); do race 100 100; done >"$runs/self.txt"
for ((i = 0; i < ${RACES_MORE:-10}; i++)); do race 100 105; done >"$runs/more.txt"

echo "race_self_alarms $(grep -cE '^(faster|slower) ' "$runs/self.txt" || true)"
echo "race_5pct_missed $(grep -cv '^slower ' "$runs/more.txt" || true)"
echo "race_5pct_wrong $(grep -c '^faster ' "$runs/more.txt" || true)"
echo "race_interval_pct $(cut -d' ' -f2 "$runs/more.txt" | sort -g | awk '{x[NR] = $1}
    END {print x[int((NR + 1) / 2)]}')"
