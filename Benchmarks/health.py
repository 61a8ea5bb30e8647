"""The cost of Apple Health exports: to convert, to load, and by size."""

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from measuring import PROGRAMS, ROOT, RUNS, printed, quotient, say, timed

import harness

RECORDS = int(os.environ.get("TRIBUTARY_BENCH_RECORDS", "500000"))
LOADED = int(os.environ.get("TRIBUTARY_BENCH_LOADED", "100000"))
COMPARED = int(os.environ.get("TRIBUTARY_BENCH_COMPARED", RECORDS))
GROWN = int(os.environ.get("TRIBUTARY_BENCH_GROWN", "9000000"))


def generated(folder, records):
    """An invented export with this number of records, the same each time."""
    file = folder / f"export-{records}.xml"
    if not file.exists():
        subprocess.run([sys.executable, ROOT / "Scripts" / "generate-apple-health-export.py", "--output", file,
                        "--format", "xml", "--records", str(records)], check=True, stdout=subprocess.DEVNULL)
    return file


def well_formed(file):
    """A copy without the faults that XML does not allow and that stop other readers: the broken document type of
    some systems, duplicate attributes, forbidden characters. Keys that differ only in case are removed too, because SQLite
    treats them as one column."""
    text = file.read_text(encoding="utf-8", errors="replace").replace("\v", " ")
    begin = text.find("<!DOCTYPE")
    text = text[:begin] + text[text.find("]>", begin) + 2:]

    def each_once(tag):
        attributes = {}
        for attribute in re.finditer(r'\s+([\w:]+)="[^"]*"', tag[2]):
            attributes.setdefault(attribute[1], attribute[0])
        return tag[1] + "".join(attributes.values()) + tag[3]

    spellings = {}
    text = re.sub(r'(<\w+)((?:\s+[\w:]+="[^"]*")+)(\s*/?>)', each_once, text)
    text = re.sub(r'key="([^"]*)"', lambda key: f'key="{spellings.setdefault(key[1].lower(), key[1])}"', text)
    copy = file.with_suffix(".mended.xml")
    copy.write_text(text, encoding="utf-8")
    return copy


def run(*command, core=None):
    """Runs a command, on one core if it is named, and returns the seconds."""
    pin = (lambda: os.sched_setaffinity(0, {core})) if core is not None and hasattr(os, "sched_setaffinity") else None
    return timed(lambda: subprocess.run([str(part) for part in command], check=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pin))


def convert(file, core=None):
    return run(harness.BIN, "health", "convert", file, "-o", "/dev/null", "--json", core=core)


def bare(file, core=None):
    return run(PROGRAMS / "BareXML", file, core=core)


def convert_on_one_core(work):
    """(b) `health convert` against libxml2's push parser with handlers that only count, same file, both on one core."""
    file = generated(work, RECORDS)
    ours, theirs = [], []
    for turn in range(RUNS + 1):
        first, second = convert(file, core=0), bare(file, core=0)
        if turn:  # The first turn warms the file cache.
            ours.append(first)
            theirs.append(second)
    return {**quotient(ours, theirs), "bytes": file.stat().st_size, "records": RECORDS}


def convert_on_two_cores(work):
    """The same if ours may use two cores. `secondCore` is the gain of a second core on this machine: the factor by
    which the reference does more in the same time if it runs twice concurrently (2 if the cores share nothing)."""
    file = generated(work, RECORDS)
    ours, theirs, pairs = [], [], []
    for turn in range(RUNS + 1):
        first, second = convert(file), bare(file)

        def both():
            twice = [subprocess.Popen([PROGRAMS / "BareXML", file], stdout=subprocess.DEVNULL) for _ in range(2)]
            if any(process.wait() for process in twice):
                raise AssertionError("the reference failed")

        third = timed(both)
        if turn:
            ours.append(first)
            theirs.append(second)
            pairs.append(2 * second / third)
    return {**quotient(ours, theirs), "secondCore": round(statistics.median(pairs), 2), "records": RECORDS}


def healthkit_to_sqlite(work):
    """(k) `health convert` against `healthkit-to-sqlite`, which writes the same export to SQLite."""
    python = os.environ.get("TRIBUTARY_BENCH_PYTHON")
    program = python and Path(python).parent / "healthkit-to-sqlite"
    if not program or not program.exists():
        return None
    file = well_formed(generated(work, COMPARED))
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(convert(file))
        theirs.append(run(program, "--silent", "--xml", file, work / "health.db"))
        (work / "health.db").unlink()
    return {**quotient(ours, theirs), "records": COMPARED}


def load(work):
    """(j) `health load` against SQLite's bare inserts of the same rows: same tables, indexes and settings, one
    transaction for as many resources, statements prepared once; reading the rows is not timed, our conversion is."""
    file = generated(work, LOADED)
    ours, theirs, rates = [], [], []
    for _ in range(RUNS):
        study = harness.Study(forms=False)
        try:
            first = timed(lambda: harness.tributary("health", "load", study.dir, file, "--participant", "p1"))
            inserted = printed(PROGRAMS / "BareInserts", study.database, work / "bare.sqlite", 4096, -24000, 65536)
            if inserted["resources"] != study.number("SELECT max(number) FROM record"):
                raise AssertionError("the bare inserts are not all")
        finally:
            study.close()
            for part in work.glob("bare.sqlite*"):
                part.unlink()
        ours.append(first)
        theirs.append(inserted["seconds"])
        rates.append(inserted["resources"] / first)
    return {**quotient(ours, theirs), "resources": inserted["resources"], "rows": inserted["rows"],
            "resourcesPerSecond": round(statistics.median(rates))}


def growth(work):
    """(l) The growth of (b): the ratio at nine million records as a share of that at half a million.
    It takes 5 GB of disk and a quarter of an hour, so it runs only if it is named: `Benchmarks/run.sh growth`."""
    small, large = generated(work, RECORDS), generated(work, GROWN)
    ratios, figures = [], {}
    for file in (small, large):
        ours, theirs = [], []
        for _ in range(RUNS):
            ours.append(convert(file, core=0))
            theirs.append(bare(file, core=0))
        figure = quotient(ours, theirs)
        say(f"   {file.stat().st_size} bytes: {figure['ratio']}")
        ratios.append(figure["ratio"])
        figures[file.stem] = figure
    return {"ratio": round(ratios[1] / ratios[0], 3), **figures}
