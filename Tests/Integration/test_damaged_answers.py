"""A good response, damaged in many ways: none of them makes a record or a fact, and the good one does."""

import copy
import sys

from forms import LOINC, new_id
from harness import SpineTest
from sealed import SealedClient

EXTENSION = "http://hl7.org/fhir/StructureDefinition/"
MOODS = "https://example.org/codes/mood"
UNITS = "http://unitsofmeasure.org"


def limit(name, **value):
    return {"url": EXTENSION + name, **value}


def option(code, exclusive=False):
    more = {"extension": [limit("questionnaire-optionExclusive", valueBoolean=True)]} if exclusive else {}
    return {**more, "valueCoding": {"system": MOODS, "code": code}}


FORM = {
    "resourceType": "Questionnaire", "id": "all-kinds", "url": "https://example.org/forms/all-kinds", "version": "2",
    "name": "AllKinds", "title": "All kinds of questions", "status": "active", "item": [
        {"linkId": "welcome", "type": "display", "text": "Welcome."},
        {"linkId": "body", "type": "group", "text": "Your body", "required": True, "item": [
            {"linkId": "weight", "type": "decimal", "text": "Weight", "required": True,
             "code": [{"system": LOINC, "code": "29463-7"}], "extension": [
                 limit("minValue", valueDecimal=20), limit("maxValue", valueDecimal=300),
                 limit("maxDecimalPlaces", valueInteger=1)]},
            {"linkId": "steps", "type": "integer", "text": "Steps", "extension": [
                limit("minValue", valueInteger=0), limit("maxValue", valueInteger=100000)]}]},
        {"linkId": "smoker", "type": "boolean", "text": "Do you smoke?", "required": True},
        {"linkId": "cigarettes", "type": "integer", "text": "How many?", "required": True,
         "enableWhen": [{"question": "smoker", "operator": "=", "answerBoolean": True}]},
        {"linkId": "day", "type": "date", "text": "Since which day?", "extension": [
            limit("minValue", valueDate="2020-01-01"), limit("maxValue", valueDate="2026-05-01")]},
        {"linkId": "moment", "type": "dateTime", "text": "When was it last?"},
        {"linkId": "bed", "type": "time", "text": "When do you go to bed?"},
        {"linkId": "word", "type": "string", "text": "One word", "maxLength": 8, "extension": [
            limit("minLength", valueInteger=3), limit("regex", valueString="[a-z]+")]},
        {"linkId": "page", "type": "url", "text": "A page that helped"},
        {"linkId": "mood", "type": "choice", "text": "Mood", "required": True,
         "answerOption": [option("good"), option("bad")]},
        {"linkId": "drink", "type": "open-choice", "text": "What do you drink?",
         "answerOption": [option("water"), option("tea")]},
        {"linkId": "pains", "type": "choice", "repeats": True, "text": "Where does it hurt?",
         "extension": [limit("questionnaire-maxOccurs", valueInteger=2)],
         "answerOption": [option("head"), option("back"), option("knee"), option("nowhere", exclusive=True)]},
        {"linkId": "dose", "type": "quantity", "text": "Dose", "extension": [
            limit("questionnaire-unitOption", valueCoding={"system": UNITS, "code": "mg"}),
            limit("maxValue", valueInteger=500)]},
        {"linkId": "visits", "type": "group", "repeats": True, "text": "Visits", "item": [
            {"linkId": "clinic", "type": "string", "text": "Which ward?", "required": True}]}]}


def answered(link, *values, **more):
    return {"linkId": link, "answer": list(values), **more}


