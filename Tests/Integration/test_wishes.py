"""What participants may ask for: to withdraw, to be deleted from every store, and to get all that is held of them."""

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import time
import unittest
from collections import Counter
from pathlib import Path

from forms import VISIT, new_id, observation, response, visit
from harness import BIN, CONSENT_ANSWERS, ON_POSTGRESQL, SpineTest, Study, health_export, seeded, tributary, until
from sealed import SealedClient
from stored_contents import clear

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
PLANTED = "planted-words-of-one"
RATE = "\\Tributary\\Questionnaires\\"


def participant(study, command, *arguments, status=0):
    if command == "delete":
        arguments += (("--yes",) if "--reason" in arguments else ("--reason", "as asked", "--yes"))
    done = tributary("participant", command, study.dir, *arguments, "--json", status=status)
    return done.json if status == 0 else done


def failure(study, command, *arguments):
    """The code of the error of a command."""
    return participant(study, command, *arguments, status=1).errors.strip().rsplit("[", 1)[-1].rstrip("]")


def files_with(folder, *words):
    """The files below a folder in which one of the words stands."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = clear(path.read_bytes())
            found += [f"{path.relative_to(folder)}: {word}" for word in words if word.encode() in data]
    return found


def dump(path):
    """All rows of a database, by table."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)
    try:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: Counter(connection.execute(f"SELECT * FROM {table}")) for table in tables}
    finally:
        connection.close()


def state(study):
    return {store: dump(path) for store, path in (("records", study.database), ("queue", study.queue_database))}


def rows_of(study, device):
    """The rows of one participant, by table."""
    person = device.participant
    number = study.number("SELECT patient_num FROM patient_mapping WHERE patient_ide = ?", person)
    lane = study.number("SELECT device FROM device_binding WHERE participant = ?", person)
    queries = {
        "record": ("SELECT * FROM record WHERE subject = ?", person),
        "version": ("SELECT v.* FROM record r JOIN record_version v ON v.number = r.number WHERE r.subject = ?", person),
        "token": ("SELECT t.* FROM record r JOIN record_term t ON t.number = r.number WHERE r.subject = ?", person),
        "identifier": ("SELECT i.* FROM record r JOIN record_print i ON i.number = r.number WHERE r.subject = ?", person),
        "number": ("SELECT n.* FROM record r JOIN record_number n ON n.number = r.number WHERE r.subject = ?", person),
        "fact": ("SELECT * FROM observation_fact WHERE patient_num = ?", number),
        "visit": ("SELECT * FROM visit_dimension WHERE patient_num = ?", number),
        "patient": ("SELECT * FROM patient_dimension WHERE patient_num = ?", number),
        "name": ("SELECT * FROM patient_mapping WHERE patient_num = ?", number),
        "encounter": ("SELECT * FROM encounter_mapping WHERE patient_ide = ?", person),
        "contract": ("SELECT * FROM consent_contract WHERE patient_num = ?", number),
        "consent": ("SELECT * FROM participant_consent WHERE subject = ?", person),
        "binding": ("SELECT * FROM device_binding WHERE participant = ?", person),
        "settlement": ("SELECT * FROM settlement WHERE lane = ?", lane),
        "pseudonym": ("SELECT * FROM participant_pseudonym WHERE participant = ?", person),
    }
    rows = {name: sorted(map(repr, study.sql(*query))) for name, query in queries.items()}
    rows["submission"] = sorted(map(repr, study.queue_sql("SELECT * FROM submission WHERE lane = ?", lane)))
    return rows


