"""`fhir validate` knows every type: the smallest resource of each, and each of its elements, is right."""

import copy
import unittest

from damage_meanings import bound, other_type
from damage_shapes import required
from harness import CONFORMANCE, needs_conformance
from minimal import Minimal
from r4_places import NUMBERS, STRINGS, points_at, walk
from validation import ValidationTest

# Constraints that a type's required elements alone do not satisfy, or that one element more breaks: type -> keys.
BROKEN = {
    "AllergyIntolerance": "ait-1",
    "Appointment": "app-1 app-2 app-4",
    "AppointmentResponse": "apr-1",
    "Bundle": "bdl-1 bdl-2 bdl-3 bdl-4 bdl-5 bdl-9 bdl-10 bdl-11 full-url",
    "CapabilityStatement": "cpb-1 cpb-2 cpb-14",
    "CodeSystem": "csd-1",
    "Composition": "cmp-1",
    "Condition": "con-4",
    "Consent": "ppc-1",
    "CoverageEligibilityResponse": "ces-1",
    "FamilyMemberHistory": "fhs-2",
    "ImmunizationRecommendation": "imr-1",
    "ImplementationGuide": "ig-1",
    "Linkage": "lnk-1",
    "List": "lst-2",
    "Measure": "mea-1",
    "MeasureReport": "mrp-2",
    "MedicationAdministration": "mad-1",
    "MessageDefinition": "md-1",
    "MolecularSequence": "msq-5 msq-6",
    "OperationDefinition": "opd-1 opd-2 opd-3",
    "Parameters": "inv-1",
    "Patient": "pat-1",
    "Questionnaire": "que-1 que-2 que-5 que-7 que-8 que-10",
    "RequestGroup": "rqg-1",
    "RiskAssessment": "ras-1",
    "SearchParameter": "spd-1 spd-2",
    "ServiceRequest": "prr-1",
    "StructureDefinition": "sdf-2 sdf-3 sdf-6 sdf-8 sdf-8a sdf-8b sdf-11 sdf-14 sdf-16 sdf-17 sdf-18",
    "StructureMap": "smp-2",
    "TerminologyCapabilities": "tcp-2 tcp-3",
    "TestReport": "inv-1 inv-2",
    "TestScript": "tst-1 tst-2 tst-7 tst-8 tst-9 tst-10",
    "ValueSet": "vsd-6 vsd-9",
}


@needs_conformance("fhir-r4.tar.xz")
class Types(ValidationTest):
    @classmethod
    def setUpClass(cls):
        minimal = Minimal(CONFORMANCE / "fhir-r4.tar.xz")
        cls.definitions, cls.made = minimal.definitions, dict(minimal.every())

    def test_every_element_of_every_type_is_known(self):
        types = {name.split(".")[0] for name in self.made}
        self.assertEqual(len(types), 146)
        self.assertGreater(len(self.made), 4_500)
        files = {name: self.write(f"{name}.json", resource) for name, resource in self.made.items()}
        wrong, broken = [], {}
        for name, found in zip(files, self.validate(*files.values(), timeout=300)):
            type_ = name.split(".")[0]
            for issue in found.errors:
                key = issue["details"]["coding"][0]["code"]
                broken.setdefault(type_, set()).add(key)
                if key not in BROKEN.get(type_, "").split():
                    wrong.append(f"{name}: {issue['expression']} {key} {issue['details']['text']}")
        self.assertEqual(wrong, [], "\n".join(wrong[:50]))
        self.assertEqual(broken, {type_: set(keys.split()) for type_, keys in BROKEN.items()})

    def test_an_element_of_every_type_is_not_known_elsewhere(self):
        files = {}
        for name, resource in self.made.items():
            if "." not in name:
                files[name] = self.write(f"{name}.json", {**resource, "elementOfNone": "x"})
        for name, found in zip(files, self.validate(*files.values())):
            self.assertIn(f"{name}.elementOfNone", found.places, str(found))

    def damaged(self, change):
        """(name, place, resource): every element once, changed where `change(spot)` gives a function."""
        seen = set()
        for name, resource in self.made.items():
            for number, spot in enumerate(walk(self.definitions, resource)):
                if spot.is_root or (spot.element.path, spot.code) in seen or not change(spot):
                    continue
                seen.add((spot.element.path, spot.code))
                broken = copy.deepcopy(resource)
                twin = next(each for at, each in enumerate(walk(self.definitions, broken)) if at == number)
                yield f"{len(seen)}-{name}.json", change(twin)(), broken

    def caught(self, change, at_least):
        files, places = [], []
        for name, place, resource in self.damaged(change):
            files.append(self.write(name, resource))
            places.append(place)
        self.assertGreaterEqual(len(files), at_least)
        wrong = []
        for start in range(0, len(files), 1000):
            found = self.validate(*files[start : start + 1000], timeout=300)
            for place, outcome in zip(places[start:], found):
                if not any(points_at(given, place) for given in outcome.places):
                    wrong.append(f"{place}: {outcome}")
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(files)}\n" + "\n".join(wrong[:50]))

    def test_every_required_element_is_asked_for(self):
        self.caught(lambda spot: spot.remove if required(spot) else None, 800)

    def test_every_required_code_is_checked(self):
        def change(spot):
            if bound(spot, "code") and isinstance(spot.value, str):
                return lambda: spot.set("no-such-code")
            if bound(spot, "CodeableConcept"):
                return lambda: spot.set({"coding": [{"system": "http://example.org", "code": "no-such-code"}]})
            return None

        self.caught(change, 300)

    def test_every_reference_goes_to_its_types_only(self):
        def change(spot):
            other = other_type(spot)
            return (lambda: spot.set({"reference": f"{other}/1"})) if other else None

        self.caught(change, 600)

    def test_no_string_is_a_number_and_no_number_a_string(self):
        def change(spot):
            if spot.code in STRINGS - {"xhtml"}:
                return lambda: spot.set(5)
            if spot.code in NUMBERS:
                return lambda: spot.set("5")
            if spot.code == "boolean":
                return lambda: spot.set("true")
            if spot.is_object and spot.kind is None:
                return lambda: spot.set("x")
            return None

        self.caught(change, 4_000)

    def test_arrays_are_where_an_element_may_repeat(self):
        def change(spot):
            if spot.kind is not None:
                return None
            return (lambda: spot.set_member(spot.value)) if spot.index == 0 else lambda: spot.set_member([spot.value])

        self.caught(change, 4_000)

    def test_no_choice_is_of_another_type(self):
        def change(spot):
            if not spot.element.choice or len(spot.element.types) > 30:
                return None
            stem = spot.element.name.removesuffix("[x]")

            def damage():
                spot.remove()
                spot.holder[stem + "Contributor"] = {"type": "author", "name": "x"}
                return spot.parent.child(stem)

            return damage

        self.caught(change, 150)


if __name__ == "__main__":
    unittest.main()
