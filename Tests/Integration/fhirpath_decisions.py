"""Where fhirpathpy disagrees: the paragraph of the specification that decides, and how such a case is known."""

import re
from typing import NamedTuple

N1 = "http://hl7.org/fhirpath/N1/"
R4 = "https://hl7.org/fhir/R4/fhirpath.html"


class Decision(NamedTuple):
    title: str
    paragraph: str


def failed(answer, text=""):
    return isinstance(answer, tuple) and answer[0] == "error" and re.search(text, answer[1]) is not None


UNIT = r"'(?:mg|g|kg|cm|m|mm)'"
MASS = {"'mg'", "'g'", "'kg'"}


def other_dimension(expression, mine, other):
    units = re.findall(UNIT, expression)
    return mine == [] and other in ([True], [False]) and len(units) == 2 and (units[0] in MASS) != (units[1] in MASS)


def narrower_primitive(expression, mine, other):
    return bool(re.search(r"ofType\((string|uri|integer)\)|as (string|uri|integer)\)|as\((string|uri|integer)\)", expression))


def keeps_time(expression, mine, other):
    return (expression.endswith(".toDate()") and isinstance(mine, list) and len(mine) == 1
            and isinstance(other, list) and str(other[0]).startswith(mine[0] + "T"))


def lazy(expression, mine, other):
    return (failed(other, "Singleton was expected|Expected singleton|expected singleton") and isinstance(mine, list)
            and re.search(r" (and|or|implies) |iif\(", expression) is not None)


def element_as_value(expression, mine, other):
    if expression.endswith("oBoolean()") and mine in ([True], [False]) and other in ([], [False]):
        return True
    return (failed(other, "ResourceNode|Unary . can only be applied to a number|has no attribute 'is_'")
            and isinstance(mine, list))


def primitive_with_extension(expression, mine, other, resource):
    return "'_" in str(other) or any(f'"_{name}"' in resource for name in re.findall(r"[A-Za-z]+", expression)) or any(
        f'"_{name}' in resource for name in re.findall(r"\b(?:value|event|effective|onset|timing)\b", expression))


def is_truth(answer):
    return answer in ([True], [False])


def rounded_conversion(expression, mine, other):
    units = re.findall(UNIT, expression)
    return (is_truth(mine) and is_truth(other) and len(units) == 2 and units[0] != units[1]
            and (units[0] in MASS) == (units[1] in MASS))


def decimal_literal(expression, mine, other):
    return re.search(r"\b\d+\.0+(\)| is |\.toInteger|\.convertsToInteger|\.toString|\.type|\.convertsTo)", expression) is not None


