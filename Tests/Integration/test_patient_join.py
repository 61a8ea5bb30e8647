"""A linked participant becomes the site's patient in its i2b2, with one command, and is taken out again with another."""

from forms import VISIT, visit
from harness import Study, tributary, until
from i2b2 import DATA, METADATA
from test_warehouse_place import InHospital

SURVEYS = "\\Tributary\\Surveys\\"


class JoinTest(InHospital):
    def link(self, study, device, record):
        made = tributary("link", "create", study.dir, "--record", record).json
        device.run("link", "--jwt", device.write(made["jwt"].encode(), ".jwt"))
        device.send(status=None)
        device.settled()
        return made["jti"]

    def copied(self, study):
        """Waits until the hospital's i2b2 has all rows."""

    def join(self, study, *more, status=0):
        return tributary("warehouse", "join", study.dir, "--source", "HOSP", "--json", *more, status=status)

    def both(self):
        """The patients with answers and a fact of the hospital, as the CRC intersects two panels."""
        answers = self.hospital.engine(SURVEYS)
        return answers & {row[0] for row in self.hospital.rows(
            "SELECT DISTINCT patient_num FROM observation_fact WHERE sourcesystem_cd = 'HOSP' AND concept_cd IN "
            "(SELECT concept_cd FROM concept_dimension WHERE name_char = 'Pulse')")}

    def own(self):
        return {row[0] for row in self.hospital.rows(
            "SELECT DISTINCT patient_num FROM observation_fact WHERE sourcesystem_cd = 'TRIBUTARY' UNION "
            "SELECT patient_num FROM visit_dimension WHERE sourcesystem_cd = 'TRIBUTARY'")}

    def test_answers_and_medical_record_are_of_one_patient_until_the_join_ends(self):
        study, _ = self.placed()
        server = study.serve()
        device = self.send(study, server, 1, 2)
        self.assertEqual(self.join(study).json, {"joined": 0, "unchanged": 0, "notLoaded": 0})
        self.link(study, device, "H3")
        self.copied(study)
        [number] = self.own()
        self.assertEqual((self.both(), number > 5000), (set(), True), "a link alone joins nothing")
        self.assertEqual(self.join(study).json, {"joined": 1, "unchanged": 0, "notLoaded": 0})
        self.assertEqual((self.both(), self.own()), ({3}, {3}))
        self.assert_hospital_is_as_it_was(all_rows=False)
        # Later answers, and all facts made again, keep the number.
        device.answer(VISIT, visit(cups=3, rate=63))
        device.send()
        device.settled()
        self.copied(study)
        self.assertEqual((self.both(), self.own()), ({3}, {3}))
        tributary("warehouse", "load", study.dir)
        tributary("warehouse", "verify", study.dir)
        self.assertEqual((self.both(), self.own()), ({3}, {3}))
        self.assertEqual(self.join(study).json, {"joined": 0, "unchanged": 1, "notLoaded": 0})
        self.assert_hospital_is_as_it_was(all_rows=False)
        # A record that the hospital does not have: an error, and nothing changes.
        other = self.send(study, server, 5)
        jti = self.link(study, other, "H999")
        failed = self.join(study, status=None)
        self.assertNotEqual(failed.status, 0)
        self.assertIn("site-patient-unknown", failed.errors)
        self.assertNotIn("H999", failed.errors)
        self.assertEqual(self.both(), {3})
        # The end.
        self.assertEqual(self.join(study, "--undo").json, {"ended": 1, "unchanged": 0, "notLoaded": 0})
        self.assertEqual(self.both(), set())
        self.assertIn(number, self.own())
        self.assert_hospital_is_as_it_was(all_rows=False)
        tributary("warehouse", "verify", study.dir)
        rows = [row for row in tributary("audit", "list", study.dir, "--json").json if row["action"] == "create-link"]
        self.assertEqual([row["reason"] for row in rows if row["reason"] in ("joined", "join-ended")], ["join-ended", "joined"])
        self.assertIn(jti, {row.get("resourceId") or row.get("resource", "").split("/")[-1] for row in rows})
        # A deletion of a joined participant leaves the hospital its rows.
        delete = ("participant", "delete", study.dir, "--reason", "a request", "--yes")
        tributary(*delete, other.participant)
        self.assertEqual(self.join(study).json["joined"], 1)
        tributary(*delete, device.participant)
        self.assertEqual((self.both(), self.own()), (set(), set()))
        self.assert_hospital_is_as_it_was(all_rows=False)


class JoinElsewhereTest(JoinTest):
    """The same with an i2b2 in another database than the records."""

    def placed(self):
        study = Study()
        self.addCleanup(study.close)
        study.publish(VISIT)
        study.change(lambda value: value.update(
            warehouse={"schema": DATA, "metadataSchema": METADATA, "url": self.hospital.url}))
        return study, tributary("warehouse", "init", study.dir, "--json").json

    def copied(self, study):
        until(lambda: study.number("SELECT count(*) FROM warehouse_change") == 0, "all changes copied", 60)

    def test_new_names_keep_a_join_and_the_removal_of_all_rows_ends_it(self):
        study, _ = self.placed()
        server = study.serve()
        device = self.send(study, server, 1)
        self.link(study, device, "H3")
        self.assertEqual(self.join(study).json["joined"], 1)
        server.stop(20)
        row = "SELECT sex_cd, vital_status_cd FROM patient_dimension WHERE sourcesystem_cd = 'TRIBUTARY'"
        self.assertEqual(self.hospital.rows(row), [], "the hospital's row applies")
        study.change(lambda value: value.update(deidentification={"pseudonym": True}))
        tributary("warehouse", "load", study.dir)
        self.assertEqual((self.both(), self.own()), ({3}, {3}))
        names = {row[0] for row in self.hospital.rows(
            "SELECT patient_ide FROM patient_mapping WHERE patient_ide_source IN ('TRIBUTARY', 'TRIBUTARY-OWN')")}
        self.assertEqual((len(names), device.participant in names), (1, False))
        self.assertEqual(self.join(study, "--undo").json["ended"], 1)
        self.assertEqual(self.hospital.rows(row), study.sql(row.replace("WHERE", "WHERE vital_status_cd <> '' AND")))
        self.assertEqual(self.join(study).json["joined"], 1)
        self.assert_hospital_is_as_it_was(all_rows=False)
        tributary("warehouse", "undo", study.dir, "--all")
        self.assert_hospital_is_as_it_was()
