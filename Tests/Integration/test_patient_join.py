"""A linked participant becomes the site's patient in its i2b2, with one command, and is taken out again with another."""

from forms import VISIT, visit
from harness import tributary
from test_warehouse_place import InHospital

SURVEYS = "\\Tributary\\Surveys\\"


class JoinTest(InHospital):
    def link(self, study, device, record):
        made = tributary("link", "create", study.dir, "--record", record).json
        device.run("link", "--jwt", device.write(made["jwt"].encode(), ".jwt"))
        device.send(status=None)
        device.settled()
        return made["jti"]

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
        [number] = self.own()
        self.assertEqual((self.both(), number > 5000), (set(), True), "a link alone joins nothing")
        self.assertEqual(self.join(study).json, {"joined": 1, "unchanged": 0, "notLoaded": 0})
        self.assertEqual((self.both(), self.own()), ({3}, {3}))
        self.assert_hospital_is_as_it_was(all_rows=False)
        # Later answers, and all facts made again, keep the number.
        device.answer(VISIT, visit(cups=3, rate=63))
        device.send()
        device.settled()
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
        self.assertEqual([row["reason"] for row in rows if row["reason"].startswith("join")], ["join-ended", "joined"])
        self.assertIn(jti, {row.get("resourceId") or row.get("resource", "").split("/")[-1] for row in rows})
        # A deletion of a joined participant leaves the hospital its rows.
        delete = ("participant", "delete", study.dir, "--reason", "a request", "--yes")
        tributary(*delete, other.participant)
        self.assertEqual(self.join(study).json["joined"], 1)
        tributary(*delete, device.participant)
        self.assertEqual((self.both(), self.own()), (set(), set()))
        self.assert_hospital_is_as_it_was(all_rows=False)
