"""`fhir normalize`: the same JSON value, element order and digits; and what is no JSON is refused with its place."""

import json
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from harness import BIN, CONFORMANCE, needs_conformance, tributary, unpack


class Digits(str):
    """A number as it is written."""


def exact(data):
    """The JSON value with its order and its numbers as they are written."""
    def pairs(members):
        return ("object", tuple(members))
    return json.loads(data, parse_float=Digits, parse_int=Digits, object_pairs_hook=pairs)


class Normalize(unittest.TestCase):
    def normalize(self, data, *options, status=0):
        return tributary("fhir", "normalize", "-", *options, stdin=data, status=status)

    @needs_conformance("fhir-r4.tar.xz")
    def test_all_r4_examples_come_back_with_the_same_value_order_and_digits(self):
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(CONFORMANCE / "fhir-r4.tar.xz") as archive:
                members = [member for member in archive if "/examples/" in member.name and member.name.endswith(".json")]
                unpack(archive, members, folder)
            files = sorted(Path(folder).rglob("*.json"))
            self.assertEqual(len(files), 377)
            subprocess.run(
                f"find '{folder}' -name '*.json' -print0 | xargs -0 -P 2 -I@ sh -c "
                f"""'"{BIN}" fhir normalize "$1" > "$1.out" || echo "$1" >> "{folder}/failed"' sh @""",
                shell=True, check=True)
            self.assertFalse((Path(folder) / "failed").exists())
            for file in files:
                written = Path(str(file) + ".out").read_bytes()
                self.assertEqual(exact(file.read_bytes()), exact(written), file.name)

    def test_digits_order_and_unknown_elements_stay(self):
        text = (b'{"resourceType":"Basic","z":1.50,"a":1e2,"big":123456789012345678901234567890.10,"_z":null,'
                b'"m":-0.0,"s":"\\u00e9\\ud83d\\ude00\\u0000\\/","x":[{},[],"",1E-7]}')
        self.assertEqual(exact(self.normalize(text).out), exact(text))

    def test_a_leading_byte_order_mark_is_dropped(self):
        done = self.normalize(b"\xef\xbb\xbf{\"a\":1.0}")
        self.assertFalse(done.out.startswith(b"\xef\xbb\xbf"))
        self.assertEqual(exact(done.out), exact(b'{"a":1.0}'))

    def test_a_trailing_comma_is_refused_with_its_place_and_read_when_asked(self):
        text = b'{\n  "resourceType": "Basic",\n  "x": [1, 2,],\n}'
        done = self.normalize(text, status=1)
        self.assertEqual(done.out, b"")
        self.assertRegex(done.errors, r"line 3\D")
        self.assertEqual(exact(self.normalize(text, "--lenient").out), exact(b'{"resourceType":"Basic","x":[1,2]}'))

    def test_what_is_no_json_is_refused_with_its_place(self):
        for text, line in [
            (b'{"a":1,\n"a":2}', 2), (b'{"a":1}\n x', 2), (b'{"a":1}{"b":2}', 1), (b'{"a":01}', 1), (b'{"a":"\x01"}', 1),
            (b'{"a":"\\ud800"}', 1), (b'\n\n{"a"', 3), (b'{"a":tru}', 1), (b"", 1), (b'{"a":"\xff"}', 1),
            (b"[" * 100_000, 1), (b'{"a":.5}', 1), (b"{'a':1}", 1), (b'{"a":NaN}', 1), (b"[1,,2]", 1),
        ]:
            with self.subTest(text[:20]):
                done = self.normalize(text, status=1)
                self.assertRegex(done.errors, rf"line {line}\b")
                self.assertRegex(done.errors, r"[a-z]+-[a-z]+")
                self.assertEqual(done.out, b"")
        for text in (b'{"a":1,"a":2}', b'{"a":1} x', b'[1,,2]', b'[,]', b'{,}'):
            self.normalize(text, "--lenient", status=1)

    @needs_conformance("questionnaires", "researchkit-on-fhir", "SkipLogicExample.json")
    def test_the_published_form_with_a_trailing_comma(self):
        file = CONFORMANCE / "questionnaires" / "researchkit-on-fhir" / "SkipLogicExample.json"
        tributary("fhir", "normalize", file, status=1)
        self.assertEqual(tributary("fhir", "normalize", file, "--lenient").json["resourceType"], "Questionnaire")


if __name__ == "__main__":
    unittest.main()
