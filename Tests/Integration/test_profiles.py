"""`fhir validate --profile`: slices, fixed values, patterns, bindings, constraints; HL7's profiles; contradictions."""

import copy
import json
import unittest

from harness import CONFORMANCE, needs_conformance
from profiles import ADDRESS, profile, structure, with_snapshot
from r4_places import STRUCTURE, UCUM, points_at
from validation import ValidationTest, run

LOINC = "http://loinc.org"
CATEGORY = "http://terminology.hl7.org/CodeSystem/observation-category"


def concept(code, system=LOINC):
    return {"coding": [{"system": system, "code": code}]}


def quantity(value, unit):
    return {"value": value, "unit": unit, "system": UCUM, "code": unit}


def observation(code="85354-9", **members):
    return {
        "resourceType": "Observation",
        "id": "o1",
        "status": "final",
        "code": concept(code) if isinstance(code, str) else code,
        "subject": {"reference": "Patient/p1"},
        "effectiveDateTime": "2024-05-01T10:00:00Z",
        **members,
    }


def component(code, value=None, **members):
    return {
        "code": concept(code),
        **({"valueQuantity": quantity(value, "mm[Hg]")} if value is not None else {}),
        **members,
    }


def slicing(path, type_="value", rules="open", **members):
    return {"slicing": {"discriminator": [{"type": type_, "path": path}], "rules": rules, **members}}


SYSTOLIC, DIASTOLIC = component("8480-6", 120), component("8462-4", 80)


class Case:
    """A profile, resources that it allows, and resources that it does not with the place."""

    def __init__(self, made, right, wrong, also=()):
        self.made, self.right, self.wrong, self.also = made, right, wrong, also


def slices_by_value(rules="open"):
    return profile(
        f"by-value-{rules.lower()}",
        "Observation",
        ("Observation.component", {**slicing("code.coding.code", rules=rules), "min": 1}),
        ("Observation.component:systolic", {"min": 1, "max": "1"}),
        ("Observation.component:systolic.code.coding.code", {"min": 1, "fixedCode": "8480-6"}),
        ("Observation.component:systolic.value[x]", {"min": 1, "type": [{"code": "Quantity"}]}),
        ("Observation.component:diastolic", {"min": 0, "max": "2"}),
        ("Observation.component:diastolic.code.coding.code", {"min": 1, "fixedCode": "8462-4"}),
    )


def slices_by_pattern(type_):
    return profile(
        f"by-{type_}-of-concept",
        "Observation",
        ("Observation.component", slicing("code", type_)),
        ("Observation.component:systolic", {"min": 1, "max": "1"}),
        ("Observation.component:systolic.code", {"patternCodeableConcept": concept("8480-6")}),
        ("Observation.component:systolic.value[x]", {"min": 1, "type": [{"code": "Quantity"}]}),
    )


