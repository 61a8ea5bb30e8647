"""R4 resources place by place: what HL7's StructureDefinitions declare there, and how a place is written."""

import json
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path

UCUM = "http://unitsofmeasure.org"
STRUCTURE = "http://hl7.org/fhir/StructureDefinition/"
NUMBERS = {"integer", "positiveInt", "unsignedInt", "decimal"}
STRINGS = {
    "string",
    "markdown",
    "code",
    "id",
    "uri",
    "url",
    "canonical",
    "oid",
    "uuid",
    "date",
    "dateTime",
    "instant",
    "time",
    "base64Binary",
    "xhtml",
}
PRIMITIVES = NUMBERS | STRINGS | {"boolean"}


@dataclass
class Type:
    code: str
    targets: tuple = ()


@dataclass
class Element:
    path: str
    min: int
    max: str
    types: list
    binding: tuple = (None, None)
    refers: str = None

    @property
    def name(self):
        return self.path.rsplit(".", 1)[-1]

    @property
    def choice(self):
        return self.path.endswith("[x]")

    @property
    def many(self):
        return self.max not in ("0", "1")


class Definitions:
    """The elements of every type and resource by path, and HL7's extensions by address."""

    def __init__(self, structures):
        self.elements, self.children, self.kinds, self.extensions = {}, {}, {}, {}
        for structure in structures:
            if structure.get("derivation") == "constraint":
                if structure["type"] == "Extension":
                    self.extensions[structure["url"]] = structure
                continue
            if structure["kind"] in ("resource", "complex-type"):
                self.kinds[structure["type"]] = (structure["kind"], structure["abstract"])
                for element in structure["snapshot"]["element"]:
                    self._add(element)

    @classmethod
    def of(cls, archive):
        with tarfile.open(archive) as tar:
            return cls(
                [
                    json.load(tar.extractfile(member))
                    for member in tar
                    if "/definitions/StructureDefinition-" in member.name and member.name.endswith(".json")
                ]
            )

    def _add(self, element):
        types = []
        for type_ in element.get("type", []):
            code = type_["code"]
            if code.startswith("http://hl7.org/fhirpath/"):
                code = next((x["valueUrl"] for x in type_.get("extension", [])), code.rsplit(".", 1)[-1].lower())
            targets = tuple(target.removeprefix(STRUCTURE) for target in type_.get("targetProfile", []))
            types.append(Type(code, targets))
        binding = element.get("binding", {})
        path = element["path"]
        made = Element(
            path,
            element["min"],
            element["max"],
            types,
            (binding.get("strength"), binding.get("valueSet")),
            element.get("contentReference", "").lstrip("#") or None,
        )
        self.elements[path] = made
        if "." in path:
            self.children.setdefault(path.rsplit(".", 1)[0], {})[made.name] = made

    @property
    def resources(self):
        return {name for name, (kind, abstract) in self.kinds.items() if kind == "resource" and not abstract}

    def lookup(self, parent, name):
        """The element that a JSON name stands for in a type or backbone element, and its type."""
        children = self.children.get(parent, {})
        if name in children:
            element = children[name]
            return element, element.types[0] if element.types else None
        for element in children.values():
            stem = element.name.removesuffix("[x]")
            if element.choice and name.startswith(stem):
                for type_ in element.types:
                    if name == stem + type_.code[0].upper() + type_.code[1:]:
                        return element, type_
        return None, None

    def content(self, element, type_):
        """Where the children of an element are declared."""
        if element.refers:
            return element.refers
        if type_.code in ("BackboneElement", "Element") and element.path in self.children:
            return element.path
        return type_.code


# --- a resource, place by place -------------------------------------------------------------------------------------


