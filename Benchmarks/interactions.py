"""The FHIR API against an echo of the same bytes by the same HTTP server, and against sekmet-fhir (PyPI) with the same resources."""

import contextlib
import http.client
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import time
from pathlib import Path

from measuring import PROGRAMS, ROOT, RUNS, quotient

import harness
from health import generated

REQUESTS = int(os.environ.get("TRIBUTARY_BENCH_REQUESTS", "4000"))
SMALL = 10_000
LARGE = int(os.environ.get("TRIBUTARY_BENCH_PAGES", "1000000"))
CONNECTIONS = 16
PATIENT, CODE = "p1", "8867-4"
FHIR = "application/fhir+json"


def sent(port, path, headers, lines, count, connections=CONNECTIONS):
    """The time of this number of requests: bodies that are posted to a path, or paths that are read if the path is `-`."""
    done = subprocess.run([PROGRAMS / "Load", str(port), path, headers, lines, str(connections), "0", str(count)],
                          check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["seconds"]


class Ours:
    """A study with Observations of one participant, served without limits on rates."""

    def __init__(self, work, count):
        self.study = harness.Study(forms=False)
        unlimited = {"perSecond": 1_000_000, "burst": 1_000_000}
        self.study.change(lambda value: value.setdefault("limits", {}).update(
            rates={name: unlimited for name in ("unauthenticated-by-address", "token-by-address", "read-by-address")}))
        harness.tributary("health", "load", self.study.dir, generated(work, count), "--participant", PATIENT, timeout=None)
        self.server = self.study.serve()
        self.port = self.server.port
        token = harness.tributary("token", "create", self.study.dir, "--scope", "user/*.cruds conf/V sens/*").text
        self.token = token.strip().split()[-1]
        self.headers = work / f"headers-{count}.txt"
        self.headers.write_text(f"Authorization: Bearer {self.token}\nContent-Type: {FHIR}\nAccept: {FHIR}\n")

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("GET", path, headers={"Authorization": "Bearer " + self.token})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        if answer.status != 200:
            raise AssertionError(f"{path}: {answer.status}")
        return body

    def observations(self, count):
        """This number of the Observations, as values."""
        found, path = [], f"/fhir/Observation?patient={PATIENT}&_count=500"
        while len(found) < count:
            page = json.loads(self.get(path))
            found += [entry["resource"] for entry in page["entry"]]
            path = next((link["url"] for link in page["link"] if link["relation"] == "next"), None)
            if not path:
                break
            path = path[path.index("/fhir"):]
        return found[:count]

    def close(self):
        self.server.stop()
        self.study.close()


class Echo:
    """The same HTTP server, which answers with the received body."""

    def __init__(self, work):
        self.process = subprocess.Popen([PROGRAMS / "Echo"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(self.process.stdout.readline().decode().strip().rsplit(":", 1)[1])
        self.headers = work / "echo-headers.txt"
        self.headers.write_text(f"Content-Type: {FHIR}\n")

    def close(self):
        self.process.terminate()
        self.process.wait()


class Sekmet:
    """sekmet-fhir's server, without authentication, validation, simulation and the log of requests: only FHIR."""

    @staticmethod
    def program():
        python = os.environ.get("TRIBUTARY_BENCH_PYTHON")
        neighbour = python and Path(python).parent / "sekmet"
        installed = ROOT / ".build-tools" / "programs" / "bin" / "sekmet"
        return next((str(path) for path in (neighbour, installed) if path and path.exists()), None) or shutil.which("sekmet")

    def __init__(self, work):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        folder = work / "sekmet"
        folder.mkdir()
        # Its settings are YAML, which includes JSON.
        settings = folder / "settings.yaml"
        settings.write_text(json.dumps({
            "base_url": f"http://127.0.0.1:{self.port}/fhir", "host": "127.0.0.1", "port": self.port,
            "data_dir": str(folder), "log_inbound": False, "validation": {"inbound": "off"}, "simulator": {"enabled": False}}))
        self.process = subprocess.Popen([self.program(), "serve", "--config", str(settings)], cwd=folder,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.headers = work / "sekmet-headers.txt"
        self.headers.write_text(f"Content-Type: {FHIR}\nAccept: {FHIR}\n")
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise AssertionError("sekmet did not start") from None
                time.sleep(0.1)

    def fill(self, resources):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        for start in range(0, len(resources), 200):
            body = transaction(resources[start:start + 200], "PUT")
            connection.request("POST", "/fhir", body, {"Content-Type": FHIR})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise AssertionError(f"sekmet: {answer.status}")
        connection.close()

    def close(self):
        self.process.terminate()
        self.process.wait()


def transaction(resources, method):
    entries = [{"resource": resource, "request": {
        "method": method, "url": resource["resourceType"] + ("/" + resource["id"] if method == "PUT" else "")}}
        for resource in resources]
    return json.dumps({"resourceType": "Bundle", "type": "transaction", "entry": entries}, separators=(",", ":"))


def lines(path, texts):
    path.write_text("".join(text + "\n" for text in texts))
    return path


def turns(*measures):
    """Each measured in turn, once to warm up and then once for each run."""
    found = [[] for _ in measures]
    for run in range(RUNS + 1):
        for place, measure in enumerate(measures):
            seconds = measure()
            if run:
                found[place].append(seconds)
    return found


def _answers(work, paths_of, requests):
    """Requests to us, the same bytes to the echo, and the same requests to sekmet if it is installed."""
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(contextlib.closing(Ours(work, SMALL)))
        echo = stack.enter_context(contextlib.closing(Echo(work)))
        theirs = stack.enter_context(contextlib.closing(Sekmet(work))) if Sekmet.program() else None
        resources = ours.observations(2_000)
        paths = lines(work / "paths.txt", paths_of(resources, requests))
        bodies = {}
        for path in paths.read_text().splitlines():
            bodies.setdefault(path, json.dumps(json.loads(ours.get(path)), separators=(",", ":")))
        echoed = lines(work / "echoed.ndjson", [bodies[path] for path in paths.read_text().splitlines()])
        measures = [lambda: sent(ours.port, "-", ours.headers, paths, requests),
                    lambda: sent(echo.port, "/echo", echo.headers, echoed, requests)]
        if theirs:
            theirs.fill([{"resourceType": "Patient", "id": PATIENT}] + resources)
            # A tenth is enough for a slower server; the times are scaled to all.
            some = requests // 10
            measures.append(lambda: sent(theirs.port, "-", theirs.headers, paths, some) * (requests / some))
        found = turns(*measures)
        return {**quotient(found[0], found[1]), "requests": requests, "connections": CONNECTIONS,
                "perSecond": round(requests / statistics.median(found[0])),
                **({"timesSekmet": round(statistics.median(b / a for a, b in zip(found[0], found[2])), 2)} if theirs else {})}


def read(work):
    """(y) Resources read by id over 16 connections, against an echo of the same bytes, and against sekmet's server."""
    def paths(resources, count):
        chosen = random.Random(7)
        return [f"/fhir/Observation/{chosen.choice(resources)['id']}" for _ in range(count)]
    return _answers(work, paths, REQUESTS)


def search(work):
    """(z) Searches for 50 of one patient and code over 16 connections, against the same two."""
    def paths(resources, count):
        codes = sorted({resource["code"]["coding"][0]["code"] for resource in resources if "coding" in resource["code"]})
        chosen = random.Random(7)
        return [f"/fhir/Observation?patient={PATIENT}&code={chosen.choice(codes)}&_count=50" for _ in range(count)]
    return _answers(work, paths, REQUESTS // 4)


def transactions(work):
    """(aa) Transactions that create 100 Observations each, one after the other, against sekmet's server."""
    if not Sekmet.program():
        return None
    with contextlib.closing(Ours(work, 2_000)) as ours, contextlib.closing(Sekmet(work)) as theirs:
        made = [{key: value for key, value in resource.items() if key not in ("id", "meta", "identifier")}
                for resource in ours.observations(1_000)]
        count = 20
        bodies = lines(work / "transactions.ndjson",
                       [transaction(made[(number * 100) % 1_000:][:100], "POST") for number in range(count)])
        theirs.fill([{"resourceType": "Patient", "id": PATIENT}])
        found = turns(lambda: sent(ours.port, "/fhir", ours.headers, bodies, count, 1),
                      lambda: sent(theirs.port, "/fhir", theirs.headers, bodies, count, 1))
        return {**quotient(found[0], found[1]), "transactions": count,
                "resourcesPerSecond": round(count * 100 / statistics.median(found[0]))}


def pages(work):
    """(bb) A page of 50 of one patient and code in a store of 10,000 Observations of theirs, and of a million."""
    seconds = []
    count = 200
    for size in (SMALL, LARGE):
        server = Ours(work, size)
        try:
            paths = lines(work / "paths.txt", [f"/fhir/Observation?patient={PATIENT}&code={CODE}&_count=50"] * count)
            found, = turns(lambda: sent(server.port, "-", server.headers, paths, count, 1))
            seconds.append(found)
        finally:
            server.close()
    return {**quotient(seconds[0], seconds[1]), "milliseconds": [round(statistics.median(one) / count * 1000, 3) for one in seconds],
            "observations": [SMALL, LARGE]}
