#!/bin/bash
# Runs a build without its output: quietly.sh TEXT COMMAND...
# On a terminal one line shows TEXT and the progress, and disappears at the end. If the command fails, its
# whole output is shown. The exit status is that of the command.

set -u -o pipefail
words=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

show() { # the percentage of lines such as "[ 42%] Building"
    local line
    while IFS= read -r line; do
        case $line in
        "["*%"]"*) [ ! -t 2 ] || printf '\r%s %s' "$words" "${line:1:4}" >&2 ;;
        esac
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

[ -t 2 ] || printf '%s\n' "$words" >&2
"$@" 2>&1 | tee "$log" | show
status=$?
[ $status -eq 0 ] || cat "$log" >&2
exit $status
