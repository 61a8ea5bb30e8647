"""`fhir validate`: HL7's examples, the same examples damaged, streams, several files, and files that are not FHIR."""

import json
import os
import tarfile
import time
import unittest
from collections import defaultdict

from damage import BREAKS, RULES, SEED, damages
from harness import CONFORMANCE, needs_conformance, unpack
from r4_places import Definitions, points_at, read_examples
from validation import ValidationTest, column_of, line_of, run, text_of

RIGHT = {
    "resourceType": "Observation",
    "id": "o1",
    "status": "final",
    "code": {"coding": [{"system": "http://loinc.org", "code": "8867-4"}]},
    "subject": {"reference": "Patient/p1"},
    "effectiveDateTime": "2024-05-01T10:00:00Z",
    "valueQuantity": {"value": 61, "unit": "beats/minute", "system": "http://unitsofmeasure.org", "code": "/min"},
}


def without(name, resource=None):
    return {key: value for key, value in (resource or RIGHT).items() if key != name}


@needs_conformance("fhir-r4.tar.xz")
class Examples(ValidationTest):
    """HL7's 377 examples, and what was damaged in them."""

    archive = CONFORMANCE / "fhir-r4.tar.xz" if CONFORMANCE else None

    @classmethod
    def setUpClass(cls):
        cls.examples = read_examples(cls.archive)

    def test_every_example_of_hl7_is_right_but_those_that_break_a_definition(self):
        with tarfile.open(self.archive) as tar:
            members = [member for member in tar if "/examples/" in member.name and member.name.endswith(".json")]
            unpack(tar, members, self.folder)
        files = sorted(self.folder.rglob("*.json"))
        self.assertEqual(len(files), 377)
        outcomes = self.validate(*files, timeout=600)
        wrong = {file.name: str(outcome) for file, outcome in zip(files, outcomes) if outcome.errors}
        unexpected = {name: said for name, said in wrong.items() if name not in BREAKS}
        self.assertEqual(unexpected, {}, "\n".join(unexpected.values()))
        self.assertEqual(set(wrong), set(BREAKS), "an example that was said to break a definition is right")

    def test_every_damage_is_caught_and_its_place_named(self):
        seed = int(os.environ.get("TRIBUTARY_SEED") or SEED)
        made = damages(Definitions.of(self.archive), self.examples, seed)
        files, before = {}, {}
        for damage in made:
            files[damage.name] = self.write(damage.name, damage.data)
            if damage.base in self.examples and damage.base not in before:
                before[damage.base] = self.write(damage.base, self.examples[damage.base])
        undamaged = dict(zip(before, self.validate(*before.values(), timeout=600)))
        found = dict(zip(files, self.validate(*files.values(), timeout=600)))
        missed, misplaced, counts = [], [], defaultdict(int)
        for damage in made:
            known = (
                {(text_of(issue), *issue.get("expression", [])) for issue in undamaged[damage.base].errors}
                if damage.base in undamaged
                else set()
            )
            new = [
                issue
                for issue in found[damage.name].errors
                if (text_of(issue), *issue.get("expression", [])) not in known
            ]
            counts[damage.rule] += 1
            where = f"{damage.rule}: {damage.base} at {damage.path} (seed {seed})"
            if not new:
                missed.append(where)
            elif damage.placed and not any(
                points_at(place, damage.path) for issue in new for place in issue.get("expression", [])
            ):
                misplaced.append(f"{where}: {new[0].get('expression')} {text_of(new[0])}")
        self.assertEqual(set(counts), set(RULES), "a rule found no example to damage")
        self.assertGreaterEqual(len(RULES), 35)
        self.assertEqual(
            (missed, misplaced),
            ([], []),
            "\n".join(
                [
                    "",
                    f"{len(missed)} of {len(made)} not caught:",
                    *missed,
                    f"{len(misplaced)} caught elsewhere:",
                    *misplaced,
                ]
            ),
        )

    def test_the_damages_are_the_same_each_time(self):
        definitions, names = Definitions.of(self.archive), ["bad-required-code", "missing-required", "duplicate-key"]
        first = [damage.data for damage in damages(definitions, self.examples, 7, rules=names)]
        self.assertEqual(first, [damage.data for damage in damages(definitions, self.examples, 7, rules=names)])
        self.assertNotEqual(first, [damage.data for damage in damages(definitions, self.examples, 8, rules=names)])

    def test_line_and_column_are_those_of_the_damage(self):
        text = json.dumps(RIGHT, indent=2)
        for rule, pattern, change in [
            ("bad code", '"final"', '"bogus"'),
            ("unknown element", '"effectiveDateTime"', '"effectiveDaytime"'),
            ("bad date", '"2024-05-01T10:00:00Z"', '"2024-13-01T10:00:00Z"'),
            ("string for number", "61", '"61"'),
        ]:
            with self.subTest(rule):
                broken = text.replace(pattern, change)
                line = 1 + broken[: broken.index(change)].count("\n")
                found = self.wrong(broken)
                self.assertIn(line, found.lines, str(found))
                for issue in found.errors:
                    self.assertIsInstance(column_of(issue), int)


