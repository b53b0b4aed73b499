#!/bin/bash
# What `make test` runs: every stage, or those named as arguments.
#
#   unit      gcc build, tests/unit
#   system    tests/system and tests/cli, on that build
#   python    tests/python, on that build
#   layers    who includes whom, what the library exports
#   asan      unit, system and python under the address and undefined-behaviour sanitizers
#   tsan      unit and system under the thread sanitizer
#   clang     clang build with warnings as errors, tests/unit
#   aarch64   cross build for ARM with warnings as errors, tests/unit under qemu
#   fuzz      every fuzzer of tests/fuzz for FUZZ_SECONDS (20)
#
# Every test program ends with the line `N passed, N failed`; they are summed up. A program that
# crashes, hangs past TEST_TIMEOUT (300 s), or tests nothing is a failure. What a program printed
# is in build/test-logs/, and is shown if it failed. The last line is the sum, alone.

set -u
cd "$(dirname "$0")/.." || exit 1
tree=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$tree/$build ;; esac
logs=$build/test-logs
jobs=$(nproc)
fuzz_seconds=${FUZZ_SECONDS:-20}
test_timeout=${TEST_TIMEOUT:-300}
all_stages="unit system python layers asan tsan clang aarch64 fuzz"

# The tests set these themselves; what the caller has must not reach them.
unset PITWALL PITWALL_FILE PITWALL_LIVE NO_COLOR COLUMNS MAKEFLAGS MFLAGS MAKELEVEL
export LC_ALL=C.UTF-8

