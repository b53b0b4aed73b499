#!/bin/bash
# `make lint`: checks the sources. Needs a configured build: lint.sh BUILD
# Runs every checker, even after a failure; fails if any checker failed. Python files are checked by
# a pinned ruff (python/requirements-lint.txt) and the system's mypy.

set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
build=${1:-build}
bad=0

echo "== clang-format"
scripts/sources.sh | xargs clang-format --dry-run -Werror || bad=1

# Every file that the build compiles, with its own flags; headers are checked where they are included. A
# file that several programs share is compiled for each of them, but checked once.
echo "== clang-tidy"
mkdir -p "$build/lint"
/usr/bin/python3 -c 'import json, sys
commands = json.load(sys.stdin)
json.dump(list({each["file"]: each for each in reversed(commands)}.values()), sys.stdout)' \
    <"$build/compile_commands.json" >"$build/lint/compile_commands.json" || bad=1
scripts/sources.sh | grep '\.c$' | grep -v '^tests/fuzz/' |
    xargs -P "$(nproc)" -n 1 clang-tidy -p "$build/lint" --quiet 2> >(grep -v 'generated' >&2) || bad=1

echo "== cppcheck"
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem --error-exitcode=1 -j "$(nproc)" \
    -D_GNU_SOURCE -D__x86_64__ -D__linux__ -I include -I src src examples bench || bad=1

# The cases of tests/cli are run by bash and have no #! line.
echo "== shellcheck"
find scripts tests bench .ci \( -name '*.sh' -o -path .ci/run \) ! -path 'tests/cli/*' -print0 |
    xargs -0 shellcheck || bad=1
shellcheck -s bash tests/cli/*.sh completions/pitwall.bash || bad=1

echo "== ruff"
python=$(scripts/python_env.sh "$build/python-lint" python/requirements-lint.txt) || bad=1
"$python" -m ruff check --quiet . || bad=1

echo "== mypy"
mypy || bad=1
mypy --ignore-missing-imports scripts || bad=1

echo "== words"
/usr/bin/python3 scripts/plain_words.py || bad=1

[ $bad -ne 0 ] || echo "lint: all good"
exit $bad
