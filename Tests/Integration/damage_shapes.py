"""Rules about the JSON shape, cardinality and the format of primitive values."""

from damage_rule import Raw, rule, section
from r4_places import NUMBERS, STRINGS

TEXTS = STRINGS - {"xhtml"}


def primitive(spot, *codes):
    return spot.code in codes and not spot.is_object


def required(spot):
    return not spot.is_root and spot.element.min > 0 and spot.alone and spot.key != "resourceType"


# --- presence -------------------------------------------------------------------------------------------------------

section("presence")


@rule("missing-status", "Observation.status is 1..1")
def missing_status(spot):
    if required(spot) and spot.element.path == "Observation.status":
        return spot.remove


@rule("missing-code", "Observation.code is 1..1")
def missing_code(spot):
    if required(spot) and spot.element.path == "Observation.code":
        return spot.remove


@rule("missing-required", "an element of a resource with min 1 is absent")
def missing_required(spot):
    if required(spot) and spot.parent.is_resource and spot.kind is None:
        return spot.remove


@rule("missing-required-in-backbone", "an element of a backbone element with min 1 is absent")
def missing_required_in_backbone(spot):
    if required(spot) and not spot.parent.is_resource and spot.parent.code in ("BackboneElement", "Element"):
        return spot.remove


@rule("missing-required-in-type", "an element of a data type with min 1 is absent")
def missing_required_in_type(spot):
    if (
        required(spot)
        and not spot.parent.is_resource
        and spot.parent.code not in ("BackboneElement", "Element", "Extension")
    ):
        return spot.remove


@rule("extension-without-url", "Extension.url is 1..1")
def extension_without_url(spot):
    if required(spot) and spot.element.path == "Extension.url":
        return spot.remove


@rule("missing-choice", "a choice element with min 1 is absent")
def missing_choice(spot):
    if required(spot) and spot.element.choice:
        return spot.remove


@rule("unknown-property", "a resource has no element of that name")
def unknown_property(spot):
    if spot.is_root:
        return lambda: spot.put("notAnElement", "x")


@rule("unknown-property-below", "a data type or backbone element has no element of that name")
def unknown_property_below(spot):
    if spot.is_object and not spot.is_resource and spot.allowed():
        return lambda: spot.put("notAnElement", "x")


@rule("wrong-case-property", "names of elements are case-sensitive")
def wrong_case_property(spot):
    if (
        spot.parent is not None
        and spot.index is None
        and spot.alone
        and spot.kind is None
        and spot.key.lower() == spot.key
    ):

        def damage():
            spot.holder[spot.key.upper()] = spot.holder.pop(spot.key)
            return spot.parent.child(spot.key.upper())

        return damage


@rule("element-of-another-resource", "the element is declared for another resource")
def element_of_another_resource(spot):
    if spot.is_root:
        name, value = ("birthDate", "1970-01-01") if "birthDate" not in spot.allowed() else ("valueString", "x")
        if name not in spot.allowed() and spot.kind != "Observation" or name == "birthDate":
            return lambda: spot.put(name, value)


@rule("choice-without-type", "a choice element is written with its type's name")
def choice_without_type(spot):
    if spot.parent is not None and spot.element.choice and spot.index is None and spot.alone:

        def damage():
            stem = spot.element.name.removesuffix("[x]")
            spot.holder[stem] = spot.holder.pop(spot.key)
            return f"{spot.parent.path}.{stem}"

        return damage


@rule("two-values", "a choice element has one value of one type")
def two_values(spot):
    if spot.parent is not None and spot.element.choice and spot.index is None and len(spot.element.types) > 1:
        stem = spot.element.name.removesuffix("[x]")
        samples = {
            "string": "x",
            "boolean": True,
            "dateTime": "2020-01-01",
            "Quantity": {"value": 1},
            "code": "x",
            "CodeableConcept": {"text": "x"},
            "Reference": {"display": "x"},
            "Period": {"start": "2020-01-01"},
            "integer": 1,
            "uri": "urn:x",
            "date": "2020-01-01",
            "Identifier": {"value": "x"},
        }
        for type_ in spot.element.types:
            name = stem + type_.code[0].upper() + type_.code[1:]
            if name != spot.key and type_.code in samples:

                def damage(name=name, code=type_.code):
                    spot.holder[name] = samples[code]
                    return spot.parent.child(stem)

                return damage


