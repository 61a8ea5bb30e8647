#!/usr/bin/env bash
# Drives the built program from outside, as its users would: TRIBUTARY_BIN names it.
set -euo pipefail
cd "$(dirname "$0")/.."
export TRIBUTARY_BIN="${TRIBUTARY_BIN:-$PWD/.build/release/tributary}"
case "$TRIBUTARY_BIN" in /*) ;; *) TRIBUTARY_BIN="$PWD/$TRIBUTARY_BIN" ;; esac
python=python3
[ -x .build-python/bin/python3 ] && python="$PWD/.build-python/bin/python3"
echo "== integration tests of $("$TRIBUTARY_BIN" --version)" >&2
exec "$python" -m unittest discover -s Tests/Integration -t Tests/Integration
