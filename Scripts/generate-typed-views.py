#!/usr/bin/env python3
"""Writes the typed views of FHIR R4 from the tables that `generate-element-tables.py` has made.

    Scripts/generate-typed-views.py             # writes the files below
    Scripts/generate-typed-views.py --check     # names the files that differ from the generated text

It reads:
    Sources/Language/FHIR/Definitions/Tables/TypeModel+R4.swift         types, elements, cardinalities, bindings
    Sources/Language/FHIRValidation/Tables/Terminology+R4.swift         the codes of value sets
It writes:
    Sources/Language/FHIR/Views/Resources/TYPE.swift     a resource with its backbone elements
    Sources/Language/FHIR/Views/DataTypes/TYPE.swift     a data type
    Sources/Language/FHIR/Views/Codes/NAME.swift         the value set of a required binding
    Tests/FHIRTests/Views/Passing+TYPE.swift             sets every property to the value that it reads, for the tests
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPES = ROOT / "Sources/Language/FHIR/Definitions/Tables/TypeModel+R4.swift"
TERMINOLOGY = ROOT / "Sources/Language/FHIRValidation/Tables/Terminology+R4.swift"
VIEWS = "Sources/Language/FHIR/Views"
TESTS = "Tests/FHIRTests/Views"
SPECIFICATION = "https://hl7.org/fhir/R4/"
# Modules that the views import; none while JSON and dates are in the same module.
IMPORTS = []

RESOURCES = """
    AllergyIntolerance AuditEvent Bundle CapabilityStatement CarePlan CodeSystem Condition Consent Contract Coverage
    Device DiagnosticReport DocumentReference Encounter Goal Group Immunization Medication MedicationRequest
    MedicationStatement Observation OperationOutcome Organization Parameters Patient PlanDefinition Practitioner
    Procedure Provenance Questionnaire QuestionnaireResponse RelatedPerson ResearchStudy ResearchSubject
    SearchParameter StructureDefinition Task ValueSet
    """.split()

# Data types in addition to those of the resources: an extension may have them.
DATA_TYPES = ["Contributor", "Count", "Distance", "ParameterDefinition"]

# Data types that an open choice may not have, as in TypeModelReader.
NOT_OPEN = {"ElementDefinition", "Extension", "MarketingStatus", "Narrative", "Population", "ProdCharacteristic",
            "ProductShelfLife", "SubstanceAmount"}

# Names of Swift and Foundation that FHIR's data types have, too.
RENAMED_TYPES = {"Duration": "FHIRDuration", "Expression": "FHIRExpression", "Range": "FHIRRange"}

# `X.Type` is Swift's metatype.
RENAMED_BACKBONES = {"Type": "TypeReference"}

# Value sets with a name that is used already, is unclear, or has an abbreviation that Swift writes in capitals.
RENAMED_CODES = {
    "FHIR-version": "PublishedFHIRVersion", "codesystem-content-mode": "CodeSystemContentMode",
    "codesystem-hierarchy-meaning": "CodeSystemHierarchyMeaning",
    "contract-publicationstatus": "ContractPublicationStatus", "device-nametype": "DeviceNameType",
    "fm-status": "FinancialResourceStatus", "http-verb": "HTTPVerb", "item-type": "QuestionnaireItemType",
    "link-type": "PatientLinkType", "medicationrequest-intent": "MedicationRequestIntent",
    "medicationrequest-status": "MedicationRequestStatus", "network-type": "AuditEventNetworkType",
    "restful-capability-mode": "RESTfulCapabilityMode", "search-xpath-usage": "SearchXPathUsage",
    "system-restful-interaction": "SystemRESTfulInteraction", "type-restful-interaction": "TypeRESTfulInteraction",
    "udi-entry-type": "UDIEntryType",
}

# Codes that are not words.
OPERATORS = {"=": "equal", "!=": "notEqual", "<": "lessThan", "<=": "lessOrEqual", ">": "greaterThan",
             ">=": "greaterOrEqual"}
CODE_WORDS = {
    "audit-event-action": {"C": "create", "R": "read", "U": "update", "D": "delete", "E": "execute"},
    "audit-event-outcome": {"0": "success", "4": "minorFailure", "8": "seriousFailure", "12": "majorFailure"},
    "network-type": {"1": "machineName", "2": "ipAddress", "3": "telephoneNumber", "4": "emailAddress", "5": "uri"},
}

# A value set of more codes stays a String: media types, languages, all types of resources.
MOST_CODES = 60

PRIMITIVES = {"boolean": "Bool", "integer": "Int", "unsignedInt": "Int", "positiveInt": "Int",
              "decimal": "JSONNumber", "date": "DateTime", "dateTime": "DateTime", "instant": "DateTime",
              "time": "TimeOfDay"}

KEYWORDS = set("""
    associatedtype class deinit enum extension fileprivate func import init inout internal let operator private
    precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default
    defer do else fallthrough for guard if in repeat return switch throw where while Any as false is nil self Self
    super throws true try
    """.split())

PAGES = {"Reference": "references", "Extension": "extensibility", "Narrative": "narrative", "Meta": "resource",
         "Dosage": "dosage", "ElementDefinition": "elementdefinition"}
PAGES.update(dict.fromkeys(
    ["ContactDetail", "Contributor", "DataRequirement", "Expression", "ParameterDefinition", "RelatedArtifact",
     "TriggerDefinition", "UsageContext"], "metadatatypes"))


def words(path):
    return path.read_text().split('"""')[1].split()


