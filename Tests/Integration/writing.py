"""Programs that write by FHIR REST: their tokens, requests and resources, and what their server has stored."""

import json

from forms import VISIT, observation
from harness import SpineTest, http, tributary

FULL = "user/*.cruds conf/V sens/*"
UNLIMITED = {"perSecond": 1_000_000, "burst": 1_000_000}
FHIR, JSON_PATCH, MERGE_PATCH = "application/fhir+json", "application/json-patch+json", "application/merge-patch+json"


def exactly(body):
    """JSON with each number as it is written."""
    return json.loads(body, parse_int=str, parse_float=str)


def plain(value=72, **more):
    """An observation about nobody."""
    made = observation("nobody", value, **more)
    del made["subject"]
    return made


def identified(value, system="urn:example:lab"):
    return {"identifier": [{"system": system, "value": value}]}


def entry(method, url, resource=None, full_url=None, **request):
    made = {"request": {"method": method, "url": url, **request}}
    if resource is not None:
        made["resource"] = resource
    if full_url:
        made["fullUrl"] = full_url
    return made


def bundle(kind, *entries):
    return {"resourceType": "Bundle", "type": kind, "entry": list(entries)}


def replacing(path, name, value):
    """A FHIRPath Patch of one operation."""
    return {"resourceType": "Parameters", "parameter": [{"name": "operation", "part": [
        {"name": "type", "valueCode": "replace"}, {"name": "path", "valueString": path}, {"name": "value", name: value}]}]}


class Writing(SpineTest):
    """A server, a token that may write everything, and requests with it."""

    options = ("--log-level", "debug")

    @staticmethod
    def change(value):
        names = ("unauthenticated-by-address", "token-by-address", "read-by-address", "registration-by-address",
                 "registration-by-receipt")
        value.setdefault("limits", {})["rates"] = {name: UNLIMITED for name in names}

    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.writer = cls.token(FULL)

    @classmethod
    def token(cls, scope, *patients):
        named = [word for patient in patients for word in ("--patient", patient)]
        return tributary("token", "create", cls.study.dir, "--scope", scope, *named).text.strip()

    def ask(self, method, path, body=None, token=None, content_type=FHIR, **headers):
        url = path if path.startswith("http") else f"{self.server.url}/fhir{'/' if path else ''}{path}"
        sent = {"Authorization": "Bearer " + (token or self.writer), **{
            name.replace("_", "-"): value for name, value in headers.items()}}
        if body is not None:
            sent["Content-Type"] = content_type
        return http(method, url, sent, body)

    def refused(self, answer, status, code):
        self.assertEqual((answer.status, answer.code), (status, code), answer)
        self.assertEqual(answer.json["resourceType"], "OperationOutcome")
        self.assertIn("application/fhir+json", answer.headers["Content-Type"])
        return answer

    def made(self, resource, token=None):
        """Creates a resource; returns its id."""
        answer = self.ask("POST", resource["resourceType"], resource, token)
        self.assertEqual(answer.status, 201, answer)
        return answer.json["id"]

    def total(self, search, token=None):
        answer = self.ask("GET", search, token=token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["total"]

    def stored(self):
        """How many versions, facts, visits and patients there are, and what the newest versions are."""
        return [self.study.sql(f"SELECT count(*) FROM {table}")[0][0] for table in (
            "record_history", "observation_fact", "encounter_mapping", "patient_mapping", "warehouse_loaded")] + [
                sorted(self.study.sql("SELECT type, id, version FROM record"))]

    def nothing_is_stored_by(self, *requests):
        """Asks each; after all of them everything stands as before. Returns the answers."""
        before = self.stored()
        answers = [self.ask(*request) for request in requests]
        self.assertEqual(self.stored(), before)
        return answers

    def writes_of(self, kind, name, resource):
        """Each way of writing a resource that is there."""
        return [("POST", kind, resource), ("PUT", f"{kind}/{name}", {**resource, "id": name}), ("DELETE", f"{kind}/{name}"),
                ("PATCH", f"{kind}/{name}", {"language": "de"}, None, MERGE_PATCH),
                ("PUT", f"{kind}?_id={name}", resource), ("DELETE", f"{kind}?_id={name}"),
                ("PATCH", f"{kind}?_id={name}", {"language": "de"}, None, MERGE_PATCH),
                ("POST", "", bundle("transaction", entry("POST", kind, resource))),
                ("POST", "", bundle("transaction", entry("DELETE", f"{kind}/{name}")))]
