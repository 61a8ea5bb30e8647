"""The commands for authors of forms: `survey check`, `survey preview` and `survey diff`, and the guide's examples."""

import json
import re
import unittest

from harness import EXAMPLES, ROOT, Study, tributary
from own_folder import FolderTest

TRANSLATION = "http://hl7.org/fhir/StructureDefinition/translation"


def form(*items, **more):
    return {"resourceType": "Questionnaire", "url": "https://example.org/forms/mood", "version": "1", "status": "active",
            "item": list(items), **more}


def question(name, kind, **more):
    return {"linkId": name, "text": f"Question {name}", "type": kind, **more}


def answers(*items):
    return {"resourceType": "QuestionnaireResponse", "questionnaire": "https://example.org/forms/mood|1",
            "status": "completed", "item": list(items)}


class FormAuthors(FolderTest):
    def test_the_forms_of_the_examples_have_german(self):
        forms = sorted((EXAMPLES / "study" / "questionnaires").glob("*.json"))
        self.assertGreaterEqual(len(forms), 2)
        for checked in tributary("survey", "check", *forms, "--json").json:
            self.assertEqual(checked["languages"], ["en", "de"], checked["file"])
            self.assertEqual([p for p in checked["problems"] if p["severity"] != "information"], [], checked["file"])
        for path in forms:
            answers = EXAMPLES / "study" / "answers" / f"{path.stem}-1.json"
            german, english = (tributary("survey", "answer", path, "--answers", answers, *more).json
                               for more in (["--language", "de"], []))
            self.assertEqual((german["language"], english["language"]), ("de", "en"))
            for one, other in zip(german["item"], english["item"], strict=True):
                if "text" in other:
                    self.assertNotEqual(one["text"], other["text"])
            self.assertEqual(tributary("survey", "validate", "--questionnaire", path, self.file("r.json", german)).status, 0)

    def test_the_examples_of_the_guide_can_be_copied(self):
        guide = (ROOT / "docs" / "forms.md").read_text()
        files = [self.file(f"{json.loads(text)['id']}.json", text)
                 for text in re.findall(r"```json\n(.*?)```", guide, re.DOTALL)]
        self.assertEqual([path.stem for path in files], ["coffee", "cups", "sleep", "rest", "tea"])
        for checked in tributary("survey", "check", *files, "--json").json:
            codes = [problem["code"] for problem in checked["problems"]]
            self.assertEqual(codes, ["code-missing"], checked)
        answers = self.file("a.json", {"tired": "all", "alert": "some"})
        response = tributary("survey", "answer", files[3], "--answers", answers).json
        self.assertEqual([item["answer"][0].get("valueDecimal") for item in response["item"]], [None, None, 3])
        validated = tributary(
            "survey", "validate", "--questionnaire", files[3], self.file("r.json", response), "--json").json
        self.assertEqual(validated, {"valid": True, "problems": []})
        # Each example has a page.
        for path in files:
            page = path.with_suffix(".html")
            self.assertEqual(tributary("survey", "preview", path, "-o", page).text, "")
            self.assertNotIn("<script", page.read_text())

    def test_preview_is_a_page_with_all_questions(self):
        form = EXAMPLES / "study" / "questionnaires" / "mood-check.json"
        page = self.folder / "page.html"
        done = tributary("survey", "preview", form, "-o", page, "--json").json
        self.assertEqual((done["file"], done["title"]), (str(page), "Mood check"))
        html = page.read_text()
        self.assertEqual(page.stat().st_mode & 0o777, 0o600)
        questions = re.findall(r'class="id">([^<]*)<', html)
        self.assertEqual(len(questions), done["questions"])
        self.assertIn("gloomy-length", questions)
        self.assertIn("Shown if one of these is true:", html)
        self.assertIn("the answer to “How often did you feel gloomy?” is “On most days”", html)
        # A file is replaced only if that is asked for, and never by half.
        self.assertIn("file-exists", tributary("survey", "preview", form, "-o", page, status=1).errors)
        german = tributary("survey", "preview", form, "-o", page, "--force", "--language", "de", "--json").json
        self.assertNotEqual(german["title"], done["title"])
        self.assertIn('<html lang="de">', page.read_text())
        absent = self.folder / "absent.html"
        self.assertIn("not-a-questionnaire", tributary(
            "survey", "preview", self.file("p.json", {"resourceType": "Patient"}), "-o", absent, status=1).errors)
        self.assertFalse(absent.exists())

    def test_check_reports_each_file(self):
        german = {"extension": [{"url": TRANSLATION, "extension": [
            {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": "Frage a"}]}]}
        good = self.file("good.json", form(question("a", "string"), language="en"))
        poor = self.file("poor.json", form(
            question("a", "boolean", _text=german), question("b", "string", enableWhen=[
                {"question": "a", "operator": "exists", "answerBoolean": True},
                {"question": "a", "operator": "exists", "answerBoolean": False}], enableBehavior="all"), language="en"))
        broken = self.file("broken.json", form(question("a", "string"), question("a", "string")))
        torn = self.file("torn.json", '{"resourceType": "Questionnaire"')
        deep = self.file("deep.json", '{"item": [' * 100_000)
        other = self.file("other.json", {"resourceType": "Patient"})
        done = tributary("survey", "check", good, "--json")
        self.assertEqual([list(one) for one in done.json], [["file", "items", "languages", "problems"]])
        self.assertEqual((done.json[0]["items"], done.json[0]["languages"]), (1, ["en"]))
        self.assertEqual([one["code"] for one in done.json[0]["problems"]], ["code-missing"])
        files = [good, poor, broken, torn, deep, other, self.folder / "absent.json"]
        found = tributary("survey", "check", *files, "--json", status=1).json
        self.assertEqual([one["file"] for one in found], [str(file) for file in files])
        codes = [{problem["code"] for problem in one["problems"] if problem["severity"] != "information"} for one in found]
        self.assertEqual(codes[:3], [
            set(), {"condition-never-true", "item-unreachable", "translation-missing"}, {"link-id-repeated"}])
        self.assertEqual(found[1]["languages"], ["en", "de"])
        self.assertEqual([len(one["problems"]) for one in found[3:]], [1, 1, 1, 1])
        self.assertEqual(codes[5:], [{"not-a-questionnaire"}, {"file-unreadable"}])
        for problem in found[1]["problems"]:
            self.assertEqual(set(problem), {"code", "severity", "linkId", "message"})
        lines = tributary("survey", "check", *files, status=1).text
        for one in found:
            for problem in one["problems"]:
                self.assertIn(problem["message"], lines)
        self.assertEqual(tributary("survey", "check", poor).status, 0)

    def test_the_study_check_reports_the_same(self):
        study = Study(forms=False)
        self.addCleanup(study.close)
        made = form(question("a", "integer", extension=[
            {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 5}]),
            question("b", "string", enableWhen=[{"question": "a", "operator": ">", "answerInteger": 5}]), id="mood")
        study.publish(made, "mood")
        found = {one["code"]: one for one in study.findings() if one["file"] == "questionnaires/mood.json"}
        for problem in tributary("survey", "check", self.file("mood.json", made), "--json").json[0]["problems"]:
            if problem["severity"] != "information":
                self.assertEqual(found[problem["code"]]["message"], problem["message"])
        self.assertEqual(found["item-unreachable"]["severity"], "warning")

    def test_diff_classifies_changes_and_checks_responses(self):
        old = self.file("old.json", form(question("a", "integer"), question("b", "string")))
        new = self.file("new.json", form(
            question("a", "integer"), {**question("b", "string"), "text": "Other"}, question("c", "date"), version="2"))
        done = tributary("survey", "diff", old, new, "--json")
        self.assertEqual(done.json["level"], "compatible")
        self.assertEqual(done.json["changes"], [
            {"linkId": None, "element": "version", "old": "1", "new": "2", "level": "same"},
            {"linkId": "b", "element": "text", "old": "Question b", "new": "Other", "level": "text"},
            {"linkId": "c", "element": "item", "old": None, "new": {"type": "date", "text": "Question c"},
             "level": "compatible"}])
        self.assertNotIn("responses", done.json)
        self.assertEqual(tributary("survey", "diff", old, old, "--json").json, {"level": "same", "changes": []})
        valid = answers({"linkId": "a", "answer": [{"valueInteger": 3}]})
        wrong = answers({"linkId": "a", "answer": [{"valueString": "3"}]})
        stored = self.file("stored.ndjson", "\n".join([json.dumps(valid), "", json.dumps(wrong), "{", json.dumps(valid)]))
        done = tributary("survey", "diff", old, new, "--responses", stored, "--json", status=1)
        self.assertEqual((done.json["responses"]["checked"], done.json["responses"]["valid"]), (4, 2))
        self.assertEqual([one["line"] for one in done.json["responses"]["broken"]], [3, 4])
        self.assertEqual([one["code"] for one in done.json["responses"]["broken"][0]["problems"]], ["answer-type"])
        text = tributary("survey", "diff", old, new, "--responses", stored, status=1).text
        for part in ("compatible", "c item", "line 3:", "4 checked, 2 valid, 2 broken"):
            self.assertIn(part, text)

    def test_a_breaking_change_fails(self):
        old = self.file("old.json", form(question("a", "integer"), question("b", "string")))
        for changed in (form(question("a", "integer")), form(question("b", "string"), question("a", "integer")),
                        form(question("a", "integer", required=True), question("b", "string"))):
            done = tributary("survey", "diff", old, self.file("new.json", changed), "--json", status=1)
            self.assertEqual(done.json["level"], "breaking")
            self.assertIn("breaking", tributary("survey", "diff", old, self.folder / "new.json", status=1).text)

    def test_bad_input_is_refused(self):
        good = self.file("good.json", form(question("a", "string")))
        for bad in (self.file("torn.json", "{"), self.file("deep.json", "[" * 1_000_000),
                    self.file("other.json", {"resourceType": "Patient"}), self.folder / "absent.json"):
            for pair in ((good, bad), (bad, good)):
                done = tributary("survey", "diff", *pair, "--json", status=1)
                self.assertRegex(done.errors, r"\[[a-z-]+\]")
        done = tributary("survey", "diff", good, good, "--responses", self.folder / "absent.ndjson", status=1)
        self.assertIn("[file-unreadable]", done.errors)
        done = tributary("survey", "check", good, "--value-sets", self.folder / "absent", status=1)
        self.assertIn("[folder-unreadable]", done.errors)

    def test_commands_speak_a_language(self):
        def german(text):
            return {"extension": [{"url": TRANSLATION, "extension": [
                {"url": "lang", "valueCode": "de"}, {"url": "content", "valueString": text}]}]}
        made = form({"linkId": "a", "text": "How many?", "_text": german("Wie viele?"), "type": "integer", "extension": [
            {"url": "http://hl7.org/fhir/StructureDefinition/maxValue", "valueInteger": 5}]}, language="en")
        file = self.file("form.json", made)
        done = tributary("survey", "answer", file, "--answers", self.file("a.json", {"a": 3}), "--language", "de-AT")
        self.assertEqual((done.json["language"], done.json["item"][0]["text"]), ("de", "Wie viele?"))
        answered = self.file("r.json", done.json)
        self.assertEqual(tributary("survey", "validate", "--questionnaire", file, answered, "--json").json["problems"], [])
        wrong = self.file("w.json", answers({"linkId": "a", "answer": [{"valueInteger": 9}]}))
        for language, message in (("de", "Die Antwort liegt über dem größten erlaubten Wert."),
                                  ("it", "The answer is above the greatest value.")):
            done = tributary("survey", "validate", "--questionnaire", file, wrong, "--language", language, "--json", status=1)
            self.assertEqual([one["message"] for one in done.json["problems"]], [message])
        bad = self.file("bad.json", form(question("a", "group"), language="en"))
        done = tributary("survey", "check", bad, "--language", "fr", "--json", status=1)
        self.assertIn("Un groupe nécessite des entrées, et un texte d'information n'en a pas.",
                      [one["message"] for one in done.json[0]["problems"]])

    def test_long_forms_are_bounded(self):
        old = self.file("old.json", form(*(question(f"q{n}", "string") for n in range(100_000))))
        new = self.file("new.json", form(*(question(f"q{n}", "text", required=True) for n in reversed(range(100_000)))))
        done = tributary("survey", "diff", old, new, "--json", status=1, timeout=120)
        self.assertEqual(len(done.json["changes"]), 299_999)
        self.assertEqual(tributary("survey", "check", old, "--json", timeout=120).json[0]["items"], 100_000)

    def test_value_sets_of_a_folder_are_options(self):
        sets = self.folder / "sets"
        sets.mkdir()
        made = form(question("a", "choice", answerValueSet="https://example.org/vs"), language="en")
        file = self.file("form.json", made)
        (sets / "vs.json").write_text(json.dumps({"resourceType": "Bundle", "type": "collection", "entry": [{"resource": {
            "resourceType": "ValueSet", "url": "https://example.org/vs", "status": "active", "compose": {"include": [
                {"system": "urn:s", "concept": [{"code": "x", "display": "X"}]}]}}}]}))
        codes = [one["code"] for one in tributary("survey", "check", file, "--json").json[0]["problems"]]
        self.assertIn("value-set-not-at-hand", codes)
        codes = [one["code"] for one in tributary(
            "survey", "check", file, "--value-sets", sets, "--json").json[0]["problems"]]
        self.assertNotIn("value-set-not-at-hand", codes)


if __name__ == "__main__":
    unittest.main()