class Spot:
    """One value of a resource: the resource itself, an item of a list, or a member's value."""

    def __init__(
        self, definitions, path, holder, key, value, element, type_, declared, resource, root, parent=None, index=None
    ):
        self.definitions, self.path, self.holder, self.key, self.value = definitions, path, holder, key, value
        self.element, self.type, self.declared = element, type_, declared
        self.resource, self.root, self.parent, self.index = resource, root, parent, index

    @property
    def code(self):
        return self.type.code if self.type else None

    @property
    def is_root(self):
        return self.parent is None

    @property
    def is_resource(self):
        return isinstance(self.value, dict) and "resourceType" in self.value

    @property
    def kind(self):
        return self.value.get("resourceType") if isinstance(self.value, dict) else None

    @property
    def is_object(self):
        return isinstance(self.value, dict)

    @property
    def member_path(self):
        """The path without the place in the list."""
        return re.sub(r"\[\d+\]$", "", self.path)

    @property
    def contained(self):
        spot = self
        while spot.parent is not None:
            if spot.key == "contained":
                return True
            spot = spot.parent
        return False

    def inside(self, *codes):
        spot = self.parent
        while spot is not None:
            if spot.code in codes:
                return True
            spot = spot.parent
        return False

    def child(self, name):
        return f"{self.path}.{name}"

    def set(self, value):
        """Another value in its place (of this item, in a list)."""
        if self.index is None:
            self.holder[self.key] = value
        else:
            self.holder[self.key][self.index] = value
        return self.path

    def set_member(self, value):
        """Another value for the whole member of the holder."""
        self.holder[self.key] = value
        return self.member_path

    def remove(self):
        """The whole member away, with its `_` sibling."""
        del self.holder[self.key]
        self.holder.pop("_" + self.key, None)
        return self.member_path

    def put(self, name, value):
        """A member of this object."""
        self.value[name] = value
        return self.child(name)

    @property
    def alone(self):
        """True where no `_` sibling says something about this member."""
        return "_" + self.key not in self.holder

    def allowed(self):
        """Names that this object may have."""
        return self.definitions.children.get(self.declared, {})


def walk(definitions, resource):
    """Every place of a resource, from outside inwards, in the order of the file."""
    kind = resource["resourceType"]
    spot = Spot(definitions, kind, None, None, resource, None, Type(kind), kind, resource, resource)
    yield spot
    yield from _below(definitions, spot)


def _below(definitions, spot):
    for name, member in list(spot.value.items()):
        if name == "resourceType" or name.startswith("_"):
            continue
        element, type_ = definitions.lookup(spot.declared, name)
        if element is None or (type_ is None and element.refers is None):
            continue
        several = isinstance(member, list)
        for index, value in enumerate(member if several else [member]):
            if value is None:
                continue
            path = f"{spot.path}.{name}" + (f"[{index}]" if several else "")
            resource, kind = spot.resource, type_ or Type("BackboneElement")
            declared = definitions.content(element, kind)
            if isinstance(value, dict) and "resourceType" in value:
                resource, kind, declared = value, Type(value["resourceType"]), value["resourceType"]
            made = Spot(
                definitions,
                path,
                spot.value,
                name,
                value,
                element,
                kind,
                declared,
                resource,
                spot.root,
                spot,
                index if several else None,
            )
            yield made
            if isinstance(value, dict):
                yield from _below(definitions, made)


def read_examples(archive):
    """HL7's examples by file name."""
    with tarfile.open(archive) as tar:
        return {
            Path(member.name).name: json.load(tar.extractfile(member))
            for member in tar
            if "/examples/" in member.name and member.name.endswith(".json")
        }


def steps(expression):
    """A place as names and numbers, however it is written: `a[0].value.ofType(Quantity)`, `a.valueQuantity`."""
    text = re.sub(r"/\*.*?\*/", "", expression)
    text = re.sub(r"\((\S+) as \w+\)", r"\1", text)
    text = re.sub(r"\.(ofType|as)\([\w.]+\)", "", text)
    out = []
    for step in text.strip().split("."):
        match = re.fullmatch(r"`?_?([^\[`]+)`?(?:\[x\])?(?:\[(\d+)\])?(?:\[x\])?", step)
        out.append((match[1], int(match[2]) if match and match[2] else None) if match else (step, None))
    return out


def _same(ours, theirs):
    (a, i), (b, j) = ours, theirs
    named = (
        a == b
        or (len(b) >= 3 and a.startswith(b) and a[len(b) : len(b) + 1].isupper())
        or (len(a) >= 3 and b.startswith(a) and b[len(a) : len(a) + 1].isupper())
    )
    return named and (i is None or j is None or i == j)


def points_at(expression, path):
    """True where an issue's expression is the damaged place, its parent, or something within it."""
    wanted, given = steps(path), steps(expression)
    if len(given) < len(wanted) - 1 or not given:
        return False
    return all(_same(a, b) for a, b in zip(wanted[1:], given[1:]))
