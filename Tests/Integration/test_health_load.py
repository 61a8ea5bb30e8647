"""`health load`: an export straight into records and warehouse, whole however often it is cut off."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from harness import BIN, EXAMPLES, SpineTest, Study, seeded, tributary, until

EXPORT = EXAMPLES / "apple-health" / "export.zip"
ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))

# What the rows say, without when and by whom they were stored.
CONTENT = {
    "records": "SELECT type, id, version, content, digest, deleted FROM record_version WHERE type = 'Observation' ORDER BY id",
    "tokens": "SELECT r.id, t.parameter, t.system, t.code FROM record_token t JOIN record r ON r.number = t.number "
              "WHERE r.type = 'Observation' ORDER BY 1, 2, 3, 4",
    "dates": "SELECT r.id, d.low_ms, d.high_ms FROM record_date d JOIN record r ON r.number = d.number "
             "WHERE r.type = 'Observation' ORDER BY 1",
    "facts": "SELECT m.encounter_ide, f.concept_cd, f.modifier_cd, f.instance_num, f.start_date, f.end_date, f.valtype_cd, "
             "f.tval_char, f.nval_num, f.units_cd, f.observation_blob FROM observation_fact f JOIN encounter_mapping m "
             "ON m.encounter_num = f.encounter_num AND m.encounter_ide_source = 'TRIBUTARY' ORDER BY 1, 2, 3, 4",
    "visits": "SELECT m.encounter_ide, v.active_status_cd, v.start_date, v.end_date FROM visit_dimension v "
              "JOIN encounter_mapping m ON m.encounter_num = v.encounter_num AND m.encounter_ide_source = 'TRIBUTARY' "
              "WHERE m.encounter_ide LIKE 'Observation/%' ORDER BY 1",
}


def content(study):
    return {name: study.sql(sql) for name, sql in CONTENT.items()}


def load(study, *options, export=EXPORT, participant="paper-1", status=0):
    return tributary("health", "load", study.dir, export, "--participant", participant, *options, "--json", status=status)


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
        converted = tributary("health", "convert", EXPORT, "-o", lines, "--subject", "paper-1", "--json").json
        first = load(self.study).json
        for name in ("read", "converted", "convertedByType", "skipped", "repaired"):
            self.assertEqual(first[name], converted[name], name)
        made = {json.loads(line)["id"]: line for line in lines.read_bytes().splitlines()}
        self.assertEqual(first["rows"]["resources"], len(made))
        stored = dict(self.study.sql("SELECT id, content FROM record_version WHERE type = 'Observation'"))
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
        self.assertEqual({table: self.study.number(f"SELECT count(*) FROM {table}") for table in tables}, counts)
        self.assertEqual(self.study.sql("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.study.sql("PRAGMA foreign_key_check"), [])

    def test_only_what_is_missing_is_added(self):
        part = load(self.study, "--types", "HeartRate").json["rows"]
        self.assertGreater(part["resources"], 0)
        whole = load(self.study).json["rows"]
        self.assertEqual(whole["alreadyKnown"], part["resources"])
        other = Study(forms=False)
        self.addCleanup(other.close)
        load(other)
        self.same(content(self.study), content(other))

    def test_killed_in_the_middle_and_repeated(self):
        random = seeded()
        command = [str(BIN), "health", "load", str(self.study.dir), str(EXPORT), "--participant", "paper-1"]
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
        self.assertEqual(self.study.number("SELECT count(DISTINCT received_at) FROM record_version WHERE type = 'Observation'"), 1)
        self.assertEqual(self.study.sql("PRAGMA integrity_check"), [("ok",)])

    def has_tables(self):
        return self.study.database.exists() and self.study.sql("SELECT 1 FROM sqlite_master WHERE name = 'record'")

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
        tributary("health", "load", self.study.root / "nowhere", EXPORT, "--participant", "p", status=1)
        load(self.study, "--signed", "yesterday", status=64)


class SameAsByDevice(SpineTest):
    def test_the_rows_are_those_of_the_device(self):
        study = self.study
        device = study.device(self.server)
        device.consent()
        device.health(EXPORT)
        device.send()
        study.settled(300)
        participant = study.sql("SELECT subject FROM participant_consent")[0][0]
        other = Study(forms=False)
        self.addCleanup(other.close)
        load(other, participant=participant)
        by_device, by_load = content(study), content(other)
        for name in CONTENT:
            self.assertGreater(len(by_load[name]), 1000, name)
            self.assertEqual(len(by_device[name]), len(by_load[name]), name)
            self.assertTrue(by_device[name] == by_load[name], name)
        # What the device brought is there for a load too.
        rows = load(study, participant=participant).json["rows"]
        self.assertEqual((rows["resources"], rows["facts"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
