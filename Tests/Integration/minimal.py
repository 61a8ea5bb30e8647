"""The smallest resource of every type, and the same with each optional element once, made from the definitions."""

import copy
import json
import tarfile

from r4_places import UCUM, Definitions

DIV = '<div xmlns="http://www.w3.org/1999/xhtml">x</div>'
PRIMITIVE = {
    "string": "x",
    "markdown": "x",
    "code": "x",
    "id": "x1",
    "uri": "http://example.org/x",
    "url": "http://example.org/x",
    "canonical": "http://example.org/x",
    "oid": "urn:oid:1.2.3",
    "uuid": "urn:uuid:c757873d-ec9a-4326-a141-556f43239520",
    "date": "2024-01-01",
    "dateTime": "2024-01-01",
    "instant": "2024-01-01T00:00:00Z",
    "time": "10:00:00",
    "base64Binary": "AAAA",
    "boolean": True,
    "integer": 1,
    "positiveInt": 1,
    "unsignedInt": 1,
    "decimal": 1.5,
    "xhtml": DIV,
}
COMPLEX = {
    "Reference": {"display": "x"},
    "Resource": {"resourceType": "Basic", "id": "b", "code": {"text": "x"}},
    "Quantity": {"value": 1},
    "Extension": {"url": "http://example.org/x", "valueString": "x"},
    "Range": {"low": {"value": 1}},
    "Ratio": {"numerator": {"value": 1}, "denominator": {"value": 1}},
    "Period": {"start": "2024"},
    "Identifier": {"value": "x"},
    "HumanName": {"text": "x"},
    "Address": {"text": "x"},
    "ContactPoint": {"system": "phone", "value": "1"},
    "Attachment": {"title": "x"},
    "Money": {"value": 1},
    "Meta": {"versionId": "1"},
    "Timing": {"event": ["2024"]},
    "Dosage": {"text": "x"},
    "ContactDetail": {"name": "x"},
    "Expression": {"language": "text/cql", "expression": "x"},
    "TriggerDefinition": {"type": "named-event", "name": "x"},
    "Narrative": {"status": "generated", "div": DIV},
    "ElementDefinition": {"path": "x"},
    "ProdCharacteristic": {"color": ["x"]},
    "SubstanceAmount": {"amountText": "x"},
    "Population": {"physiologicalCondition": {"text": "x"}},
    "Annotation": {"text": "x"},
    "Age": {"value": 1, "system": UCUM, "code": "a"},
    "Duration": {"value": 1, "system": UCUM, "code": "d"},
    "Distance": {"value": 1, "system": UCUM, "code": "m"},
    "Count": {"value": 1, "system": UCUM, "code": "1"},
}
BY_RULE = (("mimetypes", "text/plain"), ("currencies", "EUR"), ("ucum", "mg"), ("languages", "de"))
LEFT_OUT = {"id", "extension", "modifierExtension", "contained", "implicitRules", "language", "text", "meta"}


class Minimal:
    """Makes resources from HL7's definitions in the archive."""

    def __init__(self, archive):
        self.definitions = Definitions.of(archive)
        self.values, self.systems = {}, {}
        with tarfile.open(archive) as tar:
            for member in tar:
                name = member.name.rsplit("/", 1)[-1]
                if name.startswith(("ValueSet-", "CodeSystem-")) and "/definitions/" in member.name:
                    found = json.load(tar.extractfile(member))
                    (self.values if name.startswith("V") else self.systems)[found["url"]] = found

    def every(self):
        """(name, resource): of each type, then with each element that it may have as well."""
        for type_ in sorted(self.definitions.resources):
            smallest = {"resourceType": type_, **self.object(type_)}
            yield type_, smallest
            for path, children in list(self.definitions.children.items()):
                if path == type_ or path.startswith(type_ + "."):
                    for element in children.values():
                        yield from self._with(type_, smallest, path, element)

    def _with(self, type_, smallest, path, element):
        if element.max == "0" or element.name in LEFT_OUT or "[x]" in path:
            return
        types = element.types or [None]
        for chosen in types if len(types) < 12 else types[:3]:
            resource = copy.deepcopy(smallest)
            holder, above = resource, type_
            for step in path.split(".")[1:]:
                above += "." + step
                if step not in holder:
                    self._put(holder, self.definitions.elements[above], 0)
                holder = holder[step][0] if isinstance(holder[step], list) else holder[step]
            for other in types if element.choice else []:
                holder.pop(self._name(element, other), None)
            self._put(holder, element, 0, chosen)
            yield f"{path}.{self._name(element, chosen)}", resource

    def object(self, path, depth=0):
        """What a type or backbone element must have; where that is nothing, its first element."""
        if depth > 8:
            raise ValueError(f"{path} needs itself")
        out = {}
        children = self.definitions.children[path].values()
        for element in children:
            if element.min:
                self._put(out, element, depth)
        if not out:
            self._put(out, next(e for e in children if e.name not in LEFT_OUT and e.max != "0"), depth)
        return out

    @staticmethod
    def _name(element, type_):
        return element.name.replace("[x]", type_.code[0].upper() + type_.code[1:]) if element.choice else element.name

    def _put(self, holder, element, depth, type_=None):
        type_ = type_ or (element.types[0] if element.types else None)
        value = self._value(element, type_, depth)
        holder[self._name(element, type_)] = [value] if element.many else value

    def _value(self, element, type_, depth):
        if element.refers:
            return self.object(element.refers, depth + 1)
        strength, values = element.binding
        code = self._first(values) if strength == "required" and values else None
        if type_.code in PRIMITIVE:
            if strength == "required" and type_.code in ("code", "string", "uri"):
                return code[1] if code else next(v for word, v in BY_RULE if word in values)
            return PRIMITIVE[type_.code]
        if type_.code in ("CodeableConcept", "Coding"):
            if strength == "required" and not code:
                code = (UCUM, "mg")
            coding = {"system": code[0], "code": code[1]} if code else {"display": "x"}
            return coding if type_.code == "Coding" else {"coding": [coding]}
        if type_.code in COMPLEX:
            return copy.deepcopy(COMPLEX[type_.code])
        return self.object(self.definitions.content(element, type_), depth + 1)

    def _first(self, url):
        """The first code of a value set that has a list."""
        for include in self.values.get(url.split("|")[0], {}).get("compose", {}).get("include", []):
            if include.get("concept"):
                return include["system"], include["concept"][0]["code"]
            if include.get("valueSet"):
                return self._first(include["valueSet"][0])
            concepts = self.systems.get(include.get("system"), {}).get("concept")
            if concepts and include.get("filter"):
                wanted = include["filter"][0]["value"]
                return include["system"], next((c for c in _all(concepts) if c == wanted), next(_all(concepts)))
            if concepts:
                return include["system"], next(_all(concepts, selectable=True))
        return None


def _all(concepts, selectable=False):
    for concept in concepts:
        hidden = any(p["code"] == "notSelectable" and p.get("valueBoolean") for p in concept.get("property", []))
        if not (selectable and hidden):
            yield concept["code"]
        yield from _all(concept.get("concept", []), selectable)