@rule("choice-of-wrong-type", "the choice does not allow the type")
def choice_of_wrong_type(spot):
    if (
        spot.parent is not None
        and spot.element.choice
        and spot.index is None
        and spot.alone
        and len(spot.element.types) < 30
    ):
        stem = spot.element.name.removesuffix("[x]")
        allowed = {type_.code for type_ in spot.element.types}
        code, value = ("base64Binary", "AAAA") if "base64Binary" not in allowed else ("Money", {"value": 1})

        def damage():
            del spot.holder[spot.key]
            spot.holder[stem + code[0].upper() + code[1:]] = value
            return f"{spot.parent.path}.{stem}"

        return damage


@rule("too-many", "an element with max 1 is there twice")
def too_many(spot):
    if spot.parent is not None and spot.index is None and spot.element.max == "1" and spot.kind is None:
        return lambda: spot.set_member([spot.value, spot.value])


@rule("prohibited-in-quantity", "SimpleQuantity has no comparator (sqty-1)")
def prohibited_in_quantity(spot):
    if (
        spot.is_object
        and spot.element is not None
        and spot.element.path
        in (
            "Range.low",
            "Range.high",
            "SampledData.origin",
            "Observation.referenceRange.low",
            "Observation.referenceRange.high",
        )
    ):
        return lambda: spot.put("comparator", "<")


# --- shape ----------------------------------------------------------------------------------------------------------

section("shape")


@rule("scalar-for-array", "an element that may repeat is written as an array")
def scalar_for_array(spot):
    if spot.index == 0 and spot.alone and len(spot.holder[spot.key]) == 1:
        return lambda: spot.set_member(spot.value)


@rule("array-for-scalar", "an element with max 1 is not written as an array")
def array_for_scalar(spot):
    if spot.parent is not None and spot.index is None and not spot.element.many and spot.alone:
        return lambda: spot.set_member([spot.value])


@rule("array-in-array", "an array's items are no arrays")
def array_in_array(spot):
    if spot.index is not None and spot.alone:
        return lambda: spot.set([spot.value])


@rule("object-for-string", "a string is not written as an object")
def object_for_string(spot):
    if primitive(spot, *TEXTS) and spot.parent is not None:
        return lambda: spot.set({"value": spot.value})


@rule("string-for-object", "a data type with elements is not written as a string")
def string_for_object(spot):
    if spot.is_object and spot.parent is not None:
        return lambda: spot.set("x")


@rule("number-for-object", "a data type with elements is not written as a number")
def number_for_object(spot):
    if spot.is_object and spot.parent is not None:
        return lambda: spot.set(1)


@rule("string-for-number", "a number is not written as a string")
def string_for_number(spot):
    if primitive(spot, *NUMBERS):
        return lambda: spot.set(str(spot.value))


@rule("number-for-string", "a string is not written as a number")
def number_for_string(spot):
    if primitive(spot, *TEXTS):
        return lambda: spot.set(5)


@rule("boolean-for-string", "a string is not written as a boolean")
def boolean_for_string(spot):
    if primitive(spot, *TEXTS):
        return lambda: spot.set(True)


@rule("string-for-boolean", "a boolean is not written as a string")
def string_for_boolean(spot):
    if primitive(spot, "boolean"):
        return lambda: spot.set("true" if spot.value else "false")


@rule("number-for-boolean", "a boolean is not written as a number")
def number_for_boolean(spot):
    if primitive(spot, "boolean"):
        return lambda: spot.set(1)


@rule("boolean-for-number", "a number is not written as a boolean")
def boolean_for_number(spot):
    if primitive(spot, *NUMBERS):
        return lambda: spot.set(True)


@rule("empty-array", "an array is never empty")
def empty_array(spot):
    if spot.index == 0 and spot.alone:
        return lambda: spot.set_member([])


@rule("empty-array-added", "an array is never empty, of an optional element either")
def empty_array_added(spot):
    if spot.is_object:
        for name, element in spot.allowed().items():
            if (
                element.many
                and name not in ("extension", "modifierExtension")
                and name not in spot.value
                and not element.choice
            ):
                return lambda name=name: spot.put(name, [])


