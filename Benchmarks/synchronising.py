"""The cost to synchronise a phone's health data, and to store the data of other makers' devices."""

import datetime
import json
import os
import resource
import shutil
import statistics
import subprocess
import uuid

from measuring import RUNS, quotient, say, timed

import harness
import health

SYNCHRONISED = int(os.environ.get("TRIBUTARY_BENCH_SYNCHRONISED", "200000"))
BACKFILLED = int(os.environ.get("TRIBUTARY_BENCH_BACKFILLED", "1000000"))
STREAMED = int(os.environ.get("TRIBUTARY_BENCH_STREAMED", "5000000"))
EVENTS = int(os.environ.get("TRIBUTARY_BENCH_EVENTS", "20000"))
# Number of events in a request: each request waits for the transaction of the previous one.
TOGETHER = 1_500
BASE = 1_700_000_000


def moment(seconds, form):
    return datetime.datetime.fromtimestamp(BASE + seconds, datetime.timezone.utc).strftime(form)


def journal(path, count):
    """A journal of heart rates, one a minute."""
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            time = moment(60 * number, "%Y-%m-%dT%H:%M:%S+00:00")
            file.write(json.dumps({"add": {
                "uuid": str(uuid.UUID(int=number)).upper(), "type": "HKQuantityTypeIdentifierHeartRate",
                "value": 60 + number % 40, "unit": "count/min", "start": time, "end": time,
                "source": {"name": "Watch", "productType": "Watch6,1", "version": "10.2"}}}) + "\n")


def export(path, count):
    """An export of the same samples."""
    watch = ("&lt;&lt;HKDevice: 0x28&gt;, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch6,1, "
             "software:10.2&gt;")
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n')
        for number in range(count):
            time = moment(60 * number, "%Y-%m-%d %H:%M:%S +0000")
            file.write(f'<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" sourceVersion="10.2" '
                       f'device="{watch}" unit="count/min" startDate="{time}" endDate="{time}" value="{60 + number % 40}"/>\n')
        file.write("</HealthData>\n")


