#!/bin/sh
# The unit tests that were built, beside a PostgreSQL server of their own: all of them, and once more on PostgreSQL those of
# the modules that stand on a store. What failed is said again at the end, where whoever reads the last lines finds it.
#
#     Scripts/unit-tests.sh SCRATCH
set -eu
cd "$(dirname -- "$0")/.."
scratch=$1
said=$(mktemp)
trap 'rm -f "$said" "$said.failed"' EXIT

pass() {
    {
        Scripts/with-postgresql.sh swift test --skip-build --disable-xctest --scratch-path "$scratch" "$@" 2>&1 ||
            echo "$?" >"$said.failed"
    } | tee -a "$said"
}

pass
echo "== those of the stores, on PostgreSQL"
# Each store there has connections of its own: not all tests have theirs open at once.
TRIBUTARY_TEST_ENGINE=postgresql pass --experimental-maximum-parallelization-width 100 \
    --filter 'TrustTests|RecordsTests|WarehouseTests|ReceiverTests|ConsumerTests|DeviceGatewayTests'

if [ -f "$said.failed" ]; then
    echo "== what failed"
    # The sign before a line differs between terminals; the words do not.
    grep -E -A 3 'recorded an issue|(Test|Suite) .* failed after|: (Fatal|fatal) error|unexpected signal' "$said" |
        cut -c 1-400 | tail -n 40
    exit 1
fi
