#!/bin/sh
# Runs the built unit tests with a PostgreSQL server of their own: first all of them, then those of the modules with a store
# again on PostgreSQL. Each pass ends with its slowest suites; the output ends with the failures.
#
#     Scripts/unit-tests.sh SCRATCH
set -eu
cd "$(dirname -- "$0")/.."
scratch=$1
output=$(mktemp)
trap 'rm -f "$output" "$output.failed" "$output.events"' EXIT
# Maximum concurrent tests. The time of a test is then that of its own work, not that of its wait for a thread.
width=${TRIBUTARY_TEST_WIDTH:-16}

pass() {
    {
        Scripts/with-postgresql.sh swift test --skip-build --disable-xctest --scratch-path "$scratch" \
            --experimental-maximum-parallelization-width "$width" \
            --event-stream-output-path "$output.events" --event-stream-version 0 "$@" 2>&1 ||
            echo "$?" >"$output.failed"
    } | tee -a "$output"
    if [ -s "$output.events" ]; then
        echo "== the ten slowest suites of this pass"
        Scripts/slowest-suites.py "$output.events"
    fi
}

pass
echo "== the tests of the stores, on PostgreSQL"
# Without the checks of answers and the simulations of phones, which use a store and do not depend on it.
TRIBUTARY_TEST_ENGINE=postgresql pass --skip 'AnswerValidationTests|SimulationTests' \
    --filter 'AuditTests|IdentityTests|PermissionsTests|EnrolmentsTests|AccountsTests|CareSyncTests|RecordStorageTests|SearchStatementsTests|FHIRServerTests|WarehouseTests|ReceiverTests|ConsumerTests|DeviceGatewayTests'

if [ -f "$output.failed" ]; then
    echo "== failures"
    # The sign before a line differs between terminals; the words do not.
    grep -E -A 3 'recorded an issue|(Test|Suite) .* failed after|: (Fatal|fatal) error|unexpected signal' "$output" |
        cut -c 1-400 | tail -n 40
    exit 1
fi
