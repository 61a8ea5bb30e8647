"""Forms, answers and resources of our own, small and with known facts."""

import copy
import uuid

LOINC = "http://loinc.org"
RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"

VISIT = {
    "resourceType": "Questionnaire", "id": "visit-form", "url": "https://example.org/forms/visit", "version": "1.0",
    "name": "Visit", "title": "Visit", "status": "active", "item": [
        {"linkId": "about", "type": "group", "text": "About you", "item": [
            {"linkId": "rate", "type": "decimal", "text": "Your pulse", "required": True,
             "code": [{"system": LOINC, "code": "8867-4", "display": "Heart rate"}]},
            {"linkId": "cups", "type": "integer", "text": "Cups of coffee"},
            {"linkId": "rested", "type": "boolean", "text": "Are you rested?"},
            {"linkId": "why", "type": "string", "text": "Why not?",
             "enableWhen": [{"question": "rested", "operator": "=", "answerBoolean": False}]}]},
        {"linkId": "medicines", "type": "choice", "repeats": True, "text": "What do you take?", "answerOption": [
            {"valueCoding": {"system": RXNORM, "code": "1484911", "display": "Medicine A"}},
            {"valueCoding": {"system": RXNORM, "code": "861007", "display": "Medicine B"}},
            {"valueCoding": {"system": RXNORM, "code": "197361", "display": "Medicine C"}}]},
        {"linkId": "day", "type": "date", "text": "Since which day?"}]}

VISIT_ANSWERS = {"rate": 71.5, "cups": 3, "rested": False, "why": "noise",
                 "medicines": ["1484911", "861007"], "day": "2026-03-04"}


def visit(**changes):
    return {**copy.deepcopy(VISIT_ANSWERS), **changes}


def new_id():
    return str(uuid.uuid4())


def observation(participant, value=61, when="2026-05-06T07:08:09+02:00", **more):
    return {"resourceType": "Observation", "status": "final",
            "code": {"coding": [{"system": LOINC, "code": "8867-4", "display": "Heart rate"}]},
            "subject": {"reference": f"Patient/{participant}"}, "effectiveDateTime": when,
            "valueQuantity": {"value": value, "unit": "/min", "system": "http://unitsofmeasure.org", "code": "/min"},
            **more}


def response(participant, **more):
    return {"resourceType": "QuestionnaireResponse", "status": "completed",
            "questionnaire": "https://example.org/forms/visit|1.0", "subject": {"reference": f"Patient/{participant}"},
            "authored": "2026-05-06T07:08:09+02:00", "item": [{"linkId": "about", "item": [
                {"linkId": "rate", "answer": [{"valueDecimal": 64}]}]}], **more}


def withdrawal(participant, contract):
    return {"resourceType": "Consent", "id": new_id(), "status": "inactive",
            "scope": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/consentscope", "code": "research"}]},
            "category": [{"coding": [{"system": LOINC, "code": "57016-8"}]}],
            "patient": {"reference": f"Patient/{participant}"}, "dateTime": "2026-05-07T00:00:00Z",
            "sourceReference": {"reference": f"Contract/{contract}"}}
