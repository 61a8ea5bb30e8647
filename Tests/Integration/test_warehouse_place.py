"""The warehouse in an i2b2 that a hospital has already: beside its rows, under its locks, and gone without a trace."""

import json
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import postgresql
from forms import VISIT, visit
from harness import Study, tributary, until
from i2b2 import DATA, I2B2, METADATA

PULSE = "\\Tributary\\Codes\\LOINC\\8867-4\\"


def place(study):
    study["warehouse"] = {"schema": DATA, "metadataSchema": METADATA}


class InHospital(unittest.TestCase):
    def setUp(self):
        self.hospital = I2B2(postgresql.server())
        self.before = self.hospital.tables()
        self.defined = self.hospital.definitions()

    def make(self):
        study = Study(url=self.hospital.url)
        self.addCleanup(study.close)
        study.publish(VISIT)
        return study

    def placed(self):
        study = self.make()
        study.change(place)
        return study, tributary("warehouse", "init", study.dir, "--json").json

    def send(self, study, server, *cups):
        device = study.device(server)
        device.consent()
        for value in cups:
            device.answer(VISIT, visit(cups=value, rate=60 + value))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        return device

    def count(self, study, path, *more):
        return tributary("warehouse", "count", study.dir, "--path", path, "--json", *more).json

    def assert_hospital_is_as_it_was(self, all_rows=True):
        """No row of the hospital's changed, no table's definition; and nothing else is there where all rows are meant."""
        self.assertEqual(self.hospital.definitions(), self.defined)
        after = self.hospital.tables()
        for name, rows in self.before.items():
            if all_rows:
                self.assertEqual(after[name], rows, name)
            else:
                self.assertEqual(set(rows) - set(after[name]), set(), name)


