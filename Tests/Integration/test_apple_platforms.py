"""The check for Apple's platforms finds what is too new for them."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import ROOT

SCRIPT = ROOT / "Scripts" / "check-apple-platforms.py"
# Where `make lint` made the interfaces.
SCRATCH = Path(os.environ.get("TRIBUTARY_SCRATCH", ROOT / ".build"))
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Planted",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [.library(name: "PlantedText", targets: ["PlantedText"])],
    targets: [
        .target(name: "PlantedBytes"),
        .target(name: "PlantedText", dependencies: ["PlantedBytes"]),
        .target(name: "PlantedServer"),
    ]
)
"""
OLD = """
public func text(_ bytes: [UInt8]) -> String? {
    if #available(macOS 15, iOS 18, *) { return String(validating: bytes, as: UTF8.self) }
    return String(decoding: bytes, as: UTF8.self)
}
"""
NEW = """
public func text(_ bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return text
}
"""
USE = """import PlantedBytes

public let greeting = text([104, 105])
"""


@unittest.skipUnless(sys.platform == "linux", "the check is for Linux; on macOS the compiler itself does its work")
class ApplePlatforms(unittest.TestCase):
    def check(self, bytes_source, text_source=USE):
        """Exit status, standard output and errors of the check on a small package."""
        with tempfile.TemporaryDirectory() as folder:
            sources = {
                "Package.swift": MANIFEST,
                "Sources/PlantedBytes/Bytes.swift": bytes_source,
                "Sources/PlantedText/Text.swift": text_source,
                # No library product: nobody builds it for an Apple platform.
                "Sources/PlantedServer/Server.swift": NEW,
            }
            for name, text in sources.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run(
                [sys.executable, "-B", str(SCRIPT), "--package", folder, "--scratch", str(SCRATCH)],
                capture_output=True, text=True, timeout=600, check=False)
            return done.returncode, done.stdout, done.stderr

    def test_a_use_of_what_is_too_new_is_found_with_its_file_and_line(self):
        status, said, errors = self.check(NEW)
        self.assertEqual(status, 1, said + errors)
        self.assertIn("Sources/PlantedBytes/Bytes.swift:3:22: error: 'init(validating:as:)' is only available in macOS 15", said)
        self.assertNotIn("PlantedServer", said)
        # A second time it is not taken from what is kept.
        self.assertEqual(self.check(NEW)[0], 1)

    def test_it_is_found_in_a_module_that_others_stand_on_and_in_one_that_stands_on_others(self):
        status, said, errors = self.check(OLD, USE + "import Synchronization\nlet lock = Mutex(0)\n")
        self.assertEqual(status, 1, said + errors)
        self.assertIn("Sources/PlantedText/Text.swift:5:12: error: 'Mutex' is only available in macOS 15", said)

    def test_what_is_guarded_by_its_version_passes(self):
        status, said, errors = self.check(OLD)
        self.assertEqual((status, errors), (0, ""), said)
        self.assertIn("2 portable modules type-check for macOS 14.0 (2 files)", said)

    def test_where_it_cannot_run_it_says_so_and_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-B", str(SCRIPT), "--scratch", folder], env={**os.environ, "PATH": folder},
                capture_output=True, text=True, timeout=600, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("the check does not work here. swiftc was not found", done.stderr)


if __name__ == "__main__":
    unittest.main()
