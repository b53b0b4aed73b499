#!/bin/bash
# Makes a virtual environment: scripts/python_env.sh [--alone] FOLDER [REQUIREMENTS]. Installs REQUIREMENTS,
# by default python/requirements-test.txt (JAX and Weights & Biases, for the tests), unless it is there already,
# and prints its interpreter. It sees the system's packages (PyTorch), except with --alone:
#
#     scripts/python_env.sh --alone build/python-frameworks python/requirements-frameworks.txt
#
# makes the environment of `make test-all`, with current versions of PyTorch, Lightning, transformers,
# Keras, JAX, flax, optax and Jupyter. If several callers run at once, the first one makes it and the others wait.

set -eu

tree=$(cd "$(dirname "$0")/.." && pwd)
sees=--system-site-packages
if [ "${1:-}" = --alone ]; then
    sees=
    shift
fi
folder=${1:?missing argument: the folder}
wanted=$tree/${2:-python/requirements-test.txt}

mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9
if ! cmp -s "$wanted" "$folder/installed.txt"; then
    rm -rf "$folder"
    # shellcheck disable=SC2086  # nothing, or one word
    /usr/bin/python3 -m venv $sees "$folder" >&2 9>&-
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --retries 5 -r "$wanted" >&2 9>&-
    cp "$wanted" "$folder/installed.txt"
fi
echo "$folder/bin/python"