passed=0 failed=0 skipped=0
failures=()
stage=""
# Sanitizers make the compiler slow; -O1, which their manuals name, wins half of that back.
sanitized=(-DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g")
launcher=() # what starts the test programs of the stage: nothing, qemu, setarch

# ---- counting -----------------------------------------------------------------------------------

fail() { # fail NAME WHY [LOG]: one failure more
    failed=$((failed + 1))
    failures+=("$stage: $1: $2")
    printf '  FAIL  %s: %s\n' "$1" "$2"
    [ $# -lt 3 ] || show "$3"
}

show() { # what a log says, without its good news and not without end
    local lines
    lines=$(grep -avE ' \.\.\. ok$|^\[ *[0-9]+%\]|^-- |^$' "$1" | cut -c 1-300)
    [ -n "$lines" ] || lines="(it printed nothing)"
    head -n 60 <<<"$lines" | sed 's/^/      | /'
    [ "$(wc -l <<<"$lines")" -le 60 ] || echo "      | … the rest is in ${1#"$tree"/}"
}

# run_counted NAME COMMAND...: a program that counts its own cases.
run_counted() {
    local name=$1 log status counts start p f s
    shift
    log=$logs/$stage/$name.log
    start=$(now)
    { timeout --kill-after=10 "$test_timeout" "$@" </dev/null >"$log" 2>&1; } 2>/dev/null
    status=$?
    counts=$(tail -n 1 "$log" | grep -aE '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$')
    read -r p _ f _ s _ <<<"$counts"
    f=${f:-} s=${s:-0}
    if [ $status -eq 124 ]; then
        fail "$name" "not done after $test_timeout s" "$log"
    elif [ -z "$counts" ]; then
        fail "$name" "ended with status $status and without its count" "$log"
    else
        f=${f%,}
        passed=$((passed + p)) skipped=$((skipped + s))
        if [ "$f" -gt 0 ]; then
            fail "$name" "$f of $((p + f)) failed" "$log"
            failed=$((failed + f - 1))
        elif [ $status -ne 0 ]; then
            fail "$name" "status $status after $counts" "$log"
        elif [ $((p + s)) -eq 0 ]; then
            fail "$name" "tested nothing" "$log"
        else
            printf '  ok    %-34s %4d passed %7s s\n' "$name" "$p" "$(since "$start")"
        fi
        [ "$s" -eq 0 ] || grep -a '^SKIP ' "$log" | sed 's/^/        /'
    fi
}

# ---- small helpers ------------------------------------------------------------------------------

now() { date +%s%N; }

since() { # seconds since a reading of now, with one decimal
    local tenths=$((($(now) - $1) / 100000000))
    echo "$((tenths / 10)).$((tenths % 10))"
}

# build_in FOLDER CMAKE-ARGUMENTS...: configure and build; a failure counts as one.
build_in() {
    local folder=$1 log=$logs/$stage/build.log start
    shift
    start=$(now)
    if cmake -S "$tree" -B "$folder" "$@" >"$log" 2>&1 &&
        cmake --build "$folder" -j "$jobs" -- --no-print-directory >>"$log" 2>&1; then
        printf '  built %-46s %7s s\n' "${folder#"$tree"/}" "$(since "$start")"
    else
        fail build "the build of ${folder#"$tree"/} failed" "$log"
        return 1
    fi
}

# ---- the kinds of tests -------------------------------------------------------------------------

unit_tests() { # unit_tests FOLDER
    local folder=$1 source name found=no
    for source in "$tree"/tests/unit/test_*.c; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .c)
        found=yes
        run_counted "$name" "${launcher[@]}" "$folder/tests/$name"
    done
    [ $found = yes ] || fail "unit tests" "there are none"
}

system_tests() { # system_tests FOLDER [SANITIZER]
    local folder=$1 sanitizer=${2:-} file
    for file in "$tree"/tests/system/test_*.py; do
        [ -e "$file" ] || continue
        if [ -n "$sanitizer" ] && grep -q 'plain_build_only=True' "$file"; then
            printf '  --    %-34s checks the plain build alone\n' "$(basename "$file")"
            continue
        fi
        if [ "$sanitizer" = thread ] && grep -q 'has_threads=False' "$file"; then
            printf '  --    %-34s has no threads\n' "$(basename "$file")"
            continue
        fi
        run_counted "$(basename "$file")" env PITWALL_BUILD="$folder" \
            PITWALL_SANITIZER="$sanitizer" PYTHONDONTWRITEBYTECODE=1 \
            "${launcher[@]}" /usr/bin/python3 "$file"
    done
    cli_cases "$folder"
}

# The package's own tests run with the system's Python. They are left out under the thread sanitizer,
# which wants the whole interpreter built with it.
python_tests() { # python_tests FOLDER [SANITIZER]
    local folder=$1 sanitizer=${2:-} file found=no
    for file in "$tree"/tests/python/test_*.py; do
        [ -e "$file" ] || continue
        found=yes
        if [ -n "$sanitizer" ] && grep -q 'plain_build_only=True' "$file"; then
            printf '  --    %-34s checks the plain build alone\n' "$(basename "$file")"
            continue
        fi
        run_counted "$(basename "$file")" env PITWALL_BUILD="$folder" \
            PITWALL_SANITIZER="$sanitizer" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$file"
    done
    [ $found = yes ] || fail "python tests" "there are none"
}

# cli_cases FOLDER: each tests/cli/x.sh runs in an empty folder with the tool in its PATH. Its
# output must be x.sh.stdout.exact, its status the number in x.sh.status (0 without that file),
# and what it says on stderr x.sh.stderr.exact where that file is.
cli_cases() {
    local folder=$1 case name scratch start good=0 total=0
    start=$(now)
    for case in "$tree"/tests/cli/*.sh; do
        [ -e "$case" ] || continue
        name=$(basename "$case")
        total=$((total + 1))
        scratch=$(mktemp -d)
        if cli_case "$folder" "$case" "$scratch" >"$logs/$stage/$name.log" 2>&1; then
            good=$((good + 1))
            passed=$((passed + 1))
        else
            fail "$name" "not as expected" "$logs/$stage/$name.log"
        fi
        rm -rf "$scratch"
    done
    [ $good -lt $total ] || [ $total -eq 0 ] ||
        printf '  ok    %-34s %4d passed %7s s\n' "tests/cli" $good "$(since "$start")"
}

cli_case() { # FOLDER CASE SCRATCH: 0 if all is as expected, and says what is not
    local folder=$1 case=$2 scratch=$3 out=$3.stdout err=$3.stderr status want=0 bad=0
    (
        cd "$scratch" || exit 99
        PATH=$folder/bin:$PATH PITWALL_BUILD=$folder CLI_CASES=$tree/tests/cli \
            timeout --kill-after=10 "$test_timeout" bash "$case" </dev/null >"$out" 2>"$err"
    )
    status=$?
    [ ! -e "$case.status" ] || want=$(tr -d '[:space:]' <"$case.status")
    [ "$status" = "$want" ] || { echo "status $status, not $want" && bad=1; }
    diff -u "$case.stdout.exact" "$out" || bad=1
    if [ -e "$case.stderr.exact" ]; then
        diff -u "$case.stderr.exact" "$err" || bad=1
    elif [ $bad -ne 0 ]; then
        sed 's/^/stderr: /' "$err"
    fi
    rm -f "$out" "$err"
    return $bad
}

# The fuzzer's own folder of inputs grows from run to run; seeds are runs that tests left.
fuzzer() { # fuzzer FOLDER NAME
    local folder=$1 name=$2 corpus=$1/corpus/$2 log=$logs/$stage/$2.log start seeds=()
    mkdir -p "$corpus"
    for seed in "$build/fuzz-seeds" "$tree/tests/fuzz/seeds"; do
        [ ! -d "$seed" ] || seeds+=("$seed")
    done
    start=$(now)
    if timeout --kill-after=10 $((fuzz_seconds + 120)) "$folder/tests/$name" \
        -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$logs/$stage/$name-" "$corpus" "${seeds[@]}" </dev/null >"$log" 2>&1; then
        passed=$((passed + 1))
        printf '  ok    %-34s %s inputs tried %7s s\n' "$name" \
            "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$(since "$start")"
    else
        fail "$name" "found an input, kept in ${logs#"$tree"/}/$stage" "$log"
    fi
}

# ---- the stages ---------------------------------------------------------------------------------

stage_unit() {
    build_in "$build" && unit_tests "$build"
}

stage_system() {
    build_in "$build" && system_tests "$build"
}

stage_python() {
    build_in "$build" && python_tests "$build"
}

stage_layers() {
    build_in "$build" && run_counted layers.py env PITWALL_BUILD="$build" \
        PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$tree/tests/layers.py"
}

stage_asan() {
    build_in "$build/asan" "${sanitized[@]}" -DPITWALL_SANITIZE=address,undefined || return
    export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
    export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PITWALL_SANITIZER=address
    unit_tests "$build/asan"
    system_tests "$build/asan" address
    python_tests "$build/asan" address
    unset ASAN_OPTIONS UBSAN_OPTIONS PITWALL_SANITIZER
}

stage_tsan() {
    build_in "$build/tsan" "${sanitized[@]}" -DPITWALL_SANITIZE=thread || return
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:die_after_fork=0
    export PITWALL_SANITIZER=thread
    # The thread sanitizer wants its addresses where it knows them.
    ! setarch -R true 2>/dev/null || launcher=(setarch -R)
    unit_tests "$build/tsan"
    system_tests "$build/tsan" thread
    launcher=()
    unset TSAN_OPTIONS PITWALL_SANITIZER
}

stage_clang() {
    build_in "$build/clang" -DCMAKE_C_COMPILER=clang -DPITWALL_WERROR=ON &&
        unit_tests "$build/clang"
}

stage_aarch64() {
    build_in "$build/aarch64" -DPITWALL_WERROR=ON \
        --toolchain "$tree/cmake/aarch64-linux-gnu.cmake" || return
    export PITWALL_EMULATED=1
    launcher=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
    unit_tests "$build/aarch64"
    launcher=()
    unset PITWALL_EMULATED
}

stage_fuzz() {
    local source found=no
    build_in "$build/fuzz" -DCMAKE_C_COMPILER=clang -DPITWALL_FUZZ=ON || return
    for source in "$tree"/tests/fuzz/fuzz_*.c; do
        [ -e "$source" ] || continue
        found=yes
        fuzzer "$build/fuzz" "$(basename "$source" .c)"
    done
    [ $found = yes ] || fail "fuzzers" "there are none"
}

# ---- all of it ----------------------------------------------------------------------------------

[ $# -gt 0 ] || read -ra chosen <<<"$all_stages"
[ $# -eq 0 ] || chosen=("$@")
for stage in "${chosen[@]}"; do
    case " $all_stages " in
    *" $stage "*) ;;
    *) echo "run.sh: no stage $stage; there are: $all_stages" >&2 && exit 64 ;;
    esac
done

run_stages() { # those of the arguments that were chosen, one after the other
    local begun
    for stage in "$@"; do
        [[ " ${chosen[*]} " == *" $stage "* ]] || continue
        rm -rf "${logs:?}/$stage"
        mkdir -p "$logs/$stage"
        begun=$(now)
        echo "== $stage"
        "stage_$stage"
        echo "   $stage took $(since "$begun") s"
    done
}

# A lane is a shell of its own: what it counted comes back through a file.
lane() { # lane NAME STAGE...
    local name=$1
    shift
    passed=0 failed=0 skipped=0 failures=()
    run_stages "$@"
    declare -p passed failed skipped failures | sed 's/^declare \(-[-a]\)/declare -g \1/' >"$logs/$name.lane"
}

add_lane() { # what the lane of that name counted; one that left no count is a failure
    local p=$passed f=$failed s=$skipped all=("${failures[@]}")
    stage=lanes
    if [ -e "$logs/$1.lane" ]; then
        # shellcheck disable=SC1090 # written by lane
        . "$logs/$1.lane"
    else
        passed=0 failed=1 skipped=0 failures=("$1: ended without its count")
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    failures=("${all[@]}" "${failures[@]}")
}

whole=$(now)
mkdir -p "$logs"
rm -f "$logs"/*.lane

# The plain build is tested alone, as it is used. Sanitizers, the other compilers and the fuzzers
# look for mistakes and not at time, so they go in two lanes side by side; what the second lane has
# to say comes after the first has spoken.
run_stages unit system python layers
lane second tsan clang aarch64 >"$logs/second.log" 2>&1 &
(lane first asan fuzz)
wait
cat "$logs/second.log"
add_lane first
add_lane second

echo "== sum, after $(since "$whole") s"
for line in "${failures[@]}"; do
    echo "  FAIL  $line"
done
[ $skipped -eq 0 ] || echo "  $skipped skipped, for the reasons above"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
