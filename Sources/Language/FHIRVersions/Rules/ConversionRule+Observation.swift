import FHIR

extension ConversionRule {
    /// Observation: <https://hl7.org/fhir/DSTU2/observation.html>, <https://hl7.org/fhir/STU3/observation.html>.
    static let observation: [String: Rule] = [
        "Observation.comments": comment,
        "Observation.comment": comment,
        "Observation.related": related,
        "Observation.interpretation": interpretation,
        "Observation.component.interpretation": interpretation,
        "Observation.referenceRange.meaning": renamed("type"),
    ]

    private static let comment: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            var note = ConversionOutput()
            let text = conversion.value(
                pair.value, inside: (from: "", to: nil), type: "markdown", path: context.from + "." + part.key,
                at: pair.trail)
            if text == nil, pair.value != .null {
                conversion.addFormNote(context.from + "." + part.key, at: pair.trail)
            }
            note.set("text", to: text ?? .null, sibling: conversion.sibling(pair.sibling, at: pair.trail))
            if !note.isEmpty { output.append(.object(note.finished), to: "note") }
        }
    }

    /// Converts related observations: R4 has elements for members and sources, and standard extensions for sequels and
    /// replacements (<https://hl7.org/fhir/R4/observation-profiles.html>). Other relations are put into a cross-version
    /// extension.
    private static let related: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            let object = pair.value.object ?? JSONObject()
            let plain = object.members.allSatisfy { $0.key == "type" || $0.key == "target" }
            let type = object["type"]?.string ?? ""
            guard plain, let home = relations[type], let target = object["target"],
                let reference = conversion.value(target, as: "Reference", at: pair.trail.member("target"))
            else {
                conversion.carry(part.with(pair), in: context, into: &output)
                continue
            }
            conversion.addNote(
                .changed, path: "Observation.related.type", detail: "\(type) is \(home.name) in R4",
                at: pair.trail.member("type"))
            if let url = home.extensionURL {
                output.extend(url, type: "Reference", value: reference)
            } else {
                output.append(reference, to: home.name)
            }
        }
    }

    private static let relations: [String: (name: String, extensionURL: String?)] = [
        "has-member": ("hasMember", nil),
        "derived-from": ("derivedFrom", nil),
        "sequel-to": ("an extension", "http://hl7.org/fhir/StructureDefinition/observation-sequelTo"),
        "replaces": ("an extension", "http://hl7.org/fhir/StructureDefinition/observation-replaces"),
    ]

    /// Converts interpretations: R4 uses v3's ObservationInterpretation, the older releases v2's table 0078, with the
    /// same codes (<https://hl7.org/fhir/R4/valueset-observation-interpretation.html>).
    private static let interpretation: Rule = { part, context, output, conversion in
        var part = part
        if let value = part.value {
            part.value = value.array.map { .array($0.map(interpreted)) } ?? interpreted(value)
        }
        conversion.keep(part, as: part.key, in: context, into: &output)
    }

    private static func interpreted(_ concept: JSON) -> JSON {
        guard let codings = concept["coding"]?.array else { return concept }
        var result = concept
        result["coding"] = .array(
            codings.map { coding in
                guard coding["system"]?.string == "http://hl7.org/fhir/v2/0078", coding["code"]?.string != "null" else {
                    return coding
                }
                var copy = coding
                copy["system"] = "http://hl7.org/fhir/v3/ObservationInterpretation"
                return copy
            })
        return result
    }
}
