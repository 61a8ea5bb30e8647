#!/usr/bin/env python3
"""Writes the samples from which the dictionaries of stored contents are made: Tests/FHIRServerTests/DictionarySamples/*.ndjson.

  Scripts/make-dictionary-samples.py .build/release/tributary

Observations are the examples of the table of health types, and one of each kind from the example export: kinds without an
observation in the export are first, then the rarest, and the commonest are last. Responses are the example forms, answered as in
Examples/study/answers. Contract.ndjson, Consent.ndjson, Patient.ndjson and Device.ndjson are written by hand: they are
the resources of the demonstration's two invented participants. Nothing here is ever made from a participant's data.

Scripts/make-dictionaries.py makes the dictionaries from the samples. A published dictionary never changes: new samples
become a dictionary with a new number.
"""

import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "Tests" / "FHIRServerTests" / "DictionarySamples"


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE).stdout


def kind(observation):
    """The kind of an observation: its last code and its elements."""
    codings = observation.get("code", {}).get("coding", [{}])
    return codings[-1].get("code", ""), tuple(sorted(observation))


def observations(binary):
    examples = [row["example"] for row in json.loads(run(binary, "health", "types", "--json")) if row.get("example")]
    with tempfile.TemporaryDirectory() as folder:
        converted = Path(folder) / "converted.ndjson"
        run(binary, "health", "convert", ROOT / "Examples" / "apple-health" / "export.zip", "-o", converted,
            "--subject", "paper-1", "--json")
        lines = converted.read_text(encoding="utf-8").splitlines()
    counts, first = collections.Counter(), {}
    for line in lines:
        resource = json.loads(line)
        if resource["resourceType"] == "Observation":
            counts[kind(resource)] += 1
            first.setdefault(kind(resource), line)
    found = {code for code, _ in counts}
    yield from (json.dumps(example, ensure_ascii=False, separators=(",", ":")) for example in examples
                if example["resourceType"] == "Observation" and kind(example)[0] not in found)
    for name, _ in sorted(counts.items(), key=lambda pair: (pair[1], pair[0])):
        yield first[name]


def responses(binary):
    study = ROOT / "Examples" / "study"
    for form, answers in (("mood-check", "mood-check-1"), ("sleep-diary", "sleep-diary-1")):
        answered = run(binary, "survey", "answer", study / "questionnaires" / f"{form}.json", "--answers",
                       study / "answers" / f"{answers}.json", "--subject", "example")
        yield json.dumps(json.loads(answered), ensure_ascii=False, separators=(",", ":"))


def main():
    binary = Path(sys.argv[1])
    SAMPLES.mkdir(exist_ok=True)
    for name, lines in (("Observation", observations(binary)), ("QuestionnaireResponse", responses(binary))):
        text = "".join(line + "\n" for line in lines)
        (SAMPLES / f"{name}.ndjson").write_text(text, encoding="utf-8")
        print(name, text.count("\n"), len(text.encode()))


if __name__ == "__main__":
    main()
