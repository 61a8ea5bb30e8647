"""What no column of i2b2 holds, on PostgreSQL and in an i2b2 that is there: zero bytes, bytes that are no text, numbers beyond
decimal(18,5), codes beyond 50 and paths beyond 700 characters. It is refused by its name or kept in a way that is said."""

import json
import unittest

import postgresql
from forms import VISIT, observation, response
from harness import OWN_FACTS, ON_POSTGRESQL, Study, tributary, until
from i2b2 import DATA, I2B2, METADATA
from sealed import SealedClient


@unittest.skipIf(ON_POSTGRESQL, "its stores are on a server always")
class AwkwardValues(unittest.TestCase):
    """An i2b2 whose columns have i2b2's own lengths."""

    @classmethod
    def setUpClass(cls):
        cls.hospital = I2B2(postgresql.server())
        cls.study = Study(url=cls.hospital.url)
        cls.addClassCleanup(cls.study.close)
        cls.study.change(lambda value: value.update(warehouse={"schema": DATA, "metadataSchema": METADATA}))
        cls.study.schema = f"tributary_records, {DATA}, {METADATA}"
        cls.study.publish(VISIT)
        tributary("warehouse", "init", cls.study.dir)
        cls.server = cls.study.serve()
        cls.device = cls.study.device(cls.server)
        cls.device.consent()
        cls.device.send()
        cls.device.settled()
        cls.client = SealedClient(cls.server, cls.study, device=cls.device)

    def tearDown(self):
        """After each: the next good one is stored, and the facts are what the records say."""
        self.assertEqual(self.stored(self.observation()), [("N", "E", 61.0, "@")])
        self.assertEqual(tributary("warehouse", "verify", self.study.dir, "--json").json["differences"], [])
        self.assertEqual(self.study.queue_number("SELECT count(*) FROM submission WHERE status = 'received'"), 0)

    def observation(self, **more):
        return observation(self.device.participant, **more)

    def answered(self, text):
        """A response with a text in it; bytes take the place of a string's content."""
        mark = "MARK"
        made = response(self.device.participant)
        made["item"][0]["item"].append(
            {"linkId": "why", "answer": [{"valueString": mark if isinstance(text, bytes) else text}]})
        return json.dumps(made).encode().replace(mark.encode(), text) if isinstance(text, bytes) else made

    def with_number(self, digits):
        """A reading with a number as it is written."""
        return json.dumps(self.observation(value="NUMBER")).replace('"NUMBER"', digits).encode()

    def stored(self, payload):
        """The facts that were made of it."""
        sid = self.client.send(payload)
        self.assertEqual(self.client.outcome(sid), ("stored", None), payload)
        return self.study.sql(
            f"SELECT f.valtype_cd, f.tval_char, f.nval_num, f.modifier_cd FROM {OWN_FACTS} "
            "JOIN record_history v ON v.number = l.number WHERE v.submission_id = ? ORDER BY f.modifier_cd", sid)

    def refused(self, payload, code):
        before = self.study.number("SELECT count(*) FROM record_history")
        sid = self.client.send(payload)
        self.assertEqual(self.client.outcome(sid), ("held", "needs-attention"))
        shown = tributary("queue", "show", self.study.dir, sid, "--json").json["submissions"][0]
        self.assertEqual(shown["reason"], code, shown)
        self.assertEqual(self.study.number("SELECT count(*) FROM record_history"), before)
        tributary("queue", "discard", self.study.dir, sid)
        return shown["detail"]

    def test_a_zero_byte_in_a_text_is_refused_where_it_stands(self):
        coding = {"system": "http://loinc.org", "code": "8867-4", "display": "a\0b"}
        for payload, place in ((self.answered("a\0b"), "answer"), (self.observation(note=[{"text": "a\0b"}]), "note"),
                               (self.observation(code={"coding": [coding]}), "display"),
                               (self.observation(identifier=[{"system": "urn:x", "value": "a\0b"}]), "identifier")):
            self.assertIn(place, self.refused(payload, "resource-invalid"))

    def test_a_zero_byte_in_a_code_is_recorded_as_it_came_and_replaced_in_its_fact(self):
        coding = {"system": "http://loinc.org", "code": "a\0b"}
        sid = self.client.send(self.observation(code={"coding": [coding]}))
        self.assertEqual(self.client.outcome(sid), ("stored", None))
        content = self.study.sql("SELECT content FROM record_history WHERE submission_id = ?", sid)[0][0]
        self.assertEqual(json.loads(content)["code"]["coding"][0], coding)
        self.assertEqual(self.study.number("SELECT count(*) FROM observation_fact WHERE concept_cd = ?", "LOINC:a\ufffdb"), 1)

    def test_bytes_that_are_no_text_are_refused(self):
        self.refused(self.answered(b"\xff\xfe"), "json-invalid-utf8")
        self.refused(self.answered(b"a\\ud800b"), "json-invalid-string")

    def test_numbers_that_no_column_holds_are_texts_with_the_number_in_the_record(self):
        for digits in ("1e30", "99999999999999", "9999999999999.99999", "-9999999999999.9999", "10000000000000", "-1e400", "123456789012345678901234567890.123456789"):
            facts = self.stored(self.with_number(digits))
            self.assertEqual([fact for fact in facts if fact[3] == "@"], [("T", digits + " /min", None, "@")])
            self.assertEqual(len(facts), 2, "why it is a text is said beside it")
        for digits, number in (("0.000004", 0.0), ("9999999999998", 9999999999998.0), ("71.123456", 71.12346)):
            self.assertEqual(self.stored(self.with_number(digits)), [("N", "E", number, "@")])

    def test_codes_and_paths_are_cut_to_what_i2b2_holds_and_stay_apart(self):
        for system in ("http://loinc.org", "https://example.org/" + "s" * 300):
            for end in ("1", "2"):
                coding = {"system": system, "code": "c" * 900 + end, "display": "d" * 5000}
                self.stored(self.observation(code={"coding": [coding]}))
        codes = [row[0] for row in self.study.sql(
            "SELECT concept_cd FROM observation_fact WHERE sourcesystem_cd = 'TRIBUTARY' AND modifier_cd = '@' AND concept_cd LIKE '%:H-%'")]
        self.assertEqual((len(codes), len(set(codes))), (4, 4), codes)
        form, item = dict(VISIT), {"linkId": "leaf", "type": "string", "text": "leaf"}
        for level in range(20):
            item = {"linkId": f"level-{level}-" + "x" * 90, "type": "group", "text": "t" * 200, "item": [item]}
        form.update(id="deep", url="https://example.org/forms/deep", title="Deep", item=[item])
        self.study.publish(form)
        until(lambda: self.study.number("SELECT count(*) FROM tributary_meta WHERE c_name = 'leaf'"), "the form is in the ontology")
        leaf = self.study.sql("SELECT c_fullname, c_basecode FROM tributary_meta WHERE c_name = 'leaf'")
        self.assertEqual(len(leaf), 1)
        self.assertLessEqual((len(leaf[0][0]), len(leaf[0][1])), (700, 50))
        answer = {"linkId": item["linkId"], "item": []}
        inner, at = answer, item
        while at["item"][0]["linkId"] != "leaf":
            at = at["item"][0]
            inner["item"].append({"linkId": at["linkId"], "item": []})
            inner = inner["item"][0]
        inner["item"].append({"linkId": "leaf", "answer": [{"valueString": "deep down"}]})
        self.stored(response(self.device.participant, questionnaire=form["url"] + "|1.0", item=[answer]))
        # i2b2's engine finds it by the leaf and by the root.
        number = self.study.number("SELECT patient_num FROM patient_mapping WHERE patient_ide = ?", self.device.participant)
        for path in (leaf[0][0], "\\Tributary\\"):
            self.assertIn(number, self.hospital.engine(path), path)


if __name__ == "__main__":
    unittest.main()
