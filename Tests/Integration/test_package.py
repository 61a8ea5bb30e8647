"""The package as an app takes it: what is resolved for the libraries alone, and that the guide's manifest is that one."""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import BIN, ROOT

# What the server and the command line stand on; the names are those of the packages.
SERVER = {"hummingbird", "swift-nio", "grdb.swift", "swift-log", "swift-metrics", "swift-service-lifecycle",
          "swift-argument-parser"}

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.iOS(.v17), .macOS(.v14)],
    dependencies: [.package(name: "tributary", path: "%s"%s)],
    targets: [
        .target(
            name: "App",
            dependencies: [
%s
            ])
    ]
)
"""


# The programs of the guide. Uploads in the background exist on Apple's systems only.
PROGRAMS = sorted((ROOT / "Tests/GuideTests/Programs").glob("*.swift"))
OF_APPLE = {"SendInBackground.swift"}
# Modules that are not ours.
SYSTEM = {"Foundation", "HealthKit", "ResearchKit"}


def manifest_of_the_guide():
    guide = (ROOT / "docs" / "guide-app-developer.md").read_text()
    return re.search(r"```swift\n(// swift-tools-version.*?)```", guide, re.DOTALL).group(1)


def libraries():
    return re.findall(r'\.library\(name: "(Tributary\w+)"', (ROOT / "Package.swift").read_text())


class App(unittest.TestCase):
    def resolved(self, traits):
        with tempfile.TemporaryDirectory() as folder:
            app = Path(folder) / "App"
            (app / "Sources" / "App").mkdir(parents=True)
            products = ",\n".join(
                f'                .product(name: "{name}", package: "tributary")' for name in libraries())
            (app / "Package.swift").write_text(MANIFEST % (ROOT, traits, products))
            (app / "Sources" / "App" / "App.swift").write_text("import FHIR\n")
            done = subprocess.run(
                ["swift", "package", "resolve", "--package-path", str(app)], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            pins = json.loads((app / "Package.resolved").read_text())["pins"]
            return {pin["identity"] for pin in pins}

    def test_an_app_without_the_trait_resolves_nothing_of_the_server(self):
        lean = self.resolved(", traits: []")
        self.assertEqual(lean & SERVER, set())
        self.assertEqual(lean, {"swift-crypto", "swift-asn1"}, "what the libraries stand on, and no more")

    def test_the_guide_shows_the_trait(self):
        guide = (ROOT / "docs" / "guide-app-developer.md").read_text()
        self.assertRegex(guide, r"\.package\([^)]*traits: \[\]\)")

    def test_the_manifest_of_the_guide_has_the_products_of_its_programs(self):
        products = re.findall(r'\.product\(name: "Tributary(\w+)", package: "tributary"\)', manifest_of_the_guide())
        self.assertLessEqual({f"Tributary{name}" for name in products}, set(libraries()))
        imported = {name for file in PROGRAMS for name in re.findall(r"(?m)^import (\w+)$", file.read_text())}
        self.assertEqual(imported - SYSTEM - set(products), set())

    @unittest.skipUnless(sys.platform == "linux", "the stand-ins for Apple's frameworks exist on Linux only")
    def test_the_programs_of_the_guide_are_whole(self):
        """Each file has all of its imports. They are checked with the modules of the debug build;
        Tests/Programs/test_guide_package.py builds them from scratch as a package."""
        modules = Path(BIN).resolve().parent / "Modules"
        if not (modules / "HealthKitAdapter.swiftmodule").exists():
            self.skipTest(f"{modules} has no modules of the libraries (make debug)")
        self.assertGreater(len(PROGRAMS), 15)
        done = subprocess.run(
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", "StudyApp",
             "-warnings-as-errors", "-enable-upcoming-feature", "MemberImportVisibility", "-I", str(modules),
             *(str(file) for file in PROGRAMS if file.name not in OF_APPLE)],
            capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