RULES = [
    (Decision("Quantities of different dimensions are neither equal nor unequal",
              f"{N1}#quantity-equality: the dimensions of each quantity must be the same; attempting to operate on "
              "quantities that are not comparable results in empty. fhirpathpy says false."), other_dimension),
    (Decision("A code is no string for ofType() and as()",
              "The published suite, testFHIRPathAsFunction11 and 16: Patient.gender.as(string) and ofType(string) find "
              "nothing, although is(string) is true. fhirpathpy takes derived primitive types."), narrower_primitive),
    (Decision("toDate() of a date with a time",
              f"{N1}#todate--date: for a DateTime the year, month and day components are extracted. fhirpathpy keeps "
              "the time."), keeps_time),
    (Decision("and, or, implies and iif() need not evaluate what does not decide",
              f"{N1}#boolean-logic: implementations may use short-circuit evaluation; {N1}#iif: the result that is not "
              "chosen is not evaluated. fhirpathpy evaluates both sides and fails in one."), lazy),
    (Decision("Units are converted exactly",
              f"{N1}#quantity-equality: quantities of one dimension are compared after conversion, 5 'mg' is 0.005 'g'. "
              "fhirpathpy rounds to whole units."), rounded_conversion),
    (Decision("Halves are rounded up",
              f"{N1}#roundprecision--integer--decimal: a traditional round, from 0.5 to 1 and from -0.5 to -1. "
              "fhirpathpy rounds halves to even."), lambda e, m, o: "round(" in e and not failed(o) and not failed(m)
     or re.match(r"\(?[\d.]+ !?~ \(?[\d.]+", e) and is_truth(m) and is_truth(o)),
    (Decision("A text with a date and a time is no date",
              f"{N1}#todate--date: the text is convertible in the format YYYY-MM-DD only. fhirpathpy takes any date "
              "and time."), lambda e, m, o: re.match(r"'\d{4}-\d\d-\d\dT.*'\.(toDate|convertsToDate)\(\)$", e)),
    (Decision("A boolean is written in lower case",
              f"{N1}#tostring--string: true or false. fhirpathpy writes Python's True and False."),
     lambda e, m, o: m in (["true"], ["false"]) and o in (["True"], ["False"])),
    (Decision("An Integer has 32 bits, and a Decimal is none",
              f"{N1}#integer and {N1}#conversion: whole numbers from -2^31 to 2^31-1, and no conversion of a Decimal. "
              "fhirpathpy converts any whole number."),
     lambda e, m, o: e.endswith("toInteger()") and m == [] and isinstance(o, list)),
    (Decision("UTC is written as it was",
              f"{N1}#tostring--string: a date and time as it is; Z and +00:00 are the same zone. fhirpathpy rewrites it."),
     lambda e, m, o: "toString()" in e and isinstance(m, list) and isinstance(o, list)
     and [str(x).replace("Z", "+00:00") for x in m] == o),
    (Decision("mod has the sign of the left side",
              f"{N1}#mod: the remainder of the truncated division, so (-1) mod 2 is -1. fhirpathpy takes Python's %."),
     lambda e, m, o: " mod " in e and "-" in e and not failed(m) and not failed(o)),
    (Decision("The negative of nothing is nothing",
              f"{N1}#propagation-of-empty-results-in-expressions: empty operands give an empty result. fhirpathpy fails."),
     lambda e, m, o: failed(o, "only be applied to an individual number") and m == []),
    (Decision("What is too large is empty",
              f"{N1}#math: operations that cause arithmetic overflow or underflow will result in empty. fhirpathpy's "
              "numbers have no bounds."), lambda e, m, o: re.search(r"exp\(\)|power\(", e) and m == []),
    (Decision("A primitive element works where its value does",
              f"{R4}#types: FHIR's primitive types are implicitly converted to those of System. fhirpathpy fails with "
              "an internal error for encode(), decode(), sum(), min(), max(), unary minus and distinct(), and finds "
              "nothing for toBoolean()."),
     element_as_value),
    (Decision("A primitive with an extension is one item",
              f"{R4}#polymorphism-and-primitives and https://hl7.org/fhir/R4/json.html#primitive: value and extensions "
              "belong to one element. fhirpathpy makes the extensions an item of their own, and hides or counts it."),
     lambda e, m, o, r: primitive_with_extension(e, m, o, r)),
    (Decision("A literal with a point is a Decimal, and keeps its digits",
              f"{N1}#decimal and {N1}#conversion: 1.0 is a Decimal, there is no conversion of a Decimal to an Integer, "
              "and toString() shows it as (-)#0.0#. fhirpathpy makes it an integer."), decimal_literal),
    (Decision("A boolean as a quantity is a number",
              f"{N1}#toquantityunit--string--quantity: true results in 1.0 '1'. fhirpathpy gives the boolean a unit."),
     lambda e, m, o: "true.toQuantity()" in e),
    (Decision("A power of a negative number",
              f"{N1}#powerexponent--integer--decimal--integer--decimal: empty only where the power cannot be "
              "represented, such as (-1).power(0.5). fhirpathpy gives nothing for any negative number."),
     lambda e, m, o: "power(" in e and o == [] and isinstance(m, list)),
    (Decision("An empty text is a text",
              f"{N1}#string-manipulation: the result is empty where the input is empty, and '' is not. "
              "fhirpathpy gives nothing."), lambda e, m, o: o == [] and re.search("(en|de)code|replace", e) and (m == [""] or re.search(", 0\\)|''", e))),
    (Decision("A logarithm that does not exist is empty",
              f"{N1}#math: what cannot be represented is empty, as for sqrt() and power(). fhirpathpy fails."),
     lambda e, m, o: "ln()" in e and failed(o, "InvalidOperation|Infinity") and isinstance(m, list)),
]


def decide(expression, mine, other, resource):
    """The paragraph that decides a disagreement over an expression on a resource (as text), or None."""
    for decision, matches in RULES:
        arguments = (expression, mine, other, resource)[:matches.__code__.co_argcount]
        if matches(*arguments):
            return decision
    return None
