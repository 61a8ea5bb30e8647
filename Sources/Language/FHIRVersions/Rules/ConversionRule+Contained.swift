import FHIR

extension ConversionRule {
    /// Contained Condition: <https://hl7.org/fhir/DSTU2/condition.html>, <https://hl7.org/fhir/STU3/condition.html>.
    static let condition: [String: Rule] = [
        "Condition.patient": renamed("subject"),
        "Condition.context": renamed("encounter"),
        "Condition.dateRecorded": renamed("recordedDate"),
        "Condition.assertedDate": renamed("recordedDate"),
        "Condition.notes": note,
        "Condition.clinicalStatus": concept(
            "condition-clinical", ["active", "recurrence", "relapse", "inactive", "remission", "resolved"]),
        "Condition.verificationStatus": concept(
            "condition-ver-status", ["provisional", "differential", "confirmed", "refuted", "entered-in-error"]),
        "Condition.onset": age("onset"),
        "Condition.abatement": age("abatement"),
    ]

    /// Contained ReferralRequest, which is R4's ServiceRequest (<https://hl7.org/fhir/DSTU2/referralrequest.html>,
    /// <https://hl7.org/fhir/STU3/referralrequest.html>).
    static let referral: [String: Rule] = [
        "ReferralRequest.status": code([
            "requested": "active", "accepted": "active", "suspended": "on-hold", "cancelled": "revoked",
            "rejected": "revoked",
        ]),
        "ReferralRequest.patient": renamed("subject"),
        "ReferralRequest.context": renamed("encounter"),
        "ReferralRequest.date": renamed("authoredOn"),
        "ReferralRequest.reason": renamed("reasonCode"),
        "ReferralRequest.recipient": renamed("performer"),
        "ReferralRequest.type": renamed("category"),
        "ReferralRequest.specialty": renamed("performerType"),
        "ReferralRequest.serviceRequested": renamed("code"),
        "ReferralRequest.groupIdentifier": renamed("requisition"),
        "ReferralRequest.supportingInformation": renamed("supportingInfo"),
        "ReferralRequest.requester": requester,
    ]

    /// Converts a text into an annotation.
    static let note: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            var note = ConversionOutput()
            let path = context.from + "." + part.key
            let text = conversion.value(
                pair.value, inside: (from: "", to: nil), type: "markdown", path: path, at: pair.trail)
            if text == nil, pair.value != .null { conversion.addFormNote(path, at: pair.trail) }
            note.set("text", to: text ?? .null, sibling: conversion.sibling(pair.sibling, at: pair.trail))
            if !note.isEmpty { output.append(.object(note.finished), to: "note") }
        }
    }

    /// Converts a code into a concept; a code that its system does not have is put into an extension.
    private static func concept(_ system: String, _ codes: Set<String>) -> Rule {
        { part, context, output, conversion in
            guard let code = part.value?.string, codes.contains(code), !output.has(part.key) else {
                if part.value?.object != nil {
                    conversion.keep(part, as: part.key, in: context, into: &output)
                } else {
                    conversion.carry(part, in: context, into: &output)
                }
                return
            }
            output.set(part.key, to: concept(code, in: system, of: part, &conversion))
        }
    }

    /// Returns the concept for a part's code, with the sibling of the code.
    static func concept(
        _ code: String, in system: String, of part: ConversionPart, _ conversion: inout ReleaseConversion
    ) -> JSON {
        var coding: JSON = [
            "system": .string("http://terminology.hl7.org/CodeSystem/" + system), "code": .string(code),
        ]
        let sibling = conversion.sibling(part.sibling ?? .null, at: part.trail)
        if sibling != .null { coding["_code"] = sibling }
        return ["coding": [coding]]
    }

    /// Converts a Quantity of DSTU2 into an Age.
    private static func age(_ name: String) -> Rule {
        { part, context, output, conversion in
            conversion.keep(
                part, as: part.key == name + "Quantity" ? name + "Age" : part.key, in: context, into: &output)
        }
    }

    /// Converts the requester: STU3 states the agent and its organization, R4 only the agent.
    private static let requester: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard let object = pair.value.object, object.count == 1, let agent = object["agent"],
                !output.has("requester"),
                let reference = conversion.value(agent, as: "Reference", at: pair.trail.member("agent"))
            else {
                conversion.keep(part.with(pair), as: "requester", in: context, into: &output)
                continue
            }
            output.set("requester", to: reference)
        }
    }
}
