"""The main job, whole: join, consent, answer, export, send, open, gate, record, load, tell; withdraw at the end."""

import json
import unittest

from forms import VISIT, visit
from harness import EXAMPLES, SpineTest, contract_file, http, tributary, until
from sealed import SealedClient

STUDY = EXAMPLES / "study"


class TwoParticipants(SpineTest):
    def test_forms_and_health_export_of_two_participants(self):
        server, study = self.server, self.study
        first, second = study.device(server), study.device(server)
        sids = {first: [], second: []}
        for number, device in enumerate((first, second), 1):
            answers = STUDY / "answers" / f"consent-{number}.json"
            sids[device] += device.consent(name=f"Participant {number}", answers=answers).json["submissions"]
            forms = 0
            for form in sorted((STUDY / "questionnaires").glob("*.json")):
                for answers in sorted((STUDY / "answers").glob(f"{form.stem}-*.json")):
                    sids[device] += device.answer(form, answers).json["submissions"]
                    forms += 1
            self.assertGreaterEqual(forms, 2)
        export = EXAMPLES / "apple-health" / "export.zip"
        health = first.health(export).json
        sids[first] += health["submissions"]
        account = health["account"]
        self.assertGreaterEqual(account["read"], 20_000)
        self.assertEqual(account["read"], account["converted"] + total(account["skipped"]))
        self.assertGreater(health["queued"], 1000)
        # The way of the sealed bytes: nothing is readable on the device's disk or in the queue.
        for device in (first, second):
            for file in device.queued():
                self.assertNotIn(b"resourceType", file.read_bytes(), file.name)
                self.assertNotIn(device.participant.encode(), file.read_bytes(), file.name)
        for device in (first, second):
            sent = device.send().json
            self.assertEqual((sent["sent"], sent["refused"], sent["remaining"]), (len(sids[device]), 0, 0))
            deliveries = device.settled(300)
            self.assertEqual(set(deliveries), set(sids[device]))
            for row in deliveries.values():
                self.assertEqual(row["status"], "stored", row)
        # What is in FHIR.
        self.assertEqual(study.number("SELECT count(*) FROM record WHERE type = 'Contract' AND subject IS NOT NULL"), 2)
        self.assertEqual(study.number("SELECT count(*) FROM record WHERE type = 'Patient'"), 2)
        self.assertEqual(study.number("SELECT count(*) FROM record WHERE type = 'Observation'"), health["queued"])
        self.assertEqual(study.number("SELECT count(*) FROM record_history"), study.number("SELECT count(*) FROM record"))
        # What is in i2b2: every observation that was recorded left a fact, and no fact stands there twice.
        self.assertGreaterEqual(study.number("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'"),
                                health["queued"])
        twice = study.sql("SELECT encounter_num, patient_num, concept_cd, provider_id, start_date, modifier_cd, "
                          "instance_num, count(*) FROM observation_fact GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING count(*) > 1")
        self.assertEqual(twice, [])
        self.assertEqual(study.number("SELECT count(*) FROM observation_fact f WHERE modifier_cd = '@' AND NOT EXISTS "
                                      "(SELECT 1 FROM concept_dimension c WHERE c.concept_cd = f.concept_cd)"), 0)
        # The same export again adds nothing.
        self.assertEqual(first.health(export).json["queued"], 0)
        # What the study team sees.
        status = tributary("study", "status", study.dir, "--json").json
        people = {row["participant"]: row for row in status["participants"]}
        self.assertEqual(set(people), {first.participant, second.participant})
        for row in people.values():
            self.assertEqual(row["consent"], "consented")
            self.assertTrue(row["lastSeen"])
            self.assertGreaterEqual(total(row["forms"]), 2)
        self.assertEqual(total(people[first.participant]["streams"]), health["queued"])
        self.assertEqual(total(people[second.participant]["streams"]), 0)
        self.assertIn(first.participant, tributary("study", "status", study.dir).text)
        self.assertEqual(study.queue_status(), {"depth": 0, "oldestAge": None, "held": 0, "quarantined": 0})

    def test_who_is_not_eligible_queues_nothing(self):
        device = self.study.device(self.server)
        answers = json.loads((STUDY / "answers" / "consent-1.json").read_text())
        criterion = next(iter(answers["eligibility"]))
        answers["eligibility"][criterion] = not answers["eligibility"][criterion]
        done = device.consent(answers=answers, status=1)
        self.assertIn("eligible", done.text + done.errors)
        self.assertEqual(device.queued(), [])
        self.assertNotIn("participant.json", [file.name for file in device.store.iterdir()])
        del answers["eligibility"][criterion]
        device.consent(answers=answers, status=1)
        self.assertEqual(device.queued(), [])

    def test_nothing_is_queued_before_the_consent(self):
        device = self.study.device(self.server)
        self.assertIn("consent-required", device.answer(VISIT, visit(), status=1).errors)
        self.assertIn("consent-required", device.withdraw(status=1).errors)
        self.assertEqual(device.queued(), [])

    def test_the_signed_document_stays_on_the_device(self):
        device = self.study.device(self.server)
        png = bytes.fromhex(
            "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001"
            "f61738550000000049454e44ae426082")
        device.consent(name="Lavinia Quillfeather", signature=device.write(png, ".png"))
        documents = [file for file in device.store.rglob("*.pdf")]
        self.assertEqual(len(documents), 1)
        self.assertTrue(documents[0].read_bytes().startswith(b"%PDF-"))
        device.send()
        device.settled()
        self.assertEqual(self.study.number("SELECT count(*) FROM record_history WHERE instr(plain(content), 'Quillfeather') > 0"
                                           " OR instr(plain(content), 'PDF') > 0"), 0)

    def test_the_patient_is_pseudonymous(self):
        device = self.study.device(self.server)
        answers = json.loads((STUDY / "answers" / "consent-1.json").read_text())
        cases = [("1990-02-02", "female", "02139", "MA", "US", "1990", "021"),
                 ("1891-02-02", "male", "03601", "NH", "US", None, "000")]
        for birth, gender, code, state, country, year, prefix in cases:
            device = self.study.device(self.server)
            device.consent(answers={**answers, "birthDate": birth, "gender": gender, "postalCode": code, "state": state,
                                    "country": country})
            device.send()
            device.settled()
            content = self.study.sql("SELECT content FROM record_history WHERE type = 'Patient' AND id = ?",
                                     device.participant)[0][0]
            patient = json.loads(content)
            self.assertEqual(patient["gender"], gender)
            if year:
                self.assertEqual(patient["birthDate"], year)
            else:
                self.assertNotIn(birth[:4], content.decode())
            self.assertEqual(patient["address"][0]["postalCode"], prefix)
            self.assertEqual(patient["address"][0]["state"], state)
            self.assertNotIn("name", patient)
            self.assertNotIn(code.encode(), content)
            row = self.study.sql("SELECT p.sex_cd, p.zip_cd, p.age_in_years_num FROM patient_dimension p JOIN patient_mapping m"
                                 " ON m.patient_num = p.patient_num WHERE m.patient_ide = ?", device.participant)
            self.assertEqual(len(row), 1, "one row in patient_dimension")
            self.assertEqual(row[0][0], {"female": "F", "male": "M"}[gender])
            self.assertEqual(row[0][1], prefix)
            if not year:
                self.assertEqual(row[0][2], 90)

    def test_the_forms_are_published_verbatim(self):
        """To devices; the study team reads them among the records."""
        device, staff = self.study.device(self.server), self.study.staff_token()
        for form in sorted((self.study.dir / "questionnaires").glob("*.json")):
            name = json.loads(form.read_text())["id"]
            asked = lambda token: http(  # noqa: E731
                "GET", f"{self.server.url}/fhir/Questionnaire/{name}", {"Authorization": "Bearer " + token})
            answer = asked(device.bearer(self.server))
            self.assertEqual((answer.status, answer.body), (200, form.read_bytes()))
            record = until(lambda: asked(staff).status == 200 and asked(staff).json, "the form among the records")
            published = json.loads(form.read_text())
            self.assertEqual({**record, "meta": None}, {**published, "meta": None})
            self.assertEqual(http("GET", f"{self.server.url}/fhir/Questionnaire/{name}").status, 401)


