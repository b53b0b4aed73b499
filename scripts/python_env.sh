#!/bin/bash
# A Python with packages of its own: scripts/python_env.sh FOLDER [REQUIREMENTS]. Made once, from
# python/requirements-test.txt (JAX and Weights & Biases, for the tests) or the file that is named;
# prints its interpreter. The system's packages (PyTorch) are seen in it.

set -eu

tree=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:?say in which folder}
wanted=$tree/${2:-python/requirements-test.txt}

if ! cmp -s "$wanted" "$folder/installed.txt"; then
    rm -rf "$folder"
    /usr/bin/python3 -m venv --system-site-packages "$folder" >&2
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --retries 1 -r "$wanted" >&2
    cp "$wanted" "$folder/installed.txt"
fi
echo "$folder/bin/python"
