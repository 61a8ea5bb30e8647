"""Consents in Markdown by the command line: build, show, import, the server that publishes them; and the studies that
`init` begins with."""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from harness import ANTISPAM, CONSENT_ANSWERS, EXAMPLES, SpineTest, tributary

EXAMPLE = EXAMPLES / "study" / "consent" / "contract.md"


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "contract.md"
        self.file.write_text(EXAMPLE.read_text())

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_markdown_and_contract_are_converted_into_each_other_with_one_digest(self):
        contract = EXAMPLE.with_suffix(".json")
        self.assertEqual(tributary("consent", "build", self.file).out, contract.read_bytes())
        built = tributary("consent", "build", self.folder, "--json").json["consents"]
        self.assertEqual((self.folder / "contract.json").read_bytes(), contract.read_bytes())
        shown = tributary("consent", "show", contract, "--json").json
        self.assertEqual([one["digest"] for one in built], [shown["digest"]])
        self.assertEqual(len(shown["sections"]), 10)
        imported = tributary("consent", "import", contract, "-o", self.folder / "again.md", "--json").json
        self.assertEqual((imported["digest"], imported["leftOut"]), (shown["digest"], []))
        again = tributary("consent", "show", self.folder / "again.md", "--json").json
        self.assertEqual(again, shown)
        self.assertIn("file-exists", tributary("consent", "import", contract, "-o", self.file, status=1).errors)
        page = tributary("consent", "show", self.file, "--html").text
        self.assertIn("<h2>What we collect</h2>", page)
        self.assertIn("== What we collect", tributary("consent", "show", self.file).text)

    def test_a_version_that_goes_back_and_a_malformed_file_write_nothing(self):
        tributary("consent", "build", self.folder)
        before = (self.folder / "contract.json").read_bytes()
        text = self.file.read_text()
        for change, code in ((("version: 1.0.0", "version: 0.9.0"), "consent-version-backwards"),
                             (("# Welcome", "# Hello"), "consent-version-repeated"),
                             (("title: Sleep", "title: [Sleep"), "consent-front-matter-invalid"),
                             (("# Your time {time-commitment}", "# Welcome"), "consent-section-repeated")):
            with self.subTest(code):
                self.file.write_text(text.replace(*change))
                (self.folder / "another.md").write_text(text)
                self.assertIn(f"[{code}]", tributary("consent", "build", self.folder, status=1).errors)
                self.assertEqual((self.folder / "contract.json").read_bytes(), before)
                self.assertEqual(self.names(), ["another.md", "contract.json", "contract.md"])
        (self.folder / "another.md").unlink()
        self.file.write_text(text.replace("version: 1.0.0", "version: 1.1.0"))
        self.assertIn("1.0.0", tributary("consent", "build", self.folder).errors)
        self.assertEqual(json.loads((self.folder / "contract.json").read_text())["version"], "1.1.0")


class Beginnings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_init_begins_with_the_example_with_drafts_or_with_a_folder(self):
        study = self.folder / "study"
        made = tributary("init", study, "--example", "--antispam", ANTISPAM, "--json").json
        self.assertEqual([command.split()[1] for command in made["next"]], ["participant", "study", "serve"])
        tributary("participant", "invite", study, "--json")
        self.assertEqual((study / "consent" / "contract.md").read_text(), EXAMPLE.read_text())
        self.assertIn("Sleep and Mood Study", tributary("consent", "show", study).text)
        findings = [finding for finding in tributary("study", "check", study, "--json").json
                    if finding["severity"] != "information"]
        self.assertEqual(findings, [])
        self.assertEqual({path.name for path in (study / "answers").iterdir()},
                         {"consent-1.json", "mood-check-1.json", "sleep-diary-1.json"})
        # The same with the files of a folder.
        other = self.folder / "other"
        tributary("init", other, "--from", study, "--antispam", ANTISPAM)
        for path in ("consent/contract.md", "questionnaires/sleep-diary.json", "health-sync.json"):
            self.assertEqual((other / path).read_bytes(), (study / path).read_bytes())
        self.assertNotEqual((other / "jwks.json").read_bytes(), (study / "jwks.json").read_bytes())
        drafts = self.folder / "drafts"
        self.assertIn("study check", tributary("init", drafts, "--antispam", ANTISPAM).errors)
        self.assertTrue((drafts / "consent" / "consent.md.draft").exists())

    def test_an_init_from_a_bad_folder_leaves_nothing(self):
        source = self.folder / "source"
        shutil.copytree(EXAMPLES / "study", source)
        (source / "questionnaires" / "broken.json").write_text("{")
        self.assertIn("study-check-failed", tributary("init", self.folder / "study", "--from", source, status=1).errors)
        self.assertFalse((self.folder / "study").exists())
        done = tributary("init", self.folder / "study", "--from", source, "--example", status=64)
        self.assertIn("--from", done.errors)


class Served(SpineTest):
    signs = True

    @classmethod
    def prepare(cls):
        for file in (cls.study.dir / "consent").glob("*.json"):
            file.unlink()
        shutil.copy(EXAMPLE, cls.study.dir / "consent" / "consent.md")

    def test_phones_sign_the_served_text_the_file_and_its_contract(self):
        served = self.server.request("GET", "/study/consent", {}, None).json["entry"]
        self.assertEqual([entry["resource"]["title"] for entry in served], ["Sleep and Mood Study"])
        for contract in (None, EXAMPLE, EXAMPLE.with_suffix(".json")):
            with self.subTest(contract):
                phone = self.study.device(self.server)
                if contract:
                    phone.consent(contract=contract)
                else:
                    phone.run("consent", "--answers", CONSENT_ANSWERS, "--name", "Pat Tester")
                phone.send()
                self.assertEqual({row["status"] for row in phone.settled().values()}, {"stored"})


if __name__ == "__main__":
    unittest.main()
