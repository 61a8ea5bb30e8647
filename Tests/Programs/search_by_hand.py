"""What searches mean, written from the text of R4's search page (https://hl7.org/fhir/R4/search.html): for a value of a resource,
the searches that it gives rise to, each with the question whether another resource's values meet it.

A search is a modifier, a value and that question."""

import calendar
import re
import unicodedata
from datetime import datetime, timedelta, timezone
from decimal import Decimal

RELATIVE = re.compile(r"^([A-Z][A-Za-z]+)/([A-Za-z0-9.-]{1,64})(?:/_history/[A-Za-z0-9.-]{1,64})?$")
NEVER, EVER = datetime(1, 1, 1, tzinfo=timezone.utc), datetime(9999, 12, 31, tzinfo=timezone.utc)


def escaped(text):
    return re.sub(r"([\\,$|])", r"\\\1", text)


def anybody(holds):
    """A search that one value of several has to meet."""
    return lambda values: any(holds(value) for value in values)


# Tokens: 3.1.1.4.10


def codings(value):
    """The systems and codes of a value; None for a system that FHIR leaves to the element."""
    if isinstance(value, bool):
        return [(None, "true" if value else "false")]
    if isinstance(value, str):
        return [(None, value)]
    if not isinstance(value, dict):
        return []
    if "coding" in value:
        return [pair for coding in value["coding"] for pair in codings({"code": None, **coding})]
    if "code" in value:
        return [(value.get("system", ""), value["code"])]
    if value.get("system") in ("phone", "fax", "email", "pager", "url", "sms", "other"):
        return [(None, value.get("value"))]
    return [(value.get("system", ""), value.get("value"))] if "value" in value or "system" in value else []


def same_code(one, other):
    # "When in doubt, servers SHOULD treat tokens in a case-insensitive manner."
    return one is not None and other is not None and one.lower() == other.lower()


def tokens(value):
    for system, code in codings(value):
        if code:
            word = escaped(code)
            yield "", word, anybody(lambda one, code=code: any(same_code(code, each) for _, each in codings(one)))
            yield ":not", word, lambda values, code=code: not any(
                same_code(code, each) for one in values for _, each in codings(one))
            if system:
                yield "", f"{escaped(system)}|{word}", anybody(
                    lambda one, system=system, code=code: any(where == system and same_code(code, each) for where, each in codings(one)))
            elif system == "":
                yield "", f"|{word}", anybody(
                    lambda one, code=code: any(where == "" and same_code(code, each) for where, each in codings(one)))
        if system:
            yield "", f"{escaped(system)}|", anybody(
                lambda one, system=system: any(where == system for where, _ in codings(one)))


# Strings: 3.1.1.4.8


def texts(value):
    """The texts of a value: itself, or the parts of a name or an address."""
    if isinstance(value, str):
        return [value]
    found = []
    for name in ("family", "given", "prefix", "suffix", "text", "line", "city", "district", "state", "postalCode", "country"):
        part = value.get(name) if isinstance(value, dict) else None
        found += part if isinstance(part, list) else [part] if part else []
    return [text for text in found if isinstance(text, str)]


def begins(value):
    """The texts that one may begin to write; a family name of several parts is looked for by each of them too."""
    family = value.get("family") if isinstance(value, dict) else None
    return texts(value) + (family.split() if isinstance(family, str) else [])


def folded(text):
    """Without case and accents, and, as servers SHOULD, without punctuation and spaces that say nothing."""
    marks = [mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark)]
    plain = "".join(mark for mark in marks if not unicodedata.category(mark).startswith("P"))
    return " ".join((plain.strip() and plain or "".join(marks)).casefold().split())


def strings(value):
    for text in texts(value)[:4]:
        if not text.strip() or "\n" in text or text != text.strip() or len(text) > 150:
            continue
        begin = text[:5].strip()
        yield "", escaped(begin), anybody(
            lambda one, begin=begin: any(folded(each).startswith(folded(begin)) for each in begins(one)))
        yield ":exact", escaped(text), anybody(lambda one, text=text: text in texts(one))
        part = text[len(text) // 3:][:6].strip()
        if part:
            yield ":contains", escaped(part.upper()), anybody(
                lambda one, part=part: any(folded(part) in folded(each) for each in texts(one)))


# Dates: 3.1.1.4.7

DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$")


def span(text):
    """The instants that a date stands for: the first, and the first after it. Without a zone it is of UTC's."""
    found = DATE.match(text)
    if not found:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    start = datetime(int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0),
                     int(Decimal(fraction or 0) * 1_000_000), tzinfo=timezone.utc)
    if zone and zone != "Z":
        start -= (1 if zone[0] == "+" else -1) * timedelta(hours=int(zone[1:3]), minutes=int(zone[4:]))
    if month is None:
        end = start.replace(year=start.year + 1)
    elif day is None:
        end = start + timedelta(days=calendar.monthrange(start.year, start.month)[1])
    elif hour is None:
        end = start + timedelta(days=1)
    elif second is None:
        end = start + timedelta(minutes=1)
    else:
        end = start + timedelta(milliseconds=1) if fraction else start + timedelta(seconds=1)
    return start, end


