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
    private static let signerType: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            let path = "Contract.signer.type"
            if let codings = pair.value["coding"]?.array {
                for (index, coding) in codings.enumerated() {
                    signerType(
                        coding, at: .index(pair.trail.member("coding"), index), in: context, output: &output,
                        conversion: &conversion)
                }
                for member in pair.value.object?.members ?? [] where member.key != "coding" {
                    conversion.addNote(
                        .leftOut, path: path, detail: "a Coding has no such element", at: pair.trail.member(member.key))
                }
            } else if pair.value != .null {
                signerType(pair.value, at: pair.trail, in: context, output: &output, conversion: &conversion)
            }
            if pair.sibling != .null { conversion.addFormNote(path, at: pair.trail) }
        }
    }

    private static func signerType(
        _ value: JSON, at trail: ConversionTrail, in context: ConversionContext, output: inout ConversionOutput,
        conversion: inout ReleaseConversion
    ) {
        guard let coding = conversion.value(value, as: "Coding", at: trail) else {
            conversion.addFormNote("Contract.signer.type", at: trail)
            return
        }
        guard output.object["type"] != nil else {
            output.set("type", to: coding)
            return
        }
        conversion.addNote(.keptInExtension, path: "Contract.signer.type", detail: "R4 allows one type", at: trail)
        output.extend(conversion.url(context.from, "type"), type: "Coding", value: coding)
    }

    /// Converts DSTU2's signature, which is a text: with C3-PRO, the id of the patient who signed.
    private static let signerSignature: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            if let object = pair.value.object, !object.isEmpty {
                output.append(.object(conversion.signature(object, of: context, at: pair.trail)), to: "signature")
            } else if let text = pair.value.string, !text.isEmpty {
                output.append(.object(conversion.signature(text, of: context, &output)), to: "signature")
                conversion.addNote(.keptInExtension, path: "Contract.signer.signature", detail: "", at: pair.trail)
                output.extend(
                    conversion.url(context.from, "signature"), type: "string", value: pair.value,
                    sibling: conversion.sibling(pair.sibling, at: pair.trail))
            } else if pair.value != .null || pair.sibling != .null {
                conversion.addFormNote("Contract.signer.signature", at: pair.trail)
            }
        }
    }

    /// The type of a consent's signature (ASTM E1762).
    fileprivate static let consentSignature: JSON = [
        "system": "urn:iso-astm:E1762-95:2013", "code": "1.2.840.10065.1.12.1.7", "display": "Consent Signature",
    ]

    /// Converts the topic: R4 has one topic, STU3 several.
    private static let topic: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard let reference = conversion.value(pair.value, as: "Reference", at: pair.trail) else {
                if pair.value != .null || pair.sibling != .null {
                    conversion.addFormNote(context.from + ".topic", at: pair.trail)
                }
                continue
            }
            if output.has("topicReference") {
                conversion.carry(part.with(pair), in: context, into: &output)
            } else {
                output.set("topicReference", to: reference)
            }
        }
    }

    private static let securityLabel: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            if let label = conversion.value(pair.value, as: "Coding", at: pair.trail) {
                output.append(["classification": label], to: "securityLabel")
            } else if pair.value != .null || pair.sibling != .null {
                conversion.addFormNote(context.from + ".securityLabel", at: pair.trail)
            }
        }
    }
}

extension ReleaseConversion {
    /// Converts a signature of STU3 to R4's.
    fileprivate mutating func signature(
        _ object: JSONObject, of context: ConversionContext, at trail: ConversionTrail
    ) -> JSONObject {
        var signature = element(object, from: "Signature", to: "Signature", at: trail)
        if signature["who"] == nil { signature["who"] = party(of: context) ?? DataAbsent.element }
        return signature["when"] == nil && signature["_when"] == nil ? dated(signature, trail) : signature
    }

    /// Returns the signature for a text of DSTU2: of the party, or else of the patient with this id.
    fileprivate mutating func signature(
        _ text: String, of context: ConversionContext, _ output: inout ConversionOutput
    ) -> JSONObject {
        var who = party(of: context)
        if who == nil, Resource.isID(text) {
            who = ["reference": .string("Patient/" + text)]
            if context.object["party"] == nil, let who { output.set("party", to: who) }
        }
        var signature = JSONObject()
        signature["type"] = [ConversionRule.consentSignature]
        signature["who"] = who ?? DataAbsent.element
        return dated(signature, context.trail.member("signature"))
    }

    private mutating func party(of context: ConversionContext) -> JSON? {
        guard let party = context.object["party"], let text = party["reference"]?.string else { return nil }
        // Each signature repeats the party, whatever its size.
        let weight = text.utf8.count + (party["display"]?.string?.utf8.count ?? 0)
        guard budget.spend(weight / 64) else { return nil }
        return value(party, as: "Reference", at: context.trail.member("party"))
    }

    /// Adds the time, which DSTU2's signature does not have: the start of the contract's validity, else the date of
    /// issue, else the data absent reason.
    private mutating func dated(_ signature: JSONObject, _ trail: ConversionTrail) -> JSONObject {
        var signature = signature
        let candidates = [current["applies"]?["start"]?.string, current["issued"]?.string]
        let whenTrail = trail.member("when")
        if let instant = candidates.lazy.compactMap({ $0.flatMap(PrimitiveRepair.instant) }).first {
            signature.set("when", .string(instant), at: 1)
            addNote(
                .supplied, path: "Contract.signer.signature.when", detail: "from applies.start or issued", at: whenTrail
            )
        } else {
            signature["_when"] = DataAbsent.element
            addNote(.supplied, path: "Contract.signer.signature.when", detail: "not known", at: whenTrail)
        }
        return signature
    }
}
