"""The stand-in for HealthKit has the names and raw values of Apple's headers, as PyObjC's metadata have them."""

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


class HealthKitNames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tributary-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        done = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--platform",
             "macosx_10_9_universal2", "--python-version", "3.12", "--implementation", "cp", "--dest", cls.folder,
             "pyobjc-framework-HealthKit"], capture_output=True, text=True, check=False)
        found = sorted(cls.folder.glob("*.whl"))
        if done.returncode or not found:
            raise unittest.SkipTest("PyPI's pyobjc-framework-HealthKit cannot be had")
        cls.wheel = found[0]

    def check(self, shim):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--wheel", self.wheel, "--shim", shim], capture_output=True,
                              text=True, check=False, env=ENVIRONMENT)

    def test_names_and_values_agree(self):
        done = self.check(SHIM)
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


if __name__ == "__main__":
    unittest.main()