CASES = [
    Case(
        slices_by_value(),
        [
            observation(component=[SYSTOLIC, DIASTOLIC]),
            observation(component=[DIASTOLIC, SYSTOLIC, DIASTOLIC, component("1234-5")]),
        ],
        [
            (observation(component=[DIASTOLIC]), "Observation.component"),
            (observation(component=[SYSTOLIC, SYSTOLIC]), "Observation.component"),
            (observation(component=[SYSTOLIC, DIASTOLIC, DIASTOLIC, DIASTOLIC]), "Observation.component"),
            (
                observation(component=[DIASTOLIC, component("8480-6", valueString="high")]),
                "Observation.component[1].value",
            ),
            (observation(component=[component("8480-6")]), "Observation.component[0].value"),
            (observation(), "Observation.component"),
        ],
    ),
    Case(
        slices_by_value("closed"),
        [observation(component=[SYSTOLIC]), observation(component=[SYSTOLIC, DIASTOLIC])],
        [(observation(component=[SYSTOLIC, component("1234-5", 1)]), "Observation.component[1]")],
    ),
    Case(
        slices_by_value("openAtEnd"),
        [observation(component=[SYSTOLIC, component("1234-5", 1)])],
        [(observation(component=[component("1234-5", 1), SYSTOLIC]), "Observation.component")],
    ),
    Case(
        slices_by_pattern("pattern"),
        [
            observation(component=[SYSTOLIC, DIASTOLIC]),
            observation(
                component=[dict(SYSTOLIC, code={"text": "x", "coding": [{"code": "y"}, *concept("8480-6")["coding"]]})]
            ),
        ],
        [
            (observation(component=[DIASTOLIC]), "Observation.component"),
            (observation(component=[component("8480-6")]), "Observation.component[0].value"),
            (
                observation(component=[dict(SYSTOLIC, code=concept("8480-6", "http://example.org"))]),
                "Observation.component",
            ),
        ],
    ),
    Case(
        slices_by_pattern("value"),
        [observation(component=[SYSTOLIC])],
        [(observation(component=[DIASTOLIC]), "Observation.component")],
    ),
    Case(
        profile(
            "ordered",
            "Observation",
            ("Observation.component", slicing("code.coding.code", ordered=True)),
            ("Observation.component:systolic", {"max": "1"}),
            ("Observation.component:systolic.code.coding.code", {"min": 1, "fixedCode": "8480-6"}),
            ("Observation.component:diastolic", {"max": "1"}),
            ("Observation.component:diastolic.code.coding.code", {"min": 1, "fixedCode": "8462-4"}),
        ),
        [observation(component=[SYSTOLIC, DIASTOLIC]), observation(component=[DIASTOLIC])],
        [(observation(component=[DIASTOLIC, SYSTOLIC]), "Observation.component")],
    ),
    Case(
        profile(
            "by-type",
            "Observation",
            ("Observation.value[x]", slicing("$this", "type")),
            ("Observation.value[x]:valueQuantity", {"type": [{"code": "Quantity"}]}),
            ("Observation.value[x]:valueQuantity.unit", {"min": 1}),
            ("Observation.value[x]:valueString", {"type": [{"code": "string"}], "max": "0"}),
        ),
        [observation(valueQuantity=quantity(1, "mg")), observation(valueBoolean=True), observation()],
        [
            (observation(valueQuantity={"value": 1}), "Observation.value.unit"),
            (observation(valueString="x"), "Observation.value"),
        ],
    ),
    Case(
        profile(
            "entries-by-type",
            "Bundle",
            ("Bundle.entry", slicing("resource", "type")),
            ("Bundle.entry:patient", {"min": 1, "max": "1"}),
            ("Bundle.entry:patient.resource", {"min": 1, "type": [{"code": "Patient"}]}),
            ("Bundle.entry:observation", {"max": "1"}),
            ("Bundle.entry:observation.resource", {"min": 1, "type": [{"code": "Observation"}]}),
        ),
        [
            {
                "resourceType": "Bundle",
                "type": "collection",
                "entry": [{"resource": {"resourceType": "Patient", "id": "p1"}}, {"resource": observation()}],
            }
        ],
        [
            ({"resourceType": "Bundle", "type": "collection", "entry": [{"resource": observation()}]}, "Bundle.entry"),
            (
                {
                    "resourceType": "Bundle",
                    "type": "collection",
                    "entry": [
                        {"resource": {"resourceType": "Patient", "id": "p1"}},
                        {"resource": observation()},
                        {"resource": observation("8480-6", id="o2")},
                    ],
                },
                "Bundle.entry",
            ),
        ],
    ),
    Case(
        profile(
            "by-existence",
            "Observation",
            ("Observation.component", slicing("dataAbsentReason", "exists", "closed")),
            ("Observation.component:absent", {}),
            ("Observation.component:absent.dataAbsentReason", {"min": 1}),
            ("Observation.component:absent.interpretation", {"min": 1}),
            ("Observation.component:present", {}),
            ("Observation.component:present.dataAbsentReason", {"max": "0"}),
            ("Observation.component:present.value[x]", {"min": 1}),
        ),
        [
            observation(component=[SYSTOLIC]),
            observation(
                component=[component("8480-6", dataAbsentReason={"text": "x"}, interpretation=[{"text": "y"}])]
            ),
        ],
        [
            (observation(component=[component("8480-6")]), "Observation.component[0].value"),
            (
                observation(component=[SYSTOLIC, component("8480-6", dataAbsentReason={"text": "x"})]),
                "Observation.component[1].interpretation",
            ),
        ],
    ),
    Case(
        profile(
            "by-profile",
            "Bundle",
            ("Bundle.entry", slicing("resource", "profile", "closed")),
            ("Bundle.entry:pressure", {"min": 1}),
            (
                "Bundle.entry:pressure.resource",
                {"min": 1, "type": [{"code": "Observation", "profile": [ADDRESS + "by-value-open"]}]},
            ),
            ("Bundle.entry:named", {"min": 0}),
            ("Bundle.entry:named.resource", {"min": 1, "type": [{"code": "Patient", "profile": [ADDRESS + "named"]}]}),
        ),
        [
            {
                "resourceType": "Bundle",
                "type": "collection",
                "entry": [
                    {"resource": observation(component=[SYSTOLIC])},
                    {"resource": {"resourceType": "Patient", "name": [{"text": "x"}]}},
                ],
            }
        ],
        [
            ({"resourceType": "Bundle", "type": "collection", "entry": [{"resource": observation()}]}, "Bundle.entry"),
            (
                {
                    "resourceType": "Bundle",
                    "type": "collection",
                    "entry": [
                        {"resource": observation(component=[SYSTOLIC])},
                        {"resource": {"resourceType": "Patient", "gender": "other"}},
                    ],
                },
                "Bundle.entry[1]",
            ),
        ],
        also=[slices_by_value(), profile("named", "Patient", ("Patient.name", {"min": 1}))],
    ),
    Case(
        profile(
            "by-resolved-type",
            "Observation",
            ("Observation.performer", slicing("resolve()", "type")),
            (
                "Observation.performer:person",
                {"min": 1, "type": [{"code": "Reference", "targetProfile": [STRUCTURE + "Practitioner"]}]},
            ),
        ),
        [observation(performer=[{"reference": "#d1"}], contained=[{"resourceType": "Practitioner", "id": "d1"}])],
        [
            (
                observation(
                    performer=[{"reference": "#d1"}],
                    contained=[{"resourceType": "Organization", "id": "d1", "name": "x"}],
                ),
                "Observation.performer",
            ),
            (observation(), "Observation.performer"),
        ],
    ),
    Case(
        profile(
            "extended",
            "Patient",
            ("Patient.extension", slicing("url")),
            (
                "Patient.extension:religion",
                {"min": 1, "max": "1", "type": [{"code": "Extension", "profile": [STRUCTURE + "patient-religion"]}]},
            ),
        ),
        [
            {
                "resourceType": "Patient",
                "extension": [
                    {"url": STRUCTURE + "patient-religion", "valueCodeableConcept": {"text": "x"}},
                    {"url": "http://example.org/x", "valueCode": "y"},
                ],
            }
        ],
        [
            ({"resourceType": "Patient"}, "Patient.extension"),
            (
                {"resourceType": "Patient", "extension": [{"url": "http://example.org/x", "valueCode": "y"}]},
                "Patient.extension",
            ),
            (
                {
                    "resourceType": "Patient",
                    "extension": [
                        {"url": STRUCTURE + "patient-religion", "valueCodeableConcept": {"text": text}} for text in "xy"
                    ],
                },
                "Patient.extension",
            ),
        ],
    ),
    Case(
        profile(
            "cardinality",
            "Observation",
            ("Observation.note", {"min": 1, "max": "2"}),
            ("Observation.bodySite", {"max": "0"}),
            ("Observation.performer", {"min": 2}),
            ("Observation.component.interpretation", {"max": "1"}),
        ),
        [
            observation(note=[{"text": "x"}], performer=[{"display": "x"}, {"display": "y"}]),
            observation(
                note=[{"text": "x"}],
                performer=[{"display": "x"}, {"display": "y"}],
                component=[component("8480-6", 1, interpretation=[{"text": "x"}])],
            ),
        ],
        [
            (observation(performer=[{"display": "x"}, {"display": "y"}]), "Observation.note"),
            (observation(note=[{"text": "x"}] * 3, performer=[{"display": "x"}, {"display": "y"}]), "Observation.note"),
            (observation(note=[{"text": "x"}], performer=[{"display": "x"}]), "Observation.performer"),
            (
                observation(
                    note=[{"text": "x"}], performer=[{"display": "x"}, {"display": "y"}], bodySite={"text": "x"}
                ),
                "Observation.bodySite",
            ),
            (
                observation(
                    note=[{"text": "x"}],
                    performer=[{"display": "x"}, {"display": "y"}],
                    component=[component("8480-6", 1, interpretation=[{"text": "x"}, {"text": "y"}])],
                ),
                "Observation.component[0].interpretation",
            ),
        ],
    ),
    Case(
        profile(
            "fixed",
            "Observation",
            ("Observation.status", {"fixedCode": "final"}),
            ("Observation.code", {"fixedCodeableConcept": concept("85354-9")}),
            ("Observation.subject.reference", {"fixedString": "Patient/p1"}),
            ("Observation.value[x]", {"type": [{"code": "Quantity"}]}),
            ("Observation.value[x].value", {"fixedDecimal": 1.50}),
        ),
        [observation(), observation(valueQuantity=quantity(1.50, "mg"))],
        [
            (observation(status="amended"), "Observation.status"),
            (observation("8480-6"), "Observation.code"),
            (observation(code={"text": "more", **concept("85354-9")}), "Observation.code"),
            (observation(code={"coding": [{**concept("85354-9")["coding"][0], "display": "x"}]}), "Observation.code"),
            (observation(subject={"reference": "Patient/p2"}), "Observation.subject.reference"),
            (observation(valueQuantity=quantity(2, "mg")), "Observation.value.value"),
        ],
    ),
    Case(
        profile(
            "pattern",
            "Observation",
            ("Observation.code", {"patternCodeableConcept": concept("85354-9")}),
            ("Observation.method", {"patternCodeableConcept": {"coding": [{"code": "a"}, {"code": "b"}]}}),
            ("Observation.bodySite", {"patternCodeableConcept": {"text": "arm"}}),
        ),
        [
            observation(),
            observation(
                code={"text": "more", "coding": [{"code": "x"}, {**concept("85354-9")["coding"][0], "display": "x"}]}
            ),
            observation(method={"coding": [{"code": "b"}, {"code": "c"}, {"code": "a", "display": "x"}]}),
            observation(bodySite={"text": "arm"}),
        ],
        [
            (observation("8480-6"), "Observation.code"),
            (observation(method={"coding": [{"code": "a"}]}), "Observation.method"),
            (observation(bodySite={"text": "leg"}), "Observation.bodySite"),
        ],
    ),
    Case(
        profile(
            "bound",
            "Observation",
            (
                "Observation.method",
                {"binding": {"strength": "required", "valueSet": "http://hl7.org/fhir/ValueSet/administrative-gender"}},
            ),
            (
                "Observation.interpretation",
                {"binding": {"strength": "example", "valueSet": "http://hl7.org/fhir/ValueSet/administrative-gender"}},
            ),
        ),
        [
            observation(method=concept("other", "http://hl7.org/fhir/administrative-gender")),
            observation(interpretation=[concept("x")]),
        ],
        [
            (observation(method=concept("third", "http://hl7.org/fhir/administrative-gender")), "Observation.method"),
            (observation(method=concept("other", "http://example.org")), "Observation.method"),
            (observation(method={"text": "other"}), "Observation.method"),
        ],
    ),
    Case(
        profile(
            "constrained",
            "Observation",
            (
                "Observation",
                {
                    "constraint": [
                        {
                            "key": "own-1",
                            "severity": "error",
                            "human": "a value or a reason",
                            "expression": "value.exists() or dataAbsentReason.exists()",
                        },
                        {"key": "own-2", "severity": "warning", "human": "a note", "expression": "note.exists()"},
                    ]
                },
            ),
            (
                "Observation.component",
                {
                    "constraint": [
                        {
                            "key": "own-3",
                            "severity": "error",
                            "human": "below 300",
                            "expression": "(value as Quantity).value < 300",
                        }
                    ]
                },
            ),
            (
                "Observation.subject",
                {
                    "constraint": [
                        {
                            "key": "own-4",
                            "severity": "error",
                            "human": "a patient",
                            "expression": "reference.startsWith('Patient/')",
                        }
                    ]
                },
            ),
        ),
        [observation(valueString="x"), observation(valueString="x", component=[SYSTOLIC])],
        [
            (observation(), "Observation"),
            (observation(valueString="x", component=[SYSTOLIC, component("8462-4", 300)]), "Observation.component[1]"),
            (observation(valueString="x", subject={"reference": "Group/1"}), "Observation.subject"),
        ],
    ),
    Case(
        profile(
            "types",
            "Observation",
            ("Observation.value[x]", {"type": [{"code": "Quantity"}, {"code": "CodeableConcept"}]}),
            ("Observation.subject", {"type": [{"code": "Reference", "targetProfile": [STRUCTURE + "Group"]}]}),
            ("Observation.effective[x]", {"min": 1, "type": [{"code": "dateTime"}]}),
        ),
        [observation(valueQuantity=quantity(1, "mg"), subject={"reference": "Group/1"})],
        [
            (observation(valueString="x", subject={"reference": "Group/1"}), "Observation.value"),
            (observation(), "Observation.subject"),
            (
                observation(
                    subject={"reference": "Group/1"}, effectiveDateTime=None, effectiveInstant="2024-01-01T10:00:00Z"
                ),
                "Observation.effective",
            ),
        ],
    ),
    Case(
        profile(
            "limits",
            "Observation",
            (
                "Observation.value[x]",
                {
                    "type": [{"code": "integer"}, {"code": "string"}],
                    "minValueInteger": 1,
                    "maxValueInteger": 9,
                    "maxLength": 5,
                },
            ),
        ),
        [observation(valueInteger=1), observation(valueInteger=9), observation(valueString="12345")],
        [
            (observation(valueInteger=0), "Observation.value"),
            (observation(valueInteger=10), "Observation.value"),
            (observation(valueString="123456"), "Observation.value"),
        ],
    ),
]


