#!/usr/bin/env python3
"""Compares FHIR validators over the same damaged R4 resources, and over the examples that were damaged.

    Scripts/compare-validators.py --archive fhir-r4.tar.xz --work FOLDER
        [--ours TRIBUTARY] [--fhirkit FHIRKIT] [--pyrofile PYROFILE --package hl7.fhir.r4.core/package]
        [--seed N] [--missed] [--json TABLE.json]

A damage counts as caught where the validator names an error that it does not name for the undamaged example. A false
alarm is an error on an undamaged example, but for those that break a definition themselves (`BREAKS`). Answers are
stored in FOLDER by the content of the file, so that a second run validates only new files; ours always validates all.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests" / "Integration"))

from damage import BREAKS, PER_RULE, SEED, Raw, damages  # noqa: E402
from damage_rule import RULES  # noqa: E402
from r4_places import Definitions, read_examples  # noqa: E402

# One process for all files: pyrofile needs two seconds to start. The same call as its `file` command makes.
PYROFILE = """
import json, signal, sys
from pathlib import Path
from pyrofile_validator.config import ValidatorConfig
from pyrofile_validator.core.engine import Validator
import io, contextlib
class Slow(BaseException): pass
def ring(*_): raise Slow()
signal.signal(signal.SIGALRM, ring)
config = ValidatorConfig.load(sys.argv[1])
validator = Validator(config)
for line in sys.stdin:
    path = line.strip()
    signal.alarm(int(sys.argv[2]))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            report = validator.validate_path(Path(path))
        found = [f"{i.code} {i.path}: {i.message}" for i in report.errors]
    except Slow:
        found = None
    except Exception as error:
        found = [f"crashed: {type(error).__name__} {error}"]
    finally:
        signal.alarm(0)
    print(json.dumps([path, found]), flush=True)
