"""What a rule is: a sentence of R4, and a function that breaks it at one place."""

import json
import re
from dataclasses import dataclass


@dataclass
class Rule:
    name: str
    says: str
    look: object
    placed: bool = True
    bases: object = None
    section: str = ""


RULES = {}
_section = [""]


def section(title):
    """What the rules that follow are about."""
    _section[0] = title


def rule(name, says, placed=True, bases=None):
    """Registers a function Spot -> None or a function without arguments that damages and returns the place."""

    def register(look):
        if name in RULES:
            raise ValueError(f"two rules are named {name}")
        RULES[name] = Rule(name, says, look, placed, bases, _section[0])
        return look

    return register


class Raw:
    """JSON text that no JSON value stands for."""

    MARK = "@raw@"

    @staticmethod
    def value(text):
        return Raw.MARK + text.encode().hex() + Raw.MARK

    @staticmethod
    def key(name):
        """A name that is written as `name`, though a member of that name is there already."""
        return "@twice@" + name

    @staticmethod
    def write(resource):
        text = json.dumps(resource, ensure_ascii=False, indent=1)
        text = re.sub(r'"@raw@([0-9a-f]*)@raw@"', lambda match: bytes.fromhex(match[1]).decode(), text)
        return text.replace('"@twice@', '"').encode()