class Answers(ValidationTest):
    """The form of the answer, exit statuses, several files."""

    def test_a_right_resource_has_no_error_and_status_0(self):
        self.right(RIGHT)
        self.assertEqual(run(self.write("a.json", RIGHT), options=()).status, 0)

    def test_an_error_gives_status_1_and_says_where_and_what(self):
        found = self.wrong(without("status"), "Observation.status")
        issue = found.errors[0]
        self.assertEqual(issue["code"], "required")
        self.assertIn("status", text_of(issue))
        self.assertIsNotNone(line_of(issue))
        plain = run(self.write("a.json", without("status")), options=())
        self.assertEqual(plain.status, 1)
        self.assertRegex(plain.text + plain.errors, r"Observation(\.status)?\b")
        self.assertRegex(plain.text + plain.errors, r"a\.json")

    def test_a_warning_alone_gives_status_0(self):
        resource = dict(RIGHT, category=[{"coding": [{"system": "http://example.org/own", "code": "x"}]}])
        self.assertEqual(self.right(resource).errors, [])

    def test_several_files_are_answered_in_their_order_and_each_for_itself(self):
        right, wrong, other = (
            self.write("b.json", RIGHT),
            self.write("a.json", without("code")),
            self.write("c.json", RIGHT),
        )
        outcomes = self.validate(right, wrong, other)
        self.assertEqual([bool(outcome.errors) for outcome in outcomes], [False, True, False])

    def test_a_missing_file_is_named_and_the_others_are_answered(self):
        right = self.write("a.json", RIGHT)
        missing = self.folder / "nothing-here.json"
        answer = run(missing, right)
        self.assertGreater(answer.status, 0, str(answer))
        self.assertIn("nothing-here.json", answer.text + answer.errors)
        if answer.out.strip():
            outcomes = {outcome.file: outcome for outcome in answer.outcomes}
            self.assertEqual(outcomes[str(right)].errors, [])
            if str(missing) in outcomes:
                self.assertTrue(outcomes[str(missing)].errors)

    def test_the_files_of_a_folder_are_answered_each(self):
        inner = self.folder / "inner"
        inner.mkdir()
        self.write("inner/a.json", RIGHT)
        self.write("inner/b.ndjson", json.dumps(RIGHT) + "\n" + json.dumps(without("code")))
        self.write("inner/c.xml", '<Patient xmlns="http://hl7.org/fhir"><gender value="third"/></Patient>')
        self.write("inner/readme.txt", "no resource")
        answer = run(inner)
        self.assertEqual(answer.status, 1, str(answer))
        wrong = {os.path.basename(outcome.file): bool(outcome.errors) for outcome in answer.outcomes}
        self.assertEqual(wrong, {"a.json": False, "b.ndjson": True, "c.xml": True})

    def test_without_a_file_the_usage_is_said(self):
        answer = run(options=())
        self.assertGreater(answer.status, 0)
        self.assertIn("validate", answer.errors + answer.text)

    def test_a_byte_order_mark_is_no_error(self):
        self.right(b"\xef\xbb\xbf" + json.dumps(RIGHT).encode())

    def test_xml_is_validated_as_json_is(self):
        head = '<Observation xmlns="http://hl7.org/fhir"><id value="o1"/>'
        code = '<code><coding><system value="http://loinc.org"/><code value="8867-4"/></coding></code>'
        right = f'{head}<status value="final"/>{code}<valueString value="x"/></Observation>'
        self.right(right, name="right.xml")
        self.wrong(right.replace("final", "bogus"), "Observation.status", name="code.xml")
        self.wrong(right.replace('<status value="final"/>', ""), "Observation.status", name="missing.xml")
        self.wrong(right.replace("valueString", "valueStrange"), name="unknown.xml")
        self.wrong(right + "x", name="tail.xml")
        self.wrong(right.replace('<id value="o1"/>', '<id value="o 1"/>'), "Observation.id", name="id.xml")

    def test_xml_with_a_document_type_is_refused(self):
        entity = '<!DOCTYPE Observation [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
        code = '<status value="final"/><code><text value="&a;"/></code>'
        body = f'<Observation xmlns="http://hl7.org/fhir">{code}</Observation>'
        found = self.wrong(entity + body, name="entity.xml")
        self.assertNotIn(os.uname().nodename, str(found))

    def test_health_data_are_not_repeated(self):
        secret = "Maximiliane-Zuckerberg-0815"
        resource = {
            "resourceType": "Patient",
            "name": [{"family": secret}],
            "gender": secret,
            "birthDate": secret,
            "contact": [{"gender": secret}],
            "extension": [{"url": "http://example.org/x", "valueString": secret, "valueCode": secret}],
        }
        answer = run(self.write("patient.json", resource))
        self.assertEqual(answer.status, 1)
        self.assertNotIn(secret, answer.errors)


