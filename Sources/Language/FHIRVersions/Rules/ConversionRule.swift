import FHIR

/// What becomes of an element that R4 names, types or places otherwise.
///
/// A rule writes what it makes of the part into the output, or hands it back to ``Conversion/keep(_:as:_:_:)`` or
/// ``Conversion/carry(_:_:_:)``.
enum ConversionRule {
    typealias Rule = @Sendable (ConversionPart, ConversionPlace, inout ConversionOutput, inout Conversion) -> Void

    /// The rule for an element, by its path in the older release without the type of a choice.
    static func rule(_ version: FHIRVersion, _ path: String) -> Rule? {
        common[path] ?? (version == .dstu2 ? dstu2[path] : stu3[path])
    }

    /// Keeps the value under another name.
    static func renamed(_ name: String) -> Rule {
        { part, place, output, conversion in
            // A choice takes its type along: bindingReference becomes legallyBindingReference.
            let choice = conversion.source.choice(part.key, below: place.from)
            let key = name + (choice.map { String(part.key.dropFirst($0.name.count)) } ?? "")
            let isRepeated = conversion.target.member(key, below: place.to)?.member.isRepeated ?? false
            // Both names at once: the newer one has the place, the older one is kept beside it.
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
            guard let value = part.value, value != place.object[key] else { return }
            conversion.note(.keptInExtension, place.from + "." + part.key)
            output.extend(conversion.url(place.from, part.key), type: wanted.type, value: value)
        }
    }

    /// Rules for both older releases: also where an app of one release writes as the other did.
    private static let common: [String: Rule] = {
        var rules: [String: Rule] = contract
        rules.merge(response) { $1 }
        rules.merge(observation) { $1 }
        rules.merge(patient) { $1 }
        for type in FHIRConversion.resourceTypes { rules[type + ".contained"] = contained }
        rules["Extension.value"] = extensionValue
        rules["Quantity.units"] = renamed("unit")
        rules["Timing.repeat.durationUnits"] = renamed("durationUnit")
        rules["Timing.repeat.periodUnits"] = renamed("periodUnit")
        rules["HumanName.family"] = family
        rules["Signature.who"] = signatureReference("who")
        rules["Signature.onBehalfOf"] = signatureReference("onBehalfOf")
        rules["Signature.contentType"] = renamed("sigFormat")
        rules["Signature.blob"] = renamed("data")
        return rules
    }()

    private static let dstu2: [String: Rule] = {
        var rules: [String: Rule] = groupResponse
        rules.merge(groupQuestionnaire) { $1 }
        rules.merge(olderEncounter) { $1 }
        rules.merge(valueSet) { $1 }
        rules["Patient.careProvider"] = renamed("generalPractitioner")
        rules["Questionnaire.telecom"] = telecom
        return rules
    }()

    private static let stu3: [String: Rule] = {
        var rules: [String: Rule] = itemQuestionnaire
        rules.merge(olderEncounter) { $1 }
        rules["Observation.context"] = encounterContext
        rules["QuestionnaireResponse.context"] = encounterContext
        rules["QuestionnaireResponse.parent"] = renamed("partOf")
        rules["Encounter.diagnosis.role"] = renamed("use")
        return rules
    }()

    /// Contained resources are converted too; some apps wrote their ids with the `#` of the reference.
    private static let contained: Rule = { part, _, output, conversion in
        for var object in part.objects {
            if let id = object["id"]?.string, id.hasPrefix("#") { object["id"] = .string(String(id.dropFirst())) }
            output.append(.object(conversion.resource(object)), to: "contained")
        }
    }

    /// R4's Money is no Quantity any more.
    private static let extensionValue: Rule = { part, place, output, conversion in
        let key = part.key == "valueMoney" ? "valueQuantity" : part.key
        conversion.keep(
            ConversionPart(key: key, value: part.value, sibling: part.sibling), as: key, place, &output)
    }

    /// Several family names of DSTU2 are one text in R4.
    private static let family: Rule = { part, place, output, conversion in
        let names = part.pairs.compactMap(\.value.string)
        guard part.value?.array != nil, part.pairs.count > 1 else {
            conversion.keep(part, as: part.key, place, &output)
            return
        }
        conversion.note(.changed, place.from + ".family", "several names are one text")
        let siblings = part.pairs.map(\.sibling).filter { $0 != .null }.map { conversion.sibling($0) }
        var extensions: [JSON] = []
        for sibling in siblings { extensions += sibling["extension"]?.array ?? [] }
        let joined: JSON = extensions.isEmpty ? .null : ["extension": .array(extensions)]
        output.set("family", (names.isEmpty ? .null : .string(names.joined(separator: " ")), joined))
    }

    /// `whoReference` and `whoUri` became one reference.
    private static func signatureReference(_ name: String) -> Rule {
        { part, place, output, conversion in
            if let uri = part.value?.string {
                output.set(name, (["reference": .string(uri)], .null))
            } else if let object = part.value?.object {
                output.set(name, (.object(conversion.element(object, from: "Reference", to: "Reference")), .null))
            } else {
                conversion.note(.leftOut, place.from + "." + part.key)
            }
        }
    }

    /// STU3's context may be an episode of care, for which R4 has no element.
    private static let encounterContext: Rule = { part, place, output, conversion in
        if Reference(json: part.value)?.literal?.type == "EpisodeOfCare" {
            conversion.carry(part, place, &output)
        } else {
            conversion.keep(part, as: "encounter", place, &output)
        }
    }

    private static let telecom: Rule = { part, _, output, conversion in
        let points = part.objects.map { JSON.object(conversion.element($0, from: "ContactPoint", to: "ContactPoint")) }
        if !points.isEmpty { output.append(["telecom": .array(points)], to: "contact") }
    }
}
