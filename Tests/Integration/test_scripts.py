"""The scripts of the repository: the page that leads to the reference, and the versions of the dependencies."""

import html.parser
import importlib.util
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import ROOT

MANIFEST = (ROOT / "Package.swift").read_text()


def run(*arguments, status=0):
    """Runs a script to its end and returns what it printed."""
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != status:
        raise AssertionError(f"exit status {done.returncode}, not {status}: {done.stdout}\n{done.stderr}")
    return done.stdout


class Page(html.parser.HTMLParser):
    """The links of a page with the sentence behind each, and what its elements refer to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.sentences, self.references, self.open = {}, {}, [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.references += [values[name] for name in ("href", "src", "srcset", "data", "action") if name in values]
        if tag not in ("meta", "link", "img", "br"):
            self.open.append((tag, values))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop()[0] == tag, f"</{tag}> closes nothing"

    def handle_data(self, text):
        if self.open and self.open[-1][0] == "a":
            self.name = text
            self.links[text] = self.open[-1][1]["href"]
        elif self.open and self.open[-1][0] == "dd":
            self.sentences[self.name] = text


class Reference(unittest.TestCase):
    """The page that `make docs` puts before the modules' reference."""

    SCRIPT = ROOT / "Scripts" / "make-docs-index.sh"

    def page(self):
        with tempfile.TemporaryDirectory() as folder:
            run(self.SCRIPT, folder)
            return (Path(folder) / "index.html").read_text()

    def test_it_leads_to_every_library_module_and_says_what_it_is_for(self):
        page = Page(self.page())
        self.assertEqual(page.open, [], "an element is not closed")
        products = set(re.findall(r'\.library\(name: "Tributary\w+", targets: \["(\w+)"\]\)', MANIFEST))
        self.assertGreater(len(products), 8)
        self.assertEqual(products - set(page.links), set())
        self.assertEqual(list(page.links), run(self.SCRIPT, "--list").split())
        for name, link in page.links.items():
            self.assertEqual(link, f"{name}/documentation/{name.lower()}/")
            self.assertRegex(page.sentences[name], r"^[A-Z].{20,}\.$")

    def test_it_needs_nothing_from_elsewhere(self):
        text = self.page()
        self.assertNotRegex(text, r"(?i)https?:|//[a-z]|@import|url\(|<script")
        page = Page(text)
        self.assertEqual(sorted(page.references), sorted(page.links.values()))

    def test_make_docs_writes_it(self):
        script = (ROOT / "Scripts" / "make-docs.sh").read_text()
        self.assertIn("\nScripts/make-docs-index.sh .build-docs\n", script)
        run(self.SCRIPT, status=64)


class Dictionaries(unittest.TestCase):
    """The dictionaries of stored contents are what their script makes of the samples."""

    def test_they_are_what_the_samples_make(self):
        run(ROOT / "Scripts" / "make-dictionaries.py", "--check")


