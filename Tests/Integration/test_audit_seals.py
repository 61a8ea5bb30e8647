"""The seals of the audit: rows are covered while a server runs and when it stops, every change of rows is detected, a
deletion and a restoration keep the chain valid, and AuditEvents are what the rows say."""

import json
import os
import re
import shutil
import sqlite3
import stat
import threading
import time
import unittest
import urllib.parse

import smart
from harness import ON_POSTGRESQL, SpineTest, Study, seeded, tributary, until

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "3"))
HEX = re.compile(r"\A[0-9a-f]{64}\Z")


def verify(study, *options, status=0):
    return tributary("audit", "verify", study if not isinstance(study, Study) else study.dir, *options, "--json",
                     status=status).json


class AuditCase(SpineTest):
    def setUp(self):
        self.token = self.study.staff_token()

    def get(self, path, status=200):
        answer = self.server.request("GET", path, {"Authorization": f"Bearer {self.token}"})
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def read(self, count):
        for number in range(count):
            self.get(("/fhir/Patient", "/fhir/Observation?_count=5", "/fhir/Consent")[number % 3])

    def unsealed(self):
        return self.study.number("SELECT count(*) FROM audit WHERE number > "
                                 "(SELECT coalesce(max(last_row), 0) FROM audit_seal)")

    def sealed(self, seconds=10):
        until(lambda: self.unsealed() == 0, "all rows are sealed", seconds)


