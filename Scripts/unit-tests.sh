#!/bin/sh
# The unit tests that were built: what failed is said again at the end, where whoever reads the last lines finds it.
#
#     Scripts/unit-tests.sh SCRATCH [ARGUMENT OF swift test...]
set -eu
cd "$(dirname -- "$0")/.."
scratch=$1
shift
said=$(mktemp)
trap 'rm -f "$said"' EXIT
{ swift test --skip-build --disable-xctest --scratch-path "$scratch" "$@" 2>&1 || echo "$?" >"$said.status"; } | tee "$said"
if [ -f "$said.status" ]; then
    rm -f "$said.status"
    echo "== what failed"
    # The sign before a line differs between terminals; the words do not.
    grep -E -A 3 'recorded an issue|(Test|Suite) .* failed after|: (Fatal|fatal) error|unexpected signal' "$said" |
        cut -c 1-400 | tail -n 40
    exit 1
fi
