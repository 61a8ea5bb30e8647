"""The accounts of identified people: a page of a team's patients, and results that are saved durably."""

import http.client
import json
import sqlite3
import statistics
import time
import uuid

from measuring import RUNS, quotient  # noqa: I001  (it adds the folder of the next ones)

import harness
import sealed
from accounts import AccountStudy
from devices import numbered_envelopes

FEW, MANY = 100, 10_000
CHANGES = 50
PAGES = 200
SAVED = 300
UNLIMITED = {"perSecond": 1_000_000, "burst": 1_000_000}
RATES = {name: UNLIMITED for name in ("submission-by-client", "registration-by-address", "sign-in-by-address",
                                      "unauthenticated-by-address")}


def study():
    return AccountStudy(change=lambda value: value.setdefault("limits", {}).update(rates=RATES))


class Caller:
    """One connection, on which one request follows the other."""

    def __init__(self, port, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body=body, headers=self.headers | (headers or {}))
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status not in (200, 201, 202):
            raise AssertionError(f"{method} {path}: {answer.status} {content[:200]}")
        return json.loads(content) if content else None


def signed_in(server, email):
    body = json.dumps({"email": email, "password": "correct horse battery"}).encode()
    answer = harness.http("POST", f"{server.url}/v1/accounts", {"Antispam": harness.ANTISPAM}, body)
    return answer.json["account"], answer.json["accessToken"]


def fill(path, count):
    """Adds patients to the people store."""
    with sqlite3.connect(path) as database:
        [number] = database.execute("SELECT number FROM people_state").fetchone()
        for index in range(count):
            name = f"patient-{index}"
            number += 1
            database.execute("INSERT INTO user_account (id, username, password, role, created_at) "
                             "VALUES (?, ?, '', 'account-holder', '2026-01-01T00:00:00.000Z')", (name, f"{name}@example.org"))
            database.execute("INSERT INTO person (account_id, email, profile, profile_number) VALUES (?, ?, ?, ?)",
                             (name, f"{name}@example.org", json.dumps({"givenName": "Ann", "familyName": name}), number))
            database.execute("INSERT INTO person_group (account_id, group_name) VALUES (?, 'main')", (name,))
            for audience in ("profiles", "research"):
                database.execute("INSERT INTO patient_membership (group_name, audience, account_id, entered, number, is_open) "
                                 "VALUES ('main', ?, ?, ?, ?, 1)", (audience, name, number, number))
        database.execute("UPDATE people_state SET number = ?", (number,))


def change(path, count):
    """Changes the profiles of as many patients as a page reports."""
    with sqlite3.connect(path) as database:
        [number] = database.execute("SELECT number FROM people_state").fetchone()
        for index in range(CHANGES):
            name = f"patient-{index * (count // CHANGES)}"
            number += 1
            database.execute("UPDATE person SET profile_number = ? WHERE account_id = ?", (number, name))
            database.execute("UPDATE patient_membership SET number = ? WHERE account_id = ? AND audience = 'profiles'",
                             (number, name))
        database.execute("UPDATE people_state SET number = ?", (number,))


def page_times(count):
    """The times of a page with 50 changes among this number of patients."""
    made = study()
    try:
        server = made.serve()
        account, token = signed_in(server, "dora@example.org")
        made.account("grant", "--account", account, "--role", "care-team", "--group", "main")
        code = made.code("dora@example.org")
        caller = Caller(server.port, token)
        harness.http("POST", f"{server.url}/v1/me/verification", caller.headers, json.dumps({"code": code}).encode())
        store = made.dir / "data" / "people.sqlite"
        fill(store, count)
        cursor = None
        while True:
            page = caller.ask("GET", "/v1/patients" + (f"?after={cursor}" if cursor else ""))
            cursor = page["next"]
            if not page["patients"]:
                break
        change(store, count)
        path = f"/v1/patients?after={cursor}"
        found = len(caller.ask("GET", path)["patients"])
        if found != CHANGES:
            raise AssertionError(f"{found} changes on the page, not {CHANGES}")
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            for _ in range(PAGES):
                caller.ask("GET", path)
            times.append(time.perf_counter() - begin)
        server.stop()
        return times
    finally:
        made.close()


def patients(_work):
    """A page of `GET patients` with 50 changes among 100 patients, and among 10,000."""
    few, many = page_times(FEW), page_times(MANY)
    return {**quotient(many, few), "milliseconds": [round(statistics.median(one) / PAGES * 1000, 3) for one in (few, many)],
            "patients": [FEW, MANY]}


def results(_work):
    """`PUT results`, durable, against the receiver's POST of an envelope, durable, on one connection."""
    made = study()
    try:
        server = made.serve()
        _, token = signed_in(server, "ann@example.org")
        caller = Caller(server.port, token)
        client = sealed.SealedClient(server, made)
        device = Caller(server.port, "")
        device.headers = dict(client.headers)
        example = {"_class": "ORKTaskResult", "identifier": "sleep", "results": [
            {"_class": "ORKStepResult", "results": [{"_class": "ORKScaleQuestionResult", "scaleAnswer": 7}]}] * 10}
        envelopes = [body for _, body in numbered_envelopes(made, SAVED * RUNS)]
        ours, theirs = [], []
        for run in range(RUNS):
            begin = time.perf_counter()
            for _ in range(SAVED):
                name = str(uuid.uuid4())
                caller.ask("PUT", f"/v1/results/{name}", json.dumps(example | {"taskRunUUID": name}))
            ours.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            for body in envelopes[run * SAVED:(run + 1) * SAVED]:
                device.ask("POST", "/encfhir", body)
            theirs.append(time.perf_counter() - begin)
        server.stop()
        return {**quotient(ours, theirs), "milliseconds": [round(statistics.median(one) / SAVED * 1000, 3) for one in (ours, theirs)]}
    finally:
        made.close()
