"""Rules about bindings, references, extensions, narrative, contained resources, Bundles and invariants."""

from damage_rule import rule, section
from r4_places import STRUCTURE, UCUM

BY_RULE = ("mimetypes", "languages", "ucum", "currencies", "loinc.org")


def change(name, says, declared, made, where=lambda value: True, placed=True):
    """A rule on every value of one type or backbone element: `made` changes it and may return a member's name."""
    wanted = (declared,) if isinstance(declared, str) else declared

    @rule(name, says, placed)
    def look(spot):
        if spot.is_object and spot.declared in wanted and where(spot.value):

            def damage():
                place = made(spot.value)
                return spot.child(place) if isinstance(place, str) else spot.path

            return damage

    return look


def replace(name, says, declared, value, where=lambda value: True):
    """A rule that writes another object in the place of every value of one type."""

    @rule(name, says)
    def look(spot):
        if spot.is_object and spot.parent is not None and spot.declared == declared and where(spot.value):
            return lambda: spot.set(dict(value))

    return look


def merged(**members):
    """Changes an object by these members; None takes one away."""

    def made(value):
        for name, member in members.items():
            if member is None:
                value.pop(name, None)
                value.pop("_" + name, None)
            else:
                value[name] = member

    return made


def concept(system, code):
    return {"coding": [{"system": system, "code": code}]}


# --- bindings -------------------------------------------------------------------------------------------------------

section("bindings")


def bound(spot, *codes):
    strength, values = spot.element.binding if spot.element else (None, None)
    return spot.code in codes and strength == "required" and values and not any(part in values for part in BY_RULE)


@rule("bad-required-code", "a code is of its required value set")
def bad_required_code(spot):
    if bound(spot, "code") and isinstance(spot.value, str):
        return lambda: spot.set("no-such-code")


@rule("code-in-capitals", "codes of a required value set are case-sensitive")
def code_in_capitals(spot):
    if (
        bound(spot, "code")
        and isinstance(spot.value, str)
        and spot.value.islower()
        and spot.value not in ("s", "h", "d", "a", "min")
        and not spot.element.path.endswith((".type", ".operator", ".language"))
    ):
        return lambda: spot.set(spot.value.capitalize())


@rule("bad-status", "Observation.status is of observation-status")
def bad_status(spot):
    if bound(spot, "code") and spot.element.path == "Observation.status":
        return lambda: spot.set("bogus")


@rule("bad-required-concept", "a CodeableConcept has a code of its required value set")
def bad_required_concept(spot):
    if bound(spot, "CodeableConcept") and spot.value.get("coding"):

        def damage():
            for coding in spot.value["coding"]:
                coding["code"] = "no-such-code"
            return spot.path

        return damage


@rule(
    "required-concept-of-another-system",
    "a CodeableConcept has a code of its required value set, not of another system",
)
def required_concept_of_another_system(spot):
    if bound(spot, "CodeableConcept") and spot.value.get("coding"):
        return lambda: spot.set(concept("http://loinc.org", "8867-4"))


@rule("required-concept-without-code", "a CodeableConcept with a required value set is no text alone")
def required_concept_without_code(spot):
    if bound(spot, "CodeableConcept") and spot.value.get("coding"):
        return lambda: spot.set({"text": "something"})


@rule("bad-currency", "Money.currency is of ISO 4217")
def bad_currency(spot):
    if spot.element is not None and spot.element.path == "Money.currency":
        return lambda: spot.set("ZZZ")


@rule("bad-mime-type", "Attachment.contentType is a MIME type")
def bad_mime_type(spot):
    if spot.element is not None and spot.element.path == "Attachment.contentType":
        return lambda: spot.set("no mime type")


# --- references -----------------------------------------------------------------------------------------------------

section("references")

OTHERS = ("Slot", "Medication", "Location", "Binary", "SearchParameter")


def other_type(spot):
    targets = spot.type.targets if spot.code == "Reference" and isinstance(spot.value, dict) else ()
    if targets and "Resource" not in targets:
        return next(name for name in OTHERS if name not in targets)
    return None


def literal(spot):
    reference = spot.value.get("reference", "")
    return reference.count("/") == 1 and reference[0].isupper()


@rule("reference-to-type-not-allowed", "a reference goes to a type that the element allows")
def reference_to_type_not_allowed(spot):
    other = other_type(spot)
    if other and literal(spot):
        return lambda: spot.set({"reference": f"{other}/1"})


