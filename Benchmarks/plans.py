"""Care plans: pushes that are durable, pulls without news in logs of two sizes, and events of one day."""

import json
import statistics
import time
import uuid

from measuring import RUNS, quotient  # noqa: I001  (it adds the folder of the next ones)

import sealed
from devices import numbered_envelopes
from people import Caller, signed_in, study

FEW, MANY = 1_000, 100_000
PULLS = 300
PUSHES = 300
EVENTS = 100
YEARS = 10
DAY = 86_400
ZONE = {"identifier": "Europe/Berlin"}
CALENDAR = {"identifier": "gregorian", "firstWeekday": 2, "minimumDaysInFirstWeek": 4, "locale": {"identifier": "de_DE"},
            "timeZone": ZONE}


def new_id():
    return str(uuid.uuid4()).upper()


def version(kind, id, **members):
    return {"type": kind, "object": {
        "uuid": new_id(), "id": id, "previousVersionUUIDs": [], "nextVersionUUIDs": [], "effectiveDate": 0, "createdDate": 0,
        "updatedDate": 0, "timezone": ZONE, **members}}


def task(interval):
    element = {"start": 0, "duration": {"isAllDay": False, "seconds": 3600}, "interval": interval, "targetValues": [],
               "calendar": CALENDAR}
    return version("task", "stretch", impactsAdherence=True, schedule={"elements": [element]})


def outcome(of, index):
    value = {"type": "integer", "value": 7, "createdDate": 0}
    return version("outcome", new_id(), taskUUID=of["object"]["uuid"], taskOccurrenceIndex=index, values=[value])


class Copy:
    """A copy of a plan, which pushes on one connection."""

    def __init__(self, server):
        account, token = signed_in(server, f"{uuid.uuid4()}@example.org")
        self.caller, self.path = Caller(server.port, token), f"/v1/patients/{account}"
        self.process, self.clock = new_id(), 0

    def vector(self):
        return {"processes": [{"id": self.process, "clock": self.clock}]}

    def push(self, *versions):
        self.clock += 1
        body = {"revisions": [{"entities": versions, "knowledgeVector": self.vector()}], "knowledgeVector": self.vector()}
        return self.caller.ask("POST", self.path + "/revisions", json.dumps(body))["knowledgeVector"]

    def fill(self, count, interval):
        """Adds outcomes in pushes with up to 500 vectors."""
        first = task(interval)
        self.push(first)
        for start in range(0, count, 500):
            revisions = []
            for index in range(start, min(start + 500, count)):
                self.clock += 1
                revisions.append({"entities": [outcome(first, index)], "knowledgeVector": self.vector()})
            body = {"revisions": revisions, "knowledgeVector": self.vector()}
            self.caller.ask("POST", self.path + "/revisions", json.dumps(body))
        return self.vector()


def no_news(_work):
    """A pull without news in a log of 100,000 versions, and in one of 1,000, one after the other."""
    made = study()
    try:
        server = made.serve()
        copies = [Copy(server), Copy(server)]
        vectors = [copy.fill(count, {"hour": 1}) for copy, count in zip(copies, (MANY, FEW))]
        bodies = [json.dumps({"knowledgeVector": vector}) for vector in vectors]
        times = ([], [])
        for run in range(RUNS + 1):
            for copy, body, found in zip(copies, bodies, times):
                begin = time.perf_counter()
                for _ in range(PULLS):
                    answer = copy.caller.ask("POST", copy.path + "/revisions/pull", body)
                if run:
                    found.append(time.perf_counter() - begin)
                if answer["revisions"] or answer["next"]:
                    raise AssertionError("the pull has news")
        server.stop()
        many, few = times
        return {**quotient(many, few), "milliseconds": [round(statistics.median(one) / PULLS * 1000, 3) for one in (few, many)],
                "versions": [FEW, MANY]}
    finally:
        made.close()


def pushes(_work):
    """A push of one outcome, durable, against the receiver's POST of an envelope, durable, on one connection."""
    made = study()
    try:
        server = made.serve()
        copy = Copy(server)
        first = task({"day": 1})
        copy.push(first)
        client = sealed.SealedClient(server, made)
        device = Caller(server.port, "")
        device.headers = dict(client.headers)
        envelopes = [body for _, body in numbered_envelopes(made, PUSHES * RUNS)]
        ours, theirs = [], []
        for run in range(RUNS):
            begin = time.perf_counter()
            for index in range(PUSHES):
                copy.push(outcome(first, run * PUSHES + index))
            ours.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            for body in envelopes[run * PUSHES:(run + 1) * PUSHES]:
                device.ask("POST", "/encfhir", body)
            theirs.append(time.perf_counter() - begin)
        server.stop()
        return {**quotient(ours, theirs),
                "milliseconds": [round(statistics.median(one) / PUSHES * 1000, 3) for one in (ours, theirs)]}
    finally:
        made.close()


def events(_work):
    """The events of the last day of a daily schedule of ten years with an outcome each day, against those of the first day."""
    made = study()
    try:
        server = made.serve()
        copy = Copy(server)
        copy.fill(YEARS * 365, {"day": 1})
        days = ("2010-12-20", "2010-12-21"), ("2001-01-02", "2001-01-03")
        times = ([], [])
        for run in range(RUNS + 1):
            for (start, end), found in zip(days, times):
                begin = time.perf_counter()
                for _ in range(EVENTS):
                    answer = copy.caller.ask("GET", f"{copy.path}/events?from={start}&to={end}")
                if run:
                    found.append(time.perf_counter() - begin)
                if not answer or not answer[0]["outcome"]:
                    raise AssertionError(f"events without outcomes: {answer}")
        server.stop()
        last, first = times
        return {**quotient(last, first), "milliseconds": [round(statistics.median(one) / EVENTS * 1000, 3) for one in (first, last)]}
    finally:
        made.close()
