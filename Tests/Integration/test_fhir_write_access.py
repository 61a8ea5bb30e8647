"""Whom FHIR REST lets write what: tokens for one patient, that only read, of the study team, of devices, and none."""

import unittest

from forms import observation
from harness import ANTISPAM, tributary
from writing import FULL, MERGE_PATCH, Writing, bundle, entry, identified, plain


class Access(Writing):
    """Who may write what."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.one, cls.two = (cls.joined() for _ in range(2))
        cls.staff = cls.study.staff_token()
        cls.own = cls.token("patient/*.cruds", cls.one.participant)

    @classmethod
    def joined(cls):
        device = cls.study.device(cls.server)
        device.consent()
        device.send()
        assert {row["status"] for row in device.settled().values()} == {"stored"}
        return device

    def test_who_reaches_one_patient_neither_writes_nor_sees_another_one_s(self):
        one, two = self.one.participant, self.two.participant
        theirs = self.made(observation(two, 61, **identified("theirs")))
        mine = self.made(observation(one, 62, **identified("mine")), self.own)
        self.assertEqual(self.ask("GET", f"Observation/{mine}", token=self.own).status, 200)
        self.assertEqual(self.ask("PATCH", f"Observation/{mine}", {"status": "amended"}, self.own, MERGE_PATCH).status, 200)
        about_me, about_them = observation(one, 63), observation(two, 63)
        path = f"Observation/{theirs}"
        hidden = self.nothing_is_stored_by(
            ("GET", path, None, self.own), ("GET", path + "/_history", None, self.own),
            ("GET", path + "/_history/1", None, self.own), ("PUT", path, {**about_me, "id": theirs}, self.own),
            ("PATCH", path, {"status": "amended"}, self.own, MERGE_PATCH),
            ("PATCH", "Observation?identifier=theirs", {"status": "amended"}, self.own, MERGE_PATCH))
        for answer in hidden:
            self.refused(answer, 404, "record-unknown")
        # What is deleted must not be there afterwards: for this token it never was.
        absent = self.nothing_is_stored_by(
            ("DELETE", path, None, self.own), ("DELETE", f"Patient/{two}", None, self.own),
            ("DELETE", "Observation/never", None, self.own))
        self.assertEqual([(answer.status, answer.headers["ETag"]) for answer in absent], [(204, None)] * 3)
        answer, = self.nothing_is_stored_by(("POST", "", bundle("transaction", entry("DELETE", path)), self.own))
        self.assertEqual(answer.json["entry"][0]["response"], {"status": "204 No Content"})
        refused = self.nothing_is_stored_by(
            ("POST", "Observation", about_them, self.own), ("PUT", path, {**about_them, "id": theirs}, self.own),
            ("PUT", f"Observation/{mine}", {**about_them, "id": mine}, self.own),
            ("PATCH", f"Observation/{mine}", {"subject": {"reference": f"Patient/{two}"}}, self.own, MERGE_PATCH),
            ("POST", "Observation", {**about_me, "performer": [{"reference": f"Patient/{two}"}]}, self.own),
            ("PUT", "Patient/another", {"resourceType": "Patient", "id": "another"}, self.own),
            ("POST", "", bundle("transaction", entry("POST", "Observation", about_me),
                                entry("POST", "Observation", about_them)), self.own))
        for answer in refused:
            self.refused(answer, 403, "other-patient")
        nobody_s = self.nothing_is_stored_by(("POST", "Observation", plain(), self.own),
                                             ("POST", "Practitioner", {"resourceType": "Practitioner"}, self.own))
        self.assertEqual([(answer.status, answer.code) for answer in nobody_s],
                         [(403, "patient-missing"), (403, "shared-record")])
        # Conditions find of the others' what a search shows: nothing.
        deleted = self.ask("DELETE", "Observation?identifier=theirs", token=self.own)
        self.assertEqual((deleted.status, self.ask("GET", path).status), (204, 200))
        made = self.ask("POST", "Observation", {**about_me, **identified("theirs")}, self.own,
                        If_None_Exist="identifier=theirs")
        self.assertEqual(made.status, 201, "it is not told that there is one")
        reference = {**about_me, "focus": [{"reference": "Observation?identifier=nowhere"}]}
        self.refused(self.ask("POST", "", bundle("transaction", entry("POST", "Observation", reference)), self.own),
                     412, "reference-unresolved")
        self.assertEqual(self.total("Observation?identifier=theirs", self.own), 1)
        self.assertEqual(self.total("Observation?identifier=theirs"), 2)
        self.assertEqual(self.ask("DELETE", f"Observation/{mine}", token=self.own).status, 204)

    def test_who_may_only_read_writes_nothing(self):
        person = self.one.participant
        name = self.made(observation(person, 64))
        tokens = {"a scope that reads": self.token("user/*.rs"), "the study team": self.staff,
                  "a scope of another type": self.token("user/Patient.cruds user/Observation.rs"),
                  "a scope of one that reads": self.token("patient/*.rs", person)}
        for who, token in tokens.items():
            writes = [(*request[:3], token, *request[4:]) if len(request) > 3 else (
                *request, *[None] * (3 - len(request)), token) for request in self.writes_of(
                    "Observation", name, observation(person, 65))]
            for request, answer in zip(writes, self.nothing_is_stored_by(*writes)):
                self.assertEqual((answer.status, answer.code), (403, "insufficient-scope"), f"{who}: {request} {answer}")
            batch = self.ask("POST", "", bundle("batch", entry("POST", "Observation", observation(person)),
                                                entry("GET", f"Observation/{name}")), token)
            self.assertEqual([row["response"]["status"][:3] for row in batch.json["entry"]], ["403", "200"], who)
            self.assertEqual(self.ask("GET", f"Observation/{name}", token=token).status, 200, who)

    def test_who_may_only_create_sees_nothing(self):
        token = self.token("user/Observation.c")
        answer = self.ask("POST", "Observation", observation(self.one.participant, 66), token)
        self.assertEqual((answer.status, answer.body), (201, b""))
        made = answer.headers["Location"].split("/fhir/")[1].split("/_history/")[0]
        self.refused(self.ask("GET", made, token=token), 403, "not-permitted")
        self.assertEqual(self.ask("GET", made).json["valueQuantity"]["value"], 66)
        self.refused(self.ask("POST", "Observation", plain(), token, If_None_Exist="identifier=theirs"), 403,
                     "insufficient-scope")

    def test_nobody_writes_the_audit(self):
        event = {"resourceType": "AuditEvent"}
        rows = self.nothing_is_stored_by(*self.writes_of("AuditEvent", "a", event))
        for answer in rows:
            self.refused(answer, 403, "audit-immutable")

    def test_who_proves_nothing_writes_nothing(self):
        name = self.made(observation(self.one.participant, 67))
        ended = self.token(FULL)
        rows = tributary("token", "list", self.study.dir, "--json").json
        newest = max((row for row in rows if row["scope"] == FULL), key=lambda row: row["created"])
        tributary("token", "revoke", self.study.dir, newest["id"])
        self.assertNotEqual(ended, self.writer)
        for token in ("wrong", ended):
            before = self.stored()
            for request in self.writes_of("Observation", name, plain()):
                method, path, *more = request
                answer = self.ask(method, path, more[0] if more else None, token, *more[2:])
                self.assertEqual((answer.status, answer.json["resourceType"]), (401, "OperationOutcome"), request)
            self.assertEqual(self.stored(), before)

    def test_a_device_writes_by_its_receiver_alone(self):
        person = self.one.participant
        name = self.made(observation(person, 68))
        token = self.one.bearer(self.server)
        before = self.stored()
        for request in self.writes_of("Observation", name, observation(person, 69)):
            method, path, *more = request
            answer = self.ask(method, path, more[0] if more else None, token, *more[2:], Antispam=ANTISPAM)
            if method in ("POST", "PUT") and path and "?" not in path:
                self.refused(answer, 403, "plain-fhir-not-accepted")
            self.assertIn((answer.status, answer.json["resourceType"]), [(403, "OperationOutcome"), (404, "OperationOutcome")],
                          request)
        self.assertEqual(self.stored(), before)

    def test_every_write_is_in_the_audit(self):
        before = self.study.number("SELECT count(*) FROM audit")
        person = self.one.participant
        name = self.made(observation(person, 70))
        self.ask("DELETE", f"Observation/{name}", token=self.staff)
        self.ask("DELETE", f"Observation/{name}")
        rows = self.study.sql("SELECT action, resource_type, allowed FROM audit ORDER BY number LIMIT 1000 OFFSET ?", before)
        self.assertEqual(rows, [("write-record", "Observation", allowed) for allowed in (1, 0, 1)])


if __name__ == "__main__":
    unittest.main()