def clean(resource):
    return {name: value for name, value in resource.items() if value is not None}


class Profiles(ValidationTest):
    """Each profile with its differential, as its author writes it."""

    def supplied(self, case):
        return [case.made, *case.also]

    def check(self, case):
        profiles = [self.write(f"{made['id']}.profile.json", made) for made in self.supplied(case)]
        for resource in case.right:
            self.right(clean(resource), profiles=profiles)
        for resource, place in case.wrong:
            self.assertEqual(self.outcome(clean(resource)).errors, [], "wrong without the profile as well")
            self.wrong(clean(resource), place, profiles=profiles)

    def test_a_profile_of_another_type_is_said(self):
        made = self.write("named.json", profile("named", "Patient", ("Patient.name", {"min": 1})))
        answer = run(self.write("o.json", observation()), profiles=[made])
        self.assertIn(answer.status, (0, 1))

    def test_a_warning_of_a_profile_is_no_error(self):
        made = profile(
            "warned",
            "Observation",
            (
                "Observation",
                {
                    "constraint": [
                        {
                            "key": "own-2",
                            "severity": "warning",
                            "human": "a note would help",
                            "expression": "note.exists()",
                        }
                    ]
                },
            ),
        )
        found = self.right(observation(), profiles=[self.write("p.json", made)])
        self.assertTrue(
            any("own-2" in json.dumps(issue) or "a note would help" in json.dumps(issue) for issue in found.issues),
            str(found),
        )

    def test_a_profile_on_a_profile_adds_to_it(self):
        first = self.write("a.json", profile("first", "Observation", ("Observation.note", {"min": 1})))
        second = self.write(
            "b.json", profile("second", "Observation", ("Observation.method", {"min": 1}), base=ADDRESS + "first")
        )
        right = observation(note=[{"text": "x"}], method={"text": "y"})
        self.right(right, profiles=[second, first])
        for name in ("note", "method"):
            self.wrong(
                {key: value for key, value in right.items() if key != name},
                f"Observation.{name}",
                profiles=[second, first],
            )

    def test_a_claimed_profile_that_is_supplied_holds_within_a_bundle(self):
        made = self.write("a.json", profile("noted", "Observation", ("Observation.note", {"min": 1})))
        claimed = observation(meta={"profile": [ADDRESS + "noted"]})
        whole = {
            "resourceType": "Bundle",
            "type": "collection",
            "entry": [{"resource": observation(id="o2")}, {"resource": claimed}],
        }
        found = self.outcome(whole, profiles=[made])
        self.assertTrue(any(points_at(place, "Bundle.entry[1].resource.note") for place in found.places), str(found))
        self.assertFalse(any(points_at(place, "Bundle.entry[0].resource.note") for place in found.places), str(found))

    def test_a_profile_in_a_stream(self):
        made = self.write("a.json", profile("noted", "Observation", ("Observation.note", {"min": 1})))
        lines = [observation(note=[{"text": "x"}]), observation(), observation(note=[{"text": "x"}])]
        found = self.outcome("\n".join(map(json.dumps, lines)), name="a.ndjson", profiles=[made])
        self.assertEqual(set(found.lines), {2}, str(found))


