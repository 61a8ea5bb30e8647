"""C3-PRO's apps as they are in the field: four-item envelopes sealed by openssl, FHIR DSTU2, over HTTP."""

import base64
import hashlib
import json
import unittest

import c3pro
from c3pro import SLEEP, C3PROClient, dstu2_activity, dstu2_contract, dstu2_patient, dstu2_response
from forms import new_id
from harness import SpineTest, http, tributary, until
from sealed import published_keys


class AppOfTheField(SpineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.study.publish(SLEEP)
        cls.certificate = published_keys(cls.study, "crt")

    def client(self, prefix="/c3pro"):
        return C3PROClient(self.server, self.study, self.certificate, prefix)

    def statuses(self, client, count):
        found = []

        def handled():
            found[:] = client.deliveries()
            return len(found) == count and all(row["status"] != "received" for row in found)

        until(handled, f"{count} submissions are handled: {found}")
        return sorted(row["status"] for row in found)

    def accept(self, answer):
        self.assertEqual((answer.status, answer.body), (200, b""))

    def test_the_published_vector(self):
        key = b"why-is-this-here"
        message = c3pro.openssl("enc", "-aes-128-cbc", "-K", key.hex(), "-iv", c3pro.ZERO_IV, stdin=b"Let's encrypt!")
        self.assertEqual(base64.b64encode(message), b"Iy8Mbj2ye1fI0yUWvyzwWw==")
        sealed = c3pro.seal(b"Let's encrypt!", self.certificate, key=key)
        self.assertEqual(json.loads(sealed)["message"], "Iy8Mbj2ye1fI0yUWvyzwWw==")
        opened = tributary("envelope", "open", "--keys", self.study.dir / "keys", "-", stdin=sealed)
        self.assertEqual(opened.out, b"Let's encrypt!")

    def test_data_before_the_contract_are_held_and_then_stored(self):
        for signer in ("object", "array"):
            with self.subTest(signer):
                client, person = self.client(), new_id().upper()
                self.accept(client.send(dstu2_response(person)))
                self.assertEqual(self.statuses(client, 1), ["held"])
                self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE subject = ?", person), 0)
                self.accept(client.send(dstu2_contract(person, signer)))
                self.assertEqual(self.statuses(client, 2), ["stored", "stored"])
                content = json.loads(self.study.sql(
                    "SELECT v.content FROM record r JOIN record_history v USING (type, id, version) "
                    "WHERE r.type = 'QuestionnaireResponse' AND r.subject = ?", person)[0][0])
                self.assertEqual(content["subject"]["reference"], f"Patient/{person}")
                self.assertNotIn("group", content)
                original, version = self.study.sql(
                    "SELECT v.original, v.original_fhir_version FROM record r JOIN record_history v USING (type, id, version)"
                    " WHERE r.type = 'QuestionnaireResponse' AND r.subject = ?", person)[0]
                self.assertEqual(json.loads(original), dstu2_response(person), "the original is kept")
                self.assertTrue(version.startswith("1.0") or version.lower() == "dstu2", version)
                facts = self.study.sql(
                    "SELECT nval_num FROM observation_fact WHERE valtype_cd = 'N' AND modifier_cd = '@' AND patient_num = "
                    "(SELECT patient_num FROM patient_mapping WHERE patient_ide = ?)", person)
                self.assertIn((7.25,), facts)

    def test_every_path_and_method_and_what_the_envelope_says(self):
        client, person = self.client(""), new_id()
        self.accept(client.send(dstu2_contract(person)))
        sent = 1
        for prefix in ("", "/c3pro"):
            client.prefix = prefix
            for path in ("/encfhir", "/fhirenc"):
                for method in ("POST", "PUT"):
                    for place in ("", "/QuestionnaireResponse", f"/QuestionnaireResponse/{new_id()}"):
                        body = json.dumps(dstu2_response(person, [("n", "integer", sent)])).encode()
                        self.accept(client.raw(method, prefix + path + place, c3pro.seal(body, self.certificate)))
                        sent += 1
        for sealing in [{"key_id": "no-such-key"}, {"key_id": "../../etc/passwd"}, {"version": "dstu2-1.0.2"},
                        {"version": "1.4.0"}, {"version": "0.9.0"}, {"version": ""}, {"line_breaks": True},
                        {"key_bytes": 16}]:
            self.accept(client.send(dstu2_response(person, [("n", "integer", sent)]), **sealing))
            sent += 1
        self.assertEqual(self.statuses(client, sent), ["stored"] * sent)

    def test_patient_observation_activity_and_the_older_name(self):
        client, person = self.client(), new_id()
        self.accept(client.send(dstu2_contract(person)))
        self.accept(client.send(dstu2_patient(person)))
        height = {"resourceType": "Observation", "status": "final", "subject": {"reference": f"Patient/{person}"},
                  "code": {"coding": [{"system": "http://loinc.org", "code": "8302-2"}]},
                  "valueQuantity": {"value": 171.5, "unit": "cm"}}
        self.accept(client.send(height))
        self.accept(client.send(dstu2_activity(person)))
        self.accept(client.send(dstu2_response(person, type_name="QuestionnaireAnswers")))
        self.assertEqual(self.statuses(client, 5), ["stored"] * 5)
        facts = dict(self.study.sql(
            "SELECT concept_cd, start_date FROM observation_fact WHERE modifier_cd = '@' AND patient_num = "
            "(SELECT patient_num FROM patient_mapping WHERE patient_ide = ?)", person))
        self.assertIn("LOINC:8302-2", facts)
        walked = self.study.sql("SELECT nval_num, start_date FROM observation_fact WHERE nval_num = 42 AND modifier_cd = '@'")
        self.assertEqual(len(walked), 1)
        self.assertTrue(walked[0][1].startswith("2015-09-01") and "04:00:00" in walked[0][1],
                        f"the Encounter's period, as UTC: {walked}")
        sex = self.study.sql("SELECT sex_cd, zip_cd FROM patient_dimension WHERE patient_num = "
                             "(SELECT patient_num FROM patient_mapping WHERE patient_ide = ?)", person)
        self.assertEqual(sex, [("F", "021")])
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'QuestionnaireAnswers'"), 0)

    def test_the_same_message_twice_is_one_submission(self):
        client, person = self.client(), new_id()
        self.accept(client.send(dstu2_contract(person)))
        body = c3pro.seal(json.dumps(dstu2_response(person)).encode(), self.certificate)
        for _ in range(3):
            self.accept(client.raw("POST", "/c3pro/encfhir/QuestionnaireResponse", body))
        # The same message under another wrapping: what counts is the digest of `message`.
        other = json.loads(body)
        other["version"], other["key_id"] = "9.9.9", "elsewhere"
        self.accept(client.raw("PUT", "/c3pro/fhirenc/QuestionnaireResponse", json.dumps(other).encode()))
        self.assertEqual(self.statuses(client, 2), ["stored", "stored"])
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'QuestionnaireResponse' "
                                           "AND subject = ?", person), 1)

    def test_another_client_cannot_speak_for_the_person(self):
        client, thief, person = self.client(), self.client(), new_id()
        self.accept(client.send(dstu2_contract(person)))
        self.assertEqual(self.statuses(client, 1), ["stored"])
        self.accept(thief.send(dstu2_response(person)))
        self.accept(thief.send(dstu2_contract(person)))
        # What a stranger sends in another's name waits for the study team, and is never recorded.
        self.assertEqual(self.statuses(thief, 2), ["held", "held"])
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE subject = ?", person), 1)

    def test_anything_but_the_patient_in_clear_is_refused_with_a_clear_error(self):
        client, person = self.client(), new_id()
        for prefix in ("", "/c3pro"):
            body = json.dumps(dstu2_response(person)).encode()
            answer = client.raw("POST", f"{prefix}/fhir/QuestionnaireResponse", body)
            self.assertEqual(answer.status, 403)
            self.assertEqual(answer.code, "plain-fhir-not-accepted")
            self.assertEqual(answer.json["resourceType"], "OperationOutcome")

    def test_we_seal_what_the_original_consumer_opens(self):
        key = next(path for path in (self.study.dir / "keys").glob("*.private.pem")
                   if "RSA" in c3pro.openssl("pkey", "-in", path, "-text", "-noout").decode()
                   or "modulus" in c3pro.openssl("pkey", "-in", path, "-text", "-noout").decode())
        payload = json.dumps(dstu2_response("p")).encode()
        path = self.study.root / "payload.json"
        path.write_bytes(payload)
        keys = set()
        for form in ("crt", "pem", "der", "jwks"):
            sealed = tributary("envelope", "seal", "--c3pro", "--to", published_keys(self.study, form), path).out
            fields, used, opened = c3pro.open_sealed(sealed, key)
            self.assertEqual(set(fields), {"key_id", "symmetric_key", "message", "version"})
            self.assertEqual((len(used), opened), (32, payload))
            keys.add(used)
        self.assertEqual(len(keys), 4, "a fresh key for each message")

    def test_the_token_comes_from_form_or_query(self):
        client = self.client()
        pair = base64.b64encode(f"{client.client}:{client.secret}".encode()).decode()
        for prefix in ("", "/c3pro"):
            for path in ("/oauth", "/oauth/token"):
                for query, body in (("?grant_type=client_credentials", b""), ("", b"grant_type=client_credentials")):
                    answer = http("POST", self.server.url + prefix + path + query,
                                  {"Authorization": "Basic " + pair,
                                   "Content-Type": "application/x-www-form-urlencoded"}, body)
                    self.assertEqual(answer.status, 200, answer)
                    self.assertEqual(answer.headers["Cache-Control"], "no-store")
                    self.assertEqual(answer.json["token_type"].lower(), "bearer")
                    self.assertEqual(answer.json["expires_in"], 1800)
        digest = hashlib.sha256(client.secret.encode()).hexdigest()
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM client WHERE secret_digest = ?", client.secret), 0)
        self.assertLessEqual(self.study.queue_number("SELECT count(*) FROM client WHERE secret_digest = ?", digest), 1)


class PlainIsTaken(SpineTest):
    @staticmethod
    def change(study):
        study["acceptPlainFHIR"] = True

    def test_a_plain_resource_is_sealed_on_arrival(self):
        client, person = C3PROClient(self.server, self.study, published_keys(self.study, "crt")), new_id()
        self.assertEqual(client.send(dstu2_contract(person)).status, 200)
        answer = client.raw("PUT", f"/c3pro/fhir/Patient/{person}", json.dumps(dstu2_patient(person)).encode())
        self.assertEqual(answer.status, 200, answer)
        self.study.settled()
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Patient' AND id = ?", person), 1)


class NoC3PRO(SpineTest):
    @staticmethod
    def change(study):
        study["c3pro"] = False

    def test_where_the_study_does_not_want_it_no_contract_of_c3pro_counts(self):
        client, person = C3PROClient(self.server, self.study, published_keys(self.study, "crt")), new_id()
        answer = client.send(dstu2_contract(person))
        client.send(dstu2_response(person))
        if answer.status == 200:
            self.study.settled()
        else:
            self.assertEqual(answer.status, 422)
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE subject = ?", person), 0)


if __name__ == "__main__":
    unittest.main()
