#!/bin/bash
# A build without its talk: quietly.sh WORDS COMMAND...
# On a terminal a line says how far it is and goes away at the end. If the command fails, all that it
# said is shown, and its status is passed on.

set -u -o pipefail
words=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

show() { # of lines that begin as "[ 42%] Building", how far that is
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
