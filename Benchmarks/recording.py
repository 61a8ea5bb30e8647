"""The table of recorded figures in docs/benchmarks.md: a row for each figure, of its last run that was written."""

import datetime
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "benchmarks.md"
HEADING = "## Recorded runs"
COLUMNS = ("figure", "compared", "ratio", "date", "machine", "commit")
NAME = re.compile(r"^\| `([A-Za-z-]+)` \|")


def row(name, compared, ratio, run):
    """A line of the table."""
    return "| " + " | ".join((f"`{name}`", compared, f"{ratio:.3f}", run["date"], run["machine"], run["commit"])) + " |"


def recorded(text, figures, ratios, run):
    """The document with the figures of a run. Rows of other figures stay; rows of figures that no longer exist go.

    figures: names with what each compares, in the order of the table. ratios: the results by name. run: date, machine, commit.
    """
    head, separator, rest = text.partition(HEADING + "\n")
    if not separator:
        raise ValueError(f"{DOCUMENT.name} has no section {HEADING!r}")
    section, end, tail = rest.partition("\n## ")
    rows = {found[1]: line for line in section.splitlines() if (found := NAME.match(line))}
    for name, compared in figures:
        if name in ratios:
            rows[name] = row(name, compared, ratios[name], run)
    introduction = section[:section.index("| figure |")] if "| figure |" in section else section.rstrip("\n") + "\n\n"
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += [rows[name] for name, _ in figures if name in rows]
    return head + separator + introduction + "\n".join(lines) + "\n" + end + tail


def run():
    """The date, the machine and the commit of this run."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())[1]) >> 20
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.check_output([*git, "rev-parse", "--short=10", "HEAD"], text=True).strip()
    changed = subprocess.check_output([*git, "status", "--porcelain", "--", "Sources", "Benchmarks", "Package.swift"], text=True)
    return {"date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "machine": f"{os.cpu_count()} × {model[1] if model else os.uname().machine}, {memory} GiB",
            "commit": f"`{commit}`" + (" with changes" if changed.strip() else "")}


def write(figures, ratios):
    """Writes the ratios of a run into the document."""
    DOCUMENT.write_text(recorded(DOCUMENT.read_text(), figures, ratios, run()))
