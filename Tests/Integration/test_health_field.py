"""Health data as people met it in the field: each case of the published data has its right value."""

import json
import re
import unittest
import uuid

import test_device_sync
from harness import CONFORMANCE, Study, needs_conformance, tributary

FIELD = ("field", "phone")


def case(name):
    return next((CONFORMANCE.joinpath(*FIELD)).glob(name + "-*"))


def converted(export, folder, *options):
    lines = folder / "observations.ndjson"
    lines.unlink(missing_ok=True)
    account = tributary("health", "convert", export, "-o", lines, *options, "--json").json
    return [json.loads(line) for line in lines.read_text().splitlines()], account


@needs_conformance(*FIELD)
class Field(unittest.TestCase):
    def setUp(self):
        self.study = Study(forms=False)
        self.addCleanup(self.study.close)

    def numbers(self):
        return (self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'"),
                self.study.number("SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'"))

    def load(self, export, participant="p1"):
        return tributary("health", "load", self.study.dir, export, "--participant", participant, "--json").json

    def test_types_of_26_and_27(self):
        folder = case("01")
        events, account = converted(folder / "hypertension.xml", self.study.root)
        self.assertEqual([event["valueBoolean"] for event in events], [True])
        self.assertEqual(account["skipped"], {})
        values, _ = converted(folder / "rmssd.xml", self.study.root)
        self.assertEqual([(value["valueQuantity"]["value"], value["valueQuantity"]["code"]) for value in values],
                         [(20.4, "ms")])
        page = tributary("health", "types", "--markdown").text
        for name in ("HypertensionEvent", "HeartRateVariabilityRMSSD", "MedicationDoseEvent", "UserAnnotatedMedication"):
            self.assertIn(name, page)

    def test_beats_across_zones_and_seasons(self):
        right = {"same.xml": None, "summer-export-of-winter.xml": "1.94 2.58 3.24 3.88",
                 "winter-export-of-summer.xml": "0 0.64 1.3", "half-hour-zone.xml": "1.94 2.58 3.24"}
        for name, offsets in right.items():
            made, _ = converted(case("02") / name, self.study.root, "--include", "heartbeats")
            series = [part["valueSampledData"]["data"] for observation in made
                      for part in observation.get("component", []) if "valueSampledData" in part]
            series += [observation["valueSampledData"]["data"] for observation in made if "valueSampledData" in observation]
            self.assertTrue(series, name)
            self.assertIn(offsets or "1.94 2.58 3.24", series, name)

    def test_workout_statistics_are_accounted_for(self):
        made, account = converted(case("03") / "swim-and-run.xml", self.study.root)
        self.assertEqual(len(made), 2)
        self.assertEqual(account["filtered"], {"workout-statistics": 5})
        self.assertEqual(account["parts"]["WorkoutStatistics"], 9)

    def test_units_that_changed_add_nothing(self):
        folder = case("04")
        for first, second in (("pounds.xml", "kilograms.xml"), ("kilograms.xml", "pounds.xml")):
            participant = "p-" + first[:2]
            before = self.numbers()
            self.assertEqual(self.load(folder / first, participant)["rows"]["resources"], 3)
            self.assertEqual([after - old for after, old in zip(self.numbers(), before)], [3, 3])
            again = self.load(folder / second, participant)["rows"]
            self.assertEqual((again["resources"], again["facts"], again["alreadyKnown"]), (0, 0, 3))
            self.assertEqual([after - old for after, old in zip(self.numbers(), before)], [3, 3])

    def test_steps_of_two_apps_of_one_version_count_once(self):
        page = self.study.root / "report.html"
        tributary("health", "report", case("07") / "steps.xml", "-o", page)
        text = page.read_text()
        table = text[text.index("Steps by day of the person"):].split("</table>")[0]
        days = re.findall(r'<tr><th[^>]*>(2026-03-0\d)</th><td><data value="(\d+)">', table)
        self.assertEqual([day for day, _ in days], ["2026-03-01", "2026-03-02", "2026-03-03"])
        self.assertEqual(len({value for _, value in days}), 1)
        self.assertIn(days[0][1], ("1000", "1010"))

    def test_findings_of_electrocardiograms_in_other_languages(self):
        made, account = converted(case("08") / "apple_health_export", self.study.root)
        found = {}
        for observation in made:
            start = (observation.get("effectivePeriod") or {}).get("start") or observation.get("effectiveDateTime")
            for part in observation["component"]:
                if part["code"]["coding"][0]["code"] == "HKElectrocardiogram.Classification":
                    found[start] = part["valueCodeableConcept"]["coding"][0]["code"].removeprefix(
                        "HKElectrocardiogramClassification")
        self.assertEqual(found, {
            "2026-01-02T10:00:00+09:00": "SinusRhythm", "2026-01-02T10:00:00+01:00": "SinusRhythm",
            "2026-01-03T10:00:00+09:00": "AtrialFibrillation", "2026-01-04T10:00:00+01:00": "InconclusiveHighHeartRate"})
        self.assertNotIn("fileNotes", account)

    def test_a_finding_that_is_not_known_is_reported(self):
        export = self.study.root / "apple_health_export"
        (export / "electrocardiograms").mkdir(parents=True)
        original = case("08") / "apple_health_export"
        (export / "export.xml").write_bytes((original / "export.xml").read_bytes())
        text = (original / "electrocardiograms" / "ecg_ja.csv").read_text().replace("洞調律", "未知")
        (export / "electrocardiograms" / "ecg.csv").write_text(text)
        made, account = converted(export, self.study.root)
        self.assertEqual(account["fileNotes"], {"classification-unrecognised": 1})
        part = next(part for part in made[0]["component"]
                    if part["code"]["coding"][0]["code"] == "HKElectrocardiogram.Classification")
        self.assertNotIn("valueCodeableConcept", part)
        self.assertEqual(part["dataAbsentReason"]["coding"][0]["code"], "unknown")
        self.assertNotIn("Unrecognized", json.dumps(made))
        shown = tributary("health", "convert", export, "-o", self.study.root / "again.ndjson").text
        self.assertIn("classification-unrecognised", shown)
        resources = self.study.root / "observation.json"
        resources.write_text(json.dumps(made[0]))
        tributary("fhir", "validate", resources)
        self.assertEqual(self.load(export)["rows"]["resources"], 1)


