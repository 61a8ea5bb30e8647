"""SDC's operations on the command line: population, extraction and assembly of forms."""

import json
import unittest

from harness import CONFORMANCE, needs_conformance, tributary
from own_folder import FolderTest

SDC = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
CORE = "http://hl7.org/fhir/StructureDefinition/"
NOW = "2026-11-28T10:00:00+01:00"
PATIENT = {"resourceType": "Patient", "id": "7", "birthDate": "1990-05-01"}


def expression(url, text, language="text/fhirpath", **more):
    return {"url": url, "valueExpression": {"language": language, "expression": text, **more}}


FORM = {
    "resourceType": "Questionnaire", "url": "https://example.org/forms/visit", "version": "1", "status": "active",
    "extension": [
        {"url": SDC + "launchContext", "extension": [
            {"url": "name", "valueCoding": {"code": "patient"}}, {"url": "type", "valueCode": "Patient"}]},
        expression(CORE + "variable", "Observation?code=http://loinc.org|8302-2&patient={{%patient.id}}&_sort=-date&_count=1",
                   "application/x-fhir-query", name="heights"),
        {"url": SDC + "observationExtract", "valueBoolean": True},
        {"url": SDC + "observationLinkPeriod", "valueDuration": {"value": 1, "system": "http://unitsofmeasure.org", "code": "a"}},
    ],
    "item": [
        {"linkId": "born", "type": "date", "extension": [expression(SDC + "initialExpression", "%patient.birthDate")]},
        {"linkId": "height", "type": "decimal", "extension": [
            expression(SDC + "initialExpression", "%heights.entry.resource.value.value")]},
        {"linkId": "weight", "type": "decimal", "code": [{"system": "http://loinc.org", "code": "29463-7"}], "extension": [
            {"url": CORE + "questionnaire-unit", "valueCoding": {
                "system": "http://unitsofmeasure.org", "code": "kg", "display": "kg"}}]},
    ],
}


def observation(code, value, unit, time="2026-11-01T08:00:00Z"):
    return {"resourceType": "Observation", "status": "final", "subject": {"reference": "Patient/7"},
            "code": {"coding": [{"system": "http://loinc.org", "code": code}]}, "effectiveDateTime": time,
            "valueQuantity": {"value": value, "unit": unit, "system": "http://unitsofmeasure.org", "code": unit}}


def bundle(*resources):
    return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": one} for one in resources]}


def answers(response):
    return {item["linkId"]: [next(v for k, v in answer.items() if k.startswith("value")) for answer in item["answer"]]
            for item in response.get("item", [])}


class FormOperations(FolderTest):
    def run_json(self, *arguments, code=0):
        done = tributary("survey", *arguments, status=code)
        return json.loads(done.out) if done.out.strip() else None, done.errors

    def test_answers_survive_population_and_extraction(self):
        form = self.file("form.json", FORM)
        patient = self.file("patient.json", PATIENT)
        data = self.file("data.json", bundle(
            PATIENT, observation("8302-2", 160, "cm", "2025-01-01"), observation("8302-2", 163, "cm"),
            observation("29463-7", 70500, "g")))
        first, error = self.run_json("populate", form, "--context", f"patient={patient}", "--data", data, "--now", NOW)
        self.assertEqual(error, "")
        self.assertEqual((first["status"], first["subject"]), ("in-progress", {"reference": "Patient/7"}))
        self.assertEqual(answers(first), {"born": ["1990-05-01"], "height": [163], "weight": [70.5]})
        extracted, _ = self.run_json("extract", form, self.file("response.json", {**first, "status": "completed"}))
        self.assertEqual([entry["request"]["url"] for entry in extracted["entry"]], ["Observation"])
        again, _ = self.run_json(
            "populate", form, "--context", f"patient={patient}", "--now", NOW, "--data",
            self.file("extracted.json", extracted))
        self.assertEqual(answers(again), {"born": ["1990-05-01"], "weight": [70.5]})

    def test_an_invalid_query_is_named_and_counts_as_no_data(self):
        form = json.loads(json.dumps(FORM))
        form["extension"][1]["valueExpression"]["expression"] = "Observation?nothing=secret"
        response, error = self.run_json(
            "populate", self.file("form.json", form), "--data", self.file("data.json", bundle(PATIENT)), "--now", NOW,
            "--context", f"patient={self.file('patient.json', PATIENT)}")
        self.assertEqual(answers(response), {"born": ["1990-05-01"]})
        self.assertIn("[parameter-unknown]", error)
        self.assertNotIn("secret", error)

    def test_a_failing_template_is_named_and_the_rest_is_extracted(self):
        form = {"resourceType": "Questionnaire", "status": "active", "item": [{
            "linkId": "q", "type": "string", "extension": [
                {"url": SDC + "templateExtract", "extension": [
                    {"url": "template", "valueReference": {"reference": "#missing"}}]},
                {"url": SDC + "observationExtract", "valueBoolean": True}],
            "code": [{"system": "http://loinc.org", "code": "1"}]}]}
        response = {"resourceType": "QuestionnaireResponse", "status": "completed", "item": [
            {"linkId": "q", "answer": [{"valueString": "a"}]}]}
        extracted, error = self.run_json(
            "extract", self.file("form.json", form), self.file("response.json", response), code=1)
        self.assertEqual(len(extracted["entry"]), 1)
        self.assertIn("[template-missing]", error)

    def test_a_form_is_assembled_or_the_reason_is_named(self):
        def part(name):
            return {"linkId": f"d-{name}", "type": "display", "extension": [
                {"url": SDC + "subQuestionnaire", "valueCanonical": f"http://e/{name}"}]}

        def form(name, *items):
            return {"resourceType": "Questionnaire", "url": f"http://e/{name}", "version": "1", "status": "active",
                    "item": list(items)}

        root = self.file("root.json", form("root", part("a")))
        self.file("library/a.json", form("a", {"linkId": "a1", "type": "string"}, part("b")))
        self.file("library/b.json", form("b", {"linkId": "b1", "type": "string"}))
        library = str(self.folder / "library")
        whole, _ = self.run_json("assemble", root, "--library", library)
        self.assertEqual([item["linkId"] for item in whole["item"]], ["a1", "b1"])
        self.file("library/b.json", form("b", part("a")))
        nothing, error = self.run_json("assemble", root, "--library", library, code=1)
        self.assertIsNone(nothing)
        self.assertIn("[sub-questionnaire-circle]", error)

    @needs_conformance("sdc", "template-extract")
    def test_the_published_forms_are_extracted(self):
        for name in ["Immunisation", "RegularMedications"]:
            folder = CONFORMANCE / "sdc" / "template-extract" / name
            extracted, _ = self.run_json("extract", str(folder / "questionnaire.json"), str(folder / "response.json"))
            expected = json.loads((folder / "expected.json").read_text())
            self.assertEqual(len(extracted["entry"]), len(expected["entry"]))


if __name__ == "__main__":
    unittest.main()
