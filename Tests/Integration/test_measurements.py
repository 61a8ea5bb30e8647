"""What is measured is recognised by every way in: sealed, by FHIR REST and by load; and paths of concepts are known or an error."""

import json
import subprocess
import unittest

from harness import BIN, CONFORMANCE, Study, health_export, needs_conformance, tributary, until
from sealed import SealedClient
from writing import Writing

SATURATION = "\\Tributary\\Health\\Vital Signs\\OxygenSaturation\\"
HEALTHKIT = "http://developer.apple.com/documentation/healthkit"


def cases(name):
    return json.loads((CONFORMANCE / "field" / "phone" / name / "observations.json").read_text())


@needs_conformance("field", "phone", "40-observations-of-the-seed", "observations.json")
class Measurements(Writing):
    def test_the_seeds_observations_are_taken_by_every_way_and_counted_in_their_units(self):
        member = self.member()
        person = {"reference": f"Patient/{member.participant}"}
        client = SealedClient(self.server, self.study, device=member)
        ids = []
        for case in ("40-observations-of-the-seed", "41-second-code-of-a-type"):
            for name, sent in cases(case).items():
                for way in ("sealed", "rest"):
                    resource = {**sent, "id": f"{name}-{way}", "subject": person}
                    if way == "sealed":
                        client.send(resource)
                    else:
                        self.assertEqual(self.ask("PUT", f"Observation/{resource['id']}", resource).status, 201, name)
                    ids.append(resource)
                    file = self.study.root / "observation.json"
                    file.write_text(json.dumps(resource))
                    tributary("fhir", "validate", file)
        until(lambda: self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'") == len(ids),
              "the sealed Observations are stored")
        for resource in ids:
            stored = self.ask("GET", f"Observation/{resource['id']}").json
            self.assertEqual({**stored, "meta": None}, {**resource, "meta": None})
        count = tributary("warehouse", "count", self.study.dir, "--path", SATURATION, "--value", "GE 90", "--json").json
        self.assertEqual((count["patients"], count["facts"]), (1, 12))
        found = self.ask("GET", f"Observation?code={HEALTHKIT}%7CHKQuantityTypeIdentifierOxygenSaturation&_count=50").json
        self.assertEqual(len(found["entry"]), 12)
        streams = tributary("study", "streams", self.study.dir, "--json").json
        text = json.dumps(streams)
        for type in ("OxygenSaturation", "StepCount", "HeartRate", "BodyMass", "WaistCircumference", "BloodGlucose"):
            self.assertIn("HKQuantityTypeIdentifier" + type, text)
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])


class Paths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study(forms=False)
        cls.addClassCleanup(cls.study.close)
        tributary("health", "load", cls.study.dir, health_export(), "--participant", "p1")

    def test_a_path_that_no_concept_has_is_an_error_that_names_the_nearest(self):
        for path in ("\\Tributary\\Health\\Vital Signs\\HartRate\\", "HeartRate", "LOINC:8867-4"):
            failed = tributary("warehouse", "count", self.study.dir, "--path", path, status=1)
            self.assertIn("\\Tributary\\Health\\Vital Signs\\HeartRate\\", failed.errors)

    def test_printed_paths_can_be_pasted_into_a_shell(self):
        lines = tributary("warehouse", "ontology", self.study.dir, "--used", "--paths").text.splitlines()
        self.assertIn("'\\Tributary\\Health\\Vital Signs\\HeartRate\\'", lines)
        every = tributary("warehouse", "ontology", self.study.dir, "--paths").text.splitlines()
        self.assertGreater(len(every), 4 * len(lines))
        for line in lines[:12]:
            done = subprocess.run(
                ["sh", "-c", f"'{BIN}' warehouse count '{self.study.dir}' --json --path {line}"],
                capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(json.loads(done.stdout)["facts"], 0, line)

    def test_a_load_of_what_is_no_export_records_no_consent(self):
        other = self.study.root / "notes.txt"
        other.write_text("nothing of Apple Health\n" * 100)
        empty = self.study.root / "empty.xml"
        empty.write_text("")
        for file in ("/etc/passwd", other, empty, self.study.root, self.study.root / "absent.zip"):
            tributary("health", "load", self.study.dir, file, "--participant", "nobody", "--rebuild-indexes", status=1)
        self.assertEqual([row["participant"] for row in tributary("participant", "list", self.study.dir, "--json").json], ["p1"])
        self.assertEqual(self.study.sql("SELECT count(*) FROM record WHERE id = 'nobody' OR subject = 'nobody'"), [(0,)])


if __name__ == "__main__":
    unittest.main()
