"""A study's folder as C3-PRO's apps read it: one form, its value set and one consent, in each release of FHIR."""

import json

from forms import LOINC, RXNORM

SECTION = "http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection"
MOODS = "https://example.org/moods"
AUTHORED = "2017-03-04T08:00:00Z"

# The media types by which apps of each release ask.
ACCEPT = {"dstu2": "application/json+fhir", "stu3": "application/fhir+json; fhirVersion=3.0",
          "r4": "application/fhir+json; fhirVersion=4.0"}
NUMBER = {"dstu2": "1.0.2", "stu3": "3.0.0", "r4": "4.0.1"}
RELEASES = tuple(ACCEPT)


def concepts(release):
    """Who lists codes of a system that another has made does so alike in all releases."""
    return {
        "resourceType": "ValueSet", "id": "medicines", "name": "Medicines", "status": "active",
        "compose": {"include": [{"system": RXNORM, "concept": [
            {"code": "1484911", "display": "Medicine A"}, {"code": "861007", "display": "Medicine B"}]}]}}


def moods(release):
    """A value set inside of the form; DSTU2 could define its codes there too."""
    codes = [{"code": "good", "display": "Good"}, {"code": "bad", "display": "Bad"}]
    content = ({"codeSystem": {"system": MOODS, "concept": codes}} if release == "dstu2" else
               {"compose": {"include": [{"system": MOODS, "concept": codes}]}})
    return {"resourceType": "ValueSet", "id": "moods", "name": "Moods", "status": "active", **content}


def form(release):
    pulse = [{"system": LOINC, "code": "8867-4", "display": "Heart rate"}]
    head = {"resourceType": "Questionnaire", "id": "journal", "version": "1",
            "status": "published" if release == "dstu2" else "active", "contained": [moods(release)]}
    questions = [("pulse", "Your pulse", "decimal", pulse, None), ("rested", "Are you rested?", "boolean", None, None),
                 ("medicines", "What do you take?", "choice", None, "ValueSet/medicines"),
                 ("mood", "Your mood", "choice", None, "#moods"), ("day", "Since which day?", "date", None, None),
                 ("note", "Anything else?", "string", None, None)]
    found = []
    for link, text, kind, code, options in questions:
        question = {"linkId": link, "text": text, "type": kind}
        if code:
            question["concept" if release == "dstu2" else "code"] = code
        if options and release == "r4":
            question["answerValueSet"] = options
        elif options:
            question["options"] = {"reference": options}
        if link == "medicines":
            question["repeats"] = True
        found.append(question)
    if release == "dstu2":
        return {**head, "group": {"linkId": "all", "title": "Journal", "group": [
            {"linkId": "body", "text": "Your body", "question": found[:3]},
            {"linkId": "mind", "text": "Your mind", "question": found[3:]}]}}
    return {**head, "title": "Journal", "item": [{"linkId": "all", "text": "Journal", "type": "group", "item": [
        {"linkId": "body", "text": "Your body", "type": "group", "item": found[:3]},
        {"linkId": "mind", "text": "Your mind", "type": "group", "item": found[3:]}]}]}


def response(release, person):
    """The same answers as the app of each release sends them: the older ones one anonymous group a step."""
    def coding(system, code):
        return {"valueCoding": {"system": system, "code": code}}
    answers = [("body", "pulse", [{"valueDecimal": 71.5}]), ("body", "rested", [{"valueBoolean": False}]),
               ("body", "medicines", [coding(RXNORM, "1484911"), coding(RXNORM, "861007")]),
               ("mind", "mood", [coding(MOODS, "bad")]), ("mind", "day", [{"valueDate": "2017-03-01"}]),
               ("mind", "note", [{"valueString": "windy"}])]
    head = {"resourceType": "QuestionnaireResponse", "status": "completed", "authored": AUTHORED,
            "subject": {"reference": f"Patient/{person}"},
            "questionnaire": "Questionnaire/journal" if release == "r4" else {"reference": "journal"}}
    if release == "dstu2":
        return {**head, "group": {"group": [{"question": [{"linkId": link, "answer": given}]}
                                            for _, link, given in answers]}}
    return {**head, "item": [{"linkId": "all", "item": [
        {"linkId": group, "item": [{"linkId": link, "answer": given} for place, link, given in answers if place == group]}
        for group in ("body", "mind")]}]}


def consent(release):
    """The consent before anybody signs it, with a section whose full text is a file of its own."""
    term = {"type": {"coding": [{"system": "http://researchkit.org/docs/Constants/ORKConsentSectionType",
                                 "code": "Overview"}]},
            "text": "A journal.", "extension": [{"url": SECTION, "extension": [
                {"url": "title", "valueString": "Welcome"}, {"url": "htmlContentFile", "valueString": "welcome"}]}]}
    return {
        "resourceType": "Contract", **({} if release == "dstu2" else {"status": "executable"}),
        "type": {"coding": [{"system": "http://hl7.org/fhir/contracttypecodes", "code": "consent"}]},
        "contained": [{"resourceType": "Organization", "id": "team", "name": "Journal Team"}],
        "authority": [{"reference": "#team"}],
        "term": [term if release != "r4" else {**term, "offer": {"text": term["text"]}}]}


def signed(release, person):
    """The Contract as the app of the release signs it."""
    party = {"reference": f"Patient/{person}"}
    if release == "dstu2":
        signer = {"type": {"system": "http://hl7.org/fhir/ValueSet/contract-signer-type", "code": "CONSENTER"},
                  "party": party, "signature": person}
    else:
        signer = {"type": {"system": "http://hl7.org/fhir/ValueSet/contract-signer-type", "code": "CONSENTER"},
                  "party": party, "signature": [{
                      "type": [{"system": "http://hl7.org/fhir/ValueSet/signature-type",
                                "code": "1.2.840.10065.1.12.1.7"}],
                      "when": AUTHORED, "whoReference": party}]}
    contract = consent(release)
    if release != "dstu2":
        contract["status"] = "executed"
    return {**contract, "applies": {"start": AUTHORED}, "signer": [signer]}


def publish(study, releases=RELEASES):
    """Writes the files, as odd in their spaces as hands write them; gives the forms' bytes by release."""
    written = {}
    for release in releases:
        for folder, name, resource in (("questionnaires", "journal", form(release)),
                                       ("questionnaires", "ValueSet_medicines", concepts(release)),
                                       ("consent", "consent", consent(release))):
            path = study.dir / folder / f"{name}.{release}.json"
            path.write_bytes(json.dumps(resource, indent=3).encode() + b"\n\n")
            written[release, resource["resourceType"]] = path.read_bytes()
    html = study.dir / "consent" / "HTMLContent"
    html.mkdir(exist_ok=True)
    (html / "welcome.html").write_text("<p>All that there is to say.</p>")
    return written