class RunningServer(AuditCase):
    def test_rows_are_sealed_within_ten_seconds_and_when_the_server_stops(self):
        study = Study()
        self.addCleanup(study.close)
        server, token = study.serve(), study.staff_token()
        self.study, self.server, self.token = study, server, token
        try:
            self.read(30)
            self.sealed()
            first = verify(study)
            self.assertEqual(first["ok"], True)
            self.assertEqual(first["restored"], [])
            self.assertRegex(first["head"], HEX)
            self.assertEqual(tributary("audit", "head", study.dir).text.strip(), first["head"])
            # What comes directly before the stop is sealed too.
            self.read(7)
            self.assertEqual(server.stop(), 0)
            self.assertEqual(self.unsealed(), 0)
            last = verify(study)
            self.assertEqual(last["rows"], study.number("SELECT count(*) FROM audit"))
            self.assertGreaterEqual(last["rows"], first["rows"] + 7)
        finally:
            del self.study, self.server
        folder = study.dir / "audit-anchors"
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.assertTrue(all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in folder.iterdir()))
        folder.chmod(0o755)
        self.assertEqual(study.finding("audit-anchors-open")["severity"], "error")
        folder.chmod(0o700)
        self.assertIn("audit-anchors/", (study.dir / ".gitignore").read_text())
        # A head that was stored elsewhere, in both forms.
        for options in ([], ["--json"]):
            file = study.root / "head"
            file.write_text(tributary("audit", "head", study.dir, *options).text)
            self.assertTrue(verify(study, "--anchor", file)["ok"])
        file.write_text("0123456789abcdef" * 4)
        broken = verify(study, "--anchor", file, status=1)
        self.assertEqual((broken["ok"], set(broken["broken"])), (False, {"from", "to"}))
        file.write_text("no head")
        self.assertIn("audit-anchor-invalid", tributary("audit", "verify", study.dir, "--anchor", file, status=1).errors)

    def test_events_follow_the_rows_and_validate(self):
        member = self.member()
        self.get(f"/fhir/Observation?subject=Patient/{member.participant}")
        self.get(f"/fhir/Patient/{member.participant}")
        self.get("/fhir/Patient/nobody", status=404)
        page, events = "/fhir/AuditEvent?_count=7", []
        while page:
            bundle = self.get(page)
            events += [entry["resource"] for entry in bundle.get("entry", [])]
            self.assertLessEqual(len(bundle.get("entry", [])), 7)
            page = next((link["url"] for link in bundle["link"] if link["relation"] == "next"), None)
            page = page and page[page.index("/fhir/"):]
        rows = {str(number): at for number, at in self.study.sql("SELECT number, at FROM audit")}
        self.assertGreater(len(events), 10)
        self.assertEqual(len({event["id"] for event in events}), len(events))
        for event in events:
            self.assertEqual(rows[event["id"]], event["recorded"])
        files = []
        for event in events:
            file = self.study.root / f"event-{event['id']}.json"
            file.write_text(json.dumps(event))
            files.append(file)
        done = tributary("fhir", "validate", *files, status=None)
        self.assertEqual(done.status, 0, done.text)
        self.assertNotIn(" error ", done.text)
        self.assertNotIn("extensible-binding", done.text)
        about = self.get(f"/fhir/AuditEvent?patient=Patient/{member.participant}")
        self.assertGreaterEqual(len(about["entry"]), 2)
        one = about["entry"][0]["resource"]
        self.assertEqual(self.get(f"/fhir/AuditEvent/{one['id']}"), one)
        agent = urllib.parse.quote(one["agent"][0]["who"]["identifier"]["value"])
        self.assertTrue(self.get(f"/fhir/AuditEvent?agent={agent}&date=ge{one['recorded'][:10]}")["entry"])
        self.get("/fhir/AuditEvent?action=R", status=400)
        for method, path in (("POST", "AuditEvent"), ("PUT", f"AuditEvent/{one['id']}"),
                             ("DELETE", f"AuditEvent/{one['id']}")):
            answer = self.server.request(
                method, "/fhir/" + path, {"Authorization": f"Bearer {self.token}", "Content-Type": "application/fhir+json"},
                json.dumps(one).encode())
            self.assertEqual((answer.status, answer.code), (403, "audit-immutable"))
        # A token with scopes of its own is neither staff nor a participant.
        other = tributary("token", "create", self.study.dir, "--scope", "system/*.rs").text.strip()
        answer = self.server.request("GET", "/fhir/AuditEvent", {"Authorization": f"Bearer {other}"})
        self.assertEqual((answer.status, answer.code), (403, "audit-not-permitted"))

    def test_described_in_metadata_and_openapi(self):
        statement = self.get("/fhir/metadata")
        resource = next(one for one in statement["rest"][0]["resource"] if one["type"] == "AuditEvent")
        self.assertEqual([one["code"] for one in resource["interaction"]], ["read", "search-type"])
        self.assertEqual([one["name"] for one in resource["searchParam"]], ["patient", "date", "agent"])
        paths = self.get("/openapi.json")["paths"]
        names = [one["name"] for one in paths["/AuditEvent"]["get"]["parameters"] if "name" in one]
        self.assertEqual(names, ["patient", "date", "agent", "_count", "_cursor", "Prefer"])
        self.assertEqual(set(paths["/AuditEvent/{id}"]), {"get"})

    def test_deletion_keeps_the_chain_valid(self):
        member = self.member()
        self.get(f"/fhir/Patient/{member.participant}")
        found = self.get(f"/fhir/Observation?subject=Patient/{member.participant}").get("entry", [])
        for entry in found[:2]:
            self.get(f"/fhir/Observation/{entry['resource']['id']}")
        self.sealed()
        before = verify(self.study)
        tributary("participant", "delete", self.study.dir, member.participant, "--reason", "as asked", "--yes")
        self.sealed()
        after = verify(self.study)
        self.assertTrue(after["ok"])
        self.assertGreater(after["rows"], before["rows"])
        self.assertEqual(self.study.number("SELECT count(*) FROM audit WHERE resource_id IS NULL AND id_salt IS NOT NULL"), 0)
        text = json.dumps(self.get("/fhir/AuditEvent?_count=500"))
        self.assertNotIn(member.participant, text)

    def test_killed_while_it_seals(self):
        random = seeded()
        study = Study()
        self.addCleanup(study.close)
        token = study.staff_token()
        acknowledged = 0
        for _ in range(ROUNDS):
            server = study.serve()
            end, failed = time.monotonic() + random.uniform(0.5, 5), threading.Event()

            def ask():
                count = 0
                while not failed.is_set():
                    try:
                        answer = server.request("GET", "/fhir/Patient", {"Authorization": f"Bearer {token}"})
                    except OSError:
                        break
                    count += answer.status == 200
                counts.append(count)

            counts = []
            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(max(0, end - time.monotonic()))
            server.kill()
            failed.set()
            for thread in threads:
                thread.join()
            acknowledged += sum(counts)
            result = verify(study)
            self.assertTrue(result["ok"], result)
        server = study.serve()
        server.stop()
        result = verify(study)
        self.assertTrue(result["ok"], result)
        self.assertEqual(result["rows"], study.number("SELECT count(*) FROM audit"))
        self.assertGreaterEqual(result["rows"], acknowledged)


