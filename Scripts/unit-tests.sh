#!/bin/sh
# Runs the built unit tests with a PostgreSQL server of their own: all of them, and concurrently those of the modules with
# a store on PostgreSQL. The output of a pass is shown when it has ended, with its slowest suites; the output ends with the
# failures.
#
#     Scripts/unit-tests.sh SCRATCH
set -eu
cd "$(dirname -- "$0")/.."
scratch=$1
output=$(mktemp -d)
# Maximum concurrent tests of a pass. The time of a test is then that of its own work, not that of its wait for a thread.
# Some tests wait for a deadline; without the others a processor would be idle.
width=${TRIBUTARY_TEST_WIDTH:-16}
second=
finish() {
    [ -z "$second" ] || kill "$second" 2>/dev/null || true
    rm -rf "$output"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs one pass: its name, then the arguments of Swift Testing. Two `swift test` would wait for each other.
pass() {
    name=$1
    shift
    NO_COLOR=1 Scripts/with-postgresql.sh "$scratch/debug/TributaryPackageTests.xctest" --testing-library swift-testing \
        --experimental-maximum-parallelization-width "$width" \
        --event-stream-output-path "$output/$name.events" --event-stream-version 0 "$@" >"$output/$name" 2>&1 ||
        echo "$?" >"$output/$name.failed"
}

show() {
    echo "== $2"
    cat "$output/$1"
    if [ -s "$output/$1.events" ]; then
        echo "== the ten slowest suites of this pass"
        Scripts/slowest-suites.py "$output/$1.events"
    fi
}

# Without the tests of the checks of answers, which use a store and do not depend on it.
TRIBUTARY_TEST_ENGINE=postgresql pass postgresql --skip AnswerValidationTests \
    --filter 'AuditTests|IdentityTests|EnrolmentsTests|RecordStorageTests|SearchStatementsTests|FHIRServerTests|WarehouseTests|ReceiverTests|ConsumerTests|DeviceGatewayTests' &
second=$!
pass all
show all "all unit tests"
wait "$second"
second=
show postgresql "the tests of the stores, on PostgreSQL"

if [ -f "$output/all.failed" ] || [ -f "$output/postgresql.failed" ]; then
    echo "== failures"
    # The sign before a line differs between terminals; the words do not.
    cat "$output/all" "$output/postgresql" |
        grep -E -A 3 'recorded an issue|(Test|Suite) .* failed after|: (Fatal|fatal) error|unexpected signal' |
        cut -c 1-400 | tail -n 40
    exit 1
fi