class Dependencies(unittest.TestCase):
    """The table of tested versions against those that are resolved."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("Scripts", "docs"):
            (self.root / name).mkdir()
        self.script = self.root / "Scripts" / "check-dependencies.py"
        shutil.copy(ROOT / "Scripts" / "check-dependencies.py", self.script)
        self.page = self.root / "docs" / "testing.md"
        shutil.copy(ROOT / "docs" / "testing.md", self.page)

    def versions(self):
        rows = self.page.read_text().split("| package | version |\n|---|---|\n")[1].split("\n\n")[0]
        return dict(re.findall(r"^\| (\S+) \| (\S+) \|$", rows, re.MULTILINE))

    def resolve(self, versions):
        pins = [{"identity": name, "state": {"revision": "0", "version": version}} for name, version in versions.items()]
        (self.root / "Package.resolved").write_text(json.dumps({"pins": pins, "version": 3}))

    def test_the_table_names_what_the_manifest_names_in_a_version_that_it_allows(self):
        tested = self.versions()
        named = re.findall(r'\.package\(url: "[^"]*/([^"/]+)", from: "([\d.]+)"', MANIFEST)
        self.assertGreater(len(named), 5)
        for name, least in named:
            version = [int(part) for part in tested[name.lower()].split(".")]
            self.assertGreaterEqual(version, [int(part) for part in least.split(".")], name)
            self.assertEqual(version[0], int(least.split(".")[0]), name)

    def test_the_same_versions_pass(self):
        self.resolve(self.versions())
        self.assertIn("are those that were tested", run(self.script))

    def test_each_difference_is_told(self):
        versions = self.versions()
        before = versions.pop("swift-log")
        self.resolve(versions | {"swift-nio": "99.0.0", "newcomer": "1.2.3"})
        for options, status in [([], 1), (["--note"], 0)]:
            told = run(self.script, *options, status=status)
            self.assertIn(f"swift-log: tested {before}, resolved not\n", told)
            self.assertIn(f"swift-nio: tested {versions['swift-nio']}, resolved 99.0.0\n", told)
            self.assertIn("newcomer: tested never, resolved 1.2.3\n", told)

    def test_what_was_resolved_can_be_written(self):
        before = self.page.read_text()
        self.resolve({"one": "1.0.0", "another": "2.0.0"})
        run(self.script, "--write")
        self.assertEqual(self.versions(), {"another": "2.0.0", "one": "1.0.0"})
        run(self.script)
        start, end = before.index("|---|---|\n| async"), before.index("\n\nA build takes")
        after = self.page.read_text()
        self.assertTrue(after.startswith(before[:start]) and after.endswith(before[end:]), "the rest of the page stays")

    def test_lint_fails_by_it_and_the_tests_tell(self):
        rules = dict(re.findall(r"^([a-z-]+):[^\n]*\n((?:\t[^\n]*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE))
        self.assertIn("Scripts/check-dependencies.py\n", rules["lint"])
        self.assertIn("Scripts/check-dependencies.py --note\n", rules["unit-tests"])

    def test_before_the_first_build_there_is_nothing_to_compare(self):
        self.assertIn("not compared", run(self.script))


if __name__ == "__main__":
    unittest.main()


class RecordedFigures(unittest.TestCase):
    """The table of docs/benchmarks.md that run.py writes."""

    @classmethod
    def setUpClass(cls):
        spec = importlib.util.spec_from_file_location("recording", ROOT / "Benchmarks" / "recording.py")
        cls.recording = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(cls.recording)

    def test_a_run_replaces_its_rows_and_keeps_the_others(self):
        figures = [("a", "ours / theirs"), ("b", "read / echo")]
        first = {"date": "2026-01-02", "machine": "2 × CPU, 4 GiB", "commit": "`abc`"}
        second = {**first, "date": "2026-03-04"}
        document = "# Figures\n\n## Recorded runs\n\nWords.\n\n## After\n\nThe end.\n"
        one = self.recording.recorded(document, figures, {"b": 0.5}, first)
        self.assertIn("Words.\n\n| figure | compared | ratio | date | machine | commit |\n|---|---|---|---|---|---|\n"
                      "| `b` | read / echo | 0.500 | 2026-01-02 | 2 × CPU, 4 GiB | `abc` |\n\n## After\n", one)
        both = self.recording.recorded(one, figures, {"a": 1.25}, second)
        self.assertEqual([line.split(" | ")[2:4] for line in both.splitlines() if line.startswith("| `")],
                         [["1.250", "2026-03-04"], ["0.500", "2026-01-02"]])
        self.assertEqual(self.recording.recorded(both, figures, {"a": 1.25}, second), both)
        # A figure that no longer exists has no row.
        self.assertNotIn("read / echo", self.recording.recorded(both, figures[:1], {}, second))
        self.assertTrue(both.endswith("\n## After\n\nThe end.\n"))

    def test_the_document_has_the_section_and_only_figures_that_exist(self):
        text = self.recording.DOCUMENT.read_text()
        names = set(re.findall(r'^    \("([A-Za-z-]+)", "', (ROOT / "Benchmarks" / "run.py").read_text(), re.MULTILINE))
        recorded = {found[1] for line in text.split(self.recording.HEADING)[1].splitlines()
                    if (found := self.recording.NAME.match(line))}
        self.assertGreater(len(names), 30)
        self.assertEqual(recorded - names, set())
