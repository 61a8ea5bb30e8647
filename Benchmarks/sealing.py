"""The cost of the audit's seals: reads of a server that seals its rows, against one that cannot."""

import http.client
import json
import multiprocessing
import os
import sqlite3
import sys
import time
import urllib.parse
from pathlib import Path

from measuring import RUNS, quotient

import harness

# A window has at least one seal.
SECONDS = float(os.environ.get("TRIBUTARY_BENCH_SECONDS", "10"))
CLIENTS = 8


def reads(work):
    """(ag) Reads by id of CLIENTS connections, with seals and without: the server without them has no table for seals, so
    that each attempt fails at once. The two take turns."""
    sides = [_Side(), _Side(seals=False)]
    try:
        for side in sides:
            side.count(2)
        counts = []
        for run in range(RUNS):
            order = (0, 1) if run % 2 else (1, 0)
            found = {side: sides[side].count(SECONDS) for side in order}
            counts.append((found[0], found[1]))
        processor = [round(side.processor / side.reads * 1000, 4) for side in sides]
        seals = sides[0].study.number("SELECT count(*) FROM audit_seal")
        rows = sides[0].study.number("SELECT count(*) FROM audit")
    finally:
        for side in sides:
            side.study.close()
    times = [[SECONDS / pair[side] for pair in counts] for side in (0, 1)]
    return {**quotient(*times), "readsPerSecond": [[round(count / SECONDS) for count in pair] for pair in counts],
            "processorMillisecondsPerRead": processor, "seals": seals, "rows": rows}


def _unlimited(study):
    unlimited = {"perSecond": 1_000_000, "burst": 1_000_000}
    study.setdefault("limits", {})["rates"] = {"read-by-address": unlimited}


class _Side:
    def __init__(self, seals=True):
        self.study = harness.Study(forms=False, url="", change=_unlimited)
        writer = harness.tributary("token", "create", self.study.dir, "--scope", "system/*.cruds").text.strip()
        self.token = self.study.staff_token()
        self.server = server = self.study.serve()
        self.reads, self.processor = 0, 0.0
        self.place = urllib.parse.urlsplit(server.url).netloc
        done = server.request("PUT", "/fhir/Basic/a", {
            "Authorization": f"Bearer {writer}", "Content-Type": "application/fhir+json"},
            json.dumps({"resourceType": "Basic", "id": "a", "code": {"text": "x"}}).encode())
        if done.status != 201:
            raise AssertionError(done)
        if not seals:
            connection = sqlite3.connect(self.study.database, timeout=20)
            with connection:
                connection.execute("DROP TABLE audit_seal")
            connection.close()

    def count(self, seconds):
        """The reads that all clients make in this time."""
        before = self._processor()
        with multiprocessing.get_context("fork").Pool(CLIENTS) as pool:
            count = sum(pool.starmap(_read, [(self.place, self.token, seconds)] * CLIENTS))
        self.reads += count
        self.processor += self._processor() - before
        return count

    def _processor(self):
        """The seconds of processor time of the server."""
        fields = Path(f"/proc/{self.server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read(place, token, seconds):
    connection = http.client.HTTPConnection(place)
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        connection.request("GET", "/fhir/Basic/a", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise AssertionError(answer.status)
        count += 1
    return count


if __name__ == "__main__":
    print(json.dumps(reads(None), indent=1), file=sys.stdout)
