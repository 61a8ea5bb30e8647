"""What the published expressions of search parameters select in resources, as fhirpathpy (PyPI) evaluates them; run by a Python
that has it. Reads JSON on standard input, {"resources": {type: [resource]}, "expressions": {type: {code: [expression]}}}, and
writes {type: {code: [[value]]}}, of each resource a list; and what it could not evaluate, under the empty type."""

import json
import re
import sys

from fhirpathpy import compile
from fhirpathpy.models import models

# Later versions of FHIR publish the same expressions with `ofType`, which takes any number of values as searches need it.
CAST = re.compile(r"^\((.+) as (\w+)\)$")
RESOLVES = re.compile(r"\.where\(resolve\(\) is (\w+)\)$")


def target(reference, resource):
    """The type that a reference leads to, as far as it tells."""
    text = reference.get("reference", "")
    if text.startswith("#"):
        return next((one["resourceType"] for one in resource.get("contained", []) if one.get("id") == text[1:]), None)
    found = re.search(r"(?:^|/)([A-Z][A-Za-z]+)/[A-Za-z0-9.-]{1,64}(?:/_history/[^/]+)?$", text)
    return found[1] if found else reference.get("type")


def evaluator(expression):
    """A function from a resource to what an expression selects in it."""
    wanted = RESOLVES.search(expression)
    run = compile(CAST.sub(r"\1.ofType(\2)", RESOLVES.sub("", expression)), models["r4"])

    def values(resource):
        found = run(resource)
        found = found if isinstance(found, list) else [found]
        if wanted:
            found = [value for value in found if isinstance(value, dict) and target(value, resource) == wanted[1]]
        return found

    return values


def main():
    given = json.load(sys.stdin)
    found, failed = {}, []
    made = {}
    for kind, codes in given["expressions"].items():
        for code, expressions in codes.items():
            rows = [[] for _ in given["resources"][kind]]
            try:
                for expression in expressions:
                    run = made[expression] = made.get(expression) or evaluator(expression)
                    for row, resource in zip(rows, given["resources"][kind]):
                        row += run(resource)
            except Exception as error:  # of whichever kind: the test names it
                failed.append(f"{kind}.{code}: {expressions}: {type(error).__name__} {str(error)[:200]}")
                continue
            found.setdefault(kind, {})[code] = rows
    json.dump({**found, "": failed}, sys.stdout, default=str)


if __name__ == "__main__":
    main()
