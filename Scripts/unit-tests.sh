#!/bin/sh
# Runs the unit tests that were built, with a PostgreSQL server of their own: all of them, and again on PostgreSQL those of
# the modules that use a store. The last lines name the slowest tests, and repeat the failures.
#
#     Scripts/unit-tests.sh SCRATCH
set -eu
cd "$(dirname -- "$0")/.."
scratch=$1
output=$(mktemp)
trap 'rm -f "$output" "$output.failed"' EXIT
# Tests at a time. The time of a test is then that of its own work, not that of its wait for a thread.
width=${TRIBUTARY_TEST_WIDTH:-16}

pass() {
    {
        Scripts/with-postgresql.sh swift test --skip-build --disable-xctest --scratch-path "$scratch" \
            --experimental-maximum-parallelization-width "$width" "$@" 2>&1 ||
            echo "$?" >"$output.failed"
    } | tee -a "$output"
}

pass
echo "== those of the stores, on PostgreSQL"
TRIBUTARY_TEST_ENGINE=postgresql pass \
    --filter 'TrustTests|RecordsTests|WarehouseTests|ReceiverTests|ConsumerTests|DeviceGatewayTests'

echo "== the ten slowest tests"
sed -n -E 's/.*Test ("[^"]*"|[A-Za-z0-9_]+\([^)]*\)).* (passed|failed) after ([0-9.]+) seconds.*/\3 s \1/p' "$output" | sort -rn | head -n 10

if [ -f "$output.failed" ]; then
    echo "== what failed"
    # The sign before a line differs between terminals; the words do not.
    grep -E -A 3 'recorded an issue|(Test|Suite) .* failed after|: (Fatal|fatal) error|unexpected signal' "$output" |
        cut -c 1-400 | tail -n 40
    exit 1
fi
