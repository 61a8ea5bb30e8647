"""The stand-in for HealthKit and the table of health types have the names and raw values of Apple's headers, as PyObjC's
newest metadata have them."""

import importlib.util

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from programs import ENVIRONMENT, say

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "Scripts/check-healthkit-names.py"
SHIM = ROOT / "Tests/AppleShims/HealthKit"
TABLES = ROOT / "Sources/Device/HealthTypes/Tables"


class HealthKitNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tributary-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        spec = importlib.util.spec_from_file_location("names", SCRIPT)
        names = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(names)
        try:
            cls.wheel = names.wheel(cls.folder)
        except names.Unusable as error:
            raise unittest.SkipTest(str(error)) from None

    def check(self, shim=SHIM, tables=TABLES):
        return subprocess.run(
            [sys.executable, "-B", SCRIPT, "--wheel", self.wheel, "--shim", shim, "--tables", tables],
            capture_output=True, text=True, check=False, env=ENVIRONMENT)

    def test_names_and_values_agree(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        say(done.stdout.strip())

    def test_what_is_wrong_is_found(self):
        for file, right, wrong in [
            ("HealthStore.swift", "case daily = 3", "case daily = 4"),
            ("HealthStore.swift", "objc: HKHealthStore isHealthDataAvailable", "objc: HKHealthStore hasHealthData"),
            ("SpecialSamples.swift", "HKElectrocardiogramClassificationSinusRhythm", "HKElectrocardiogramClassificationSinus"),
            ("Workouts.swift", "objc: class HKStatistics", "objc: class HKStatistic"),
        ]:
            shim = self.folder / f"{file}-{wrong[-6:]}"
            shutil.copytree(SHIM, shim)
            text = (shim / file).read_text()
            self.assertIn(right, text)
            (shim / file).write_text(text.replace(right, wrong, 1))
            self.assertEqual(self.check(shim).returncode, 1, wrong)

    def test_a_type_or_a_case_that_the_table_lacks_is_found(self):
        for file, right, wrong, said in [
            ("CategoryTypes.swift", "        HypertensionEvent | ", "        HypertensionEvents | ",
             "the table has no HKCategoryTypeIdentifierHypertensionEvent"),
            ("OtherTypes.swift", "HKMedicationDoseEventTypeIdentifierMedicationDoseEvent", "HKMedicationDose",
             "the table has no HKMedicationDoseEventTypeIdentifierMedicationDoseEvent"),
            ("QuantityTypes.swift", "        StepCount | ", "        StepCounts | ",
             "the table has no HKQuantityTypeIdentifierStepCount"),
            ("Enumerations.swift", "5 Skipped", "7 Skipped", "HKMedicationDoseEventLogStatusSkipped is 5"),
            ("WorkoutActivities.swift", "57 Yoga", "58 Yoga", "HKWorkoutActivityTypeYoga is 57"),
            ("MetadataKeys.swift", "HKMetadataKeyLapLength", "HKMetadataKeyLap", "has no HKMetadataKeyLapLength"),
        ]:
            tables = self.folder / f"{file}-{wrong.strip()[:6]}-tables"
            shutil.copytree(TABLES, tables)
            text = (tables / file).read_text()
            self.assertIn(right, text)
            (tables / file).write_text(text.replace(right, wrong, 1))
            done = self.check(tables=tables)
            self.assertEqual(done.returncode, 1, wrong)
            self.assertIn(said, done.stdout)


if __name__ == "__main__":
    unittest.main()
