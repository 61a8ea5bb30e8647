"""An i2b2 in another database than the records: it follows them, each row once, whatever is away or killed meanwhile."""

import os
import re
import time
import unittest

import postgresql
from forms import VISIT, visit
from harness import Study, seeded, tributary, until
from i2b2 import DATA, I2B2, METADATA

PULSE = "\\Tributary\\Codes\\LOINC\\8867-4\\"
ROUNDS = int(os.environ.get("TRIBUTARY_KILL_ROUNDS", "5"))
TABLES = {
    "facts": """
        SELECT p.patient_ide, e.encounter_ide, f.concept_cd, f.modifier_cd, f.instance_num, f.start_date, f.valtype_cd,
            f.tval_char, f.nval_num, f.units_cd, f.location_cd, u.upload_label
        FROM observation_fact f JOIN patient_mapping p ON p.patient_num = f.patient_num AND p.patient_ide_source = 'TRIBUTARY'
        JOIN encounter_mapping e ON e.encounter_num = f.encounter_num AND e.encounter_ide_source = 'TRIBUTARY'
        JOIN upload_status u ON u.upload_id = f.upload_id WHERE f.sourcesystem_cd = 'TRIBUTARY'""",
    "visits": """
        SELECT p.patient_ide, e.encounter_ide, v.start_date, v.end_date, v.location_cd, v.active_status_cd
        FROM visit_dimension v JOIN patient_mapping p ON p.patient_num = v.patient_num AND p.patient_ide_source = 'TRIBUTARY'
        JOIN encounter_mapping e ON e.encounter_num = v.encounter_num AND e.encounter_ide_source = 'TRIBUTARY'
        WHERE v.sourcesystem_cd = 'TRIBUTARY'""",
    "patients": """
        SELECT p.patient_ide, d.vital_status_cd, d.sex_cd, d.birth_date, d.zip_cd, c.standing_cd, c.template_version
        FROM patient_mapping p JOIN patient_dimension d ON d.patient_num = p.patient_num
        LEFT JOIN consent_dimension c ON c.patient_num = p.patient_num WHERE p.patient_ide_source = 'TRIBUTARY'""",
    "uploads": """
        SELECT upload_label, no_of_record, loaded_record, deleted_record, load_status FROM upload_status
        WHERE source_cd = 'TRIBUTARY'""",
    "concepts": "SELECT concept_path, concept_cd, name_char FROM concept_dimension WHERE substr(concept_path, 1, 11) = '\\Tributary\\'",
    "ontology": "SELECT c_fullname, m_applied_path, c_name, c_basecode, c_totalnum FROM custom_meta",
}


def plain(value):
    """The same on both engines: numbers as numbers, times with a blank."""
    if value is None or value == "":
        return None
    try:
        return float(value)
    except ValueError:
        return re.sub(r"^(\d{4}-\d\d-\d\d)T", r"\1 ", str(value))


def rows(read):
    return {name: sorted((tuple(plain(value) for value in row) for row in read(statement)), key=repr)
            for name, statement in TABLES.items()}


