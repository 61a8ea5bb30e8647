"""Measures Tributary as ratios against named references, each the median of five runs that take turns.

    make bench

Machines differ and are noisy, so no figure stands alone: in each run ours and the reference do the same work, one after
the other, and what is reported is the median of the five quotients. The last line is one JSON object.

Environment: TRIBUTARY_BIN the release binary, TRIBUTARY_BENCH the folder of the benchmarks' programs,
TRIBUTARY_CONFORMANCE published data (HL7's R4 examples; without it the JSON of Examples/ is read),
TRIBUTARY_BENCH_RUNS (5), TRIBUTARY_BENCH_RECORDS (200000), TRIBUTARY_BENCH_POSTS (4000 a run).
"""

import base64
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "Integration"))

import harness  # noqa: E402  (the integration tests' way of driving the binary)
import sealed  # noqa: E402

PROGRAMS = Path(os.environ["TRIBUTARY_BENCH"])
RUNS = int(os.environ.get("TRIBUTARY_BENCH_RUNS", "5"))
RECORDS = int(os.environ.get("TRIBUTARY_BENCH_RECORDS", "200000"))
POSTS = int(os.environ.get("TRIBUTARY_BENCH_POSTS", "4000"))
CONNECTIONS = 16


def say(text):
    print(text, file=sys.stderr, flush=True)


def timed(body):
    begin = time.perf_counter()
    body()
    return time.perf_counter() - begin


def quotient(ours, theirs):
    """Our speed as a share of theirs, from times of the same work: 1 is as fast, 0.5 half as fast."""
    return {"ratio": round(statistics.median(t / o for o, t in zip(ours, theirs)), 3),
            "oursSeconds": [round(value, 4) for value in ours], "referenceSeconds": [round(value, 4) for value in theirs]}


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


def health_convert(work):
    """(b) `tributary health convert` against libxml2's push parser with handlers that only count, same file."""
    file = work / "export.xml"
    subprocess.run([sys.executable, ROOT / "Scripts" / "generate-apple-health-export.py", "--output", file,
                    "--format", "xml", "--records", str(RECORDS)], check=True, stdout=subprocess.DEVNULL)
    output = work / "observations.ndjson"
    ours, theirs = [], []
    for run in range(RUNS + 1):
        first = timed(lambda: harness.tributary("health", "convert", file, "-o", output, "--json"))
        second = timed(lambda: subprocess.run([PROGRAMS / "BareXML", file], check=True, stdout=subprocess.DEVNULL))
        if run:  # The first run warms the file cache.
            ours.append(first)
            theirs.append(second)
    return {**quotient(ours, theirs), "bytes": file.stat().st_size, "records": RECORDS,
            "observations": sum(1 for _ in open(output, "rb"))}


def load(port, path, headers, bodies, first):
    done = subprocess.run([PROGRAMS / "Load", str(port), path, headers, bodies, str(CONNECTIONS), str(first),
                           str(POSTS)], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["seconds"]


def numbered_envelopes(study, path, count):
    """One envelope sealed by us, under so many submission ids. The receiver cannot tell: it opens nothing."""
    envelope = json.loads(sealed.seal(study, {"resourceType": "Observation", "status": "final", "note": [
        {"text": "x" * 600}]}))
    padded = envelope["protected"] + "=" * (-len(envelope["protected"]) % 4)
    header = json.loads(base64.urlsafe_b64decode(padded))
    with open(path, "w") as file:
        for number in range(count):
            header.update(sid=str(uuid.uuid4()), seq=number + 1)
            text = base64.urlsafe_b64encode(json.dumps(header).encode()).decode().rstrip("=")
            file.write(json.dumps({**envelope, "protected": text}) + "\n")


def receiver(work):
    """(c) POST to the receiver, durable before it answers, against the same HTTP server that echoes the body."""
    study = harness.Study()
    echo = subprocess.Popen([PROGRAMS / "Echo"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        echo_port = int(echo.stdout.readline().decode().strip().rsplit(":", 1)[1])
        study.change(lambda value: value.setdefault("limits", {}))
        server = study.serve("--roles", "receiver")
        client = sealed.SealedClient(server, study)
        headers = work / "headers.txt"
        headers.write_text("".join(f"{name}: {value}\n" for name, value in client.headers.items()))
        bodies = work / "bodies.ndjson"
        numbered_envelopes(study, bodies, POSTS * (RUNS + 1))
        ours, theirs = [], []
        for run in range(RUNS + 1):
            first = load(server.port, "/encfhir", headers, bodies, run * POSTS)
            second = load(echo_port, "/echo", headers, bodies, run * POSTS)
            if run:
                ours.append(first)
                theirs.append(second)
        stored = study.number("SELECT count(*) FROM submission")
        if stored != POSTS * (RUNS + 1):
            raise AssertionError(f"{stored} submissions are stored, not {POSTS * (RUNS + 1)}")
        server.stop()
        return {**quotient(ours, theirs), "posts": POSTS, "connections": CONNECTIONS,
                "postsPerSecond": round(POSTS / statistics.median(ours))}
    finally:
        echo.terminate()
        echo.wait()
        study.close()


def end_to_end(work):
    """(d) From the sealed queue of a device to rows in FHIR and i2b2, against merely converting the same export."""
    export = ROOT / "Examples" / "apple-health" / "export.zip"
    output = work / "example.ndjson"
    ours, theirs, rates = [], [], []
    for _ in range(RUNS):
        convert = timed(lambda: harness.tributary("health", "convert", export, "-o", output))
        study = harness.Study()
        try:
            server = study.serve()
            device = study.device(server)
            device.consent()
            device.health(export)
            expected = sum(1 for _ in open(output, "rb"))
            begin = time.perf_counter()
            device.send()
            study.settled(600)
            seconds = time.perf_counter() - begin
            stored = study.number("SELECT count(DISTINCT id) FROM record_version WHERE type = 'Observation'")
            if stored != expected:
                raise AssertionError(f"{stored} Observations are stored, not {expected}")
            ours.append(seconds)
            theirs.append(convert)
            rates.append(stored / seconds)
            server.stop()
        finally:
            study.close()
    return {**quotient(ours, theirs), "resources": expected, "resourcesPerSecond": round(statistics.median(rates))}


FIGURES = [
    ("json", "JSON read + written / simdjson's document read + written", json_speed),
    ("health", "health convert / bare libxml2 push parsing of the same file", health_convert),
    ("receiver", "receiver's POST, durable / echo POST of the same HTTP server", receiver),
    ("endToEnd", "send, open, record, load / health convert of the same export", end_to_end),
]


def main():
    chosen = sys.argv[1:] or [name for name, _, _ in FIGURES]
    results = {}
    with tempfile.TemporaryDirectory(prefix="tributary-bench-") as folder:
        for name, what, body in FIGURES:
            if name not in chosen:
                continue
            say(f"== {what} ({RUNS} runs)")
            work = Path(folder) / name
            work.mkdir()
            results[name] = body(work)
    print(f"\n{'speed as a share of the reference (1 is as fast)':64} ratio")
    for name, what, _ in FIGURES:
        if name in results:
            print(f"{what:64} {results[name]['ratio']:5.3f}")
    if "json" in results:
        print(f"{'JSON read + written / simdjson read + minify of the bytes':64} "
              f"{results['json']['ratioToParseAndMinifyBytes']:5.3f}")
    if "endToEnd" in results:
        print(f"{'end to end, resources a second (of this machine)':64} {results['endToEnd']['resourcesPerSecond']:5}")
    print(json.dumps(results))


if __name__ == "__main__":
    main()
