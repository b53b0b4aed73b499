#!/bin/bash
# What `pitwall race` says of one program against itself, and against itself doing 5 % more work.
# bench_race.sh BUILD: prints "name value" lines for collect.py.
#
#   race_self_alarms   of RACES_SELF (40) races against itself, those with a verdict of faster or slower
#   race_5pct_missed   of RACES_MORE (10) races against 5 % more work, those that did not find it slower

set -eu
build=$1
work=$build/bench/bench_work
tool=$build/bin/pitwall
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT

verdict() { # verdict A B: of the wall time
    "$tool" race --quiet --json --shell none -o "$runs" "$1" "$2" 2>/dev/null |
        /usr/bin/python3 -c 'import json, sys
print(json.load(sys.stdin)["comparisons"][0]["verdict"])'
}

alarms=0
for ((i = 0; i < ${RACES_SELF:-40}; i++)); do
    case $(verdict "$work 100" "$work 100") in faster | slower) alarms=$((alarms + 1)) ;; esac
done
missed=0
for ((i = 0; i < ${RACES_MORE:-10}; i++)); do
    [ "$(verdict "$work 100" "$work 105")" = slower ] || missed=$((missed + 1))
done
echo "race_self_alarms $alarms"
echo "race_5pct_missed $missed"
