import FHIR

extension ConversionRule {
    /// Contract: <https://hl7.org/fhir/DSTU2/contract.html>, <https://hl7.org/fhir/STU3/contract.html>.
    static let contract: [String: Rule] = [
        "Contract.binding": renamed("legallyBinding"),
        "Contract.signer.type": signerType,
        "Contract.signer.signature": signerSignature,
        "Contract.topic": topic,
        "Contract.term.topic": topic,
        "Contract.term.securityLabel": securityLabel,
    ]

    /// C3-PRO's apps wrote the type as an object, other apps as an array, and one app as a concept.
    private static let signerType: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            let path = "Contract.signer.type"
            if let codings = pair.value["coding"]?.array {
                for (index, coding) in codings.enumerated() {
                    signerType(coding, .index(pair.trail.member("coding"), index), place, &output, &conversion)
                }
                for member in pair.value.object?.members ?? [] where member.key != "coding" {
                    conversion.note(.leftOut, path, "a Coding has no such element", pair.trail.member(member.key))
                }
            } else if pair.value != .null {
                signerType(pair.value, pair.trail, place, &output, &conversion)
            }
            if pair.sibling != .null { conversion.noteForm(path, pair.trail) }
        }
    }

    private static func signerType(
        _ value: JSON, _ trail: ConversionTrail, _ place: ConversionPlace, _ output: inout ConversionOutput,
        _ conversion: inout Conversion
    ) {
        guard let coding = conversion.value(value, "Coding", trail) else {
            conversion.noteForm("Contract.signer.type", trail)
            return
        }
        guard output.object["type"] != nil else {
            output.set("type", coding)
            return
        }
        conversion.note(.keptInExtension, "Contract.signer.type", "R4 allows one type", trail)
        output.extend(conversion.url(place.from, "type"), type: "Coding", value: coding)
    }

    /// Converts DSTU2's signature, which is a text: with C3-PRO, the id of the patient who signed.
    private static let signerSignature: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            if let object = pair.value.object, !object.isEmpty {
                output.append(.object(conversion.signature(object, of: place, at: pair.trail)), to: "signature")
            } else if let text = pair.value.string, !text.isEmpty {
                output.append(.object(conversion.signature(text, of: place, &output)), to: "signature")
                conversion.note(.keptInExtension, "Contract.signer.signature", "", pair.trail)
                output.extend(
                    conversion.url(place.from, "signature"), type: "string", value: pair.value,
                    sibling: conversion.sibling(pair.sibling, pair.trail))
            } else if pair.value != .null || pair.sibling != .null {
                conversion.noteForm("Contract.signer.signature", pair.trail)
            }
        }
    }

    /// The type of a consent's signature (ASTM E1762).
    fileprivate static let consentSignature: JSON = [
        "system": "urn:iso-astm:E1762-95:2013", "code": "1.2.840.10065.1.12.1.7", "display": "Consent Signature",
    ]

    /// Converts the topic: R4 has one topic, STU3 several.
    private static let topic: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            guard let reference = conversion.value(pair.value, "Reference", pair.trail) else {
                if pair.value != .null || pair.sibling != .null {
                    conversion.noteForm(place.from + ".topic", pair.trail)
                }
                continue
            }
            if output.has("topicReference") {
                conversion.carry(part.with(pair), place, &output)
            } else {
                output.set("topicReference", reference)
            }
        }
    }

    private static let securityLabel: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            if let label = conversion.value(pair.value, "Coding", pair.trail) {
                output.append(["classification": label], to: "securityLabel")
            } else if pair.value != .null || pair.sibling != .null {
                conversion.noteForm(place.from + ".securityLabel", pair.trail)
            }
        }
    }
}

extension Conversion {
    /// Converts a signature of STU3 to R4's.
    fileprivate mutating func signature(
        _ object: JSONObject, of place: ConversionPlace, at trail: ConversionTrail
    ) -> JSONObject {
        var signature = element(object, from: "Signature", to: "Signature", at: trail)
        if signature["who"] == nil { signature["who"] = party(of: place) ?? DataAbsent.element }
        return signature["when"] == nil && signature["_when"] == nil ? dated(signature, trail) : signature
    }

    /// Returns the signature for a text of DSTU2: of the party, or else of the patient with this id.
    fileprivate mutating func signature(
        _ text: String, of place: ConversionPlace, _ output: inout ConversionOutput
    ) -> JSONObject {
        var who = party(of: place)
        if who == nil, Resource.isID(text) {
            who = ["reference": .string("Patient/" + text)]
            if place.object["party"] == nil, let who { output.set("party", who) }
        }
        var signature = JSONObject()
        signature["type"] = [ConversionRule.consentSignature]
        signature["who"] = who ?? DataAbsent.element
        return dated(signature, place.trail.member("signature"))
    }

    private mutating func party(of place: ConversionPlace) -> JSON? {
        guard let party = place.object["party"], let text = party["reference"]?.string else { return nil }
        // Each signature repeats the party, whatever its size.
        let weight = text.utf8.count + (party["display"]?.string?.utf8.count ?? 0)
        guard budget.spend(weight / 64) else { return nil }
        return value(party, "Reference", place.trail.member("party"))
    }

    /// Adds the time, which DSTU2's signature does not have: the start of the contract's validity, else the date of
    /// issue, else the data absent reason.
    private mutating func dated(_ signature: JSONObject, _ trail: ConversionTrail) -> JSONObject {
        var signature = signature
        let candidates = [current["applies"]?["start"]?.string, current["issued"]?.string]
        let place = trail.member("when")
        if let instant = candidates.lazy.compactMap({ $0.flatMap(PrimitiveRepair.instant) }).first {
            signature.set("when", .string(instant), at: 1)
            note(.supplied, "Contract.signer.signature.when", "from applies.start or issued", place)
        } else {
            signature["_when"] = DataAbsent.element
            note(.supplied, "Contract.signer.signature.when", "not known", place)
        }
        return signature
    }
}
