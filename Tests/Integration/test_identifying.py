"""What tells who a person is: cleaned on the device, quarantined, reduced or taken where it arrives, whichever way it comes."""

import base64
import json
import struct
import unittest
import zlib

from c3pro import C3PROClient, dstu2_contract, dstu2_patient
from forms import VISIT, new_id, response
from harness import SpineTest, tributary
from sealed import SealedClient, published_keys
from stored_contents import clear

SECRET = "Quillfeather"
FORM = {"resourceType": "Questionnaire", "id": "report", "url": "https://example.org/forms/report", "version": "1",
        "status": "active", "item": [
            {"linkId": "photo", "type": "attachment"},
            {"linkId": "letter", "type": "attachment",
             "extension": [{"url": "urn:tributary:attachment-as-is", "valueBoolean": True}]}]}
PDF = b"%PDF-1.7 " + SECRET.encode()


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(*chunks, behind=b"", size=(4, 4)):
    width, height = size
    rows = zlib.compress((b"\0" + b"\x80" * 12) * 4)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + b"".join(chunks)
            + chunk(b"IDAT", rows) + chunk(b"IEND", b"") + behind)


DIRTY = png(chunk(b"tEXt", b"Author\0" + SECRET.encode()), chunk(b"gAMA", struct.pack(">I", 45455)), behind=b"motion")
CLEAN = png(chunk(b"gAMA", struct.pack(">I", 45455)))


def attachment(content, **more):
    """FHIR wants a type beside data."""
    kind = "application/pdf" if content == PDF else "image/png"
    return {"contentType": kind, "data": base64.b64encode(content).decode(), **more}


def answered(participant, link, value):
    return {**response(participant), "questionnaire": FORM["url"] + "|1",
            "item": [{"linkId": link, "answer": [{"valueAttachment": value}]}]}


def identified(participant):
    return {"resourceType": "Patient", "id": participant, "gender": "female", "birthDate": "1971-08-09",
            "name": [{"family": SECRET}], "telecom": [{"system": "email", "value": "q@example.org"}],
            "address": [{"line": ["1 Main Street"], "city": "Boston", "state": "MA", "postalCode": "02139", "country": "US"}],
            "identifier": [{"system": "http://example.org/x", "value": "078-05-1120"}]}