@rule("reference-type-not-allowed", "Reference.type is a type that the element allows")
def reference_type_not_allowed(spot):
    other = other_type(spot)
    if other:
        return lambda: spot.set({"type": other, "display": "x"})


@rule("reference-type-disagrees", "Reference.type agrees with the literal reference")
def reference_type_disagrees(spot):
    if other_type(spot) and literal(spot):

        def damage():
            spot.value["type"] = other_type(spot)
            return spot.path

        return damage


@rule("contained-reference-to-type-not-allowed", "a reference to a contained resource goes to an allowed type")
def contained_reference_to_type_not_allowed(spot):
    other = other_type(spot)
    if (
        other in ("Slot", "Medication")
        and not spot.contained
        and spot.resource is spot.root
        and spot.root.get("resourceType") != "Bundle"
    ):

        def damage():
            inner = (
                {"resourceType": "Medication", "id": "wrong1"}
                if other == "Medication"
                else {
                    "resourceType": "Slot",
                    "id": "wrong1",
                    "schedule": {"display": "x"},
                    "status": "free",
                    "start": "2020-01-01T10:00:00Z",
                    "end": "2020-01-01T11:00:00Z",
                }
            )
            spot.root.setdefault("contained", []).append(inner)
            return spot.set({"reference": "#wrong1"})

        return damage


@rule("reference-to-missing-contained", "a local reference points to a contained resource (ref-1)")
def reference_to_missing_contained(spot):
    if spot.code == "Reference" and isinstance(spot.value, dict):
        return lambda: spot.set({"reference": "#nobody"})


# --- extensions -----------------------------------------------------------------------------------------------------

section("extensions")


def extend(spot, extension, name="extension"):
    spot.value.setdefault(name, []).append(extension)
    return f"{spot.path}.{name}[{len(spot.value[name]) - 1}]"


def contexts(structure):
    return {context["expression"] for context in structure.get("context", []) if context["type"] == "element"}


def simple(structure):
    """The types of an extension's value, where it has one and no parts."""
    for element in structure["snapshot"]["element"]:
        if element["path"] == "Extension.value[x]" and element.get("max") != "0":
            return [type_["code"] for type_ in element.get("type", [])]
    return []


@rule("extension-with-value-and-extension", "an extension has a value or extensions (ext-1)")
def extension_with_value_and_extension(spot):
    if spot.is_object and spot.declared == "Extension" and any(name.startswith("value") for name in spot.value):
        return lambda: spot.put("extension", [{"url": "http://example.org/x", "valueBoolean": True}]) and spot.path


@rule("extension-with-nothing", "an extension has a value or extensions (ext-1)")
def extension_with_nothing(spot):
    if spot.is_object and spot.declared == "Extension":
        return lambda: spot.set({"url": spot.value["url"]})


@rule("extension-with-relative-url", "an extension's url is absolute, but within an extension")
def extension_with_relative_url(spot):
    if spot.is_root and "extension" in spot.allowed():
        return lambda: extend(spot, {"url": "no-place", "valueString": "x"})


@rule("extension-with-wrong-type", "an extension has a value of the type that its definition says")
def extension_with_wrong_type(spot):
    if spot.is_root and "extension" in spot.allowed():
        for url, structure in sorted(spot.definitions.extensions.items()):
            types = simple(structure)
            if (
                spot.kind in contexts(structure)
                and types
                and "base64Binary" not in types
                and not structure.get("contextInvariant")
                and not structure["snapshot"]["element"][0].get("isModifier")
            ):
                return lambda url=url: extend(spot, {"url": url, "valueBase64Binary": "AAAA"})


@rule("extension-in-wrong-place", "an extension stands where its definition says")
def extension_in_wrong_place(spot):
    if spot.is_root and "extension" in spot.allowed():
        if spot.kind != "Patient":
            return lambda: extend(
                spot, {"url": STRUCTURE + "patient-birthTime", "valueDateTime": "2020-01-01T10:00:00Z"}
            )
        return lambda: extend(spot, {"url": STRUCTURE + "condition-dueTo", "valueCodeableConcept": {"text": "x"}})


@rule("extension-in-wrong-element", "an extension of birthDate does not stand on the patient")
def extension_in_wrong_element(spot):
    if spot.is_object and spot.declared in ("Patient", "HumanName") and "Patient" in spot.path:
        return lambda: extend(spot, {"url": STRUCTURE + "patient-birthTime", "valueDateTime": "2020-01-01T10:00:00Z"})