@rule("empty-object", "an object is never empty")
def empty_object(spot):
    if spot.is_object and spot.parent is not None:
        return lambda: spot.set({})


@rule("null-member", "a member is never null")
def null_member(spot):
    if spot.parent is not None and spot.index is None and spot.alone:
        return lambda: spot.set_member(None)


@rule("null-in-array", "null in an array only stands beside a sibling with content")
def null_in_array(spot):
    if spot.index is not None and spot.alone:

        def damage():
            spot.holder[spot.key].append(None)
            return spot.member_path

        return damage


@rule("empty-string", "a string is never empty")
def empty_string(spot):
    if primitive(spot, *TEXTS) and spot.alone:
        return lambda: spot.set("")


@rule("duplicate-key", "a member is there once", placed=False)
def duplicate_key(spot):
    if spot.parent is not None and spot.index is None and spot.kind is None:

        def damage():
            spot.holder[Raw.key(spot.key)] = spot.value
            return spot.member_path

        return damage


@rule("only-an-id", "an element has a value or children, not an id alone (ele-1)")
def only_an_id(spot):
    # HealthKitOnFHIR's identifier has an id and no value: a warning.
    kept = ("Extension", "Identifier", "Coding")
    if spot.is_object and spot.parent is not None and not spot.is_resource and spot.code not in kept:
        return lambda: spot.set({"id": "a1"})


@rule("sibling-is-array", "the `_` sibling of an element with max 1 is an object")
def sibling_is_array(spot):
    if spot.code in TEXTS and spot.index is None and spot.parent is not None and spot.alone and can_extend(spot):

        def damage():
            spot.holder["_" + spot.key] = [{"id": "a1"}]
            return spot.member_path

        return damage


@rule("sibling-is-object", "the `_` sibling of an element that may repeat is an array")
def sibling_is_object(spot):
    if spot.code in TEXTS and spot.index == 0 and spot.alone:

        def damage():
            spot.holder["_" + spot.key] = {"id": "a1"}
            return spot.member_path

        return damage


@rule("sibling-is-string", "the `_` sibling holds an object with id and extension")
def sibling_is_string(spot):
    if spot.code in TEXTS and spot.index is None and spot.parent is not None and spot.alone and can_extend(spot):

        def damage():
            spot.holder["_" + spot.key] = "x"
            return spot.member_path

        return damage


@rule("sibling-of-wrong-length", "an array and its `_` sibling are aligned")
def sibling_of_wrong_length(spot):
    if spot.code in TEXTS and spot.index == 0 and spot.alone:

        def damage():
            count = len(spot.holder[spot.key])
            spot.holder["_" + spot.key] = [{"id": f"a{number}"} for number in range(count + 2)]
            spot.holder["_" + spot.key][count] = None
            spot.holder["_" + spot.key][count + 1] = None
            return spot.member_path

        return damage


@rule("sibling-of-object", "only primitive elements have a `_` sibling")
def sibling_of_object(spot):
    if spot.is_object and spot.parent is not None and spot.index is None and not spot.is_resource:

        def damage():
            spot.holder["_" + spot.key] = {"id": "a1"}
            return spot.member_path

        return damage


@rule("sibling-null", "a member is never null, a `_` sibling neither")
def sibling_null(spot):
    if spot.code in TEXTS and spot.index is None and spot.parent is not None and spot.alone and can_extend(spot):

        def damage():
            spot.holder["_" + spot.key] = None
            return spot.member_path

        return damage


@rule("sibling-with-value", "the `_` sibling has id and extension, no value")
def sibling_with_value(spot):
    if spot.code in TEXTS and spot.index is None and spot.parent is not None and spot.alone and can_extend(spot):

        def damage():
            spot.holder["_" + spot.key] = {"value": "x"}
            return spot.member_path

        return damage


@rule("sibling-of-nothing", "there is no element that the `_` sibling could belong to")
def sibling_of_nothing(spot):
    if spot.is_object and spot.allowed():
        return lambda: (spot.put("_notAnElement", {"id": "a1"}), spot.child("notAnElement"))[1]


