"""schemathesis (PyPI) asks each operation of `/openapi.json` what is described and what is not: no answer may be the server's fault,
or another than the document describes.

The document is given examples, so that what is well asked is asked too. A part of the types is asked, chosen by the seed;
`TRIBUTARY_OPERATIONS=all` asks all of them."""

import copy
import json
import os
import random
import re
import unittest

from harness import CONFORMANCE, seeded
from programs import FULL, Program, needs, run, say, tool

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# What Python 3.11 says of itself, sometimes, where several threads compile what is nested deeply: no word on the server.
INTERPRETER = "SystemError: AST constructor recursion depth mismatch"
WHOLE = os.environ.get("TRIBUTARY_OPERATIONS") == "all"
# How many types are asked by turns, beside those whose operations are their own.
SAMPLE = 36
ALWAYS = ("Patient", "Group", "Observation")
# What half of the parameters hold, so that they find something and are understood.
IDS = ("x1", "x2", "x-3", "unknown")
VALUES = ("x", "x1", "2024-01-01", "ge2024", "eb2024-06", "http://loinc.org|8867-4", "|x", "x|", "5.40",
          "lt5|http://unitsofmeasure.org|mg", "Patient/x1", "true", "Patient", "Patient,Observation", "*", "Observation:patient",
          "-date", "date,-_lastUpdated", "text", "accurate", "none", "3", "0", "http://example.org/x", "final,x", "\\,", "%", "a$b",
          "x:y")
# OpenAPI has no words for a body that may be missing, so that `return=minimal` is not asked for.
LANGUAGE = {"resourceType": "Parameters", "parameter": [{"name": "operation", "part": [
    {"name": "type", "valueCode": "add"}, {"name": "path", "valueString": "Resource"}, {"name": "name", "valueString": "language"},
    {"name": "value", "valueCode": "de"}]}]}
PATCHES = {"application/fhir+json": LANGUAGE, "application/merge-patch+json": {"language": "de"},
           "application/json-patch+json": [{"op": "add", "path": "/language", "value": "de"}]}
HEADERS = ("return=representation", "return=OperationOutcome", "handling=strict", "handling=lenient",
           "respond-async", 'W/"1"', 'W/"2"', "*", "identifier=x", "_id=x1")