def good(participant):
    return {
        "resourceType": "QuestionnaireResponse", "status": "completed",
        "questionnaire": "https://example.org/forms/all-kinds|2", "subject": {"reference": f"Patient/{participant}"},
        "authored": "2026-05-06T07:08:09+02:00", "item": [
            {"linkId": "body", "item": [answered("weight", {"valueDecimal": 71.5}), answered("steps", {"valueInteger": 900})]},
            answered("smoker", {"valueBoolean": False}),
            answered("day", {"valueDate": "2026-03-04"}),
            answered("moment", {"valueDateTime": "2026-05-05T22:00:00+02:00"}),
            answered("bed", {"valueTime": "22:30:00"}),
            answered("word", {"valueString": "quiet"}),
            answered("page", {"valueUri": "https://example.org/page"}),
            answered("mood", {"valueCoding": {"system": MOODS, "code": "good"}}),
            answered("drink", {"valueString": "juice"}),
            answered("pains", {"valueCoding": {"system": MOODS, "code": "head"}},
                     {"valueCoding": {"system": MOODS, "code": "knee"}}),
            answered("dose", {"valueQuantity": {"value": 20, "unit": "mg", "system": UNITS, "code": "mg"}}),
            {"linkId": "visits", "item": [answered("clinic", {"valueString": "north"})]},
            {"linkId": "visits", "item": [answered("clinic", {"valueString": "south"})]}]}


def find(response, link):
    """The first item of a linkId, and the list that it stands in."""
    def within(items):
        for item in items:
            if item.get("linkId") == link:
                return item, items
            found = within(item.get("item", []))
            if found:
                return found
        return None
    return within(response["item"])


def answers(link, *values):
    """Other answers to a question."""
    def change(response):
        find(response, link)[0]["answer"] = list(values)
    return change


def without(link):
    def change(response):
        item, items = find(response, link)
        items.remove(item)
    return change


def twice(link):
    def change(response):
        item, items = find(response, link)
        items.insert(items.index(item), copy.deepcopy(item))
    return change


def added(item, group=None, place=None):
    def change(response):
        items = find(response, group)[0].setdefault("item", []) if group else response["item"]
        items.insert(len(items) if place is None else place, item)
    return change


def member(name, value=None):
    """Another value of a member of the response; none takes it out."""
    def change(response):
        if value is None:
            response.pop(name)
        else:
            response[name] = value
    return change


def part(link, **members):
    def change(response):
        find(response, link)[0].update(members)
    return change


def nowhere(response):
    """A choice that rules all others out, beside another."""
    find(response, "pains")[0]["answer"][1]["valueCoding"]["code"] = "nowhere"


def inverted(response):
    """The question stands where its group should be, and the group in it."""
    body = find(response, "body")[0]
    response["item"][response["item"].index(body)] = answered(
        "weight", {"valueDecimal": 71.5, "item": [{"linkId": "body"}]})


def flattened(response):
    body = find(response, "body")[0]
    place = response["item"].index(body)
    response["item"][place:place + 1] = body["item"]


def answered_group(response):
    group = find(response, "visits")[0]
    group["answer"] = group.pop("item")[0]["answer"]


def emptied_group(response):
    find(response, "visits")[0].pop("item")


def swapped(response):
    items = response["item"]
    items[0], items[5] = items[5], items[0]


def smokes(response):
    find(response, "smoker")[0]["answer"] = [{"valueBoolean": True}]


def coding(code, system=MOODS):
    return {"valueCoding": {"system": system, "code": code}}


def quantity(value, code="mg", **more):
    return {"valueQuantity": {"value": value, "unit": code, "system": UNITS, "code": code, **more}}


OTHER = {"reference": "Patient/somebody-else"}

