"""Answers of a Questionnaire: their types, how they compare, and the rules of one question (FHIR R4, SDC's validation page).

A number is `Digits`, the text that it is written with; an answer is `{"value[x]": value}`, as in a response.
"""

import base64
import binascii
import datetime
import json
import re
from decimal import Decimal

CORE = "http://hl7.org/fhir/StructureDefinition/"
SDC = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
UCUM = "http://unitsofmeasure.org"
# Factors to a base unit, by dimension.
UNITS = {"g": ("mass", 1), "kg": ("mass", 1000), "mg": ("mass", Decimal("0.001")),
         "m": ("length", 1), "cm": ("length", Decimal("0.01"))}
TYPES = {"boolean": ["Boolean"], "decimal": ["Decimal"], "integer": ["Integer"], "date": ["Date"], "dateTime": ["DateTime"],
         "time": ["Time"], "string": ["String"], "text": ["String"], "url": ["Uri"], "choice": ["Coding"],
         "open-choice": ["Coding", "String"], "attachment": ["Attachment"], "reference": ["Reference"],
         "quantity": ["Quantity"]}
# The types of R4's value[x] of an answer.
KNOWN = {kind for kinds in TYPES.values() for kind in kinds}


class Digits(str):
    """A JSON number as it is written."""

    @property
    def number(self):
        return Decimal(str(self))


def read(text):
    return json.loads(text, parse_float=Digits, parse_int=Digits)


def written(value):
    """JSON whose numbers keep their digits."""
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {written(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value)


def kind(answer):
    """The type of an answer; None if it is not an object with one value[x]."""
    if not isinstance(answer, dict):
        return None
    names = [name for name in answer if name.startswith("value")]
    return names[0].removeprefix("value") if len(names) == 1 and names[0].removeprefix("value") in KNOWN else None


def value(answer):
    return answer["value" + kind(answer)]


def converted(result, question):
    """The answer to a question that a value of an expression gives; one that is offered is the option."""
    type = question["type"]
    if isinstance(result, Decimal | int | float) and not isinstance(result, bool):
        result = Digits(format(Decimal(str(result)), "f"))
        if type == "integer":
            result = Digits(int(result.number))
    answer = {"value" + TYPES[type][0]: result}
    options = offered(question)
    found = next((option for option in options if equal(answer, option)), None)
    if found is None and kind(answer) == "Coding" and "system" not in result and "code" in result:
        # A code without a system is the option with this code, unless several code systems have it.
        same = [option for option in options if kind(option) == "Coding" and value(option).get("code") == result["code"]]
        found = same[0] if len(same) == 1 else None
    return answer if found is None else found


# MARK: Formats

DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$")
DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)$")


def is_date(text):
    found = DATE.match(text)
    if not found:
        return False
    try:
        datetime.date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        return False
    return True


def is_date_time(text):
    found = DATE_TIME.match(text)
    if not found:
        return is_date(text)
    return is_date(found[1]) and int(found[2]) < 24 and int(found[3]) < 60 and Decimal(found[4]) < 61


def is_well_formed(answer):
    content = value(answer)
    match kind(answer):
        case "Integer":
            return (isinstance(content, Digits) and re.fullmatch(r"-?\d+", content) is not None
                    and -2**31 <= int(content) < 2**31)
        case "Decimal":
            return isinstance(content, Digits)
        case "Boolean":
            return isinstance(content, bool)
        case "Date":
            return is_date(content)
        case "DateTime":
            return is_date_time(content)
        case "Time":
            found = re.fullmatch(r"(\d\d):(\d\d):(\d\d)(\.\d+)?", content)
            return found is not None and int(found[1]) < 24 and int(found[2]) < 60 and int(found[3]) < 60
        case "String" | "Uri":
            return isinstance(content, str) and content.strip() != ""
        case _:
            return isinstance(content, dict) and content != {}


# MARK: Comparison

def moment(text, is_local):
    """The parts of a date or time, largest first: of the instant, or in its own offset."""
    found = DATE_TIME.match(text)
    if found:
        day = datetime.datetime.fromisoformat(found[1])
        offset = datetime.timedelta()
        if found[5] != "Z" and not is_local:
            offset = datetime.timedelta(hours=int(found[5][1:3]), minutes=int(found[5][4:]))
            offset = -offset if found[5][0] == "-" else offset
        day += datetime.timedelta(hours=int(found[2]), minutes=int(found[3])) - offset
        return [day.year, day.month, day.day, day.hour, day.minute, Decimal(found[4])]
    return [int(part) for part in DATE.match(text).groups() if part]


def order(left, right):
    """-1, 0 or 1; None if the values have no order: FHIRPath's comparison, precision included."""
    kinds = {kind(left), kind(right)}
    a, b = value(left), value(right)
    if kinds <= {"Integer", "Decimal"}:
        return sign(a.number, b.number)
    if kinds <= {"Date", "DateTime"}:
        # A date has no offset, so that it is one of the calendar of the other value.
        is_local = not (DATE_TIME.match(a) and DATE_TIME.match(b))
        a, b = moment(a, is_local), moment(b, is_local)
        for one, other in zip(a, b):
            if one != other:
                return sign(one, other)
        return 0 if len(a) == len(b) else None
    if kinds == {"Quantity"}:
        a, b = measured(a), measured(b)
        return sign(a[0], b[0]) if a and b and a[1] == b[1] else None
    if kinds <= {"String", "Uri"} or kinds == {"Time"}:
        return sign(a, b)
    return None


def sign(a, b):
    return (a > b) - (a < b)