class Persons(SpineTest):
    """Two participants; one signs in and approves an app."""

    @staticmethod
    def change(value):
        value["identifiedRecords"] = True

    def get(self, token, path):
        return self.server.request("GET", "/fhir/" + path, {"Authorization": f"Bearer {token}"})

    def token(self, scope):
        app = smart.client(self.study, scope, "--public")["client_id"]
        verifier, challenged = smart.challenge()
        sent = smart.Browser(self.server.url).code(smart.request(self.server, app, scope, challenged), "anna")
        answer = smart.post(self.server, "/oauth2/token", grant_type="authorization_code", code=sent["code"],
                            redirect_uri=smart.REDIRECT, code_verifier=verifier, client_id=app)
        return app, answer.json["access_token"]

    def test_participant_reads_the_events_about_themselves_with_person_and_app(self):
        writer = tributary("token", "create", self.study.dir, "--scope", "user/*.cruds").text.strip()
        for patient in ("anna", "bert"):
            answer = self.server.request(
                "PUT", f"/fhir/Patient/{patient}", {"Authorization": f"Bearer {writer}"},
                {"resourceType": "Patient", "id": patient})
            self.assertEqual(answer.status, 201)
        smart.person(self.study, "anna", "participant", "--patient", "anna")
        app, token = self.token("patient/*.rs launch/patient")
        _, narrow = self.token("patient/Observation.rs launch/patient")
        staff = self.study.staff_token()
        for patient in ("anna", "bert"):
            self.assertEqual(self.get(staff, f"Patient/{patient}").status, 200)
        self.assertEqual(self.get(token, "Patient/anna").status, 200)
        self.assertEqual(self.get(token, "Patient/bert").status, 404)
        row = self.study.sql("SELECT actor_id, client, role FROM audit WHERE role = 'participant' AND action = 'read-record' "
                             "ORDER BY number LIMIT 1")[0]
        self.assertEqual(row[1:], (app, "participant"))
        self.assertNotIn(row[0], (app, None))
        bundle = self.get(token, "AuditEvent?_count=100").json
        events = [entry["resource"] for entry in bundle["entry"]]
        text = json.dumps(events)
        self.assertIn("Patient/anna", text)
        self.assertNotIn("bert", text)
        own = [event for event in events if event["subtype"][0]["code"] == "read" and len(event["agent"]) == 3]
        names = [[agent["who"]["identifier"]["value"] for agent in event["agent"][:2]] for event in own]
        self.assertIn([row[0], app], names)
        self.assertIn("staff", {event["agent"][0]["role"][0]["coding"][0]["code"] for event in events if "role" in event["agent"][0]})
        self.assertNotIn("entry", self.get(token, "AuditEvent?patient=bert").json)
        answer = self.get(narrow, "AuditEvent")
        self.assertEqual((answer.status, answer.code), (403, "audit-not-permitted"))