#: What is done to the good response, and the code that must be told for it: of the submission, else of the answers.
DAMAGES = [
    ("decimal as text", answers("weight", {"valueString": "71.5"}), "answer-type"),
    ("decimal below its least value", answers("weight", {"valueDecimal": 19.9}), "min-value"),
    ("decimal above its greatest value", answers("weight", {"valueDecimal": 300.1}), "max-value"),
    ("decimal with too many places", answers("weight", {"valueDecimal": 71.55}), "decimal-places"),
    ("decimal that is a JSON text", answers("weight", {"valueDecimal": "71.5"}), "resource-invalid"),
    ("two answers to one question", answers("weight", {"valueDecimal": 71}, {"valueDecimal": 72}), "repeats"),
    ("required decimal missing", without("weight"), "required"),
    ("required decimal without answers", part("weight", answer=[]), "resource-invalid"),
    ("answer without a value", answers("weight", {}), "resource-invalid"),
    ("answer with two values", answers("weight", {"valueDecimal": 71, "valueInteger": 71}), "resource-invalid"),
    ("integer with a fraction", answers("steps", {"valueInteger": 1.5}), "resource-invalid"),
    ("integer beyond 32 bits", answers("steps", {"valueInteger": 3_000_000_000}), "resource-invalid"),
    ("integer below its least value", answers("steps", {"valueInteger": -1}), "min-value"),
    ("integer above its greatest value", answers("steps", {"valueInteger": 100_001}), "max-value"),
    ("integer as decimal", answers("steps", {"valueDecimal": 900}), "answer-type"),
    ("boolean as text", answers("smoker", {"valueBoolean": "false"}), "resource-invalid"),
    ("boolean as integer", answers("smoker", {"valueInteger": 0}), "answer-type"),
    ("required boolean missing", without("smoker"), "required"),
    ("answered though not enabled", added(answered("cigarettes", {"valueInteger": 5}), place=2), "not-enabled"),
    ("enabled and required, and missing", smokes, "required"),
    ("date that is no date", answers("day", {"valueDate": "2026-02-30"}), "resource-invalid"),
    ("date before its least value", answers("day", {"valueDate": "2019-12-31"}), "min-value"),
    ("date after its greatest value", answers("day", {"valueDate": "2026-05-02"}), "max-value"),
    ("date as dateTime", answers("day", {"valueDateTime": "2026-03-04T10:00:00Z"}), "answer-type"),
    ("dateTime without a zone", answers("moment", {"valueDateTime": "2026-05-05T22:00:00"}), "resource-invalid"),
    ("dateTime as date", answers("moment", {"valueDate": "2026-05-05"}), "answer-type"),
    ("time of 25 o'clock", answers("bed", {"valueTime": "25:00:00"}), "resource-invalid"),
    ("time as text", answers("bed", {"valueString": "22:30:00"}), "answer-type"),
    ("text that is too long", answers("word", {"valueString": "quietness"}), "max-length"),
    ("text that is too short", answers("word", {"valueString": "so"}), "min-length"),
    ("text of another form", answers("word", {"valueString": "Quiet7"}), "regex"),
    ("text that is empty", answers("word", {"valueString": ""}), "resource-invalid"),
    ("text as boolean", answers("word", {"valueBoolean": True}), "answer-type"),
    ("url as text", answers("page", {"valueString": "https://example.org/page"}), "answer-type"),
    ("url with a space", answers("page", {"valueUri": "https://example.org/a page"}), "resource-invalid"),
    ("code that is no option", answers("mood", coding("fair")), "option"),
    ("code of another system", answers("mood", coding("good", "https://example.org/codes/other")), "option"),
    ("code as text", answers("mood", {"valueString": "good"}), "answer-type"),
    ("two choices where one is taken", answers("mood", coding("good"), coding("bad")), "repeats"),
    ("required choice missing", without("mood"), "required"),
    ("open choice with another code", answers("drink", coding("wine")), "option"),
    ("open choice as integer", answers("drink", {"valueInteger": 1}), "answer-type"),
    ("three choices where two are taken", answers("pains", coding("head"), coding("knee"), coding("back")), "max-occurs"),
    ("a choice that rules out the others", nowhere, "option-exclusive"),
    ("quantity in another unit", answers("dose", quantity(20, "g")), "unit"),
    ("quantity above its greatest value", answers("dose", quantity(501)), "max-value"),
    ("quantity as decimal", answers("dose", {"valueDecimal": 20}), "answer-type"),
    ("quantity whose value is a text", answers("dose", quantity("20")), "resource-invalid"),
    ("unknown linkId", added(answered("planted-name", {"valueInteger": 1})), "link-id-unknown"),
    ("unknown linkId in a group", added(answered("planted-name", {"valueInteger": 1}), "body"), "link-id-unknown"),
    ("no linkId", lambda response: find(response, "word")[0].pop("linkId"), "resource-invalid"),
    ("a question twice", twice("smoker"), "item-repeated"),
    ("a group twice that does not repeat", twice("body"), "repeats"),
    ("a group's question outside of it", flattened, "item-misplaced"),
    ("group and question inverted", inverted, "item-misplaced"),
    ("a question inside of another group", added(answered("word", {"valueString": "quiet"}), "visits"), "item-misplaced"),
    ("required group missing", without("body"), "required"),
    ("a group with an answer", answered_group, "group-answered"),
    ("a display with an answer", added(answered("welcome", {"valueBoolean": True}), place=0), "display-answered"),
    ("required question of a repeated group missing", emptied_group, "required"),
    ("items in another order", swapped, "item-order"),
    ("items in items that nothing asks for", part("smoker", item=[answered("steps", {"valueInteger": 1})]), "resource-invalid"),
    ("an answer's item that nothing asks for", answers("smoker", {"valueBoolean": False, "item": [
        answered("steps", {"valueInteger": 1})]}), "item-misplaced"),
    ("items that are no list", member("item", {"linkId": "smoker"}), "resource-invalid"),
    ("an unknown element", member("planted", 7), "resource-invalid"),
    ("a form that nobody published", member("questionnaire", "https://example.org/forms/other|2"), "form-unknown"),
    ("a version that nobody published", member("questionnaire", "https://example.org/forms/all-kinds|3"), "form-unknown"),
    ("another published form", member("questionnaire", "https://example.org/forms/short|1"), "link-id-unknown"),
    ("no form", member("questionnaire"), "form-unknown"),
    ("somebody else's response", member("subject", OTHER), "subject-not-permitted"),
    ("nobody's response", member("subject"), "subject-missing"),
    ("a subject that is no patient", member("subject", {"reference": "Group/1"}), "subject-missing"),
    ("a status that FHIR does not know", member("status", "done"), "resource-invalid"),
    ("no status", member("status"), "resource-invalid"),
    ("authored on no day", member("authored", "2026-13-01"), "resource-invalid"),
    ("a resource of another type", member("resourceType", "Questionnaire"), "resource-type-not-accepted"),
    ("a resource of no type", member("resourceType"), "resource-type-missing"),
]


