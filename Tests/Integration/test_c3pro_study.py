"""A study of C3-PRO's moves over as it is: its files in the release of FHIR that each of its apps reads, what the apps ask
for, and what becomes of what they send."""

import json
import re
import shutil
import unittest

import c3pro_study
from c3pro import C3PROClient, dstu2_patient
from c3pro_study import ACCEPT, NUMBER, RELEASES, form, publish, response, signed
from forms import new_id
from harness import ANTISPAM, CONFORMANCE, SpineTest, Study, needs_conformance, tributary, until
from sealed import published_keys

FHIR = "application/fhir+json"


def statuses(client, count):
    """What became of all that the client sent."""
    found = []

    def handled():
        found[:] = client.deliveries()
        return len(found) == count and all(row["status"] != "received" for row in found)

    until(handled, "all submissions are handled")
    return sorted((row["status"], row.get("reason")) for row in found)


class App(C3PROClient):
    """The app of a release of FHIR: what it asks, it asks by that release's media type."""

    publishes_consent = False

    def __init__(self, server, study, certificate, release, prefix="/c3pro"):
        self.release = release
        super().__init__(server, study, certificate, prefix)

    @property
    def headers(self):
        return {**super().headers, "Accept": ACCEPT[self.release]}

    def get(self, path, accept=None):
        headers = {**self.headers, **({"Accept": accept} if accept else {})}
        return self.server.request("GET", path, headers)

    def submit(self, resource):
        return self.send(resource, version=NUMBER[self.release], method="POST")


