"""Requests at random, of every kind that FHIR REST answers, for records that a grant sees or does not.

What differs between two stores that should answer alike stands in double braces: `{{v:Type/id:2}}` is the number of the second
version that the grant sees, `{{t:1}}` the time after the first step, `{{n:0}}` the id of the first resource that the server named."""

import collections
import json
import urllib.parse

from interfering_records import CODES, DAYS, PATIENTS, TAGS, WORDS
from writing import FHIR, JSON_PATCH, MERGE_PATCH, bundle, entry, replacing

LOINC = "http://loinc.org"
REFERENCES = {
    "Observation": {"subject": "Patient", "patient": "Patient", "performer": "Practitioner", "encounter": "Encounter",
                    "has-member": "Observation"},
    "Condition": {"subject": "Patient", "encounter": "Encounter", "evidence-detail": "Observation"},
    "Encounter": {"subject": "Patient", "location": "Location", "participant": "Practitioner", "part-of": "Encounter",
                  "service-provider": "Organization"},
    "Patient": {"general-practitioner": "Practitioner", "organization": "Organization", "link": "Patient"},
    "DiagnosticReport": {"subject": "Patient", "result": "Observation", "performer": "Organization"},
    "MedicationRequest": {"subject": "Patient", "medication": "Medication", "requester": "Practitioner"},
    "Organization": {"partof": "Organization"}, "Location": {"organization": "Organization", "partof": "Location"},
    "PractitionerRole": {"practitioner": "Practitioner", "organization": "Organization", "location": "Location"},
    "Appointment": {"actor": "Patient"}, "Group": {"member": "Patient"}, "Device": {"patient": "Patient", "organization": "Organization"},
    "Procedure": {"subject": "Patient", "performer": "Practitioner", "reason-reference": "Condition"},
    "Coverage": {"beneficiary": "Patient", "payor": "Organization", "subscriber": "Patient"},
    "Task": {"patient": "Patient", "focus": "Observation", "owner": "Practitioner"},
    "Communication": {"subject": "Patient", "sender": "Practitioner", "recipient": "Patient"},
    "Provenance": {"target": "Observation", "agent": "Practitioner", "patient": "Patient"},
    "Basic": {"subject": "Patient", "author": "Practitioner"}, "Person": {"patient": "Patient", "practitioner": "Practitioner"},
    "List": {"subject": "Patient", "item": "Condition", "source": "Practitioner"},
    "AllergyIntolerance": {"patient": "Patient", "recorder": "Practitioner"}, "RelatedPerson": {"patient": "Patient"},
    "DocumentReference": {"subject": "Patient", "author": "Practitioner"},
}
SORTS = {"Observation": ["date", "-date", "code", "value-quantity", "-value-quantity", "status", "subject,-date"],
         "Patient": ["family", "-family", "birthdate", "gender,-birthdate", "-name"], "Organization": ["name", "-name"],
         "Condition": ["onset-date", "code", "-subject"], "Encounter": ["-date", "status", "location"],
         "Task": ["patient", "-owner"]}


