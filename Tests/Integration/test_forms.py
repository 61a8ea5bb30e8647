"""Forms as they are met in the field: new versions, responses without groups, older and newer releases, units."""

import copy
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from forms import new_id, response
from harness import BIN, CONFORMANCE, Study, needs_conformance, tributary, until
from own_folder import FolderTest
from sealed import SealedClient
from writing import JSON_PATCH, MERGE_PATCH, Writing, bundle, entry

URL = "https://example.org/forms/weight"
UCUM = "http://unitsofmeasure.org"


def quantity(value, code):
    return {"value": value, "unit": code, "system": UCUM, "code": code}


def form(version, maximum, **more):
    return {"resourceType": "Questionnaire", "id": "weight", "url": URL, "version": version, "status": "active",
            "title": f"Weight {version}", "item": [{"linkId": "body", "type": "group", "text": "Body", "item": [
                {"linkId": "weight", "type": "quantity", "text": "Weight", "extension": [
                    {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-maxQuantity",
                     "valueQuantity": quantity(maximum, "kg")}]},
                {"linkId": "gender", "type": "choice", "text": "Gender",
                 "answerValueSet": "http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1"}]}], **more}


def answers(person, name, value, code="kg", gender="female", flat=False):
    items = [{"linkId": "weight", "answer": [{"valueQuantity": quantity(value, code)}]},
             {"linkId": "gender", "answer": [{"valueCoding": {
                 "system": "http://hl7.org/fhir/administrative-gender", "code": gender}}]}]
    return {**response(person), "id": new_id(), "questionnaire": name,
            "item": items if flat else [{"linkId": "body", "item": items}]}


SDC = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"


def scored(name, condition, score="%resource.item.where(linkId = 'pain').answer.value * 10"):
    """A form with a score, a question and an option; an expression enables the question and permits the option."""
    def expression(text):
        return {"language": "text/fhirpath", "expression": text}

    def extension(kind, text):
        return [{"url": SDC + kind, "valueExpression": expression(text)}]

    strong = {"valueCoding": {"system": "urn:pill", "code": "strong"}}
    return {"resourceType": "Questionnaire", "id": name, "url": f"https://example.org/forms/{name}", "version": "1",
            "status": "active", "title": name, "item": [
                {"linkId": "pain", "type": "integer", "text": "Pain"},
                {"linkId": "score", "type": "integer", "text": "Score", "readOnly": True,
                 "extension": extension("calculatedExpression", score)},
                {"linkId": "more", "type": "string", "text": "More",
                 "extension": extension("enableWhenExpression", condition)},
                {"linkId": "pill", "type": "choice", "text": "Pill", "answerOption": [
                    {"valueCoding": {"system": "urn:pill", "code": "weak"}}, strong],
                 "extension": [{"url": SDC + "answerOptionsToggleExpression", "extension": [
                     {"url": "option", **strong}, {"url": "expression", "valueExpression": expression(condition)}]}]}]}


def claim(person, form, *items):
    """A response with the answer 7 and more items."""
    return {**response(person), "questionnaire": form["url"] + "|1", "item": [
        {"linkId": "pain", "answer": [{"valueInteger": 7}]},
        *({"linkId": link, "answer": [value]} for link, value in items)]}


