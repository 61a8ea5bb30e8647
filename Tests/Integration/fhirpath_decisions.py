"""Where fhirpathpy disagrees: the paragraph of the specification that decides, and how such a case is known."""

import re
from typing import NamedTuple


class Decision(NamedTuple):
    title: str
    paragraph: str


RULES = []


def decide(expression, mine, other):
    for decision, matches in RULES:
        if matches(expression, mine, other):
            return decision
    return None