class Streams(ValidationTest):
    """NDJSON: a resource a line, as many as there are."""

    def line(self, number):
        resource = dict(RIGHT, id=f"o{number}")
        resource["valueQuantity"] = dict(RIGHT["valueQuantity"], value=40 + number % 100)
        return resource

    def test_each_problem_is_named_with_its_line(self):
        lines = [json.dumps(self.line(number)) for number in range(1, 41)]
        lines[6] = json.dumps(without("status", self.line(7)))
        lines[18] = lines[18][:-1]
        lines[29] = json.dumps(dict(self.line(30), effectiveDateTime="2024-13-01"))
        outcome = self.outcome("\n".join(lines) + "\n", name="stream.ndjson")
        self.assertEqual(set(outcome.lines), {7, 19, 30}, str(outcome))
        self.assertTrue(any(points_at(place, "Observation.status") for place in outcome.places), str(outcome))

    def test_lines_after_a_broken_one_are_still_read(self):
        lines = ["{", json.dumps(RIGHT), "[]", "null", "x", json.dumps(without("code"))]
        outcome = self.outcome("\n".join(lines), name="stream.ndjson")
        self.assertEqual(set(outcome.lines), {1, 3, 4, 5, 6}, str(outcome))

    def test_empty_lines_and_carriage_returns_are_no_errors(self):
        text = "\r\n".join([json.dumps(RIGHT), "", json.dumps(self.line(2)), ""])
        self.right(text, name="stream.ndjson")

    def test_several_types_in_one_stream(self):
        lines = [{"resourceType": "Patient", "gender": "other"}, RIGHT, {"resourceType": "Patient", "gender": "third"}]
        outcome = self.outcome("\n".join(map(json.dumps, lines)), name="stream.ndjson")
        self.assertEqual(set(outcome.lines), {3}, str(outcome))

    def test_twenty_thousand_observations_take_no_more_memory_than_two_thousand(self):
        small, large = self.folder / "small.ndjson", self.folder / "large.ndjson"
        wrong = {1_000, 1_999, 10_000, 20_000}
        for file, count in ((small, 2_000), (large, 20_000)):
            with open(file, "w") as out:
                for number in range(1, count + 1):
                    resource = self.line(number)
                    if number in wrong:
                        resource["status"] = "bogus"
                    out.write(json.dumps(resource) + "\n")
        few, many = run(small, timeout=120), run(large, timeout=120)
        self.assertEqual((few.status, many.status), (1, 1), str(many))
        self.assertEqual(set(few.outcomes[0].lines), {line for line in wrong if line <= 2_000})
        self.assertEqual(set(many.outcomes[0].lines), wrong)
        self.assertGreater(few.peak, 1 << 20)
        self.assertLess(
            many.peak - few.peak, 16 << 20, f"{few.peak >> 20} MB for 2,000 lines, {many.peak >> 20} MB for 20,000"
        )
        print(
            f"\n  20,000 lines, {large.stat().st_size >> 20} MB: {many.seconds:.2f} s, peak {many.peak >> 20} MB "
            f"(2,000: {few.seconds:.2f} s, {few.peak >> 20} MB)"
        )

    def test_a_stream_of_errors_ends_and_is_bounded(self):
        text = "\n".join(["{}"] * 50_000)
        start = time.monotonic()
        answer = run(self.write("stream.ndjson", text), timeout=60)
        self.assertEqual(answer.status, 1)
        self.assertLess(answer.peak, 400 << 20)
        self.assertLess(time.monotonic() - start, 60)


