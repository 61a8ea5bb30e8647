#!/usr/bin/env bash
# Builds the libraries' documentation (DocC) into .build-documentation. The plugin is asked for here alone, so that no
# other build resolves it.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="/opt/swift/usr/bin:$PATH"
copy="$(mktemp -d)"
trap 'rm -rf "$copy"' EXIT
cp -r Package.swift Sources Tests "$copy"
sed -i 's|    dependencies: \[$|    dependencies: [\n        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),|' "$copy/Package.swift"
output="$PWD/.build-documentation"
mkdir -p "$output"
for module in FHIR FHIRVersions Wire Questionnaires InformedConsent HealthData Outbox; do
    echo "== $module" >&2
    swift package --package-path "$copy" --scratch-path .build-documentation-scratch --allow-writing-to-directory "$output" \
        generate-documentation --target "$module" --output-path "$output/$module" --transform-for-static-hosting >&2
done
