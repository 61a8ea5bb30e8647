#!/bin/sh
# Builds the benchmarks' programs and measures: see run.py. Called by `make bench`, which builds the release binary.
set -eu
cd "$(dirname -- "$0")/.."
scratch=${TRIBUTARY_SCRATCH:-.build}-bench
echo "== building the benchmarks (the first time takes some minutes)" >&2
swift build -c release --package-path Benchmarks --scratch-path "$scratch" >&2
TRIBUTARY_BENCH=$(cd "$scratch/release" && pwd)
export TRIBUTARY_BENCH
exec python3 -B Benchmarks/run.py "$@"
