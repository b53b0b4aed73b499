#!/bin/sh
# The C sources and headers of the tree, one path per line: the files to format and check.
cd "$(dirname "$0")/.." || exit 1
for folder in include src tests examples bench; do
    [ ! -d "$folder" ] || find "$folder" -name '*.[ch]'
done | LC_ALL=C sort
