"""The study says which health data phones follow, and what phones no longer hold is deleted."""

import json
import unittest

from harness import SpineTest, http, tributary, until
from sealed import SealedClient

TYPES = {"types": [{"identifier": "org.example.mood", "kind": "category", "title": "Mood", "codings": [
    {"system": "https://example.org/codes", "code": "mood", "display": "Mood"}]}]}
SYNC = {"types": ["HKQuantityTypeIdentifierHeartRate", "org.example.mood"], "lookBackDays": 90,
        "expectHours": {"HKQuantityTypeIdentifierHeartRate": 24}}


def observation(person, name, value=60):
    return {"resourceType": "Observation", "id": name, "status": "final", "subject": {"reference": f"Patient/{person}"},
            "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]},
            "effectiveDateTime": "2026-03-01T08:00:00+01:00",
            "valueQuantity": {"value": value, "unit": "/min", "system": "http://unitsofmeasure.org", "code": "/min"}}


def deletion(*names):
    return {"resourceType": "Bundle", "type": "transaction",
            "entry": [{"request": {"method": "DELETE", "url": f"Observation/{name}"}} for name in names]}


class StudyFiles(SpineTest):
    def get(self, name, token, **headers):
        sent = {"Authorization": "Bearer " + token, **headers} if token else headers
        return http("GET", f"{self.server.url}/study/{name}", sent)

    def test_devices_read_them_byte_for_byte_and_the_last_good_ones_stand(self):
        token = SealedClient(self.server, self.study).token
        for name in ("health-types.json", "health-sync.json"):
            self.assertEqual((self.get(name, token).status, self.get(name, token).json["code"]), (404, "study-file-unknown"))
            self.assertEqual(self.get(name, None).status, 401)
        self.assertEqual(self.get("health.json", token).status, 404)
        texts = {"health-types.json": json.dumps(TYPES, indent=3), "health-sync.json": json.dumps(SYNC, indent=1) + "\n"}
        for name, text in texts.items():
            (self.study.dir / name).write_text(text)
        tags = {}
        for name, text in texts.items():
            answer = self.get(name, token)
            self.assertEqual((answer.status, answer.body.decode()), (200, text))
            self.assertEqual(answer.headers["Content-Type"], "application/json")
            tags[name] = answer.headers["ETag"]
            again = self.get(name, token, **{"If-None-Match": tags[name]})
            self.assertEqual((again.status, again.body, again.headers["ETag"]), (304, b"", tags[name]))
        self.assertNotEqual(tags["health-types.json"], tags["health-sync.json"])
        # A fault in a file is told to the team, and phones go on by what stood there.
        (self.study.dir / "health-sync.json").write_text('{"types": ["HKNoSuchType"]}')
        self.assertEqual(self.get("health-sync.json", token).body.decode(), texts["health-sync.json"])
        found = tributary("study", "check", self.study.dir, "--json", status=1).json
        self.assertIn("supplement-value-invalid", json.dumps(found))
        (self.study.dir / "health-sync.json").write_text('{"lookBackDays": 7}')
        answer = self.get("health-sync.json", token, **{"If-None-Match": tags["health-sync.json"]})
        self.assertEqual((answer.status, answer.body), (200, b'{"lookBackDays": 7}'))
        (self.study.dir / "health-sync.json").unlink()
        self.assertEqual(self.get("health-sync.json", token).status, 404)


class Deleting(SpineTest):
    def facts(self):
        return self.study.number("SELECT count(*) FROM observation_fact")

    def test_what_a_phone_deletes_is_gone_and_what_comes_back_is_there_once(self):
        device = self.member()
        client, person = SealedClient(self.server, self.study, device=device), device.participant
        staff = {"Authorization": "Bearer " + self.study.staff_token()}
        before = self.facts()

        def status(name):
            return http("GET", f"{self.server.url}/fhir/Observation/{name}", staff).status

        sid = client.send(*[observation(person, f"o{number}", 60 + number) for number in range(5)])
        self.assertEqual(client.outcome(sid), ("stored", None))
        self.assertEqual(self.facts(), before + 5)
        self.assertEqual(client.outcome(client.send(deletion("o0", "o1", "never-was"))), ("stored", None))
        self.assertEqual([status(name) for name in ("o0", "o1", "o2", "never-was")], [410, 410, 200, 410])
        self.assertEqual(self.facts(), before + 3)
        self.assertEqual(client.outcome(client.send(observation(person, "o0"))), ("stored", None))
        self.assertEqual((status("o0"), self.facts()), (200, before + 4))
        # Nobody deletes for another.
        other = SealedClient(self.server, self.study, device=self.member())
        self.assertEqual(other.outcome(other.send(deletion("o2"))), ("held", "needs-attention"))
        self.assertEqual((status("o2"), self.facts()), (200, before + 4))
        # Who takes part no more takes back what they gave.
        device.withdraw()
        device.send()
        device.settled()
        self.assertEqual(client.outcome(client.send(observation(person, "late")))[0], "refused")
        self.assertEqual(client.outcome(client.send(deletion("o2", "o3", "o4"))), ("stored", None))
        self.assertEqual([status(name) for name in ("o2", "o3", "o4")], [410] * 3)
        verified = tributary("warehouse", "verify", self.study.dir, "--json").json
        self.assertEqual(verified["differences"], [])
        history = http("GET", f"{self.server.url}/fhir/Observation/o0/_history", staff).json
        self.assertEqual([row["request"]["method"] for row in history["entry"]], ["PUT", "DELETE", "POST"])


class Streams(SpineTest):
    def streams(self, *more):
        return tributary("study", "streams", self.study.dir, "--json", *more).json

    def test_the_team_sees_what_phones_send_and_what_is_silent(self):
        device = self.member()
        client, person = SealedClient(self.server, self.study, device=device), device.participant
        heart, steps = "HKQuantityTypeIdentifierHeartRate", "HKQuantityTypeIdentifierStepCount"
        made = [observation(person, f"s{number}") for number in range(3)]
        for number, one in enumerate(made):
            one["code"]["coding"].append({"system": "http://developer.apple.com/documentation/healthkit", "code": heart})
            one["effectiveDateTime"] = f"2026-03-0{number + 1}T08:00:00+01:00"
        self.assertEqual(client.outcome(client.send(*made)), ("stored", None))
        row, = self.streams()
        self.assertEqual((row["participant"], row["stream"], row["count"], row["state"], row["hint"]),
                         (person, heart, 3, "current", None))
        self.assertEqual((row["first"], row["last"]), ("2026-03-01T07:00:00Z", "2026-03-03T07:00:00Z"))
        self.assertEqual([row["state"] for row in self.streams("--silent-after", 24)], ["silent"])
        (self.study.dir / "health-sync.json").write_text(json.dumps({"expectHours": {steps: 24, heart: 8760}}))
        self.assertEqual({row["stream"]: row["state"] for row in self.streams()}, {heart: "current", steps: "never"})
        self.assertEqual(client.outcome(client.send(deletion("s0", "s2"))), ("stored", None))
        self.assertEqual({row["stream"]: row["count"] for row in self.streams()}, {heart: 1, steps: 0})
        shown = tributary("study", "streams", self.study.dir)
        self.assertIn("never", shown.text)
        (self.study.dir / "health-sync.json").unlink()
        # Who looked is in the audit.
        self.assertGreater(self.study.number("SELECT count(*) FROM audit WHERE action = 'list-participants'"), 4)


if __name__ == "__main__":
    unittest.main()
