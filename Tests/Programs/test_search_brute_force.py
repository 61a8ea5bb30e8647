"""Every search parameter that R4 publishes, asked of HL7's examples: the values are taken from the resources by fhirpathpy (PyPI)
from the published expressions, what a search of them finds is counted in Python by the text of the specification
(`search_by_hand.py`), and the server's totals are the same."""

import http.client
import json
import os
import re
import subprocess
import sys
import tarfile
import time
import unittest
import urllib.parse
from pathlib import Path

from harness import CONFORMANCE, Study, needs_conformance, seeded
from programs import needs
from search_by_hand import SEARCHES, composites, part_of, presence
from writing import FHIR, Writing, bundle, entry

# How many values of a parameter are asked for; 0 for all.
VALUES = int(os.environ.get("TRIBUTARY_SEARCH_VALUES", "1"))
# How many requests are made of the searches of each value; 0 for all.
SEARCHES_OF_VALUE = int(os.environ.get("TRIBUTARY_SEARCHES_OF_VALUE", "2" if VALUES else "0"))

# Types of which the server has no records: its own definitions, and the events of its audit.
WITHOUT_RECORDS = ("StructureDefinition", "CodeSystem", "AuditEvent")

# What a parameter's kind has no value for, of what its expression selects: the first resource of a Bundle is the composition or the
# message where it is one; and a CarePlan's `scheduledString` is there, and no date, whatever it says.
MEANT = {("Bundle", "composition"): lambda row: [one for one in row if one.get("resourceType") == "Composition"],
         ("Bundle", "message"): lambda row: [one for one in row if one.get("resourceType") == "MessageHeader"],
         ("CarePlan", "activity-date"): lambda row: [one if isinstance(one, dict) else {} for one in row]}


def published():
    """HL7's examples, and the search parameters by type and code."""
    examples, parameters = [], []
    with tarfile.open(CONFORMANCE / "fhir-r4.tar.xz") as archive:
        for member in archive:
            folder, _, name = member.name.removeprefix("fhir-r4/").partition("/")
            if folder == "examples" and name.endswith(".json"):
                examples.append(json.load(archive.extractfile(member)))
            elif folder == "definitions" and name.startswith("SearchParameter-") and "-example" not in name:
                parameters.append(json.load(archive.extractfile(member)))
    return examples, parameters


def parts(expression, kind):
    """Those of the alternatives of an expression that begin with a type, or with one that it is one of."""
    expression = re.sub(r"^(Domain)?Resource\b", kind, expression)
    if re.match(r"[a-z]", expression):
        expression = "|".join(f"{kind}.{part.strip()}" for part in expression.split("|"))
    found, depth, begin = [], 0, 0
    for place, mark in enumerate(expression + "|"):
        depth += (mark == "(") - (mark == ")")
        if mark == "|" and depth == 0:
            found.append(expression[begin:place].strip())
            begin = place + 1
    return [part for part in found if part.lstrip("( ").split(".")[0].split(" ")[0] == kind]