@rule("extension-without-its-part", "a complex extension has the parts that its definition requires")
def extension_without_its_part(spot):
    if spot.is_root and spot.kind == "Patient":
        return lambda: extend(
            spot,
            {
                "url": STRUCTURE + "patient-animal",
                "extension": [{"url": "breed", "valueCodeableConcept": {"text": "x"}}],
            },
        )


@rule("modifier-extension-on-type", "a data type has no modifierExtension")
def modifier_extension_on_type(spot):
    if (
        spot.is_object
        and spot.parent is not None
        and spot.allowed()
        and "modifierExtension" not in spot.allowed()
        and not spot.is_resource
    ):
        return lambda: spot.put("modifierExtension", [{"url": "http://example.org/x", "valueBoolean": True}])


# --- narrative ------------------------------------------------------------------------------------------------------

section("narrative")


def narrative(name, says, written):
    @rule(name, says)
    def look(spot):
        if spot.code == "xhtml" and isinstance(spot.value, str) and spot.value.rstrip().endswith("</div>"):
            return lambda: spot.set(written(spot.value.rstrip()))

    return look


def within(html):
    return lambda text: text[: -len("</div>")] + html + "</div>"


XHTML = "http://www.w3.org/1999/xhtml"
narrative("narrative-script", "narrative has no script", within("<script>alert(1)</script>"))
narrative("narrative-event", "narrative has no event attributes", within('<p onclick="alert(1)">x</p>'))
narrative(
    "narrative-form", "narrative has no forms", within('<form action="http://example.org"><input name="a"/></form>')
)
narrative("narrative-frame", "narrative has no frames", within('<iframe src="http://example.org"></iframe>'))
narrative("narrative-object", "narrative has no objects", within('<object data="http://example.org/a"></object>'))
narrative(
    "narrative-link",
    "narrative has no links to style sheets",
    within('<link rel="stylesheet" href="http://example.org/a.css"/>'),
)
narrative("narrative-base", "narrative has no base", within('<base href="http://example.org/"/>'))
narrative("narrative-unknown-element", "narrative has elements of HTML 4.0 only", within("<video>x</video>"))
narrative(
    "narrative-script-in-capitals",
    "narrative has no script, however it is written",
    within("<SCRIPT>alert(1)</SCRIPT>"),
)
narrative("narrative-ill-formed", "narrative is well-formed", within("<b>x"))
narrative("narrative-unknown-entity", "narrative is well-formed: the entity is not declared", within("&nosuchthing;"))
narrative("narrative-html-entity", "narrative has no entities of HTML", within("&copy;"))
narrative("narrative-attribute-without-quotes", "narrative is well-formed", within("<p class=a>x</p>"))
narrative("narrative-empty", "narrative says something (txt-2)", lambda text: f'<div xmlns="{XHTML}"> </div>')
narrative("narrative-without-namespace", "narrative is in the XHTML namespace", lambda text: "<div>x</div>")
narrative("narrative-root-not-div", "narrative is one div", lambda text: f'<p xmlns="{XHTML}">x</p>')
narrative("narrative-is-text", "narrative is one div", lambda text: "only text")
narrative(
    "narrative-two-roots",
    "narrative is one div",
    lambda text: f'<div xmlns="{XHTML}">x</div><div xmlns="{XHTML}">y</div>',
)
narrative(
    "narrative-doctype",
    "narrative declares no entities",
    lambda text: f'<!DOCTYPE div [<!ENTITY a "b">]><div xmlns="{XHTML}">&a;</div>',
)


@rule("narrative-without-div", "Narrative.div is 1..1")
def narrative_without_div(spot):
    if spot.code == "xhtml":
        return spot.remove


@rule("narrative-without-status", "Narrative.status is 1..1")
def narrative_without_status(spot):
    if spot.element is not None and spot.element.path == "Narrative.status":
        return spot.remove


# --- contained resources and ids ------------------------------------------------------------------------------------

section("contained resources and ids")


def containing(spot):
    return spot.is_root and "contained" in spot.allowed()


@rule("contained-in-contained", "a contained resource contains none (dom-2)")
def contained_in_contained(spot):
    if spot.is_resource and spot.key == "contained" and "contained" in spot.allowed():
        return lambda: spot.put("contained", [{"resourceType": "Basic", "id": "within", "code": {"text": "x"}}])


@rule("contained-without-reference", "a contained resource is referred to (dom-3)")
def contained_without_reference(spot):
    if containing(spot):

        def damage():
            spot.value.setdefault("contained", []).append(
                {"resourceType": "Basic", "id": "lonely", "code": {"text": "x"}}
            )
            return f"{spot.path}.contained[{len(spot.value['contained']) - 1}]"

        return damage