def spans(value):
    """The ranges of a value: of a date, a Period, or a Timing, of which the outer limits count."""
    if isinstance(value, str):
        return [found] if (found := span(value)) else []
    if not isinstance(value, dict):
        return []
    if "start" in value or "end" in value:
        start, end = (span(value[name]) if name in value else None for name in ("start", "end"))
        return [(start[0] if start else NEVER, end[1] if end else EVER)]
    bounds = value.get("repeat", {}).get("boundsPeriod")
    inner = [span(text) for text in value.get("event", [])] + (spans(bounds) if bounds else [])
    return [(min(one[0] for one in inner), max(one[1] for one in inner))] if inner else []


def related(prefix, asked, found):
    """Whether a range stands to the one that is searched as the prefix says."""
    (low, high), (start, end) = asked, found
    within = low <= start and end <= high
    return {"eq": within, "ne": not within, "gt": end > high, "lt": start < low, "ge": end > high or within,
            "le": start < low or within, "sa": start >= high, "eb": end <= low}[prefix]


def dates(value):
    written = value if isinstance(value, str) else next(
        (value[name] for name in ("start", "end") if isinstance(value, dict) and name in value), None)
    if not written or not span(written):
        return
    for text in dict.fromkeys([written, written[:10], written[:7], written[:4]]):
        asked = span(text)
        if asked is None:
            continue
        yield "", text, anybody(lambda one, asked=asked: any(related("eq", asked, found) for found in spans(one)))
        for prefix in ("eq", "ne", "gt", "lt", "ge", "le", "sa", "eb"):
            yield "", prefix + text, anybody(
                lambda one, asked=asked, prefix=prefix: any(related(prefix, asked, found) for found in spans(one)))


# Numbers and quantities: 3.1.1.4.6, 3.1.1.4.11

# Of UCUM's units in the examples those that have something in common, in a common one.
COMPARABLE = {"mm[Hg]": ("Pa", "133.322"), "kPa": ("Pa", "1000"), "%": ("1", "0.01"), "{score}": ("1", "1"), "1": ("1", "1")}


def precision(text):
    """Half of what the last digit of a number stands for."""
    digits = text.lower().partition("e")
    decimals = len(digits[0].partition(".")[2]) - int(digits[2] or 0)
    return Decimal(5).scaleb(-decimals - 1)


def compared(prefix, asked, half, number, comparator=None):
    """Whether a number is near another one by so much, or greater, or less. One that is said to be less or more than another
    stands for all that it may be, as the times of a Period do."""
    low, high = number, number
    if comparator in ("<", "<="):
        low = Decimal("-Infinity")
    elif comparator in (">", ">="):
        high = Decimal("Infinity")
    near = asked - half <= low and high < asked + half
    above = high > asked
    below = low < asked
    at = low == asked == high
    return {"": near, "eq": near, "ne": not near, "gt": above, "lt": below, "ge": above or at, "le": below or at,
            "sa": low > asked, "eb": high < asked}[prefix]


def as_number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        return None
    try:
        return Decimal(str(value))
    except ArithmeticError:
        return None


def numbers(value):
    number = as_number(value)
    if number is None:
        return
    for prefix in ("", "eq", "ne", "gt", "lt", "ge", "le", "sa", "eb"):
        yield "", f"{prefix}{number}", anybody(
            lambda one, prefix=prefix: as_number(one) is not None and compared(prefix, number, precision(str(number)), as_number(one)))


def unit_of(system, code):
    """What a unit is in others that it may be compared with, as far as the examples have any."""
    if system == "http://unitsofmeasure.org" and code in COMPARABLE:
        base, factor = COMPARABLE[code]
        return (system, base), Decimal(factor)
    return (system, code), Decimal(1)


