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

    /// C3-PRO's apps wrote the type as an object, others as an array, one as a concept.
    private static let signerType: Rule = { part, place, output, conversion in
        var codings = part.objects.flatMap { object in
            object["coding"]?.array?.compactMap(\.object) ?? [object]
        }
        guard !codings.isEmpty else {
            conversion.note(.leftOut, "Contract.signer.type", "the value has not the form of its type")
            return
        }
        let first = codings.removeFirst()
        output.set("type", (.object(conversion.element(first, from: "Coding", to: "Coding")), .null))
        for coding in codings {
            conversion.note(.keptInExtension, "Contract.signer.type", "R4 allows one type")
            let value = JSON.object(conversion.element(coding, from: "Coding", to: "Coding"))
            output.extend(conversion.url(place.from, "type"), type: "Coding", value: value)
        }
    }

    /// DSTU2's signature is a text: with C3-PRO the id of the patient who signed.
    private static let signerSignature: Rule = { part, place, output, conversion in
        for (value, _) in part.pairs {
            if let object = value.object {
                output.append(.object(conversion.signature(object, of: place.object)), to: "signature")
            } else if let text = value.string {
                let party = Reference(json: place.object["party"])
                let who: JSON
                if let party, party.reference != nil {
                    who = .object(conversion.element(party.object, from: "Reference", to: "Reference"))
                } else if Resource.isID(text) {
                    who = ["reference": .string("Patient/" + text)]
                    if place.object["party"] == nil { output.set("party", (who, .null)) }
                } else {
                    who = DataAbsent.element
                }
                var signature = JSONObject()
                signature["type"] = [consentSignature]
                signature["who"] = who
                output.append(.object(conversion.dated(signature)), to: "signature")
                conversion.note(.keptInExtension, "Contract.signer.signature")
                output.extend(conversion.url(place.from, "signature"), type: "string", value: value)
            } else if value != .null {
                conversion.note(.leftOut, "Contract.signer.signature", "the value has not the form of its type")
            }
        }
    }

    /// The type of a consent's signature (ASTM E1762).
    private static let consentSignature: JSON = [
        "system": "urn:iso-astm:E1762-95:2013", "code": "1.2.840.10065.1.12.1.7", "display": "Consent Signature",
    ]

    /// R4 has one topic where STU3 had several.
    private static let topic: Rule = { part, place, output, conversion in
        let references = part.pairs.filter { $0.value.object != nil }
        guard let first = references.first?.value.object else { return }
        output.set("topicReference", (.object(conversion.element(first, from: "Reference", to: "Reference")), .null))
        guard references.count > 1 else { return }
        let rest = ConversionPart(key: "topic", value: .array(references.dropFirst().map(\.value)), sibling: nil)
        conversion.carry(rest, place, &output)
    }

    private static let securityLabel: Rule = { part, _, output, conversion in
        for coding in part.objects {
            let value = JSON.object(conversion.element(coding, from: "Coding", to: "Coding"))
            output.append(["classification": value], to: "securityLabel")
        }
    }
}

extension Conversion {
    /// A signature of STU3 as R4 asks for it.
    mutating func signature(_ object: JSONObject, of signer: JSONObject) -> JSONObject {
        var signature = element(object, from: "Signature", to: "Signature")
        if signature["who"] == nil { signature["who"] = signer["party"] ?? DataAbsent.element }
        return signature["when"] == nil ? dated(signature) : signature
    }

    /// Gives a signature its time, which DSTU2 has not: the beginning of the contract's validity, else the day it was
    /// issued, else that it is not known.
    mutating func dated(_ signature: JSONObject) -> JSONObject {
        var signature = signature
        let candidates = [current["applies"]?["start"]?.string, current["issued"]?.string]
        if let instant = candidates.lazy.compactMap({ $0.flatMap(PrimitiveRepair.instant) }).first {
            signature.set("when", .string(instant), at: 1)
            note(.supplied, "Contract.signer.signature.when", "from applies.start or issued")
        } else {
            signature["_when"] = DataAbsent.element
            note(.supplied, "Contract.signer.signature.when", "not known")
        }
        return signature
    }
}
