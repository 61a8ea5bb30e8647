"""Small requests that would cost a server much: the bodies, the paths, and how often they are sent."""

import base64
import http.client
import json
import threading
import time

from .connections import check

FHIR = "application/fhir+json"
JSON_PATCH = "application/json-patch+json"


def together(host, port, seconds, requests, source=None, timeout=120):
    """Sends `(method, path, headers, body)` of `requests` at a time, one after the other in a thread each, until the time is
    over: at least once. Returns the answers as `(status, code, bytes, seconds)`."""
    check(host, len(requests), source)
    end = time.monotonic() + seconds
    answers, lock = [], threading.Lock()

    def work(method, path, headers, body):
        while True:
            begun = time.monotonic()
            try:
                connection = http.client.HTTPConnection(
                    host, port, timeout=timeout, source_address=(source, 0) if source else None)
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                content = answer.read()
                found = (answer.status, code(content), len(content), time.monotonic() - begun)
                connection.close()
            except (OSError, http.client.HTTPException) as error:
                found = (0, type(error).__name__, 0, time.monotonic() - begun)
            with lock:
                answers.append(found)
            if time.monotonic() >= end:
                return
            if found[0] in (0, 429, 503):
                time.sleep(0.05)

    workers = [threading.Thread(target=work, args=request, daemon=True) for request in requests]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(seconds + timeout)
    return answers


def code(content):
    """The code of an OperationOutcome; None where it is none."""
    if len(content) > 1 << 16 or not content.startswith(b"{"):
        return None
    try:
        outcome = json.loads(content)
    except ValueError:
        return None
    if outcome.get("resourceType") == "OperationOutcome":
        return outcome["issue"][0].get("details", {}).get("text")
    return outcome.get("code") or outcome.get("error")


def large(identifier, patient, megabytes=3, **more):
    """An Observation of some megabytes: each of its texts is below R4's limit of one."""
    whole = (identifier + " " + "x" * 1023) * (megabytes << 10)
    parts = [whole[start:start + 900_000] for start in range(0, megabytes << 20, 900_000)]
    return {"resourceType": "Observation", "id": identifier, "status": "final",
            "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]},
            "subject": {"reference": f"Patient/{patient}"}, "effectiveDateTime": "2026-03-01T10:00:00Z",
            "note": [{"text": part} for part in parts], **more}


def batch(kind, *entries):
    return {"resourceType": "Bundle", "type": kind, "entry": list(entries)}


def reading(url):
    return {"request": {"method": "GET", "url": url}}


def patching(url, operations):
    """A JSON Patch as an entry."""
    data = base64.b64encode(json.dumps(operations).encode()).decode()
    return {"request": {"method": "PATCH", "url": url},
            "resource": {"resourceType": "Binary", "contentType": JSON_PATCH, "data": data}}


def copies(count, source="/note/0", target="/note/-"):
    """A JSON Patch of few bytes that copies a large text often."""
    return [{"op": "copy", "from": source, "path": target} for _ in range(count)]


def removals(count, path):
    """A JSON Patch that removes the members `k0`, `k1`, ... of an object."""
    return [{"op": "remove", "path": f"{path}/k{number}"} for number in range(count)]


def fhirpath_patch(path):
    """A FHIRPath Patch of a few hundred bytes whose path has to be evaluated."""
    return {"resourceType": "Parameters", "parameter": [{"name": "operation", "part": [
        {"name": "type", "valueCode": "delete"}, {"name": "path", "valueString": path}]}]}


def leave(host, port, method, path, headers, body=None, after=0.2, source=None):
    """Sends a request and closes the connection without reading the answer."""
    check(host, 1, source)
    connection = http.client.HTTPConnection(host, port, timeout=30, source_address=(source, 0) if source else None)
    connection.request(method, path, body, headers)
    time.sleep(after)
    connection.close()