@rule("contained-with-version", "a contained resource has no versionId (dom-4)")
def contained_with_version(spot):
    if spot.is_resource and spot.key == "contained":
        return lambda: spot.put("meta", {"versionId": "1"}) and spot.path


@rule("contained-with-last-updated", "a contained resource has no lastUpdated (dom-4)")
def contained_with_last_updated(spot):
    if spot.is_resource and spot.key == "contained":
        return lambda: spot.put("meta", {"lastUpdated": "2020-01-01T10:00:00Z"}) and spot.path


@rule("contained-with-security", "a contained resource has no security label (dom-5)")
def contained_with_security(spot):
    if spot.is_resource and spot.key == "contained":
        return (
            lambda: spot.put(
                "meta",
                {"security": [{"system": "http://terminology.hl7.org/CodeSystem/v3-Confidentiality", "code": "R"}]},
            )
            and spot.path
        )


@rule("contained-same-id-twice", "ids of contained resources are unique")
def contained_same_id_twice(spot):
    if spot.is_resource and spot.key == "contained" and "id" in spot.value:

        def damage():
            spot.holder["contained"].append({"resourceType": "Basic", "id": spot.value["id"], "code": {"text": "x"}})
            return f"{spot.parent.path}.contained"

        return damage


@rule("same-id-twice", "ids of elements are unique within a resource", placed=False)
def same_id_twice(spot):
    if spot.is_object and spot.index == 0 and not spot.is_resource and len(spot.holder[spot.key]) > 1:

        def damage():
            spot.value["id"] = "same"
            spot.holder[spot.key][1]["id"] = "same"
            return spot.member_path

        return damage


# --- Bundle ---------------------------------------------------------------------------------------------------------

section("Bundle")

SEARCH, REQUEST, RESPONSE = {"mode": "match"}, {"method": "GET", "url": "Patient/1"}, {"status": "200"}


def bundle(name, says, where, made):
    @rule(name, says)
    def look(spot):
        if spot.is_object and spot.kind == "Bundle" and where(spot.value):

            def damage():
                place = made(spot.value)
                return spot.child(place) if isinstance(place, str) else spot.path

            return damage

    return look


def first(**members):
    def made(value):
        merged(**members)(value["entry"][0])
        return "entry[0]"

    return made


def entries(value, **wanted):
    return bool(value.get("entry")) and value["type"] in wanted.get("types", (value["type"],))


def no_types(*types):
    return lambda value: entries(value) and value["type"] not in types


def types(*wanted):
    return lambda value: entries(value) and value["type"] in wanted


bundle(
    "bundle-total",
    "only searches and histories have a total (bdl-1)",
    no_types("searchset", "history"),
    merged(total=3),
)
bundle("bundle-search", "only searches have entry.search (bdl-2)", no_types("searchset"), first(search=SEARCH))
bundle(
    "bundle-request",
    "only batches, transactions and histories have entry.request (bdl-3)",
    no_types("batch", "transaction", "history"),
    first(request=REQUEST),
)
bundle(
    "bundle-without-request",
    "entries of batches and transactions have a request (bdl-3)",
    types("batch", "transaction"),
    first(request=None),
)
bundle(
    "bundle-response",
    "only responses and histories have entry.response (bdl-4)",
    no_types("batch-response", "transaction-response", "history"),
    first(response=RESPONSE),
)
bundle(
    "bundle-without-response",
    "entries of responses have a response (bdl-4)",
    types("batch-response", "transaction-response"),
    first(response=None),
)
bundle(
    "bundle-entry-with-link-alone",
    "an entry has a resource, request or response (bdl-5)",
    entries,
    lambda value: value["entry"].append({"link": [{"relation": "self", "url": "http://example.org"}]}),
)
bundle(
    "bundle-same-address-twice",
    "an entry's fullUrl and version is there once (bdl-7)",
    lambda value: entries(value)
    and value["type"] != "history"
    and len(value["entry"]) > 1
    and all("resource" in entry for entry in value["entry"][:2]),
    lambda value: [
        merged(fullUrl="urn:uuid:c757873d-ec9a-4326-a141-556f43239520")(entry) for entry in value["entry"][:2]
    ]
    and [entry["resource"].get("meta", {}).pop("versionId", None) for entry in value["entry"][:2]]
    and "entry",
)
bundle(
    "bundle-versioned-address",
    "fullUrl names no version (bdl-8)",
    lambda value: entries(value) and "resource" in value["entry"][0],
    first(fullUrl="http://example.org/fhir/Patient/1/_history/2"),
)
bundle(
    "bundle-address-of-another",
    "fullUrl agrees with the resource's id",
    lambda value: entries(value)
    and value["type"] in ("searchset", "collection", "document")
    and value["entry"][0].get("resource", {}).get("id"),
    lambda value: value["entry"][0].update(
        fullUrl=f"http://example.org/fhir/{value['entry'][0]['resource']['resourceType']}/not-its-id"
    )
    or "entry[0].fullUrl",
)
bundle(
    "document-without-identifier",
    "a document has an identifier (bdl-9)",
    entries,
    merged(type="document", identifier=None),
)
bundle("document-without-time", "a document has its time (bdl-10)", entries, merged(type="document", timestamp=None))
bundle(
    "document-without-composition",
    "a document begins with a Composition (bdl-11)",
    lambda value: entries(value)
    and value["entry"][0].get("resource", {}).get("resourceType") not in (None, "Composition"),
    merged(type="document"),
)
bundle(
    "message-without-header",
    "a message begins with a MessageHeader (bdl-12)",
    lambda value: entries(value)
    and value["entry"][0].get("resource", {}).get("resourceType") not in (None, "MessageHeader"),
    merged(type="message"),
)
change("bundle-link-without-url", "Bundle.link.url is 1..1", "Bundle", merged(link=[{"relation": "self"}]))

