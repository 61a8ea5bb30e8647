"""`fhir validate` names no error where there is none: what R4 allows, though it is seldom seen."""

import unittest

from r4_places import STRUCTURE, UCUM
from test_validation import RIGHT, without
from validation import ValidationTest

NARRATIVE = '<div xmlns="http://www.w3.org/1999/xhtml">{}</div>'
EXTENSION = {"url": "http://example.org/extension", "valueString": "x"}
ABSENT = {"extension": [{"url": STRUCTURE + "data-absent-reason", "valueCode": "unknown"}]}
UUID = "urn:uuid:c757873d-ec9a-4326-a141-556f4323952{}"


def patient(**members):
    return {"resourceType": "Patient", **members}


def parameter(**value):
    return {"resourceType": "Parameters", "parameter": [{"name": "a", **value}]}


def questionnaire(*items, **members):
    return {"resourceType": "Questionnaire", "status": "draft", "item": list(items), **members}


def bundle(type_, *entries, **members):
    return {"resourceType": "Bundle", "type": type_, "entry": list(entries), **members}


def page(html):
    return patient(text={"status": "generated", "div": NARRATIVE.format(html)})


RESOURCES = {
    "the smallest resources": [
        patient(),
        {"resourceType": "Basic", "code": {"text": "x"}},
        {"resourceType": "Parameters"},
        {"resourceType": "Bundle", "type": "collection"},
        {"resourceType": "Binary", "contentType": "text/plain"},
        {"resourceType": "Observation", "status": "unknown", "code": {"text": "x"}},
    ],
    "primitives with extensions and without values": [
        patient(_birthDate=ABSENT),
        patient(_gender=ABSENT, active=False),
        patient(_active={"extension": [EXTENSION]}),
        patient(
            birthDate="1970-01-01",
            _birthDate={
                "id": "b",
                "extension": [{"url": STRUCTURE + "patient-birthTime", "valueDateTime": "1970-01-01T10:00:00Z"}],
            },
        ),
        patient(name=[{"given": ["a", None, "c"], "_given": [None, ABSENT, None]}]),
        patient(name=[{"given": ["a", "b"], "_given": [{"id": "g1"}, None]}]),
        patient(name=[{"_given": [ABSENT, ABSENT]}]),
        patient(name=[{"_family": ABSENT}]),
        {"resourceType": "Observation", "_status": ABSENT, "code": {"text": "x"}},
        dict(without("valueQuantity"), _valueString=ABSENT),
        dict(without("valueQuantity"), _valueDateTime=ABSENT),
        {"resourceType": "Observation", "status": "final", "code": ABSENT},
        patient(contact=[{"name": ABSENT}]),
    ],
    "dates and times": [
        *(
            patient(birthDate=date)
            for date in ("1970", "1970-01", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31")
        ),
        *(
            dict(RIGHT, effectiveDateTime=time)
            for time in (
                "2024",
                "2024-05",
                "2024-05-01",
                "2024-05-01T23:59:59Z",
                "2024-05-01T00:00:00.123456789+14:00",
                "2024-05-01T00:00:00-00:00",
                "2024-12-31T23:59:60Z",
                "2024-05-01T10:00:00-12:00",
                "2024-05-01T10:00:00.0Z",
            )
        ),
        dict(RIGHT, issued="2024-05-01T10:00:00.000Z"),
        parameter(valueTime="00:00:00"),
        parameter(valueTime="23:59:59.999"),
        {**without("effectiveDateTime"), "effectivePeriod": {"start": "2024-05", "end": "2024-05-01"}},
        {
            **without("effectiveDateTime"),
            "effectivePeriod": {"start": "2024-05-01T12:00:00+02:00", "end": "2024-05-01T10:30:00Z"},
        },
        {**without("effectiveDateTime"), "effectivePeriod": {"end": "2024-05-01"}},
        {
            "resourceType": "MedicationDispense",
            "status": "completed",
            "medicationCodeableConcept": {"text": "x"},
            "whenPrepared": "2024-05-01T10:00:00Z",
            "whenHandedOver": "2024-05-01",
        },
        {
            "resourceType": "Task",
            "status": "draft",
            "intent": "order",
            "authoredOn": "2024-05-01T10:00:00Z",
            "lastModified": "2024-05",
        },
        {**without("effectiveDateTime"), "effectivePeriod": {"start": "2024-05-01", "end": "2024-05-01"}},
    ],
    "other primitives": [
        patient(id="a"),
        patient(id="A-b.c" + "9" * 59),
        patient(id="." * 64),
        patient(multipleBirthInteger=-2147483648),
        patient(multipleBirthInteger=0),
        patient(multipleBirthInteger=2147483647),
        parameter(valuePositiveInt=1),
        parameter(valueUnsignedInt=0),
        parameter(valueOid="urn:oid:2.16.840.1.113883"),
        parameter(valueOid="urn:oid:0.0"),
        parameter(valueUuid=UUID.format(0)),
        parameter(valueUri="urn:x:y"),
        parameter(valueUri="../relative?a=b#c"),
        parameter(valueUri="http://example.org/ä?b=%20"),
        parameter(valueUrl="ldap://example.org"),
        parameter(valueCanonical="http://example.org/Q|1.0#part"),
        parameter(valueCode="two words"),
        parameter(valueCode="ä"),
        parameter(valueBase64Binary="AAAA"),
        parameter(valueBase64Binary="AAA="),
        parameter(valueBase64Binary="AA== "),
        parameter(valueBase64Binary="AAAA\nAAAA\r\n  AAAA"),
        parameter(valueMarkdown="# a\n\n* b\n\tc"),
        parameter(valueString=" x "),
        parameter(valueString="😀 \u00a0"),
        parameter(valueString="x" * 1_000_000),
        parameter(valueId="x.y-1"),
        parameter(valueBoolean=False),
        *(parameter(valueDecimal=number) for number in (0, -0.0, 1e-7, 1.5e10, -123.456, 12345678901234567)),
        patient(language="de-CH"),
        patient(language="zh-Hant-TW"),
        patient(implicitRules="http://example.org/rules"),
    ],
    "extensions": [
        patient(extension=[EXTENSION]),
        patient(
            extension=[
                {
                    "url": "http://example.org/x",
                    "extension": [
                        {"url": "a", "valueString": "x"},
                        {"url": "b", "extension": [{"url": "c", "valueCode": "y"}]},
                    ],
                }
            ]
        ),
        patient(
            extension=[
                {"url": "urn:oid:1.2.3", "valueDosage": {"text": "x"}},
                {"url": "urn:x:y", "valueMeta": {"tag": [{"code": "x"}]}},
            ]
        ),
        patient(extension=[{"url": "http://example.org/x", "_valueString": ABSENT}]),
        patient(
            extension=[{"url": "http://example.org/x", "valueReference": {"reference": "#b"}}],
            contained=[{"resourceType": "Basic", "id": "b", "code": {"text": "x"}}],
        ),
        patient(
            name=[{"extension": [EXTENSION], "family": "x"}],
            contact=[
                {"modifierExtension": [EXTENSION], "gender": "other", "telecom": [{"system": "phone", "value": "1"}]}
            ],
        ),
        dict(RIGHT, modifierExtension=[EXTENSION]),
        patient(name=[{"extension": [EXTENSION]}]),
        patient(
            extension=[
                {
                    "url": STRUCTURE + "patient-nationality",
                    "extension": [{"url": "code", "valueCodeableConcept": {"text": "x"}}],
                }
            ]
        ),
        patient(extension=[{"url": STRUCTURE + "patient-religion", "valueCodeableConcept": {"text": x}} for x in "ab"]),
    ],
    "references": [
        *(
            dict(RIGHT, subject=value)
            for value in (
                {"reference": "Patient/1"},
                {"reference": "Patient/1/_history/2"},
                {"reference": "http://example.org/fhir/Patient/1"},
                {"reference": "http://example.org/anything"},
                {"reference": UUID.format(0)},
                {"reference": "urn:oid:1.2.3"},
                {"reference": "Patient?identifier=x|y"},
                {"display": "x"},
                {"type": "Patient", "identifier": {"value": "1"}},
                {"type": "Patient", "reference": "Patient/1"},
                {"type": "http://example.org/Logical", "display": "x"},
                ABSENT,
            )
        ),
        dict(RIGHT, subject={"reference": "#p"}, contained=[patient(id="p")]),
        dict(
            RIGHT,
            hasMember=[{"reference": "#o"}],
            contained=[
                {
                    "resourceType": "Observation",
                    "id": "o",
                    "status": "final",
                    "code": {"text": "x"},
                    "derivedFrom": [{"reference": "#"}],
                }
            ],
        ),
        dict(RIGHT, contained=[dict(RIGHT, id="up", partOf=None, derivedFrom=[{"reference": "#"}])]),
        dict(
            RIGHT,
            performer=[{"reference": "#r"}],
            contained=[
                {"resourceType": "PractitionerRole", "id": "r", "practitioner": {"reference": "#d"}},
                {"resourceType": "Practitioner", "id": "d"},
            ],
        ),
    ],
    "narrative": [
        page("x"),
        page('<img src="a.png" alt="x"/>'),
        page("<p>a<br/>b&#160;c&#xe9;&amp;&lt;&gt;&quot;&apos;</p>"),
        page("<!-- x -->y"),
        page(
            '<table class="grid" border="1"><thead><tr><th colspan="2">a</th></tr></thead><tbody><tr><td>b</td><td/></tr></tbody></table>'
        ),
        page(
            '<a href="#x" name="y">z</a><ul style="color: red"><li id="i">x</li></ul><h1 lang="en">y</h1><pre>a\n  b</pre>'
        ),
        page(
            "<b><i><u><tt><sub>a</sub><sup>b</sup><code>c</code><cite>d</cite><em>e</em></tt></u></i></b><hr/><dl><dt>a</dt><dd>b</dd></dl>"
        ),
        patient(text={"status": "empty", "div": NARRATIVE.format("x")}),
        patient(
            text={
                "status": "generated",
                "div": '<div xmlns="http://www.w3.org/1999/xhtml" lang="de" xml:lang="de">x</div>',
            }
        ),
        patient(text={"status": "generated", "div": "\n <div xmlns='http://www.w3.org/1999/xhtml'>x</div>\n"}),
    ],
    "quantities and timings": [
        *(
            dict(RIGHT, valueQuantity=value)
            for value in (
                {"value": 1},
                {"unit": "x"},
                {"value": 1, "unit": "cells", "system": UCUM, "code": "{cells}/uL"},
                {"comparator": "<", "value": 1},
                {"value": 1, "system": "http://example.org/units", "code": "furlong"},
                ABSENT,
            )
        ),
        {**without("valueQuantity"), "valueRange": {"low": {"value": 1}}},
        {
            **without("valueQuantity"),
            "valueRange": {
                "low": {"value": 5, "system": UCUM, "code": "mg"},
                "high": {"value": 1, "system": UCUM, "code": "cm"},
            },
        },
        {
            **without("valueQuantity"),
            "valueRange": {"low": {"value": 5, "unit": "drops"}, "high": {"value": 1, "unit": "spoons"}},
        },
        {
            **without("valueQuantity"),
            "valueRange": {
                "low": {"value": 5, "system": UCUM, "code": "mg"},
                "high": {"value": 1, "system": UCUM, "code": "g"},
            },
        },
        {**without("valueQuantity"), "valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 2}}},
        {**without("valueQuantity"), "valueRatio": ABSENT},
        {
            **without("valueQuantity"),
            "valueSampledData": {"origin": {"value": 0}, "period": 10, "dimensions": 1, "data": "1 E U L 2.5"},
        },
        {**without("valueQuantity"), "dataAbsentReason": {"text": "x"}},
        {
            **without("valueQuantity"),
            "valueQuantity": {"value": 1},
            "component": [
                {"code": {"text": "x"}, "dataAbsentReason": {"text": "y"}},
                {"code": {"text": "x"}, "valueBoolean": False},
            ],
        },
        {
            **without("effectiveDateTime"),
            "effectiveTiming": {
                "event": ["2024-05-01"],
                "repeat": {
                    "frequency": 1,
                    "period": 1,
                    "periodMax": 2,
                    "periodUnit": "d",
                    "timeOfDay": ["10:00:00"],
                    "dayOfWeek": ["mon"],
                },
            },
        },
        {
            **without("effectiveDateTime"),
            "effectiveTiming": {
                "repeat": {
                    "when": ["PCM"],
                    "offset": 30,
                    "boundsDuration": {"value": 3, "unit": "days", "system": UCUM, "code": "d"},
                }
            },
        },
        {
            **without("effectiveDateTime"),
            "effectiveTiming": {
                "repeat": {
                    "boundsPeriod": {"start": "2024"},
                    "count": 1,
                    "countMax": 2,
                    "duration": 1,
                    "durationMax": 2,
                    "durationUnit": "h",
                }
            },
        },
    ],
    "coded values": [
        patient(
            gender="unknown",
            maritalStatus={"text": "x"},
            communication=[{"language": {"coding": [{"system": "urn:ietf:bcp:47", "code": "nl-NL"}]}}],
        ),
        {
            "resourceType": "Condition",
            "subject": {"display": "x"},
            "clinicalStatus": {
                "text": "x",
                "coding": [
                    {"system": "http://example.org", "code": "own"},
                    {
                        "system": "http://terminology.hl7.org/CodeSystem/condition-clinical",
                        "code": "active",
                        "display": "Active",
                    },
                ],
            },
        },
        {"resourceType": "Condition", "subject": {"display": "x"}},
        {
            "resourceType": "AllergyIntolerance",
            "patient": {"display": "x"},
            "category": ["food"],
            "verificationStatus": {
                "coding": [
                    {
                        "system": "http://terminology.hl7.org/CodeSystem/allergyintolerance-verification",
                        "code": "entered-in-error",
                    }
                ]
            },
        },
        dict(RIGHT, category=[{"coding": [{"system": "http://example.org", "code": "own"}]}]),
        dict(
            RIGHT,
            meta={
                "tag": [{"system": "http://example.org", "code": "x"}],
                "profile": ["http://example.org/unknown|1.0"],
                "security": [{"code": "x"}],
                "versionId": "1",
                "lastUpdated": "2024-05-01T10:00:00Z",
                "source": "urn:x#y",
            },
        ),
        {"resourceType": "Binary", "contentType": "application/fhir+json; charset=utf-8", "data": "e30="},
        {"resourceType": "Binary", "contentType": "text/plain;charset=utf-8"},
        {
            "resourceType": "Invoice",
            "status": "draft",
            "totalNet": {"value": 1.5, "currency": "EUR"},
            "totalGross": {"currency": "CHF"},
        },
        {"resourceType": "OperationOutcome", "issue": [{"severity": "fatal", "code": "not-found"}]},
    ],
    "bundles": [
        bundle(
            "history",
            {
                "fullUrl": "http://example.org/Patient/1",
                "resource": patient(id="1"),
                "request": {"method": "PUT", "url": "Patient/1"},
                "response": {"status": "200"},
            },
            {
                "fullUrl": "http://example.org/Patient/1",
                "request": {"method": "DELETE", "url": "Patient/1"},
                "response": {"status": "204"},
            },
            total=2,
        ),
        bundle(
            "searchset",
            {
                "fullUrl": "http://example.org/Patient/1",
                "resource": patient(id="1"),
                "search": {"mode": "match", "score": 0.5},
            },
            total=7,
            link=[{"relation": "self", "url": "http://example.org/Patient?x=y"}],
        ),
        bundle("searchset", {"resource": patient(id="1")}, {"resource": patient(id="2")}),
        bundle(
            "transaction",
            {
                "fullUrl": UUID.format(1),
                "resource": patient(),
                "request": {"method": "POST", "url": "Patient", "ifNoneExist": "x=y"},
            },
            {
                "resource": dict(without("id"), subject={"reference": UUID.format(1)}),
                "request": {"method": "POST", "url": "Observation"},
            },
            {"request": {"method": "DELETE", "url": "Patient/2"}},
        ),
        bundle(
            "transaction-response",
            {"response": {"status": "201 Created", "location": "Patient/1/_history/1", "etag": 'W/"1"'}},
        ),
        bundle("batch", {"request": {"method": "GET", "url": "/Patient/1"}}),
        bundle(
            "document",
            {
                "fullUrl": UUID.format(1),
                "resource": {
                    "resourceType": "Composition",
                    "status": "final",
                    "type": {"text": "x"},
                    "date": "2024",
                    "author": [{"display": "x"}],
                    "title": "x",
                },
            },
            identifier={"system": "urn:ietf:rfc:3986", "value": UUID.format(0)},
            timestamp="2024-05-01T10:00:00Z",
        ),
        bundle(
            "message",
            {
                "fullUrl": UUID.format(1),
                "resource": {
                    "resourceType": "MessageHeader",
                    "eventUri": "http://example.org/event",
                    "source": {"endpoint": "http://example.org"},
                },
            },
        ),
        bundle(
            "collection",
            {"fullUrl": UUID.format(1), "resource": patient(id="1")},
            {"fullUrl": UUID.format(2), "resource": patient(id="1")},
        ),
        bundle(
            "collection",
            {"fullUrl": "http://example.org/Patient/1", "resource": patient(id="1", meta={"versionId": "1"})},
            {"fullUrl": "http://example.org/Patient/1", "resource": patient(id="1", meta={"versionId": "2"})},
        ),
        bundle("collection", {"resource": bundle("collection", {"resource": patient()})}),
        bundle(
            "collection",
            {"resource": dict(RIGHT, contained=[patient(id="p")], subject={"reference": "#p"})},
            {"resource": dict(RIGHT, id="o2", contained=[patient(id="p")], subject={"reference": "#p"})},
        ),
    ],
    "forms": [
        questionnaire({"linkId": "1", "type": "group", "item": [{"linkId": "1.1", "type": "display", "text": "x"}]}),
        questionnaire(
            {"linkId": "1", "type": "choice", "answerOption": [{"valueCoding": {"code": "x"}, "initialSelected": True}]}
        ),
        questionnaire(
            {"linkId": "1", "type": "choice", "answerValueSet": "#v"},
            contained=[{"resourceType": "ValueSet", "id": "v", "status": "draft"}],
        ),
        questionnaire(
            {"linkId": "1", "type": "boolean"},
            {
                "linkId": "2",
                "type": "string",
                "maxLength": 9,
                "initial": [{"valueString": "x"}],
                "enableWhen": [{"question": "1", "operator": "exists", "answerBoolean": True}],
            },
        ),
        questionnaire(
            {
                "linkId": "1",
                "type": "integer",
                "enableBehavior": "all",
                "enableWhen": [{"question": q, "operator": "=", "answerInteger": 1} for q in "abc"],
            }
        ),
        questionnaire(
            {"linkId": "1", "type": "string", "repeats": True, "initial": [{"valueString": "x"}, {"valueString": "y"}]}
        ),
        {
            "resourceType": "QuestionnaireResponse",
            "status": "completed",
            "item": [
                {
                    "linkId": "1",
                    "answer": [{"valueString": "x", "item": [{"linkId": "1.1", "answer": [{"valueBoolean": True}]}]}],
                },
                {"linkId": "2", "item": [{"linkId": "2.1"}]},
            ],
        },
    ],
    "people, plans and lists": [
        {
            "resourceType": "CareTeam",
            "participant": [
                {"member": {"reference": "Practitioner/1"}, "onBehalfOf": {"reference": "Organization/1"}},
                {"member": {"reference": "#d"}, "onBehalfOf": {"reference": "Organization/1"}},
            ],
            "contained": [{"resourceType": "Practitioner", "id": "d"}],
        },
        {
            "resourceType": "MessageDefinition",
            "status": "draft",
            "date": "2024",
            "eventUri": "http://example.org/event",
            "focus": [{"code": "Patient", "min": 0}, {"code": "Group", "min": 0, "max": "*"}],
        },
        {
            "resourceType": "Organization",
            "name": "x",
            "telecom": [{"use": "work", "system": "url", "value": "http://example.org"}],
        },
        patient(
            contact=[{"organization": {"display": "x"}}],
            link=[{"other": {"reference": "Patient/2"}, "type": "seealso"}],
        ),
        patient(
            telecom=[{"use": "home"}, {"system": "phone"}, {"rank": 1, "system": "email", "value": "x"}],
            deceasedBoolean=False,
        ),
        {
            "resourceType": "Appointment",
            "status": "proposed",
            "participant": [{"status": "needs-action", "type": [{"text": "x"}]}],
        },
        {
            "resourceType": "List",
            "status": "current",
            "mode": "working",
            "entry": [{"item": {"display": "x"}, "date": "2024"}],
        },
        {"resourceType": "Group", "type": "person", "actual": True, "member": [{"entity": {"reference": "Patient/1"}}]},
        {
            "resourceType": "RiskAssessment",
            "status": "final",
            "subject": {"display": "x"},
            "prediction": [
                {"outcome": {"text": "x"}},
                {"probabilityDecimal": 0.5},
                {"probabilityDecimal": 100},
                {
                    "probabilityRange": {
                        "low": {"value": 1, "unit": "%", "system": UCUM, "code": "%"},
                        "high": {"value": 2, "unit": "%", "system": UCUM, "code": "%"},
                    }
                },
            ],
        },
        {
            "resourceType": "Task",
            "status": "draft",
            "intent": "order",
            "input": [{"type": {"text": "x"}, "valueAge": {"value": 3, "unit": "a", "system": UCUM, "code": "a"}}],
            "authoredOn": "2024-01-01",
            "lastModified": "2024-01-01",
        },
        {
            "resourceType": "Consent",
            "status": "active",
            "scope": {"text": "x"},
            "category": [{"text": "x"}],
            "policyRule": {"text": "x"},
            "provision": {"type": "deny", "period": {"start": "2024"}, "provision": [{"type": "permit"}]},
        },
        {
            "resourceType": "Goal",
            "lifecycleStatus": "active",
            "description": {"text": "x"},
            "subject": {"display": "x"},
            "target": [{"measure": {"text": "x"}, "detailInteger": 3}, {"dueDate": "2024"}],
        },
        {
            "resourceType": "MedicationRequest",
            "status": "active",
            "intent": "order",
            "medicationCodeableConcept": {"text": "x"},
            "subject": {"display": "x"},
            "dosageInstruction": [
                {
                    "asNeededBoolean": True,
                    "doseAndRate": [
                        {
                            "doseRange": {"low": {"value": 1}, "high": {"value": 2}},
                            "rateRatio": {"numerator": {"value": 1}, "denominator": {"value": 1}},
                        }
                    ],
                }
            ],
        },
        {
            "resourceType": "ValueSet",
            "status": "draft",
            "compose": {"include": [{"system": "http://example.org", "concept": [{"code": "a"}]}]},
        },
        {
            "resourceType": "Provenance",
            "target": [{"display": "x"}],
            "recorded": "2024-05-01T10:00:00Z",
            "agent": [{"who": {"display": "x"}}],
        },
    ],
}


def clean(value):
    """Without the members that are None at the top of a contained resource (a way to drop them)."""
    if isinstance(value, dict) and "contained" in value:
        inner = [{k: v for k, v in each.items() if v is not None} for each in value["contained"]]
        return {**value, "contained": inner}
    return value


class RightThings(ValidationTest):
    pass


def _add(title, resources):
    def test(self):
        files = [self.write(f"{number}.json", clean(resource)) for number, resource in enumerate(resources)]
        for resource, found in zip(resources, self.validate(*files)):
            with self.subTest(str(resource)[:200]):
                self.assertEqual(found.errors, [], f"{found}\n{clean(resource)}")

    test.__name__ = "test_" + title.replace(",", "").replace(" ", "_")
    setattr(RightThings, test.__name__, test)


for each in RESOURCES.items():
    _add(*each)


if __name__ == "__main__":
    unittest.main()