def _add(case_class, case, suffix=""):
    def test(self):
        self.check(case)

    test.__name__ = f"test_{case.made['id'].replace('-', '_')}{suffix}"
    setattr(case_class, test.__name__, test)


for each in CASES:
    _add(Profiles, each)


@needs_conformance("fhir-r4.tar.xz")
class ProfilesWithSnapshot(Profiles):
    """The same with a snapshot, made here from HL7's definitions."""

    kept = {}

    @classmethod
    def named(cls, name):
        if name not in cls.kept:
            cls.kept[name] = structure(CONFORMANCE / "fhir-r4.tar.xz", name)
        return cls.kept[name]

    def supplied(self, case):
        return [with_snapshot(made, self.named(made["type"]), self.named) for made in super().supplied(case)]


VITAL = [{"coding": [{"system": CATEGORY, "code": "vital-signs"}]}]

# HL7's profiles of vital signs: name -> (LOINC code, unit), http://hl7.org/fhir/R4/observation-vitalsigns.html
SIGNS = {
    "heartrate": ("8867-4", "/min"),
    "resprate": ("9279-1", "/min"),
    "oxygensat": ("2708-6", "%"),
    "bodytemp": ("8310-5", "Cel"),
    "bodyheight": ("8302-2", "cm"),
    "headcircum": ("9843-4", "cm"),
    "bodyweight": ("29463-7", "kg"),
    "bmi": ("39156-5", "kg/m2"),
}