class WhatTheAppsRead(SpineTest):
    @staticmethod
    def change(study):
        study["unsigned"] = False

    @classmethod
    def prepare(cls):
        for folder in ("consent", "questionnaires"):
            for file in (cls.study.dir / folder).glob("*.json"):
                file.unlink()
        cls.written = publish(cls.study)

    def app(self, release="stu3"):
        return App(self.server, self.study, published_keys(self.study, "crt"), release)

    def test_each_app_is_served_the_file_that_it_reads_byte_for_byte(self):
        app = self.app()
        for place in ("/fhir", "/c3pro/fhir"):
            for type_, name in (("Questionnaire", "journal"), ("ValueSet", "medicines"), ("Contract", "consent")):
                for release, accept in ACCEPT.items():
                    answer = app.get(f"{place}/{type_}/{name}", accept)
                    self.assertEqual((answer.status, answer.body), (200, self.written[release, type_]), (place, accept))
                    self.assertTrue(answer.headers["Vary"].startswith("Accept"))
                    number = {"dstu2": "1.0", "stu3": "3.0", "r4": "4.0"}[release]
                    media = "application/json+fhir" if release == "dstu2" else FHIR
                    self.assertEqual(answer.headers["Content-Type"], f"{media}; fhirVersion={number}")

    def test_who_names_no_release_reads_r4_and_below_c3pro_stu3(self):
        app = self.app()
        for accept, at_root, below in (
                (FHIR, "r4", "stu3"), ("*/*", "r4", "stu3"), (FHIR + "; charset=utf-8", "r4", "stu3"),
                ("application/json+fhir; charset=utf-8", "dstu2", "dstu2"), (FHIR + "; fhirVersion=3.0.1", "stu3", "stu3"),
                (FHIR + '; fhirVersion="1.0.2"', "dstu2", "dstu2"), (FHIR + "; fhirVersion=9.0", "r4", "stu3"),
                (FHIR + "; fhirVersion=3.0; q=0.5, " + FHIR + "; fhirVersion=4.0", "r4", "r4")):
            for place, release in (("/fhir", at_root), ("/c3pro/fhir", below)):
                answer = app.get(place + "/Questionnaire/journal", accept)
                self.assertEqual(answer.body, self.written[release, "Questionnaire"], (place, accept))

    def test_lists_are_in_the_release_that_is_asked_for(self):
        app = self.app()
        for release in RELEASES:
            for type_ in ("Questionnaire", "ValueSet", "Contract"):
                for place in ("/fhir", "/c3pro/fhir"):
                    bundle = app.get(f"{place}/{type_}", ACCEPT[release]).json
                    self.assertEqual((bundle["type"], bundle["total"]), ("searchset", 1))
                    entry, = bundle["entry"]
                    self.assertEqual(entry["resource"], json.loads(self.written[release, type_]))
                    self.assertEqual(entry["search"]["mode"], "match")
                    read = app.get(entry["fullUrl"].removeprefix(self.server.url), ACCEPT[release])
                    self.assertEqual(read.json, entry["resource"])
        for query, count in (("_id=journal", 1), ("_id=other", 0), ("title=jour", 1), ("version=1", 1), ("version=2", 0),
                             ("_id=journal,other&version=1", 1), ("_id=journal&version=2", 0), ("_count=0", 1)):
            self.assertEqual(app.get(f"/fhir/Questionnaire?{query}", ACCEPT["r4"]).json["total"], count, query)
        for query in ("_count=-1", "_count=x", "_count=1&_count=2", "_cursor=%ff"):
            answer = app.get(f"/c3pro/fhir/Questionnaire?{query}")
            self.assertEqual((answer.status, answer.code), (400, "query-invalid"), query)
            self.assertEqual(answer.json["resourceType"], "OperationOutcome")

    def test_what_is_published_is_for_devices_and_what_was_signed_for_the_staff(self):
        app, person, staff = self.app(), new_id(), {"Authorization": "Bearer " + self.study.staff_token()}
        self.assertEqual(app.submit(signed("stu3", person)).status, 200)
        self.assertEqual(statuses(app, 1), [("stored", None)])
        contract, = self.study.sql("SELECT id FROM record WHERE type = 'Contract' AND subject = ?", person)[0]
        self.assertEqual(self.server.request("GET", f"/fhir/Contract/{contract}", staff).status, 200)
        self.assertEqual(app.get(f"/fhir/Contract/{contract}").status, 404)
        self.assertEqual(app.get("/fhir/Contract").json["total"], 1)
        self.assertNotIn(person, app.get("/fhir/Contract").body.decode())
        self.assertEqual(self.server.request("GET", "/fhir/Contract/consent", staff).status, 404)
        for path in ("/fhir/Contract", "/fhir/Contract/consent", "/c3pro/fhir/Contract", "/c3pro/fhir/ValueSet"):
            self.assertEqual(self.server.request("GET", path).status, 401, path)

    def test_the_consent_gets_a_url_and_the_full_texts(self):
        bundle = self.server.request("GET", "/study/consent").json
        texts = [entry["resource"] for entry in bundle["entry"]]
        self.assertEqual({text["url"] for text in texts}, {"urn:tributary:consent:study:consent"})
        for text in texts:
            parts = {part["url"]: part["valueString"] for part in text["term"][0]["extension"][0]["extension"]}
            self.assertEqual(parts["htmlContent"], "<p>All that there is to say.</p>")
        app, person = self.app("dstu2"), new_id()
        app.submit(signed("dstu2", person))
        self.assertEqual(statuses(app, 1), [("stored", None)])
        state, = self.study.sql("SELECT state FROM participant_consent WHERE subject = ?", person)[0]
        self.assertIn("urn:tributary:consent:study:consent", str(state).replace("\\/", "/"))

    def test_the_patient_in_clear_is_taken_and_sealed(self):
        app, person = self.app("dstu2"), new_id()
        app.submit(signed("dstu2", person))
        patient = dstu2_patient(person)
        for prefix in ("", "/c3pro"):
            path = f"{prefix}/fhir/Patient/{person}"
            answer = app.raw("PUT", path, json.dumps(patient).encode())
            self.assertEqual((answer.status, answer.body), (200, b""))
            for wrong in ({**patient, "id": new_id()}, {key: value for key, value in patient.items() if key != "id"}):
                answer = app.raw("PUT", path, json.dumps(wrong).encode())
                self.assertEqual((answer.status, answer.code), (400, "id-mismatch"))
                self.assertEqual(answer.json["resourceType"], "OperationOutcome")
            answer = app.raw("POST", f"{prefix}/fhir/Patient", json.dumps(patient).encode())
            self.assertEqual((answer.status, answer.code), (403, "plain-fhir-not-accepted"))
            answer = app.raw("PUT", f"{prefix}/fhir/Observation/{person}", b"{}")
            self.assertEqual((answer.status, answer.code), (403, "plain-fhir-not-accepted"))
        self.assertEqual(statuses(app, 3), [("stored", None)] * 3)
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Patient' AND id = ?", person), 1)
        # Of another's Patient nothing is recorded.
        thief = self.app("dstu2")
        self.assertEqual(thief.raw("PUT", f"/c3pro/fhir/Patient/{person}", json.dumps(
            {**patient, "gender": "male"}).encode()).status, 200)
        self.assertNotEqual(statuses(thief, 1)[0][0], "stored")
        self.assertIn(b"female", self.study.sql(
            "SELECT v.content FROM record r JOIN record_history v USING (type, id, version) WHERE r.id = ?",
            person)[0][0])

    def test_the_check_finds_nothing_wrong(self):
        self.assertEqual([finding for finding in self.study.findings() if finding["severity"] == "error"], [])