class FormsInUse(Writing):
    SCORE = ("score", {"valueInteger": 70})
    FALSE = {"calculated-value": ("score", {"valueInteger": 4321}), "not-enabled": ("more", {"valueString": "4321"}),
             "option": ("pill", {"valueCoding": {"system": "urn:pill", "code": "strong"}})}

    def test_false_data_are_refused_on_every_way_in(self):
        member = self.member()
        client, person = SealedClient(self.server, self.study, device=member), member.participant
        made = scored("pain-score", "%resource.item.where(linkId = 'pain').answer.value > 8")
        self.study.publish(made)
        until(lambda: self.ask("GET", "Questionnaire/pain-score").status == 200, "the form is recorded")
        right = claim(person, made, self.SCORE, ("pill", {"valueCoding": {"system": "urn:pill", "code": "weak"}}))
        self.assertEqual(client.outcome(client.send({**right, "id": new_id()})), ("stored", None))
        name = self.made(right)
        path = f"QuestionnaireResponse/{name}"
        for code, item in self.FALSE.items():
            with self.subTest(code):
                false = claim(person, made, *([self.SCORE, item] if item[0] != "score" else [item]))
                sent = client.send({**false, "id": new_id()})
                self.assertEqual(client.outcome(sent), ("held", "answers-invalid"))
                shown = tributary("queue", "show", self.study.dir, sent, "--json").json["submissions"][0]
                self.assertEqual(shown["status"], "quarantined")
                self.assertIn(f"{code} at {item[0]}", shown["detail"])
                self.assertNotIn("4321", shown["detail"])
                index, fresh = len(false["item"]) - 1, new_id()
                replaced = [{"op": "replace", "path": "/item", "value": false["item"]}]
                refused = self.nothing_is_stored_by(
                    ("POST", "QuestionnaireResponse", false), ("PUT", path, {**false, "id": name}),
                    ("PUT", f"QuestionnaireResponse/{fresh}", {**false, "id": fresh}),
                    ("PUT", f"QuestionnaireResponse?_id={name}", false),
                    ("PATCH", path, {"item": false["item"]}, None, MERGE_PATCH),
                    ("PATCH", path, replaced, None, JSON_PATCH),
                    ("POST", "", bundle("transaction", entry("POST", "QuestionnaireResponse", false))),
                    ("POST", "", bundle("transaction", entry("PUT", path, {**false, "id": name}))))
                batch = self.ask("POST", "", bundle("batch", entry("POST", "QuestionnaireResponse", false)))
                self.assertEqual(batch.json["entry"][0]["response"]["status"].split()[0], "422", batch)
                for answer in refused:
                    self.refused(answer, 422, "answers-invalid")
                    self.names(answer.json, code, index)
                self.names(batch.json["entry"][0]["response"]["outcome"], code, index)
        self.assertEqual(tributary("warehouse", "verify", self.study.dir).status, 0)

    def names(self, outcome, code, index):
        """The outcome has an issue with the code and the path of the item, and no answer."""
        found = [(coding["code"], path.split(".item", 1)) for issue in outcome["issue"]
                 for path in issue.get("expression", []) for coding in issue["details"].get("coding", [])]
        self.assertEqual([one for one, _ in found], [code], outcome)
        (root, rest), = (path for _, path in found)
        self.assertIn(root, ("QuestionnaireResponse", "Bundle.entry[0].resource"))
        self.assertIn(rest, (f"[{index}]", f"[{index}].answer[0]"))
        self.assertNotIn("4321", json.dumps(outcome))

    def test_a_response_to_a_form_that_reads_the_patient_is_stored(self):
        member = self.member()
        client, person = SealedClient(self.server, self.study, device=member), member.participant
        made = scored("patient-score", "%patient.gender = 'female'", score="%patient.name.count() + 69")
        self.study.publish(made)
        until(lambda: self.ask("GET", "Questionnaire/patient-score").status == 200, "the form is recorded")
        for item in [self.SCORE, *self.FALSE.values()]:
            with self.subTest(item[0]):
                sent = claim(person, made, *([self.SCORE, item] if item[0] != "score" else [item]))
                self.assertEqual(client.outcome(client.send({**sent, "id": new_id()})), ("stored", None))
                self.made(sent)
        self.assertEqual(tributary("warehouse", "verify", self.study.dir).status, 0)

    def publish(self, made):
        self.study.publish(made)
        until(lambda: self.ask("GET", "Questionnaire/weight").json.get("title") == made["title"], "the form is recorded")

    def test_answers_of_every_version_are_stored_on_every_way_in(self):
        member = self.member()
        client, person = SealedClient(self.server, self.study, device=member), member.participant
        self.publish(form("1", 300))
        self.publish(form("2", 100))
        for name, value, code, expected in (
                (f"{URL}|1", 250, "kg", ("stored", None)), (f"{URL}|1", 550, "[lb_av]", ("stored", None)),
                (f"{URL}|1", 700, "[lb_av]", ("held", "answers-invalid")), (f"{URL}|2", 250, "kg", ("held", "answers-invalid")),
                (f"{URL}|2", 220, "[lb_av]", ("stored", None)), (f"{URL}|2", 75, "cm", ("held", "answers-invalid")),
                (URL, 250, "kg", ("stored", None)), (f"{URL}|3", 50, "kg", ("held", "form-unknown"))):
            for flat in (False, True):
                with self.subTest(name=name, value=value, code=code, flat=flat):
                    sent = client.send(answers(person, name, value, code, flat=flat))
                    self.assertEqual(client.outcome(sent), expected)
            # A program's write follows the same rule; it may name a form that the study does not know.
            written = self.ask("POST", "QuestionnaireResponse", answers(person, name, value, code))
            if expected[1] == "answers-invalid":
                self.refused(written, 422, "answers-invalid")
            else:
                self.assertEqual(written.status, 201, written)
        unknown = client.send(answers(person, f"{URL}|1", 50, gender="unicorn"))
        self.assertEqual(client.outcome(unknown), ("held", "answers-invalid"))
        # The facts are those that the records give.
        self.assertEqual(tributary("warehouse", "verify", self.study.dir).status, 0)

    def test_a_device_answers_forms_of_older_releases(self):
        device = self.member()
        for name, made in FormFiles.RELEASES.items():
            made = {**made, "id": name}
            self.study.publish(made)
            until(lambda name=name: self.ask("GET", f"Questionnaire/{name}").status == 200, "the form is recorded")
            device.answer(made, {"m": "good"})
            device.send()
            self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"}, name)

    def test_a_form_that_changed_without_a_new_version_is_reported(self):
        self.publish(form("1", 300, title="Weight first"))
        self.publish(form("1", 200, title="Weight second"))
        found = self.study.finding("form-changed-without-version")
        self.assertEqual((found["file"], found["place"]), ("questionnaires/weight.json", "version"))


