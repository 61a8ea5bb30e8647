"""Measures Tributary as ratios to named references. Each is the median of five runs that take turns.

    make bench

Machines differ and are noisy, so every figure has a reference: in each run ours and the reference do the same work, one
after the other, and the median of the five quotients is reported. The last line is one JSON object.

Environment: TRIBUTARY_BIN the release binary, TRIBUTARY_BENCH the folder of the benchmarks' programs,
TRIBUTARY_CONFORMANCE published data (HL7's R4 examples; without it the JSON of Examples/ is read),
TRIBUTARY_BENCH_RUNS (5), TRIBUTARY_BENCH_RECORDS (500000), TRIBUTARY_BENCH_LOADED (records that are loaded, 100000),
TRIBUTARY_BENCH_COMPARED (records for healthkit-to-sqlite, as many), TRIBUTARY_BENCH_POSTS (4000 a run),
TRIBUTARY_BENCH_ATTACK_SECONDS (10 for each attack), TRIBUTARY_BENCH_BACKLOG (records that the consumer works on, 400000),
TRIBUTARY_BENCH_SUBMISSIONS (that are leased and settled, 8192), TRIBUTARY_BENCH_COMMITS (rows, 4000),
TRIBUTARY_BENCH_REQUESTS (that are read, 4000), TRIBUTARY_BENCH_PAGES (Observations of the large store, 1000000),
TRIBUTARY_BENCH_WAREHOUSE (records whose facts are loaded again, 50000), TRIBUTARY_BENCH_MANY (records of the store that
grew, 5000000), TRIBUTARY_BENCH_SYNCHRONISED (samples of a journal, 200000), TRIBUTARY_BENCH_BACKFILLED (1000000),
TRIBUTARY_BENCH_EVENTS (of a hub, 20000), TRIBUTARY_BENCH_STREAMED (Observations of many, 5000000), TRIBUTARY_BENCH_FOLDER (the folder of the files; by default the system's temporary folder).
--write puts each ratio into docs/benchmarks.md, with date, machine and commit (`make bench WRITE=1`).
Names of figures as arguments select them; `growth`, `many`, `backfill` and `streams` run only if they are named. Figures of PostgreSQL
start a server of their own on this machine.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import PROGRAMS, ROOT, RUNS, compare, printed, quotient, say, timed  # noqa: I001  (it adds the folder of the next ones)

import grantors
import harness  # starts and calls the binary, as the integration tests do
import health
import interactions
import people
import plans
import queries
import recording
import sealing
import serving
import signing
import synchronising
import warehouse
from attacked import attacked
from busy import busy, busy_together
from claim import claim
from commits import commits
from many import many
from exporting import exporting
from reading import reading

def json_speed(work):
    """(a) JSON read and written: FHIR.JSON against simdjson's document, read and written."""
    folder = ROOT / "Examples"
    if harness.CONFORMANCE and (harness.CONFORMANCE / "fhir-r4.tar.xz").exists():
        folder = work / "r4"
        folder.mkdir()
        subprocess.run(["tar", "-xJf", harness.CONFORMANCE / "fhir-r4.tar.xz", "-C", folder, "fhir-r4/examples"],
                       check=True)
    done = subprocess.run([PROGRAMS / "JSONSpeed", folder, str(RUNS)], check=True, stdout=subprocess.PIPE)
    value = json.loads(done.stdout)
    return {"ratio": round(value["ratioToParseAndWrite"], 3),
            "ratioToParseAndMinifyBytes": round(value["ratioToParseAndMinify"], 3), **value}


def examples(work):
    """The folder of HL7's R4 examples; None without the published data."""
    archive = harness.CONFORMANCE and harness.CONFORMANCE / "fhir-r4.tar.xz"
    if not archive or not archive.exists():
        return None
    subprocess.run(["tar", "-xJf", archive, "-C", work, "fhir-r4/examples"], check=True)
    return work / "fhir-r4" / "examples"


