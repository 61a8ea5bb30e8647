"""Converts HL7's own DSTU2 and STU3 examples to R4 and validates what comes out."""

import json
import re
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from harness import BIN, CONFORMANCE, needs_conformance, unpack
from older_examples import BROKEN

ARCHIVE = "fhir-dstu2-stu3.tar.xz"


def named(issue):
    return issue["details"]["coding"][0]["code"] if issue.get("details", {}).get("coding") else ""


def place_of(issue):
    return (issue.get("expression") or [""])[0]


@needs_conformance(ARCHIVE)
class OlderExamples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        with tarfile.open(CONFORMANCE / ARCHIVE) as archive:
            wanted = [m for m in archive.getmembers() if re.fullmatch(r"fhir-older/\w+/examples/[^/]+\.json", m.name)]
            unpack(archive, wanted, cls.place.name)

    def converted(self, release):
        """The converted files, by name."""
        source = Path(self.place.name) / "fhir-older" / release / "examples"
        target = Path(self.place.name) / ("r4-of-" + release)
        target.mkdir()
        for file in sorted(source.iterdir()):
            if "resourceType" not in json.loads(file.read_bytes()):
                continue
            done = subprocess.run(
                [BIN, "fhir", "convert", "--from", release.upper(), file, "-o", target / file.name],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{file.name}: {done.stderr[-500:]}")
        return target

    def check(self, release, least):
        target = self.converted(release)
        files = sorted(target.iterdir())
        self.assertGreaterEqual(len(files), least)
        done = subprocess.run([BIN, "fhir", "validate", "--json", *files], capture_output=True, text=True)
        outcomes = json.loads(done.stdout)
        self.assertEqual(len(outcomes), len(files))
        clean, unused = 0, {name: set(range(len(rules))) for name, rules in BROKEN[release].items()}
        for entry in outcomes:
            name = Path(entry["file"]).stem
            errors = [i for i in entry["outcome"]["issue"] if i["severity"] in ("error", "fatal")]
            clean += not errors
            for issue in errors:
                place = place_of(issue)
                rules = [number for number, (code, pattern, _) in enumerate(BROKEN[release].get(name, []))
                         if code == named(issue) and re.fullmatch(pattern, place)]
                with self.subTest(name, place=place):
                    self.assertTrue(rules, f"{named(issue)}: {issue['details'].get('text', '')}")
                unused.get(name, set()).difference_update(rules)
        print(f"\n  {release}: {len(files)} examples, {clean} without an error, {len(BROKEN[release])} broken by HL7")
        self.assertEqual({name: left for name, left in unused.items() if left}, {}, "rules that nothing breaks")

    def test_the_examples_of_dstu2_validate_as_r4(self):
        self.check("dstu2", 90)

    def test_the_examples_of_stu3_validate_as_r4(self):
        self.check("stu3", 140)


if __name__ == "__main__":
    unittest.main()
