"""Compares `tributary survey replay` with the model of `forms_model.py` on random forms and steps.

    pip install fhirpathpy
    python3 Tests/Integration/forms_differential.py [COUNT] [SEED]

fhirpathpy evaluates the expressions of the model's forms. A form whose expressions it cannot evaluate is shown under the
paragraph of the specification that decides; a state that differs fails the run, with the form and the steps that show it.
The seed is printed; giving it repeats the run.
"""

import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

from fhirpath_decisions import Decision
from forms_answers import Digits, read, written
from forms_model import Failed, Model
from forms_random import RandomForm, random_step
from harness import BIN

COUNT = 2000
STEPS = 25
NOW = "2026-03-01T09:00:00+01:00"


# The messages of fhirpathpy if an operand has several items, those of Python's own operators included.
SEVERAL = re.compile("ingleton|single|is not iterable|is not JSON serializable|Cannot .* [-+*/] ")
LAZY = Decision(
    "and, or, implies and iif() need not evaluate what does not decide",
    "http://hl7.org/fhirpath/N1/#boolean-logic: implementations may use short-circuit evaluation; "
    "http://hl7.org/fhirpath/N1/#iif: the result that is not chosen is not evaluated. fhirpathpy evaluates both sides, and "
    "fails if one of them fails.")


class Limit(Exception):
    """An expression that fhirpathpy does not evaluate as the specification says, with the decision."""

    def __init__(self, decision):
        super().__init__(decision.title)
        self.decision = decision


# MARK: fhirpathpy

class Evaluator:
    """Evaluates expressions with fhirpathpy."""

    def __init__(self):
        import fhirpathpy
        from fhirpathpy.engine.nodes import FP_Type
        from fhirpathpy.models import models
        self.library, self.model, self.temporal = fhirpathpy, models["r4"], FP_Type
        self.compiled = {}

    def __call__(self, text, response):
        plain = numbers(response)
        try:
            if text not in self.compiled:
                self.compiled[text] = self.library.compile(text, self.model)
            found = self.compiled[text](plain, {"resource": plain})
        except Exception as error:  # it raises whatever its parts raise
            raise self.meaning(error, text) from error
        return [self.value(one) for one in found]

    @staticmethod
    def meaning(error, text):
        if not SEVERAL.search(str(error)):
            return Limit(Decision("Open", f"{type(error).__name__}: {error}; {text}"))
        return Limit(LAZY) if re.search(r" (and|or|implies) |iif\(", text) else Failed(str(error))

    def value(self, one):
        if isinstance(one, self.temporal):
            return one.asStr
        return {key: self.value(member) for key, member in one.items()} if isinstance(one, dict) else one


def numbers(value):
    """JSON as fhirpathpy takes it: integers, and decimals with their digits."""
    if isinstance(value, Digits):
        return value.number if "." in value else int(value)
    if isinstance(value, dict):
        return {key: Decimal(str(member)) if key == "valueDecimal" else numbers(member) for key, member in value.items()}
    return [numbers(member) for member in value] if isinstance(value, list) else value


# MARK: One form

class Case:
    """A form, its steps and the states that the model expects, the final response last."""

    def __init__(self, form, steps, evaluate):
        # The form and the steps as they are written, so that all numbers have digits.
        self.form, self.steps = read(written(form)), read(written(steps))
        model = Model(self.form, evaluate)
        self.expected = [{"step": Digits(0), **model.state(), "refused": None}]
        for index, step in enumerate(self.steps):
            refused = model.perform(step)
            self.expected.append({"step": Digits(index + 1), **model.state(), "refused": refused})
        self.expected.append({"response": model.response()[0].get("item")})
        self.calculated = {item.link_id for item in model.items.values() if item.calculation or item.initial}

    @classmethod
    def random(cls, seed, has_expressions, evaluate, count=STEPS):
        source = random.Random(seed)
        form = read(written(RandomForm(source, has_expressions).json))
        model, steps = Model(form, evaluate), []
        for _ in range(count):
            steps.append(read(written(random_step(model, source))))
            model.perform(steps[-1])
        return cls(form, steps, evaluate)

    def replayed(self):
        with tempfile.TemporaryDirectory() as folder:
            form, steps = Path(folder, "form.json"), Path(folder, "steps.ndjson")
            form.write_text(written(self.form))
            steps.write_text("".join(written(step) + "\n" for step in self.steps))
            done = subprocess.run([str(BIN), "survey", "replay", str(form), str(steps), "--now", NOW],
                                  capture_output=True, timeout=120, check=False)
        lines = [read(line) for line in done.stdout.decode().splitlines()]
        for line in lines:
            if "problems" in line:
                line["problems"] = sorted((problem["code"], problem["path"]) for problem in line["problems"])
            if "response" in line:
                line["response"] = line["response"].get("item")
        return lines or [{"status": done.returncode, "error": done.stderr.decode()[-300:]}]

    def difference(self):
        """The first line that differs, as its number, its member, what is expected, and what is found; or None."""
        found = self.replayed()
        for index, expected in enumerate(self.expected):
            line = found[index] if index < len(found) else {"absent": found[-1]}
            for name, content in expected.items():
                if name not in line or not self.agree(content, line[name]):
                    return index, name, content, line.get(name, line)
        return None

    def agree(self, expected, found, is_calculated=False):
        """Whether two values are the same, with the digits of their numbers; calculated numbers agree in twelve digits."""
        if isinstance(expected, Digits) and isinstance(found, Digits):
            if not is_calculated:
                return str(expected) == str(found)
            return abs(expected.number - found.number) <= abs(expected.number) * Decimal("1e-12")
        if isinstance(expected, dict) and isinstance(found, dict):
            if expected.keys() != found.keys():
                return False
            linked = expected.get("linkId") in self.calculated
            return all(self.agree(expected[key], found[key], is_calculated or linked or self.last(key) in self.calculated)
                       for key in expected)
        if isinstance(expected, list) and isinstance(found, list):
            return len(expected) == len(found) and all(
                self.agree(one, other, is_calculated) for one, other in zip(expected, found))
        return type(expected) is type(found) and expected == found

    @staticmethod
    def last(path):
        return path.rsplit("/", 1)[-1].split("[")[0]


