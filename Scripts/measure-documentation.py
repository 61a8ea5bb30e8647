#!/usr/bin/env python3
"""Counts the public symbols of each library that have a doc comment, and prints a table.

    Scripts/measure-documentation.py [--scratch DIR] [--minimum PERCENT] [--missing MODULE]

It reads the modules of a debug build in DIR (.build) and builds nothing. Symbols are counted as DocC counts pages:
enumeration cases too, a witness that inherits its protocol's comment as documented, and symbols that the compiler synthesises
not at all. Generated code counts like any other.

Exit status: 0, or 1 if a library has fewer than PERCENT (80).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def modules():
    """The modules with a published reference, and Core, which FHIR exports again."""
    result = subprocess.run(
        [ROOT / "Scripts" / "make-docs-index.sh", "--list"], capture_output=True, text=True, check=True)
    return ["Core", *result.stdout.split()]


def target():
    result = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)["target"]["unversionedTriple"]


def headers(scratch):
    """The options with which the compiler loads modules that depend on C."""
    flags = [f"-fmodule-map-file={file}" for file in sorted((ROOT / "Sources/System").glob("*/module.modulemap"))]
    flags += [f"-I{folder}" for folder in sorted((scratch / "checkouts").glob("*/Sources/*/include"))]
    result = subprocess.run(["pkg-config", "--cflags", "libxml-2.0"], capture_output=True, text=True, check=False)
    return [part for flag in flags + result.stdout.split() for part in ("-Xcc", flag)]


def symbols(module, built, options):
    """The public symbols of a module, extensions of other modules' types included."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-I", built, "-minimum-access-level", "public",
             "-skip-synthesized-members", "-output-dir", folder, *options],
            capture_output=True, text=True, check=False)
        files = sorted(pathlib.Path(folder).glob("*.symbols.json"))
        if result.returncode != 0 or not files:
            sys.exit(f"measure-documentation: {module} cannot be read; swift build first.\n{result.stderr.strip()[:2000]}")
        return [symbol for file in files for symbol in json.loads(file.read_text())["symbols"]]


def is_documented(symbol):
    return any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", []))


def name(symbol):
    location = symbol.get("location", {}).get("uri", "").partition("/Sources/")[2]
    return f"{'.'.join(symbol['pathComponents'])} ({symbol['kind']['displayName']}, {location})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / ".build", help="folder of the build (.build)")
    parser.add_argument("--minimum", type=float, default=80, help="minimum share in percent (80)")
    parser.add_argument("--missing", metavar="MODULE", help="name the symbols of one module without a comment")
    options = parser.parse_args()
    scratch = options.scratch.resolve()
    flags = ["-target", target(), *headers(scratch)]
    status = 0
    print(f"{'module':<18}{'symbols':>8}{'documented':>12}{'share':>9}")
    for module in modules():
        found = symbols(module, scratch / "debug" / "Modules", flags)
        documented = sum(map(is_documented, found))
        share = 100 * documented / max(len(found), 1)
        is_short = share < options.minimum
        print(
            f"{module:<18}{len(found):>8}{documented:>12}{share:>8.1f}%"
            f"{f'  below {options.minimum:g} %' if is_short else ''}")
        if is_short:
            status = 1
        if module == options.missing:
            for symbol in sorted(found, key=name):
                if not is_documented(symbol):
                    print("   ", name(symbol))
    return status


if __name__ == "__main__":
    sys.exit(main())
