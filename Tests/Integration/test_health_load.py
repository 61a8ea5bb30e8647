"""`health load`: an export straight into records and warehouse, whole however often it is cut off."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import zipfile

import test_health_records
from harness import BIN, EXAMPLES, SpineTest, Study, health_export, seeded, tributary, until

ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))

# What the rows say, without when and by whom they were stored.
CONTENT = {
    "records": "SELECT type, id, version, content, digest, deleted FROM record_history WHERE type = 'Observation' ORDER BY id",
    "tokens": "SELECT r.id, c.parameter, c.system, c.code, c.display FROM record_term t JOIN record r ON r.number = t.number "
              "JOIN search_term c ON c.number = t.term WHERE r.type = 'Observation' ORDER BY 1, 2, 3, 4",
    "identifiers": "SELECT r.id, c.system, i.print FROM record_print i JOIN record r ON r.number = i.number "
                   "JOIN search_term c ON c.number = i.term WHERE r.type = 'Observation' ORDER BY 1, 2, 3",
    "numbers": "SELECT r.id, c.parameter, c.system, c.code, c.display, n.low, n.high, n.implicit_low, n.implicit_high "
               "FROM record_number n JOIN record r ON r.number = n.number JOIN search_term c ON c.number = n.term "
               "WHERE r.type = 'Observation' ORDER BY 1, 2, 3, 4, 6",
    "dates": "SELECT id, date_low, date_high FROM record WHERE type = 'Observation' ORDER BY 1",
    "facts": "SELECT m.encounter_ide, f.concept_cd, f.modifier_cd, f.instance_num, f.start_date, f.end_date, f.valtype_cd, "
             "f.tval_char, f.nval_num, f.units_cd, f.observation_blob FROM observation_fact f JOIN encounter_mapping m "
             "ON m.encounter_num = f.encounter_num AND m.encounter_ide_source = 'TRIBUTARY' ORDER BY 1, 2, 3, 4, 5",
    "visits": "SELECT m.encounter_ide, v.active_status_cd, v.start_date, v.end_date FROM visit_dimension v "
              "JOIN encounter_mapping m ON m.encounter_num = v.encounter_num AND m.encounter_ide_source = 'TRIBUTARY' "
              "WHERE m.encounter_ide LIKE 'TRIBUTARY:%' ORDER BY 1",
}


def content(study):
    return {name: study.sql(sql) for name, sql in CONTENT.items()}


def reasons(account, reason):
    return {kind: counts[reason] for kind, counts in account["skipped"].items() if reason in counts}


def load(study, *options, export=None, participant="paper-1", status=0):
    return tributary("health", "load", study.dir, export or health_export(), "--participant", participant, *options, "--json", status=status)


class Load(unittest.TestCase):
    def setUp(self):
        self.study = Study(forms=False)
        self.addCleanup(self.study.close)

    def same(self, left, right):
        for name in CONTENT:
            self.assertEqual(len(left[name]), len(right[name]), name)
            self.assertTrue(left[name] == right[name], name)

    def test_it_stores_what_convert_converts_and_a_second_time_nothing(self):
        lines = self.study.root / "observations.ndjson"
        converted = tributary("health", "convert", health_export(), "-o", lines, "--subject", "paper-1", "--json").json
        first = load(self.study).json
        for name in ("read", "converted", "convertedByType", "skipped", "repaired"):
            self.assertEqual(first[name], converted[name], name)
        made = {json.loads(line)["id"]: line for line in lines.read_bytes().splitlines()}
        self.assertEqual(first["rows"]["resources"], len(made))
        stored = dict(self.study.sql("SELECT id, content FROM record_history WHERE type = 'Observation'"))
        self.assertEqual({key: bytes(value) for key, value in stored.items()}, made)
        self.assertEqual(first["rows"]["facts"], self.study.number(
            "SELECT count(*) FROM observation_fact WHERE modifier_cd = '@'"))
        self.assertEqual(self.study.sql("SELECT loaded_record FROM upload_status WHERE upload_label = ?", first["submission"]),
                         [(first["rows"]["facts"],)])
        tables = [row[0] for row in self.study.sql("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counts = {table: self.study.number(f"SELECT count(*) FROM {table}") for table in tables}
        second = load(self.study).json
        self.assertEqual(second["rows"]["resources"], 0)
        self.assertEqual(second["rows"]["facts"], 0)
        self.assertEqual(second["rows"]["alreadyKnown"], first["rows"]["resources"])
        self.assertEqual((second["read"], second["converted"]), (first["read"], 0))
        # What came twice in the export is told apart from what was there.
        self.assertEqual(reasons(second, "duplicate"), reasons(first, "duplicate"))
        self.assertEqual(sum(reasons(second, "already-known").values()), first["converted"])
        self.assertEqual({table: self.study.number(f"SELECT count(*) FROM {table}") for table in tables}, counts)
        self.assertTrue(self.study.is_sound())

    def test_only_what_is_missing_is_added(self):
        part = load(self.study, "--types", "HeartRate").json["rows"]
        self.assertGreater(part["resources"], 0)
        whole = load(self.study).json["rows"]
        self.assertEqual(whole["alreadyKnown"], part["resources"])
        other = Study(forms=False)
        self.addCleanup(other.close)
        load(other)
        self.same(content(self.study), content(other))

    def test_each_load_that_stores_is_in_the_audit(self):
        first = load(self.study).json
        # One row for each transaction.
        rows = ("SELECT actor_id, role, participant, resource_id, CAST(sum(amount) AS bigint), min(allowed) FROM audit "
                "JOIN participant_pseudonym ON pseudonym = subject WHERE action = 'load-health' "
                "GROUP BY actor_id, role, participant, resource_id ORDER BY min(number)")
        ((actor, role, subject, print_, amount, allowed),) = self.study.sql(rows)
        self.assertTrue(actor)
        self.assertEqual((role, subject, allowed), ("site", "paper-1", 1))
        self.assertEqual(amount, first["rows"]["resources"] + first["rows"]["devices"])
        self.assertRegex(print_, r"\A[0-9a-f]{64}\Z")
        load(self.study)
        self.assertEqual(len(self.study.sql(rows)), 1)
        load(self.study, participant="paper-2")
        self.assertEqual([row[2] for row in self.study.sql(rows)], ["paper-1", "paper-2"])

    def test_killed_in_the_middle_and_repeated(self):
        random = seeded()
        command = [str(BIN), "health", "load", str(self.study.dir), str(health_export()), "--participant", "paper-1"]
        whole = Study(forms=False)
        self.addCleanup(whole.close)
        begin = time.monotonic()
        wanted = load(whole).json["rows"]["resources"]
        seconds = time.monotonic() - begin
        midway = 0
        for _ in range(ROUNDS):
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.05, seconds / 2))
            process.send_signal(signal.SIGKILL)
            process.wait()
            stored = self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'") if self.has_tables() else 0
            midway += 0 < stored < wanted
        print(f"  {midway} of {ROUNDS} rounds ended in the middle", file=sys.stderr)
        load(self.study)
        self.same(content(self.study), content(whole))
        self.assertEqual(self.study.number("SELECT count(*) FROM upload_status"), 2)
        self.assertEqual(self.study.number("SELECT count(DISTINCT received_at) FROM record_history WHERE type = 'Observation'"), 1)
        self.assertTrue(self.study.is_sound())

    def has_tables(self):
        return self.study.database.exists() and self.study.sql("SELECT 1 FROM sqlite_master WHERE name = 'record'")

    def indexes(self):
        if self.study.url:
            return self.study.sql("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'tributary_records' ORDER BY 1")
        return self.study.sql("SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY 1")

    def test_a_first_load_without_indexes_leaves_the_same_rows_and_all_indexes(self):
        tributary("migrate", self.study.dir)
        indexes = self.indexes()
        rows = load(self.study, "--rebuild-indexes").json["rows"]
        self.assertEqual(self.indexes(), indexes)
        usual = Study(forms=False)
        self.addCleanup(usual.close)
        self.assertEqual(load(usual).json["rows"], rows)
        self.same(content(self.study), content(usual))
        # What is there already keeps its indexes.
        refused = load(self.study, "--rebuild-indexes", participant="paper-2", status=1)
        self.assertIn("not-a-first-load", refused.errors)
        self.assertEqual(self.indexes(), indexes)

    def test_indexes_that_a_killed_load_left_out_are_made_again(self):
        tributary("migrate", self.study.dir)
        indexes = self.indexes()
        for end in (lambda: tributary("migrate", self.study.dir), lambda: load(self.study)):
            with self.subTest(str(end)):
                process = subprocess.Popen(
                    [BIN, "health", "load", str(self.study.dir), str(health_export()), "--participant", "paper-1", "--rebuild-indexes"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                until(lambda: process.poll() is not None or len(self.indexes()) < len(indexes), "dropped indexes")
                process.kill()
                process.wait()
                end()
                self.assertEqual(self.indexes(), indexes)
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])

    def test_undone_and_loaded_again(self):
        first = load(self.study).json
        before = content(self.study)
        tributary("warehouse", "undo", self.study.dir, first["submission"])
        self.assertEqual(self.study.number("SELECT count(*) FROM observation_fact"), 0)
        again = load(self.study).json["rows"]
        self.assertEqual((again["facts"], again["resources"]), (first["rows"]["facts"], 0))
        self.same(content(self.study), before)

    def test_who_is_refused(self):
        load(self.study, "--must-be-known", status=1)
        load(self.study, participant="no id", status=1)
        load(self.study, export=self.study.root / "none.zip", status=1)
        tributary("health", "load", self.study.root / "nowhere", health_export(), "--participant", "p", status=1)
        load(self.study, "--signed", "yesterday", status=64)


OWN_TYPES = {"types": [
    {"identifier": "HKQuantityTypeIdentifierBodyMass", "unit": {"healthKit": "lb", "ucum": "[lb_av]", "display": "lbs"}},
    {"identifier": "HKQuantityTypeIdentifierGripStrength", "kind": "quantity", "title": "Grip strength",
     "codings": [{"system": "http://example.org/codes", "code": "grip", "display": "Grip strength"}],
     "unit": {"healthKit": "kg", "ucum": "kg", "display": "kg"}},
]}
SMALL = """<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_US"><ExportDate value="2026-05-01 10:00:00 +0000"/>
<Record type="HKQuantityTypeIdentifierGripStrength" sourceName="App" unit="kg" startDate="2026-04-01 10:00:00 +0000" endDate="2026-04-01 10:00:00 +0000" value="41.5"/>
<Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="Watch" unit="ms" startDate="2026-04-01 10:00:00 +0000" endDate="2026-04-01 10:01:00 +0000" value="41"><HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="70" time="10:00:01.00"/><InstantaneousBeatsPerMinute bpm="71" time="10:00:02.00"/></HeartRateVariabilityMetadataList></Record>
</HealthData>
"""
INCLUDES = "urn:tributary:includes-health-data"


class OfTheStudy(unittest.TestCase):
    """The study's own types, and what its consent names."""

    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)
        self.export = self.study.root / "export.xml"
        self.export.write_text(SMALL)

    def name(self, *inclusions):
        path = self.study.dir / "consent" / "contract.json"
        contract = json.loads(path.read_text())
        contract["extension"] = [item for item in contract["extension"] if item["url"] != INCLUDES] + [
            {"url": INCLUDES, "valueCode": name} for name in inclusions]
        # A file that is replaced counts at once; one that is changed in place within a second.
        changed = path.with_name(".contract.new")
        changed.write_text(json.dumps(contract))
        changed.replace(path)
        return path

    def beats(self, study):
        rows = study.sql("SELECT content FROM record_history WHERE type = 'Observation'")
        return sum(b"eartbeat" in content for (content,) in rows)

    def test_its_own_types_are_read_and_have_their_concept(self):
        unknown = load(self.study, export=self.export).json
        self.assertEqual(unknown["convertedByType"], {"HKQuantityTypeIdentifierHeartRateVariabilitySDNN": 1})
        (self.study.dir / "health-types.json").write_text(json.dumps(OWN_TYPES))
        known = load(self.study, export=self.export).json
        self.assertEqual(known["convertedByType"], {"HKQuantityTypeIdentifierGripStrength": 1})
        self.assertEqual(
            self.study.sql("SELECT c.name_char, f.nval_num, f.units_cd FROM observation_fact f JOIN concept_dimension c "
                           "ON c.concept_cd = f.concept_cd WHERE f.modifier_cd = '@' AND c.name_char LIKE 'Grip%'"),
            [("Grip strength", 41.5, "kg")])
        self.assertIn("HKQuantityTypeIdentifierBodyMass, HKQuantityTypeIdentifierGripStrength",
                      self.study.finding("health-types")["message"])

    def test_what_is_wrong_in_its_own_types_is_said(self):
        OWN = json.loads(json.dumps(OWN_TYPES))
        OWN["types"][0]["unit"]["ucum"] = "kg"
        (self.study.dir / "health-types.json").write_text(json.dumps(OWN))
        failed = tributary("health", "load", self.study.dir, self.export, "--participant", "p", status=1)
        self.assertIn("types[0].unit.ucum", failed.errors)
        self.assertIn("types[0].unit.ucum", tributary("study", "check", self.study.dir, status=1).text)
        self.assertEqual(self.study.number("SELECT count(*) FROM record"), 0)

    def test_only_what_the_consent_names_is_taken(self):
        refused = load(self.study, "--include", "heartbeats", export=self.export, status=1)
        self.assertIn("inclusion-not-in-consent", refused.errors)
        load(self.study, export=self.export)
        self.assertEqual(self.beats(self.study), 0)
        load(self.study, "--include", "nights", export=self.export)
        path = self.name("heartbeats")
        self.assertIn("heartbeats", self.study.finding("consent-inclusions")["message"])
        refused = load(self.study, "--include", "heartbeats,routes", export=self.export, status=1)
        self.assertIn("routes", refused.errors)
        load(self.study, export=self.export)
        self.assertEqual(self.beats(self.study), 1)
        # One that names less beside it, in another language.
        shutil.copy(EXAMPLES / "study" / "consent" / "contract.json", path.with_name("contract-2.json"))
        load(self.study, "--include", "heartbeats", export=self.export, status=1)

    def clinical(self):
        """An export with clinical records of R4 and of DSTU2."""
        path = self.study.root / "clinical.zip"
        with zipfile.ZipFile(path, "w") as archive:
            entries = "".join(test_health_records.entry(*record) for record in test_health_records.RECORDS)
            archive.writestr("apple_health_export/export.xml", test_health_records.XML % entries)
            for record, _ in test_health_records.RECORDS:
                archive.writestr(f"apple_health_export/clinical-records/{record['resourceType']}.json", json.dumps(record))
        return path

    STORED = "SELECT type, count(*) FROM record WHERE type NOT IN ('Patient', 'Consent', 'Contract', 'Device', 'Questionnaire') GROUP BY type"
    CLINICAL = [("DocumentReference", 2), ("Immunization", 1), ("MedicationRequest", 1), ("Observation", 2)]

    def test_clinical_records_are_stored_whatever_their_type(self):
        self.name("clinical-records")
        path = self.clinical()
        first = load(self.study, export=path).json
        self.assertEqual(first["besides"], {"HKClinicalRecord": {"converted": 3}})
        self.assertEqual((first["rows"]["resources"], first["rows"]["refused"]), (6, 0))
        self.assertEqual(sorted(self.study.sql(self.STORED)), self.CLINICAL)
        second = load(self.study, export=path).json
        self.assertEqual(second["besides"], {"HKClinicalRecord": {"already-known": 3}})
        self.assertEqual((second["rows"]["resources"], second["rows"]["alreadyKnown"]), (0, 6))
        self.assertEqual(sorted(self.study.sql(self.STORED)), self.CLINICAL)
        somebody = load(self.study, export=path, participant="p2").json
        self.assertEqual(somebody["rows"]["resources"], 6)

    def test_clinical_records_are_taken_from_a_device(self):
        server = self.study.serve()
        device = self.study.device(server)
        device.run("consent", "--contract", self.name("clinical-records"),
                   "--answers", EXAMPLES / "study" / "answers" / "consent-1.json", "--name", "A B")
        device.run("health", self.clinical())
        device.send()
        self.study.settled(300)
        self.assertEqual(sorted(self.study.sql(self.STORED)), self.CLINICAL)

    def test_a_consent_that_names_what_there_is_not(self):
        self.name("routs")
        self.assertIn("consent-inclusion-unknown", tributary("study", "check", self.study.dir, status=1).text)

    def test_the_device_takes_what_its_person_signed(self):
        server = self.study.serve()
        for inclusions, beats in (((), 0), (("heartbeats",), 1)):
            path = self.name(*inclusions)
            device = self.study.device(server)
            device.run("consent", "--contract", path, "--answers", EXAMPLES / "study" / "answers" / "consent-1.json",
                       "--name", "A B")
            status = 0 if inclusions else 1
            device.run("health", self.export, "--include", "heartbeats", status=status)
            refused = device.run("health", self.export, "--include", "routes", status=1)
            self.assertIn("inclusion-not-in-consent", refused.errors)
            device.run("health", self.export)
            device.send()
            self.study.settled(300)
            self.assertEqual(self.beats(self.study), beats)


class SameAsByDevice(SpineTest):
    def test_the_rows_are_those_of_the_device(self):
        study = self.study
        device = study.device(self.server)
        device.consent()
        device.health(health_export())
        device.send()
        study.settled(300)
        participant = study.sql("SELECT subject FROM participant_consent")[0][0]
        other = Study(forms=False)
        self.addCleanup(other.close)
        load(other, participant=participant)
        by_device, by_load = content(study), content(other)
        for name in CONTENT:
            self.assertGreater(len(by_load[name]), 50 if name == "visits" else 1000, name)
            self.assertEqual(len(by_device[name]), len(by_load[name]), name)
            self.assertTrue(by_device[name] == by_load[name], name)
        # What the device brought is there for a load too.
        rows = load(study, participant=participant).json["rows"]
        self.assertEqual((rows["resources"], rows["facts"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
