"""Every command: help with an example, exit statuses 0, 1 and 64, one JSON value on standard output."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from harness import ANTISPAM, EXAMPLES, ROOT, Study, tributary

COMMANDS = """
demo|init|serve|keys|keys generate|keys list|keys rotate|keys publish|token|token create|app-receipt|app-receipt make
envelope|envelope seal|envelope open|device|device enrol|device address|device consent|device answer|device health|device withdraw
device send|device deliveries|device sync|device sync-status|survey|survey run|survey answer|survey validate|survey populate|survey extract|survey assemble|survey preview|fhir|fhir normalize|health|health convert
queue|queue status|queue show|queue retry|queue discard|study|study status|warehouse|warehouse ontology
warehouse count|warehouse undo|study check|study schema|study move|migrate|backup|restore|jmespath|jsonpath
devices|devices test|study streams
care|care add|care update|care delete|care outcome|care show|care events|care adherence|care sync|care quarantine
team|team patients|team pull
wallet|wallet register|wallet open|wallet grant|wallet reject|wallet apps|wallet given|wallet received|wallet history|wallet revoke
wallet rotate-key|dapp|dapp register|dapp open|dapp grant|dapp given|dapp received|dapp token
""".replace("\n", "|").strip("|").split("|")


class Help(unittest.TestCase):
    def test_every_command_has_help_with_an_example(self):
        for name in [""] + COMMANDS:
            with self.subTest(name):
                done = tributary(*name.split(), "--help")
                self.assertIn("xample", done.text)
                self.assertIn("tributary " + name if name else "tributary ", done.text)

    def test_wrong_usage_is_64_and_says_so_on_standard_error(self):
        for arguments in [
            ["no-such-command"], ["init"], ["serve"], ["keys", "publish"], ["keys", "publish", "x", "--format", "gif"],
            ["token", "create", "x"], ["token", "create", "x", "--role", "king"], ["envelope", "seal", "x"],
            ["envelope", "open", "x"], ["device", "enrol", "--store", "x"], ["device", "consent", "--store", "x"],
            ["device", "answer", "--store", "x"], ["device", "send"], ["device", "sync", "--store", "x"],
            ["device", "sync", "--store", "x", "--source", "x", "--to", "ftp=ftp://127.0.0.1"], ["survey", "answer", "x"],
            ["survey", "validate", "x"], ["fhir", "normalize"], ["health", "convert", "x"], ["queue", "retry", "x"],
            ["queue", "discard", "x"], ["warehouse", "count", "x"], ["warehouse", "undo", "x"],
            ["serve", "x", "--port", "70000"], ["serve", "x", "--roles", "cook"], ["fhir", "normalize", "x", "--wrong"],
            ["care", "add", "x"], ["care", "delete", "--store", "x", "planet", "y"],
            ["care", "outcome", "--store", "x", "--task", "y", "--occurrence", "0"], ["care", "events", "--store", "x"],
            ["wallet", "register", "--store", "x"], ["wallet", "grant", "--store", "x", "short"],
            ["wallet", "grant", "--store", "x", "g" * 36, "--access", "all"],
            ["wallet", "grant", "--store", "x", "g" * 36, "--resource", "a,a"], ["dapp", "open", "--store", "x"],
            ["dapp", "register", "--store", "x", "--url", "http://127.0.0.1", "--scheme", "https", "--name", "n"],
        ]:
            with self.subTest(arguments):
                done = tributary(*arguments, status=64)
                self.assertEqual(done.out, b"")
                self.assertTrue(done.err)

    def test_what_is_not_there_is_1_with_a_stable_code(self):
        with tempfile.TemporaryDirectory() as folder:
            absent = Path(folder) / "absent"
            for arguments in [
                ["serve", absent], ["keys", "list", absent], ["keys", "generate", absent], ["keys", "rotate", absent],
                ["keys", "publish", absent, "--format", "pem"], ["token", "create", absent, "--role", "staff"],
                ["app-receipt", "make", absent], ["envelope", "seal", "--to", absent, absent],
                ["envelope", "open", "--keys", absent, absent], ["device", "send", "--store", absent],
                ["device", "deliveries", "--store", absent], ["device", "withdraw", "--store", absent],
                ["device", "health", "--store", absent, absent], ["device", "sync-status", "--store", absent],
                ["device", "sync", "--store", absent, "--source", absent],
                ["device", "answer", "--store", absent, absent, "--answers", absent],
                ["survey", "answer", absent, "--answers", absent], ["survey", "run", absent],
                ["survey", "validate", "--questionnaire", absent, absent], ["fhir", "normalize", absent],
                ["health", "convert", absent, "-o", Path(folder) / "out.ndjson"], ["queue", "status", absent],
                ["queue", "show", absent], ["queue", "retry", absent, "--all"], ["queue", "discard", absent, "x"],
                ["study", "status", absent], ["warehouse", "ontology", absent],
                ["care", "show", "--store", absent], ["care", "sync", "--store", absent],
                ["wallet", "given", "--store", absent], ["wallet", "open", "--store", absent, "FBlocksCSA://?scheme=steps"],
                ["wallet", "grant", "--store", absent, "g" * 36], ["dapp", "token", "--store", absent],
                ["dapp", "open", "--store", absent, "steps://"],
                ["wallet", "register", "--store", absent, "--url", "http://study.example"],
                ["warehouse", "count", absent, "--path", "\\x\\"], ["warehouse", "undo", absent, "1"],
            ]:
                with self.subTest(arguments[:2]):
                    done = tributary(*arguments, status=1)
                    self.assertRegex(done.errors, r"[a-z]+(-[a-z]+)+", "a stable code")
                    self.assertEqual(done.out, b"")
            self.assertFalse(absent.exists(), "a typing error makes no folder")


class Version(unittest.TestCase):
    def test_it_is_the_newest_of_the_changelog(self):
        newest = re.search(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(tributary("--version").text.strip(), newest[1])


class Pages(unittest.TestCase):
    def test_the_page_of_health_types_is_what_the_command_writes(self):
        page = tributary("health", "types", "--markdown").text
        self.assertEqual(
            page, (ROOT / "docs" / "health-types.md").read_text(),
            "run: tributary health types --markdown > docs/health-types.md")

    def test_the_page_of_the_schema_is_what_the_command_writes(self):
        page = tributary("study", "schema", "--markdown").text
        self.assertEqual(
            page, (ROOT / "docs" / "schema.md").read_text(),
            "run: tributary study schema --markdown > docs/schema.md")


class Definitions(unittest.TestCase):
    def test_the_folder_is_what_the_command_writes_and_is_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            tributary("fhir", "definitions", "-o", folder)
            written = {path.name: path.read_text() for path in Path(folder).iterdir()}
        kept = {path.name: path.read_text() for path in (ROOT / "Definitions").iterdir()}
        self.assertEqual(written, kept, "run: tributary fhir definitions -o Definitions")
        self.assertGreater(len(kept), 50)
        tributary("fhir", "validate", ROOT / "Definitions")

    def test_validation_knows_them(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "patient.json"
            for value, status in (({"valueBoolean": True}, 0), ({"valueString": "yes"}, 1)):
                file.write_text(json.dumps({"resourceType": "Patient", "extension": [
                    {"url": "urn:tributary:age-90-or-older", **value}]}))
                tributary("fhir", "validate", file, status=status)


class Stores(unittest.TestCase):
    """Every command that opens a store of a study, told of another one."""

    RECORDS = [
        ["warehouse", "ontology"], ["warehouse", "count", "--path", "\\Tributary\\"], ["warehouse", "undo", "1"],
        ["audit", "list"], ["audit", "head"], ["audit", "verify"], ["permission", "list"], ["permission", "verify"],
        ["token", "create", "--role", "staff"], ["token", "list"], ["token", "revoke", "x"],
        ["enrolment", "list"], ["enrolment", "show", "x"], ["enrolment", "move", "--participant", "p"],
        ["enrolment", "revoke", "x"], ["participant", "resume", "p"], ["participant", "withdraw", "p"],
        ["participant", "delete", "p", "--reason", "as asked", "--yes"], ["queue", "retry", "--all"], ["queue", "discard", "x"],
        ["study", "status"], ["study", "storage"], ["backup", "-o", "backup.tar"],
        ["health", "load", EXAMPLES / "apple-health" / "export.zip", "--participant", "p"],
    ]
    QUEUE = [
        ["queue", "status"], ["queue", "show"], ["queue", "retry", "--all"], ["queue", "discard", "x"],
        ["enrolment", "list"], ["enrolment", "show", "x"], ["enrolment", "revoke", "x"], ["participant", "resume", "p"],
        ["participant", "withdraw", "p"], ["backup", "-o", "backup.tar"],
    ]

    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)
        self.place = self.study.root / "place"
        self.place.mkdir()
        (self.place / "empty").touch(mode=0o644)
        (self.place / "folder").mkdir(mode=0o755)
        (self.place / "words").write_text("Not a database at all.")
        (self.place / "words").chmod(0o644)

    def look(self):
        return {path.name: (path.stat().st_mode, path.stat().st_size) for path in self.place.iterdir() if path.is_file()} | {
            path.name: path.stat().st_mode for path in self.place.iterdir() if path.is_dir()}

    def test_a_store_that_is_not_there_is_an_error_and_stays_away(self):
        for option, commands in [("--database", self.RECORDS), ("--queue", self.QUEUE)]:
            for command in commands:
                parts = 2 if command[0] != "backup" else 1
                for name, code in [
                    ("nowhere.sqlite", "storage-missing"), ("nowhere/nowhere.sqlite", "storage-missing"),
                    ("empty", "storage-schema-older"), ("folder", "storage-open"), ("words", "storage-corrupt"),
                ]:
                    with self.subTest(command=command[:2], option=option, name=name):
                        before = self.look()
                        done = tributary(
                            *command[:parts], self.study.dir, *command[parts:], option, self.place / name, status=1,
                            cwd=self.place)
                        self.assertIn(code, done.errors)
                        self.assertEqual(done.out, b"")
                        self.assertEqual(self.look(), before)


class Folder(unittest.TestCase):
    def test_init_makes_what_the_issue_names_and_refuses_to_overwrite(self):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "study"
            printed = tributary("init", place)
            word = printed.text.strip()
            self.assertGreaterEqual(len(word), 20)
            study = json.loads((place / "study.json").read_text())
            for member in ("id", "title", "bundleIdentifier", "limits", "c3pro", "development"):
                self.assertIn(member, study)
            self.assertIs(study["c3pro"], False)
            self.assertIs(study["development"], False)
            for name in ("consent", "questionnaires", "keys", "data"):
                self.assertTrue((place / name).is_dir(), name)
            self.assertEqual((place / "keys").stat().st_mode & 0o777, 0o700)
            for key in (place / "keys").iterdir():
                self.assertEqual(key.stat().st_mode & 0o077, 0, key.name)
            for file in place.rglob("*"):
                if file.is_file():
                    self.assertNotIn(word.encode(), file.read_bytes(), f"the antispam word stands in {file}")
            before = {file: file.read_bytes() for file in place.rglob("*") if file.is_file()}
            again = tributary("init", place, status=1)
            self.assertIn("study-exists", again.errors)
            self.assertEqual(before, {file: file.read_bytes() for file in place.rglob("*") if file.is_file()})
            refused = tributary("app-receipt", "make", place, status=1)
            self.assertIn("development", refused.errors)

    def test_a_given_antispam_word_is_not_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            done = tributary("init", Path(folder) / "s", "--antispam", ANTISPAM, "--json")
            self.assertIsInstance(done.json, dict)
            self.assertNotIn(ANTISPAM, done.text + done.errors)

    def test_json_is_one_value_on_standard_output(self):
        study = Study()
        self.addCleanup(study.close)
        for arguments in [
            ["keys", "list", study.dir], ["keys", "generate", study.dir], ["keys", "rotate", study.dir],
            ["token", "create", study.dir, "--role", "staff"], ["app-receipt", "make", study.dir],
            ["queue", "status", study.dir], ["queue", "show", study.dir], ["queue", "retry", study.dir, "--all"],
            ["study", "status", study.dir], ["warehouse", "ontology", study.dir],
            ["warehouse", "count", study.dir, "--path", "\\Tributary\\Health\\"],
        ]:
            with self.subTest(arguments[:2]):
                self.assertIsNotNone(tributary(*arguments, "--json").json)

    def test_serve_stops_on_sigterm_with_0_and_a_broken_folder_does_not_start(self):
        study = Study()
        self.addCleanup(study.close)
        server = study.serve()
        self.assertTrue(server.url.startswith("http://127.0.0.1:"))
        self.assertEqual(server.stop(), 0)
        (study.dir / "study.json").write_text("{")
        done = tributary("serve", study.dir, "--port", "0", status=1)
        self.assertIn("study-invalid", done.errors)

    def test_serve_speaks_tls(self):
        import ssl
        import subprocess
        import urllib.request
        study = Study()
        self.addCleanup(study.close)
        certificate, key = study.root / "tls.pem", study.root / "tls.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                        str(key), "-out", str(certificate)], check=True, stderr=subprocess.DEVNULL)
        server = study.serve("--tls-certificate", certificate, "--tls-key", key)
        self.assertTrue(server.url.startswith("https://"))
        trusting = ssl.create_default_context(cafile=str(certificate))
        with urllib.request.urlopen(server.url + "/.well-known/jwks.json", context=trusting, timeout=20) as answer:
            self.assertEqual(len(json.load(answer)["keys"]), 2)
        self.assertEqual(server.stop(), 0)
        tributary("serve", study.dir, "--tls-certificate", certificate, status=64)
        done = tributary("serve", study.dir, "--port", "0", "--tls-certificate", key, "--tls-key", key, status=1)
        self.assertIn("tls-unreadable", done.errors)


if __name__ == "__main__":
    unittest.main()
