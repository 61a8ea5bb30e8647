import FHIR

extension ConversionRule {
    /// Encounter: <https://hl7.org/fhir/DSTU2/encounter.html>, <https://hl7.org/fhir/STU3/encounter.html>.
    static let encounter: [String: Rule] = [
        "Encounter.class": encounterClass,
        "Encounter.patient": renamed("subject"),
        "Encounter.reason": renamed("reasonCode"),
        "Encounter.indication": renamed("reasonReference"),
        "Encounter.incomingReferral": renamed("basedOn"),
        "Encounter.length": { part, context, output, conversion in
            conversion.keepDuration(part, as: "length", in: context, into: &output)
        },
        "Encounter.diagnosis.role": renamed("use"),
    ]

    static let olderEncounter: [String: Rule] = [
        "Encounter.hospitalization.admittingDiagnosis": stayDiagnosis,
        "Encounter.hospitalization.dischargeDiagnosis": stayDiagnosis,
        "Encounter.hospitalization": hospitalization,
    ]

    /// Converts a code into a Coding.
    private static let encounterClass: Rule = { part, context, output, conversion in
        guard let code = part.value?.string, !code.isEmpty else {
            conversion.keep(part, as: "class", in: context, into: &output)
            return
        }
        var coding: JSON
        if let act = CodeSystems.encounterClasses[code] {
            coding = [
                "system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": .string(act.code),
                "display": .string(act.display),
            ]
            conversion.addNote(
                .changed, path: "Encounter.class", detail: "\(code) is \(act.code) in R4", at: part.trail)
        } else {
            coding = ["system": "http://hl7.org/fhir/encounter-class", "code": .string(code)]
        }
        let sibling = conversion.sibling(part.sibling ?? .null, at: part.trail)
        if sibling != .null { coding["_code"] = sibling }
        output.set("class", to: coding)
    }

    /// Moves the diagnoses of a hospitalization to the diagnoses of the encounter, as in R4.
    private static let hospitalization: Rule = { part, context, output, conversion in
        var part = part
        if var stay = part.value?.object {
            for (key, use) in uses {
                guard let given = stay[key] else { continue }
                let inner = ConversionPart(
                    key: key, value: given, sibling: stay["_" + key], trail: part.trail.member(key))
                for pair in inner.pairs {
                    let path = "Encounter.hospitalization." + key
                    if pair.sibling != .null { conversion.addFormNote(path, at: pair.trail) }
                    guard let condition = conversion.value(pair.value, as: "Reference", at: pair.trail) else {
                        if pair.value != .null { conversion.addFormNote(path, at: pair.trail) }
                        continue
                    }
                    output.append(["condition": condition, "use": ["coding": [use]]], to: "diagnosis")
                }
                stay[key] = nil
                stay["_" + key] = nil
            }
            // Nothing else may be left.
            if stay.isEmpty { return }
            part.value = .object(stay)
        }
        conversion.keep(part, as: part.key, in: context, into: &output)
    }

    /// In a list of hospitalizations, the diagnoses cannot be moved to the encounter.
    private static let stayDiagnosis: Rule = { part, context, output, conversion in
        conversion.carry(part, in: context, into: &output)
    }

    private static let uses: [(key: String, use: JSON)] = [
        (
            "admittingDiagnosis",
            [
                "system": "http://terminology.hl7.org/CodeSystem/diagnosis-role", "code": "AD",
                "display": "Admission diagnosis",
            ]
        ),
        (
            "dischargeDiagnosis",
            [
                "system": "http://terminology.hl7.org/CodeSystem/diagnosis-role", "code": "DD",
                "display": "Discharge diagnosis",
            ]
        ),
    ]
}
