"""Compares `tributary fhirpath` with fhirpathpy (PyPI) on generated expressions over HL7's R4 examples.

    pip install fhirpathpy
    TRIBUTARY_CONFORMANCE=... python3 Tests/Integration/fhirpath_differential.py [COUNT] [SEED]

Every disagreement is shown under the paragraph of the specification that decides it (`fhirpath_decisions.py`); one that
no paragraph decides fails the run. The seed is printed; giving it repeats the run. Set TRIBUTARY_FHIRPATH_DRIVER to a
program that reads {"id", "expr", "file"} lines and answers {"id", "result" | "error"} lines to evaluate in one process.
"""

import collections
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

from fhirpath_decisions import decide
from fhirpath_expressions import Generator
from harness import BIN, CONFORMANCE, unpack

import fhirpathpy
from fhirpathpy.engine.nodes import FP_Quantity, FP_Type
from fhirpathpy.models import models

COUNT = 2400
MODEL = models["r4"]
QUIET = {"traceFn": lambda name, values: None}
CALENDAR = {"years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"}


def examples(folder):
    """The examples of moderate size, unpacked."""
    with tarfile.open(CONFORMANCE / "fhir-r4.tar.xz") as archive:
        members = [m for m in archive if "/examples/" in m.name and m.name.endswith(".json") and m.size < 60_000]
        unpack(archive, members, folder)
    return sorted(Path(folder).rglob("*.json"))


# MARK: The two sides

def plain(value):
    """A value of either side in one form: numbers by value, dates as text, quantities as pairs."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float, Decimal)):
        number = Decimal(str(value))
        return ("number", number.normalize() if number else Decimal(0))
    if isinstance(value, FP_Quantity):
        return ("quantity", plain(value.value), unit(str(value.unit)))
    if isinstance(value, FP_Type):
        return value.asStr
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return repr(value)


def oracle(resource, text):
    try:
        return plain(fhirpathpy.evaluate(json.loads(resource, parse_float=Decimal), text, None, MODEL, QUIET))
    except RecursionError:
        raise
    except Exception as error:  # whatever it raises, it has no answer
        return ("error", f"{type(error).__name__}: {error}"[:120])


def quantity(item):
    value = item["value"]
    if item["type"] == "Quantity" and isinstance(value, dict) and set(value) <= {"value", "unit", "system", "code"}:
        if set(value) in ({"value", "unit"}, {"value", "system", "code"}):
            return ("quantity", plain(value["value"]), unit(value.get("code") or value.get("unit")))
    return None


def unit(text):
    """A unit without quotes; calendar units in the singular."""
    return text[:-1] if text in CALENDAR else text.strip("'")


def ours(items):
    return [quantity(item) or plain(item["value"]) for item in items]


def evaluate_one(case):
    done = subprocess.run(
        [str(BIN), "fhirpath", case["expr"], case["file"], "--json"], capture_output=True, timeout=60)
    if done.returncode == 0:
        return ours(json.loads(done.stdout, parse_float=Decimal))
    error = json.loads(done.stderr.decode().strip().splitlines()[-1])["error"]
    return ("error", error["kind"] + " " + error["code"])


def evaluate_all(cases):
    driver = os.environ.get("TRIBUTARY_FHIRPATH_DRIVER")
    if not driver:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(evaluate_one, cases))
    lines = "".join(json.dumps({"id": i, "expr": c["expr"], "file": c["file"]}) + "\n" for i, c in enumerate(cases))
    done = subprocess.run([driver], input=lines.encode(), capture_output=True, check=True)
    answers = [json.loads(line, parse_float=Decimal) for line in done.stdout.splitlines()]
    return [
        ours(a["result"]) if "result" in a else ("error", a["error"]["kind"] + " " + a["error"]["code"])
        for a in answers]


def agree(mine, other):
    """The same items; where one refuses, the other does, too. Numbers that are not exact agree in twelve digits."""
    if isinstance(mine, tuple) and isinstance(other, tuple) and "error" in (mine[0], other[0]):
        return mine[0] == other[0]
    if isinstance(mine, tuple) and isinstance(other, tuple) and mine[0] == other[0] == "number":
        a, b = mine[1], other[1]
        return a == b or abs(a - b) <= abs(b) * Decimal("1e-12")
    if isinstance(mine, tuple) and mine[0] == "quantity" and isinstance(other, dict):
        return mine[1] == other.get("value") and mine[2] == other.get("code", other.get("unit"))
    if isinstance(mine, (list, tuple)) and isinstance(other, (list, tuple)) and type(mine) is type(other):
        return len(mine) == len(other) and all(agree(a, b) for a, b in zip(mine, other))
    if isinstance(mine, dict) and isinstance(other, dict):
        return mine.keys() == other.keys() and all(agree(mine[key], other[key]) for key in mine)
    return mine == other


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(
        os.environ.get("TRIBUTARY_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        source = random.Random(seed)
        files = examples(folder)
        texts = {}
        cases, seen = [], set()
        while len(cases) < count:
            file = source.choice(files)
            if file not in texts:
                texts[file] = file.read_text()
            generator = Generator(json.loads(texts[file], parse_float=Decimal), MODEL, source)
            for expression in generator.some(6):
                if (file, expression) in seen:
                    continue
                seen.add((file, expression))
                cases.append({"expr": expression, "file": str(file)})
        mine = evaluate_all(cases)
        agreed, decided, open_ = 0, collections.defaultdict(list), []
        errors = 0
        for case, answer in zip(cases, mine):
            other = oracle(texts[Path(case["file"])], case["expr"])
            if agree(answer, other):
                agreed += 1
                errors += isinstance(answer, tuple)
                continue
            name = Path(case["file"]).name
            decision = decide(case["expr"], answer, other, texts[Path(case["file"])])
            row = (name, case["expr"], answer, other)
            if decision:
                decided[decision].append(row)
            else:
                open_.append(row)
    report(len(cases), agreed, errors, decided, open_)
    sys.exit(1 if open_ else 0)


def report(count, agreed, errors, decided, open_):
    def show(row):
        name, expression, mine, other = row
        print(f"    {expression}   [{name}]")
        print(f"        tributary  {str(mine)[:150]}")
        print(f"        fhirpathpy {str(other)[:150]}")

    for decision in sorted(decided, key=lambda d: -len(decided[d])):
        rows = decided[decision]
        print(f"\n{len(rows)} x {decision.title}\n    {decision.paragraph}")
        for row in rows if os.environ.get("TRIBUTARY_ALL") else rows[:3]:
            show(row)
    if open_:
        print(f"\n{len(open_)} that no paragraph decides yet:")
        for row in open_:
            show(row)
    total = sum(map(len, decided.values()))
    print(f"\n{count} expressions: {agreed} agree ({errors} of them refused by both), "
          f"{total} decided by the specification, {len(open_)} open")


if __name__ == "__main__":
    main()