def can_extend(spot):
    """Extension.url, ids and narrative are left out: whether they may have siblings is not as clear."""
    return spot.element.path not in ("Extension.url",) and spot.key != "id" and spot.code != "xhtml"


# --- resourceType ---------------------------------------------------------------------------------------------------

section("resourceType")


@rule("resource-type-unknown", "there is no resource of that type", placed=False)
def resource_type_unknown(spot):
    if spot.is_root:
        return lambda: spot.put("resourceType", "Observaton")


@rule("resource-type-missing", "a resource says what it is", placed=False)
def resource_type_missing(spot):
    if spot.is_root:
        return lambda: (spot.value.pop("resourceType"), spot.path)[1]


@rule("resource-type-lower-case", "types of resources are case-sensitive", placed=False)
def resource_type_lower_case(spot):
    if spot.is_root:
        return lambda: spot.put("resourceType", spot.kind.lower())


@rule("resource-type-number", "resourceType is a string", placed=False)
def resource_type_number(spot):
    if spot.is_root:
        return lambda: spot.put("resourceType", 1)


@rule("resource-type-abstract", "DomainResource is abstract", placed=False)
def resource_type_abstract(spot):
    if spot.is_root:
        return lambda: spot.put("resourceType", "DomainResource")


@rule("resource-type-is-a-data-type", "a data type is no resource", placed=False)
def resource_type_is_a_data_type(spot):
    if spot.is_root:
        return lambda: spot.put("resourceType", "HumanName")


@rule("inner-resource-unknown", "there is no resource of that type in contained, entry or parameter", placed=True)
def inner_resource_unknown(spot):
    if spot.is_resource and not spot.is_root:
        return lambda: (spot.put("resourceType", "Observaton"), spot.path)[1]


@rule("inner-resource-without-type", "a resource in contained, entry or parameter says what it is")
def inner_resource_without_type(spot):
    if spot.is_resource and not spot.is_root:
        return lambda: (spot.value.pop("resourceType"), spot.path)[1]


@rule("inner-resource-broken", "a resource within another obeys its own definition")
def inner_resource_broken(spot):
    if spot.parent is not None and spot.resource is not spot.root and spot.parent.is_resource and required(spot):
        return spot.remove


# --- primitive formats ----------------------------------------------------------------------------------------------

section("primitive formats")


def format_rule(name, says, codes, value, placed=True):
    @rule(name, says, placed)
    def look(spot):
        if primitive(spot, *codes):
            return lambda: spot.set(value(spot) if callable(value) else value)

    return look


