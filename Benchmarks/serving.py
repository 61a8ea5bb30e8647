"""The throughput of a running server: accepted submissions, and the whole path from a device to rows."""

import json
import os
import statistics
import subprocess
import time

from measuring import PROGRAMS, ROOT, RUNS, quotient, timed

import harness
import sealed
import stores
from devices import numbered_envelopes

POSTS = int(os.environ.get("TRIBUTARY_BENCH_POSTS", "4000"))
CONNECTIONS = 16


def posted(port, path, headers, bodies, first):
    done = subprocess.run([PROGRAMS / "Load", str(port), path, headers, bodies, str(CONNECTIONS), str(first),
                           str(POSTS)], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["seconds"]


def receiver(work):
    """(c) POST to the receiver, durable before it answers, against the same HTTP server that echoes the body."""
    return _receiver(work, None)


def receiver_on_postgresql(work):
    """(q) The same with the queue on a server."""
    return _receiver(work, stores.database())


def _receiver(work, queue_url):
    study = harness.Study(queue_url=queue_url)
    echo = subprocess.Popen([PROGRAMS / "Echo"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        echo_port = int(echo.stdout.readline().decode().strip().rsplit(":", 1)[1])
        # A single client at full speed: the figure is about the receiver, not about its rate limits.
        unlimited = {"submission-by-client": {"perSecond": 1_000_000, "burst": 1_000_000}}
        study.change(lambda value: value.setdefault("limits", {}).update(rates=unlimited))
        server = study.serve("--roles", "receiver")
        client = sealed.SealedClient(server, study)
        headers = work / "headers.txt"
        headers.write_text("".join(f"{name}: {value}\n" for name, value in client.headers.items()))
        bodies = work / "bodies.ndjson"
        with open(bodies, "wb") as file:
            for _, body in numbered_envelopes(study, POSTS * (RUNS + 1)):
                file.write(body + b"\n")
        ours, theirs = [], []
        for run in range(RUNS + 1):
            first = posted(server.port, "/encfhir", headers, bodies, run * POSTS)
            second = posted(echo_port, "/echo", headers, bodies, run * POSTS)
            if run:
                ours.append(first)
                theirs.append(second)
        stored = study.queue_number("SELECT count(*) FROM submission")
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
    return _end_to_end(work, lambda: None)


def end_to_end_on_postgresql(work):
    """(r) The same with both stores on a server."""
    return _end_to_end(work, stores.database)


def _end_to_end(work, place):
    export = ROOT / "Examples" / "apple-health" / "export.zip"
    output = work / "example.ndjson"
    ours, theirs, rates = [], [], []
    for _ in range(RUNS):
        convert = timed(lambda: harness.tributary("health", "convert", export, "-o", output, "--force"))
        study = harness.Study(url=place())
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
            stored = study.number("SELECT count(DISTINCT id) FROM record_history WHERE type = 'Observation'")
            if stored != expected:
                raise AssertionError(f"{stored} Observations are stored, not {expected}")
            ours.append(seconds)
            theirs.append(convert)
            rates.append(stored / seconds)
            server.stop()
        finally:
            study.close()
    return {**quotient(ours, theirs), "resources": expected, "resourcesPerSecond": round(statistics.median(rates))}
