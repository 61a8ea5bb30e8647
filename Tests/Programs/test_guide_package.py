"""The programs of the app developer's guide and the example app's model, as a package of their own: built from scratch in a
folder outside of the repository, with the guide's manifest. Only swift-crypto and swift-asn1 are fetched."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from programs import ENVIRONMENT, say
from test_package import OF_APPLE, PROGRAMS, manifest_of_the_guide

ROOT = Path(__file__).resolve().parents[2]
REMOTE = '.package(url: "https://example.org/tributary", from: "0.4.0", traits: [])'
# git reaches no other machine.
OFFLINE = {**ENVIRONMENT, "GIT_ALLOW_PROTOCOL": "file"}


@unittest.skipUnless(sys.platform == "linux", "the stand-ins for Apple's frameworks exist on Linux only")
class GuidePackage(unittest.TestCase):
    def swift(self, *arguments, env=ENVIRONMENT):
        done = subprocess.run(
            ["swift", *arguments], capture_output=True, text=True, timeout=3_600, check=False, env=env)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])
        return done.stdout

    def test_builds_from_scratch_with_two_packages(self):
        manifest = manifest_of_the_guide()
        self.assertIn(REMOTE, manifest)
        with tempfile.TemporaryDirectory(prefix="tributary-") as folder:
            app = Path(folder) / "StudyApp"
            sources = app / "Sources" / "StudyApp"
            sources.mkdir(parents=True)
            (app / "Package.swift").write_text(
                manifest.replace(REMOTE, f'.package(name: "tributary", path: "{ROOT}", traits: [])'))
            for file in PROGRAMS:
                if file.name not in OF_APPLE:
                    shutil.copy(file, sources)
            for file in (ROOT / "Examples/App/Model").glob("*.swift"):
                shutil.copy(file, sources)
            self.swift("package", "resolve", "--package-path", app)
            pins = json.loads((app / "Package.resolved").read_text())["pins"]
            self.assertEqual({pin["identity"] for pin in pins}, {"swift-crypto", "swift-asn1"})
            self.swift(
                "build", "--package-path", app, "--disable-automatic-resolution", "-debug-info-format", "none",
                env=OFFLINE)
            say(f"{len(list(sources.iterdir()))} files of the guide and the example app built outside of the repository")


if __name__ == "__main__":
    unittest.main()