def sync(store, source, target, *more):
    done = subprocess.run(
        [str(harness.BIN), "device", "sync", "--store", str(store), "--source", str(source), "--to", f"ndjson={target}",
         "--subject", "p1", *map(str, more), "--json"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def synchronised(work):
    """(w) A journal of 200,000 samples to a file of resources, against converting an export of the same."""
    source, whole = work / "journal.ndjson", work / "export.xml"
    journal(source, SYNCHRONISED)
    export(whole, SYNCHRONISED)
    ours, theirs = [], []
    for run in range(RUNS):
        folder = work / str(run)
        folder.mkdir()
        output = folder / "health.ndjson"

        def follow(folder=folder, output=output):
            while sync(folder / "phone", source, output, "--samples", SYNCHRONISED)["more"]:
                pass

        ours.append(timed(follow))
        converted = folder / "converted.ndjson"
        theirs.append(timed(lambda converted=converted: harness.tributary(
            "health", "convert", whole, "-o", converted, "--subject", "p1")))
        counts = [sum(1 for line in open(file, "rb") if b'"Observation"' in line) for file in (output, converted)]
        if set(counts) != {SYNCHRONISED}:
            raise AssertionError(f"{counts} Observations, not {SYNCHRONISED}")
    return {**quotient(ours, theirs), "samplesPerSecond": round(SYNCHRONISED / statistics.median(ours)),
            **idle(work / "0" / "phone", source, work / "0" / "health.ndjson")}


def idle(store, source, output):
    """An empty wake: the files that it wrote, and its time."""
    def files():
        return {str(file): (file.stat().st_mtime_ns, file.stat().st_size)
                for file in [*store.rglob("*"), output] if file.is_file() and file.name != ".lock"}

    before = files()
    seconds = timed(lambda: sync(store, source, output))
    written = [name for name, state in files().items() if before.get(name) != state]
    if written:
        raise AssertionError(f"an empty wake wrote {written}")
    return {"emptyWakeWrites": 0, "emptyWakeMilliseconds": round(seconds * 1000, 1)}


def backfill(work):
    """(x) A million samples, wake by wake: the peak memory of a wake, in MB (aim: under 60)."""
    source, output, store = work / "journal.ndjson", work / "health.ndjson", work / "phone"
    journal(source, BACKFILLED)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    wakes, more = 0, True
    while more:
        report = sync(store, source, output, "--samples", 50_000)
        wakes, more = wakes + 1, report["more"]
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if before / 1024 >= most:
        raise AssertionError("an earlier figure took more memory: measure this one alone")
    return {"ratio": round(60 / most, 3), "megabytes": round(most, 1), "wakes": wakes, "samples": BACKFILLED}


# The names of the kinds in events and in HealthKit: one that is measured once a minute, in windows of an hour, as in nearly
# all templates of HealthKitOnFhir; and one with an Observation each, as in its template of weights.
READINGS = {"windows": ("hr", "HKQuantityTypeIdentifierHeartRate", "count/min"),
            "single": ("kg", "HKQuantityTypeIdentifierBodyMass", "kg")}


def gateway(work):
    """(y) Readings a second that the gateway stores, against resources a second by the sealed way (aim: 2)."""
    windows, single = of_hub(work, "windows"), of_hub(work, "single")
    return {**windows, "single": single}


def of_hub(work, kind):
    """Readings of one kind, from a hub and by the sealed way, turn by turn."""
    from test_device_gateway import BATCH, FHIR, DEVICE, signature

    member, identifier, unit = READINGS[kind]
    study = harness.Study()
    try:
        folder = study.dir / "devices"
        folder.mkdir()
        (folder / "devicecontent.json").write_text(json.dumps(DEVICE))
        (folder / "fhirmapping.json").write_text(json.dumps(FHIR))
        server = study.serve()
        device = study.device(server)
        device.consent()
        device.send()
        device.settled()
        connection = harness.tributary(
            "devices", "key", study.dir, "--hub", "bench", "--url", server.url, "--json").json["connection"]
        harness.tributary("devices", "register", study.dir, "--device", "d", "--participant", device.participant)
        headers = {"Authorization": signature(connection), "Content-Type": BATCH}
        ours, theirs = [], []
        source = work / "journal.ndjson"

        # The same wait as that of the sealed way: it reads the database, which costs the server nothing.
        def recorded():
            return study.number("SELECT measurements FROM gateway_total WHERE id = 1")

        for run in range(RUNS):
            bodies = []
            for start in range(0, EVENTS, TOGETHER):
                bodies.append(json.dumps([{"Body": json.dumps({
                    "device": "d", "at": moment(60 * (run * EVENTS + number), "%Y-%m-%dT%H:%M:%SZ"),
                    member: 60 + number % 40})} for number in range(start, min(start + TOGETHER, EVENTS))]).encode())
            before = recorded()

            def post(bodies=bodies, before=before):
                for body in bodies:
                    answer = harness.http("POST", f"{server.url}/bench/messages", headers, body)
                    if answer.status != 201:
                        raise AssertionError(answer)
                harness.until(lambda: recorded() - before == EVENTS, "the readings are stored", 600)

            ours.append(timed(post))
            # The sealed way: the same number of the same readings, from the queue of the device on.
            with open(source, "w", encoding="utf-8") as file:
                for number in range(EVENTS):
                    time = moment(60 * (run * EVENTS + number), "%Y-%m-%dT%H:%M:%S+00:00")
                    file.write(json.dumps({"add": {
                        "uuid": str(uuid.uuid4()).upper(), "type": identifier, "value": 60 + number % 40,
                        "unit": unit, "start": time, "end": time, "source": {"name": "Scale", "version": "1"}}}) + "\n")
            shutil.rmtree(device.store / "health-sync", ignore_errors=True)
            device.run("sync", "--source", source, "--samples", 1_000_000)

            def send():
                device.send()
                study.settled(600)

            theirs.append(timed(send))
        server.stop()
        return {**quotient(ours, theirs), "readingsPerSecond": round(EVENTS / statistics.median(ours)),
                "resourcesPerSecondSealed": round(EVENTS / statistics.median(theirs))}
    finally:
        study.close()


def streams(work):
    """(z) `study streams` of a study with five million Observations, against one with 50,000: the ratio of the times (at most
    1.2). It takes long, so it runs only if it is named."""
    sizes, studies = (50_000, STREAMED), []
    try:
        for size in sizes:
            study = harness.Study(forms=False)
            studies.append(study)
            file = health.generated(work, size)
            harness.tributary("health", "load", study.dir, file, "--participant", "p1", "--rebuild-indexes", timeout=3_600)
            say(f"   {study.number('SELECT count(*) FROM record')} resources")
        times = [[], []]
        for _ in range(RUNS + 1):
            for place, study in enumerate(studies):
                times[place].append(timed(lambda study=study: harness.tributary("study", "streams", study.dir, "--json")))
        few, many = (statistics.median(values[1:]) for values in times)
        return {"ratio": round(few / many, 3), "times": round(many / few, 3), "seconds": [round(few, 4), round(many, 4)]}
    finally:
        for study in studies:
            study.close()
