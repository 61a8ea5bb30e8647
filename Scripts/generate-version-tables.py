#!/usr/bin/env python3
"""Writes the element tables of FHIRVersions from HL7's definitions.

usage: Scripts/generate-version-tables.py DSTU2-DEFINITIONS STU3-DEFINITIONS R4-PACKAGE

The first two are folders with files StructureDefinition-*.json, R4's is one with CodeSystem-*.json: the tables of R4
itself are module FHIR's. A line of a table reads
`path name:types:cardinality ...`, where types are joined by commas, `>` means children at path.name,
`@path` for the children of another path, and the cardinality is the minimum with `1` or `*` as maximum; `!` marks a
modifier element. `^Path` means the elements of another path, which an earlier line has. A line of R4's codes reads
`paths|system codes ...|...`.
"""
import json
import os
import sys

# Types without resources or without elements of their own.
ABSTRACT = {"Definition", "Event", "MetadataResource", "Request"}
# Types with which other types begin: their elements are written once.
BASES = ["BackboneElement", "DomainResource", "Resource", "Element"]
ALIASES = {"http://hl7.org/fhirpath/System.String": "string", "SimpleQuantity": "Quantity"}


def types_of(element, names):
    if "contentReference" in element:
        return "@" + element["contentReference"].lstrip("#")
    if "nameReference" in element:
        return "@" + names[element["nameReference"]]
    codes = []
    for entry in element.get("type", []):
        code = ALIASES.get(entry.get("code", ""), entry.get("code", ""))
        code = {"BackboneElement": ">", "Element": ">"}.get(code, code)
        if code and code not in codes:
            codes.append(code)
    return ",".join(codes)


