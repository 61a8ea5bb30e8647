"""`tributary jmespath` and `tributary jsonpath`: values on standard output, the error's code on standard error."""

import json
import tempfile
import time
import unittest
from pathlib import Path

from harness import CONFORMANCE, needs_conformance, tributary

MESSAGE = b'{"Body":[{"heartRate":"78","deviceId":"a"},{"height":1.50,"unit":"m"}],"Properties":{}}'


class Queries(unittest.TestCase):
    def test_a_value_is_printed_with_its_digits(self):
        done = tributary("jmespath", "Body[].height", stdin=MESSAGE)
        self.assertEqual(done.json, [1.5])
        self.assertIn("1.50", done.text)
        self.assertEqual(tributary("jmespath", "Body[].nothing | [0]", "-", stdin=MESSAGE).text, "null\n")
        self.assertEqual(tributary("jmespath", "add(`0.1`, `0.2`)", stdin=b"").text, "0.3\n")

    def test_the_array_of_what_a_path_finds_is_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "message.json"
            file.write_bytes(MESSAGE)
            self.assertEqual(tributary("jsonpath", "$..[?(@heartRate)].deviceId", file).json, ["a"])
            self.assertEqual(tributary("jsonpath", "$.nothing", file).json, [])

    def test_a_failure_is_1_with_its_code_in_brackets(self):
        for command, expression, code in [
            ("jmespath", "Body[", "syntax"), ("jmespath", "abs('a')", "invalid-type"), ("jmespath", "abs()", "invalid-arity"),
            ("jmespath", "unheard_of(@)", "unknown-function"), ("jmespath", "Body[::0]", "invalid-value"),
            ("jmespath", "divide(`1`, `0`)", "divide-by-zero"), ("jmespath", "pow(`40`, `50`)", "overflow"),
            ("jsonpath", "$[", "syntax"), ("jsonpath", "$.Body[-1]", "negative-index"),
            ("jsonpath", "$.Body[?(@.unit > 1)]", "not-comparable"),
            ("jsonpath", "$.Body[?(@.unit =~ /(?=m)/)]", "unsupported-pattern"),
        ]:
            with self.subTest(expression):
                done = tributary(command, expression, stdin=MESSAGE, status=1)
                self.assertEqual(done.out, b"")
                self.assertIn(f"[{code}]", done.errors)
        self.assertIn("[json-unexpected-end]", tributary("jsonpath", "$", stdin=b"{", status=1).errors)
        self.assertIn("[file-unreadable]", tributary("jmespath", "@", "/nothing/there.json", status=1).errors)
        tributary("jmespath", status=64)
        for command in ("jmespath", "jsonpath"):
            self.assertIn(f"tributary {command}", tributary(command, "--help").text)

    def test_a_bomb_ends_soon_by_its_name(self):
        begin = time.monotonic()
        self.assertIn("[too-many-steps]", tributary("jmespath", "`[1]`" + " | [@,@][]" * 60, stdin=MESSAGE, status=1).errors)
        deep = b'{"a":' * 150 + b"1" + b"}" * 150
        self.assertRegex(tributary("jsonpath", "$" + "..a" * 80, stdin=deep, status=1).errors, "too-many-steps|result-too-large")
        hanging = json.dumps(["a" * 40 + "!"]).encode()
        self.assertEqual(tributary("jsonpath", "$[?(@ =~ /^(a+)+$/)]", stdin=hanging).json, [])
        self.assertLess(time.monotonic() - begin, 60)

    @needs_conformance("iomt", "documentation-cases")
    def test_the_templates_of_the_connectors_documentation_find_their_values(self):
        folder = CONFORMANCE / "iomt" / "documentation-cases"
        prefix = "data_Documentation_CalculatedFunction_TransformData"
        template = json.loads((folder / f"{prefix}_Template.json").read_text("utf-8-sig"))["template"][0]["template"]
        payload = (folder / f"{prefix}_Payload.json").read_text("utf-8-sig").encode()
        (token,) = tributary("jsonpath", template["typeMatchExpression"], stdin=payload).json
        event = json.dumps({**json.loads(payload), "matchedToken": token}).encode()
        self.assertEqual(tributary("jsonpath", template["deviceIdExpression"], stdin=event).json, ["device123"])
        height = tributary("jmespath", template["values"][0]["valueExpression"]["value"], stdin=event)
        self.assertEqual(height.text, "1.9812\n")


if __name__ == "__main__":
    unittest.main()