class WithoutC3PRO(SpineTest):
    @staticmethod
    def change(study):
        study["c3pro"] = False

    def test_the_patient_in_clear_is_refused(self):
        device, person = self.study.device(self.server), new_id()
        app = {"Authorization": "Bearer " + device.bearer(self.server), "Antispam": ANTISPAM}
        answer = self.server.request("PUT", f"/c3pro/fhir/Patient/{person}", app, dstu2_patient(person))
        self.assertEqual((answer.status, answer.code), (403, "plain-fhir-not-accepted"))


class Lists(unittest.TestCase):
    """Pages, and what a release has not."""

    def test_a_list_is_paged_and_says_what_other_releases_have(self):
        study = Study(forms=False)
        self.addCleanup(study.close)
        publish(study, ("dstu2",))
        for number in range(7):
            study.publish({"resourceType": "Questionnaire", "id": f"f{number}", "status": "active",
                           "url": f"https://example.org/f{number}", "item": [
                               {"linkId": "q", "type": "choice", "answerOption": [{"valueString": "a"}]}]})
        server = study.serve()
        app = App(server, study, published_keys(study, "crt"), "r4")
        url, seen, pages = f"{server.url}/c3pro/fhir/Questionnaire?_count=3", [], 0
        while url:
            bundle = app.get(url.removeprefix(server.url)).json
            self.assertEqual(bundle["total"], 8, "the older one is read as R4")
            seen += [entry["resource"]["id"] for entry in bundle["entry"]]
            pages += 1
            url = {link["relation"]: link["url"] for link in bundle["link"]}.get("next")
        self.assertEqual((pages, seen), (3, [f"f{number}" for number in range(7)] + ["journal"]))
        found = app.get("/fhir/Questionnaire?url=https://example.org/f3,https://example.org/f5").json
        self.assertEqual([entry["resource"]["id"] for entry in found["entry"]], ["f3", "f5"])
        # Of DSTU2 there is one, of STU3 none; a Bundle has one release, and says what it leaves out.
        older = app.get("/fhir/Questionnaire", ACCEPT["dstu2"]).json
        self.assertEqual([entry["search"]["mode"] for entry in older["entry"]], ["match", "outcome"])
        none = app.get("/c3pro/fhir/Questionnaire", FHIR).json
        self.assertEqual(none["total"], 0)
        issue, = none["entry"][0]["resource"]["issue"]
        self.assertEqual(issue["details"]["text"], "published-in-other-releases")
        # By its id each gives the nearest that there is, and says which.
        nearest = app.get("/c3pro/fhir/Questionnaire/journal", ACCEPT["stu3"])
        self.assertEqual((nearest.json, nearest.headers["Content-Type"]), (form("dstu2"), FHIR + "; fhirVersion=1.0"))
        made = app.get("/fhir/Questionnaire/journal", ACCEPT["r4"])
        self.assertEqual(made.headers["Content-Type"], FHIR + "; fhirVersion=4.0")
        self.assertIn("item", made.json)
        self.assertEqual(app.get("/fhir/Questionnaire/f1", ACCEPT["dstu2"]).headers["Content-Type"],
                         FHIR + "; fhirVersion=4.0")