class DamagedAnswers(SpineTest):
    @classmethod
    def prepare(cls):
        cls.study.publish(FORM)
        cls.study.publish({
            "resourceType": "Questionnaire", "id": "short", "url": "https://example.org/forms/short", "version": "1",
            "name": "Short", "status": "active", "item": [{"linkId": "only", "type": "string", "text": "One"}]})

    def rows(self):
        return tuple(self.study.number(f"SELECT count(*) FROM {table}")
                     for table in ("record", "record_version", "observation_fact", "visit_dimension"))

    def test_no_damaged_response_makes_a_record_or_a_fact_and_the_good_one_does(self):
        self.assertGreaterEqual(len(DAMAGES), 60)
        device = self.member()
        client = SealedClient(self.server, self.study, device=device)
        before = self.rows()
        sent = {}
        for name, change, code in DAMAGES:
            response = good(device.participant)
            change(response)
            self.assertNotEqual(response, good(device.participant), name)
            sent[name] = (client.send({**response, "id": new_id()}), code)
        self.study.settled()
        table, wrong = [], []
        for name, (sid, code) in sent.items():
            [(status, reason, detail)] = self.study.queue_sql(
                "SELECT status, reason_code, detail FROM submission WHERE submission_id = ?", sid)
            table.append(f"  {name:<46}{reason or '-':<28}{(detail or '')[:110]}")
            if status != "quarantined" or (code != reason and f"{code} at" not in detail and f"{code}." not in detail
                                           and f"{code}," not in detail):
                wrong.append((name, code, status, reason, detail))
            self.assertNotIn("planted", detail or "")
        print("\n" + "\n".join(table), file=sys.stderr)
        self.assertEqual(self.rows(), before, "nothing of them is stored")
        self.assertEqual(wrong, [])
        sid = client.send({**good(device.participant), "id": new_id()})
        self.assertEqual(client.outcome(sid), ("stored", None))
        after = self.rows()
        self.assertEqual((after[0] - before[0], after[1] - before[1]), (1, 1))
        self.assertGreaterEqual(after[2] - before[2], 13)
