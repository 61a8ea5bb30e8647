#!/bin/sh
# Builds the programs of the benchmarks and runs run.py. `make bench` calls it after it has built the release binary.
set -eu
cd "$(dirname -- "$0")/.."
scratch=${TRIBUTARY_SCRATCH:-.build}-bench
echo "== building the benchmarks (the first time takes some minutes)" >&2
swift build -c release --package-path Benchmarks --scratch-path "$scratch" >&2
TRIBUTARY_BENCH=$(cd "$scratch/release" && pwd)
export TRIBUTARY_BENCH
# Other implementations in Python, in an environment of their own. Without them their figures are skipped by name.
if ! "$scratch/python/bin/python3" -c "import fhirpathpy, jmespath, jsonpath_ng" 2>/dev/null && python3 -m venv "$scratch/python" 2>/dev/null; then
    "$scratch/python/bin/pip" install --quiet fhirpathpy fhirkit-rs jmespath jsonpath-ng healthkit-to-sqlite >&2 ||
        echo "== fhirpathpy, fhirkit, jmespath, jsonpath-ng and healthkit-to-sqlite cannot be installed" >&2
fi
if [ -x "$scratch/python/bin/python3" ]; then
    TRIBUTARY_BENCH_PYTHON=$(cd "$scratch/python/bin" && pwd)/python3
    export TRIBUTARY_BENCH_PYTHON
fi
exec python3 -B Benchmarks/run.py "$@"