class Facts(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def test_every_answer_of_a_form_is_a_fact(self):
        device = self.member()
        device.answer(VISIT, visit())
        device.send()
        device.settled()
        patient = self.study.number("SELECT patient_num FROM patient_mapping WHERE patient_ide = ?", device.participant)
        facts = {}
        for code, kind, text, number, units, start in self.study.sql(
                "SELECT concept_cd, valtype_cd, tval_char, nval_num, units_cd, start_date FROM observation_fact "
                "WHERE patient_num = ? AND modifier_cd = '@'", patient):
            facts.setdefault(code, []).append((kind, text, number, start))
        # The pulse that a person states is not the one that a sensor measures, though both have one code.
        self.assertNotIn("LOINC:8867-4", facts)
        self.assertEqual([code.split(":")[0] for code, rows in facts.items() if rows[0][:3] == ("N", "E", 71.5)], ["SURVEY"])
        self.assertIn("RXNORM:1484911", facts)
        self.assertIn("RXNORM:861007", facts)
        self.assertNotIn("RXNORM:197361", facts)
        rows = [row for rows in facts.values() for row in rows]
        self.assertEqual(len([row for row in rows if row[2] == 3 and row[0] == "N"]), 1, "cups")
        self.assertEqual(len([row for row in rows if row[1] == "noise" and row[0] == "T"]), 1, "why")
        self.assertTrue(any("2026-03-04" in str(row[1]) for row in rows), "day")
        for code in facts:
            self.assertLessEqual(len(code), 50)
        concepts = {row["code"]: row for row in tributary("warehouse", "ontology", self.study.dir, "--json").json}
        for code in facts:
            self.assertIn(code, concepts)
            self.assertNotIn("_", concepts[code]["path"])
        # Below the question stands the chosen option, so that a query by the question's path finds it.
        path = concepts["RXNORM:1484911"]["path"]
        parent = path.rstrip("\\").rsplit("\\", 1)[0] + "\\"
        for asked in (path, parent):
            count = tributary("warehouse", "count", self.study.dir, "--path", asked, "--json").json
            self.assertEqual(count["patients"], 1)
            self.assertGreater(count["facts"], 0)


class Withdrawal(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def test_after_the_withdrawal_data_are_refused_and_what_was_given_stays(self):
        device, other = self.member(), self.member()
        before = device.answer(VISIT, visit()).json["submissions"]
        taken_back = device.withdraw().json["submissions"]
        after = device.answer(VISIT, visit(cups=9), status=None)
        device.send(status=None)
        deliveries = device.settled()
        self.assertEqual({deliveries[sid]["status"] for sid in before + taken_back}, {"stored"})
        self.assertEqual(after.status, 0, after)
        for sid in after.json["submissions"]:
            self.assertEqual((deliveries[sid]["status"], deliveries[sid].get("reason")), ("refused", "consent-withdrawn"))
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'QuestionnaireResponse' AND subject = ?",
                                           device.participant), 1)
        status = {row["participant"]: row["consent"]
                  for row in tributary("study", "status", self.study.dir, "--json").json["participants"]}
        self.assertEqual(status[device.participant], "withdrawn")
        self.assertEqual(status[other.participant], "consented")
        other.answer(VISIT, visit())
        other.send()
        self.assertEqual({row["status"] for row in other.settled().values()}, {"stored"})

    def test_a_second_client_cannot_write_for_or_withdraw_the_first_ones_participant(self):
        from forms import new_id, observation, response, withdrawal
        victim, other = self.member(), self.member()
        signed = json.loads(self.study.sql("SELECT content FROM record_history WHERE type = 'Contract' AND id = ?",
                                           victim.contract)[0][0])
        versions = "SELECT count(*) FROM record_history"
        before = self.study.number(versions)
        forged = [observation(victim.participant), response(victim.participant),
                  withdrawal(victim.participant, victim.contract), {**signed, "id": new_id()}, signed,
                  {"resourceType": "Patient", "id": victim.participant, "gender": "male"}]
        # A client bound to another participant, and one that is bound to none.
        for client in (SealedClient(self.server, self.study, device=other), SealedClient(self.server, self.study)):
            for resource in forged:
                with self.subTest(resource["resourceType"]):
                    status, reason = client.outcome(client.send(resource))
                    self.assertEqual(status, "held")
                    self.assertIn(reason, ("needs-attention", "consent-required", "consent-suspended"))
        # The other's own resource under an id that belongs to the victim.
        client = SealedClient(self.server, self.study, device=other)
        stolen = observation(other.participant, id=victim.contract)
        status, _ = client.outcome(client.send(
            json.dumps(signed).replace(victim.participant, other.participant).encode()))
        self.assertEqual(status, "held")
        # Two participants in one envelope.
        status, _ = client.outcome(client.send(observation(other.participant), observation(victim.participant)))
        self.assertEqual(status, "held")
        self.assertEqual(self.study.number(versions), before)
        # The withdrawal that the other sent was not the victim's: it may have been the other's own, clumsily said.
        self.assertEqual(client.outcome(client.send(observation(other.participant))), ("held", "consent-suspended"))
        tributary("participant", "resume", self.study.dir, other.participant)
        status, _ = client.outcome(client.send(stolen))
        self.assertEqual(status, "stored", "an Observation may bear the id of a Contract")
        # The victim goes on as if nothing had been.
        victim.answer(VISIT, visit())
        victim.send()
        self.assertEqual({row["status"] for row in victim.settled().values()}, {"stored"})

    def test_the_same_receipt_again_replaces_the_client_and_keeps_the_binding(self):
        device = self.member()
        before = device.enrolment["clientID"]
        old = device.bearer(self.server)
        device.enrol(self.server)
        self.assertNotEqual(device.enrolment["clientID"], before)
        answer = http("GET", self.server.url + "/deliveries", {"Authorization": "Bearer " + old})
        self.assertEqual(answer.status, 401)
        device.answer(VISIT, visit())
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})


def total(value):
    """The sum of all numbers in a nested account."""
    if isinstance(value, dict):
        return sum(total(part) for part in value.values())
    if isinstance(value, list):
        return sum(total(part) for part in value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


if __name__ == "__main__":
    unittest.main()