DATES = ("date", "dateTime")
format_rule("month-13", "there is no month 13", DATES, "2020-13-01")
format_rule("day-32", "there is no 32nd of a month", DATES, "2020-01-32")
format_rule("february-30", "dates are valid dates: there is no 30 February", DATES, "2020-02-30")
format_rule("date-with-slashes", "a date is written YYYY-MM-DD", DATES, "01/02/2020")
format_rule("date-with-one-digit", "month and day have two digits", DATES, "2020-1-2")
format_rule("date-with-time", "a date has no time of day", ("date",), "2020-01-01T10:00:00Z")
format_rule("datetime-without-zone", "a time of day has its zone", ("dateTime",), "2020-01-01T10:00:00")
format_rule("datetime-without-seconds", "a time of day has its seconds", ("dateTime",), "2020-01-01T10:00Z")
format_rule("datetime-hour-24", "there is no hour 24", ("dateTime", "instant"), "2020-01-01T24:00:00Z")
format_rule(
    "datetime-with-blank", "date and time of day are joined by T", ("dateTime", "instant"), "2020-01-01 10:00:00Z"
)
format_rule("instant-without-time", "an instant is exact at least to the second", ("instant",), "2020-01-01")
format_rule("instant-without-zone", "an instant has its zone", ("instant",), "2020-01-01T10:00:00")
format_rule("time-hour-25", "there is no hour 25", ("time",), "25:00:00")
format_rule("time-with-zone", "a time has no zone", ("time",), "10:00:00Z")
format_rule("time-without-seconds", "a time has its seconds", ("time",), "10:00")
format_rule("id-with-blank", "an id has letters, digits, - and .", ("id",), "not an id")
format_rule("id-too-long", "an id has 64 characters at most", ("id",), "a" * 65)
format_rule("uri-with-blanks", "a uri has no blanks", ("uri", "url", "canonical"), "http://example.org/a b")
format_rule("base64-broken", "base64Binary is base64", ("base64Binary",), "not*base64!")
format_rule("base64-of-wrong-length", "base64 comes in groups of four", ("base64Binary",), "AAAAA")
format_rule("code-with-blanks-around", "a code has no blanks around it", ("code",), lambda spot: f" {spot.value} ")
format_rule("code-with-two-blanks", "a code has single blanks only", ("code",), "a  b")
format_rule("integer-with-fraction", "an integer has no fraction", ("integer", "positiveInt", "unsignedInt"), 1.5)
format_rule("integer-too-large", "an integer has 32 bits", ("integer", "positiveInt", "unsignedInt"), 2147483648)
format_rule("integer-too-small", "an integer has 32 bits", ("integer",), -2147483649)
format_rule("positive-zero", "a positiveInt is 1 or more", ("positiveInt",), 0)
format_rule("unsigned-minus-one", "an unsignedInt is 0 or more", ("unsignedInt", "positiveInt"), -1)
format_rule(
    "number-with-leading-zero", "a JSON number has no leading zero", tuple(NUMBERS), Raw.value("007"), placed=False
)
format_rule("number-with-plus", "a JSON number has no plus sign", tuple(NUMBERS), Raw.value("+7"), placed=False)
format_rule("number-not-a-number", "JSON has no NaN", ("decimal",), Raw.value("NaN"), placed=False)
format_rule("number-in-hex", "JSON has no hexadecimal numbers", tuple(NUMBERS), Raw.value("0x10"), placed=False)


def parameters(name, value):
    """A Parameters with each of the first examples as a resource, and one primitive parameter."""

    def make(fit):
        chosen = [example for example in sorted(fit) if example.startswith(("Patient-", "Organization-", "Slot-"))][:6]
        return {
            f"Parameters-with-{example}": {
                "resourceType": "Parameters",
                "id": f"p{number}",
                "parameter": [{"name": "a", name: value}, {"name": "b", "resource": fit[example]}],
            }
            for number, example in enumerate(chosen)
        }

    return make


def parameter_rule(name, says, member, right, wrong):
    @rule(name, says, bases=parameters(member, right))
    def look(spot):
        if spot.key == member and spot.path == f"Parameters.parameter[0].{member}":
            return lambda: spot.set(wrong)


parameter_rule("oid-broken", "an oid begins with urn:oid: and 0, 1 or 2", "valueOid", "urn:oid:1.2.3", "urn:oid:3.1")
parameter_rule("oid-without-prefix", "an oid begins with urn:oid:", "valueOid", "urn:oid:1.2.3", "1.2.3")
parameter_rule(
    "oid-with-leading-zero", "an oid's numbers have no leading zeros", "valueOid", "urn:oid:1.2.3", "urn:oid:1.02.3"
)
parameter_rule(
    "uuid-broken",
    "a uuid is urn:uuid: and 32 hexadecimal digits in five groups",
    "valueUuid",
    "urn:uuid:c757873d-ec9a-4326-a141-556f43239520",
    "urn:uuid:c757873d-ec9a-4326-a141-556f4323952",
)
parameter_rule(
    "uuid-without-prefix",
    "a uuid begins with urn:uuid:",
    "valueUuid",
    "urn:uuid:c757873d-ec9a-4326-a141-556f43239520",
    "c757873d-ec9a-4326-a141-556f43239520",
)
parameter_rule("time-minute-60", "there is no minute 60", "valueTime", "10:00:00", "10:60:00")
parameter_rule("parameter-of-no-type", "a parameter's value is of a data type", "valueString", "x", {"a": 1})


def longest(fit):
    return {name: value for name, value in fit.items() if name.startswith(("Slot-", "Schedule-", "Basic-"))}


@rule("string-over-a-megabyte", "a string has at most 1,048,576 characters", bases=longest)
def string_over_a_megabyte(spot):
    if primitive(spot, "string", "markdown") and spot.parent is not None and spot.key != "id":
        return lambda: spot.set("a" * 1_048_577)
