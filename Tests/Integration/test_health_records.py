"""`health convert`: what stands in the files beside an export's XML, and what the XML says of it."""

import base64
import json
import tempfile
import unittest
import zipfile
from pathlib import Path

from harness import tributary

LAB = {
    "resourceType": "Observation", "id": "o1", "status": "final",
    "category": {"coding": [{"system": "http://hl7.org/fhir/observation-category", "code": "laboratory"}]},
    "code": {"coding": [{"system": "http://loinc.org", "code": "2085-9"}]}, "subject": {"reference": "Patient/77"},
    "effectiveDateTime": "2015-03-02", "comments": "fasting", "valueQuantity": {"value": 1.5, "unit": "mmol/L"},
}
ORDER = {"resourceType": "MedicationOrder", "id": "m1", "status": "active", "patient": {"reference": "Patient/77"},
         "medicationCodeableConcept": {"text": "Paracetamol"}}
IMMUNIZATION = {"resourceType": "Immunization", "id": "i1", "status": "completed", "vaccineCode": {"text": "Influenza"},
                "patient": {"reference": "Patient/77"}, "occurrenceDateTime": "2020-10-02"}
RECORDS = [(LAB, "1.0.2"), (ORDER, "1.0.2"), (IMMUNIZATION, "4.0.1")]

ROUTE = """<?xml version="1.0"?><gpx version="1.1" creator="Apple Health Export"><trk><name>Route</name><trkseg>
<trkpt lon="-30.5" lat="0.01"><ele>4.0</ele><time>2019-06-11T22:00:42Z</time></trkpt>
<trkpt lon="-30.5" lat="0.02"><ele>4.0</ele><time>2019-06-11T22:00:43Z</time></trkpt></trkseg></trk></gpx>"""

XML = """<?xml version="1.0"?><HealthData locale="en_US">
<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="x" startDate="2019-06-12 00:00:40 +0200" endDate="2019-06-12 00:30:40 +0200">
<MetadataEntry key="HKTimeZone" value="America/Los_Angeles"/>
<WorkoutEvent type="HKWorkoutEventTypePause" date="2019-06-12 00:10:00 +0200"/>
<WorkoutEvent type="HKWorkoutEventTypeSegment" date="2019-06-12 00:00:40 +0200" duration="5.255" durationUnit="min"/>
<WorkoutRoute sourceName="x" startDate="2019-06-12 00:00:42 +0200" endDate="2019-06-12 00:00:43 +0200"><FileReference path="/workout-routes/r.gpx"/></WorkoutRoute>
</Workout>%s</HealthData>"""


def entry(record, version):
    name = record["resourceType"]
    return (f'<ClinicalRecord type="HKClinicalTypeIdentifierLabResultRecord" identifier="1" sourceName="Hospital" '
            f'sourceURL="https://h.example/fhir/{name}/{record["id"]}" fhirVersion="{version}" '
            f'receivedDate="2019-07-01 10:00:00 +0200" resourceFilePath="/clinical-records/{name}.json"/>')


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.files = {"export.xml": XML % "".join(entry(*record) for record in RECORDS), "workout-routes/r.gpx": ROUTE}
        for record, _ in RECORDS:
            self.files[f"clinical-records/{record['resourceType']}.json"] = json.dumps(record)

    def convert(self, include=None, backwards=False):
        path = self.root / "export.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in sorted(self.files.items(), reverse=backwards):
                archive.writestr("apple_health_export/" + name, text)
        output = self.root / "out.ndjson"
        options = ["--include", include] if include else []
        account = tributary("health", "convert", path, "-o", output, "--force", "--subject", "p1", *options, "--json").json
        return account, [json.loads(line) for line in output.read_text().splitlines()]

    def test_records_of_dstu2_are_resources_of_r4_with_their_original(self):
        for backwards in (False, True):
            account, resources = self.convert("clinical-records", backwards)
            self.assertEqual(account["besides"], {"HKClinicalRecord": {"converted": 3}})
            by_type = {}
            for resource in resources:
                by_type.setdefault(resource["resourceType"], []).append(resource)
            self.assertEqual({name: len(found) for name, found in by_type.items()}, {
                "Observation": 2, "MedicationRequest": 1, "Immunization": 1, "DocumentReference": 2})
            lab = next(found for found in by_type["Observation"] if found.get("valueQuantity"))
            self.assertEqual(lab["category"][0]["coding"][0]["code"], "laboratory")
            self.assertEqual(lab["note"][0]["text"], "fasting")
            for resource in (lab, *by_type["MedicationRequest"]):
                self.assertEqual(resource["subject"], {"reference": "Patient/p1"})
            self.assertEqual(by_type["Immunization"][0]["patient"], {"reference": "Patient/p1"})
            documents = {found["context"]["related"][0]["reference"]: found for found in by_type["DocumentReference"]}
            for resource, original in ((lab, LAB), (by_type["MedicationRequest"][0], ORDER)):
                document = documents[f"{resource['resourceType']}/{resource['id']}"]
                attachment = document["content"][0]["attachment"]
                self.assertEqual(attachment["contentType"], "application/fhir+json;fhirVersion=1.0")
                self.assertEqual(base64.b64decode(attachment["data"]).decode(), json.dumps(original, separators=(",", ":")))

    def test_a_route_has_the_offset_of_its_workout_and_refers_to_it(self):
        for backwards in (False, True):
            _, resources = self.convert("routes", backwards)
            workout = next(found for found in resources if found["code"]["coding"][-1]["code"] == "HKWorkout")
            route = next(found for found in resources if found["code"]["coding"][-1]["code"] == "HKWorkoutRoute")
            self.assertEqual(workout["effectivePeriod"]["start"], "2019-06-11T15:00:40-07:00")
            self.assertEqual(route["effectivePeriod"]["start"], "2019-06-11T15:00:42-07:00")
            self.assertEqual(route["focus"], [{"reference": "Observation/" + workout["id"]}])

    def test_the_events_of_a_workout_are_components(self):
        account, resources = self.convert()
        self.assertEqual(len(resources), 1)
        events = {part["code"]["coding"][0]["code"]: part for part in resources[0]["component"]}
        self.assertEqual(events["HKWorkoutEventTypePause"]["valueDateTime"], "2019-06-11T15:10:00-07:00")
        self.assertEqual(events["HKWorkoutEventTypeSegment"]["valuePeriod"], {
            "start": "2019-06-11T15:00:40-07:00", "end": "2019-06-11T15:05:55.300-07:00"})
        self.assertEqual(account["parts"]["WorkoutEvent"], 2)


if __name__ == "__main__":
    unittest.main()
