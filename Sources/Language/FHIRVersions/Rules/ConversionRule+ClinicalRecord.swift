import FHIR

extension ConversionRule {
    /// The resources that hospitals send to phones in DSTU2: <https://hl7.org/fhir/DSTU2/allergyintolerance.html>,
    /// <https://hl7.org/fhir/DSTU2/immunization.html>, <https://hl7.org/fhir/DSTU2/medicationorder.html>.
    static let clinicalRecord: [String: Rule] = [
        "AllergyIntolerance.substance": renamed("code"),
        "AllergyIntolerance.reporter": renamed("asserter"),
        "AllergyIntolerance.lastOccurence": renamed("lastOccurrence"),
        "AllergyIntolerance.onset": chosen("onsetDateTime"),
        "AllergyIntolerance.criticality": code(["CRITL": "low", "CRITH": "high", "CRITU": "unable-to-assess"]),
        "AllergyIntolerance.status": allergyStatus,
        "Immunization.date": chosen("occurrenceDateTime"),
        "Immunization.reported": primarySource,
        "Immunization.wasNotGiven": notGiven,
        "Immunization.status": immunizationStatus,
        "Immunization.performer": each({ value, _, _ in ["actor": value] }, of: "Reference", to: "performer"),
        "Immunization.requester": each(
            { value, _, _ in ["function": ["coding": [orderingProvider]], "actor": value] }, of: "Reference",
            to: "performer"),
        "MedicationOrder.patient": renamed("subject"),
        "MedicationOrder.dateWritten": renamed("authoredOn"),
        "MedicationOrder.prescriber": renamed("requester"),
        "MedicationOrder.note": note,
        "MedicationOrder.reason": { part, context, output, conversion in
            let name = part.key == "reasonReference" ? "reasonReference" : "reasonCode"
            conversion.keep(part, as: name, in: context, into: &output)
        },
    ]

    /// Returns the rule for an element with one type that became a choice.
    private static func chosen(_ name: String) -> Rule {
        { part, context, output, conversion in conversion.keep(part, as: name, in: context, into: &output) }
    }

    /// Converts one status into two: whether the allergy is active, and how certain it is.
    private static let allergyStatus: Rule = { part, context, output, conversion in
        let status = part.value?.string ?? ""
        let (name, system): (String, String)
        switch status {
        case "active", "inactive", "resolved": (name, system) = ("clinicalStatus", "allergyintolerance-clinical")
        case "unconfirmed", "confirmed", "refuted", "entered-in-error":
            (name, system) = ("verificationStatus", "allergyintolerance-verification")
        default:
            conversion.carry(part, in: context, into: &output)
            return
        }
        guard !output.has(name) else {
            conversion.carry(part, in: context, into: &output)
            return
        }
        output.set(name, to: concept(status, in: system, of: part, &conversion))
    }

    /// Inverts the flag: R4 states whether the recorder was present, the older release whether it was only reported.
    private static let primarySource: Rule = { part, context, output, conversion in
        guard let isReported = part.value?.bool, part.sibling == nil, !output.has("primarySource") else {
            conversion.carry(part, in: context, into: &output)
            return
        }
        conversion.addNote(
            .changed, path: "Immunization.reported", detail: "\(isReported) is \(!isReported) in R4", at: part.trail)
        output.set("primarySource", to: .bool(!isReported))
    }

    /// Converts the flag into the status: R4 has a status for a vaccination that was not given.
    private static let notGiven: Rule = { part, context, output, conversion in
        guard let wasNotGiven = part.value?.bool, part.sibling == nil else {
            conversion.carry(part, in: context, into: &output)
            return
        }
        conversion.addNote(
            .changed, path: "Immunization.wasNotGiven", detail: "the status says it in R4", at: part.trail)
        if wasNotGiven { output.set("status", to: "not-done") }
    }

    private static let immunizationStatus: Rule = { part, context, output, conversion in
        guard context.object["wasNotGiven"]?.bool == true else {
            conversion.keep(part, as: "status", in: context, into: &output)
            return
        }
        conversion.addNote(.changed, path: "Immunization.status", detail: "it is not-done in R4", at: part.trail)
    }

    private static let orderingProvider: JSON = [
        "system": "http://terminology.hl7.org/CodeSystem/v2-0443", "code": "OP", "display": "Ordering Provider",
    ]
}