class PlaceTest(InHospital):
    def test_facts_lie_beside_the_hospitals_and_go_without_a_trace(self):
        study, report = self.placed()
        self.assertEqual((report["problems"], report["made"]), ([], ["consent_dimension", "tributary_meta"]))
        self.assertEqual(len(report["found"]), 12, report)
        again = tributary("warehouse", "init", study.dir, "--json").json
        self.assertEqual((again["problems"], again["made"], len(again["found"])), ([], [], 14))
        server = study.serve()
        devices = [self.send(study, server, *cups) for cups in ((1, 2), (3,), ())]
        # Numbers are free ones, also where a dimension alone had the largest.
        mapped = dict(self.hospital.rows("SELECT patient_ide, patient_num FROM patient_mapping "
                                         "WHERE patient_ide_source = 'TRIBUTARY'"))
        self.assertEqual(set(mapped), {device.participant for device in devices})
        self.assertEqual(min(mapped.values()), 5001)
        self.assertGreater(self.hospital.number(
            "SELECT min(encounter_num) FROM encounter_mapping WHERE encounter_ide_source = 'TRIBUTARY'"), 9000)
        # i2b2 goes on numbering its uploads behind ours.
        ours = self.hospital.number("SELECT max(upload_id) FROM upload_status")
        self.hospital.sql(f"INSERT INTO {DATA}.upload_status (upload_label, user_id, source_cd, load_date) "
                          "VALUES ('next', 'etl', 'HOSP', now())")
        self.assertGreater(self.hospital.number("SELECT max(upload_id) FROM upload_status"), ours)
        self.hospital.sql(f"DELETE FROM {DATA}.upload_status WHERE upload_label = 'next'")
        self.assert_hospital_is_as_it_was(all_rows=False)
        # Counts are of participants, though the hospital's patients have the code too; i2b2's engine finds both.
        self.assertEqual(self.count(study, PULSE), {"patients": 2, "facts": 3})
        self.assertEqual(self.count(study, PULSE, "--value", "GE 63"), {"patients": 1, "facts": 1})
        form = next(row["path"] for row in tributary("warehouse", "ontology", study.dir, "--json").json
                    if row["path"].endswith("\\cups\\"))
        wanted = {mapped[device.participant] for device in devices[:2]}
        self.assertEqual(self.hospital.engine(form), wanted)
        self.assertEqual(self.hospital.engine("\\Tributary\\Consent\\In force\\"), wanted)
        women = "\\Tributary\\Demographics\\Sex\\Female\\"
        self.assertEqual((self.count(study, women)["patients"], len(self.hospital.engine(women))), (2, 22))
        # What i2b2 does to the concepts takes none of ours.
        self.hospital.rebuild_concepts()
        self.assertEqual(self.hospital.engine(form), wanted)
        self.assertEqual(self.count(study, PULSE)["patients"], 2)
        verified = tributary("warehouse", "verify", study.dir, "--json").json
        self.assertEqual((verified["facts"] > 10, verified["differences"]), (True, []))
        # Loading again changes no row but the dates of loading.
        facts = self.hospital.rows("SELECT * FROM observation_fact ORDER BY patient_num, concept_cd, start_date, modifier_cd, "
                                   "instance_num")
        server.stop(20)
        # A view that somebody took away is made again; the numbers stay.
        self.hospital.sql(f"DROP VIEW {DATA}.consent_dimension")
        self.assertEqual(tributary("warehouse", "init", study.dir, "--json").json["made"], ["consent_dimension"])
        tributary("warehouse", "load", study.dir)
        again = self.hospital.rows("SELECT * FROM observation_fact ORDER BY patient_num, concept_cd, start_date, modifier_cd, "
                                   "instance_num")
        self.assertEqual(len(facts), len(again))
        self.assertEqual(self.hospital.engine(form), wanted)
        # A participant who is deleted leaves a number that is taken, and no row else.
        tributary("participant", "delete", study.dir, devices[2].participant, "--reason", "as asked", "--yes")
        self.assertEqual(self.hospital.number(
            f"SELECT count(*) FROM patient_dimension WHERE patient_num = {mapped[devices[2].participant]}"), 0)
        self.hospital.sql(f"DELETE FROM {DATA}.patient_mapping WHERE patient_ide_status = 'D'")
        # All of it goes.
        removed = tributary("warehouse", "undo", study.dir, "--all", "--json").json
        self.assertGreater(removed["observation_fact"], 10)
        # The hospital's own job made the dimension anew.
        self.before["concept_dimension"] = self.hospital.tables()["concept_dimension"]
        self.assertEqual(len(self.before["concept_dimension"]), 1)
        self.assert_hospital_is_as_it_was()
        # Before it is installed once more nothing is loaded; then all comes back.
        refused = tributary("warehouse", "load", study.dir, status=1)
        self.assertIn("warehouse init", refused.errors)
        tributary("warehouse", "init", study.dir)
        tributary("warehouse", "load", study.dir)
        self.assertEqual(self.count(study, PULSE), {"patients": 2, "facts": 3})
        self.assertEqual(tributary("warehouse", "verify", study.dir, "--json").json["differences"], [])

    def test_a_study_that_has_facts_of_its_own_moves_them_in_and_out(self):
        study = self.make()
        server = study.serve()
        self.send(study, server, 4)
        server.stop(20)
        own = self.count(study, PULSE)
        study.change(place)
        refused = tributary("warehouse", "count", study.dir, "--path", PULSE, status=1)
        self.assertIn("warehouse init", refused.errors)
        tributary("warehouse", "init", study.dir)
        self.assertEqual(self.count(study, PULSE)["patients"], 0)
        tributary("warehouse", "load", study.dir)
        self.assertEqual(self.count(study, PULSE), own)
        # A move of the records would leave the facts behind.
        moved = tributary("study", "move", study.dir, "--database", study.root / "records.sqlite", status=1)
        self.assertIn("warehouse undo --all", moved.errors)
        # A backup restores into files, with tables of its own.
        backup = study.root / "backup.tar"
        tributary("backup", study.dir, "-o", backup)
        restored = study.root / "restored"
        said = tributary("restore", backup, "-o", restored)
        self.assertIn("warehouse load", said.errors)
        self.assertNotIn("warehouse", json.loads((restored / "study.json").read_text()))
        tributary("warehouse", "load", restored)
        self.assertEqual(tributary("warehouse", "count", restored, "--path", PULSE, "--json").json, own)
        # And back.
        tributary("warehouse", "undo", study.dir, "--all")
        self.assert_hospital_is_as_it_was()
        study.change(lambda value: value.pop("warehouse"))
        report = tributary("warehouse", "init", study.dir, "--json").json
        self.assertEqual((len(report["made"]), report["found"], report["problems"]), (12, ["custom_meta"], []))
        tributary("warehouse", "load", study.dir)
        self.assertEqual(self.count(study, PULSE), own)
        self.assertEqual(tributary("warehouse", "verify", study.dir, "--json").json["differences"], [])

    def test_rows_of_an_earlier_load_are_taken_only_when_that_is_said(self):
        study, _ = self.placed()
        server = study.serve()
        device = self.send(study, server, 5)
        server.stop(20)
        number = f"SELECT patient_num FROM patient_mapping WHERE patient_ide = '{device.participant}'"
        first = self.hospital.number(number)
        # The records are restored beside an i2b2 that has their facts.
        backup = study.root / "backup.tar"
        tributary("backup", study.dir, "-o", backup)
        restored = study.root / "restored"
        tributary("restore", backup, "-o", restored)
        self.hospital.sql("DROP SCHEMA tributary_records CASCADE; DROP SCHEMA tributary_queue CASCADE")
        tributary("study", "move", restored, "--queue", self.hospital.url, "--database", self.hospital.url)
        study.dir = restored
        study.change(place)
        report = tributary("warehouse", "init", restored, "--json", status=1).json
        self.assertEqual(len(report["problems"]), 1)
        self.assertIn("--adopt", report["problems"][0])
        tributary("warehouse", "init", restored, "--adopt")
        tributary("warehouse", "load", restored)
        self.assertEqual(self.hospital.number(number), first)
        self.assertEqual(self.count(study, PULSE), {"patients": 1, "facts": 1})
        self.assertEqual(tributary("warehouse", "verify", restored, "--json").json["differences"], [])
        tributary("warehouse", "undo", restored, "--all")
        self.assert_hospital_is_as_it_was()


