"""A client of Bulk Data Access, with nothing but HTTP, and resources to export."""

import json
import time
import urllib.parse

from harness import DEADLINE, http

ASYNC = {"Prefer": "respond-async", "Accept": "application/fhir+json"}


def padded(kind, number, patient, size=400):
    """An Observation or Patient with a text of some length."""
    made = {"resourceType": kind, "id": f"{kind[0].lower()}-{number}",
            "language": "de", "extension": [{"url": "urn:example:note", "valueString": "x" * size}]}
    if kind == "Observation":
        made |= {"status": "final", "subject": {"reference": f"Patient/{patient}"},
                 "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]},
                 "effectiveDateTime": "2026-05-06T07:08:09.120+02:00",
                 "valueQuantity": {"value": number, "unit": "/min", "system": "http://unitsofmeasure.org", "code": "/min"}}
    return made


class Export:
    """One export of a token."""

    def __init__(self, server, token, query="$export", body=None, prefer="respond-async"):
        self.token = token
        self.answer = self.request("GET" if body is None else "POST", f"{server.url}/fhir/{query}", body,
                                   {**ASYNC, "Prefer": prefer})
        self.status_url = self.answer.headers.get("Content-Location")

    def request(self, method, url, body=None, headers=None, token=None):
        sent = {"Authorization": "Bearer " + (token or self.token), **(headers or {})}
        if body is not None:
            sent["Content-Type"] = "application/fhir+json"
        return http(method, url, sent, body)

    def poll(self):
        return self.request("GET", self.status_url)

    def done(self):
        """The manifest, when it is there."""
        assert self.answer.status == 202, self.answer
        end = time.monotonic() + DEADLINE
        while True:
            answer = self.poll()
            if answer.status == 200:
                return answer.json
            assert answer.status == 202, answer
            assert time.monotonic() < end, "the export takes too long"
            time.sleep(min(0.1, float(answer.headers["Retry-After"])))

    def lines(self, url, token=None):
        answer = self.request("GET", url, token=token)
        assert answer.status == 200, answer
        assert answer.headers["Content-Type"] == "application/fhir+ndjson", answer.headers
        return [json.loads(line) for line in answer.body.splitlines()]

    def resources(self, manifest=None):
        """All that it holds, by type and id; each must be there once."""
        found = {}
        for file in (manifest or self.done())["output"]:
            lines = self.lines(file["url"])
            assert len(lines) == file["count"], file
            for resource in lines:
                key = (resource["resourceType"], resource["id"])
                assert resource["resourceType"] == file["type"] and key not in found, key
                found[key] = resource
        return found

    def moved(self, server):
        """The same export at a server that stands at another address."""
        parts = urllib.parse.urlsplit(server.url)
        self.status_url = urllib.parse.urlsplit(self.status_url)._replace(netloc=parts.netloc).geturl()
        return self
