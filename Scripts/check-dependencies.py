#!/usr/bin/env python3
"""Compares the versions of packages that SwiftPM resolved with the tested versions in docs/testing.md.

    Scripts/check-dependencies.py            prints the differences, and fails if there are any
    Scripts/check-dependencies.py --note     prints them, and does not fail
    Scripts/check-dependencies.py --write    writes the resolved versions into docs/testing.md; call it after the tests passed

The first build makes Package.resolved, which is not in git. Without it, nothing is compared.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESOLVED = ROOT / "Package.resolved"
PAGE = ROOT / "docs" / "testing.md"
HEADER = "| package | version |\n|---|---|\n"


def resolved():
    """The packages' identities and versions; a branch or a revision has no version."""
    pins = json.loads(RESOLVED.read_text())["pins"]
    return {pin["identity"]: pin["state"].get("version", "none") for pin in pins}


def table(page):
    """The offset of the table's rows in the page, their text, and the version of each package."""
    start = page.find(HEADER)
    if start < 0:
        sys.exit(f"dependencies: {PAGE.relative_to(ROOT)} has no table with the columns package and version")
    rows = re.match(r"(?:\|[^\n]*\|\n)*", page[start + len(HEADER):])[0]
    cells = [[cell.strip(" `") for cell in row.strip("|").split("|")] for row in rows.splitlines()]
    return start + len(HEADER), rows, {cell[0]: cell[1] for cell in cells}


def main(options):
    if options not in ([], ["--note"], ["--write"]):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    if not RESOLVED.exists():
        print("== dependencies: not compared, because nothing is resolved before the first build")
        return 0
    now = resolved()
    page = PAGE.read_text()
    start, rows, tested = table(page)
    if options == ["--write"]:
        written = "".join(f"| {name} | {version} |\n" for name, version in sorted(now.items()))
        PAGE.write_text(page[:start] + written + page[start + len(rows):])
        return 0
    names = sorted(name for name in now.keys() | tested.keys() if now.get(name) != tested.get(name))
    for name in names:
        print(f"dependencies: {name}: tested {tested.get(name, 'never')}, resolved {now.get(name, 'not')}")
    if not names:
        print(f"== dependencies: the {len(now)} resolved are those that were tested")
        return 0
    print("dependencies: after the tests have passed with these: Scripts/check-dependencies.py --write")
    return 0 if options == ["--note"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