class RightsTest(InHospital):
    def test_hospital_reads_our_views_and_its_counting_job_writes_counts(self):
        self.hospital.sql(f"""
            DROP ROLE IF EXISTS "Reader of i2b2"; CREATE ROLE "Reader of i2b2"; DROP ROLE IF EXISTS stranger; CREATE ROLE stranger;
            GRANT SELECT ON {DATA}.patient_dimension, {METADATA}.table_access TO "Reader of i2b2";
            GRANT UPDATE ON {METADATA}.table_access TO "Reader of i2b2" """)
        self.addCleanup(self.hospital.sql, 'DROP OWNED BY "Reader of i2b2"; DROP ROLE "Reader of i2b2"; DROP ROLE stranger')
        study, _ = self.placed()

        def may(role):
            return self.hospital.rows(f"""
                SELECT has_table_privilege('{role}', '{DATA}.consent_dimension', 'SELECT') AS a,
                    has_table_privilege('{role}', '{METADATA}.tributary_meta', 'SELECT') AS b,
                    has_column_privilege('{role}', '{METADATA}.tributary_meta', 'c_totalnum', 'UPDATE') AS c,
                    has_column_privilege('{role}', '{METADATA}.tributary_meta', 'c_name', 'UPDATE') AS d,
                    has_table_privilege('{role}', '{DATA}.consent_dimension', 'UPDATE') AS e""")[0]

        self.assertEqual(may("Reader of i2b2"), (True, True, True, False, False))
        self.assertEqual(may("stranger"), (False, False, False, False, False))
        # Those that are made again have them too.
        self.hospital.sql(f"DROP VIEW {METADATA}.tributary_meta")
        tributary("warehouse", "init", study.dir)
        self.assertEqual(may("Reader of i2b2"), (True, True, True, False, False))


