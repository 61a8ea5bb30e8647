import FHIR

/// The rule for an element that has another name, type or path in R4.
///
/// A rule writes the converted part into the output, or passes it back to ``Conversion/keep(_:as:_:_:)`` or
/// ``Conversion/carry(_:_:_:)``.
enum ConversionRule {
    typealias Rule = @Sendable (ConversionPart, ConversionPlace, inout ConversionOutput, inout Conversion) -> Void

    /// Returns the rule for an element, by its path in the older release without the type of a choice.
    static func rule(_ version: FHIRVersion, _ path: String) -> Rule? {
        common[path] ?? (version == .dstu2 ? dstu2[path] : stu3[path])
    }

    /// Returns the rule that keeps the value under another name.
    static func renamed(_ name: String) -> Rule {
        { part, place, output, conversion in
            // A choice keeps its type: bindingReference becomes legallyBindingReference.
            let choice = conversion.source.choice(part.key, below: place.from)
            let key = name + (choice.map { String(part.key.dropFirst($0.name.count)) } ?? "")
            let isRepeated = conversion.target.member(key, below: place.to)?.member.isRepeated ?? false
            // If both names are present, the newer one is used, and the older one is kept in an extension.
            guard !isRepeated, place.object[key] != nil || output.object[key] != nil else {
                conversion.keep(part, as: key, place, &output)
                return
            }
            guard conversion.source.member(part.key, below: place.from) == nil,
                let wanted = conversion.target.member(key, below: place.to), wanted.isPrimitive
            else {
                conversion.carry(part, place, &output)
                return
            }
            if part.value == place.object[key], part.sibling == nil { return }
            conversion.carry(
                surplus: (part.value ?? .null, part.sibling ?? .null, part.trail), wanted, part.key, place, &output)
        }
    }

    /// Returns the rule that replaces codes by R4's codes.
    static func code(_ codes: [String: String]) -> Rule {
        { part, place, output, conversion in
            guard let old = part.value?.string, let new = codes[old] else {
                conversion.keep(part, as: part.key, place, &output)
                return
            }
            conversion.note(.changed, place.from + "." + part.key, "\(old) is \(new) in R4", part.trail)
            var renamed = part
            renamed.value = .string(new)
            conversion.keep(renamed, as: part.key, place, &output)
        }
    }

    /// Returns the rule that appends each value to another element, in the same form or in a form that `make` creates.
    static func each(
        _ make: @escaping @Sendable (JSON, ConversionPart.Pair, inout Conversion) -> JSON?, of type: String,
        to key: String
    ) -> Rule {
        { part, place, output, conversion in
            for pair in part.pairs {
                let inside = ElementTable.isPrimitive(type) ? nil : type
                let path = place.from + "." + part.key
                guard
                    let value = conversion.value(pair.value, (from: type, to: inside), type: type, path, pair.trail),
                    let made = make(value, pair, &conversion)
                else {
                    if pair.value != .null || pair.sibling != .null { conversion.noteForm(path, pair.trail) }
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
    static let contained: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            guard var object = pair.value.object, !object.isEmpty else {
                if pair.value != .null { conversion.noteForm(place.from + ".contained", pair.trail) }
                continue
            }
            if let id = object["id"]?.string, id.hasPrefix("#") {
                object["id"] = .string(String(id.dropFirst()))
                conversion.note(
                    .changed, place.from + ".contained.id", "it is written without #", pair.trail.member("id"))
            }
            output.append(.object(conversion.inner(object, at: pair.trail)), to: "contained")
        }
    }

    /// Converts STU3's context, unless it is an episode of care, for which R4 has no element.
    private static let encounterContext: Rule = { part, place, output, conversion in
        if Reference(json: part.value)?.literal?.type == "EpisodeOfCare" {
            conversion.carry(part, place, &output)
        } else {
            renamed("encounter")(part, place, &output, &conversion)
        }
    }

    private static let telecom: Rule = { part, place, output, conversion in
        var points: [JSON] = []
        for pair in part.pairs {
            if let point = conversion.value(pair.value, "ContactPoint", pair.trail) {
                points.append(point)
            } else {
                conversion.noteForm(place.from + "." + part.key, pair.trail)
            }
        }
        if !points.isEmpty { output.append(["telecom": .array(points)], to: "contact") }
    }
}
