#!/bin/bash
# `make demo`: reports of a training run, of two models, of two variants, of a killed run and, if there is
# an MPI, of two ranks. Needs a build: demo.sh BUILD

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
        export FORCE_COLOR=1 # also for output that is piped through a filter below
    fi
fi

part=0
title() { # title TEXT SENTENCE
    part=$((part + 1))
    printf '\n%s%d. %s%s\n%s%s%s\n' "$bold" "$part" "$1" "$plain" "$dim" "$2" "$plain"
}

say() { printf '\n%s$ %s%s\n' "$dim" "$*" "$plain"; }

# in_home COMMAND...: print and run the command, in the folder of the demo's files.
in_home() {
    local word said=""
    for word in "$@"; do
        case $word in *" "*) word="'$word'" ;; esac
        said+="${said:+ }$word"
    done
    say "$said"
    (cd "$home" && "$@")
}

# train NAME ARGUMENTS...: the same with stdout in NAME.txt; the progress line (stderr) stays visible.
train() {
    say "$@"
    (cd "$home" && "$@" >"$1.txt")
}

# Remove from a report, coloured or not, the lines that are the same for all runs of the demo.
brief() {
    local style=$'(\033\\[[0-9;]*m)*'
    sed -E "/^$style(machine|started|threads|memory|git|run|program)\\b/d; /^${style}finished last/,\$d"
}

# Keep from the bottlenecks the command and the first finding, with the lines indented below it.
first_finding() { sed -n '1,3p; 4,${/^ /!q; p;}'; }

title "Three models learn nine functions" \
    "An MLP, a SIREN and a KAN, written in C; each part of the training is a span."
train fitting -o fitting.pit
in_home pitwall report fitting.pit --depth 4 --min-share 4 --width "$columns" | brief
in_home pitwall report fitting.pit --view speedup --node training

title "Two models of the same data: which is faster, which is smaller?" \
    "Trains, benchmarks and compares an MVAR and an LSTM; results are saved as JSON."
train rom --out rom
grep -E '^(MVAR|LSTM): loss|take .* times' "$home/rom.txt"
sed -nE 's/^ *"(fastest|smallest)_([a-z]*)": "(.*)",?$/\1 \2: \3/p' \
    "$home/rom/oscillators/runtime_comparison.json"
echo "(measured in one process; part 4 compares separate processes, which is fairer)"

title "Why is this training slow, and what helps?" \
    "This decoder prepares its batches in the training loop; --workers 1 fixes that."
train decoding -o decoding.pit
in_home pitwall report decoding.pit --view bottlenecks --width "$columns" | first_finding

title "Which is really faster?" \
    "Runs both programs several times in random order; a statistical test decides."
say "export PITWALL=0 # record nothing in this part"
export PITWALL=0
in_home pitwall race --runs 6 -n MLP -n KAN -P m=MLP,KAN "fitting --quick --only {m}" || true
unset PITWALL

title "Where was a program when it was killed?" \
    "kill -9 during a batch: finished spans are kept, open spans are named."
say "heat -o killed.pit --epochs 1000 & sleep 1.2; kill -9 \$!"
"$build/examples/heat" -o "$home/killed.pit" --epochs 1000 --quiet &
victim=$!
sleep 1.2
for _ in {1..3000}; do # a busy machine takes longer to come to the first batch
    if pitwall report "$home/killed.pit" --view tree 2>/dev/null | grep batch >/dev/null; then break; fi
    sleep 0.1
done
{ kill -9 "$victim" && wait "$victim"; } 2>/dev/null || true # hide the "Killed" that bash prints
in_home pitwall report killed.pit --width "$columns" | brief

# The demo does not require MPI: without it, this part says how to install it.
title "Two MPI ranks: which one makes the other wait?" \
    "The last rank reads slowly; the other waits for it inside of MPI."
launch=(mpirun -n 2)
if mpirun --version 2>/dev/null | grep -q "Open MPI"; then
    launch=(mpirun --allow-run-as-root --oversubscribe -n 2)
fi
if ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null; then
    echo "No MPI found: apt-get install libopenmpi-dev openmpi-bin, then make demo."
elif ! mpicc -O2 -Iinclude -o "$home/straggler_mpi" examples/mpi/straggler_mpi.c \
    -L"$where/lib" -lpitwall -Wl,-rpath,"$where/lib" 2>"$home/straggler_mpi.txt"; then
    echo "mpicc failed: see $home/straggler_mpi.txt"
else
    say "mpirun -n 2 pitwall run -o rank-%r.pit -- ./straggler_mpi"
    if (cd "$home" && "${launch[@]}" pitwall run --quiet -o "rank-%r.pit" -- ./straggler_mpi) \
        >"$home/straggler_mpi.txt" 2>&1 </dev/null; then
        in_home pitwall report rank-0.pit rank-1.pit --view ranks --width "$columns"
    else
        echo "mpirun failed: see $home/straggler_mpi.txt"
    fi
fi

title "The same reports as web pages" \
    "One file each, opens offline in any browser: call tree, charts, where it died."
in_home pitwall report fitting.pit --html -o fitting.html
in_home pitwall report killed.pit --html -o killed.html

cat <<END

${bold}Done in $((SECONDS - began)) s. Files in $home:${plain}
  fitting.pit, decoding.pit, killed.pit   recorded runs, for pitwall report
  fitting.html, killed.html               their web pages
  fitting.csv, fitting.json               duration of each training
  rom/oscillators/                        profiles, comparison (JSON), a run
  *.txt                                   output of the programs

${bold}Try next${plain}
  xdg-open $home/fitting.html # or drag it into a browser
  $build/bin/pitwall serve $home --open # all of them, live
  $build/bin/pitwall report $home/fitting.pit
  $build/bin/pitwall report $home/fitting.pit --view profile
  $build/bin/pitwall export $home/fitting.pit -o fitting.trace.json
  $build/bin/pitwall help
  less docs/examples.md examples/fitting.c
END