# MARK: Shrinking

def without(items):
    """Lists of items without one of them, or without its conditions, extensions or other members."""
    for index, item in enumerate(items):
        yield items[:index] + items[index + 1:]
        for name in ("enableWhen", "extension", "required", "repeats", "initial", "answerOption", "maxLength", "readOnly"):
            if name in item:
                yield items[:index] + [{key: member for key, member in item.items() if key != name}] + items[index + 1:]
        for name in ("extension", "enableWhen"):
            for part in range(len(item.get(name, []))):
                fewer = item[name][:part] + item[name][part + 1:]
                yield items[:index] + [{**item, name: fewer}] + items[index + 1:]
        if "item" in item:
            for inner in without(item["item"]):
                rest = {key: member for key, member in item.items() if key != "item"}
                yield items[:index] + [{**rest, "item": inner} if inner else rest] + items[index + 1:]


def smaller(case, evaluate, tries=400):
    """A smaller case that also differs in the same member."""
    member = case.difference()[1]

    def differs(form, steps):
        nonlocal tries
        tries -= 1
        try:
            found = Case(form, steps, evaluate)
            difference = found.difference()
        except (Limit, KeyError, AssertionError, ValueError):
            return None
        return found if difference and difference[1] == member and "error" not in str(difference[3])[:200] else None

    is_smaller = True
    while is_smaller and tries > 0:
        is_smaller = False
        for index in reversed(range(len(case.steps))):
            found = tries > 0 and differs(case.form, case.steps[:index] + case.steps[index + 1:])
            if found:
                case, is_smaller = found, True
        for items in without(case.form["item"]):
            found = tries > 0 and items and differs({**case.form, "item": items}, case.steps)
            if found:
                case, is_smaller = found, True
                break
    return case


def show(case, seed):
    index, member, expected, found = case.difference()
    print(f"\nform {seed}: line {index}, {member}")
    print("    form       " + written(case.form["item"]))
    if case.form.get("extension"):
        print("    variables  " + written(case.form["extension"]))
    for step in case.steps[:index]:
        print("    step       " + written(step))
    print(f"    model      {json.dumps(expected)}")
    print(f"    tributary  {json.dumps(found)}", flush=True)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(
        os.environ.get("TRIBUTARY_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"seed {seed}")
    evaluate = Evaluator()
    limits, met, differing, states = collections.defaultdict(list), collections.Counter(), 0, 0

    def compared(number):
        case = None
        try:
            case = Case.random(f"{seed}-{number}", number % 2 == 1, evaluate)
        except Limit as limit:
            return number, None, limit.decision
        return number, case, case.difference()

    with ThreadPoolExecutor(2) as pool:
        for number, case, found in pool.map(compared, range(count)):
            if case is None:
                limits[found].append(number)
            elif found:
                differing += 1
                if differing <= 20:
                    show(smaller(case, evaluate), f"{seed}-{number}")
            else:
                states += len(case.expected) - 1
                for line in case.expected[:-1]:
                    met.update({line["refused"] or "not refused", *(code for code, _ in line["problems"])})
    print("\nstates with: " + ", ".join(f"{code} {times}" for code, times in met.most_common()))
    is_open = False
    for decision, numbers in sorted(limits.items(), key=lambda row: -len(row[1])):
        is_open = is_open or decision.title == "Open"
        print(f"\n{len(numbers)} x {decision.title}\n    {decision.paragraph}\n    forms {numbers[:10]}")
    beyond = sum(map(len, limits.values()))
    print(f"\n{count} forms: {states} states agree, {beyond} forms decided by the specification, {differing} differ")
    sys.exit(1 if differing or is_open else 0)


if __name__ == "__main__":
    main()
