#!/bin/sh
# Writes the reference of the library modules as static pages: Scripts/make-docs.sh [SCRATCH] -> .build-docs/index.html
#
# The pages fetch their parts, and a browser does so over HTTP only: python3 -m http.server -d .build-docs
set -eu
cd "$(dirname -- "$0")/.."
scratch=${1:-.build}
modules=$(Scripts/make-docs-index.sh --list)

echo "docs: reading the symbols" >&2
swift package --scratch-path "$scratch" dump-symbol-graph --minimum-access-level public >/dev/null
graphs=$(find "$scratch" -type d -name symbolgraph | head -1)
for module in $modules; do
    symbols=.build-docs/symbols/$module
    rm -rf "$symbols" ".build-docs/$module"
    mkdir -p "$symbols"
    find "$graphs" \( -name "$module.symbols.json" -o -name "$module@*.symbols.json" \) -exec cp {} "$symbols" \;
    # The module's article, if it has one.
    article=$(find Sources -type d -name "$module.docc")
    docc convert $article --additional-symbol-graph-dir "$symbols" --output-path ".build-docs/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "tributary.$module" \
        --transform-for-static-hosting --hosting-base-path "$module" >/dev/null
    echo "docs: .build-docs/$module" >&2
done

Scripts/make-docs-index.sh .build-docs
for page in $(sed -n 's/.*href="\([^"]*\)".*/\1/p' .build-docs/index.html); do
    if [ ! -f ".build-docs/$page/index.html" ]; then
        echo "docs: .build-docs/index.html has a link to $page, which does not exist" >&2
        exit 1
    fi
done
echo "docs: .build-docs/index.html; to read: python3 -m http.server -d .build-docs" >&2
