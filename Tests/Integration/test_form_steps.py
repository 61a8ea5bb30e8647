"""`survey replay`: the state of a form after each step, as sessions in apps have it, compared with `survey validate`."""

import json
import os
import random
import unittest

import harness
from harness import tributary
from own_folder import FolderTest

SDC = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
EXAMPLES = harness.ROOT / "Examples" / "study" / "questionnaires"


def expression(name, text):
    return {"url": SDC + name, "valueExpression": {"language": "text/fhirpath", "expression": text}}


def value(link_id):
    return f"%resource.item.where(linkId = '{link_id}').answer.value"


class FormSteps(FolderTest):
    def replay(self, form, steps, *options):
        lines = self.file("steps.ndjson", "".join(json.dumps(step) + "\n" for step in steps))
        done = tributary("survey", "replay", form, lines, "--now", "2026-03-01T09:00:00+01:00", *options)
        return [json.loads(line) for line in done.text.splitlines()]

    def form(self, *items):
        return self.file("form.json", {"resourceType": "Questionnaire", "url": "https://example.org/f", "version": "1",
                                       "status": "active", "item": list(items)})

    def test_each_step_has_its_state(self):
        form = self.form(
            {"linkId": "a", "type": "integer"},
            {"linkId": "twice", "type": "integer", "extension": [expression("calculatedExpression", value("a") + " * 2")]},
            {"linkId": "rows", "type": "group", "repeats": True, "item": [
                {"linkId": "name", "type": "string", "required": True, "maxLength": 3},
                {"linkId": "if", "type": "string", "extension": [
                    expression("enableWhenExpression", "%resource.item.where(linkId = 'a').answer.value > 3")]}]})
        states = self.replay(form, [
            {"set": "a", "value": [{"valueInteger": 4}]},
            {"set": "twice", "value": [{"valueInteger": 1}]},
            {"set": "a", "value": [{"valueInteger": 3}]},
            {"add": "rows[1]"},
            {"set": "rows[1]/name", "value": [{"valueString": "long"}]},
            {"set": "a", "value": [{"valueString": "x"}]},
            {"add": "rows[9]"}, {"set": "nothing", "value": []},
            {"remove": "rows"},
        ])
        self.assertEqual([state.get("step") for state in states[:-1]], list(range(10)))
        self.assertEqual(states[0]["enabled"], ["a", "twice", "rows", "rows/name"])
        self.assertEqual(states[1]["answers"], {"a": [{"valueInteger": 4}], "twice": [{"valueInteger": 8}]})
        self.assertIn("rows/if", states[1]["enabled"])
        self.assertEqual(states[3]["answers"]["twice"], [{"valueInteger": 1}], "an edited answer stays")
        self.assertEqual(states[4]["enabled"], ["a", "twice", "rows", "rows/name", "rows[1]", "rows[1]/name"])
        self.assertEqual(states[5]["problems"], [{"code": "max-length", "path": "rows[1]/name"}])
        self.assertEqual([state["refused"] for state in states[6:9]], ["answer-type", "repetition-missing", "link-id-unknown"])
        self.assertEqual(states[9]["enabled"], ["a", "twice", "rows", "rows/name"])
        response = states[-1]["response"]
        self.assertEqual((response["status"], response["authored"]), ("completed", "2026-03-01T09:00:00+01:00"))
        self.assertEqual([item["linkId"] for item in response["item"]], ["a", "twice", "rows"])

    def test_only_the_response_and_a_context(self):
        form = self.form({"linkId": "birth", "type": "date", "extension": [
            expression("initialExpression", "%patient.birthDate")]})
        patient = self.file("patient.json", {"resourceType": "Patient", "birthDate": "1990-05-05"})
        found, = self.replay(form, [], "--last", "--context", f"patient={patient}")
        self.assertEqual(found["response"]["item"][0]["answer"], [{"valueDate": "1990-05-05"}])
        again, = self.replay(form, [{"set": "birth", "value": []}], "--last", "--response",
                             self.file("r.json", found["response"]))
        self.assertNotIn("item", again["response"])

    def test_random_steps_have_the_errors_of_validate(self):
        seed = int(os.environ.get("TRIBUTARY_SEED") or random.randrange(1 << 30))
        chosen = random.Random(seed)
        for name in ("mood-check.json", "sleep-diary.json"):
            form = EXAMPLES / name
            states = self.replay(form, [])
            steps = []
            for _ in range(20):
                path = chosen.choice(states[-2]["enabled"])
                steps.append({"set": path, "value": chosen.choice([[], [{"valueInteger": 2}], [{"valueDate": "2026-02-02"}],
                                                                   [{"valueBoolean": True}], [{"valueDecimal": 1.5}]])})
                states = self.replay(form, steps)
                problems = sorted(problem["code"] for problem in states[-2]["problems"])
                done = tributary("survey", "validate", "--questionnaire", form,
                                 self.file("response.json", states[-1]["response"]), "--json", status=None)
                found = sorted(problem["code"] for problem in json.loads(done.text)["problems"] if problem["severity"] == "error")
                self.assertEqual(problems, found, f"seed {seed}, {name}, {steps}")

    def test_the_score_of_the_example_is_in_german(self):
        states = self.replay(EXAMPLES / "mood-check.json", [
            {"set": "mood/cheerful", "value": [{"valueCoding": {
                "system": "https://tributary.example/CodeSystem/sleep-and-mood", "code": "some-days"}}]},
            {"set": "mood/gloomy", "value": [{"valueCoding": {
                "system": "https://tributary.example/CodeSystem/sleep-and-mood", "code": "every-day"}}]}])
        self.assertEqual(states[2]["answers"]["mood/low-mood"], [{"valueDecimal": 5}])
        checked = tributary("survey", "check", EXAMPLES / "mood-check.json", "--json")
        report, = json.loads(checked.text)
        self.assertEqual(sorted(report["languages"]), ["de", "en"])
        self.assertEqual([p for p in report["problems"] if p["severity"] == "error"], [])


if __name__ == "__main__":
    unittest.main()
