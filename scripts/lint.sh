#!/bin/bash
# `make lint`: the form of the sources. Needs a configured build: lint.sh BUILD
# Runs every checker, also after one that complained; fails if any did.

set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
bad=0

echo "== clang-format"
scripts/sources.sh | xargs clang-format --dry-run -Werror || bad=1

# What the build compiles, each file with its own flags; headers are seen through their users.
echo "== clang-tidy"
scripts/sources.sh | grep '\.c$' | grep -v '^tests/fuzz/' |
    xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet 2> >(grep -v 'generated' >&2) || bad=1

echo "== cppcheck"
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem --error-exitcode=1 -j "$(nproc)" \
    -D_GNU_SOURCE -D__x86_64__ -D__linux__ -I include -I src src examples bench || bad=1

echo "== shellcheck"
find scripts tests bench .ci \( -name '*.sh' -o -path .ci/run \) -print0 |
    xargs -0 shellcheck || bad=1

[ $bad -ne 0 ] || echo "lint: all good"
exit $bad