class WishesTest(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(VISIT)

    def person(self, words=PLANTED, sharing=True):
        """A participant with answers, two versions of an observation, what waits and what was quarantined."""
        device = self.study.device(self.server)
        answers = {**json.loads(CONSENT_ANSWERS.read_text()), "sharing": sharing}
        device.consent(answers=answers)
        device.answer(VISIT, visit(why=words))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        client = SealedClient(self.server, self.study, device=device)
        pulse = new_id()
        for value in (71, 72):
            sid = client.send(observation(device.participant, value, id=pulse, note=[{"text": words}]))
            self.assertEqual(client.outcome(sid), ("stored", None))
        bad = client.send({**response(device.participant), "questionnaire": "https://example.org/" + words.split(" ")[0]})
        self.assertEqual(client.outcome(bad), ("held", "form-unknown"))
        device.client, device.bad = client, bad
        return device

    def count(self, *options):
        path = next(row["path"] for row in tributary("warehouse", "ontology", self.study.dir, "--json").json
                    if row["name"] == "Your pulse" and "isit" in row["path"])
        return tributary("warehouse", "count", self.study.dir, "--path", path, *options, "--json").json["patients"]

    def audit(self, action):
        rows = tributary("audit", "list", self.study.dir, "--json").json
        return [row for row in rows if row["action"] == action]


class Looking(WishesTest):
    def test_the_team_sees_who_takes_part_and_nothing_of_what_they_gave(self):
        first, second = self.person(), self.person("other words", sharing=False)
        listed = {row["participant"]: row for row in participant(self.study, "list")}
        self.assertEqual(set(listed), {first.participant, second.participant})
        row = listed[first.participant]
        self.assertEqual((row["consent"], row["sharing"], row["devices"], row["waiting"], row["quarantined"]),
                         ("consented", True, 1, 0, 1))
        self.assertIs(listed[second.participant]["sharing"], False)
        self.assertEqual(row["records"], self.study.number("SELECT count(*) FROM record WHERE subject = ?", first.participant))
        self.assertGreater(row["facts"], 3)
        shown = participant(self.study, "show", first.participant)
        self.assertEqual(shown["types"]["Observation"], 1)
        text = tributary("participant", "show", self.study.dir, first.participant).text
        self.assertRegex(text, rf"(?m)^device: {shown['devices'][0]['device']}, \S+ to now$")
        self.assertRegex(text, rf"(?m)^facts: {shown['facts']} with {shown['modifiers']} modifiers$")
        self.assertNotIn("{", text)
        self.assertEqual(len(shown["devices"]), 1)
        for output in (tributary("participant", "list", self.study.dir).text,
                       tributary("participant", "show", self.study.dir, first.participant).text, json.dumps(shown)):
            self.assertIn(first.participant, output)
            self.assertNotIn(PLANTED, output)
        self.assertEqual(failure(self.study, "show", "nobody"), "participant-unknown")
        self.assertEqual([row["participants"] for row in self.audit("read-participant")], [[first.participant]] * 3)
        self.assertEqual(len(self.audit("list-participants")), 2)


class Withdrawing(WishesTest):
    def test_who_withdrew_is_out_of_counts_and_stays_in_the_records(self):
        first, second = self.person(), self.person("other words", sharing=False)
        self.assertEqual((self.count(), self.count("--shared"), self.count("--with-withdrawn")), (2, 1, 2))
        tributary("warehouse", "count", self.study.dir, "--path", RATE, "--shared", "--with-withdrawn", status=64)
        participant(self.study, "withdraw", first.participant)
        self.assertEqual((self.count(), self.count("--shared"), self.count("--with-withdrawn")), (1, 0, 2))
        token = self.study.staff_token()
        bundle = self.server.request("GET", f"/fhir/Consent?patient={first.participant}",
                                     {"Authorization": "Bearer " + token}).json
        self.assertEqual(bundle["total"], 1)
        consent = bundle["entry"][0]["resource"]
        self.assertEqual(consent["status"], "inactive")
        self.assertIn("account:", json.dumps(consent["performer"]))
        found = self.server.request("GET", f"/fhir/Observation?patient={first.participant}",
                                    {"Authorization": "Bearer " + token}).json
        self.assertGreater(found["total"], 0, "reads show what was given before")
        sid = second.client.send(observation(second.participant, 50))
        self.assertEqual(second.client.outcome(sid), ("stored", None))
        sid = first.client.send(observation(first.participant, 50))
        self.assertEqual(first.client.outcome(sid), ("refused", "consent-withdrawn"))
        self.assertEqual(failure(self.study, "withdraw", "nobody"), "participant-unknown")


class Paper(WishesTest):
    def test_consent_on_paper_is_withdrawn_as_any_other(self):
        tributary("health", "load", self.study.dir, health_export(), "--participant", "paper-1", "--signed", "2026-03-02")
        self.assertEqual(participant(self.study, "show", "paper-1")["consent"], "consented")
        participant(self.study, "withdraw", "paper-1")
        shown = participant(self.study, "show", "paper-1")
        self.assertEqual((shown["consent"], shown["types"]["Consent"]), ("withdrawn", 1))
        self.assertIsNotNone(shown["withdrawnAt"])
        refused = tributary("health", "load", self.study.dir, health_export(), "--participant", "paper-1", status=1)
        self.assertIn("consent-withdrawn", refused.errors)
        bundle = self.study.root / "withdrawal.json"
        content = self.study.sql("SELECT v.content FROM record r JOIN record_history v ON v.number = r.number "
                                 "WHERE r.type = 'Consent' AND r.subject = 'paper-1'")
        bundle.write_bytes(content[0][0])
        tributary("fhir", "validate", bundle)


class Exporting(WishesTest):
    def test_all_that_is_held_is_given_out_and_valid(self):
        words = PLANTED + " <script>alert(1)</script>"
        person, other = self.person(words), self.person("words of another")
        folder = self.study.root / "export"
        done = participant(self.study, "export", person.participant, "-o", folder)
        self.assertEqual((done["waiting"], done["opened"]), (1, 1))
        self.assertEqual(done["versions"], done["resources"] + 1)
        files = {path.name: path for path in folder.iterdir()}
        measured = {name for name in files if name.startswith("measurements-")}
        self.assertEqual(set(files) - measured, {"bundle.json", "facts.csv", "accesses.csv", "waiting.json", "index.html",
                                                 "permissions.json"})
        self.assertEqual({path.stat().st_mode & 0o777 for path in files.values()}, {0o600})
        report = tributary("fhir", "validate", files["bundle.json"], "--json", status=None)
        self.assertEqual(report.status, 0, report.text[:3000])
        bundle = json.loads(files["bundle.json"].read_text())
        versions = [entry["resource"] for entry in bundle["entry"] if entry["resource"]["resourceType"] == "Observation"]
        self.assertEqual([(row["meta"]["versionId"], row["valueQuantity"]["value"]) for row in versions], [("1", 71), ("2", 72)])
        self.assertEqual(len(bundle["entry"]), done["versions"] + done["opened"])
        facts = list(csv.DictReader(io.StringIO(files["facts.csv"].read_bytes().decode(), newline="")))
        number = self.study.number("SELECT patient_num FROM patient_mapping WHERE patient_ide = ?", person.participant)
        self.assertEqual(len(facts), self.study.number("SELECT count(*) FROM observation_fact WHERE patient_num = ?", number))
        modifiers = [row for row in facts if row["modifier_cd"] != "@"]
        shown = participant(self.study, "show", person.participant)
        self.assertEqual((len(facts) - len(modifiers), len(modifiers)), (done["facts"], done["modifiers"]))
        self.assertEqual((shown["facts"], shown["modifiers"]), (done["facts"], done["modifiers"]))
        self.assertIn(words, {row["tval_char"] for row in facts})
        page = files["index.html"].read_text()
        self.assertIn("&lt;script&gt;", page)
        self.assertNotIn("<script", page)
        # It is for readers: no JSON, and times without milliseconds.
        self.assertNotIn("{&quot;", page)
        self.assertNotRegex(page, r"\d\dT\d\d:\d\d")
        self.assertIn(">Measurements<", page)
        # The current measurement is a row of the file of its type, which the page links.
        self.assertEqual((len(measured), done["measurements"]), (1, 1))
        rows = list(csv.DictReader(io.StringIO(files[measured.pop()].read_bytes().decode(), newline="")))
        self.assertEqual([(row["value"], row["unit"]) for row in rows], [("72", "/min")])
        self.assertIn('href="measurements-', page)
        # The consent with its text, the answers in two columns, and accesses in sentences.
        self.assertIn('class="document"', page)
        self.assertIn(">Question</th>", page)
        self.assertIn("Exported all your data", page)
        self.assertNotIn("export-participant", page)
        for loading in ("<link", " src=", "@import", "url("):
            self.assertNotIn(loading, page)
        for path in files.values():
            self.assertNotIn(other.participant, path.read_text())
            self.assertNotIn("words of another", path.read_text())
        accesses = list(csv.DictReader(io.StringIO(files["accesses.csv"].read_bytes().decode(), newline="")))
        self.assertIn("export-participant", {row["action"] for row in accesses})
        # Nothing is replaced unless that is asked for.
        self.assertEqual(failure(self.study, "export", person.participant, "-o", folder), "file-exists")
        participant(self.study, "export", person.participant, "-o", folder, "--force")
        blocked = self.study.root / "blocked"
        blocked.write_text("a file")
        self.assertIn(failure(self.study, "export", person.participant, "-o", blocked / "below"), ("file-unwritable",))
        self.assertEqual(failure(self.study, "export", "nobody", "-o", self.study.root / "n"), "participant-unknown")

    def test_what_no_key_opens_is_named(self):
        person = self.person()
        keys, away = self.study.dir / "keys", self.study.root / "keys-away"
        keys.rename(away)
        try:
            folder = self.study.root / "export-without-keys"
            done = participant(self.study, "export", person.participant, "-o", folder)
        finally:
            away.rename(keys)
        self.assertEqual((done["waiting"], done["opened"]), (1, 0))
        waiting = json.loads((folder / "waiting.json").read_text())
        self.assertEqual([(row["submission"], row["opened"]) for row in waiting], [(person.bad, False)])


class Deleting(WishesTest):
    def setUp(self):
        self.gone, self.other = self.person(), self.person("words of another")
        tributary("participant", "show", self.study.dir, self.gone.participant)
        self.words = (PLANTED, self.gone.participant, self.gone.contract)

    def genuine(self, report):
        """By the command, and by openssl alone."""
        self.assertEqual(tributary("participant", "verify", self.study.dir, report, "--json").json, {"genuine": True})
        subprocess.run(["openssl", "dgst", "-sha256", "-verify", self.study.dir / "deletions" / "report-key.pem",
                        "-signature", f"{report}.sig", report], check=True, stdout=subprocess.PIPE)

    @unittest.skipIf(ON_POSTGRESQL, "it looks into files")
    def test_no_byte_is_left_and_nobody_else_is_touched_while_the_server_works(self):
        for copy in ("data/records.sqlite.before-20260101", "queue/queue.sqlite.before-20260101.part"):
            (self.study.dir / copy).write_bytes(PLANTED.encode())
        before = rows_of(self.study, self.other)
        self.assertTrue(files_with(self.study.dir, *self.words))
        waiting = self.study.queue_number("SELECT count(*) FROM submission_body")
        done = participant(self.study, "delete", self.gone.participant, "--reason", "asked by letter")
        self.assertEqual(files_with(self.study.dir, *self.words), [])
        self.assertEqual(rows_of(self.study, self.other), before)
        removed = done["removed"]
        self.assertEqual((removed["record_version"] - removed["record"], removed["submission_body"], removed["copies"],
                          removed["participant_consent"], removed["device_binding"]), (1, 1, 2, 1, 1))
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission_body"), waiting - 1)
        self.assertEqual(set(done["kept"]), {"submission"})
        # The report names nobody, and proves what it says.
        text = Path(done["report"]).read_text()
        report = json.loads(text)
        self.assertEqual(text, json.dumps(report, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
        self.assertEqual((report["reason"], report["removed"]["record"]["count"]), ("asked by letter", removed["record"]))
        self.assertEqual(os.stat(done["report"]).st_mode & 0o777, 0o600)
        self.assertEqual((self.study.dir / "keys" / "deletion-reports.pem").stat().st_mode & 0o777, 0o600)
        self.genuine(done["report"])
        # The audit's rows stay, under names that nothing resolves.
        pseudonyms = {name for row in self.audit("write-record") for name in row["participants"]}
        self.assertIn(self.other.participant, pseudonyms)
        self.assertNotIn(self.gone.participant, pseudonyms)
        self.assertGreater(len(pseudonyms), 1)
        # Twice, and who is not there.
        self.assertEqual(failure(self.study, "delete", self.gone.participant), "participant-deleted")
        self.assertEqual(failure(self.study, "delete", "nobody"), "participant-unknown")
        self.assertEqual(failure(self.study, "delete", "../x"), "participant-invalid")
        for command in ("show", "withdraw"):
            self.assertEqual(failure(self.study, command, self.gone.participant), "participant-deleted")
        self.assertNotIn(self.gone.participant, {row["participant"] for row in participant(self.study, "list")})
        self.assertEqual(self.count("--with-withdrawn"), 1 + self.others())
        self.resend()
        self.altered(done["report"])

    def others(self):
        """Participants of other tests of the class."""
        return len(participant(self.study, "list")) - 1

    def resend(self):
        """What comes again is refused, and the phone is told not to keep it; its owner may begin anew."""
        client = self.gone.client
        statuses = {(row["status"], row.get("reason")) for row in client.deliveries().values()}
        self.assertEqual(statuses, {("refused", "participant-deleted")})
        for payload in (observation(self.gone.participant, 60), response(self.gone.participant),
                        {**response(self.gone.participant), "questionnaire": "https://example.org/nobody"}):
            self.assertEqual(client.outcome(client.send(payload)), ("refused", "participant-deleted"))
        self.assertEqual(self.study.queue_number(
            "SELECT count(*) FROM submission_body b JOIN submission s ON s.number = b.number WHERE s.lane = "
            "(SELECT lane FROM submission WHERE submission_id = ?)", self.gone.bad), 0)
        # Somebody who asks for them by name leaves no trace of it.
        token = {"Authorization": "Bearer " + self.study.staff_token()}
        self.assertEqual(self.server.request("GET", f"/fhir/Patient/{self.gone.participant}", token).status, 404)
        refused = tributary("health", "load", self.study.dir, health_export(), "--participant", self.gone.participant, status=1)
        self.assertIn("participant-deleted", refused.errors)
        self.assertEqual(self.study.sql("SELECT 1 FROM record WHERE subject = ?", self.gone.participant), [])
        self.assertEqual(self.study.sql("SELECT 1 FROM participant_pseudonym WHERE participant = ?", self.gone.participant), [])
        # The same phone, its app begun anew: the person takes part again under a new id.
        anew = self.study.device(self.server, enrol=False)
        anew.enrol(self.server, receipt=self.gone.receipt_path.read_text().strip())
        anew.consent()
        self.assertNotEqual(anew.participant, self.gone.participant)
        anew.send()
        until(lambda: anew.participant in {row["participant"] for row in participant(self.study, "list")},
              "the phone's owner takes part again")
        self.assertEqual(participant(self.study, "show", anew.participant)["consent"], "consented")

    def altered(self, report):
        with open(report, "ab") as file:
            file.write(b" ")
        self.assertEqual(failure(self.study, "verify", report), "report-not-genuine")

    def test_keep_on_delete_keeps_the_contract_and_the_audit_and_says_so(self):
        self.study.change(lambda value: value.update(keepOnDelete=["consent", "audit"]))
        self.addCleanup(self.study.change, lambda value: value.pop("keepOnDelete"))
        done = participant(self.study, "delete", self.gone.participant)
        self.assertEqual((done["kept"]["consent"], done["kept"]["audit"]), (1, 1))
        self.assertEqual(self.study.sql("SELECT type, id FROM record WHERE subject = ?", self.gone.participant),
                         [("Contract", self.gone.contract)])
        self.assertEqual(files_with(self.study.dir, PLANTED), [])
        rows = tributary("audit", "list", self.study.dir, "--participant", self.gone.participant, "--json").json
        self.assertIn("write-record", {row["action"] for row in rows})
        self.study.change(lambda value: value.update(keepOnDelete=["facts"]))
        self.assertEqual(failure(self.study, "delete", self.other.participant), "study-invalid")
        self.study.change(lambda value: value.update(keepOnDelete=[]))
        participant(self.study, "show", self.other.participant)

    @unittest.skipIf(ON_POSTGRESQL, "it looks into files")
    def test_where_the_report_cannot_be_written_nothing_is_deleted(self):
        place = self.study.dir / "deletions"
        aside = self.study.root / "deletions-aside"
        if place.exists():
            place.rename(aside)
        place.write_text("in the way")
        before = state(self.study)
        try:
            self.assertEqual(failure(self.study, "delete", self.gone.participant), "file-unwritable")
            self.assertEqual(failure(self.study, "delete", self.gone.participant, "--reason",
                                     "it is " + self.gone.participant), "reason-names-participant")
        finally:
            place.unlink()
            if aside.exists():
                aside.rename(place)
        self.assertEqual(state(self.study), before)
        keys, away = self.study.dir / "keys", self.study.root / "keys-away"
        keys.rename(away)
        try:
            self.assertEqual(failure(self.study, "delete", self.gone.participant), "keys-missing")
        finally:
            away.rename(keys)
        self.assertEqual(participant(self.study, "show", self.gone.participant)["consent"], "consented")


class Interrupted(WishesTest):
    def test_a_deletion_that_is_killed_is_ended_by_the_next(self):
        random = seeded()
        begun = time.monotonic()
        measured = self.person("a first one")
        participant(self.study, "delete", measured.participant)
        length = min(time.monotonic() - begun, 3)
        reports = set((self.study.dir / "deletions").glob("report-*.json"))
        for round in range(ROUNDS):
            words = f"{PLANTED}-{round}-x"
            person = self.person(words)
            link = tributary("link", "create", self.study.dir, "--record", words + "-record").json
            person.run("link", "--jwt", person.write(link["jwt"].encode()))
            person.send()
            person.settled()
            begun = time.monotonic()
            while True:
                process = subprocess.Popen([str(BIN), "participant", "delete", str(self.study.dir), person.participant,
                                            "--reason", "as asked", "--yes"],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                try:
                    errors = process.communicate(timeout=random.uniform(0, length / 2))[1]
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    errors = process.communicate()[1]
                # The one before may have been killed after all was done.
                if process.returncode == 0 or "participant-deleted" in errors or random.random() < 0.3:
                    break
                self.assertEqual(process.returncode, -signal.SIGKILL)
            if process.returncode != 0:
                done = tributary("participant", "delete", self.study.dir, person.participant, "--reason", "as asked", "--yes",
                                 "--json", status=None)
                # It may have been killed after all was done.
                if done.status != 0:
                    self.assertIn("participant-deleted", done.errors)
            self.assertEqual(files_with(self.study.dir, words, person.participant, person.contract), [])
            found = set((self.study.dir / "deletions").glob("report-*.json"))
            self.assertEqual(len(found - reports), 1)
            for path in found - reports:
                tributary("participant", "verify", self.study.dir, path)
                removed = json.loads(path.read_text())["removed"]
                self.assertGreater(removed["record"]["count"], 2)
                self.assertEqual(removed["links"]["count"], 1)
            reports = found


class Restoring(WishesTest):
    def test_a_restore_deletes_again_before_the_study_can_be_used(self):
        gone, other = self.person(), self.person("words of another")
        backup = self.study.root / "backup.tar"
        tributary("backup", self.study.dir, "-o", backup)
        done = participant(self.study, "delete", gone.participant)
        words = (PLANTED, gone.participant, gone.contract)
        before = rows_of(self.study, other)
        # 1. The list is given, or stands in the folder.
        listed = self.study.dir / "deletions" / "list.json"
        self.assertEqual(listed.stat().st_mode & 0o777, 0o600)
        self.assertNotIn(gone.participant, listed.read_text())
        place = self.study.root / "given"
        answer = tributary("restore", backup, "-o", place, "--deletions", listed, "--json").json
        self.assertEqual(answer["deletedAgain"], 1)
        self.assertEqual(files_with(place, *words), [])
        self.assertEqual(json.loads((place / "deletions" / "list.json").read_text()), json.loads(listed.read_text()))
        found = self.study.root / "found"
        found.mkdir()
        (found / "deletions").mkdir(mode=0o700)
        (found / "deletions" / "list.json").write_text(listed.read_text())
        self.assertEqual(tributary("restore", backup, "-o", found, "--json").json["deletedAgain"], 1)
        self.assertEqual(files_with(found, *words), [])
        # 2. Without it nobody knows, and the command says so.
        without = tributary("restore", backup, "-o", self.study.root / "without", "--json")
        self.assertNotIn("deletedAgain", without.json)
        self.assertIn("--deletions", without.errors)
        # 3. A later backup knows itself.
        later = self.study.root / "later.tar"
        tributary("backup", self.study.dir, "-o", later)
        again = self.study.root / "again"
        self.assertEqual(tributary("restore", later, "-o", again, "--json").json["deletedAgain"], 0)
        self.assertTrue((again / "deletions" / "list.json").exists())
        # 4. The phones notice the restore; what they send again of the deleted is refused, of others it is stored.
        self.server.stop()
        dir, self.study.dir = self.study.dir, place
        self.addCleanup(setattr, self.study, "dir", dir)
        (place / "keys").symlink_to(dir / "keys")
        self.assertEqual({name: rows for name, rows in rows_of(self.study, other).items() if name != "pseudonym"},
                         {name: rows for name, rows in before.items() if name != "pseudonym"})
        server = self.study.serve()
        for client in (gone.client, other.client):
            client.server = server
            client.renew()
        sid = gone.client.send(observation(gone.participant, 60))
        self.assertEqual(gone.client.outcome(sid), ("refused", "participant-deleted"))
        sid = other.client.send(observation(other.participant, 60))
        self.assertEqual(other.client.outcome(sid), ("stored", None))
        # 5. What is no list, or that of another study.
        bad = self.study.root / "bad.json"
        for text, code in (("{", "deletions-invalid"), (listed.read_text().replace('"study"', '"study-x"'), "deletions-invalid"),
                           (json.dumps({**json.loads(listed.read_text()), "study": "another"}), "deletions-mismatch")):
            bad.write_text(text)
            refused = tributary("restore", backup, "-o", self.study.root / "bad", "--deletions", bad, status=1)
            self.assertIn(code, refused.errors)
            self.assertFalse((self.study.root / "bad").exists())
        self.assertTrue(done["report"])


if __name__ == "__main__":
    unittest.main()