def measured(quantity):
    """The value in the base unit of its dimension, and the dimension."""
    if "value" not in quantity:
        return None
    if "code" not in quantity:
        return quantity["value"].number, quantity.get("unit")
    dimension, factor = UNITS[quantity["code"]]
    return quantity["value"].number * factor, dimension


def equal(answer, expected):
    """Whether an answer is an expected one. A coding is the same by its code, and by its system if one is expected."""
    kinds = {kind(answer), kind(expected)}
    if kinds == {"Coding"}:
        a, b = value(answer), value(expected)
        return a.get("code") == b.get("code") and ("system" not in b or a.get("system") == b["system"])
    if kinds in ({"Boolean"}, {"Reference"}, {"Attachment"}):
        return value(answer) == value(expected)
    return order(answer, expected) == 0


def holds(condition, answers):
    """R4's enableWhen on the answers of its question, which are none if it is disabled (R5's wording of the operators)."""
    operator = condition["operator"]
    name, content = next((name, content) for name, content in condition.items() if name.startswith("answer"))
    expected = {"value" + name.removeprefix("answer"): content}
    if operator == "exists":
        return bool(answers) == content
    if operator == "=":
        return any(equal(answer, expected) for answer in answers)
    if operator == "!=":
        return not any(equal(answer, expected) for answer in answers)
    accepted = {"<": [-1], ">": [1], "<=": [-1, 0], ">=": [0, 1]}[operator]
    return any(order(answer, expected) in accepted for answer in answers)


# MARK: The rules of a question

def extensions(element, url):
    found = []
    for extension in element.get("extension", []):
        if extension["url"] == url:
            name = next(name for name in extension if name.startswith("value"))
            found.append({name: extension[name]})
    return found


def extension(element, url):
    found = extensions(element, url)
    return next(iter(found[0].values())) if found else None


def offered(question):
    """The options of a question, as answers."""
    return [{name: content} for option in question.get("answerOption", []) for name, content in option.items()
            if name.startswith("value")]


def exclusive(question):
    return [answer for option, answer in zip(question.get("answerOption", []), offered(question))
            if extension(option, CORE + "questionnaire-optionExclusive")]


def accepts(question, answer):
    """Whether an answer has a type of the question: its own, or that of an option."""
    return kind(answer) in TYPES[question["type"]] or kind(answer) in map(kind, offered(question))


def problems(question, answers):
    """The codes of the errors of the answers to a question, without those of missing answers."""
    codes = []
    if len(answers) > 1:
        if not question.get("repeats"):
            codes.append("repeats")
        if any(equal(answer, alone) for answer in answers for alone in exclusive(question)):
            codes.append("option-exclusive")
    greatest = extension(question, CORE + "questionnaire-maxOccurs")
    if greatest is not None and len(answers) > int(greatest):
        codes.append("max-occurs")
    for answer in answers:
        codes += of_text(question, answer) + of_size(question, answer) + of_object(question, answer)
        options = offered(question)
        is_free = question["type"] == "open-choice" and kind(answer) == "String"
        if options and not is_free and not any(equal(answer, option) for option in options):
            codes.append("option")
    return codes


def of_text(question, answer):
    codes = []
    if kind(answer) in ("String", "Uri"):
        length = len(value(answer))
        if "maxLength" in question and length > int(question["maxLength"]):
            codes.append("max-length")
        least = extension(question, CORE + "minLength")
        if least is not None and length < int(least):
            codes.append("min-length")
        if question["type"] == "string" and re.search(r"[\r\n]", value(answer)):
            codes.append("newline")
    if kind(answer) == "Decimal":
        digits = extension(question, CORE + "maxDecimalPlaces")
        if digits is not None and len(value(answer).partition(".")[2]) > int(digits):
            codes.append("decimal-places")
    return codes


def of_size(question, answer):
    codes = []
    names = {"min": ("minValue", "minQuantity"), "max": ("maxValue", "maxQuantity")}
    for side, (of_value, of_quantity) in names.items():
        limits = extensions(question, CORE + of_value) + extensions(question, SDC + of_quantity)
        if not limits:
            continue
        found = order(answer, limits[0])
        if found == (-1 if side == "min" else 1):
            codes.append(side + "-value")
        elif found is None and kind(answer) == "Quantity" and "value" in value(answer):
            codes.append(side + "-value-unit")
    return codes


def of_object(question, answer):
    codes = []
    content = value(answer)
    if kind(answer) == "Quantity":
        units = [next(iter(unit.values())) for unit in extensions(question, CORE + "questionnaire-unitOption")]
        if units and not any(content.get("code") == unit["code"] and content.get("system") == unit["system"] for unit in units):
            codes.append("unit")
    if kind(answer) == "Reference":
        kinds = [next(iter(kind.values())) for kind in extensions(question, CORE + "questionnaire-referenceResource")]
        if kinds and content["reference"].split("/")[-2] not in kinds:
            codes.append("reference-type")
    if kind(answer) == "Attachment":
        media = [next(iter(media.values())) for media in extensions(question, CORE + "mimeType")]
        if media and content.get("contentType") not in media:
            codes.append("mime-type")
        try:
            length = len(base64.b64decode(content["data"], validate=True)) if "data" in content else None
        except binascii.Error:
            codes.append("attachment-data")
            length = None
        greatest = extension(question, CORE + "maxSize")
        size = length if length is not None else int(content["size"]) if "size" in content else None
        if greatest is not None and size is not None and size > greatest.number:
            codes.append("max-size")
        if length is not None and "size" in content and length != int(content["size"]):
            codes.append("attachment-size")
    return codes