@needs_conformance("fhir-r4.tar.xz")
@needs("fhirpathpy")
class EveryParameter(Writing):
    @classmethod
    def change(cls, value):
        Writing.change(value)
        value["identifiedRecords"] = True
        value["validation"] = "none"

    @classmethod
    def make_study(cls):
        return Study(change=cls.change, forms=False)

    @classmethod
    def prepare(cls):
        """No forms: what is searched is what HL7 publishes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.connection = http.client.HTTPConnection("127.0.0.1", cls.server.port)
        cls.addClassCleanup(cls.connection.close)
        examples, parameters = published()
        cls.stored(examples)
        cls.resources = cls.served({example["resourceType"] for example in examples})
        cls.parameters = cls.of_types(parameters)
        cls.values = cls.selected()

    @classmethod
    def ask_quickly(cls, method, path, body=None):
        headers = {"Authorization": "Bearer " + cls.writer, "Content-Type": FHIR, "Prefer": "handling=strict"}
        cls.connection.request(method, urllib.parse.urlsplit(cls.server.url).path + "/fhir" + path,
                               json.dumps(body) if body else None, headers)
        answer = cls.connection.getresponse()
        return answer.status, json.loads(answer.read())

    @classmethod
    def stored(cls, examples):
        cls.refused, cls.count = {}, 0
        for begin in range(0, len(examples), 100):
            some = examples[begin:begin + 100]
            status, answer = cls.ask_quickly("POST", "", bundle("batch", *[
                entry("PUT", f"{one['resourceType']}/{one['id']}", one) for one in some]))
            assert status == 200, answer
            for one, row in zip(some, answer["entry"]):
                if row["response"]["status"][:3] in ("200", "201"):
                    cls.count += 1
                else:
                    issue = row["response"]["outcome"]["issue"][0]
                    reason = issue.get("details", {}).get("text") or issue.get("diagnostics")
                    cls.refused.setdefault(reason, []).append(f"{one['resourceType']}/{one['id']}")

    @classmethod
    def served(cls, kinds):
        """All that the server has of the types, as it serves them."""
        found = {}
        for kind in sorted(kinds - set(WITHOUT_RECORDS)):
            path = f"/{kind}?_count=500"
            while path:
                status, answer = cls.ask_quickly("GET", path)
                assert status == 200, (path, answer)
                found.setdefault(kind, []).extend(row["resource"] for row in answer.get("entry", []))
                after = [link["url"] for link in answer["link"] if link["relation"] == "next"]
                path = after[0].partition("/fhir")[2] if after else None
        return {kind: rows for kind, rows in found.items() if rows}

    @classmethod
    def of_types(cls, parameters):
        """The kind of each parameter and its expressions, by type and code."""
        found, kinds = {}, {one["url"]: one["type"] for one in parameters}
        cls.composites = {}
        for one in parameters:
            for base in one.get("base", []) if one.get("expression") else []:
                for kind in cls.resources if base in ("Resource", "DomainResource") else [base]:
                    if kind in cls.resources and one["type"] in SEARCHES:
                        found.setdefault(kind, {})[one["code"]] = (one["type"], parts(one["expression"], kind))
                    elif kind in cls.resources and one["type"] == "composite":
                        components = [(kinds[row["definition"]], row["expression"]) for row in one["component"]]
                        cls.composites[kind, one["code"]] = (parts(one["expression"], kind), components)
        return found

    @classmethod
    def selected(cls):
        given = {"resources": cls.resources, "expressions": {
            kind: {code: expressions for code, (_, expressions) in codes.items()} for kind, codes in cls.parameters.items()}}
        done = subprocess.run([sys.executable, Path(__file__).with_name("fhirpath_values.py")], input=json.dumps(given).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        found = json.loads(done.stdout)
        for (kind, code), meant in MEANT.items():
            found[kind][code] = list(map(meant, found[kind][code]))
        for (kind, code), (items, components) in cls.composites.items():
            found.setdefault(kind, {})[code] = [
                [value for item in cls.items(resource, items) if all(value := [
                    part_of(item, expression, resource) for _, expression in components])]
                for resource in cls.resources[kind]]
        return found

    @staticmethod
    def items(resource, expressions):
        """The elements that a composite is of: the resource, or those at a path."""
        found = []
        for expression in expressions:
            some = [resource]
            for name in expression.split(".")[1:]:
                inner = [one.get(name, []) for one in some]
                some = [each for one in inner for each in (one if isinstance(one, list) else [one])]
            found += some
        return found

    def searches(self, random):
        """A type, a search as it is sent, and how many resources it finds."""
        makers = {key: composites([sort for sort, _ in components]) for key, (_, components) in self.composites.items()}
        asked = {kind: {code: sort for code, (sort, _) in codes.items()} for kind, codes in self.parameters.items()}
        for kind, code in self.composites:
            asked.setdefault(kind, {})[code] = "composite"
        for kind, codes in asked.items():
            for code, sort in codes.items():
                rows = self.values.get(kind, {}).get(code)
                if rows is None:
                    continue
                made = [] if sort == "composite" else list(presence())
                values = [value for row in rows for value in row]
                distinct = list({json.dumps(value, sort_keys=True): value for value in values}.values())
                for value in random.sample(distinct, min(VALUES, len(distinct))) if VALUES else distinct:
                    own = list(makers.get((kind, code), SEARCHES.get(sort))(value))
                    few = min(SEARCHES_OF_VALUE or len(own), len(own))
                    made += random.sample(own, few)
                seen = set()
                for modifier, text, holds in made:
                    if (modifier, text) not in seen:
                        seen.add((modifier, text))
                        yield kind, sort, code, modifier, text, sum(map(holds, rows))

    def test_totals_are_what_a_count_over_the_resources_says(self):
        random, began, made, kinds, wrong = seeded(), time.monotonic(), 0, {}, []
        for kind, sort, code, modifier, text, expected in self.searches(random):
            query = f"/{kind}?{urllib.parse.quote(code + modifier, safe=':')}={urllib.parse.quote(text, safe='')}"
            status, answer = self.ask_quickly("GET", query + "&_total=accurate&_count=0")
            made += 1
            kinds[sort] = kinds.get(sort, 0) + 1
            found = answer.get("total") if status == 200 else answer["issue"][0].get("diagnostics")
            if found != expected:
                wrong.append(f"{sort} {kind}?{code}{modifier}={text}: {found}, not {expected}")
        left = {kind: codes for kind, codes in sorted(self.refused.items())}
        print(f"  {self.count} examples stored, {sum(map(len, left.values()))} refused: {left}; {made} searches in "
              f"{time.monotonic() - began:.0f} s: {kinds}; not evaluated: {self.values['']}", file=sys.stderr)
        self.assertEqual(wrong, [], f"{len(wrong)} differ\n" + "\n".join(wrong[:400]))
        self.assertGreater(made, 1500)


if __name__ == "__main__":
    unittest.main()