def decoder_speed(work):
    """(e) Observations read and written: FHIR.JSON against JSONDecoder and JSONEncoder into structs."""
    folder = examples(work)
    if folder is None:
        return None
    return printed(PROGRAMS / "DecoderSpeed", folder, RUNS)


def validation(work):
    """(f) Validation against parsing alone, over HL7's valid examples and over the Observations among them."""
    folder = examples(work)
    if folder is None:
        return None
    observations = printed(PROGRAMS / "ValidationSpeed", folder, "Observation-", RUNS)
    everything = printed(PROGRAMS / "ValidationSpeed", folder, "", RUNS)
    return {"ratio": 1 / observations["timesParsing"], "observations": observations, "allExamples": everything}


EXPRESSIONS = [
    ("Patient-f001.json", "Patient.name.given"),
    ("Patient-f001.json", "name.where(use = 'official').family"),
    ("Patient-f001.json", "telecom.where(system = 'phone').exists()"),
    ("Patient-f001.json", "birthDate < today()"),
    ("Patient-f001.json", "descendants().count()"),
    ("Observation-blood-pressure.json", "component.where(code.coding.exists(code = '8480-6')).value.value"),
    ("Observation-blood-pressure.json", "value.exists() or component.exists() or dataAbsentReason.exists()"),
    ("Observation-blood-pressure.json", "value.empty() or component.code.where(coding.intersect(%resource.code.coding).exists()).empty()"),
    ("Questionnaire-bb.json", "descendants().linkId.isDistinct()"),
    ("Questionnaire-bb.json", "item.repeat(item).where(type = 'choice').count()"),
]

THEIR_FHIRPATH = """
import json, sys, time
from fhirpathpy import compile
from fhirpathpy.models import models
rows = []
for case in json.load(open(sys.argv[1])):
    value = json.load(open(case["file"]))
    expression = compile(case["expression"], model=models["r4"])
    call = lambda: expression(value, {"resource": value})
    items, rounds, seconds = len(call()), 1, 0
    while seconds < float(sys.argv[2]):
        rounds *= 4
        begin = time.perf_counter()
        for _ in range(rounds): call()
        seconds = time.perf_counter() - begin
    rows.append({"expression": case["expression"], "items": items, "seconds": seconds / rounds})
print(json.dumps(rows))
"""


def fhirpath(work):
    """(g) Ten compiled expressions against fhirpathpy's, compiled as well."""
    folder = examples(work)
    python = os.environ.get("TRIBUTARY_BENCH_PYTHON")
    if folder is None or not python or subprocess.run([python, "-c", "import fhirpathpy"], stderr=subprocess.DEVNULL).returncode:
        return None
    cases = work / "cases.json"
    cases.write_text(json.dumps([{"expression": e, "file": str(folder / f)} for f, e in EXPRESSIONS]))
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(printed(PROGRAMS / "FHIRPathSpeed", cases, 0.05))
        theirs.append(printed(python, "-c", THEIR_FHIRPATH, cases, 0.05))
    return compare([expression for _, expression in EXPRESSIONS], ours, theirs, "items", "fhirpathpy")


def forms(work):
    """One answer among 100 items against one among 15,000, and the times of long forms."""
    runs = [printed(PROGRAMS / "FormSpeed") for _ in range(RUNS)]
    milliseconds = {name: round(statistics.median(run[name] for run in runs) * 1e3, 4)
                    for name in ("open", "few", "many", "calculations", "check")}
    return {"ratio": round(statistics.median(run["few"] / run["many"] for run in runs), 3), "lines": runs[0]["lines"],
            "items": [runs[0]["fewItems"], runs[0]["manyItems"]], "milliseconds": milliseconds}


