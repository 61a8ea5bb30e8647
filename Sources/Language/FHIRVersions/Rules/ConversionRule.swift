import FHIR

/// The rule for an element that has another name, type or path in R4.
///
/// A rule writes the converted part into the output, or passes it back to ``ReleaseConversion/keep(_:as:in:into:)`` or
/// ``ReleaseConversion/carry(_:in:into:)``.
enum ConversionRule {
    typealias Rule =
        @Sendable (ConversionPart, ConversionContext, inout ConversionOutput, inout ReleaseConversion) -> Void

    /// Returns the rule for an element, by its path in the older release without the type of a choice.
    static func rule(_ version: FHIRVersion, _ path: String) -> Rule? {
        common[path] ?? (version == .dstu2 ? dstu2[path] : stu3[path])
    }

    /// Returns the rule that keeps the value under another name.
    static func renamed(_ name: String) -> Rule {
        { part, context, output, conversion in
            // A choice keeps its type: bindingReference becomes legallyBindingReference.
            let choice = conversion.source.choice(part.key, below: context.from)
            let key = name + (choice.map { String(part.key.dropFirst($0.name.count)) } ?? "")
            let isRepeated = conversion.target.member(key, below: context.to)?.member.isRepeated ?? false
            // If both names are present, the newer one is used, and the older one is kept in an extension.
            guard !isRepeated, context.object[key] != nil || output.object[key] != nil else {
                conversion.keep(part, as: key, in: context, into: &output)
                return
            }
            guard conversion.source.member(part.key, below: context.from) == nil,
                let wanted = conversion.target.member(key, below: context.to), wanted.isPrimitive
            else {
                conversion.carry(part, in: context, into: &output)
                return
            }
            if part.value == context.object[key], part.sibling == nil { return }
            conversion.carry(
                surplus: (part.value ?? .null, part.sibling ?? .null, part.trail), of: wanted, key: part.key,
                in: context, into: &output)
        }
    }

    /// Returns the rule that replaces codes by R4's codes.
    static func code(_ codes: [String: String]) -> Rule {
        { part, context, output, conversion in
            guard let old = part.value?.string, let new = codes[old] else {
                conversion.keep(part, as: part.key, in: context, into: &output)
                return
            }
            conversion.addNote(
                .changed, path: context.from + "." + part.key, detail: "\(old) is \(new) in R4", at: part.trail)
            var renamed = part
            renamed.value = .string(new)
            conversion.keep(renamed, as: part.key, in: context, into: &output)
        }
    }

    /// Returns the rule that appends each value to another element, in the same form or in a form that `make` creates.
    static func each(
        _ make: @escaping @Sendable (JSON, ConversionPart.Pair, inout ReleaseConversion) -> JSON?, of type: String,
        to key: String
    ) -> Rule {
        { part, context, output, conversion in
            for pair in part.pairs {
                let inside = ElementTable.isPrimitive(type) ? nil : type
                let path = context.from + "." + part.key
                guard
                    let value = conversion.value(
                        pair.value, inside: (from: type, to: inside), type: type, path: path, at: pair.trail),
                    let made = make(value, pair, &conversion)
                else {
                    if pair.value != .null || pair.sibling != .null { conversion.addFormNote(path, at: pair.trail) }
                    continue
                }
                output.append(made, to: key)
            }
        }
    }

    /// Rules for both older releases; they also apply if an app of one release uses elements of the other.
    private static let common: [String: Rule] = {
        var rules: [String: Rule] = contract
        for more in [
            response, observation, patient, device, encounter, dataTypes, valueSet, concepts, bundle, organization,
            condition, referral, definitions,
        ] {
            rules.merge(more) { $1 }
        }
        rules["Binary.content"] = renamed("data")
        for type in FHIRConversion.resourceTypes.union(FHIRConversion.containedTypes) {
            rules[type + ".contained"] = contained
        }
        return rules
    }()

    private static let dstu2: [String: Rule] = {
        var rules: [String: Rule] = groupResponse
        for more in [groupQuestionnaire, inlineCodes, olderEncounter, olderDevice, clinicalRecord] {
            rules.merge(more) { $1 }
        }
        rules["Patient.careProvider"] = renamed("generalPractitioner")
        rules["Questionnaire.telecom"] = telecom
        return rules
    }()

    private static let stu3: [String: Rule] = {
        var rules: [String: Rule] = itemQuestionnaire
        rules["Observation.context"] = encounterContext
        rules["QuestionnaireResponse.context"] = encounterContext
        rules["QuestionnaireResponse.parent"] = renamed("partOf")
        return rules
    }()

    /// Converts contained resources; some apps wrote their ids with the `#` of the reference.
    static let contained: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard var object = pair.value.object, !object.isEmpty else {
                if pair.value != .null { conversion.addFormNote(context.from + ".contained", at: pair.trail) }
                continue
            }
            if let id = object["id"]?.string, id.hasPrefix("#") {
                object["id"] = .string(String(id.dropFirst()))
                conversion.addNote(
                    .changed, path: context.from + ".contained.id", detail: "it is written without #",
                    at: pair.trail.member("id"))
            }
            output.append(.object(conversion.inner(object, at: pair.trail)), to: "contained")
        }
    }

    /// Converts STU3's context, unless it is an episode of care, for which R4 has no element.
    private static let encounterContext: Rule = { part, context, output, conversion in
        if Reference(json: part.value)?.literal?.type == "EpisodeOfCare" {
            conversion.carry(part, in: context, into: &output)
        } else {
            renamed("encounter")(part, context, &output, &conversion)
        }
    }

    private static let telecom: Rule = { part, context, output, conversion in
        var points: [JSON] = []
        for pair in part.pairs {
            if let point = conversion.value(pair.value, as: "ContactPoint", at: pair.trail) {
                points.append(point)
            } else {
                conversion.addFormNote(context.from + "." + part.key, at: pair.trail)
            }
        }
        if !points.isEmpty { output.append(["telecom": .array(points)], to: "contact") }
    }
}