class TroubleTest(InHospital):
    def test_what_is_in_the_way_is_said_and_nothing_is_changed(self):
        study = self.make()
        study.change(place)
        faults = {
            f"DROP TABLE {DATA}.code_lookup": "has no table code_lookup",
            f"ALTER TABLE {DATA}.observation_fact ALTER concept_cd TYPE varchar(20)": "observation_fact.concept_cd is",
            f"ALTER TABLE {DATA}.visit_dimension ALTER start_date TYPE timestamptz": "visit_dimension.start_date is",
            f"ALTER TABLE {DATA}.patient_dimension DROP COLUMN zip_cd": "has no column zip_cd",
            f"ALTER TABLE {DATA}.patient_mapping ADD COLUMN site int NOT NULL DEFAULT 1; "
            f"ALTER TABLE {DATA}.patient_mapping ALTER site DROP DEFAULT": "site must be filled",
            f"ALTER TABLE {DATA}.concept_dimension DROP CONSTRAINT concept_dimension_pkey": "has no unique key",
        }
        rights = {
            f"DELETE ON {DATA}.observation_fact": "DELETE on i2b2demodata.observation_fact is not granted",
            f"USAGE ON SEQUENCE {DATA}.upload_status_upload_id_seq": "upload_status_upload_id_seq is not granted",
            f"CREATE ON SCHEMA {DATA}": "CREATE VIEW i2b2demodata.consent_dimension",
            f"USAGE ON SCHEMA {DATA}": "USAGE on SCHEMA i2b2demodata is not granted.",
        }
        for right, sentence in rights.items():
            with self.subTest(right):
                self.hospital.sql(f"REVOKE {right} FROM study")
                report = tributary("warehouse", "init", study.dir, "--json", status=1).json
                self.assertEqual((len(report["problems"]), report["made"]), (1, []), report)
                self.assertIn(sentence, report["problems"][0])
                self.hospital.sql(f"GRANT {right} TO study")
        with self.subTest("no right on any table"):
            self.hospital.sql(f"REVOKE ALL ON ALL TABLES IN SCHEMA {DATA} FROM study")
            problems = tributary("warehouse", "init", study.dir, "--json", status=1).json["problems"]
            self.assertIn("SELECT on i2b2demodata.observation_fact is not granted.", problems)
            self.assertEqual([problem for problem in problems if not problem.endswith(" is not granted.")], [])
            self.hospital.sql(f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {DATA} TO study")
        with self.subTest("a table where i2b2 is to see ours"):
            self.hospital.sql(f"CREATE TABLE {DATA}.consent_dimension (patient_num int)")
            report = tributary("warehouse", "init", study.dir, "--json", status=1).json
            self.assertEqual((len(report["problems"]), report["made"]), (1, []), report)
            self.assertIn("DROP TABLE i2b2demodata.consent_dimension", report["problems"][0])
            self.hospital.sql(f"DROP TABLE {DATA}.consent_dimension")
        for statement, sentence in faults.items():
            with self.subTest(statement):
                self.hospital.sql(statement)
                report = tributary("warehouse", "init", study.dir, "--json", status=1).json
                self.assertTrue(any(sentence in problem for problem in report["problems"]), (sentence, report))
                self.assertEqual(report["made"], [])
        study.change(lambda value: value.update(warehouse={"schema": "nowhere"}))
        report = tributary("warehouse", "init", study.dir, "--json", status=1).json
        self.assertEqual(report["problems"], ["There is no schema nowhere."])
        study.change(lambda value: value.update(warehouse={"schema": "no where"}))
        self.assertIn("study-invalid", tributary("warehouse", "init", study.dir, status=1).errors)
        study.change(lambda value: value.pop("warehouse"))
        # Without a hospital's tables the study has its own, as before.
        report = tributary("warehouse", "init", study.dir, "--json").json
        self.assertEqual((report["made"], len(report["found"])), ([], 13))
        # A table of its own that is gone is made again, and all facts of the records.
        server = study.serve()
        self.send(study, server, 6)
        server.stop(20)
        self.hospital.sql("DROP TABLE tributary_records.custom_meta")
        report = tributary("warehouse", "init", study.dir, "--json").json
        self.assertEqual((report["made"], len(report["found"])), (["custom_meta"], 12))
        tributary("warehouse", "load", study.dir)
        self.assertEqual(self.count(study, PULSE), {"patients": 1, "facts": 1})
        self.assertEqual(tributary("warehouse", "verify", study.dir, "--json").json["differences"], [])

    def test_a_lock_that_the_hospitals_own_job_holds_is_waited_for(self):
        study, _ = self.placed()
        server = study.serve()
        device = study.device(server)
        device.consent()
        for number, (table, mode) in enumerate((("patient_mapping", "EXCLUSIVE"), ("observation_fact", "ACCESS EXCLUSIVE"))):
            with self.subTest(table):
                said = len(server.log)
                with subprocess.Popen(["psql", "-XAtq", "-d", self.hospital.owner], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True) as job:
                    job.stdin.write(f"BEGIN; LOCK TABLE {DATA}.{table} IN {mode} MODE; SELECT 'held';\n")
                    job.stdin.flush()
                    self.assertEqual(job.stdout.readline().strip(), "held")
                    device.answer(VISIT, visit(cups=7))
                    device.send()
                    # Longer than one transaction waits for a lock.
                    until(lambda: "storage-busy" in server.log[said:], "a wait that was given up", 60)
                    job.stdin.write("COMMIT;\n")
                    job.stdin.close()
                self.assertEqual({row["status"] for row in device.settled(90).values()}, {"stored"})
                self.assertEqual(self.count(study, PULSE), {"patients": 1, "facts": number + 1})

    def test_the_hospitals_loader_and_ours_make_no_number_twice(self):
        study, _ = self.placed()
        server = study.serve()
        stop = threading.Event()
        made = []

        def load():
            while not stop.is_set() and len(made) < 200:
                self.hospital.sql(
                    f"BEGIN; SET search_path TO {DATA}; LOCK TABLE patient_mapping IN EXCLUSIVE MODE; "
                    "LOCK TABLE encounter_mapping IN EXCLUSIVE MODE; "
                    "INSERT INTO patient_mapping SELECT 'N' || n, 'HOSP', n, 'A', '@', now(), now(), now(), now(), 'HOSP', 1 "
                    "FROM (SELECT max(patient_num) + 1 AS n FROM patient_mapping) q; "
                    "INSERT INTO encounter_mapping SELECT 'M' || n, 'HOSP', '@', n, 'H1', 'HOSP', 'A', now(), now(), now(), "
                    "now(), 'HOSP', 1 FROM (SELECT max(encounter_num) + 1 AS n FROM encounter_mapping) q; COMMIT")
                made.append(1)

        thread = threading.Thread(target=load)
        thread.start()
        for cups in range(1, 6):
            self.send(study, server, cups)
        stop.set()
        thread.join()
        self.assertGreater(len(made), 5)
        for table, number in (("patient_mapping", "patient_num"), ("encounter_mapping", "encounter_num")):
            twice = self.hospital.rows(
                f"SELECT {number} FROM {table} GROUP BY {number} HAVING count(DISTINCT "
                f"CASE WHEN sourcesystem_cd = 'HOSP' THEN 'theirs' ELSE 'ours' END) > 1 AND max({number}) > 20")
            self.assertEqual(twice, [], table)


class ExportTest(InHospital):
    def export(self, study, style):
        folder = Path(tempfile.mkdtemp(prefix="tributary-export-", dir=study.root))
        counts = tributary("warehouse", "export", study.dir, "-o", folder, "--format", style, "--force", "--json").json
        for file in folder.iterdir():
            self.assertEqual(file.stat().st_mode & 0o777, 0o600, file)
        return folder, counts

    def bring(self, folder, style, target):
        script = folder / ("warehouse.sql" if style == "sql" else "import.sql")
        done = subprocess.run(["psql", "-Xq", "-d", target.owner, "-v", f"schema={DATA}", "-v", f"metadata={METADATA}",
                               "-f", script.name], cwd=folder, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))

    def test_psql_brings_an_export_into_an_i2b2_again_and_again(self):
        study = Study(url="")
        self.addCleanup(study.close)
        study.publish(VISIT)
        server = study.serve()
        devices = [self.send(study, server, *cups) for cups in ((1, 2), (3,))]
        awkward = 'a "quoted", back\\slash, ünïcode \\. \\N'
        devices[0].answer(VISIT, visit(cups=9, why=awkward))
        devices[0].send()
        devices[0].settled()
        form = next(row["path"] for row in tributary("warehouse", "ontology", study.dir, "--json").json
                    if row["path"].endswith("\\cups\\"))
        for style in ("sql", "csv"):
            with self.subTest(style):
                folder, counts = self.export(study, style)
                facts = study.number("SELECT count(*) FROM observation_fact")
                self.assertEqual(counts["observation_fact"], facts)
                self.bring(folder, style, self.hospital)
                self.assert_hospital_is_as_it_was(all_rows=False)
                once = self.hospital.tables()
                self.bring(folder, style, self.hospital)
                self.assertEqual({name: len(rows) for name, rows in self.hospital.tables().items()},
                                 {name: len(rows) for name, rows in once.items()})
                mapped = dict(self.hospital.rows("SELECT patient_ide, patient_num FROM patient_mapping "
                                                 "WHERE patient_ide_source = 'TRIBUTARY'"))
                self.assertEqual(min(mapped.values()), 5001)
                self.assertEqual(self.hospital.engine(form), {mapped[device.participant] for device in devices})
                self.assertEqual(self.hospital.number("SELECT count(*) FROM observation_fact WHERE sourcesystem_cd = "
                                                      "'TRIBUTARY'"), facts)
                self.assertEqual(self.hospital.number(
                    f"SELECT count(*) FROM observation_fact WHERE tval_char = {postgresql.literal(awkward)}"), 1)
        # What changed since takes the place of what was brought.
        devices[1].answer(VISIT, visit(cups=11))
        devices[1].send()
        devices[1].settled()
        folder, counts = self.export(study, "sql")
        self.bring(folder, "sql", self.hospital)
        self.assertEqual(self.hospital.number("SELECT count(*) FROM observation_fact WHERE sourcesystem_cd = 'TRIBUTARY'"),
                         counts["observation_fact"])

    def test_an_export_makes_the_tables_where_there_are_none(self):
        study = Study(url="")
        self.addCleanup(study.close)
        study.publish(VISIT)
        self.send(study, study.serve(), 1)
        folder, counts = self.export(study, "csv")
        url = postgresql.server().database()
        done = subprocess.run(["psql", "-Xq", "-d", url, "-f", "import.sql"], cwd=folder, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        self.assertEqual(postgresql.read_sql(url, "public", "SELECT count(*) FROM observation_fact"),
                         [(counts["observation_fact"],)])


if __name__ == "__main__":
    unittest.main()
