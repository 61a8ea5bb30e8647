import FHIR

extension ConversionRule {
    /// Observation: <https://hl7.org/fhir/DSTU2/observation.html>, <https://hl7.org/fhir/STU3/observation.html>.
    static let observation: [String: Rule] = [
        "Observation.comments": comment,
        "Observation.comment": comment,
        "Observation.related": related,
        "Observation.referenceRange.meaning": renamed("type"),
    ]

    static let patient: [String: Rule] = ["Patient.animal": animal]

    static let olderEncounter: [String: Rule] = [
        "Encounter.class": encounterClass,
        "Encounter.patient": renamed("subject"),
        "Encounter.reason": renamed("reasonCode"),
        "Encounter.indication": renamed("reasonReference"),
        "Encounter.incomingReferral": renamed("basedOn"),
    ]

    private static let comment: Rule = { part, _, output, conversion in
        var note = JSONObject()
        if let text = part.value { note["text"] = text }
        let sibling = conversion.sibling(part.sibling ?? .null)
        if sibling != .null { note["_text"] = sibling }
        output.append(.object(note), to: "note")
    }

    /// R4 has elements for members and sources; other relations go into an extension.
    private static let related: Rule = { part, place, output, conversion in
        var others: [JSON] = []
        for (value, _) in part.pairs {
            let type = value["type"]?.string
            let key = type == "has-member" ? "hasMember" : type == "derived-from" ? "derivedFrom" : nil
            if let key, let target = value["target"]?.object {
                output.append(.object(conversion.element(target, from: "Reference", to: "Reference")), to: key)
            } else {
                others.append(value)
            }
        }
        guard !others.isEmpty else { return }
        conversion.carry(ConversionPart(key: "related", value: .array(others), sibling: nil), place, &output)
    }

    /// R4 has a standard extension for animals (<https://hl7.org/fhir/R4/extension-patient-animal.html>).
    private static let animal: Rule = { part, _, output, conversion in
        guard let animal = part.value?.object else { return }
        var parts: [JSON] = []
        for key in ["species", "breed", "genderStatus"] {
            guard let value = animal[key]?.object else { continue }
            let concept = conversion.element(value, from: "CodeableConcept", to: "CodeableConcept")
            parts.append(["url": .string(key), "valueCodeableConcept": .object(concept)])
        }
        guard !parts.isEmpty else { return }
        output.extend([
            "url": "http://hl7.org/fhir/StructureDefinition/patient-animal", "extension": .array(parts),
        ])
    }

    private static let encounterClass: Rule = { part, place, output, conversion in
        guard let code = part.value?.string else {
            conversion.keep(part, as: "class", place, &output)
            return
        }
        if let act = actCodes[code] {
            output.set(
                "class",
                (
                    [
                        "system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": .string(act.code),
                        "display": .string(act.display),
                    ], .null
                ))
            conversion.note(.changed, "Encounter.class", "a code of ActCode")
        } else {
            output.set("class", (["system": "http://hl7.org/fhir/encounter-class", "code": .string(code)], .null))
        }
    }

    /// DSTU2's classes that have a counterpart in ActCode (<https://hl7.org/fhir/R4/v3/ActEncounterCode/vs.html>).
    private static let actCodes: [String: (code: String, display: String)] = [
        "inpatient": ("IMP", "inpatient encounter"),
        "outpatient": ("AMB", "ambulatory"),
        "ambulatory": ("AMB", "ambulatory"),
        "emergency": ("EMER", "emergency"),
        "home": ("HH", "home health"),
        "field": ("FLD", "field"),
        "virtual": ("VR", "virtual"),
    ]

    /// ValueSet of DSTU2 (<https://hl7.org/fhir/DSTU2/valueset.html>): it may define codes and import other sets.
    static let valueSet: [String: Rule] = [
        "ValueSet.codeSystem": definedCodes,
        "ValueSet.compose": compose,
        "ValueSet.compose.import": imported,
        "ValueSet.requirements": renamed("purpose"),
        "ValueSet.lockedDate": lockedDate,
    ]

    private static let compose: Rule = { part, _, output, conversion in
        guard let object = part.value?.object else { return }
        join(.object(conversion.element(object, from: "ValueSet.compose", to: "ValueSet.compose")), &output)
    }

    private static let imported: Rule = { part, _, output, _ in
        for (value, _) in part.pairs where value.string != nil {
            output.append(["valueSet": [value]], to: "include")
        }
    }

    private static let lockedDate: Rule = { part, place, output, conversion in
        guard let value = part.value, place.object["compose"] != nil || place.object["codeSystem"] != nil else {
            conversion.carry(part, place, &output)
            return
        }
        join(["lockedDate": value], &output)
    }

    /// Codes that DSTU2 defines inside of the set are listed in it: R4 defines codes in a CodeSystem only.
    private static let definedCodes: Rule = { part, place, output, conversion in
        guard let system = part.value?.object else { return }
        var include = ConversionOutput()
        let path = "ValueSet.codeSystem"
        for inner in ConversionPart.parts(of: system) {
            let place = ConversionPlace(object: system, from: path, to: "ValueSet.compose.include")
            switch inner.key {
            case "system", "version": conversion.keep(inner, as: inner.key, place, &include)
            case "concept":
                for concept in inner.objects { list(concept, depth: 0, &include, &conversion) }
            case "id", "extension", "modifierExtension":
                conversion.keep(inner, as: inner.key, place, &include)
            default: conversion.carry(inner, place, &include)
            }
        }
        conversion.note(.changed, path, "the codes are listed in compose.include")
        join(["include": [.object(include.finished)]], &output)
    }

    private static func list(
        _ concept: JSONObject, depth: Int, _ output: inout ConversionOutput, _ conversion: inout Conversion
    ) {
        var rest = concept
        rest["concept"] = nil
        output.append(
            .object(
                conversion.element(
                    rest, from: "ValueSet.codeSystem.concept", to: "ValueSet.compose.include.concept")),
            to: "concept")
        let children = concept["concept"]?.array?.compactMap(\.object) ?? []
        if !children.isEmpty {
            conversion.note(.changed, "ValueSet.codeSystem.concept.concept", "the hierarchy is a flat list")
        }
        for child in children where depth < 32 { list(child, depth: depth + 1, &output, &conversion) }
    }

    /// Adds members to `compose`, which may stand before or behind what is added.
    private static func join(_ members: JSON, _ output: inout ConversionOutput) {
        var compose = output.object["compose"]?.object ?? JSONObject()
        for member in members.object?.members ?? [] {
            let before = compose[member.key]?.array
            compose[member.key] = before.map { .array($0 + (member.value.array ?? [])) } ?? member.value
        }
        output.object["compose"] = .object(compose)
    }
}
