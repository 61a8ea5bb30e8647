"""The same way with published material: PHQ-9 and an Apple Health export."""

import re
import unittest

from harness import CONFORMANCE, SpineTest, needs_conformance, tributary
from test_whole_way import total

PHQ9_SYSTEM = "http://hl7.org/fhir/uv/sdc/CodeSystem/CSPHQ9"


@needs_conformance("questionnaires", "researchkit-on-fhir", "PHQ-9.json")
class PublishedForm(SpineTest):
    @classmethod
    def prepare(cls):
        cls.form = CONFORMANCE / "questionnaires" / "researchkit-on-fhir" / "PHQ-9.json"
        (cls.study.dir / "questionnaires" / "PHQ-9.json").write_bytes(cls.form.read_bytes())

    def test_every_answer_of_phq9_is_a_fact(self):
        chosen = ["Not-at-all", "Several days", f"{PHQ9_SYSTEM}|Not-at-all", "Several-days", "Not at all",
                  "More than half the days", "Several-days", "Not-at-all", "Several-days"]
        answers = {f"H1/T1/Q{number}": value for number, value in enumerate(chosen, 1)}
        device = self.member()
        device.answer(self.form, device.write(answers))
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        # The path that the whole form stands under is found by the query; each question has its fact.
        concepts = tributary("warehouse", "ontology", self.study.dir, "--json").json
        facts = {row[0] for row in self.study.sql("SELECT DISTINCT concept_cd FROM observation_fact WHERE modifier_cd = '@'")}
        found = [row for row in concepts if row["code"] in facts and "PHQ" in row["path"].upper()]
        self.assertGreaterEqual(len(found), 9)
        rows = self.study.number(
            "SELECT count(*) FROM observation_fact f WHERE modifier_cd = '@' AND EXISTS (SELECT 1 FROM concept_dimension c"
            " WHERE c.concept_cd = f.concept_cd AND upper(c.concept_path) LIKE '%PHQ%')")
        self.assertEqual(rows, 9, "one fact for each answer")

    def test_what_is_no_option_is_refused_with_a_stable_code(self):
        device = self.member()
        done = device.answer(self.form, {"H1/T1/Q1": "Every-blue-moon"}, status=1)
        self.assertRegex(done.errors, r"[a-z]+-[a-z]+")
        self.assertEqual(device.queued(), [])


@needs_conformance("apple-health", "apple_health_export", "export.xml")
class PublishedExport(SpineTest):
    def elements(self, file):
        text = file.read_text()
        return {name: len(re.findall(rf"<{name}[\s>]", text)) for name in (
            "Record", "Workout", "ActivitySummary", "Correlation", "ClinicalRecord", "Audiogram", "VisionPrescription")}

    def test_every_element_is_converted_or_named_with_its_reason(self):
        folder = CONFORMANCE / "apple-health" / "apple_health_export"
        output = self.study.root / "out.ndjson"
        for export in (folder, folder / "export.xml", CONFORMANCE / "apple-health" / "export-2019.xml"):
            with self.subTest(export.name):
                file = export / "export.xml" if export.is_dir() else export
                account = tributary("health", "convert", export, "-o", output, "--force", "--json").json
                counted = self.elements(file)
                self.assertEqual(account["read"], sum(counted.values()))
                self.assertEqual(account["read"], account["converted"] + total(account["skipped"]))
                self.assertGreater(len(output.read_text().splitlines()), 0)
                self.assertEqual(account["skipped"], {}, "there is a row for every type")
                for name in ("BodyMassIndex", "ActivitySummary"):
                    if re.search(name, file.read_text()):
                        self.assertIn(name, str(account["convertedByType"]))

    def test_the_export_goes_the_whole_way(self):
        device = self.member()
        health = device.health(CONFORMANCE / "apple-health" / "apple_health_export").json
        self.assertGreaterEqual(health["queued"], 2)
        device.send()
        self.assertEqual({row["status"] for row in device.settled().values()}, {"stored"})
        self.assertEqual(self.study.number("SELECT count(*) FROM record WHERE type = 'Observation'"), health["queued"])
        rate = self.study.sql("SELECT nval_num, valtype_cd, tval_char, start_date FROM observation_fact "
                              "WHERE concept_cd = 'LOINC:8867-4' AND modifier_cd = '@'")
        self.assertEqual([row[:3] for row in rate], [(72, "N", "E")])
        self.assertTrue(rate[0][3].startswith("2018-09-10") and "09:28:55" in rate[0][3], f"UTC: {rate}")
        for name in ("Simon", "Withings", "12345", "Health Mate", "withings-bd2"):
            self.assertEqual(self.study.number(
                "SELECT count(*) FROM record_history WHERE instr(CAST(plain(content) AS TEXT), ?) > 0", name), 0, name)


if __name__ == "__main__":
    unittest.main()