@needs_conformance(*FIELD)
class EveryInput(test_device_sync.JournalTest):
    """The samples of case 04 by a journal in other units, by a device's export, and by two loads: each once."""

    def sample(self, kind, value, unit, start, end, name, model):
        moment = "2026-03-01T{}+01:00".format
        self.journal.write({"add": {
            "uuid": str(uuid.uuid4()).upper(), "type": "HKQuantityTypeIdentifier" + kind, "value": value, "unit": unit,
            "start": moment(start), "end": moment(end),
            "source": {"name": name, "productType": model, "version": "26.2"}}})

    def test_the_id_is_the_same(self):
        phone, watch = ("Kim’s iPhone", "iPhone17,1"), ("Kim’s Watch", "Watch7,5")
        self.sample("DistanceWalkingRunning", 804.672, "m", "08:00:00", "08:10:00", *watch)
        self.sample("BodyMass", 11.7857, "st", "07:30:00", "07:30:00", *phone)
        self.sample("BloodGlucose", 110, "mg/dL", "09:00:00", "09:00:00", *phone)
        self.in_step()
        self.send()
        ids = sorted(record["id"] for record in self.records())
        self.assertEqual(len(ids), 3)
        exported = self.device.run("health", case("04") / "pounds.xml").json
        self.assertEqual(exported["queued"], 0)
        for name in ("kilograms.xml", "pounds.xml"):
            loaded = tributary("health", "load", self.study.dir, case("04") / name, "--participant",
                               self.device.participant, "--json").json["rows"]
            self.assertEqual((loaded["resources"], loaded["facts"], loaded["alreadyKnown"]), (0, 0, 3))
        self.assertEqual(sorted(record["id"] for record in self.records()), ids)
        self.assertEqual(self.facts() - self.facts_before, 3)


if __name__ == "__main__":
    unittest.main()