def quantities(value):
    if not isinstance(value, dict) or as_number(value.get("value")) is None or value.get("comparator"):
        return
    number = str(as_number(value["value"]))
    system, code, unit = value.get("system"), value.get("code"), value.get("unit")

    def meeting(prefix, fits, factor=Decimal(1), factors=lambda one: Decimal(1)):
        def holds(one):
            if not isinstance(one, dict) or as_number(one.get("value")) is None or not fits(one):
                return False
            return compared(prefix, Decimal(number) * factor, precision(number) * factor, as_number(one["value"]) * factors(one),
                            one.get("comparator"))
        return anybody(holds)

    for prefix in ("", "ne", "gt", "le"):
        yield "", f"{prefix}{number}", meeting(prefix, lambda one: True)
        if system and code:
            base, factor = unit_of(system, code)
            yield "", f"{prefix}{number}|{escaped(system)}|{escaped(code)}", meeting(
                prefix, lambda one: unit_of(one.get("system"), one.get("code"))[0] == base, factor,
                lambda one: unit_of(one.get("system"), one.get("code"))[1])
        if code or unit:
            word = code or unit
            yield "", f"{prefix}{number}||{escaped(word)}", meeting(
                prefix, lambda one, word=word: word in (one.get("code"), one.get("unit")))


# References and URIs: 3.1.1.4.12, 3.1.1.4.13


def references(value):
    text = value if isinstance(value, str) else value.get("reference") if isinstance(value, dict) else None
    if not text or text.startswith("#"):
        return
    local = RELATIVE.match(text)

    def written(one):
        return one if isinstance(one, str) else one.get("reference", "") if isinstance(one, dict) else ""

    def target(one):
        found = RELATIVE.match(written(one))
        return found and (found[1], found[2])

    if local:
        kind, name = local[1], local[2]
        yield "", f"{kind}/{name}", anybody(lambda one: target(one) == (kind, name))
        yield "", name, anybody(lambda one: (target(one) or ("", ""))[1] == name)
        yield f":{kind}", name, anybody(lambda one: target(one) == (kind, name))
    elif isinstance(value, str):
        # A canonical, of which any version is found by its address alone.
        address, bar, version = text.partition("|")
        yield "", escaped(address), anybody(lambda one: written(one).partition("|")[0] == address)
        if bar:
            yield "", f"{escaped(address)}|{escaped(version)}", anybody(lambda one: written(one) == text)
    else:
        yield "", escaped(text), anybody(lambda one: written(one) == text)
    if isinstance(value, dict) and value.get("identifier", {}).get("value"):
        identifier = value["identifier"]
        word = escaped(identifier["value"])
        yield ":identifier", (f"{escaped(identifier['system'])}|" if identifier.get("system") else "") + word, anybody(
            lambda one: isinstance(one, dict) and one.get("identifier", {}).get("value") == identifier["value"]
            and identifier.get("system") in (None, one["identifier"].get("system")))


def uris(value):
    if isinstance(value, str):
        yield "", escaped(value), anybody(lambda one: one == value)
        if "/" in value[10:]:
            above = value.rpartition("/")[0]
            yield ":below", escaped(above), anybody(
                lambda one: isinstance(one, str) and (one == above or one.startswith(above + "/")))


# Composites: 3.1.1.4.14


def part_of(item, expression, resource):
    """The values that a component's expression selects in one of a composite's elements."""
    found = []
    for alternative in expression.split("|"):
        name = alternative.strip()
        whole = [item]
        if name.startswith("%resource."):
            name, whole = name.removeprefix("%resource."), [resource]
        cast = re.fullmatch(r"(\w+)\.as\((\w+)\)", name)
        names = [cast[1] + cast[2][0].upper() + cast[2][1:]] if cast else name.split(".")
        for name in names:
            inner = []
            for one in whole:
                # A choice has its type behind the name.
                inner += [each for key, each in one.items() if key == name or not cast and re.fullmatch(name + "[A-Z][A-Za-z]+", key)]
            whole = [each for one in inner for each in (one if isinstance(one, list) else [one])]
        found += whole
    return found


def composites(kinds):
    """The searches of a composite of some kinds, whose value is a list of values for each of them."""
    def searches(value):
        own = [[search for one in values[:1] for search in SEARCHES[kind](one) if not search[0]] for kind, values in zip(kinds, value)]
        for place in range(min(6, max(map(len, own)))) if all(own) else []:
            chosen = [some[place % len(some)] for some in own]
            yield "", "$".join(text for _, text, _ in chosen), lambda items, chosen=chosen: any(
                all(holds(values) for (_, _, holds), values in zip(chosen, item)) for item in items)
    return searches


def presence():
    yield ":missing", "true", lambda values: not values
    yield ":missing", "false", lambda values: bool(values)


SEARCHES = {"token": tokens, "string": strings, "date": dates, "number": numbers, "quantity": quantities,
            "reference": references, "uri": uris}