class ReplicaTest(unittest.TestCase):
    def setUp(self):
        self.server = postgresql.PostgreSQL()
        self.addCleanup(self.server.close)

    def make_hospital(self):
        self.hospital = I2B2(self.server)
        self.before = self.hospital.tables()
        self.defined = self.hospital.definitions()

    def placed(self, url=None):
        study = Study(url=url)
        self.addCleanup(study.close)
        study.publish(VISIT)
        study.change(lambda value: value.update(
            warehouse={"schema": DATA, "metadataSchema": METADATA, "url": self.hospital.url}))
        report = tributary("warehouse", "init", study.dir, "--json").json
        self.assertEqual((report["problems"], report["made"], len(report["found"])),
                         ([], ["consent_dimension", "tributary_meta"], 12))
        return study

    def there(self):
        return rows(lambda statement: postgresql.read_sql(
            self.hospital.owner, f"tributary_warehouse, {DATA}, {METADATA}", statement))

    def here(self, study):
        return rows(study.sql)

    def assert_same(self, study):
        here, there = self.here(study), self.there()
        for name in TABLES:
            self.assertEqual(there[name], here[name], name)
        return here

    def waiting(self, study):
        return study.number("SELECT count(*) FROM warehouse_change")

    def carried(self, study, seconds=60):
        until(lambda: self.waiting(study) == 0, "all changes carried", seconds)

    def send(self, study, server, *cups):
        device = study.device(server)
        device.consent()
        for value in cups:
            device.answer(VISIT, visit(cups=value, rate=60 + value))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        return device

    def test_it_follows_what_is_sent_corrected_deleted_and_undone(self):
        for engine in ("sqlite", "postgresql"):
            with self.subTest(engine):
                self.make_hospital()
                self.follow(self.placed(self.server.database() if engine == "postgresql" else None))

    def test_whatever_is_killed_each_row_is_there_once(self):
        chance = seeded()
        self.make_hospital()
        study = self.placed()
        server = study.serve()
        device = study.device(server)
        device.consent()
        for number in range(max(ROUNDS // 2, 2)):
            device.answer(VISIT, visit(cups=number % 10, rate=60 + number))
            device.send(status=None)
            time.sleep(chance.random())
            # Somewhere between the phone's answer and the last row there.
            for killed in chance.choice(((server,), (self.server,), (server, self.server))):
                killed.kill()
                if killed is self.server:
                    killed.start()
                else:
                    former = server.url
                    server = study.serve()
                    path = device.store / "enrolment.json"
                    path.write_text(path.read_text().replace(former, server.url))
        device.send()
        device.settled()
        self.carried(study, 120)
        self.assertEqual(len({row[1] for row in self.assert_same(study)["facts"]}), max(ROUNDS // 2, 2))
        self.assertEqual(tributary("warehouse", "verify", study.dir, "--json").json["differences"], [])

    def follow(self, study):
        server = study.serve()
        devices = [self.send(study, server, *cups) for cups in ((1, 2), (3,), ())]
        self.carried(study)
        own = self.assert_same(study)
        self.assertGreater(len(own["facts"]), 10)
        mapped = dict(self.hospital.rows(
            "SELECT patient_ide, patient_num FROM patient_mapping WHERE patient_ide_source = 'TRIBUTARY'"))
        self.assertGreater(min(mapped.values()), 5000)
        form = next(row["path"] for row in tributary("warehouse", "ontology", study.dir, "--json").json
                    if row["path"].endswith("\\cups\\"))
        wanted = {mapped[device.participant] for device in devices[:2]}
        self.assertEqual(self.hospital.engine(form), wanted)
        self.assertEqual(self.hospital.engine("\\Tributary\\Consent\\In force\\"), wanted)
        # While the other database is away the study goes on.
        self.server.kill()
        devices[0].answer(VISIT, visit(cups=9, rate=99))
        if not study.url:
            devices[0].send()
            self.assertEqual({row["status"] for row in devices[0].settled().values()}, {"stored"})
            until(lambda: "was not reached" in server.log, "a word of it", 30)
            self.assertGreater(self.waiting(study), 0)
        self.server.start()
        devices[0].send()
        devices[0].settled()
        self.carried(study, 120)
        self.assert_same(study)
        server.stop(20)
        # Made again of the records it is the same.
        tributary("warehouse", "load", study.dir)
        self.assertEqual(self.waiting(study), 0)
        self.assert_same(study)
        # A comparison finds a row that somebody took away, and one that somebody put there.
        verified = tributary("warehouse", "verify", study.dir, "--json").json
        self.assertEqual((verified["facts"] > 10, verified["differences"]), (True, []))
        name, number = self.hospital.rows(
            "SELECT encounter_ide, encounter_num FROM encounter_mapping WHERE encounter_ide_source = 'TRIBUTARY' ORDER BY 2 LIMIT 1")[0]
        self.hospital.sql(f"BEGIN; "
                          f"DELETE FROM {DATA}.observation_fact WHERE encounter_num = {number} AND modifier_cd = '@'; "
                          f"UPDATE {DATA}.visit_dimension SET location_cd = 'X' WHERE encounter_num = {number}; COMMIT")
        differences = tributary("warehouse", "verify", study.dir, "--json", status=1).json["differences"]
        self.assertEqual([difference["encounter"] for difference in differences], [name])
        self.assertGreater(differences[0]["missing"], differences[0]["surplus"])
        tributary("warehouse", "load", study.dir)
        self.assertEqual(tributary("warehouse", "verify", study.dir, "--json").json["differences"], [])
        # An upload undone, a participant deleted.
        upload = study.number("SELECT max(upload_id) FROM observation_fact")
        tributary("warehouse", "undo", study.dir, str(upload))
        self.assertGreater(tributary("warehouse", "replicate", study.dir, "--json").json["carried"], 0)
        tributary("participant", "delete", study.dir, devices[1].participant, "--reason", "as asked", "--yes")
        self.assertEqual(self.waiting(study), 0)
        self.assert_same(study)
        gone = mapped[devices[1].participant]
        for table in ("observation_fact", "visit_dimension", "patient_dimension"):
            self.assertEqual(self.hospital.number(f"SELECT count(*) FROM {table} WHERE patient_num = {gone}"), 0, table)
        self.assertEqual(self.hospital.rows(
            f"SELECT patient_ide, patient_ide_source, patient_ide_status FROM patient_mapping WHERE patient_num = {gone}"),
            [(str(gone), "HIVE", "D")])
        # All of it goes; and comes again.
        self.hospital.sql(f"DELETE FROM {DATA}.patient_mapping WHERE patient_ide_status = 'D'")
        removed = tributary("warehouse", "undo", study.dir, "--all", "--json").json
        self.assertGreater(removed["observation_fact"], 0)
        self.assertEqual(self.hospital.definitions(), self.defined)
        self.assertEqual(self.hospital.tables(), self.before)
        self.assertIn("warehouse init", tributary("warehouse", "load", study.dir, status=1).errors)
        tributary("warehouse", "init", study.dir)
        tributary("warehouse", "load", study.dir)
        self.assert_same(study)
        # Without it the facts are here as ever.
        study.change(lambda value: value.pop("warehouse"))
        tributary("warehouse", "init", study.dir)
        self.assertEqual(study.number("SELECT count(*) FROM warehouse_change"), 0)
        self.assertEqual(tributary("warehouse", "verify", study.dir, "--json").json["differences"], [])


if __name__ == "__main__":
    unittest.main()