class NotFHIR(ValidationTest):
    """Whatever the file holds: a problem with its place, status 1, in bounded time and memory."""

    SECONDS, MEGABYTES = 20, 700

    def refused(self, content, name="bad.json", place=None, line=None):
        answer = run(self.write(name, content), timeout=self.SECONDS)
        self.assertEqual(answer.status, 1, f"{name}: {answer}"[:2000])
        self.assertLess(answer.peak, self.MEGABYTES << 20, f"{answer.peak >> 20} MB")
        outcome = answer.outcomes[0]
        self.assertTrue(outcome.errors, str(outcome)[:2000])
        self.assertLess(len(answer.out), 4 << 20, "the answer repeats the file")
        for issue in outcome.errors:
            self.assertTrue(issue.get("expression") or line_of(issue), issue)
        if place:
            self.assertTrue(any(points_at(given, place) for given in outcome.places), str(outcome)[:2000])
        if line:
            self.assertIn(line, outcome.lines, str(outcome)[:2000])
        return outcome

    def test_what_is_no_json(self):
        for text, line in [
            ("", None),
            (" \n ", None),
            ("hello", 1),
            ('{"resourceType":"Patient"', 1),
            ('{"resourceType":"Patient",}', 1),
            ('{"resourceType":"Patient"}\n{', 2),
            ("{'a':1}", 1),
            ('{"resourceType":"Pa\ntient"}', None),
            ("\0", 1),
            ("\0" * 1000, 1),
            ('{"resourceType":"Patient"}\0', 1),
            ('{\n"resourceType":"Patient",\n"active":tru}', 3),
            ('{"a":"\\ud800"}', None),
        ]:
            with self.subTest(text[:30]):
                self.refused(text, line=line)

    def test_what_is_no_text(self):
        for data in (
            b"\xff\xfe\x00",
            b'{"resourceType":"Pat\xffient"}',
            bytes(range(256)),
            b"\x1f\x8b\x08\x00" + b"\0" * 100,
        ):
            with self.subTest(data[:12]):
                self.refused(data)

    def test_json_that_is_no_resource(self):
        for value in (
            [],
            {},
            None,
            1,
            True,
            "x",
            [RIGHT],
            {"resourceType": None},
            {"resourceType": []},
            {"resourceType": {"a": 1}},
            {"resourceType": ""},
            {"resourceType": "Patient\0"},
        ):
            with self.subTest(str(value)[:30]):
                self.refused(json.dumps(value))

    def test_a_hundred_thousand_arrays_and_objects_deep(self):
        for text in (
            "[" * 100_000,
            "[" * 100_000 + "]" * 100_000,
            '{"a":' * 100_000 + "1" + "}" * 100_000,
            '{"resourceType":"Patient","extension":[' * 100_000,
        ):
            with self.subTest(text[:20]):
                self.refused(text)

    def test_elements_a_hundred_thousand_deep(self):
        for head, step, tail in [
            (
                '{"resourceType":"Questionnaire","status":"draft",',
                '"item":[{"linkId":"a","type":"group",',
                '"text":"x"',
            ),
            ('{"resourceType":"Patient",', '"extension":[{"url":"http://example.org",', '"valueBoolean":true'),
            (
                '{"resourceType":"Bundle","type":"collection",',
                '"entry":[{"resource":{"resourceType":"Bundle","type":"collection",',
                '"id":"x"',
            ),
        ]:
            with self.subTest(step):
                closing = "}}]" if 'resource"' in step else "}]"
                self.refused(head + step * 100_000 + tail + closing * 100_000 + "}")

    def test_twenty_levels_are_no_problem_of_depth(self):
        item = {"linkId": "last", "type": "display", "text": "x"}
        for number in range(20):
            item = {"linkId": f"g{number}", "type": "group", "item": [item]}
        self.right({"resourceType": "Questionnaire", "status": "draft", "item": [item]})

    def test_a_number_of_a_megabyte(self):
        for number in ("1" * 1_000_000, "0." + "1" * 1_000_000, "1e" + "9" * 1_000_000, "-" + "9" * 1_000_000):
            with self.subTest(number[:5]):
                text = json.dumps(RIGHT).replace('"value": 61', f'"value": {number}')
                self.refused(text, place="Observation.valueQuantity.value")

    def test_an_integer_of_a_megabyte(self):
        self.refused(
            '{"resourceType":"Patient","multipleBirthInteger":' + "1" * 1_000_000 + "}", place="Patient.multipleBirth"
        )

    def test_a_string_of_ten_megabytes(self):
        self.refused(dict(without("valueQuantity"), valueString="a" * 10_000_000), place="Observation.value")

    def test_a_name_of_ten_megabytes(self):
        self.refused(dict(RIGHT, **{"a" * 10_000_000: 1}))

    def test_a_million_members_and_items(self):
        self.refused('{"resourceType":"Patient",' + ",".join(f'"a{n}":1' for n in range(200_000)) + "}")
        self.refused('{"resourceType":"Patient","name":[' + ",".join(["{}"] * 200_000) + "]}")
        self.refused('{"resourceType":"Patient","name":[' + ",".join(["1"] * 300_000) + "]}")

    def test_the_same_name_a_hundred_thousand_times(self):
        self.refused('{"resourceType":"Patient",' + ",".join(['"active":true'] * 100_000) + "}")

    def test_contained_resources_that_refer_to_each_other_in_a_circle(self):
        circle = [
            {
                "resourceType": "Observation",
                "id": f"c{number}",
                "status": "final",
                "code": {"text": "x"},
                "hasMember": [{"reference": f"#c{(number + 1) % 50}"}],
            }
            for number in range(50)
        ]
        whole = dict(RIGHT, contained=circle, hasMember=[{"reference": "#c0"}])
        answer = run(self.write("circle.json", whole), timeout=self.SECONDS)
        self.assertIn(answer.status, (0, 1), str(answer))
        circle[49]["status"] = "bogus"
        self.refused(whole, place="Observation.contained[49].status")

    def test_a_contained_resource_that_contains_its_container_by_name(self):
        inner = {
            "resourceType": "Observation",
            "id": "o1",
            "status": "final",
            "code": {"text": "x"},
            "hasMember": [{"reference": "#o1"}, {"reference": "#"}],
        }
        whole = dict(RIGHT, contained=[dict(inner, contained=[inner])], hasMember=[{"reference": "#o1"}])
        self.refused(whole, place="Observation.contained[0].contained")

    def test_thousands_of_contained_resources(self):
        inner = [{"resourceType": "Basic", "id": f"c{number}", "code": {"text": "x"}} for number in range(5_000)]
        whole = dict(RIGHT, contained=inner, hasMember=[{"reference": f"#c{number}"} for number in range(4_999)])
        self.refused(whole, place="Observation.contained")

    def test_a_hundred_thousand_ids_and_twenty_thousand_contained_resources(self):
        names = [{"id": f"n{number}", "text": "x"} for number in range(100_000)]
        self.refused({"resourceType": "Patient", "name": [*names, names[0]]}, place="Patient.name")
        inner = [{"resourceType": "Basic", "id": f"c{number}", "code": {"text": "x"}} for number in range(20_000)]
        entries = [{"item": {"reference": f"#c{number}"}} for number in range(1, 20_000)]
        whole = {"resourceType": "List", "status": "current", "mode": "working", "contained": inner, "entry": entries}
        self.refused(whole, place="List.contained[0]")

    def test_a_bundle_of_thousands_of_entries_with_the_same_address(self):
        entry = {"fullUrl": "urn:uuid:c757873d-ec9a-4326-a141-556f43239520", "resource": without("id")}
        self.refused({"resourceType": "Bundle", "type": "collection", "entry": [entry] * 5_000}, place="Bundle")

    def test_a_narrative_bomb(self):
        head = '<div xmlns="http://www.w3.org/1999/xhtml">'
        entities = (
            '<!DOCTYPE d [<!ENTITY a "'
            + "x" * 1000
            + '">'
            + "".join(f'<!ENTITY a{n} "{f"&a{n - 1 if n else str()};" * 10}">' for n in range(10))
            + "]>"
        )
        for div in (
            head + "<b>" * 100_000 + "</div>",
            head + "<b>" * 50_000 + "x" + "</b>" * 50_000 + "<script/></div>",
            entities + head + "&a9;</div>",
            head + "<p " + " ".join(f'a{n}="1"' for n in range(50_000)) + "/></div>",
            head + "<" * 100_000,
            head + "<!--" + "-" * 100_000,
        ):
            with self.subTest(div[:60]):
                self.refused(dict(RIGHT, text={"status": "generated", "div": div}), place="Observation.text.div")

    def test_strings_that_would_hang_a_regular_expression(self):
        for name, value in [
            ("id", "a" * 50_000 + "!"),
            ("implicitRules", "a " * 50_000),
            ("language", "a " * 50_000 + " "),
            ("effectiveDateTime", "2020-01-01T" + "1" * 50_000),
            ("valueBase64Binary", "A" * 50_001 + "!"),
        ]:
            with self.subTest(name):
                self.refused(dict(RIGHT, **{name: value}))

    def test_base64_with_many_blanks(self):
        attachment = {"contentType": "text/plain", "data": " ".join(["AAAA"] * 20_000) + " *"}
        self.refused(
            {"resourceType": "Media", "status": "completed", "content": attachment}, place="Media.content.data"
        )


if __name__ == "__main__":
    unittest.main()