def fhirkit(work):
    """(h) 10,000 Observations, each in a file of its own, validated by one process: ours against fhirkit."""
    folder = examples(work)
    python = os.environ.get("TRIBUTARY_BENCH_PYTHON")
    program = python and Path(python).parent / "fhirkit"
    if folder is None or not program or not program.exists():
        return None
    sources = [file.read_bytes() for file in sorted(folder.glob("Observation-*.json")) if file.stat().st_size < 20_000]
    many = work / "many"
    many.mkdir()
    names = [f"many/{number}.json" for number in range(10_000)]
    for number, name in enumerate(names):
        (work / name).write_bytes(sources[number % len(sources)])
    ours, theirs = [], []
    for run in range(RUNS + 1):
        first = timed(lambda: subprocess.run([harness.BIN, "fhir", "validate", "many"], cwd=work, stdout=subprocess.DEVNULL))
        second = timed(lambda: subprocess.run([program, "validate", *names], cwd=work, stdout=subprocess.DEVNULL))
        if run:
            ours.append(first)
            theirs.append(second)
    return {**quotient(ours, theirs), "files": len(names), "resourcesPerSecond": round(len(names) / statistics.median(ours))}


def tables(work):
    """(i) The cost of the first use of the tables."""
    return {"ratio": 0, "tables": printed(PROGRAMS / "TableCost")}


FIGURES = [
    ("json", "JSON read + written / simdjson's document read + written", json_speed),
    ("health", "health convert, one core / bare libxml2 push parsing", health.convert_on_one_core),
    ("healthTwo", "health convert, two cores / bare libxml2 push parsing", health.convert_on_two_cores),
    ("healthkitToSQLite", "health convert / healthkit-to-sqlite of the same export", health.healthkit_to_sqlite),
    ("load", "health load / bare SQLite inserts of the same rows", health.load),
    ("growth", "health convert, 9 million records / the ratio at half a million", health.growth),
    ("receiver", "receiver's POST, durable / echo POST of the same HTTP server", serving.receiver),
    ("receiverPostgreSQL", "receiver's POST, queue on PostgreSQL / the same echo POST", serving.receiver_on_postgresql),
    ("decoder", "JSON read + written / JSONDecoder + JSONEncoder into structs", decoder_speed),
    ("validation", "validation of Observations / parsing them alone", validation),
    ("fhirpath", "ten FHIRPath expressions / fhirpathpy (geometric mean)", fhirpath),
    ("jmespath", "JMESPath expressions / PyPI's jmespath (geometric mean)", queries.jmespath),
    ("jsonpath", "JSONPath expressions / PyPI's jsonpath-ng (geometric mean)", queries.jsonpath),
    ("forms", "an answer among 100 items / among 15,000", forms),
    ("fhirkit", "fhir validate / fhirkit, 10,000 Observations", fhirkit),
    ("attacked", "devices' p99 of a POST: alone / during the worst attack", attacked),
    ("busy", "devices' p99 of a POST: consumer idle / consumer at work", busy),
    ("busy-together", "the same with receiver and consumer in one process", busy_together),
    ("endToEnd", "send, open, record, load / health convert of the same export", serving.end_to_end),
    ("endToEndPostgreSQL", "send, open, record, load on PostgreSQL / health convert", serving.end_to_end_on_postgresql),
    ("warehouseLoad", "warehouse load / psql's COPY and upsert of the same rows", warehouse.load),
    ("firstLoad", "warehouse load, tables empty / psql's COPY of sorted rows", warehouse.first_load),
    ("claim", "queue's lease and settle / pgbench with the same statements", claim),
    ("commits", "commits at 1, 4, 16 connections / pgbench with the same (least)", commits),
    ("reading", "resources read by id / the same stored uncompressed (least)", reading),
    ("read", "resources read by id, 16 connections / echo of the same bytes", interactions.read),
    ("sealing", "resources read by id with seals of the audit / without", sealing.reads),
    ("grantors", "searches by an app with one grantor / with 1,000 (time)", grantors.searches),
    ("signed", "signed calls of an app, durable / the receiver's POST, one connection", signing.calls),
    ("search", "searches for 50 of a patient and code / echo of the same bytes", interactions.search),
    ("transactions", "transactions of 100 / sekmet-fhir's server", interactions.transactions),
    ("pages", "a page of 50 in a million Observations / in 10,000 (time)", interactions.pages),
    ("patients", "a page of 50 changes among 10,000 patients / among 100 (time)", people.patients),
    ("results", "PUT of a result, durable / the receiver's POST, one connection", people.results),
    ("plans", "a pull without news among 100,000 versions / among 1,000 (time)", plans.no_news),
    ("pushes", "a push of an outcome, durable / the receiver's POST, one connection", plans.pushes),
    ("planEvents", "events of the last day in ten years / of the first day (time)", plans.events),
    ("export", "$export / the sqlite3 shell selecting the same uncompressed", exporting),
    ("synchronised", "device sync, journal to NDJSON / health convert of the same", synchronising.synchronised),
    ("backfill", "60 MB / the peak memory of a backfill of a million", synchronising.backfill),
    ("gateway", "readings that a hub stores / resources by the sealed way", synchronising.gateway),
    ("streams", "study streams, 50,000 Observations / 5 million", synchronising.streams),
    ("many", "a record of a load of 100,000 / of a load of 5 million", many),
]

