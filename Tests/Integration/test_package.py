"""The package as an app takes it: what is resolved for the libraries alone, and that the guide's manifest is that one."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import ROOT

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