def definitions(folder):
    """Every type with elements, bases first."""
    found = []
    for name in sorted(os.listdir(folder)):
        if not name.startswith("StructureDefinition-") or not name.endswith(".json"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            definition = json.load(file)
        key = name[len("StructureDefinition-"):-len(".json")]
        if key[0].isupper() and key not in ABSTRACT:
            found.append((BASES.index(key) if key in BASES else len(BASES), key, definition))
    return [definition for _, _, definition in sorted(found, key=lambda entry: entry[:2])]


def groups_of(definition):
    """The elements below each path, as words."""
    elements = definition["snapshot"]["element"]
    names = {e["name"]: e["path"] for e in elements if "name" in e}
    groups = {}
    for element in elements:
        parent, _, member = element["path"].rpartition(".")
        if not parent:
            continue
        types = types_of(element, names)
        # The name of the member shows the type of an extension's value.
        if types in ("*", "") or element["path"] == "Extension.value[x]":
            types = "*"
        maximum = "1" if element["max"] in ("0", "1") else "*"
        mark = "!" if element.get("isModifier") else ""
        groups.setdefault(parent, []).append(f"{member}:{types}:{min(element['min'], 1)}{maximum}{mark}")
    return groups


def lines(folder):
    bases = {}
    for definition in definitions(folder):
        for parent, members in groups_of(definition).items():
            for base in BASES:
                written = bases.get(base, [])
                if base != parent and written and members[:len(written)] == written:
                    members = ["^" + base] + members[len(written):]
                    break
            if parent in BASES:
                bases[parent] = groups_of(definition)[parent]
            line = parent
            for member in members:
                if len(line) + len(member) > 110 and line != parent:
                    yield line
                    line = parent
                line += " " + member
            yield line


def load(folder, prefix):
    resources = {}
    for name in os.listdir(folder):
        if name.startswith(prefix):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                resource = json.load(file)
            resources[resource["url"]] = resource
    return resources


def codes_of(concepts):
    for concept in concepts:
        yield concept["code"]
        yield from codes_of(concept.get("concept", []))


def expanded(url, sets, systems):
    """The systems and codes of a value set; None where they are not listed."""
    result = []
    for include in sets.get(url, {}).get("compose", {}).get("include", [{"filter": True}]):
        if "concept" in include:
            result.append((include["system"], [c["code"] for c in include["concept"]]))
        elif "valueSet" in include:
            for inner in include["valueSet"]:
                more = expanded(inner, sets, systems)
                if more is None:
                    return None
                result += more
        else:
            system = systems.get(include.get("system"), {})
            if "filter" in include or system.get("content") != "complete":
                return None
            result.append((system["url"], list(codes_of(system.get("concept", [])))))
    return result


def code_lines(folder, older):
    """The codes of R4's required bindings, and of concepts that an older release has a code for."""
    sets, systems = load(folder, "ValueSet-"), load(folder, "CodeSystem-")
    formerly = {e["path"] for one in older for d in definitions(one) for e in d["snapshot"]["element"]
                if "code" in [t.get("code") for t in e.get("type", [])]}
    paths = {}
    for definition in load(folder, "StructureDefinition-").values():
        if definition["kind"] not in ("resource", "complex-type") or definition.get("derivation") == "constraint":
            continue
        for element in definition["differential"]["element"]:
            binding = element.get("binding", {})
            types = [t["code"] for t in element.get("type", [])]
            if binding.get("strength") == "required" or "CodeableConcept" in types and element["path"] in formerly:
                url = binding.get("valueSet", "").split("|")[0]
                if types in (["code"], ["CodeableConcept"]):
                    paths.setdefault(url, []).append(element["path"])
    for url in sorted(paths):
        codes = expanded(url, sets, systems)
        # The lists of all types and of licences are long: types are known by the model.
        if codes and sum(len(c) for _, c in codes) < 120:
            yield "|".join([" ".join(sorted(paths[url]))] + [" ".join([s] + c) for s, c in codes])
        elif codes and url.endswith(("/resource-types", "/all-types", "/defined-types")):
            yield " ".join(sorted(paths[url])) + "|*"


def moved_systems(folder):
    """The names of the code systems that R4 moved from hl7.org/fhir to terminology.hl7.org."""
    new, old = "http://terminology.hl7.org/CodeSystem/", "http://hl7.org/fhir/"
    urls = set()
    for name in os.listdir(folder):
        if name.startswith("CodeSystem-"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                urls.add(json.load(file)["url"])
    names = [url[len(new):] for url in urls if url.startswith(new)]
    return sorted(n for n in names if not n.startswith(("v2-", "v3-")) and old + n not in urls)


def write_systems(folder, target):
    with open(target, "w", encoding="utf-8") as file:
        file.write("""// Generated by Scripts/generate-version-tables.py from HL7's definitions (CC0); do not edit.

extension CodeSystems {
    /// The code systems that stood below http://hl7.org/fhir/ before R4 and stand at terminology.hl7.org since.
    static let moved = Set(
        \"\"\"
""".replace('\\"', '"'))
        line = ""
        for name in moved_systems(folder):
            if len(line) + len(name) > 105:
                file.write(f"        {line.strip()}\n")
                line = ""
            line += " " + name
        file.write(f'        {line.strip()}\n        """.split(whereSeparator: \\.isWhitespace).map(String.init))\n}}\n')


def write(folder, version, label, target):
    with open(target, "w", encoding="utf-8") as file:
        file.write(f"""// Generated by Scripts/generate-version-tables.py from HL7's definitions (CC0); do not edit.

extension ElementTable {{
    /// The elements of FHIR {label} that the conversion needs.
    static let {version} = ElementTable(
        text: \"\"\"
""")
        for line in lines(folder):
            file.write(f"            {line}\n")
        file.write('            """)\n}\n')


def write_codes(folder, older, target):
    with open(target, "w", encoding="utf-8") as file:
        file.write("""// Generated by Scripts/generate-version-tables.py from HL7's definitions (CC0); do not edit.

extension RequiredCodes {
    /// Elements of R4 with the codes that they may have; `*` stands for the names of types.
    static let text: StaticString = \"\"\"
""")
        for line in code_lines(folder, older):
            start = "        "
            while len(start + line) > 116:
                end = (start + line)[:115].rfind(" ") - len(start)
                if end <= 0:
                    break
                file.write(f"{start}{line[:end]} \\\n")
                line = line[end + 1:]
            file.write(f"{start}{line}\n")
        file.write('        \"\"\"\n}\n')


if len(sys.argv) != 4:
    sys.exit(__doc__)
base = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Sources", "Language", "FHIRVersions", "Tables")
os.makedirs(base, exist_ok=True)
write(sys.argv[1], "dstu2", "DSTU2 (1.0.2)", os.path.join(base, "ElementTable+DSTU2.swift"))
write(sys.argv[2], "stu3", "STU3 (3.0.1)", os.path.join(base, "ElementTable+STU3.swift"))
write_systems(sys.argv[3], os.path.join(base, "CodeSystems+Moved.swift"))
write_codes(sys.argv[3], sys.argv[1:3], os.path.join(base, "RequiredCodes+R4.swift"))
