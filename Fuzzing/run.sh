#!/bin/sh
# Runs one fuzzer, or all: Fuzzing/run.sh JSON|XML|FHIRPath|Query|UCUM|Validation|Export|ExportFiles|HealthKitUnit|Signature|Templates|Form|Steps|all [SECONDS (600)]
#
# Findings are written to Fuzzing/Findings; run the same program with the file to repeat one. New inputs that reach more of
# the code are stored in Fuzzing/.corpus; the seeds in Fuzzing/Corpus never change.
set -eu
cd "$(dirname -- "$0")"
target=${1:?which one: JSON, XML, FHIRPath, Query, UCUM, Validation, Export, ExportFiles, HealthKitUnit, Signature, Templates, Form, Steps or all}
seconds=${2:-600}
scratch=${TRIBUTARY_SCRATCH:+$TRIBUTARY_SCRATCH/fuzzing}
scratch=${scratch:-.build}
[ "$target" = all ] && targets="JSON XML FHIRPath Query UCUM Validation Export ExportFiles HealthKitUnit Signature Templates Form Steps" || targets=$target

# Swift's own backtraces would outlive a crash and hold the pipe.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
for name in $targets; do
    swift build -c release --product "Fuzz$name" --scratch-path "$scratch" >&2
    mkdir -p ".corpus/$name" Findings
    dictionary=Corpus/$name.dict
    echo "fuzzing: $name for $seconds s" >&2
    "$scratch/release/Fuzz$name" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="Findings/$name-" \
        $([ -f "$dictionary" ] && echo "-dict=$dictionary") ".corpus/$name" "Corpus/$name"
done