class Element:
    def __init__(self, owner, word):
        parts = word.split(":")
        self.is_choice = parts[0].endswith("[x]")
        self.name = parts[0].removesuffix("[x]")
        self.owner, self.types = owner, parts[1]
        self.least, self.most = parts[2][0], parts[2][1:]
        self.is_attribute = "a" in parts[3]
        self.binding = parts[4] if len(parts) > 4 else ""

    @property
    def path(self):
        return f"{self.owner}.{self.name}" + ("[x]" if self.is_choice else "")

    @property
    def is_repeated(self):
        return self.most != "1"

    @property
    def is_required(self):
        return self.least != "0"


class Type:
    def __init__(self, name, kind, base):
        self.name, self.kind, self.base, self.own = name, kind, base, []


class Model:
    """The types by name, and the value sets by number, as the tables have them."""

    def __init__(self):
        self.types, self.value_sets = {}, {}
        left = words(TYPES)
        while left:
            word = left.pop(0)
            if not word.startswith("="):
                current.own.append(Element(current.name, word))
                continue
            name = left.pop(0)
            has_base = left and not left[0].startswith("=") and ":" not in left[0]
            current = self.types[name] = Type(name, word[1], left.pop(0) if has_base else None)
        left = words(TERMINOLOGY)
        codes = []
        while left:
            word = left.pop(0)
            if re.fullmatch(r"=\d+", word) and ":" in left[0]:
                codes = []
                self.value_sets[int(word[1:])] = (left.pop(0), codes)
            elif not word.startswith("@"):
                codes.append(word.replace("_20", " ").replace("_5F", "_"))

    def elements(self, name, without=()):
        """The elements of a type, those of its bases first, but for bases that the protocols of the views cover."""
        type_ = self.types[name]
        inherited = [] if type_.base is None or type_.base in without else self.elements(type_.base, without)
        return inherited + type_.own

    def kind(self, name):
        return self.types[name].kind

    def type_names(self, element):
        """The names of the types that an element may have."""
        if element.types == "*":
            return self.open_types()
        if element.types.startswith(">"):
            return [f"{element.owner}.{element.name}"]
        if element.types.startswith("@"):
            return [element.types[1:]]
        return re.sub(r"\([^)]*\)", "", element.types).split(",")

    def open_types(self):
        """As in TypeModelReader; abstract types are recognised by their names here."""
        return [t.name for t in self.types.values()
                if t.kind in "pc" and t.name not in NOT_OPEN | {"xhtml", "Element", "BackboneElement"}]

    def backbones(self, name):
        return [t for t in self.types if t.startswith(name + ".") and "." not in t[len(name) + 1:]]

    def data_types(self):
        """Every data type that the views need."""
        found, left = set(), RESOURCES + DATA_TYPES
        while left:
            name = left.pop()
            if name in found or self.kind(name) == "p":
                continue
            found.add(name)
            for element in self.elements(name):
                left += [] if element.types == "*" else self.type_names(element)
        return sorted(n for n in found if self.kind(n) == "c" and n not in ("Element", "BackboneElement"))

    def value_set(self, element):
        """The number of the value set whose enum the element has; None for a String."""
        if element.types != "code" or not element.binding.startswith("r"):
            return None
        _, codes = self.value_sets[int(element.binding[1:])]
        return int(element.binding[1:]) if codes and codes != ["*"] and len(codes) <= MOST_CODES else None


