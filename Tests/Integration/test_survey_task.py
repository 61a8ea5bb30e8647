"""Forms as tasks of ResearchKit: `survey task` asks what `survey replay` enables, and makes its response."""

import json
import unittest
from pathlib import Path

from harness import CONFORMANCE, needs_conformance, seeded, tributary
from own_folder import FolderTest


def questions(items):
    """The questions that a task asks: neither hidden nor read-only, nor inside a hidden item."""
    for item in items:
        if any(e.get("url", "").endswith("questionnaire-hidden") and e.get("valueBoolean") for e in item.get("extension", [])):
            continue
        if item.get("type") not in ("group", "display") and not item.get("readOnly"):
            yield item["linkId"]
        yield from questions(item.get("item", []))


def rows(task):
    """The rows of a task with an answer format, and its photos."""
    for step in task["steps"]:
        if step["_class"] == "ORKImageCaptureStep":
            yield step["identifier"], None
        for row in step.get("formItems", []):
            if "answerFormat" in row:
                yield row["identifier"], row["answerFormat"]


def answered(identifier, form, random):
    """A result of a row, and its value in a step of `replay`; nothing for a row that is skipped."""
    kind = form["_class"]
    if kind == "ORKBooleanAnswerFormat":
        value = random.random() < 0.6
        return {"_class": "ORKBooleanQuestionResult", "booleanAnswer": int(value)}, [{"valueBoolean": value}]
    if kind == "ORKNumericAnswerFormat":
        low, high = form.get("minimum", 0), form.get("maximum", 100)
        value = min(max(random.randint(0, 5), int(low) + 1), int(high))
        if form["style"] == "integer":
            return {"_class": "ORKNumericQuestionResult", "numericAnswer": value}, [{"valueInteger": value}]
        return None
    if kind == "ORKTextChoiceAnswerFormat":
        choices = [c for c in form["textChoices"] if c["_class"] == "ORKTextChoice" and c["value"].startswith("{\"code")]
        if not choices:
            return None
        coding = json.loads(random.choice(choices)["value"])
        value = {"valueCoding": {k: v for k, v in coding.items() if v is not None}}
        return {"_class": "ORKChoiceQuestionResult", "choiceAnswers": [json.dumps(coding)]}, [value]
    return None


def comparable(items):
    """Items without what a choice's value does not have: parts of codings other than code and system."""
    for item in items:
        for answer in item.get("answer", []):
            if "valueCoding" in answer:
                answer["valueCoding"] = {k: answer["valueCoding"].get(k) for k in ("system", "code")}
            comparable(answer.get("item", []))
        comparable(item.get("item", []))
    return items


class SurveyTask(FolderTest):
    def forms(self):
        for part in ("researchkit-on-fhir", "android-fhir", "lforms", "response-validation"):
            for path in sorted(Path(CONFORMANCE, "questionnaires", part).glob("*.json")):
                if path.name == "SkipLogicExample.json":
                    continue
                form = json.loads(path.read_text())
                if form["resourceType"] == "Questionnaire" and form.get("item"):
                    yield path, form

    @needs_conformance("questionnaires")
    def test_a_task_asks_each_question_once_and_gives_the_response_of_replay(self):
        random = seeded()
        count = 0
        for path, form in self.forms():
            with self.subTest(form=path.name):
                task = tributary("survey", "task", str(path)).json
                asked = [identifier for identifier, _ in rows(task)]
                self.assertEqual(sorted(asked), sorted(questions(form["item"])))
                for step in task["steps"]:
                    self.assertTrue(step["identifier"] and step["_class"].startswith("ORK"))
                results, steps = [], []
                for identifier, answer_format in rows(task):
                    made = answer_format and random.random() < 0.8 and answered(identifier, answer_format, random)
                    if made:
                        results.append({"identifier": identifier, **made[0]})
                        steps.append({"set": identifier, "value": made[1]})
                result = self.file("result.json", {
                    "_class": "ORKTaskResult", "identifier": task["identifier"], "endDate": "2026-05-06T10:00:00+0200",
                    "results": [{"_class": "ORKStepResult", "identifier": "all", "results": results}]})
                found = tributary("survey", "task", str(path), "--result", result, status=None).json
                lines = self.file("steps.ndjson", "\n".join(json.dumps(step) for step in steps))
                expected = tributary(
                    "survey", "replay", str(path), lines, "--now", "2026-05-06T10:00:00+02:00", "--last").json["response"]
                self.assertEqual(comparable(found.get("item", [])), comparable(expected.get("item", [])))
                self.assertEqual(found["authored"], expected["authored"])
                count += 1
        self.assertGreater(count, 110)

    def test_a_photo_is_data_and_damage_has_a_location(self):
        form = self.file("form.json", {
            "resourceType": "Questionnaire", "status": "active", "item": [{"linkId": "p", "type": "attachment"}]})
        (self.folder / "photo.jpg").write_bytes(b"abc")
        photo = {"_class": "ORKFileResult", "identifier": "p", "fileURL": "file:///private/var/photo.jpg",
                 "contentType": "image/jpeg"}
        result = {"_class": "ORKTaskResult", "results": [{"_class": "ORKStepResult", "identifier": "p", "results": [photo]}]}
        made = tributary("survey", "task", form, "--result", self.file("r.json", result)).json
        self.assertEqual(made["item"][0]["answer"], [{"valueAttachment": {
            "contentType": "image/jpeg", "data": "YWJj", "size": 3, "title": "photo.jpg"}}])
        # A name cannot lead out of the folder.
        photo["fileName"] = "../photo.jpg"
        self.assertNotIn("item", tributary("survey", "task", form, "--result", self.file("r.json", result)).json)
        for text, code in (('{"_class": ', "result-not-json"), ('{"_class": "ORKTaskResult", "results": [1]}', "result-class-missing"),
                           ('{"_class": "ORKNumericQuestionResult", "numericAnswer": "1"}', "result-malformed")):
            failed = tributary("survey", "task", form, "--result", self.file("r.json", text), status=1)
            self.assertIn(code, failed.errors)

    def test_a_task_is_in_the_language_that_is_asked_for(self):
        form = self.file("form.json", {
            "resourceType": "Questionnaire", "status": "active", "language": "en", "item": [{
                "linkId": "a", "type": "boolean", "text": "Well?", "_text": {"extension": [{
                    "url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": [
                        {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Gut?"}]}]}}]})
        row = tributary("survey", "task", form, "--language", "de").json["steps"][0]["formItems"][0]
        self.assertEqual((row["text"], row["answerFormat"]["yes"], row["answerFormat"]["no"]), ("Gut?", "Ja", "Nein"))


if __name__ == "__main__":
    unittest.main()
