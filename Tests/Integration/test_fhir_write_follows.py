"""What follows of what programs write by FHIR REST: in the warehouse, by consent, and in the log."""

import base64
import json
import unittest

from forms import observation, response, withdrawal
from harness import tributary
from sealed import SealedClient
from writing import JSON_PATCH, MERGE_PATCH, Writing, bundle, entry, identified, plain, replacing

PULSE = "\\Tributary\\Codes\\LOINC\\8867-4\\"


class Following(Writing):
    """What follows of a write: in the warehouse, by consent, and in the log."""

    def facts(self, person):
        """The pulses of a participant, measured and answered."""
        rows = self.study.sql(
            "SELECT nval_num FROM observation_fact WHERE (concept_cd = 'LOINC:8867-4' OR concept_cd LIKE 'SURVEY:%:rate') "
            "AND modifier_cd = '@' AND patient_num IN (SELECT patient_num FROM patient_mapping WHERE patient_ide = ?) "
            "ORDER BY nval_num", person)
        return [row[0] for row in rows]

    def count(self, value):
        """The participants and the facts that have a measured pulse."""
        found = tributary("warehouse", "count", self.study.dir, "--path", PULSE, "--value", f"EQ {value}", "--json").json
        return found["patients"], found["facts"]

    def verified(self):
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])

    def test_facts_follow_what_is_written_where_consent_stands(self):
        one, two = self.member(), self.member()
        person = one.participant
        name = self.made(observation(person, 41))
        path = f"Observation/{name}"
        self.assertEqual((self.facts(person), self.count(41)), ([41], (1, 1)))
        self.verified()
        self.assertEqual(self.ask("PUT", path, observation(person, 42, id=name)).status, 200)
        self.assertEqual((self.facts(person), self.count(41), self.count(42)), ([42], (0, 0), (1, 1)))
        self.assertEqual(self.ask("PATCH", path, replacing(
            "Observation.value.value", "valueDecimal", 43)).status, 200)
        self.assertEqual((self.facts(person), self.count(43)), ([43], (1, 1)))
        self.verified()
        # It becomes another one's.
        self.assertEqual(self.ask("PUT", path, observation(two.participant, 44, id=name)).status, 200)
        self.assertEqual((self.facts(person), self.facts(two.participant), self.count(44)), ([], [44], (1, 1)))
        self.verified()
        self.assertEqual(self.ask("DELETE", path).status, 204)
        self.assertEqual((self.facts(two.participant), self.count(44)), ([], (0, 0)))
        self.verified()
        self.assertEqual(self.ask("PUT", path, observation(person, 45, id=name)).status, 201)
        self.assertEqual((self.facts(person), self.count(45)), ([45], (1, 1)))
        # Of a transaction, and of a form's response.
        self.assertEqual(self.ask("POST", "", bundle(
            "transaction", entry("DELETE", path), entry("POST", "Observation", observation(person, 46)),
            entry("POST", "Observation", observation(two.participant, 46)))).status, 200)
        self.assertEqual((self.facts(person), self.count(45), self.count(46)), ([46], (0, 0), (2, 2)))
        answers = self.made(response(person))
        self.assertEqual(self.facts(person), [46, 64])
        self.verified()
        self.assertEqual(self.ask("DELETE", f"QuestionnaireResponse/{answers}").status, 204)
        self.assertEqual(self.facts(person), [46])
        self.verified()

    def test_loading_anew_makes_the_facts_that_followed(self):
        person = self.member().participant
        name = self.made(observation(person, 48))
        self.made(response(person))
        self.ask("DELETE", f"Observation/{self.made(observation(person, 49))}")
        self.verified()
        before = self.study.sql("SELECT count(*) FROM observation_fact")
        tributary("warehouse", "load", self.study.dir)
        self.assertEqual(self.study.sql("SELECT count(*) FROM observation_fact"), before)
        self.assertEqual(self.facts(person), [48, 64])
        self.assertEqual(self.ask("DELETE", f"Observation/{name}").status, 204)
        self.assertEqual(self.facts(person), [64])

    def test_who_has_no_consent_on_file_has_no_facts_after_a_load_either(self):
        self.assertEqual(self.ask("PUT", "Patient/stranger", {"resourceType": "Patient", "id": "stranger"}).status, 201)
        self.made(observation("stranger", 57))
        self.made({**response("stranger"), "questionnaire": "https://example.org/unpublished"})
        self.verified()
        tributary("warehouse", "load", self.study.dir)
        self.verified()
        self.assertEqual((self.facts("stranger"), self.count(57)), ([], (0, 0)))

    def test_a_response_to_another_form_has_the_facts_that_a_load_makes(self):
        person = self.member().participant
        answers = self.made(response(person))
        self.assertEqual(self.facts(person), [64])
        other = {**response(person), "id": answers, "questionnaire": "https://example.org/unpublished"}
        self.assertEqual(self.ask("PUT", f"QuestionnaireResponse/{answers}", other).status, 200)
        self.verified()
        self.assertEqual(self.ask("DELETE", f"QuestionnaireResponse/{answers}").status, 204)
        self.assertEqual(self.facts(person), [])
        self.verified()

    def about(self, person, name):
        return [*self.writes_of("Observation", name, observation(person, 51)),
                ("PUT", f"Patient/{person}", {"resourceType": "Patient", "id": person, "gender": "other"}),
                ("POST", "", bundle("transaction", entry("POST", "Basic", {"resourceType": "Basic", "code": {"text": "x"}}),
                                    entry("POST", "Observation", observation(person, 52))))]

    def test_after_the_withdrawal_nothing_about_the_participant_is_written(self):
        device, other = self.member(), self.member()
        name, elsewhere = self.made(observation(device.participant, 50)), self.made(observation(other.participant, 50))
        tributary("participant", "withdraw", self.study.dir, device.participant)
        for answer in self.nothing_is_stored_by(
                *self.about(device.participant, name),
                ("PUT", f"Observation/{elsewhere}", observation(device.participant, 53, id=elsewhere))):
            self.refused(answer, 403, "consent-withdrawn")
        self.assertEqual(self.ask("GET", f"Observation/{name}").status, 200, "what was given stays")
        self.assertEqual(self.ask("PUT", f"Observation/{elsewhere}", observation(
            other.participant, 53, id=elsewhere)).status, 200, "of others it is taken")

    def test_while_a_participant_is_suspended_nothing_about_them_is_written(self):
        device, other = self.member(), self.member()
        name = self.made(observation(device.participant, 50))
        client = SealedClient(self.server, self.study, device=device)
        # It names somebody else: it may be their own, clumsily said.
        unclear = withdrawal(other.participant, other.contract)
        self.assertEqual(client.outcome(client.send(unclear))[0], "held")
        for answer in self.nothing_is_stored_by(*self.about(device.participant, name)):
            self.refused(answer, 403, "consent-suspended")
        tributary("participant", "resume", self.study.dir, device.participant)
        self.made(observation(device.participant, 51))

    def test_consent_is_not_written_here(self):
        device = self.member()
        contract = self.ask("GET", f"Contract/{device.contract}").json
        for answer in self.nothing_is_stored_by(
                ("DELETE", f"Contract/{device.contract}"), ("PUT", f"Contract/{device.contract}", {**contract, "language": "de"}),
                ("POST", "Consent", {**withdrawal(device.participant, device.contract), "policyRule": {"text": "x"}})):
            self.refused(answer, 403, "consent-not-written-here")
        self.made(observation(device.participant, 54))

    def test_who_was_deleted_is_not_written_about(self):
        device = self.member()
        tributary("participant", "delete", self.study.dir, device.participant, "--reason", "as asked", "--yes")
        for answer in self.nothing_is_stored_by(("POST", "Observation", observation(device.participant, 55)),
                                                ("PUT", f"Patient/{device.participant}",
                                                 {"resourceType": "Patient", "id": device.participant})):
            self.refused(answer, 403, "participant-deleted")

    def test_nothing_of_what_is_written_is_in_the_log_or_in_a_refusal(self):
        words = ["Quillfeather", "Ottoline", "Wendelgard", "Zephyrine", "Ermintraud", "Radegunde", "Brunhilde", "76543.25"]
        family, given, text, value, searched, patched, identifier, number = words
        name = self.made({**plain(76543.25, **identified(identifier)), "code": {"text": text}, "valueQuantity": {
            "value": 76543.25, "unit": "1", "system": "http://unitsofmeasure.org", "code": "1"}})
        path = f"Observation/{name}"
        person = {"resourceType": "Patient", "name": [{"family": family, "given": [given]}]}
        requests = [
            ("POST", "Patient", person), ("POST", "Patient", {**person, "gender": value}),
            ("POST", "Observation", {**plain(), "status": value}), ("POST", "Observation", {**plain(), value: value}),
            ("POST", "Observation", {**plain(), "effectiveDateTime": value}),
            ("POST", "Observation", json.dumps(plain(unit=text)).encode()[:-3] + text.encode()),
            ("PUT", path + "?x=" + searched, {**plain(), "id": value}), ("PUT", f"Observation/{value}_x", plain(id=value + "_x")),
            # A refusal names an unknown parameter, and never its value.
            ("PUT", "Observation?unknown-parameter=" + searched, plain()), ("DELETE", "Observation?identifier=a|" + searched),
            ("GET", "Observation?" + searched + "=1"), ("DELETE", f"{searched}/{searched}"),
            ("PATCH", path, [{"op": "test", "path": "/status", "value": patched}], None, JSON_PATCH),
            ("PATCH", path, [{"op": "add", "path": "/" + patched, "value": patched}], None, JSON_PATCH),
            ("PATCH", path, {"status": patched}, None, MERGE_PATCH), ("PATCH", path, patched.encode(), None, JSON_PATCH),
            ("PATCH", path, replacing("Observation." + patched, "valueString", patched)),
            ("PATCH", path, replacing("Observation.status", "valueCode", patched)),
            ("PATCH", path, {"note": [{"text": patched}]}, None, MERGE_PATCH),
            ("POST", "", bundle("transaction", entry("POST", "Patient", person, "urn:uuid:" + given))),
            ("POST", "", bundle(value)), ("POST", "", bundle("batch", entry("PUT", f"Observation/{value}", plain(id=text)))),
            ("POST", "", bundle("transaction", entry("POST", "Observation", {
                **plain(), "subject": {"reference": f"Patient?identifier={searched}"}}))),
            ("POST", "", bundle("transaction", entry("PATCH", path, {
                "resourceType": "Binary", "contentType": "application/json-patch+json",
                "data": base64.b64encode(patched.encode()).decode()}))), ("DELETE", path)]
        refusals = 0
        for request in requests:
            answer = self.ask(*request, If_None_Exist="identifier=" + searched) if request[0] == "POST" else self.ask(*request)
            self.assertLess(answer.status, 500, request)
            if answer.status >= 400:
                refusals += 1
                for word in words:
                    self.assertNotIn(word, answer.body.decode(), f"{request} {answer}")
        self.assertGreater(refusals, 15)
        log = self.server.log
        self.assertIn("route=/fhir/{type}/{id}", log)
        for word in [*words, name, self.writer, "8867-4", "Observation?"]:
            self.assertNotIn(word.lower(), log.lower(), word)


if __name__ == "__main__":
    unittest.main()