@needs_conformance("fhir-r4.tar.xz")
class VitalSigns(ValidationTest):
    """HL7's own profiles, with the snapshot that HL7 gives."""

    def hl7(self, name):
        return [self.write(f"{name}.profile.json", structure(CONFORMANCE / "fhir-r4.tar.xz", name))]

    def broken(self, right, **changes):
        out = copy.deepcopy(right)
        for path, value in changes.items():
            at, *steps = path.split("__")
            holder, key = out, at
            for step in steps:
                holder, key = holder[key], int(step) if step.isdigit() else step
            if value is None:
                del holder[key]
            else:
                holder[key] = value
        return out

    def test_each_simple_sign(self):
        for name, (code, unit) in SIGNS.items():
            profiles = self.hl7(name)
            right = observation(code, category=VITAL, valueQuantity=quantity(20, unit))
            with self.subTest(name):
                self.right(right, profiles=profiles)
                if name != "bmi":  # It asks for the value in any case.
                    absent = {"dataAbsentReason": {"text": "x"}}
                    self.right(self.broken(right, valueQuantity=None) | absent, profiles=profiles)
            for changes, place in [
                ({"category": None}, "Observation.category"),
                ({"category__0__coding__0__code": "laboratory"}, "Observation.category"),
                ({"subject": None}, "Observation.subject"),
                ({"subject": {"reference": "Device/1"}}, "Observation.subject"),
                ({"effectiveDateTime": None}, "Observation.effective"),
                ({"effectiveDateTime": "2024"}, "Observation.effective"),
                ({"code": concept("1234-5")}, "Observation.code"),
                ({"valueQuantity": None}, "Observation.value"),
                ({"valueQuantity__code": "furlong"}, "Observation.value.code"),
                ({"valueQuantity__system": "http://example.org/units"}, "Observation.value.system"),
                ({"valueQuantity__unit": None}, "Observation.value.unit"),
                ({"valueQuantity__value": None}, "Observation.value.value"),
                ({"valueQuantity__system": None, "valueQuantity__code": None}, "Observation.value"),
                ({"valueQuantity": None, "valueString": "x"}, "Observation.value"),
            ]:
                with self.subTest(f"{name} {changes}"):
                    resource = self.broken(right, **{key: value for key, value in changes.items() if value is None})
                    for key, value in changes.items():
                        if value is not None and "__" not in key:
                            resource[key] = value
                        elif value is not None:
                            resource = self.broken(resource, **{key: value})
                    self.wrong(resource, place, profiles=profiles)

    def test_blood_pressure(self):
        profiles = self.hl7("bp")
        right = observation(category=VITAL, component=[SYSTOLIC, DIASTOLIC])
        self.right(right, profiles=profiles)
        absent = {"dataAbsentReason": {"text": "x"}}
        self.right(self.broken(right, component=[SYSTOLIC, component("8462-4", **absent)]), profiles=profiles)
        for name, resource, place in [
            ("no diastolic", self.broken(right, component=[SYSTOLIC]), "Observation.component"),
            ("two systolic", self.broken(right, component=[SYSTOLIC, SYSTOLIC, DIASTOLIC]), "Observation.component"),
            ("no component", self.broken(right, component=None), "Observation.component"),
            (
                "unit",
                self.broken(right, component__1__valueQuantity__code="kPa"),
                "Observation.component[1].value.code",
            ),
            (
                "no unit",
                self.broken(right, component__0__valueQuantity__unit=None),
                "Observation.component[0].value.unit",
            ),
            (
                "system",
                self.broken(right, component__0__valueQuantity__system="http://example.org"),
                "Observation.component[0].value.system",
            ),
            (
                "string",
                self.broken(right, component=[component("8480-6", valueString="x"), DIASTOLIC]),
                "Observation.component[0].value",
            ),
            (
                "no value and no reason",
                self.broken(right, component=[SYSTOLIC, component("8462-4")]),
                "Observation.component[1]",
            ),
            ("code", observation("8867-4", category=VITAL, component=[SYSTOLIC, DIASTOLIC]), "Observation.code"),
            ("no time", self.broken(right, effectiveDateTime=None), "Observation.effective"),
        ]:
            with self.subTest(name):
                self.wrong(resource, place, profiles=profiles)

    def test_the_panel_and_the_general_profile(self):
        general, panels = self.hl7("vitalsigns"), self.hl7("vitalspanel")
        self.right(observation("8716-3", category=VITAL, valueQuantity=quantity(1, "mg")), profiles=general)
        self.wrong(
            observation("8716-3", category=VITAL, effectiveDateTime="2024-05"),
            "Observation.effective",
            profiles=general,
        )
        self.wrong(observation("8716-3", category=VITAL), "Observation", profiles=general)
        panel = observation("85353-1", category=VITAL, hasMember=[{"reference": "Observation/1"}])
        self.right(panel, profiles=panels)
        self.wrong(self.broken(panel, hasMember=None), "Observation.hasMember", profiles=panels)
        self.wrong(panel | {"valueQuantity": quantity(1, "mg")}, "Observation.value", profiles=panels)

    def test_a_claimed_profile_of_hl7_holds_without_being_supplied(self):
        right = observation(
            "8867-4", category=VITAL, valueQuantity=quantity(61, "/min"), meta={"profile": [STRUCTURE + "vitalsigns"]}
        )
        self.right(right)
        self.wrong(self.broken(right, effectiveDateTime=None), "Observation.effective")