class TheSameFromEveryRelease(unittest.TestCase):
    """One form in three releases: the concepts and the facts are the same, row by row."""

    def rows(self, published, app_release):
        study = Study(forms=False)
        self.addCleanup(study.close)
        publish(study, published)
        server = study.serve()
        app, person = App(server, study, published_keys(study, "crt"), app_release), new_id()
        self.assertEqual(app.submit(signed("dstu2" if app_release == "dstu2" else "stu3", person)).status, 200)
        self.assertEqual(app.submit(response(app_release, person)).status, 200)
        self.assertEqual(statuses(app, 2), [("stored", None)] * 2)
        server.stop()
        facts = study.sql(
            "SELECT concept_cd, modifier_cd, instance_num, valtype_cd, tval_char, nval_num, units_cd, start_date, end_date "
            "FROM observation_fact WHERE concept_cd NOT LIKE 'CONSENT%' ORDER BY 1, 2, 3, 5, 6")
        concepts = study.sql("SELECT concept_path, concept_cd, name_char FROM concept_dimension ORDER BY 1, 2, 3")
        tree = study.sql("SELECT c_fullname, c_name, c_basecode, c_visualattributes, c_metadataxml, c_tooltip "
                         "FROM custom_meta ORDER BY 1, 2")
        # When it was made is all that may differ.
        tree = [[re.sub("<CreationDateTime>[^<]*<", "<", cell) if isinstance(cell, str) else cell for cell in row]
                for row in tree]
        return facts, concepts, tree

    def test_concepts_and_facts_are_the_same(self):
        reference = self.rows(("r4",), "r4")
        codes = {row[0] for row in reference[0]}
        self.assertTrue({"RXNORM:1484911", "RXNORM:861007"} <= codes, codes)
        self.assertNotIn("LOINC:8867-4", codes, "which is a sensor's")
        for published, release in ((("dstu2",), "dstu2"), (("stu3",), "stu3"), (RELEASES, "dstu2"), (RELEASES, "stu3"),
                                   (RELEASES, "r4")):
            with self.subTest(published=published, release=release):
                self.maxDiff = 2000
                for name, expected, found in zip(("facts", "concepts", "tree"), reference,
                                                 self.rows(published, release)):
                    self.assertEqual(found, expected, name)


class ALaterVersion(unittest.TestCase):
    """Who signed an original Contract, which names no version, is asked for a later one as everybody is."""

    def test_a_major_change_is_signed_before_more_is_taken(self):
        study = Study(forms=False)
        self.addCleanup(study.close)
        publish(study, ("stu3",))
        server = study.serve()
        app, person = App(server, study, published_keys(study, "crt"), "stu3"), new_id()
        app.submit(signed("stu3", person))
        app.submit(response("stu3", person))
        self.assertEqual(statuses(app, 2), [("stored", None)] * 2)
        first, = [one["message"] for one in study.findings() if one["code"] == "consent-without-url"]
        self.assertIn("urn:tributary:consent:study:consent:", first + ":")
        second = c3pro_study.consent("r4")
        second.update(url="urn:tributary:consent:study:consent", version="2")
        second["term"][0]["text"] = second["term"][0]["offer"]["text"] = "A journal, and more."
        (study.dir / "consent" / "second.json").write_text(json.dumps(second))
        app.submit({**response("stu3", person), "authored": "2017-03-05T08:00:00Z"})
        self.assertIn(("held", "consent-renewal-required"), statuses(app, 3))
        again = signed("stu3", person)
        again["term"][0]["text"] = second["term"][0]["text"]
        again["signer"][0]["signature"][0]["when"] = again["applies"]["start"] = "2017-03-06T08:00:00Z"
        app.submit(again)
        until(lambda: statuses(app, 4) == [("stored", None)] * 4, "what was held is stored")


