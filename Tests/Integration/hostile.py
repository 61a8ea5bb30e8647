"""Messages that are small to send and used to be dear to handle."""

import json

from forms import new_id


def long_older_response(person, questions=20_000):
    """A DSTU2 response of very many questions."""
    return {"resourceType": "QuestionnaireResponse", "status": "completed", "subject": {"reference": "Patient/" + person},
            "questionnaire": {"reference": "Questionnaire/visit-form"},
            "group": {"question": [{"linkId": f"q{number}", "answer": [{"valueInteger": number}]} for number in range(questions)]}}


def long_response(person, items=20_000):
    """A response of very many items that its form does not ask."""
    return {"resourceType": "QuestionnaireResponse", "status": "completed", "id": new_id(),
            "subject": {"reference": "Patient/" + person}, "questionnaire": "https://example.org/forms/visit|1.0",
            "item": [{"linkId": f"made-up-{number}", "answer": [{"valueString": f"text {number}"}]} for number in range(items)]}


def wide(person, members=60_000):
    """A resource with very many members."""
    value = {"resourceType": "Observation", "status": "final", "code": {"text": "x"}, "subject": {"reference": "Patient/" + person}}
    value.update({f"m{number}": number for number in range(members)})
    return value


def deep(person, levels=400):
    """Items within items."""
    item = {"linkId": "leaf"}
    for level in range(levels):
        item = {"linkId": f"level-{level}", "item": [item]}
    return {"resourceType": "QuestionnaireResponse", "status": "completed", "subject": {"reference": "Patient/" + person},
            "item": [item]}


def many_codings(person, codings=60_000):
    """A code of very many codings, each of which search would find."""
    coding = [{"system": "http://example.org/s", "code": f"c{number}"} for number in range(codings)]
    return {"resourceType": "Observation", "status": "final", "code": {"coding": coding}, "valueInteger": 1,
            "subject": {"reference": "Patient/" + person}}


def all_kinds(person):
    """Each kind by its name, as bytes and the FHIR version that its envelope tells."""
    return {
        "long older response": (json.dumps(long_older_response(person)).encode(), "1.0.2"),
        "long response": (json.dumps(long_response(person)).encode(), None),
        "wide": (json.dumps(wide(person)).encode(), None),
        "deep": (json.dumps(deep(person)).encode(), None),
        "many codings": (json.dumps(many_codings(person)).encode(), None),
    }