class Contradictions(ValidationTest):
    """A profile that cannot hold is named with its place; nothing hangs and nothing crashes."""

    SECONDS = 120

    def refused(self, profiles, *words, resource=None):
        files = [self.write(f"{number}.profile.json", made) for number, made in enumerate(profiles)]
        resource = resource or observation(valueQuantity=quantity(1, "mg"), component=[SYSTOLIC], note=[{"text": "x"}])
        answer = run(self.write("resource.json", resource), profiles=files, timeout=self.SECONDS)
        self.assertEqual(answer.status, 1, str(answer))
        self.assertLess(answer.peak, 700 << 20)
        said = answer.text + answer.errors
        for word in words:
            self.assertIn(word, said, said[:2000])

    def test_min_above_max(self):
        self.refused([profile("a", "Observation", ("Observation.note", {"min": 2, "max": "1"}))], "Observation.note")

    def test_a_profile_does_not_loosen_its_base(self):
        for change in ({"min": 0}, {"max": "2"}):
            made = self.write("loose.json", profile("a", "Observation", ("Observation.status", change)))
            resource = observation()
            del resource["status"]
            self.wrong(resource, "Observation.status", profiles=[made])
            self.wrong(observation(status=["final", "final"]), "Observation.status", profiles=[made])

    def test_fixed_and_pattern_disagree(self):
        self.refused(
            [
                profile(
                    "a",
                    "Observation",
                    (
                        "Observation.code",
                        {"fixedCodeableConcept": concept("85354-9"), "patternCodeableConcept": concept("8480-6")},
                    ),
                )
            ],
            "Observation.code",
        )

    def test_a_fixed_value_of_another_type(self):
        self.refused([profile("a", "Observation", ("Observation.status", {"fixedInteger": 1}))], "Observation.status")

    def test_slicing_without_discriminator(self):
        self.refused(
            [
                profile(
                    "a",
                    "Observation",
                    ("Observation.component", {"slicing": {"rules": "closed"}}),
                    ("Observation.component:x", {"min": 1}),
                )
            ],
            "Observation.component",
        )

    def test_slices_of_what_is_not_sliced(self):
        self.refused([profile("a", "Observation", ("Observation.component:x", {"min": 1}))], "Observation.component")

    def test_slices_that_need_more_than_the_whole_may_have(self):
        self.refused(
            [
                profile(
                    "a",
                    "Observation",
                    ("Observation.component", {**slicing("code.coding.code"), "max": "1"}),
                    ("Observation.component:x", {"min": 1}),
                    ("Observation.component:x.code.coding.code", {"fixedCode": "x"}),
                    ("Observation.component:y", {"min": 1}),
                    ("Observation.component:y.code.coding.code", {"fixedCode": "y"}),
                )
            ],
            "Observation.component",
        )

    def test_profiles_that_derive_from_each_other(self):
        self.refused(
            [profile("a", "Observation", base=ADDRESS + "b"), profile("b", "Observation", base=ADDRESS + "a")], ADDRESS
        )
        self.refused([profile("a", "Observation", base=ADDRESS + "a")], ADDRESS + "a")

    def test_a_base_that_is_not_there(self):
        self.refused([profile("a", "Observation", base=ADDRESS + "nowhere")], "nowhere")

    def test_an_element_that_is_not_there(self):
        self.refused([profile("a", "Observation", ("Observation.colour", {"min": 1}))], "Observation.colour")
        self.refused([profile("a", "Observation", ("Patient.name", {"min": 1}))], "Patient.name")

    def test_a_type_that_the_base_does_not_allow(self):
        self.refused(
            [profile("a", "Observation", ("Observation.value[x]", {"type": [{"code": "Money"}]}))], "Observation.value"
        )

    def test_a_constraint_that_is_no_expression(self):
        for expression in ("note.exists(", "", "note.noSuchFunction()", "'", "(" * 50_000, "1 + " * 50_000 + "1"):
            with self.subTest(expression[:20]):
                self.refused(
                    [
                        profile(
                            "a",
                            "Observation",
                            (
                                "Observation",
                                {
                                    "constraint": [
                                        {"key": "own-1", "severity": "error", "human": "x", "expression": expression}
                                    ]
                                },
                            ),
                        )
                    ],
                    "own-1",
                )

    def test_a_constraint_that_never_ends(self):
        for expression in (
            "repeat($this).exists().not()",
            "descendants().descendants().descendants().descendants().count() < 0",
            "repeat(%resource | %resource.descendants()).count() < 0",
            "(1|2|3|4|5|6|7|8|9).repeat($this + 1).count() < 0",
            "'a'.matches('(a+)+$').not() and '" + "a" * 40 + "!'.matches('(a+)+$')",
        ):
            with self.subTest(expression[:40]):
                self.refused(
                    [
                        profile(
                            "a",
                            "Observation",
                            (
                                "Observation",
                                {
                                    "constraint": [
                                        {"key": "own-1", "severity": "error", "human": "x", "expression": expression}
                                    ]
                                },
                            ),
                        )
                    ],
                    "own-1",
                )

    def test_profiles_that_need_each_other_without_end(self):
        circle = profile(
            "a",
            "Observation",
            ("Observation.contained", {"type": [{"code": "Observation", "profile": [ADDRESS + "a"]}]}),
            ("Observation.note", {"min": 1}),
        )
        self.refused(
            [circle],
            "note",
            resource=observation(
                note=[{"text": "x"}], contained=[observation(id="c1")], hasMember=[{"reference": "#c1"}]
            ),
        )

    def test_what_is_no_profile(self):
        for content in (
            "",
            "{",
            "[]",
            "{}",
            json.dumps(observation()),
            "\0",
            "[" * 100_000,
            json.dumps({"resourceType": "StructureDefinition"}),
            json.dumps({**profile("a", "Observation"), "differential": {"element": [{"path": 1}, 2, None]}}),
            json.dumps({**profile("a", "Observation"), "type": "Nothing", "baseDefinition": STRUCTURE + "Nothing"}),
        ):
            with self.subTest(content[:40]):
                file = self.write("a.profile.json", content)
                answer = run(self.write("o.json", observation()), profiles=[file], timeout=self.SECONDS)
                self.assertGreater(answer.status, 0, str(answer))
                self.assertIn("a.profile.json", answer.text + answer.errors)

    def test_a_profile_that_is_not_there(self):
        answer = run(self.write("o.json", observation()), profiles=[self.folder / "nothing-here.json"])
        self.assertGreater(answer.status, 0, str(answer))
        self.assertIn("nothing-here.json", answer.text + answer.errors)


if __name__ == "__main__":
    unittest.main()
