"""Searches by an app with 1,000 grantors and by one with a single grantor, in the same store."""

import hashlib
import http.client
import json
import sqlite3
import statistics
import time
import urllib.parse

from measuring import RUNS, quotient  # noqa: I001  (it adds the folder of the next one)

import harness

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
    study = harness.Study(forms=False, url="", change=_unlimited)
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


def _app(study, letter, grantors):
    """Returns the token of an app with permissions of so many patients, by rows as the server writes them."""
    guid, wallet, token = letter * 36, (letter + "w") * 18, "token-of-" + letter
    now, end = "2026-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"
    database = sqlite3.connect(study.database, timeout=20)
    with database:
        for csi in (guid, wallet):
            database.execute("INSERT INTO registered_client (id, name, key_set, scopes, created_at) VALUES (?, 'App', '{}', ?, ?)",
                             (csi, "user/*.crus", now))
            database.execute("INSERT INTO csi (guid, device_id, created_at) VALUES (?, ?, ?)", (csi, csi, now))
        database.execute("INSERT INTO permission_request (id, csi, path, public_key, body, received_at) "
                         "VALUES (?, ?, '/permission/writePermission', '', x'', ?)", (letter, wallet, now))
        database.execute("INSERT INTO access_authorization (id, client_id, scopes, created_at, expires_at, permission_changes) "
                         "VALUES (?, ?, '', ?, ?, 0)", (letter, guid, now, end))
        database.execute("INSERT INTO bearer_token (token_digest, authorization_id, scopes, created_at, expires_at) "
                         "VALUES (?, ?, 'user/*.rs', ?, ?)", (hashlib.sha256(token.encode()).hexdigest(), letter, now, end))
        for number in range(grantors):
            permission = f"{letter}-{number}"
            database.execute(
                "INSERT INTO access_permission (id, request_id, grantor, grantee, participant, access, resource_types, "
                "confidentiality, sensitivities, starts_at, ends_at, created_at) VALUES (?, ?, ?, ?, ?, 'read', '*', 'N', '', ?, ?, ?)",
                (permission, letter, wallet, guid, f"p{number}", now, end, now))
            database.execute("INSERT INTO token_permission (authorization_id, permission_id) VALUES (?, ?)", (letter, permission))
    database.close()
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