@unittest.skipIf(ON_POSTGRESQL, "the tests change the store's file")
class Tampering(unittest.TestCase):
    """A stopped study, whose store is changed by hand."""

    @classmethod
    def setUpClass(cls):
        cls.study = Study()
        cls.addClassCleanup(cls.study.close)
        server, token = cls.study.serve(), cls.study.staff_token()
        for number in range(60):
            server.request("GET", ("/fhir/Patient", "/fhir/Observation/none")[number % 2],
                           {"Authorization": f"Bearer {token}"})
        server.stop()

    def changed(self, *statements, keep_anchors=True):
        """The result of the check of a copy after a change."""
        folder = self.study.root / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.study.dir, folder)
        if not keep_anchors:
            shutil.rmtree(folder / "audit-anchors")
        connection = sqlite3.connect(folder / "data" / "records.sqlite")
        with connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()
        done = tributary("audit", "verify", folder, "--json", status=None)
        result = done.json
        self.assertEqual(done.status, 0 if result["ok"] else 1)
        if not result["ok"]:
            self.assertTrue(result["why"])
            self.assertLessEqual(result["broken"]["from"], result["broken"]["to"])
        return result

    def test_every_change_of_rows_and_seals_is_reported(self):
        self.assertTrue(self.changed()["ok"])
        for statement in (
                "UPDATE audit SET allowed = 1 - allowed WHERE number = 20", "UPDATE audit SET actor_id = 'x' WHERE number = 20",
                "UPDATE audit SET client = 'x' WHERE number = 20", "UPDATE audit SET at = '2026' WHERE number = 20",
                "UPDATE audit SET resource_id = 'x' WHERE resource_id IS NOT NULL", "DELETE FROM audit WHERE number = 20",
                "UPDATE audit SET resource_id = NULL, id_salt = NULL", "UPDATE audit_seal SET at = '2026'",
                "UPDATE audit_seal SET head = previous", "DELETE FROM audit_seal WHERE number = 1", "DELETE FROM audit_seal",
                "INSERT INTO audit (number, at, action, allowed, reason) VALUES (-1, '2026', 'x', 1, 'y')"):
            with self.subTest(statement):
                self.assertFalse(self.changed(statement)["ok"])

    def test_cut_end_is_revealed_by_the_heads(self):
        cut = ("DELETE FROM audit_participant WHERE number > 10", "DELETE FROM audit WHERE number > 10",
               "DELETE FROM audit_seal")
        self.assertTrue(self.changed(*cut, keep_anchors=False)["ok"])
        result = self.changed(*cut)
        self.assertFalse(result["ok"])
        # The next command seals what is left: the heads reveal that too.
        folder = self.study.root / "copy"
        tributary("audit", "list", folder)
        self.assertFalse(verify(folder, status=1)["ok"])


@unittest.skipIf(ON_POSTGRESQL, "a restored study has its stores in files")
class Restoring(unittest.TestCase):
    def test_restored_store_explains_newer_heads(self):
        study = Study()
        self.addCleanup(study.close)
        server, token = study.serve(), study.staff_token()

        def read(server, count):
            for _ in range(count):
                server.request("GET", "/fhir/Patient", {"Authorization": f"Bearer {token}"})

        read(server, 10)
        backup = study.root / "backup.tar"
        tributary("backup", study.dir, "-o", backup)
        read(server, 10)
        server.stop()
        newer = study.root / "newer.json"
        newer.write_text(tributary("audit", "head", study.dir, "--json").text)
        digits = study.root / "newer.txt"
        digits.write_text(tributary("audit", "head", study.dir).text)
        with open(backup, "rb") as file:
            self.assertNotIn(b"audit-anchors", file.read())
        # The machine is lost but for the folders that are not in backups.
        place = study.root / "restored"
        place.mkdir()
        for name in ("keys", "audit-anchors"):
            shutil.copytree(study.dir / name, place / name)
        tributary("restore", backup, "-o", place)
        for options in ([], ["--anchor", newer], ["--anchor", digits]):
            result = verify(place, *options)
            self.assertTrue(result["ok"], result)
            self.assertEqual(len(result["restored"]), 1)
        # Heads after the restoration are checked again.
        tributary("token", "create", place, "--role", "staff")
        self.assertTrue(verify(place)["ok"])
        connection = sqlite3.connect(place / "data" / "records.sqlite")
        with connection:
            last = connection.execute("SELECT max(last_row) FROM audit_seal WHERE number < "
                                      "(SELECT max(number) FROM audit_seal)").fetchone()
            connection.execute("DELETE FROM audit WHERE number > ?", last)
            connection.execute("DELETE FROM audit_seal WHERE last_row > ?", last)
        connection.close()
        self.assertFalse(verify(place, status=1)["ok"])


if __name__ == "__main__":
    unittest.main()