# Slow figures: they run only if they are named.
NAMED_ALONE = {"growth", "many", "backfill", "streams"}


def main():
    names = [argument for argument in sys.argv[1:] if argument != "--write"]
    known = {name for name, _, _ in FIGURES} | {"tables"}
    if set(names) - known:
        sys.exit(f"There is no figure {', '.join(sorted(set(names) - known))}. Figures: {', '.join(sorted(known))}")
    chosen = names or [name for name, _, _ in FIGURES if name not in NAMED_ALONE]
    results = {}
    with tempfile.TemporaryDirectory(prefix="tributary-bench-", dir=os.environ.get("TRIBUTARY_BENCH_FOLDER")) as folder:
        for name, what, body in FIGURES:
            if name not in chosen:
                continue
            say(f"== {what} ({RUNS} runs)")
            work = Path(folder) / name
            work.mkdir()
            result = body(work)
            if result is None:
                say(f"   skipped: {name} needs published data or a Python package that is absent")
            else:
                # The failure of a later figure does not lose this one.
                say(f"   {result['ratio']:.3f}")
                results[name] = result
                if "--write" in sys.argv:
                    recording.write([(name, what) for name, what, _ in FIGURES], {name: result["ratio"]})
        if not names or "tables" in chosen:
            results["tables"] = tables(folder)
    print(f"\n{'speed as a share of the reference (1 is as fast)':64} ratio")
    for name, what, _ in FIGURES:
        if name in results:
            print(f"{what:64} {results[name]['ratio']:5.3f}")
    if "json" in results:
        print(f"{'JSON read + written / simdjson read + minify of the bytes':64} "
              f"{results['json']['ratioToParseAndMinifyBytes']:5.3f}")
    if "validation" in results:
        for key, what in (("observations", "Observations"), ("allExamples", "all valid examples")):
            print(f"{'validation as a multiple of parsing: ' + what:64} {results['validation'][key]['timesParsing']:5.2f}")
    for name, value in results.get("forms", {}).get("milliseconds", {}).items():
        print(f"  forms, {name:57} {value:8.4f} ms")
    for name in ("fhirpath", "jmespath", "jsonpath"):
        for row in results.get(name, {}).get("expressions", []):
            print(f"  {row['expression'][:62]:62} {row['times']:7.1f} ({row['microseconds']} us)")
    for row in results.get("tables", {}).get("tables", []):
        print(f"first use of {row['table']:51} {row['milliseconds']:6} ms, {row['KiB']} KiB")
    if "healthTwo" in results:
        print(f"{'work of two concurrent references, as a multiple of one':64} "
              f"{results['healthTwo']['secondCore']:5.2f}")
    if "load" in results:
        print(f"{'health load, resources a second (of this machine)':64} {results['load']['resourcesPerSecond']:5}")
    for name, where in (("endToEnd", ""), ("endToEndPostgreSQL", " on PostgreSQL")):
        if name in results:
            print(f"{f'end to end{where}, resources a second (of this machine)':64} {results[name]['resourcesPerSecond']:5}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