class FormFiles(FolderTest):
    def run_survey(self, form, typed):
        return subprocess.run([str(BIN), "survey", "run", str(form)], input=typed.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60, check=False, cwd=self.folder)

    OPTION = {"system": "urn:x", "code": "good", "display": "Good"}
    RELEASES = {
        "dstu2": {"resourceType": "Questionnaire", "id": "m", "status": "published", "group": {"linkId": "root", "question": [
            {"linkId": "m", "text": "Mood", "type": "choice", "option": [OPTION]}]}},
        "stu3": {"resourceType": "Questionnaire", "id": "m", "status": "active", "item": [
            {"linkId": "m", "text": "Mood", "type": "choice", "option": [{"valueCoding": OPTION}]}]}}

    def test_forms_of_older_releases_are_read_as_the_server_reads_them(self):
        for name, made in self.RELEASES.items():
            with self.subTest(name):
                path = self.file(f"{name}.json", made)
                answered = tributary("survey", "answer", path, "--answers", self.file("a.json", {"m": "good"})).json
                self.assertIn('"code": "good"', json.dumps(answered))
                self.assertIn("urn:x", json.dumps(answered))
                done = self.run_survey(path, "1\n")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(b"urn:x", done.stdout)
                checked = self.file("r.json", answered)
                self.assertEqual(tributary("survey", "validate", "--questionnaire", path, checked).status, 0)

    def test_a_value_set_in_the_same_folder_is_read(self):
        self.file("moods.json", {"resourceType": "ValueSet", "id": "moods", "status": "active", "compose": {"include": [
            {"system": "urn:x", "concept": [{"code": "good", "display": "Good"}]}]}})
        path = self.file("form.json", {"resourceType": "Questionnaire", "id": "m", "status": "active", "item": [
            {"linkId": "m", "type": "choice", "answerValueSet": "ValueSet/moods"}]})
        answered = tributary("survey", "answer", path, "--answers", self.file("a.json", {"m": "Good"})).json
        self.assertEqual(answered["item"][0]["answer"][0]["valueCoding"]["code"], "good")

    def test_a_form_of_r5_is_named_as_that(self):
        path = self.file("r5.json", {"resourceType": "Questionnaire", "status": "active", "item": [
            {"linkId": "c", "type": "coding", "answerConstraint": "optionsOnly"}]})
        for arguments in (["survey", "run", path], ["survey", "answer", path, "--answers", self.file("a.json", {})],
                          ["survey", "validate", "--questionnaire", path, path], ["fhir", "validate", path]):
            done = tributary(*arguments, status=1)
            self.assertIn("R5", done.text + done.errors, arguments)
            self.assertIn("release-unsupported", done.text + done.errors, arguments)

    def test_a_sub_questionnaire_is_named(self):
        part = "https://example.org/forms/part|1"
        path = self.file("modular.json", {"resourceType": "Questionnaire", "url": "https://example.org/m", "version": "1",
                                          "status": "active", "item": [
            {"linkId": "age", "type": "integer", "text": "Age"},
            {"linkId": "sub", "type": "display", "text": "Part", "extension": [
                {"url": "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-subQuestionnaire",
                 "valueCanonical": part}]}]})
        run = self.run_survey(path, "40\n")
        self.assertEqual(run.returncode, 0)
        commands = [tributary("fhir", "validate", path),
                    tributary("survey", "answer", path, "--answers", self.file("a.json", {"age": 4}))]
        for text in [run.stderr.decode(), *(done.text + done.errors for done in commands)]:
            self.assertIn("sub-questionnaire-not-assembled", text)
            self.assertIn(part, text)

    def test_a_response_without_groups_is_checked_in_them(self):
        path = self.file("form.json", form("1", 300))
        flat = answers("p", f"{URL}|1", 75, flat=True)
        done = tributary("survey", "validate", "--questionnaire", path, self.file("r.json", flat), "--json")
        self.assertEqual([one["code"] for one in done.json["problems"]], ["items-laid-in-groups"])
        wrong = copy.deepcopy(flat)
        wrong["item"][0]["answer"][0]["valueQuantity"] = quantity(700, "[lb_av]")
        done = tributary("survey", "validate", "--questionnaire", path, self.file("r.json", wrong), "--json", status=1)
        self.assertIn("max-value", [one["code"] for one in done.json["problems"]])

    @needs_conformance("field", "phone")
    @needs_conformance("fhir-r4.tar.xz")
    def test_a_display_text_is_checked_with_value_sets(self):
        pair = CONFORMANCE / "questionnaires" / "response-validation" / "open-choice-gender-coding-async-q"
        with tempfile.TemporaryDirectory() as folder:
            members = [f"fhir-r4/definitions/{name}.json"
                       for name in ("package", "ValueSet-item-type", "CodeSystem-item-type")]
            subprocess.run(["tar", "-xJf", CONFORMANCE / "fhir-r4.tar.xz", "-C", folder, "--strip-components=2",
                            *members], check=True)
            (Path(folder) / "other.json").write_text("{}")
            command = ["survey", "validate", "--questionnaire", f"{pair}.json", f"{pair}r.json", "--json"]
            done = tributary(*command, "--value-sets", folder, status=1)
            self.assertEqual([(p["code"], p["severity"], p["linkId"], p["expression"]) for p in done.json["problems"]],
                             [("coding-display", "error", "q1", "QuestionnaireResponse.item[0].answer[1]")])
            # A package's own files are no resources, and that is no news.
            self.assertEqual(done.errors.count("contains no FHIR resource"), 1, done.errors)
            self.assertEqual(tributary(*command).json["problems"], [])

    def test_validation_checks_the_answers_of_a_form(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(name, content):
                path = Path(folder) / name
                path.write_text(json.dumps(content))
                return path

            given = file("form.json", form("1", 200))
            right, wrong = (file(f"{value}.json", answers("p1", f"{URL}|1", value)) for value in (70, 700))
            other = file("other.json", answers("p1", f"{URL}|2", 700))
            done = tributary("fhir", "validate", right, wrong, other, "--questionnaire", given, "--json", status=1)
            found = [[(i["details"]["coding"][0]["code"], i["expression"]) for i in entry["outcome"]["issue"]
                      if i["severity"] == "error"] for entry in done.json]
            self.assertEqual(found, [
                [], [("max-value", ["QuestionnaireResponse.item[0].item[0].answer[0]"])], []])
            tributary("fhir", "validate", wrong)

    def test_cases_of_the_field(self):
        field = CONFORMANCE / "field" / "phone"
        r5 = field / "29-form-of-r5" / "form.json"
        self.assertIn("R5", tributary("survey", "run", r5, status=1).errors)
        older = field / "39-forms-of-older-releases"
        answered = tributary("survey", "answer", older / "dstu2.json", "--answers", older / "answers.json").json
        answer = answered["item"][0]["item"][0]["answer"][0]["valueCoding"]
        self.assertEqual((answer["system"], answer["code"]), ("urn:x", "good"))
        # C3-PRO's slider as it is published, under a name without a release.
        slider = field / "23-c3pro-slider" / "form-numbers-first.json"
        study = Study(forms=False)
        self.addCleanup(study.close)
        study.publish(json.loads(slider.read_text()), "slider")
        self.assertEqual([one for one in study.findings() if one["severity"] == "error"], [])
        for name, status in (("7", 0), ("99", 1)):
            tributary("survey", "validate", "--questionnaire", slider,
                      slider.with_name(f"response-numbers-first-{name}.json"), status=status)


if __name__ == "__main__":
    unittest.main()
