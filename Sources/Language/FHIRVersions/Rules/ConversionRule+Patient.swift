import FHIR

extension ConversionRule {
    /// Patient: <https://hl7.org/fhir/DSTU2/patient.html>, <https://hl7.org/fhir/STU3/patient.html>.
    static let patient: [String: Rule] = [
        "Patient.animal": animal,
        "Patient.link.type": code(["replace": "replaced-by"]),
        "Patient.contact.relationship": relationship,
    ]

    /// Converts animals into R4's standard extension (<https://hl7.org/fhir/R4/extension-patient-animal.html>).
    private static let animal: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            let object = pair.value.object ?? JSONObject()
            let known: Set<String> = ["species", "breed", "genderStatus"]
            guard object["species"]?.object != nil, object.members.allSatisfy({ known.contains($0.key) }) else {
                conversion.carry(part.with(pair), in: context, into: &output)
                continue
            }
            var parts: [JSON] = []
            for member in object.members {
                let trail = pair.trail.member(member.key)
                guard let concept = conversion.value(member.value, as: "CodeableConcept", at: trail) else {
                    conversion.addFormNote("Patient.animal." + member.key, at: trail)
                    continue
                }
                parts.append(["url": .string(member.key), "valueCodeableConcept": concept])
            }
            output.extend([
                "url": "http://hl7.org/fhir/StructureDefinition/patient-animal", "extension": .array(parts),
            ])
        }
    }

    /// Adds R4's code for emergency contacts from v2's table 0131
    /// (<https://hl7.org/fhir/R4/valueset-patient-contactrelationship.html>). The older code is kept, and so are codes
    /// without an equivalent.
    private static let relationship: Rule = { part, context, output, conversion in
        var part = part
        if let value = part.value {
            part.value = value.array.map { .array($0.map(related)) } ?? related(value)
        }
        conversion.keep(part, as: part.key, in: context, into: &output)
    }

    private static func related(_ concept: JSON) -> JSON {
        guard let codings = concept["coding"]?.array else { return concept }
        let isEmergency = codings.contains {
            $0["system"]?.string == "http://hl7.org/fhir/patient-contact-relationship"
                && $0["code"]?.string == "emergency"
        }
        guard isEmergency else { return concept }
        var result = concept
        result["coding"] = .array(codings + [emergencyContact])
        return result
    }

    private static let emergencyContact: JSON = [
        "system": "http://terminology.hl7.org/CodeSystem/v2-0131", "code": "C", "display": "Emergency Contact",
    ]
}