def capitalized(text):
    return text[0].upper() + text[1:]


def escaped(name):
    return f"`{name}`" if name in KEYWORDS else name


def camel(parts):
    parts = [p for p in parts if p]
    first = parts[0].lower() if parts[0].isupper() else parts[0][0].lower() + parts[0][1:]
    return first + "".join(capitalized(p) for p in parts[1:])


def code_name(url):
    last = url.rsplit("/", 1)[-1]
    return RENAMED_CODES.get(last) or "".join(capitalized(p) for p in last.split("-"))


def case_name(value_set, code):
    word = CODE_WORDS.get(value_set, {}).get(code) or OPERATORS.get(code)
    if not word:
        word = camel(re.split(r"[^A-Za-z0-9]+", code))
        if word[0].isdigit():
            word = "v" + re.sub(r"\W", "_", code)
    return word


def definition_page(path):
    """The address of an element's or type's definition."""
    root = path.split(".")[0]
    return f"{SPECIFICATION}{page_name(root)}-definitions.html#{path.replace('[x]', '_x_')}"


def page_name(root):
    return root.lower() if root in RESOURCES else PAGES.get(root, "datatypes")


class Writer:
    def __init__(self, model):
        self.model = model
        self.files = {}
        self.codes = {}  # number of a value set -> paths of the elements that are bound to it

    # Names

    def top_name(self, name):
        return RENAMED_TYPES.get(name, name)

    def swift_name(self, name, scope=()):
        """The name of a type's view; with the module before it where an enclosing type has one of the same name."""
        if self.model.kind(name) == "p":
            return PRIMITIVES.get(name, "String")
        parts = name.split(".")
        parts = [self.top_name(parts[0])] + [self.nested(p) for p in parts[1:]]
        hides = any(parts[0] in self.nested_names(s) for s in scope)
        return ("FHIR." if hides else "") + ".".join(parts)

    def nested(self, name):
        return RENAMED_BACKBONES.get(capitalized(name), capitalized(name))

    def nested_names(self, name):
        names = [self.nested(b.rsplit(".", 1)[-1]) for b in self.model.backbones(name)]
        return set(names) | {capitalized(e.name) for e in self.model.types[name].own if self.own_choice(e)}

    def own_choice(self, element):
        """Whether the element has an enum of its own; open choices share one."""
        return element.is_choice and element.types != "*"

    def value_type(self, element, scope):
        if element.is_choice:
            return capitalized(element.name) if element.types != "*" else "OpenChoice"
        number = self.model.value_set(element)
        if number is not None:
            return code_name(self.model.value_sets[number][0])
        return self.swift_name(self.model.type_names(element)[0], scope)

    def is_primitive(self, element):
        return not element.is_choice and self.model.kind(self.model.type_names(element)[0]) == "p"

    def has_sibling(self, element):
        """Whether the element may have an id and extensions."""
        if element.is_choice:
            return any(self.model.kind(t) == "p" for t in self.model.type_names(element))
        return self.is_primitive(element) and not element.is_attribute and element.types != "xhtml"

    def elements(self, name):
        """The elements that the view itself has; the others are in the protocols."""
        return self.model.elements(name, ("Element", "BackboneElement", "Resource", "DomainResource"))

    def protocol(self, name):
        base = self.model.types[name].base
        return {"Resource": "ResourceView", "DomainResource": "DomainResourceView",
                "BackboneElement": "BackboneElementView"}.get(base, "ElementView")

    # Documentation

    def facts(self, element):
        """`Patient.gender`: code, 0..1, the facts of the definition."""
        if element.types == "*":
            types = "any data type"
        elif element.types.startswith(">"):
            types = ""
        elif element.types.startswith("@"):
            types = f"as `{element.types[1:]}`"
        else:
            types = re.sub(r"\(([^)]*)\)", lambda m: " of " + m[1].replace("|", " or "), element.types)
            types = types.replace(",", ", ")
        binding = ""
        if element.binding:
            strength = {"r": "required", "e": "extensible", "p": "preferred"}[element.binding[0]]
            binding = f"{strength} binding to <{self.model.value_sets[int(element.binding[1:])][0]}>"
        facts = [types, f"{element.least}..{element.most}", binding]
        return f"`{element.path}`: " + ", ".join(f for f in facts if f)

    # Views

    def view(self, name, depth, scope):
        """The struct of a type, with its nested types."""
        scope = scope + (name,)
        lines = []
        pad = "    " * depth

        def add(*rows):
            lines.extend(pad + r if r else "" for r in rows)

        is_resource = self.model.kind(name) == "r"
        swift = self.nested(name.rsplit(".", 1)[-1]) if "." in name else self.top_name(name)
        sort = {"r": "resource", "c": "data type", "b": "element"}[self.model.kind(name)]
        add(f"/// FHIR's {sort} `{name}` (<{definition_page(name)}>).",
            f"public struct {swift}: {self.protocol(name)} {{",
            "    /// The JSON that the view shows.",
            "    public var object: JSONObject",
            "",
            "    /// The view over a JSON object.",
            "    public init(_ object: JSONObject) { self.object = object }")
        if is_resource:
            add("", f"    /// `{name}`.", f'    public static var resourceType: String {{ "{name}" }}')
        add("", *self.initializer(name, is_resource, scope))
        for element in self.elements(name):
            add("", *self.accessor(element, scope))
        for element in self.model.types[name].own:
            if self.own_choice(element):
                add("", *self.choice(element, scope))
        for backbone in self.model.backbones(name):
            lines.append("")
            lines += self.view(backbone, depth + 1, scope)
        add("}")
        return lines

    def initializer(self, name, is_resource, scope):
        required = [e for e in self.elements(name) if e.is_required]
        parameters = ["id: String? = nil"] if is_resource else []
        for element in required:
            type_ = self.value_type(element, scope)
            parameters.append(f"{escaped(element.name)}: " + (f"[{type_}]" if element.is_repeated else type_))
        start = "resourceType: Self.resourceType, id: id" if is_resource else ""
        what = "the elements that it must have" if required else "no elements"
        lines = [f"    /// `{name}` with {what}." if required or not is_resource else f"    /// `{name}` with its id alone.",
                 f"    public init({', '.join(parameters)}) {{", f"        object = JSONObject({start})"]
        lines += [f"        self.{escaped(e.name)} = {escaped(e.name)}" for e in required]
        return lines + ["    }"]

    def accessor(self, element, scope):
        type_ = self.value_type(element, scope)
        if element.is_choice:
            key = "choice"
        elif self.is_primitive(element):
            key = "values" if element.is_repeated else "value"
        else:
            key = "elements" if element.is_repeated else "element"
        number = self.model.value_set(element)
        if number is not None:
            self.codes.setdefault(number, []).append(element.path)
        shown = f"[{type_}]" if element.is_repeated else type_ + "?"
        lines = [f"    /// {self.facts(element)}.",
                 f"    ///",
                 f"    /// <{definition_page(element.path)}>",
                 f"    public var {escaped(element.name)}: {shown} {{",
                 f'        get {{ object[{key}: "{element.name}"] }}',
                 f'        set {{ object[{key}: "{element.name}"] = newValue }}',
                 "    }"]
        if self.has_sibling(element):
            key = "siblings" if element.is_repeated else "choiceSibling" if element.is_choice else "sibling"
            shown = "[PrimitiveElement?]" if element.is_repeated else "PrimitiveElement?"
            who = "each value of " if element.is_repeated else ""
            lines += ["",
                      f"    /// The id and extensions of {who}``{element.name}``.",
                      f"    public var {element.name}Element: {shown} {{",
                      f'        get {{ object[{key}: "{element.name}"] }}',
                      f'        set {{ object[{key}: "{element.name}"] = newValue }}',
                      "    }"]
        return lines

    def choice(self, element, scope):
        enum = capitalized(element.name)
        return self.choice_enum(enum, f"A value of `{element.path}`", element.name, self.model.type_names(element),
                                lambda t: self.swift_name(t, scope), "    ")

    def choice_enum(self, enum, what, prefix, types, name, pad):
        cases = [(t, camel([t]), capitalized(t), name(t)) for t in types]
        lines = [f"/// {what}.", f"public enum {enum}: ChoiceValue {{"]
        for type_, case, suffix, swift in cases:
            lines += [f"    /// `{prefix}{suffix}`.", f"    case {escaped(case)}({swift})"]
        lines += ["    /// Of a type that is not known here, or not as its type has it: the end of its name, and its JSON.",
                  "    case unrecognized(type: String, JSON)",
                  "",
                  "    /// The value whose name ends in the type.",
                  "    public init(type: String, json: JSON) {",
                  "        let known: Self? =",
                  "            switch type {"]
        for _, case, suffix, swift in cases:
            lines.append(f'            case "{suffix}": {swift}(json: json).map(Self.{escaped(case)})')
        lines += ["            default: nil",
                  "            }",
                  "        self = known ?? .unrecognized(type: type, json)",
                  "    }",
                  "",
                  "    /// The type's name as the end of the member's name, such as `Quantity`.",
                  "    public var type: String {",
                  "        switch self {"]
        lines += [f'        case .{case}: "{suffix}"' for _, case, suffix, _ in cases]
        lines += ["        case .unrecognized(let type, _): type",
                  "        }",
                  "    }",
                  "",
                  "    /// The value's JSON.",
                  "    public var json: JSON {",
                  "        switch self {"]
        lines += [f"        case .{case}(let value): value.json" for _, case, _, _ in cases]
        lines += ["        case .unrecognized(_, let json): json",
                  "        }",
                  "    }",
                  "}"]
        return [pad + line if line else "" for line in lines]

    def code_enum(self, number):
        url, codes = self.model.value_sets[number]
        value_set = url.rsplit("/", 1)[-1]
        cases = [(case_name(value_set, code), code) for code in dict.fromkeys(codes)]
        assert len({c for c, _ in cases}) == len(cases) and "unrecognized" not in dict(cases), url
        paths = ", ".join(f"`{p}`" for p in self.codes[number])
        lines = [f"/// The codes of <{url}>, to which {paths}",
                 f"/// {'is' if len(self.codes[number]) == 1 else 'are'} bound"
                 f" (<{SPECIFICATION}valueset-{value_set.lower()}.html>).",
                 f"public enum {code_name(url)}: CodeValue {{"]
        for case, code in cases:
            lines += [f"    /// `{code}`.", f"    case {escaped(case)}"]
        lines += ["    /// A code that the value set does not have.",
                  "    case unrecognized(String)",
                  "",
                  "    /// The code's case; ``unrecognized(_:)`` for one that the value set does not have.",
                  "    public init(rawValue: String) {",
                  "        self =",
                  "            switch rawValue {"]
        lines += [f'            case "{code}": .{case}' for case, code in cases]
        lines += ["            default: .unrecognized(rawValue)",
                  "            }",
                  "    }",
                  "",
                  "    /// The code.",
                  "    public var rawValue: String {",
                  "        switch self {"]
        lines += [f'        case .{case}: "{code}"' for case, code in cases]
        lines += ["        case .unrecognized(let code): code", "        }", "    }", "}"]
        return lines

    # Tests

    def passing(self, name, scope):
        """An extension that sets every property of a view to its value in another one."""
        scope = scope + (name,)
        swift = self.swift_name(name)
        bases = {"ElementView": ["Element"], "BackboneElementView": ["Element", "BackboneElement"],
                 "ResourceView": ["Resource"], "DomainResourceView": ["Resource", "DomainResource"]}
        lines = [f"extension {swift}: Passing {{",
                 f"    mutating func take(from other: {swift}, _ pass: Pass) throws {{"]
        lines += [f"        try take{base}(from: other, pass)" for base in bases[self.protocol(name)]]
        for element in self.elements(name):
            own = escaped(element.name)
            target = f"self.{own}" if own in ("other", "pass") else own
            lines.append(f"        {target} = try pass(other.{own})")
            if self.has_sibling(element):
                if element.is_choice:
                    lines.append(f'        takeLoneSibling("{element.name}", from: other)')
                lines.append(f"        {element.name}Element = try pass(other.{element.name}Element)")
        lines += ["    }", "}"]
        for element in self.model.types[name].own:
            if self.own_choice(element):
                lines += [""] + self.passing_choice(f"{swift}.{capitalized(element.name)}",
                                                    self.model.type_names(element))
        for backbone in self.model.backbones(name):
            lines += [""] + self.passing(backbone, scope)
        return lines

    def passing_choice(self, swift, types):
        lines = [f"extension {swift}: PassingValue {{",
                 f"    func passed(_ pass: Pass) throws -> {swift} {{",
                 "        switch self {"]
        for type_ in types:
            case = camel([type_])
            lines.append(f"        case .{case}(let value): .{case}(try value.passed(pass))")
        return lines + ["        case .unrecognized(let type, _): throw Unrecognized(what: type)", "        }", "    }", "}"]

    # Files

    def file(self, path, lines, imports=()):
        head = ["// swift-format-ignore-file",
                "// Generated by Scripts/generate-typed-views.py from HL7's definitions of FHIR R4 4.0.1 (CC0); do not edit.",
                ""]
        head += [f"import {m}" for m in imports] + ([""] if imports else [])
        self.files[path] = "\n".join(head + lines) + "\n"

    def write_all(self):
        model = self.model
        data_types = model.data_types()
        for name in RESOURCES:
            self.file(f"{VIEWS}/Resources/{name}.swift", self.view(name, 0, ()), IMPORTS)
        for name in data_types:
            self.file(f"{VIEWS}/DataTypes/{self.top_name(name)}.swift", self.view(name, 0, ()), IMPORTS)
        opened = [t for t in model.open_types() if model.kind(t) == "p" or t in data_types]
        self.file(f"{VIEWS}/DataTypes/OpenChoice.swift",
                  self.choice_enum("OpenChoice", f"A value of any data type (<{SPECIFICATION}datatypes.html#open>)",
                                   "value", opened, self.swift_name, ""), IMPORTS)
        for number in self.codes:
            name = code_name(model.value_sets[number][0])
            self.file(f"{VIEWS}/Codes/{name}.swift", self.code_enum(number), IMPORTS)
        for name in RESOURCES + data_types:
            self.file(f"{TESTS}/Passing+{self.top_name(name)}.swift", self.passing(name, ()), ["FHIR"])
        self.file(f"{TESTS}/Passing+OpenChoice.swift", self.passing_choice("OpenChoice", opened), ["FHIR"])
        viewed = [t for t in model.types if t.split(".")[0] in RESOURCES + data_types]
        self.file(f"{TESTS}/Passing+All.swift", [
            "extension Pass {",
            "    /// The views by the names of their types.",
            "    static let views: [String: any Passing.Type] = ["] + [
            f'        "{t}": {self.swift_name(t)}.self,' for t in viewed] + ["    ]", "}"], ["FHIR"])


def folders():
    return [f"{VIEWS}/Resources", f"{VIEWS}/DataTypes", f"{VIEWS}/Codes"]


def main():
    writer = Writer(Model())
    writer.write_all()
    present = [str(p.relative_to(ROOT)) for f in folders() for p in sorted((ROOT / f).glob("*.swift"))]
    present += [str(p.relative_to(ROOT)) for p in sorted((ROOT / TESTS).glob("Passing+*.swift"))]
    stale = [p for p in present if p not in writer.files]
    different = [p for p, text in sorted(writer.files.items())
                 if not (ROOT / p).exists() or (ROOT / p).read_text() != text]
    if sys.argv[1:] == ["--check"]:
        for path in stale + different:
            print(path, "is not as the script writes it")
        sys.exit(1 if stale or different else 0)
    if sys.argv[1:]:
        sys.exit(__doc__)
    for path in stale:
        (ROOT / path).unlink()
    for path in different:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(writer.files[path])
    print(f"{len(writer.files)} files, {len(different)} written, {len(stale)} removed")


main()
