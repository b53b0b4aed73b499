#!/bin/bash
# `make demo`: what Pitwall says of a training run, of two models, of two variants, of a run that was
# killed, and of two ranks where there is an MPI. Needs a build: demo.sh BUILD

set -eu -o pipefail
cd "$(dirname "$0")/.."
where=$(cd "${1:-build}" && pwd)
build=${where#"$PWD/"}
home=$build/demo
began=$SECONDS
rm -rf "$home"
mkdir -p "$home"
PATH=$where/bin:$where/examples:$PATH

columns=96
bold="" dim="" plain=""
if [ -t 1 ]; then
    columns=$(tput cols 2>/dev/null || echo 80)
    [ "$columns" -le 100 ] || columns=100
    if [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
        bold=$'\033[1;36m' dim=$'\033[2m' plain=$'\033[0m'
        export FORCE_COLOR=1 # of what goes through a filter below, too
    fi
fi

part=0
title() { # title TEXT SENTENCE
    part=$((part + 1))
    printf '\n%s%d. %s%s\n%s%s%s\n' "$bold" "$part" "$1" "$plain" "$dim" "$2" "$plain"
}

say() { printf '\n%s$ %s%s\n' "$dim" "$*" "$plain"; }

# in_home COMMAND...: say it and do it, in the folder where the files go.
in_home() {
    local word said=""
    for word in "$@"; do
        case $word in *" "*) word="'$word'" ;; esac
        said+="${said:+ }$word"
    done
    say "$said"
    (cd "$home" && "$@")
}

# train NAME ARGUMENTS...: the same with the figures in NAME.txt; the progress line is seen.
train() {
    say "$@"
    (cd "$home" && "$@" >"$1.txt")
}

# Of a report, with colour or without: what is the same for all runs of a demo is left out.
brief() {
    local style=$'(\033\\[[0-9;]*m)*'
    sed -E "/^$style(machine|started|threads|memory|git|run|program)\\b/d; /^${style}finished last/,\$d"
}

# Of the bottlenecks: the command, and the finding that matters most with what is indented below it.
first_finding() { sed -n '1,3p; 4,${/^ /!q; p;}'; }

title "Three models learn nine functions" \
    "An MLP, a SIREN and a KAN in C, with their parts marked as spans."
train fitting -o fitting.pit
in_home pitwall report fitting.pit --depth 4 --min-share 4 --width "$columns" | brief
in_home pitwall report fitting.pit --view speedup --node training

title "Two models of the same data: which is the better buy?" \
    "An MVAR and an LSTM are trained, benchmarked and compared; JSON has all of it."
train rom --out rom
grep -E '^(MVAR|LSTM): loss|take .* times' "$home/rom.txt"
sed -nE 's/^ *"(fastest|smallest)_([a-z]*)": "(.*)",?$/\1 \2: \3/p' \
    "$home/rom/oscillators/runtime_comparison.json"
echo "(of one process; trials in it share its luck, so part 4 races whole programs)"

title "What is wrong with this one, and what to try" \
    "A decoder that makes its own batches while it trains. --workers 1 is the remedy."
train decoding -o decoding.pit
in_home pitwall report decoding.pit --view bottlenecks --width "$columns" | first_finding

title "Which is really faster?" \
    "Whole programs in turn, their order by coin; the verdict is a test, no glance."
say "export PITWALL=0 # for once without spans"
export PITWALL=0
in_home pitwall race --runs 6 -n MLP -n KAN -P m=MLP,KAN "fitting --quick --only {m}" || true
unset PITWALL

title "A run is killed, and still knows where it was" \
    "kill -9 in the middle of a batch: finished spans are kept, open ones are named."
say "heat -o killed.pit --epochs 1000 & sleep 1.2; kill -9 \$!"
"$build/examples/heat" -o "$home/killed.pit" --epochs 1000 --quiet &
victim=$!
sleep 1.2
{ kill -9 "$victim" && wait "$victim"; } 2>/dev/null || true # bash would say "Killed", now or then
in_home pitwall report killed.pit --width "$columns" | brief

# An MPI is none of the demo's own dependencies: without one the part says how to get it.
title "Two ranks of MPI: who makes the other wait?" \
    "The last rank reads slowly; the other one loses that time in MPI_Allreduce."
launch=(mpirun -n 2)
if mpirun --version 2>/dev/null | grep -q "Open MPI"; then
    launch=(mpirun --allow-run-as-root --oversubscribe -n 2)
fi
if ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null; then
    echo "There is no MPI here: apt-get install libopenmpi-dev openmpi-bin, then make demo."
elif ! mpicc -O2 -Iinclude -o "$home/straggler_mpi" examples/mpi/straggler_mpi.c \
    -L"$where/lib" -lpitwall -Wl,-rpath,"$where/lib" 2>"$home/straggler_mpi.txt"; then
    echo "The MPI here compiles nothing: $home/straggler_mpi.txt says why."
else
    say "mpirun -n 2 pitwall run -o rank-%r.pit -- ./straggler_mpi"
    if (cd "$home" && "${launch[@]}" pitwall run --quiet -o "rank-%r.pit" -- ./straggler_mpi) \
        >"$home/straggler_mpi.txt" 2>&1 </dev/null; then
        in_home pitwall report rank-0.pit rank-1.pit --view ranks --width "$columns"
    else
        echo "mpirun failed here: $home/straggler_mpi.txt says why."
    fi
fi

title "All of it as a page" \
    "One file, for any browser, offline: call tree, charts, where it died."
in_home pitwall report fitting.pit --html -o fitting.html
in_home pitwall report killed.pit --html -o killed.html

cat <<END

${bold}That took $((SECONDS - began)) s. In $home there are now${plain}
  fitting.pit, decoding.pit, killed.pit   runs, for pitwall report
  fitting.html, killed.html               their pages: open them in a browser
  fitting.csv, fitting.json               what each training took
  rom/oscillators/                        profiles and comparison in JSON, a run
  *.txt                                   what the programs printed

${bold}Type next${plain}
  xdg-open $home/fitting.html # or drag it into a browser
  $build/bin/pitwall report $home/fitting.pit
  $build/bin/pitwall report $home/fitting.pit --view profile
  $build/bin/pitwall export $home/fitting.pit -o fitting.trace.json
  $build/bin/pitwall help
  less docs/examples.md examples/fitting.c
END
