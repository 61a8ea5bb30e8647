"""Damages valid R4 resources, each in one way that is certainly a violation of R4 4.0.1.

    definitions = Definitions.of(tar)          # HL7's StructureDefinitions: what is required, bound, allowed
    examples = read_examples(tar)              # name -> resource
    for damage in damages(definitions, examples, seed=1):
        damage.rule, damage.file, damage.path, damage.data

Nothing is random but by the seed, and the seed changes only which examples and places are taken. A rule looks at one
place (`Spot`) of a resource after the other and says how it would damage it, or None where it would not be a
violation; what makes it one stands in the rule's sentence.

    python3 damage.py fhir-r4.tar.xz FOLDER [SEED]     # writes the damaged files and index.json
"""

import copy
import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import damage_meanings  # noqa: F401  (registers its rules)
import damage_shapes  # noqa: F401  (registers its rules)
from damage_rule import RULES, Raw
from r4_places import Definitions, read_examples, walk

SEED = 4001
PER_RULE = 6
LARGEST_BASE = 60_000

# HL7's examples that break a definition of R4 themselves: name -> the definition, in its words.
BREAKS = {
    "ActivityDefinition-heart-valve-replacement.json": "txt-2: The narrative SHALL have some non-whitespace content",
    "EventDefinition-example.json": "txt-2: The narrative SHALL have some non-whitespace content",
    "Bundle-10bb101f-a121-4264-a920-67be9cb82c74.json": "Bundle.entry.fullUrl SHALL NOT disagree with the id in the resource",
    "Bundle-lri-example.json": "Bundle.entry.fullUrl SHALL NOT disagree with the id in the resource",
    "DeviceMetric-example.json": "DeviceMetric.parent: Reference(Device)",
    "DeviceUseStatement-example.json": "DeviceUseStatement.reasonReference: no Reference(Procedure)",
    "ImplementationGuide-fhir.json": "ImplementationGuide.name, .status: 1..1",
    "MedicationRequest-medrx0301.json": "MedicationRequest.dispenseRequest.performer: Reference(Organization)",
    "Observation-clinical-gender.json": "Observation.performer: no Reference(Encounter)",
    "Questionnaire-qs1.json": "Questionnaire.item.linkId: 1..1",
}


@dataclass
class Damage:
    rule: str
    file: str
    path: str
    data: bytes
    placed: bool
    base: str

    @property
    def name(self):
        """A name for the file on disk."""
        return f"{self.rule}--{self.file}"


def damages(definitions, examples, seed=SEED, per_rule=PER_RULE, rules=None, log=None):
    """All damages: of every rule `per_rule`, of as many kinds of resources and examples as there are."""
    fit = {name: value for name, value in examples.items() if name not in BREAKS}
    small = {name for name, value in fit.items() if len(json.dumps(value)) <= LARGEST_BASE}
    index = {name: list(walk(definitions, fit[name])) for name in sorted(small)}
    out = []
    for name in rules or RULES:
        made = list(_of(RULES[name], definitions, fit, index, random.Random(f"{seed} {name}"), per_rule))
        if log:
            log(name, made)
        out += made
    return out


def _of(rule_, definitions, fit, index, chance, per_rule):
    bases = {name: list(walk(definitions, value)) for name, value in rule_.bases(fit).items()} if rule_.bases else index
    places = {}
    for name, spots in bases.items():
        found = [number for number, spot in enumerate(spots) if rule_.look(spot)]
        if found:
            chance.shuffle(found)
            places[name] = found
    order = sorted(places)
    chance.shuffle(order)
    seen, first, then = set(), [], []
    for name in order:
        kind = name.split("-")[0]
        (then if kind in seen else first).append(name)
        seen.add(kind)
    order = first + then
    taken = 0
    for turn in range(per_rule):
        for name in order:
            if turn < len(places[name]) and taken < per_rule:
                taken += 1
                yield _damage(rule_, definitions, name, bases[name][0].value, places[name][turn], turn)


def _damage(rule_, definitions, name, resource, number, turn):
    broken = copy.deepcopy(resource)
    spot = next(spot for place, spot in enumerate(walk(definitions, broken)) if place == number)
    path = rule_.look(spot)()
    stem = name.removesuffix(".json")
    return Damage(
        rule_.name,
        f"{stem}.json" if turn == 0 else f"{stem}-{turn + 1}.json",
        path,
        Raw.write(broken),
        rule_.placed,
        name,
    )


def main(arguments):
    archive, folder = arguments[0], Path(arguments[1])
    seed = int(arguments[2]) if len(arguments) > 2 else SEED
    folder.mkdir(parents=True, exist_ok=True)
    made = damages(
        Definitions.of(archive),
        read_examples(archive),
        seed,
        log=lambda name, found: print(f"{len(found)}  {name}" + ("" if len(found) >= 5 else "   <- fewer than 5")),
    )
    index = []
    for damage in made:
        (folder / damage.name).write_bytes(damage.data)
        index.append({"file": damage.name, "rule": damage.rule, "base": damage.base, "path": damage.path})
    (folder / "index.json").write_text(json.dumps(index, indent=1))
    print(f"{len(made)} damages of {len(RULES)} rules, seed {seed}")


if __name__ == "__main__":
    main(sys.argv[1:])