class OriginalFiles(unittest.TestCase):
    """The files of C3-PRO's own tests, published under the names that they have."""

    @needs_conformance("c3pro")
    def test_they_are_served_and_their_value_sets_resolve(self):
        study = Study(forms=False)
        self.addCleanup(study.close)
        publish(study, ("stu3",))
        originals = [path for path in sorted((CONFORMANCE / "c3pro").glob("*.json"))
                     if path.name.split("_")[0] in ("Questionnaire", "ValueSet")]
        for path in originals:
            shutil.copy(path, study.dir / "questionnaires")
        self.assertEqual([one for one in study.findings() if one["severity"] == "error"], [])
        server = study.serve()
        app, person = App(server, study, published_keys(study, "crt"), "stu3"), new_id()
        for path in originals:
            resource = json.loads(path.read_text())
            for name in {resource["id"], path.stem.split("_", 1)[1]}:
                answer = app.get(f"/c3pro/fhir/{resource['resourceType']}/{name}", FHIR)
                self.assertEqual((answer.status, answer.body), (200, path.read_bytes()), name)
        # The form names ValueSet/SF36, which is the name of a file: an answer that is none of it is refused.
        system = "http://sf-36.org/fhir/StructureDefinition/answers-3-levels"
        self.assertEqual(app.submit(signed("stu3", person)).status, 200)

        def answered(code):
            return {"resourceType": "QuestionnaireResponse", "status": "completed",
                    "questionnaire": {"reference": "ValueSet-relative"}, "subject": {"reference": f"Patient/{person}"},
                    "item": [{"linkId": "group-step", "item": [
                        {"linkId": "choice-valueSet", "answer": [{"valueCoding": {"system": system, "code": code}}]},
                        {"linkId": "choice-boolean", "answer": [{"valueBoolean": True}]}]}]}

        app.submit(answered("3"))
        self.assertEqual(statuses(app, 2), [("stored", None)] * 2)
        app.submit(answered("no-such-level"))
        self.assertEqual(statuses(app, 3), [("held", "answers-invalid")] + [("stored", None)] * 2)

    @needs_conformance("questionnaires", "researchkit-on-fhir")
    def test_forms_of_r4_stand_beside_them(self):
        study = Study(forms=False)
        self.addCleanup(study.close)
        publish(study, ("dstu2",))
        copied = {}
        for path in sorted((CONFORMANCE / "questionnaires" / "researchkit-on-fhir").glob("*.json")):
            try:
                copied[json.loads(path.read_text()).get("id", path.stem)] = path
            except ValueError:
                continue  # As published, one is no JSON.
            shutil.copy(path, study.dir / "questionnaires")
        self.assertGreater(len(copied), 10)
        # Some break a rule of FHIR, and the study is not served with them.
        wrong = {one["file"] for one in study.findings() if one["severity"] == "error"}
        for file in wrong:
            (study.dir / file).unlink()
        copied = {name: path for name, path in copied.items() if f"questionnaires/{path.name}" not in wrong}
        self.assertGreater(len(copied), 5)
        server = study.serve()
        app = App(server, study, published_keys(study, "crt"), "r4")
        for name, path in copied.items():
            answer = app.get(f"/fhir/Questionnaire/{name}")
            self.assertEqual((answer.status, answer.body), (200, path.read_bytes()), name)
        listed = app.get("/fhir/Questionnaire?_count=200").json
        self.assertEqual({entry["fullUrl"].rsplit("/", 1)[1] for entry in listed["entry"]}, {*copied, "journal"})


class TheCheck(unittest.TestCase):
    """What can be wrong with files in several releases is found before the study is served."""

    def setUp(self):
        self.study = Study(forms=False)
        self.addCleanup(self.study.close)
        publish(self.study)

    def codes(self, *severities):
        return {(one["code"], one["file"]) for one in self.study.findings() if one["severity"] in severities}

    def test_releases_side_by_side_are_right(self):
        self.assertEqual(self.codes("error", "warning"), {("development", "study.json")})

    def test_two_files_of_one_id_and_release(self):
        self.study.publish({**form("dstu2"), "title": "Twice"}, "other")
        self.assertEqual(self.codes("error"), {("form-version-repeated", "questionnaires/other.json")})
        self.assertNotEqual(tributary("study", "check", self.study.dir, status=None).status, 0)

    def test_value_sets_that_say_something_else(self):
        other = c3pro_study.concepts("r4")
        other["compose"]["include"][0]["concept"].pop()
        self.study.publish(other, "other.r4")
        self.assertEqual(self.codes("error"), {("value-set-repeated", "questionnaires/other.r4.json")})

    def test_a_name_that_says_another_release(self):
        self.study.publish({**form("dstu2"), "id": "x"}, "x.stu3")
        self.study.publish({**form("stu3"), "id": "y"}, "y.r5")
        self.assertEqual(self.codes("error"), {("release-unknown", "questionnaires/y.r5.json")})
        self.assertIn(("release-differs", "questionnaires/x.stu3.json"), self.codes("warning"))

    def test_releases_that_ask_otherwise(self):
        changed = form("dstu2")
        changed["group"]["group"][0]["question"][0]["linkId"] = "heart"
        self.study.publish(changed, "journal.dstu2")
        self.assertIn(("form-releases-differ", "questionnaires/journal.dstu2.json"), self.codes("warning"))

    def test_a_full_text_that_is_not_there(self):
        (self.study.dir / "consent" / "HTMLContent" / "welcome.html").unlink()
        self.assertEqual({code for code, _ in self.codes("warning")} - {"development"}, {"consent-file-missing"})
        self.assertEqual(len([one for one in self.study.findings() if one["code"] == "consent-file-missing"]), 3)


if __name__ == "__main__":
    unittest.main()