@needs("schemathesis")
class Schemathesis(Program):
    packages = ("schemathesis",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = cls.server.request("GET", "/openapi.json").json
        cls.types = sorted({path.split("/")[1] for path in cls.document["paths"] if re.match(r"/[A-Z]\w+/", path)})
        cls.examples = cls.make()
        cls.stored = sum(cls.ask("PUT", f"{name}/{id_}", {**resource, "id": id_}).status == 201
                         for name, resource in cls.examples.items() for id_ in IDS[:3])

    @staticmethod
    def make():
        """A small resource of each type that can be made."""
        made = {"Patient": {"resourceType": "Patient", "gender": "female"},
                "Observation": {"resourceType": "Observation", "status": "final", "code": {"text": "x"},
                                "subject": {"reference": "Patient/x1"}},
                "Group": {"resourceType": "Group", "type": "person", "actual": True,
                          "member": [{"entity": {"reference": "Patient/x1"}}]}}
        archive = CONFORMANCE and CONFORMANCE / "fhir-r4.tar.xz"
        if archive and archive.exists():
            from minimal import Minimal
            for name, resource in Minimal(archive).every():
                if "." not in name:
                    made.setdefault(name, resource)
        return made

    def described(self):
        """The server's document with examples."""
        document = copy.deepcopy(self.document)
        parameters = document["components"]["parameters"]
        parameters["id"]["example"], parameters["version"]["example"] = IDS[0], "1"
        parameters["member"]["examples"] = {kind: {"value": kind} for kind in ("Observation", "*")}
        for path, item in document["paths"].items():
            for method, operation in item.items():
                content = operation.get("requestBody", {}).get("content", {})
                resource = self.examples.get(path.split("/")[1])
                for kind, body in content.items():
                    if method == "patch" and kind in PATCHES:
                        body["example"] = PATCHES[kind]
                    elif kind == "application/fhir+json" and resource and not path.endswith("$export"):
                        body["example"] = {**resource, "id": IDS[0]}
        return document

    def test_no_answer_is_a_fault_or_another_than_is_described(self):
        chance = seeded()
        types = self.types if WHOLE else sorted({*ALWAYS, *chance.sample(self.types, SAMPLE)})
        folder = self.study.root / "schemathesis"
        folder.mkdir()
        (folder / "schemathesis.toml").write_text("\n".join((
            f"[dictionaries.ids]\nvalues = {json.dumps(IDS)}", f"[dictionaries.values]\nvalues = {json.dumps(VALUES)}",
            f"[dictionaries.headers]\nvalues = {json.dumps(HEADERS)}", '[dictionaries.versions]\nvalues = ["1", "2", "99"]',
            "[parameters]", *(f'"{name}" = {{ dictionary = "{kind}", probability = 0.7 }}' for name, kind in (
                ("path.id", "ids"), ("path.version", "versions"), *((f"header.{header}", "headers") for header in (
                    "Prefer", "If-Match", "If-None-Match", "If-None-Exist")))),
            '[generation.dictionaries]', 'string = { dictionary = "values", probability = 0.4 }')))
        document = folder / "openapi.json"
        document.write_text(json.dumps(self.described()))
        chosen = [] if WHOLE else ["--include-path-regex", rf"^/(({'|'.join(types)})(/.*)?|[$_m].*)?$"]
        for attempt in range(3):
            seed = chance.randrange(1 << 31)
            reports = folder / f"reports-{attempt}"
            done = run(tool("schemathesis"), "--config-file", folder / "schemathesis.toml", "run", document, "--url", self.base,
                       "--header", "Authorization: Bearer " + self.token(FULL), "--checks", CHECKS,
                       "--phases", "examples,coverage,fuzzing", "--max-examples", "6", "--workers", "2", "--seed", seed,
                       "--continue-on-failure", "--suppress-health-check", "all", "--generation-database", "none", "--no-color",
                       "--warnings", "off", *chosen, "--report", "json,ndjson", "--report-dir", reports,
                       timeout=3600, cwd=folder)
            report = json.loads(self.report_text(reports, done, "json"))
            if report["failures"] or INTERPRETER not in done.stdout:
                break
            say(f"seed {seed}: Python gave up below schemathesis, which is asked once more")
        answers = {}
        for line in self.report_text(reports, done, "ndjson").splitlines():
            for one in json.loads(line).get("ScenarioFinished", {}).get("recorder", {}).get("interactions", {}).values():
                status = (one.get("response") or {}).get("status_code")
                answers[status] = answers.get(status, 0) + 1
        operations, cases = report["operations"], report["test_cases"]
        say(f"seed {seed}; {self.stored} records of {len(self.types)} types; {operations['tested']} of "
            f"{operations['total']} operations, {cases['generated']} cases, {cases['with_failures']} failed; answers: "
            + ", ".join(f"{number} {status}" for status, number in sorted(answers.items(), key=str)))
        self.assertEqual((done.returncode, report["failures"], report["errors"]), (0, [], []), done.stdout[-20_000:])
        self.assertEqual(operations["tested"], operations["selected"])
        self.assertTrue(report["complete"])
        for status in (200, 201, 204, 400, 404):
            self.assertGreater(answers.get(status, 0), 0, f"nothing was answered {status}")

    def report_text(self, reports, done, kind):
        found = list(reports.glob(f"{kind}-*"))
        self.assertEqual(len(found), 1, done.stdout[-5_000:])
        return found[0].read_text()


if __name__ == "__main__":
    unittest.main()