"""


def chunks(files, size):
    for start in range(0, len(files), size):
        yield files[start : start + size]


class Tool:
    """A validator: answers, per file, the errors it names (None: no answer in time)."""

    def __init__(self, name, ask, work=None):
        self.name, self.ask, self.cache = name, ask, Path(work) / f"{name}.jsonl" if work else None

    def answers(self, files):
        keys = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
        known = {}
        if self.cache and self.cache.exists():
            known = dict(map(json.loads, self.cache.read_text().splitlines()))
        out = {file: known[key] for file, key in keys.items() if key in known}
        missing = [file for file in files if file not in out]
        store = open(self.cache, "a") if self.cache else None
        for number, (file, found) in enumerate(self.ask(missing), 1):
            out[file] = found
            if store:
                store.write(json.dumps([keys[file], found]) + "\n")
                store.flush()
            if number % 100 == 0:
                print(f"  {self.name}: {number} of {len(missing)}", file=sys.stderr)
        return out


def fhirkit(binary):
    def ask(files):
        for part in chunks(files, 200):
            done = subprocess.run([binary, "validate", "--json", *part], capture_output=True, check=False)
            found = {}
            for line in done.stdout.decode().splitlines():
                answer = json.loads(line)
                found[answer["file"]] = [json.dumps(issue, sort_keys=True) for issue in answer["issues"]]
            for line in done.stderr.decode().splitlines():
                for file in part:
                    if line.startswith(f"{file}:"):
                        found[str(file)] = [line.removeprefix(f"{file}:")]
            for file in part:
                yield file, found.get(str(file), ["no answer"])

    return ask


def pyrofile(binary, package, seconds):
    def ask(files):
        if not files:
            return
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "config.json"
            config.write_text(json.dumps({"fhirVersion": "4.0.1", "localPackagePaths": [str(Path(package).resolve())]}))
            python = Path(binary).read_text().splitlines()[0].removeprefix("#!").strip()
            with subprocess.Popen(
                [python, "-c", PYROFILE, str(config), str(seconds)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd=folder,
            ) as process:
                for file in files:
                    process.stdin.write(f"{file}\n")
                    process.stdin.flush()
                    yield file, json.loads(process.stdout.readline())[1]
                process.stdin.close()

    return ask


def ours(binary):
    def ask(files):
        for part in chunks(files, 100):
            done = subprocess.run([binary, "fhir", "validate", "--json", *part], capture_output=True, check=False)
            answers = {answer["file"]: answer["outcome"] for answer in json.loads(done.stdout)}
            for file in part:
                yield file, [
                    " ".join([issue["code"], *issue.get("expression", []), issue.get("details", {}).get("text", "")])
                    for issue in answers[str(file)].get("issue", [])
                    if issue["severity"] in ("error", "fatal")
                ]

    return ask


def plain(message):
    """The message without positions, so that it is the same for the undamaged file."""
    return re.sub(r"(line|column|offset)\W+\d+", "", message)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--archive", default=os.path.join(os.environ.get("TRIBUTARY_CONFORMANCE", ""), "fhir-r4.tar.xz")
    )
    parser.add_argument("--work", required=True)
    parser.add_argument("--ours", default=os.environ.get("TRIBUTARY_BIN"))
    parser.add_argument("--fhirkit")
    parser.add_argument("--pyrofile")
    parser.add_argument("--package")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--per-rule", type=int, default=PER_RULE, help="damages of each rule")
    parser.add_argument("--seconds", type=int, default=20, help="pyrofile's time for one file")
    parser.add_argument("--missed", action="store_true", help="name the damages that are not caught")
    parser.add_argument("--json", help="write the table here as well")
    options = parser.parse_args()

    work = Path(options.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    examples = read_examples(options.archive)
    made = damages(Definitions.of(options.archive), examples, options.seed, options.per_rule)
    folders = {name: work / name for name in ("examples", "damaged")}
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
    whole = {}
    for name, resource in sorted(examples.items()):
        whole[name] = folders["examples"] / name
        whole[name].write_bytes(Raw.write(resource))
    bases = {}
    for damage in made:
        (folders["damaged"] / damage.name).write_bytes(damage.data)
        bases[damage.name] = whole.get(damage.base)

    tools = []
    if options.fhirkit:
        tools.append(Tool("fhirkit", fhirkit(options.fhirkit), work))
    if options.pyrofile:
        tools.append(Tool("pyrofile", pyrofile(options.pyrofile, options.package, options.seconds), work))
    if options.ours:
        tools.append(Tool("ours", ours(options.ours)))
    others = [tool.name for tool in tools if tool.name != "ours"]
    small = sorted(whole.values(), key=lambda file: file.stat().st_size)
    caught, alarms, silent = {}, {}, {}
    for tool in tools:
        undamaged = tool.answers(small)
        alarms[tool.name] = {file.name: found for file, found in undamaged.items() if found and file.name not in BREAKS}
        silent[tool.name] = [file.name for file, found in undamaged.items() if found is None]
        answers = tool.answers([folders["damaged"] / damage.name for damage in made])
        for file, found in answers.items():
            before = Counter(map(plain, undamaged.get(bases.get(file.name)) or []))
            new = Counter(map(plain, found or [])) - before
            caught.setdefault(file.name, {})[tool.name] = list(new)

    names = [tool.name for tool in tools]
    columns = others + (["union"] if len(others) > 1 else []) + (["ours"] if "ours" in names else [])
    table = []
    for rule in dict.fromkeys(damage.rule for damage in made):
        mine = [damage for damage in made if damage.rule == rule]
        row = {"rule": rule, "n": len(mine)}
        for column in columns:
            which = others if column == "union" else [column]
            row[column] = sum(any(caught[damage.name][name] for name in which) for damage in mine)
        table.append(row)
    width = max(len(row["rule"]) for row in table)
    print(f"{'rule':<{width}}    n" + "".join(f"{column:>10}" for column in columns))
    for row in table:
        print(f"{row['rule']:<{width}} {row['n']:>4}" + "".join(f"{row[column]:>10}" for column in columns))
    print()
    for section in dict.fromkeys(RULES[row["rule"]].section for row in table):
        mine = [row for row in table if RULES[row["rule"]].section == section]
        counts = "".join(f"{sum(row[column] for row in mine):>10}" for column in columns)
        print(f"{section + f' ({len(mine)} rules)':<{width}} {sum(row['n'] for row in mine):>4}{counts}")
    total = {column: sum(row[column] for row in table) for column in ["n", *columns]}
    full = {column: sum(row[column] == row["n"] for row in table) for column in columns}
    print(f"{'damages caught':<{width}} {total['n']:>4}" + "".join(f"{total[column]:>10}" for column in columns))
    print(
        f"{'rules caught without exception':<{width}} {len(table):>4}"
        + "".join(f"{full[column]:>10}" for column in columns)
    )
    for name in names:
        print(
            f"false alarms of {name} on {len(examples) - len(BREAKS)} undamaged examples: {len(alarms[name])}"
            + (f" (no answer in {options.seconds} s: {len(silent[name])})" if silent[name] else "")
        )
        if name == "ours":
            for file, found in sorted(alarms[name].items()):
                print(f"  {file}: {found[0]}")
    if options.missed:
        for damage in made:
            by = caught[damage.name]
            if not any(by[name] for name in (["ours"] if "ours" in by else others)):
                seen = [name for name in others if by[name]]
                print(
                    f"missed {damage.rule}: {damage.base} at {damage.path}"
                    + (f" (caught by {', '.join(seen)})" if seen else "")
                )
    if options.json:
        Path(options.json).write_text(json.dumps({"rules": table, "caught": caught, "alarms": alarms}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