# --- invariants of data types ---------------------------------------------------------------------------------------

section("invariants of data types")

replace(
    "period-turned-round",
    "a period does not end before it starts (per-1)",
    "Period",
    {"start": "2020-02-02", "end": "2020-01-01"},
)
replace(
    "period-turned-round-in-a-day",
    "a period does not end before it starts (per-1), zones considered",
    "Period",
    {"start": "2020-02-02T10:00:00Z", "end": "2020-02-02T10:30:00+02:00"},
)
replace(
    "range-turned-round",
    "a range's low is not above its high (rng-2)",
    "Range",
    {side: {"value": value, "unit": "mg", "system": UCUM, "code": "mg"} for side, value in (("low", 5), ("high", 1))},
)
replace("ratio-of-one", "a ratio has numerator and denominator (rat-1)", "Ratio", {"numerator": {"value": 1}})
change(
    "unit-code-without-system",
    "a unit's code has a system (qty-3)",
    ("Quantity", "Duration"),
    merged(system=None),
    lambda value: "code" in value and "system" in value,
)
change("age-without-code", "an age has a UCUM unit (age-1)", "Age", merged(code=None), lambda value: "code" in value)
change("age-of-another-system", "an age has a UCUM unit (age-1)", "Age", merged(system="http://example.org/units"))
change("age-below-zero", "an age is positive (age-1)", "Age", merged(value=-1))
change(
    "duration-of-another-system",
    "a duration has a UCUM unit (drt-1)",
    "Duration",
    merged(system="http://example.org/units", code="d"),
)
change(
    "contact-without-system", "a contact's value has a system (cpt-2)", "ContactPoint", merged(system=None, value="1")
)
replace("attachment-without-type", "data have a content type (att-1)", "Attachment", {"data": "AAAA"})
change(
    "expression-without-expression",
    "an expression is written or referred to (exp-1)",
    "Expression",
    merged(expression=None, reference=None),
)
for key, says, value in [
    ("duration-without-unit", "duration has a unit (tim-1)", {"duration": 1}),
    ("period-without-unit", "period has a unit (tim-2)", {"frequency": 1, "period": 1}),
    ("duration-below-zero", "duration is not negative (tim-4)", {"duration": -1, "durationUnit": "h"}),
    ("period-below-zero", "period is not negative (tim-5)", {"period": -1, "periodUnit": "h"}),
    ("period-max-alone", "periodMax comes with period (tim-6)", {"periodMax": 2, "periodUnit": "h"}),
    ("duration-max-alone", "durationMax comes with duration (tim-7)", {"durationMax": 2, "durationUnit": "h"}),
    ("count-max-alone", "countMax comes with count (tim-8)", {"countMax": 3}),
    ("offset-without-when", "offset comes with when (tim-9)", {"offset": 10}),
    ("offset-of-a-meal-itself", "offset does not come with C, CM, CD, CV (tim-9)", {"offset": 10, "when": ["CM"]}),
    (
        "time-of-day-and-when",
        "timeOfDay and when exclude each other (tim-10)",
        {"timeOfDay": ["10:00:00"], "when": ["MORN"]},
    ),
]:
    replace(f"timing-{key}", says, "Timing.repeat", value)
