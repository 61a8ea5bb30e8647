"""`health convert`: every form an export comes in, the account that adds up, and the choices."""

import json
import re
import unittest
import zipfile

from harness import EXAMPLES, Study, tributary
from test_whole_way import total

EXPORT = EXAMPLES / "apple-health" / "export.zip"


class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.study = Study(forms=False)
        cls.addClassCleanup(cls.study.close)
        cls.folder = cls.study.root / "apple_health_export"
        cls.folder.mkdir()
        with zipfile.ZipFile(EXPORT) as archive:
            cls.name = next(name for name in archive.namelist() if name.lower().endswith("/export.xml"))
            cls.xml = archive.read(cls.name)
        (cls.folder / "export.xml").write_bytes(cls.xml)
        cls.account, cls.lines = cls.convert(EXPORT)

    @classmethod
    def convert(cls, export, *options):
        output = cls.study.root / "out.ndjson"
        account = tributary("health", "convert", export, "-o", output, "--force", *options, "--json").json
        return account, output.read_bytes().splitlines()

    def count(self, pattern):
        return len(re.findall(pattern, self.xml))

    def test_the_account_adds_up_to_the_elements_in_the_file(self):
        account = self.account
        self.assertEqual(account["read"], account["converted"] + total(account["skipped"]))
        body = self.xml[self.xml.index(b"]>"):] if b"]>" in self.xml else self.xml
        counted = {name: len(re.findall(rb"<" + name.encode() + rb"[\s>]", body)) for name in (
            "Record", "Workout", "Correlation", "ActivitySummary", "ClinicalRecord", "Audiogram", "VisionPrescription")}
        self.assertGreaterEqual(counted["Record"], 20_000)
        self.assertEqual(account["read"], sum(counted.values()))
        self.assertEqual(account["elements"], {name: count for name, count in counted.items() if count})
        self.assertEqual(total(account["convertedByType"]), account["converted"])
        for line in self.lines:
            resource = json.loads(line)
            self.assertEqual(resource["resourceType"], "Observation")
            self.assertIn(resource["status"], ("final",))
            self.assertTrue("effectiveDateTime" in resource or "effectivePeriod" in resource)
        self.assertEqual(len(self.lines), account["converted"])

    def test_folder_file_and_archive_give_the_same(self):
        for export in (self.folder, self.folder / "export.xml"):
            account, lines = self.convert(export)
            self.assertEqual((account["read"], account["converted"]), (self.account["read"], self.account["converted"]))
            self.assertEqual(sorted(lines), sorted(self.lines))
        self.assertEqual(self.convert(EXPORT)[1], self.lines, "it is deterministic")

    def test_a_zip64_archive_and_one_that_was_streamed(self):
        wide = self.study.root / "wide.zip"
        with zipfile.ZipFile(wide, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open(zipfile.ZipInfo(self.name), "w", force_zip64=True) as member:
                member.write(self.xml)
        self.assertEqual(sorted(self.convert(wide)[1]), sorted(self.lines))

    def test_the_pieces_that_were_planted_true_to_life(self):
        names = set(re.findall(rb'sourceName="([^"]+)"', self.xml))
        self.assertGreaterEqual(len(names), 3)
        text = b"\n".join(self.lines)
        for name in names:
            person = re.match(rb"(\w{3,})(?:\xe2\x80\x99|&apos;|')s ", name)
            if person:
                self.assertNotIn(person.group(1), text)
        self.assertNotIn(b"x-apple", text)
        self.assertEqual(len(self.lines), len(set(self.lines)))

    def test_types_and_since_are_obeyed_and_accounted_for(self):
        account, lines = self.convert(EXPORT, "--types", "HeartRate,HKQuantityTypeIdentifierStepCount")
        codes = {coding["code"] for line in lines for coding in json.loads(line)["code"]["coding"]
                 if coding["system"] == "http://loinc.org"}
        self.assertIn("8867-4", codes)
        self.assertLessEqual(len(codes), 2)
        self.assertEqual(account["read"], self.account["read"])
        self.assertEqual(account["read"], account["converted"] + total(account["skipped"]))
        days = sorted(re.findall(rb'endDate="(\d{4}-\d\d-\d\d)', self.xml))
        middle = days[len(days) // 2].decode()
        account, later = self.convert(EXPORT, "--since", middle)
        self.assertTrue(0 < len(later) < len(self.lines))
        self.assertLessEqual(set(later), set(self.lines))
        self.assertEqual(account["read"], account["converted"] + total(account["skipped"]))
        self.assertIn("before-since", json.dumps(account["skipped"]))
        for value in ("yesterday", "2026-02-30"):
            tributary("health", "convert", EXPORT, "-o", self.study.root / "x", "--since", value, status=64)

    def test_a_correlation_is_one_observation_and_its_members_are_none(self):
        pressure = [json.loads(line) for line in self.lines if b"85354-9" in line]
        both = 0
        for observation in pressure:
            codes = {coding["code"] for part in observation["component"] for coding in part["code"]["coding"]}
            self.assertIn("8480-6", codes)
            both += "8462-4" in codes
        self.assertGreater(both, 50)
        whole = [json.loads(line) for line in self.lines]
        single = [row for row in whole if any(coding["code"] in ("8480-6", "8462-4") for coding in row["code"]["coding"])]
        self.assertEqual(single, [])

    def test_a_fraction_is_a_percentage(self):
        found = [json.loads(line) for line in self.lines if b"59408-5" in line or b"2708-6" in line]
        self.assertGreater(len(found), 0)
        for row in found:
            self.assertEqual(row["valueQuantity"]["code"], "%")
            self.assertTrue(50 < row["valueQuantity"]["value"] <= 100, row["valueQuantity"])

    def test_what_it_writes_is_for_its_owner_alone_and_replaces_nothing_unasked(self):
        output = self.study.root / "owned.ndjson"
        tributary("health", "convert", EXPORT, "-o", output)
        self.assertEqual(output.stat().st_mode & 0o777, 0o600)
        before = output.read_bytes()
        refused = tributary("health", "convert", EXPORT, "-o", output, "--types", "StepCount", status=1)
        self.assertIn("file-exists", refused.errors)
        self.assertEqual(output.read_bytes(), before)
        tributary("health", "convert", EXPORT, "-o", output, "--types", "StepCount", "--force")
        self.assertNotEqual(output.read_bytes(), before)
        self.assertEqual(output.stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main()