class Identifying(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(FORM)
        cls.study.publish(VISIT)

    def contents(self, kind, participant):
        return [row[0] for row in self.study.sql(
            "SELECT v.content FROM record r JOIN record_history v USING (type, id, version)"
            " WHERE r.type = ? AND r.subject = ?", kind, participant)]

    def detail(self, sid):
        return tributary("queue", "show", self.study.dir, sid, "--json").json["submissions"][0]["detail"]

    def nowhere(self, *words):
        """No file of the study holds a word in clear."""
        for file in self.study.dir.rglob("*"):
            if file.is_file():
                data = clear(file.read_bytes())
                for word in words:
                    self.assertNotIn(word.encode(), data, str(file.relative_to(self.study.dir)))


class Quarantined(Identifying):
    def test_a_photo_is_clean_before_it_leaves_the_device(self):
        device = self.member()
        device.answer(FORM, {"photo": {"valueAttachment": attachment(
            DIRTY, contentType="image/jpeg", title=f"{SECRET}.jpg", size=len(DIRTY), url=f"file:///{SECRET}.jpg")}})
        # What is sealed, before any server has seen it.
        sealed = device.queued()[-1].read_bytes()
        opened = tributary("envelope", "open", "--keys", self.study.dir / "keys", "-", stdin=sealed).out
        value = json.loads(opened)["item"][0]["answer"][0]["valueAttachment"]
        self.assertEqual(value, attachment(CLEAN, size=len(CLEAN)))
        self.assertEqual(base64.b64decode(value["data"]), CLEAN)
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        self.nowhere(SECRET)

    def test_what_cannot_be_cleaned_does_not_leave_it(self):
        device = self.member()
        before = device.queued()
        bomb = png(size=(100_000, 100_000))
        for content, code in [(PDF, "attachment-not-cleanable"), (b"\0\0\0\x18ftypheic" + b"\0" * 20, "attachment-not-cleanable"),
                              (DIRTY[:60], "attachment-damaged"), (bomb, "attachment-too-large")]:
            done = device.answer(FORM, {"photo": {"valueAttachment": attachment(content)}}, status=1)
            self.assertIn(code, done.errors)
            self.assertNotIn(SECRET, done.errors)
        self.assertEqual(device.queued(), before)
        # Where the form says so, it does, without its name.
        device.answer(FORM, {"letter": {"valueAttachment": attachment(PDF, title=SECRET)}})
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        value = json.loads(self.contents("QuestionnaireResponse", device.participant)[0])["item"][0]["answer"][0]
        self.assertEqual(value["valueAttachment"], attachment(PDF))

    def test_who_says_who_they_are_is_quarantined_by_the_elements_alone(self):
        device = self.member()
        client, person = SealedClient(self.server, self.study, device=device), device.participant
        before = self.contents("Patient", person)
        cases = [
            (identified(person), ["Patient.name", "Patient.telecom", "Patient.identifier", "Patient.birthDate",
                                  "Patient.address.line", "Patient.address.city", "Patient.address.postalCode"]),
            ({"resourceType": "Patient", "id": person, "birthDate": "1911"}, ["Patient.birthDate"]),
            (answered(person, "photo", attachment(DIRTY)), ["valueAttachment.data"]),
            (answered(person, "photo", attachment(CLEAN, title=SECRET)), ["valueAttachment.title"]),
            (answered(person, "photo", attachment(PDF)), ["valueAttachment.data (attachment-not-cleanable)"]),
            ({**response(person), "contained": [{"resourceType": "Patient", "id": "x", "name": [{"text": SECRET}]}],
              "source": {"reference": "#x"}}, ["QuestionnaireResponse.contained[0].name"]),
            ({**response(person), "subject": {"reference": f"Patient/{person}", "display": SECRET}},
             ["QuestionnaireResponse.subject.display"]),
        ]
        for resource, places in cases:
            sent = client.send(resource)
            self.assertEqual(client.outcome(sent), ("held", "identifying-data"), places)
            detail = self.detail(sent)
            for place in places:
                self.assertIn(place, detail)
            for value in (SECRET, "1971", "1911", "Boston", "02139", "078", "example.org"):
                self.assertNotIn(value, detail)
        self.assertEqual(self.contents("Patient", person), before)
        self.assertEqual(self.contents("QuestionnaireResponse", person), [])
        self.nowhere(SECRET)
        # Clean, or where the form takes it, it is stored.
        for resource in (answered(person, "photo", attachment(CLEAN)), answered(person, "letter", attachment(PDF))):
            self.assertEqual(client.outcome(client.send(resource)), ("stored", None))

    def test_a_patient_as_c3_pro_sends_it_is_taken(self):
        client = C3PROClient(self.server, self.study, published_keys(self.study, "crt"))
        person = new_id()
        self.assertEqual(client.send(dstu2_contract(person)).status, 200)
        self.assertEqual(client.send(dstu2_patient(person)).status, 200)
        self.study.settled()
        self.assertEqual(len(self.contents("Patient", person)), 1)


class Reduced(Identifying):
    @staticmethod
    def change(study):
        study["identifyingData"] = "reduce"
        study["acceptPlainFHIR"] = True

    def reduced(self, person):
        content = self.contents("Patient", person)[0]
        patient = json.loads(content)
        self.assertEqual(patient["birthDate"], "1971")
        self.assertEqual(patient["address"], [{"state": "MA", "postalCode": "021", "country": "US"}])
        self.assertFalse({"name", "telecom", "identifier"} & set(patient))
        self.assertIn("REDACTED", [label["code"] for label in patient["meta"]["security"]])
        self.nowhere(SECRET, "1 Main Street", "078-05-1120", "1971-08-09")

    def test_it_is_reduced_before_it_is_stored_and_says_so(self):
        device = self.member()
        client, person = SealedClient(self.server, self.study, device=device), device.participant
        self.assertEqual(client.outcome(client.send(identified(person))), ("stored", None))
        self.reduced(person)
        self.assertEqual(client.outcome(client.send(answered(person, "photo", attachment(DIRTY, title=SECRET)))),
                         ("stored", None))
        value = json.loads(self.contents("QuestionnaireResponse", person)[0])["item"][0]["answer"][0]["valueAttachment"]
        self.assertEqual((set(value), base64.b64decode(value["data"])), ({"contentType", "data"}, CLEAN))
        self.assertEqual(client.outcome(client.send(answered(person, "photo", attachment(PDF)))),
                         ("held", "identifying-data"), "what cannot be reduced waits for the team")
        self.nowhere(SECRET)

    def test_the_same_of_plain_fhir_and_of_an_older_version(self):
        client, person = C3PROClient(self.server, self.study, published_keys(self.study, "crt")), new_id()
        self.assertEqual(client.send(dstu2_contract(person)).status, 200)
        patient = identified(person)
        patient["name"] = [{"family": [SECRET]}]
        answer = client.raw("PUT", f"/c3pro/fhir/Patient/{person}", json.dumps(patient).encode())
        self.assertEqual(answer.status, 200, answer)
        self.study.settled()
        self.reduced(person)
        self.assertEqual(self.study.number("SELECT count(*) FROM record_history WHERE type = 'Patient' AND id = ?"
                                           " AND original IS NOT NULL", person), 0)


class IdentifiedRecords(Identifying):
    @staticmethod
    def change(study):
        study["identifiedRecords"] = True

    def test_a_study_of_identified_records_takes_it_as_it_comes(self):
        device = self.member()
        client, person = SealedClient(self.server, self.study, device=device), device.participant
        patient = identified(person)
        self.assertEqual(client.outcome(client.send(patient)), ("stored", None))
        self.assertEqual([json.loads(content) for content in self.contents("Patient", person)], [patient])
        row = self.study.sql("SELECT p.zip_cd, p.birth_date FROM patient_dimension p JOIN patient_mapping m"
                             " ON m.patient_num = p.patient_num WHERE m.patient_ide = ?", person)
        self.assertEqual((row[0][0], row[0][1][:10]), ("021", "1971-01-01"), "what is counted by is coarse all the same")


if __name__ == "__main__":
    unittest.main()