change(
    "filter-without-path",
    "a code filter has path or searchParam (drq-1)",
    "DataRequirement.codeFilter",
    merged(path=None, searchParam=None),
)
change(
    "trigger-with-data-and-timing",
    "a trigger has data or timing (trd-1)",
    "TriggerDefinition",
    merged(data=[{"type": "Patient"}], timingDate="2020-01-01"),
)
change(
    "trigger-without-name",
    "a named event has a name (trd-3)",
    "TriggerDefinition",
    merged(type="named-event", name=None),
)

# --- invariants of resources ----------------------------------------------------------------------------------------

section("invariants of resources")

CLINICAL = "http://terminology.hl7.org/CodeSystem/condition-clinical"
VERIFICATION = "http://terminology.hl7.org/CodeSystem/condition-ver-status"
ALLERGY = "http://terminology.hl7.org/CodeSystem/allergyintolerance-verification"


def has(*names):
    return lambda value: all(any(key.startswith(name) for key in value) for name in names)


def lacks(*names):
    return lambda value: not any(key.startswith(name) for key in value for name in names)


def both(*tests):
    return lambda value: all(test(value) for test in tests)


change(
    "observation-absent-and-there",
    "dataAbsentReason only without value (obs-6)",
    "Observation",
    merged(dataAbsentReason={"text": "x"}),
    has("value"),
)
change(
    "observation-component-of-same-code",
    "no component with the Observation's code beside a value (obs-7)",
    "Observation",
    lambda value: value.update(component=[{"code": value["code"], "valueString": "x"}]),
    lambda value: has("value")(value) and value["code"].get("coding"),
)
change(
    "reference-range-empty",
    "a reference range has low, high or text (obs-3)",
    "Observation",
    merged(referenceRange=[{"type": {"text": "x"}}]),
)
change(
    "allergy-without-clinical-status",
    "clinicalStatus unless entered-in-error (ait-1)",
    "AllergyIntolerance",
    merged(clinicalStatus=None),
)
change(
    "allergy-in-error-with-clinical-status",
    "no clinicalStatus of entered-in-error (ait-2)",
    "AllergyIntolerance",
    merged(verificationStatus=concept(ALLERGY, "entered-in-error")),
    has("clinicalStatus"),
)
change(
    "condition-abated-but-active",
    "abatement only of resolved conditions (con-4)",
    "Condition",
    merged(abatementString="x", clinicalStatus=concept(CLINICAL, "active")),
    lacks("abatement"),
)
change(
    "condition-in-error-with-clinical-status",
    "no clinicalStatus of entered-in-error (con-5)",
    "Condition",
    merged(verificationStatus=concept(VERIFICATION, "entered-in-error"), clinicalStatus=concept(CLINICAL, "active")),
)
change(
    "condition-stage-empty",
    "a stage has summary or assessment (con-1)",
    "Condition",
    merged(stage=[{"type": {"text": "x"}}]),
)
change(
    "condition-evidence-empty",
    "evidence has code or detail (con-2)",
    "Condition",
    merged(
        evidence=[
            {
                "extension": [
                    {"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown"}
                ]
            }
        ]
    ),
)
change(
    "appointment-participant-empty",
    "a participant has type or actor (app-1)",
    "Appointment.participant",
    merged(type=None, actor=None),
)
change("appointment-without-end", "start and end come together (app-2)", "Appointment", merged(end=None), has("start"))
change(
    "appointment-without-times",
    "only proposed appointments have no times (app-3)",
    "Appointment",
    merged(start=None, end=None, status="booked"),
)
change(
    "appointment-with-reason-of-cancelling",
    "a reason only where cancelled (app-4)",
    "Appointment",
    merged(cancelationReason={"text": "x"}, status="booked"),
)
change(
    "audit-name-and-query", "an entity has name or query (sev-1)", "AuditEvent.entity", merged(name="x", query="AAAA")
)
change(
    "care-plan-detail-and-reference",
    "an activity has detail or reference (cpl-3)",
    "CarePlan.activity",
    merged(reference={"display": "x"}, detail={"status": "scheduled"}),
)
replace("section-empty", "a section has text, entries or sections (cmp-1)", "Composition.section", {"title": "x"})
change(
    "section-empty-for-a-reason-but-not",
    "emptyReason only without entries (cmp-2)",
    "Composition.section",
    merged(emptyReason={"text": "x"}, entry=[{"display": "x"}]),
)
change("consent-without-policy", "a consent has a policy (ppc-1)", "Consent", merged(policy=None, policyRule=None))
change(
    "family-age-and-birth",
    "age or born (fhs-1)",
    "FamilyMemberHistory",
    merged(ageString="x", bornString="y"),
    both(lacks("age"), lacks("born")),
)
change(
    "goal-detail-without-measure",
    "a target's detail comes with a measure (gol-1)",
    "Goal",
    merged(target=[{"detailString": "x"}]),
)
change(
    "immunization-education-empty",
    "education has documentType or reference (imm-1)",
    "Immunization",
    merged(education=[{"publicationDate": "2020-01-01"}]),
)
change("insurance-plan-nameless", "identifier or name (ipn-1)", "InsurancePlan", merged(identifier=None, name=None))
change(
    "list-empty-for-a-reason-but-not",
    "emptyReason only without entries (lst-1)",
    "List",
    merged(emptyReason={"text": "x"}),
    has("entry"),
)
change(
    "list-deleted-in-snapshot",
    "deleted only in lists of changes (lst-2)",
    "List",
    lambda value: value["entry"][0].update(deleted=True) or value.update(mode="snapshot"),
    has("entry"),
)
change(
    "list-dated-in-snapshot",
    "dates only in working lists (lst-3)",
    "List",
    lambda value: value["entry"][0].update(date="2020-01-01") or value.update(mode="snapshot"),
    has("entry"),
)
change(
    "dosage-without-dose", "a dosage has dose or rate (mad-1)", "MedicationAdministration", merged(dosage={"text": "x"})
)
change(
    "dispense-handed-over-before-made",
    "handed over after preparation (mdd-1)",
    "MedicationDispense",
    merged(whenPrepared="2020-01-02", whenHandedOver="2020-01-01"),
)
change("sequence-of-system-2", "coordinateSystem is 0 or 1 (msq-3)", "MolecularSequence", merged(coordinateSystem=2))
change("organization-nameless", "identifier or name (org-1)", "Organization", merged(identifier=None, name=None))
change(
    "organization-at-home",
    "an organization has no home (org-2)",
    "Organization",
    merged(address=[{"use": "home", "city": "x"}]),
)
change(
    "organization-telephone-at-home",
    "an organization has no home (org-3)",
    "Organization",
    merged(telecom=[{"use": "home", "system": "phone", "value": "1"}]),
)
change(
    "patient-contact-empty",
    "a contact has name, telecom, address or organization (pat-1)",
    "Patient",
    merged(contact=[{"gender": "other"}]),
)
change(
    "risk-above-hundred",
    "probability is 100 at most (ras-2)",
    "RiskAssessment",
    merged(prediction=[{"probabilityDecimal": 101}]),
)
change(
    "risk-range-without-percent",
    "a range of probability is in % (ras-1)",
    "RiskAssessment",
    merged(prediction=[{"probabilityRange": {"low": {"value": 1, "unit": "x"}, "high": {"value": 2, "unit": "x"}}}]),
)
change(
    "request-detail-without-code",
    "orderDetail comes with code (prr-1)",
    "ServiceRequest",
    merged(orderDetail=[{"text": "x"}], code=None),
)
change(
    "task-modified-before-made",
    "lastModified is not before authoredOn (inv-1)",
    "Task",
    merged(authoredOn="2020-01-02", lastModified="2020-01-01"),
)
change(
    "request-group-action-empty",
    "an action has a resource or actions (rqg-1)",
    "RequestGroup",
    merged(action=[{"title": "x"}]),
)
change(
    "measure-stratifier-empty",
    "a stratifier has a criterion or components (mea-1)",
    "Measure",
    merged(
        group=[
            {
                "stratifier": [
                    {
                        "description": "x",
                        "component": [{"description": "y", "criteria": {"language": "text/cql", "expression": "x"}}],
                    }
                ]
            }
        ]
    ),
)
change(
    "measure-report-of-data-with-group",
    "a data collection has no groups (mrp-1)",
    "MeasureReport",
    merged(type="data-collection"),
    has("group"),
)
change(
    "naming-system-root-of-uuid",
    "a root has no uuid (nsd-1)",
    "NamingSystem",
    merged(kind="root", uniqueId=[{"type": "uuid", "value": "x"}]),
)
change(
    "test-action-of-two",
    "an action is an operation or an assert (tst-2)",
    "TestScript",
    merged(test=[{"action": [{}]}]),
)
change(
    "answer-and-items",
    "an item has answers or items (qrs-1)",
    "QuestionnaireResponse.item",
    merged(answer=[{"valueString": "x"}], item=[{"linkId": "below"}]),
)
change(
    "medication-choice-twice",
    "medication[x] has one type",
    "MedicationRequest",
    merged(medicationReference={"display": "x"}, medicationCodeableConcept={"text": "x"}),
)

