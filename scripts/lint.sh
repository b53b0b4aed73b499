#!/bin/bash
# `make lint`: checks the sources. Needs a configured build: lint.sh BUILD [STEP...]
# Steps: clang-format, clang-tidy, cppcheck, shellcheck, ruff, mypy, words; without any, all of them. Runs
# every step, even after a failure; fails if any step failed. clang-tidy and cppcheck skip files that were
# clean and have not changed. ruff is pinned in python/requirements-lint.txt.

set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
shift
[ $# -gt 0 ] || set -- clang-format clang-tidy cppcheck shellcheck ruff mypy words

run_step() {
    case $1 in
    clang-format)
        scripts/sources.sh | xargs clang-format --dry-run -Werror
        ;;
    clang-tidy)
        scripts/tidy.py "$build"
        ;;
    cppcheck)
        mkdir -p "$build/lint/cppcheck"
        cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
            --suppress=missingIncludeSystem --error-exitcode=1 -j "$(nproc)" \
            --cppcheck-build-dir="$build/lint/cppcheck" \
            -D_GNU_SOURCE -D__x86_64__ -D__linux__ -I include -I src src examples bench
        ;;
    shellcheck) # The cases of tests/cli are run by bash and have no #! line.
        find scripts tests bench .ci \( -name '*.sh' -o -path .ci/run \) ! -path 'tests/cli/*' -print0 |
            xargs -0 shellcheck &&
            shellcheck -s bash tests/cli/*.sh completions/pitwall.bash
        ;;
    ruff)
        python=$(scripts/python_env.sh "$build/python-lint" python/requirements-lint.txt) &&
            "$python" -m ruff check --quiet .
        ;;
    mypy)
        mypy && mypy --ignore-missing-imports scripts
        ;;
    words)
        /usr/bin/python3 scripts/plain_words.py
        ;;
    *)
        echo "lint: $1: unknown step" >&2
        return 1
        ;;
    esac
}

bad=0
for step in "$@"; do
    echo "== $step"
    run_step "$step" || bad=1
done
[ $bad -ne 0 ] || echo "lint: all good"
exit $bad