class Requests:
    def __init__(self, random, records, definitions, grant):
        self.random, self.records, self.grant = random, records, grant
        self.definitions = definitions
        self.keys = list(records.pasts)
        self.seen = {key: past.visible(grant, "ruds", definitions) for key, past in records.pasts.items()}
        self.clear = [step for step in range(4) if self.is_clear(step)]
        self.seen = collections.defaultdict(list, self.seen)
        self.named, self.has_made = 0, False
        self.fresh = 0

    def is_clear(self, step):
        """Whether what was present after a step is, of all that the grant sees, a version that it sees, or nothing."""
        written = collections.Counter((kind, name) for done in self.records.steps[:step + 1] for kind, name, _ in done)
        return all(written[key] in numbers or written[key] < numbers[0] for key, numbers in self.seen.items() if numbers)

    # Values

    def some(self, *values):
        return self.random.choice(values)

    def chance(self, share):
        return self.random.random() < share

    def key(self, kind=None):
        """A record, half of the time one that is seen."""
        keys = [key for key in self.keys if kind in (None, key[0])]
        if kind is None and self.chance(0.8):
            keys = [key for key in keys if self.grant.may(key[0], "r")] or keys
        seen = [key for key in keys if self.seen[key]]
        return self.random.choice(seen if seen and self.chance(0.6) else keys)

    def version(self, key):
        numbers = self.seen[key]
        place = self.random.randrange(1, len(numbers) + 2) if numbers else self.some(1, 2)
        return f"{{{{v:{key[0]}/{key[1]}:{place}}}}}"

    def current(self, key):
        return f"{{{{v:{key[0]}/{key[1]}:{max(1, len(self.seen[key]))}}}}}"

    def name(self, kind):
        return self.key(kind)[1]

    def kind(self):
        """A type, mostly one that may be searched."""
        kinds = [*REFERENCES, "Observation", "Observation", "Patient", "Condition", "Practitioner", "Medication", "Library"]
        return self.permitted(kinds, "s")

    def permitted(self, kinds, letter):
        if self.chance(0.85):
            kinds = [kind for kind in kinds if self.grant.may(kind, letter)] or kinds
        return self.random.choice(kinds)

    def condition(self, kind, depth=0):
        """One search parameter, perhaps through references."""
        if kind in REFERENCES and self.chance(0.35 if depth < 3 else 0.1):
            name, target = self.random.choice(list(REFERENCES[kind].items()))
            if depth < 3 and self.chance(0.65):
                inner, value = self.condition(target, depth + 1)
                return f"{name}:{target}.{inner}", value
            return name, f"{target}/{self.name(target)}" if self.chance(0.8) else self.name(target)
        if depth < 3 and self.chance(0.2):
            ways = [(other, name) for other, names in REFERENCES.items() for name, to in names.items() if to == kind]
            if ways:
                other, name = self.random.choice(ways)
                inner, value = self.condition(other, depth + 1)
                return f"_has:{other}:{name}:{inner}", value
        return self.own(kind)

    def own(self, kind):
        if self.chance(0.25):
            return self.random.choice([
                ("_id", f"{self.name(kind)},{self.name(kind)}"), ("_tag", "urn:t|" + self.some(*TAGS)), ("_tag:not", self.some(*TAGS)),
                ("_security", self.some("R", "HIV", "http://terminology.hl7.org/CodeSystem/v3-Confidentiality|V")),
                ("_lastUpdated", self.some("ge", "lt") + f"{{{{t:{self.random.randrange(4)}}}}}")])
        found = {
            "Observation": [("code", self.some(*CODES)), ("code", f"{LOINC}|{self.some(*CODES)}"), ("code:not", self.some(*CODES)),
                            ("status", self.some("final", "preliminary")), ("category", self.some("laboratory", "vital-signs")),
                            ("date", self.some("", "ge", "lt", "sa", "ne") + self.some(*DAYS).split("T")[0]),
                            ("value-quantity", self.some("gt", "le", "") + str(self.random.randrange(55, 85))),
                            ("combo-code", self.some(*CODES)), ("date:missing", self.some("true", "false")),
                            ("code-value-quantity", f"{self.some(*CODES)}${self.some('gt', 'lt')}70"),
                            ("component-code-value-quantity", f"{self.some(*CODES)}$gt60"),
                            ("subject:missing", self.some("true", "false")), ("encounter:missing", "true")],
            "Patient": [("name", self.some("ash", "bir", "c")), ("family:exact", self.some(*WORDS)), ("gender", "male"),
                        ("name:contains", "wood"), ("birthdate", self.some("lt1985", "1980-06-02", "ge1980"))],
            "Organization": [("name", self.some("ash", "bir")), ("active", "true"), ("partof:missing", "true")],
            "Practitioner": [("family", self.some("ash", "ced")), ("gender:not", "male")],
            "Condition": [("code", self.some("c1", "urn:c|c2")), ("clinical-status", "active"),
                          ("onset-date", self.some("ge", "lt") + self.some(*DAYS).split("T")[0])],
            "Encounter": [("status", "finished"), ("class", "AMB"), ("date", "ge2026-02-11"), ("class:not", "IMP")],
            "Location": [("name", self.some("ash", "bir")), ("status", "active")], "Medication": [("code", "x")],
            "Library": [("url", f"urn:library:{self.random.randrange(5)}"), ("title", "ash"), ("url:below", "urn:library")],
            "DiagnosticReport": [("code", self.some(*CODES)), ("date", "lt2026-03-05"), ("status", "final")],
            "Device": [("type", "x"), ("patient:missing", "true")], "Task": [("status", "requested")],
        }.get(kind, [])
        if kind not in ("Provenance", "Library", "Appointment") and (not found or self.chance(0.15)):
            found = [("identifier", f"urn:i|n{self.random.randrange(60)}")]
        return self.random.choice(found or [("_id", self.name(kind))])

    def search(self, kind=None):
        kind = kind or self.kind()
        parameters = [self.condition(kind) for _ in range(self.random.choices([0, 1, 2, 3], [1, 5, 4, 1])[0])]
        if self.chance(0.3):
            for _ in range(self.some(1, 1, 2)):
                parameters.append(self.include(kind))
        if kind in SORTS and self.chance(0.3):
            parameters.append(("_sort", self.some(*SORTS[kind])))
        elif self.chance(0.1):
            # The ids that servers make have an order of their own in each.
            orders = ["_lastUpdated", "-_lastUpdated"] + ([] if self.has_made else ["_id", "-_id"])
            parameters.append(("_sort", self.some(*orders)))
        if self.chance(0.3):
            parameters.append(("_total", self.some("accurate", "none", "estimate")))
        if self.chance(0.2):
            parameters.append(("_summary", self.some("count", "count", "true", "data", "text")))
        elif self.chance(0.1):
            parameters.append(("_elements", self.some("identifier", "code,status", "subject")))
        parameters.append(("_count", str(self.some(0, 1, 2, 3, 5, 20, 100, 500))))
        return kind, parameters

    def include(self, kind):
        back = [(other, name) for other, names in REFERENCES.items() for name, to in names.items() if to == kind]
        which = self.random.randrange(6)
        if which == 0:
            return "_include", self.some("*", f"{kind}:*")
        if which == 1 and back:
            return "_revinclude", ":".join(self.random.choice(back))
        if which == 2:
            other = self.random.choice(list(REFERENCES))
            return "_include:iterate", f"{other}:{self.random.choice(list(REFERENCES[other]))}"
        if which == 3 and back:
            other = self.random.choice(list(REFERENCES))
            return "_revinclude:iterate", f"{other}:{self.random.choice(list(REFERENCES[other]))}"
        if which == 4 and kind in ("Patient", "Encounter", "Practitioner"):
            return "_revinclude", "*"
        if kind in REFERENCES:
            name, target = self.random.choice(list(REFERENCES[kind].items()))
            return "_include", f"{kind}:{name}" + self.some("", "", ":" + target)
        return "_include", f"{kind}:*"

    # Requests

    def make(self):
        """One request: method, path, body, headers, what follows pages."""
        ways = [(self.reading, 5), (self.history, 4), (self.searching, 14), (self.compartment, 2), (self.everything, 2),
                (self.export, 1.2), (self.creating, 3), (self.updating, 4), (self.patching, 2), (self.deleting, 2), (self.bundles, 4)]
        way = self.random.choices([way for way, _ in ways], [weight for _, weight in ways])[0]
        self.has_made |= way in (self.creating, self.updating, self.bundles)
        return way()

    @staticmethod
    def ask(method, path, body=None, content_type=FHIR, **headers):
        return {"method": method, "path": path, "body": body, "type": content_type,
                "headers": {name.replace("_", "-"): value for name, value in headers.items()}}

    def reading(self):
        key = self.key()
        path = "/".join(key)
        way = self.random.randrange(5)
        if way == 0 and self.named:
            return self.ask("GET", f"Observation/{{{{n:{self.random.randrange(self.named)}}}}}")
        if way == 1:
            return self.ask("GET", f"{path}/_history/{self.version(key)}")
        if way == 2:
            return self.ask("GET", path, If_None_Match=f'W/"{self.version(key)}"')
        if way == 3:
            return self.ask("GET", path + self.some("?_summary=true", "?_elements=id", "?_format=xml", "?_summary=data"))
        return self.ask(self.some("GET", "GET", "HEAD"), path)

    def history(self):
        way = self.random.randrange(3)
        more = [("_count", str(self.some(1, 2, 5, 50, 500)))]
        if way and self.chance(0.5):
            name = self.some("_since", "_at")
            place = self.some(*self.clear) if name == "_at" else self.random.randrange(4)
            more.append((name, f"{{{{t:{place}}}}}"))
        if way == 0:
            path = "/".join(self.key()) + "/_history"
        elif way == 1:
            path = self.kind() + "/_history"
        else:
            path = "_history"
            if self.chance(0.7):
                more.append(("_type", f"{self.kind()},{self.kind()}"))
        return self.ask("GET", path + "?" + query(more))

    def searching(self):
        kind, parameters = self.search()
        if self.chance(0.08):
            kinds = f"{self.some('Observation', 'Patient')},{self.some('Condition', 'Encounter')}"
            common = [self.own("Person") if self.chance(0.2) else ("_tag", "urn:t|a"), ("_type", kinds), ("_count", "20")]
            return self.ask("GET", "?" + query(common))
        if self.chance(0.2):
            return self.ask("POST", kind + "/_search", query(parameters), "application/x-www-form-urlencoded")
        return self.ask("GET", f"{kind}?{query(parameters)}", **({"Prefer": "handling=strict"} if self.chance(0.1) else {}))

    def compartment(self):
        where = self.some(("Patient", self.some(*PATIENTS)), self.key("Encounter"), self.key("Practitioner"), self.key("Device"))
        if self.chance(0.3):
            return self.ask("GET", f"{'/'.join(where)}/*?" + query([("_type", "Observation,Condition,Encounter"), ("_count", "10")]))
        kind, parameters = self.search(self.some("Observation", "Condition", "Encounter", "Appointment", "Group"))
        return self.ask("GET", f"{'/'.join(where)}/{kind}?{query(parameters)}")

    def everything(self):
        more = [("_count", str(self.some(2, 10, 100)))]
        if self.chance(0.3):
            more.append(("_type", "Observation,Condition,Patient,Practitioner"))
        if self.chance(0.3):
            more.append(("_since", f"{{{{t:{self.random.randrange(4)}}}}}"))
        if self.chance(0.2):
            more.append((self.some("start", "end"), "2026-03-01"))
        return self.ask("GET", f"Patient/{self.some(*PATIENTS)}/$everything?" + query(more))

    def export(self):
        more = []
        if self.chance(0.4):
            more.append(("_type", self.some("Observation", "Patient,Condition", "Organization,Observation,Group")))
        if self.chance(0.3):
            more.append(("_since", f"{{{{t:{self.random.randrange(4)}}}}}"))
        if self.chance(0.3):
            kind, parameters = "Observation", [self.condition("Observation")]
            more.append(("_typeFilter", f"{kind}?{query(parameters)}"))
        level = self.some("$export", "Patient/$export", f"Group/{self.name('Group')}/$export")
        if level == "Patient/$export" and self.chance(0.4):
            more.append(("patient", f"Patient/{self.some(*PATIENTS)}"))
        return {**self.ask("GET", f"{level}?{query(more)}", Prefer=self.some("respond-async", "respond-async, handling=lenient")),
                "export": True}

    # Writes

    def mine(self):
        """A reference to a patient, mostly of those that the grant reaches."""
        own = sorted(self.grant.patients or PATIENTS)
        return {"reference": f"Patient/{self.some(*(own if self.chance(0.85) else PATIENTS))}"}

    def new(self, kind=None, name=None):
        kind = kind or self.permitted(["Observation", "Observation", "Condition", "Encounter", "Basic", "Organization", "Task",
                                       "Appointment"], "c")
        made = self.records.resource(kind, name, self.mine())
        if self.chance(0.6):
            made.pop("meta", None)
        if self.chance(0.7):
            # So that more than a few of them belong to nobody else.
            for name in ("performer", "author", "requester", "encounter", "hasMember"):
                made.pop(name, None)
        return made

    def free(self, kind):
        self.fresh += 1
        return f"made-{kind.lower()}-{self.fresh}"

    def prefer(self):
        return {"Prefer": self.some("return=minimal", "return=representation", "return=OperationOutcome")} if self.chance(0.5) else {}

    def criteria(self, kind):
        return query([self.own(kind) if self.chance(0.4) else ("identifier", f"urn:i|n{self.random.randrange(60)}")])

    def creating(self):
        made = self.new()
        kind = made["resourceType"]
        way = self.random.randrange(4)
        self.named += kind == "Observation"
        if way == 0:
            return self.ask("POST", kind, made, If_None_Exist=self.criteria(kind), **self.prefer())
        if way == 1:
            made["id"] = self.free(kind)
            return self.ask("PUT", f"{kind}/{made['id']}", made, **self.prefer())
        return self.ask("POST", kind, made, **self.prefer())

    def known(self, kind=None):
        """A record that is seen, for a PUT tells that an id is taken; else one that is nowhere."""
        keys = [key for key in self.keys if kind in (None, key[0]) and self.seen[key] and key[0] not in ("Patient",)]
        if not keys:
            return (kind or "Observation", self.free(kind or "Observation"))
        return self.random.choice(keys)

    def matching(self, key):
        return {"If-Match": f'W/"{self.some(self.current(key), self.version(key))}"'} if self.chance(0.4) else {}

    def updating(self):
        if self.chance(0.25):
            made = self.new()
            return self.ask("PUT", f"{made['resourceType']}?{self.criteria(made['resourceType'])}", made, **self.prefer())
        key = self.known(self.permitted(["Observation", "Condition", "Encounter", "Task", "Group", "Practitioner"], "u"))
        made = self.new(*key)
        past = self.records.pasts.get(key)
        if past and self.chance(0.5):
            # What may be written back: the present content, with another language.
            made = {**past.newest, "language": self.some("it", "es")}
        headers = self.matching(key) | ({"If-None-Match": "*"} if self.chance(0.05) else {})
        return self.ask("PUT", "/".join(key), made, **headers, **self.prefer())

    def patching(self):
        key = self.key(self.permitted(["Observation", "Condition", "Encounter", "Organization"], "u"))
        path = f"{key[0]}?{self.criteria(key[0])}" if self.chance(0.3) else "/".join(key)
        body, form = self.some(
            ({"language": self.some("pt", "nl")}, MERGE_PATCH), ([{"op": "replace", "path": "/language", "value": "sv"}], JSON_PATCH),
            ([{"op": "test", "path": "/language", "value": "de"}, {"op": "replace", "path": "/language", "value": "fi"}], JSON_PATCH),
            (replacing(f"{key[0]}.language", "valueCode", "pl"), FHIR), ({"meta": None}, MERGE_PATCH),
            ({"subject": self.mine()}, MERGE_PATCH))
        # A number is of the record that it is sent with: of those that a search finds each store has its own.
        matching = {} if "?" in path else self.matching(key)
        return self.ask("PATCH", path, body, form, **matching, **self.prefer())

    def deleting(self):
        key = self.key(self.permitted(["Observation", "Condition", "Encounter", "Appointment"], "d"))
        path = f"{key[0]}?{self.criteria(key[0])}" if self.chance(0.35) else "/".join(key)
        return self.ask("DELETE", path, **({} if "?" in path else self.matching(key)))

    def bundles(self):
        entries = []
        for number in range(self.some(1, 2, 3, 4)):
            way = self.random.randrange(6)
            if way == 0:
                entries.append(entry("GET", "/".join(self.key())))
            elif way == 1:
                kind, parameters = self.search()
                entries.append(entry("GET", f"{kind}?{query(parameters)}"))
            elif way == 2:
                key = self.known("Condition")
                entries.append(entry("PUT", "/".join(key), self.new(*key)))
            elif way == 3:
                made = self.new("Observation")
                made["performer"] = [{"reference": f"Practitioner?{self.criteria('Practitioner')}"}]
                entries.append(entry("POST", "Observation", made))
            elif way == 4:
                made = self.new("Encounter")
                more = {"ifNoneExist": self.criteria("Encounter")} if self.chance(0.5) else {}
                address = f"urn:uuid:{self.random.getrandbits(128):032x}"
                address = f"{address[:17]}-{address[17:21]}-{address[21:25]}-{address[25:29]}-{address[29:]}"
                entries.append(entry("POST", "Encounter", made, address, **more))
                inner = self.new("Observation")
                inner["encounter"] = {"reference": address}
                entries.append(entry("POST", "Observation", inner))
            else:
                key = self.key("Observation")
                entries.append(entry("DELETE", "/".join(key) if self.chance(0.6) else f"Observation?{self.criteria('Observation')}"))
        if self.chance(0.15):
            key = self.key()
            entries.append(entry("GET", f"{'/'.join(key)}/_history/{self.version(key)}"))
        return self.ask("POST", "", bundle(self.some("batch", "transaction"), *entries))


def query(parameters):
    """A query, of which what stands in braces is left for later."""
    return "&".join(f"{urllib.parse.quote(name, safe=':*')}={urllib.parse.quote(str(value), safe=':/,{}*$')}"
                    for name, value in parameters)


def text(request):
    """A request as a person reads it."""
    body = request["body"]
    return " ".join([request["method"], request["path"], json.dumps(request["headers"]) if request["headers"] else "",
                     "" if body is None else body if isinstance(body, str) else json.dumps(body)])