QUESTION = "Questionnaire.item"
replace("question-group-empty", "a group has items (que-1)", QUESTION, {"linkId": "new-1", "type": "group"})
replace(
    "question-display-with-items",
    "a display has no items (que-1)",
    QUESTION,
    {"linkId": "new-1", "type": "display", "item": [{"linkId": "new-2", "type": "display"}]},
)
change(
    "question-same-link-id",
    "linkIds are unique (que-2)",
    "Questionnaire",
    lambda value: value["item"].append({"linkId": value["item"][0]["linkId"], "type": "display", "text": "x"}),
    has("item"),
)
change(
    "question-same-link-id-below",
    "linkIds are unique in all depths (que-2)",
    "Questionnaire",
    lambda value: value["item"].append(
        {
            "linkId": "new-1",
            "type": "group",
            "item": [{"linkId": value["item"][0]["linkId"], "type": "display", "text": "x"}],
        }
    ),
    has("item"),
)
for key, says, value in [
    ("display-with-code", "a display has no code (que-3)", {"type": "display", "code": [{"code": "x"}]}),
    (
        "options-twice",
        "options or a value set (que-4)",
        {"type": "choice", "answerOption": [{"valueString": "x"}], "answerValueSet": "http://example.org/v"},
    ),
    (
        "boolean-with-options",
        "a boolean has no options (que-5)",
        {"type": "boolean", "answerOption": [{"valueString": "x"}]},
    ),
    ("display-required", "a display is not required (que-6)", {"type": "display", "required": True}),
    ("display-repeats", "a display does not repeat (que-6)", {"type": "display", "repeats": True}),
    (
        "exists-with-string",
        "exists is answered by a boolean (que-7)",
        {"type": "string", "enableWhen": [{"question": "x", "operator": "exists", "answerString": "x"}]},
    ),
    (
        "display-with-initial",
        "a display has no initial value (que-8)",
        {"type": "display", "initial": [{"valueString": "x"}]},
    ),
    ("display-read-only", "a display is not readOnly (que-9)", {"type": "display", "readOnly": True}),
    ("date-with-length", "a date has no maxLength (que-10)", {"type": "date", "maxLength": 5}),
    (
        "options-and-initial",
        "options or an initial value (que-11)",
        {"type": "choice", "answerOption": [{"valueString": "x"}], "initial": [{"valueString": "x"}]},
    ),
    (
        "three-conditions",
        "more than two conditions have a behaviour (que-12)",
        {
            "type": "string",
            "enableWhen": [{"question": name, "operator": "exists", "answerBoolean": True} for name in "xyz"],
        },
    ),
    (
        "two-initials",
        "only a repeating question has two initial values (que-13)",
        {"type": "string", "initial": [{"valueString": "x"}, {"valueString": "y"}]},
    ),
]:
    replace(f"question-{key}", says, QUESTION, {"linkId": "new-1", **value})

# --- profiles that a resource claims --------------------------------------------------------------------------------

section("profiles that a resource claims")

VITAL = STRUCTURE + "vitalsigns"


def vital(value):
    return any("vitalsigns" in profile for profile in value.get("meta", {}).get("profile", []))


change(
    "vital-sign-without-time",
    "vitalsigns: effective[x] is 1..1, and the resource claims the profile",
    "Observation",
    merged(effectiveDateTime=None, effectivePeriod=None),
    vital,
)
change("vital-sign-without-category", "vitalsigns: category VSCat is 1..1", "Observation", merged(category=None), vital)
change(
    "vital-sign-of-another-category",
    "vitalsigns: category VSCat is vital-signs",
    "Observation",
    merged(category=[concept("http://terminology.hl7.org/CodeSystem/observation-category", "laboratory")]),
    vital,
)
change("vital-sign-without-subject", "vitalsigns: subject is 1..1", "Observation", merged(subject=None), vital)
change(
    "vital-sign-of-a-device",
    "vitalsigns: subject is a Patient",
    "Observation",
    merged(subject={"reference": "Device/1"}),
    vital,
)
