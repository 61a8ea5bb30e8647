"""Searches by an app with 1,000 grantors and by one with a single grantor, in the same store: SQLite, or PostgreSQL with
TRIBUTARY_TEST_ENGINE=postgresql."""

import contextlib
import hashlib
import http.client
import json
import sqlite3
import statistics
import time
import urllib.parse

from measuring import RUNS, quotient  # noqa: I001  (it adds the folder of the next one)

import harness
import postgresql

GRANTORS = 1_000
OBSERVATIONS = 10
SEARCHES = 100
# Searches with the same result for both apps: those of the grantor of both.
PATHS = [f"/fhir/Observation?patient=p0&_count={count}" for count in (10, 50)] + [
    "/fhir/Observation?patient=p0&code=c3&_count=10", "/fhir/Observation?patient=p0&_sort=-date&_count=10",
    "/fhir/Patient?_id=p0", "/fhir/Observation?patient=p0&_include=Observation:subject&_count=10"]
# Searches whose results differ, for the report only.
OTHERS = ["/fhir/Observation?_count=10", "/fhir/Observation?_count=50", "/fhir/Observation?code=c3&_count=10"]


def searches(work):
    """(ah) Searches of the same records by two apps: the median of each over RUNS, and of both by turns."""
    study = harness.Study(forms=False, change=_unlimited)
    try:
        writer = harness.tributary("token", "create", study.dir, "--scope", "system/*.cruds").text.strip()
        server = study.serve()
        for start in range(0, GRANTORS, 50):
            _put(server, writer, range(start, start + 50))
        tokens = {"one": _app(study, "a", 1), "many": _app(study, "b", GRANTORS)}
        netloc = urllib.parse.urlsplit(server.url).netloc
        times = {name: {path: [] for path in PATHS + OTHERS} for name in tokens}
        totals = {}
        for run in range(RUNS + 1):
            for path in PATHS + OTHERS:
                for name in ("one", "many") if run % 2 else ("many", "one"):
                    seconds, total = _search(netloc, tokens[name], path)
                    if run:
                        times[name][path].append(seconds)
                        totals.setdefault(path, {})[name] = total
        for path in PATHS:
            if totals[path]["one"] != totals[path]["many"]:
                raise AssertionError(f"{path}: {totals[path]}")
    finally:
        study.close()
    rows = {path: {"ratio": quotient(times["many"][path], times["one"][path])["ratio"],
                   "milliseconds": [round(statistics.median(times[name][path]) / SEARCHES * 1000, 3)
                                    for name in ("one", "many")]} for path in PATHS + OTHERS}
    sums = {name: [sum(times[name][path][run] for path in PATHS) for run in range(RUNS)] for name in tokens}
    return {**quotient(sums["many"], sums["one"]), "least": min(rows[path]["ratio"] for path in PATHS), "searches": rows}


def _unlimited(study):
    unlimited = {"perSecond": 1_000_000, "burst": 1_000_000}
    study.setdefault("limits", {})["rates"] = {"read-by-address": unlimited, "search-seconds-by-caller": unlimited}


def _put(server, token, numbers):
    """Stores Patients and their Observations."""
    made = []
    for number in numbers:
        made.append({"resourceType": "Patient", "id": f"p{number}", "active": True})
        made += [{"resourceType": "Observation", "id": f"o{number}-{index}", "status": "final",
                  "code": {"coding": [{"system": "urn:c", "code": f"c{index}"}]}, "subject": {"reference": f"Patient/p{number}"},
                  "effectiveDateTime": f"2026-03-{index + 1:02}"} for index in range(OBSERVATIONS)]
    entries = [{"request": {"method": "PUT", "url": f"{one['resourceType']}/{one['id']}"}, "resource": one} for one in made]
    for start in range(0, len(entries), 275):
        body = {"resourceType": "Bundle", "type": "transaction", "entry": entries[start:start + 275]}
        answer = server.request("POST", "/fhir", {
            "Authorization": f"Bearer {token}", "Content-Type": "application/fhir+json"}, json.dumps(body).encode())
        if answer.status != 200:
            raise AssertionError(answer)


class _Rows:
    """Rows for the records' store, inserted together."""

    def __init__(self, study):
        self.study, self.statements = study, []

    def __enter__(self):
        return self

    def insert(self, table, **values):
        self.statements.append((f"INSERT INTO {table} ({', '.join(values)}) VALUES", list(values.values())))

    def __exit__(self, kind, *_):
        if kind:
            return
        if self.study.url:
            lines = [f"{start} ({', '.join(self.literal(value) for value in values)});" for start, values in self.statements]
            # One argument of a command has a limited length.
            for start in range(0, len(lines), 200):
                postgresql.run_sql(self.study.url, f"SET search_path = {self.study.schema}; {' '.join(lines[start:start + 200])}")
        else:
            with contextlib.closing(sqlite3.connect(self.study.database, timeout=20)) as database, database:
                for start, values in self.statements:
                    database.execute(f"{start} ({', '.join('?' * len(values))})", values)

    @staticmethod
    def literal(value):
        return "''::bytea" if value == b"" else postgresql.literal(value)


def _app(study, letter, grantors):
    """Returns the token of an app with permissions of so many patients, by rows as the server writes them."""
    guid, wallet, token = letter * 36, (letter + "w") * 18, "token-of-" + letter
    now, end = "2026-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"
    with _Rows(study) as rows:
        for csi in (guid, wallet):
            rows.insert("registered_client", id=csi, name="App", key_set="{}", scopes="user/*.crus", created_at=now)
            rows.insert("csi", guid=csi, device_id=csi, created_at=now)
        rows.insert("permission_request", id=letter, csi=wallet, path="/permission/writePermission", public_key="", body=b"",
                    received_at=now)
        rows.insert("access_authorization", id=letter, client_id=guid, scopes="", created_at=now, expires_at=end,
                    permission_changes=0)
        rows.insert("bearer_token", token_digest=hashlib.sha256(token.encode()).hexdigest(), authorization_id=letter,
                    scopes="user/*.rs", created_at=now, expires_at=end)
        for number in range(grantors):
            permission = f"{letter}-{number}"
            rows.insert("access_permission", id=permission, request_id=letter, grantor=wallet, grantee=guid,
                        participant=f"p{number}", access="read", resource_types="*", confidentiality="N", sensitivities="",
                        starts_at=now, ends_at=end, created_at=now)
            rows.insert("token_permission", authorization_id=letter, permission_id=permission)
    return token


def _search(netloc, token, path):
    """Returns the seconds of SEARCHES searches on one connection, and the number of entries of one."""
    connection = http.client.HTTPConnection(netloc, timeout=120)
    begin = time.perf_counter()
    for _ in range(SEARCHES):
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise AssertionError(f"{path}: {answer.status} {content[:200]}")
    seconds = time.perf_counter() - begin
    connection.close()
    return seconds, len(json.loads(content).get("entry", []))


if __name__ == "__main__":
    print(json.dumps(searches(None), indent=1))
