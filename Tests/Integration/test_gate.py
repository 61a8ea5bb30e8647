"""What the gate decides: held, released, refused, and taken again after a new consent."""

import json
import unittest

from forms import VISIT, new_id, observation, response, visit, withdrawal
from harness import SpineTest, contract_file, tributary, until
from sealed import SealedClient


class Gate(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def signed(self, device):
        return self.study.sql("SELECT content FROM record_history WHERE type = 'Contract' AND id = ?", device.contract)[0][0]

    def test_sealed_data_before_the_contract_are_held_and_released_in_their_order(self):
        template = self.signed(self.member())
        client, person = SealedClient(self.server, self.study), new_id()
        fixed = new_id()
        early = [client.send(observation(person, value, id=fixed)) for value in (1, 2, 3)]
        early.append(client.send(response(person)))
        for sid in early:
            self.assertEqual(client.outcome(sid), ("held", "consent-required"))
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE subject = ?", person), 0)
        patient = self.study.sql("SELECT count(*) FROM patient_mapping WHERE patient_ide = ?", person)
        self.assertEqual(patient, [(0,)], "nothing is known of a person without a consent")
        self.assertGreaterEqual(self.study.queue_status()["held"], 4)
        old = json.loads(template)
        contract = json.loads(template.decode().replace(self.participant_of(old), person))
        contract["id"] = new_id()
        self.assertEqual(client.outcome(client.send(contract)), ("stored", None))
        for sid in early:
            until(lambda: client.deliveries()[sid]["status"] == "stored", "what was held is stored")
        values = [json.loads(row[0])["valueQuantity"]["value"] for row in self.study.sql(
            "SELECT content FROM record_history WHERE type = 'Observation' AND id = ? ORDER BY version", fixed)]
        self.assertEqual(values, [1, 2, 3])
        self.assertEqual(self.study.queue_status()["held"], 0)

    def participant_of(self, contract):
        for signer in contract["signer"]:
            reference = signer["party"]["reference"]
            if reference.startswith("Patient/"):
                return reference.removeprefix("Patient/")
        raise AssertionError("the Contract has no signer")

    def test_answers_that_their_form_does_not_take_are_no_facts_until_the_form_takes_them(self):
        device = self.member()
        client, person = SealedClient(self.server, self.study, device=device), device.participant
        form = {"resourceType": "Questionnaire", "id": "pain", "url": "https://example.org/forms/pain", "version": "1",
                "status": "active", "item": [{"linkId": "pain", "type": "integer", "extension": [
                    {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 100}]}]}
        answer = {**response(person), "questionnaire": form["url"], "item": [
            {"linkId": "pain", "answer": [{"valueInteger": 99999}]}]}
        records = lambda: self.study.number("SELECT count(*) FROM record WHERE subject = ?", person)  # noqa: E731
        facts = lambda: self.study.number("SELECT count(*) FROM observation_fact")  # noqa: E731
        before, counted = records(), facts()
        sent = client.send(answer)
        self.assertEqual(client.outcome(sent), ("held", "form-unknown"))
        self.study.publish(form)
        self.assertEqual(tributary("queue", "retry", self.study.dir, sent, "--json").json, {"retried": 1})
        until(lambda: client.deliveries()[sent].get("reason") == "answers-invalid", "the answer is checked")
        shown = tributary("queue", "show", self.study.dir, sent, "--json").json["submissions"][0]
        self.assertEqual((shown["status"], shown["reason"]), ("quarantined", "answers-invalid"))
        self.assertIn("max-value at pain", shown["detail"])
        self.assertNotIn("99999", shown["detail"])
        self.assertEqual((records(), facts()), (before, counted))
        # A newer version of the form takes it.
        newer = json.loads(json.dumps({**form, "id": "pain-2", "version": "2"}).replace("100", "100000"))
        self.study.publish(newer)
        tributary("queue", "retry", self.study.dir, sent)
        until(lambda: client.deliveries()[sent]["status"] == "stored", "the answer is stored")
        self.assertEqual(records(), before + 1)
        self.assertGreater(facts(), counted)

    def test_a_contract_of_no_template_of_this_study_opens_nothing(self):
        template = json.loads(self.signed(self.member()))
        person = new_id()
        text = json.dumps({**template, "id": new_id()}).replace(self.participant_of(template), person)
        shown = json.loads(text)
        canonical = shown.get("instantiatesCanonical", {}).get("reference") or shown.get("instantiatesUri")
        self.assertTrue(canonical, "the signed Contract names its template")
        for wrong in (canonical + "x", canonical.rsplit("|", 1)[0] + "|99.9", "https://other.example/consent|1"):
            client, other = SealedClient(self.server, self.study), new_id()
            contract = json.loads(text.replace(canonical, wrong).replace(person, other))
            contract["id"] = new_id()
            status, reason = client.outcome(client.send(contract))
            self.assertEqual((status, reason), ("held", "needs-attention"), wrong)
            self.assertEqual(client.outcome(client.send(observation(other)))[0], "held")
            self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE subject = ?", other), 0)
        for row in tributary("queue", "show", self.study.dir, "--json").json["submissions"]:
            if row["status"] in ("quarantined", "held"):
                tributary("queue", "discard", self.study.dir, row["submission"])

    def test_a_withdrawal_that_names_another_contract_or_status_withdraws_nothing(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        for consent in (withdrawal(device.participant, new_id()),
                        {**withdrawal(device.participant, device.contract), "status": "active"}):
            client.outcome(client.send(consent))
            self.assertEqual(client.outcome(client.send(observation(device.participant))), ("stored", None))
        self.assertEqual(client.outcome(client.send(withdrawal(device.participant, device.contract))), ("stored", None))
        self.assertEqual(client.outcome(client.send(observation(device.participant))), ("refused", "consent-withdrawn"))
        # It may come twice.
        self.assertEqual(client.outcome(client.send(withdrawal(device.participant, device.contract))), ("stored", None))

    def test_what_the_contract_does_not_name_is_refused_whatever_the_app(self):
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        person = {"reference": "Patient/" + device.participant}
        route = observation(device.participant, id=new_id())
        route["code"] = {"coding": [{"system": "http://developer.apple.com/documentation/healthkit", "code": "HKWorkoutRoute"}]}
        condition = {"resourceType": "Condition", "id": new_id(), "subject": person, "code": {"text": "Asthma"}}
        for resource in (route, condition):
            self.assertEqual(client.outcome(client.send(resource)), ("refused", "inclusion-not-in-consent"))
            self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE id = ?", resource["id"]), 0)
        named = json.loads(self.signed(device))
        named["id"] = new_id()
        for signer in named["signer"]:
            for signature in signer.get("signature", []):
                signature["when"] = "2999-01-01T00:00:00Z"  # The time of receipt counts then, which is the latest.
        names = [{"url": "urn:tributary:includes-health-data", "valueCode": name}
                 for name in ("routes", "clinical-records")]
        named["extension"] = [extension for extension in named.get("extension", [])
                              if extension["url"] != "urn:tributary:consent-digest"] + names
        # What no document of the study says is no consent, though its url and version are known.
        self.assertEqual(client.outcome(client.send({**named, "id": new_id()}))[0], "held")
        document = json.loads(contract_file().read_text())
        document["version"] += ".1"
        document["extension"] = document.get("extension", []) + names + [
            {"url": "urn:tributary:consent-change", "valueCode": "minor"}]
        (self.study.dir / "consent" / "routes.json").write_text(json.dumps(document))
        named["instantiatesUri"] = f"{document['url']}|{document['version']}"
        self.assertEqual(client.outcome(client.send(named)), ("stored", None))
        for resource in (route, condition):
            self.assertEqual(client.outcome(client.send(resource)), ("stored", None))

    def test_a_new_consent_after_the_withdrawal_opens_the_gate_again(self):
        device = self.member()
        first = device.participant
        device.withdraw()
        device.consent()
        sids = device.answer(VISIT, visit()).json["submissions"]
        device.send()
        deliveries = device.settled()
        self.assertEqual({deliveries[sid]["status"] for sid in sids}, {"stored"}, (first, device.participant, deliveries))


if __name__ == "__main__":
    unittest.main()
