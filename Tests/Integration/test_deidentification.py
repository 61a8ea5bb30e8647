"""What i2b2's tables do not tell: pseudonyms, moved dates, withheld words; and a change of the rules."""

import json
import unittest
from datetime import datetime

from forms import VISIT, visit
from harness import Study, tributary

PULSE = "\\Tributary\\Codes\\LOINC\\8867-4\\"
WORDS = "noise at Elm Street"


class DeidentificationTest(unittest.TestCase):
    def setUp(self):
        self.study = Study()
        self.addCleanup(self.study.close)
        self.study.publish(VISIT)

    def rules(self, **rules):
        self.study.change(lambda study: study.update(deidentification=rules))

    def send(self, server):
        device = self.study.device(server)
        device.consent()
        device.answer(VISIT, visit(why=WORDS))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        return device

    def told(self, participant):
        """Whether i2b2's tables say the id, the words, and when something was."""
        tables = ["observation_fact", "visit_dimension", "patient_mapping", "encounter_mapping", "upload_status",
                  "patient_dimension"]
        text = json.dumps([self.study.sql(f"SELECT * FROM {table}") for table in tables], default=str)
        return participant in text, WORDS in text, str(datetime.now().year) in text

    def verified(self):
        return tributary("warehouse", "verify", self.study.dir, "--json").json["differences"]

    def count(self):
        return tributary("warehouse", "count", self.study.dir, "--path", PULSE, "--json").json

    def test_a_new_study_gives_pseudonyms(self):
        folder = self.study.root / "new"
        tributary("init", folder, "--development")
        self.assertEqual(json.loads((folder / "study.json").read_text())["deidentification"]["pseudonym"], True)

    def test_facts_follow_the_rules_and_their_changes(self):
        self.rules(pseudonym=True, dateShiftDays=3650, freeText="out")
        server = self.study.serve()
        device = self.send(server)
        server.stop(20)
        told = self.told(device.participant)
        self.assertEqual(told[:2], (False, False))
        self.assertEqual((self.verified(), self.count()), ([], {"patients": 1, "facts": 1}))
        name = self.study.number("SELECT patient_ide FROM patient_mapping WHERE patient_ide_source = 'TRIBUTARY'")
        shown = tributary("participant", "show", self.study.dir, device.participant, "--json").json
        self.assertTrue(shown)
        # The rules go: a server says that the facts are still by the old ones, and a load makes them anew.
        self.study.change(lambda study: study.pop("deidentification"))
        server = self.study.serve()
        self.assertIn("deidentification-changed", server.log)
        server.stop(20)
        tributary("warehouse", "load", self.study.dir)
        self.assertEqual(self.told(device.participant), (True, True, True))
        self.assertEqual((self.verified(), self.count()), ([], {"patients": 1, "facts": 1}))
        # They come back: no row tells what it told, and the pseudonym is the one of before.
        self.rules(pseudonym=True, dateShiftDays=3650, freeText=["why"])
        tributary("warehouse", "load", self.study.dir)
        self.assertEqual(self.told(device.participant)[:2], (False, True))
        self.rules(pseudonym=True, dateShiftDays=3650, freeText="out")
        tributary("warehouse", "load", self.study.dir)
        self.assertEqual(self.told(device.participant), told)
        self.assertEqual((self.verified(), self.count()), ([], {"patients": 1, "facts": 1}))
        self.assertEqual(
            self.study.number("SELECT patient_ide FROM patient_mapping WHERE patient_ide_source = 'TRIBUTARY'"), name)
        # Who is deleted has no row more, whatever the tables call them.
        tributary("participant", "delete", self.study.dir, device.participant, "--reason", "as asked", "--yes")
        self.assertEqual(self.study.number("SELECT count(*) FROM observation_fact"), 0)
        self.assertEqual(self.study.number("SELECT count(*) FROM patient_mapping WHERE patient_ide = ?", name), 0)

    def test_rules_that_are_none_are_refused(self):
        for rules in ({"pseudonym": "yes"}, {"dateShiftDays": -1}, {"freeText": "some"}, {"other": True}):
            self.rules(**rules)
            refused = tributary("warehouse", "load", self.study.dir, status=1)
            self.assertIn("study.json: deidentification must be", refused.errors)


if __name__ == "__main__":
    unittest.main()
