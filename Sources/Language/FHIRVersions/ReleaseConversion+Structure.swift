import FHIR

/// Conversion of resource types without rules of their own: elements that R4 has under the same name and with a
/// compatible type are kept, all others are put into cross-version extensions.
extension ReleaseConversion {
    /// Keeps a part if R4 has an element for it; otherwise carries it in an extension.
    mutating func keepByStructure(
        _ part: ConversionPart, in context: ConversionContext, into output: inout ConversionOutput
    ) {
        if context.to == "Basic", target.member(part.key, below: "DomainResource") == nil {
            carry(part, in: context, into: &output)
            return
        }
        if part.key == "contained" {
            ConversionRule.contained(part, context, &output, &self)
            return
        }
        guard let known = source.member(part.key, below: context.from) else {
            keep(part, as: part.key, in: context, into: &output)
            return
        }
        guard let key = newerKey(part, known: known, in: context), let wanted = target.member(key, below: context.to)
        else {
            carry(part, in: context, into: &output)
            return
        }
        var values: [(value: JSON, sibling: JSON)] = []
        let pairs = part.pairs
        guard budget.spend(pairs.count) else { return }
        for pair in pairs {
            let isFree = wanted.member.isRepeated || values.isEmpty && !isTaken(key, member: wanted.member, in: output)
            let (made, rest) =
                isFree ? fitted(pair, known: known, wanted: wanted, key: part.key, in: context) : (nil, .null)
            if made != nil || pair.value == .null && rest != .null {
                values.append((made ?? .null, rest))
            } else {
                carry(part.with(pair), in: context, into: &output)
            }
        }
        guard let first = values.first else { return }
        if wanted.member.isRepeated {
            output.append(values, to: key)
        } else {
            output.set(key, to: first.value, sibling: first.sibling)
        }
    }

    // MARK: Names

    /// Returns the JSON name of the element in R4; nil if it has none.
    private func newerKey(
        _ part: ConversionPart, known: ElementTable.Typed, in context: ConversionContext
    ) -> String? {
        func has(_ key: String) -> Bool { target.member(key, below: context.to) != nil }
        if has(part.key) { return part.key }
        let name = known.member.name
        // An element that was a choice, an element that became a choice, and a choice with other types.
        var keys = [name, name + ElementTable.suffix(known.type)]
        if known.type == "Reference" { keys.append(name + "Canonical") }
        if let key = keys.first(where: has) { return key }
        if known.type == "Reference", context.from == current["resourceType"]?.string,
            let other = ReleaseConversion.otherNames[part.key], has(other), context.object[other] == nil
        {
            let isEpisode = Reference(json: part.value)?.literal?.type == "EpisodeOfCare"
            return other == "encounter" && isEpisode ? nil : other
        }
        return nil
    }

    /// Elements of many resources that have the same meaning under both names.
    private static let otherNames = ["patient": "subject", "context": "encounter", "encounter": "context"]

    // MARK: Forms

    /// Returns the value in the form of R4's type, with its sibling; nil if there is none.
    private mutating func fitted(
        _ pair: ConversionPart.Pair, known: ElementTable.Typed, wanted: ElementTable.Typed, key: String,
        in context: ConversionContext
    ) -> (JSON?, JSON) {
        let path = context.to + "." + wanted.member.name
        if known.isPrimitive, wanted.isPrimitive {
            return primitive(pair, known: known.type, wanted: wanted.type, path: path, older: context.from + "." + key)
        }
        if known.type == "code", wanted.type == "CodeableConcept" {
            guard let code = pair.value.string, let system = RequiredCodes.r4.system(of: code, at: path) else {
                return (nil, .null)
            }
            var coding: JSON = ["system": .string(system), "code": .string(code)]
            let rest = sibling(pair.sibling, at: pair.trail)
            if rest != .null { coding["_code"] = rest }
            return (["coding": [coding]], .null)
        }
        guard pair.sibling == .null else { return (nil, .null) }
        switch (known.type, wanted.type) {
        case ("Reference", "canonical"), ("Reference", "uri"):
            guard let object = pair.value.object, object.count == 1, let url = object["reference"]?.string,
                url.contains("://") || url.hasPrefix("urn:") || url.hasPrefix("#")
            else { return (nil, .null) }
            return (.string(url), .null)
        case ("Coding", "CodeableConcept"):
            return (value(pair.value, as: "Coding", at: pair.trail).map { ["coding": [$0]] }, .null)
        case ("Quantity", "Money"), ("Money", "Money"):
            guard pair.value["system"]?.string == ConversionRule.currencies else { return (nil, .null) }
            return (
                value(pair.value, inside: (from: known.type, to: "Money"), type: "Money", path: path, at: pair.trail),
                .null
            )
        case ("", "ContactDetail"):
            guard let object = pair.value.object, !object.isEmpty, let from = known.inside else { return (nil, .null) }
            let made = element(object, from: from, to: "ContactDetail", at: pair.trail)
            return (made.isEmpty ? nil : .object(made), .null)
        case ("CodeableConcept", "UsageContext"):
            guard let concept = value(pair.value, as: "CodeableConcept", at: pair.trail) else { return (nil, .null) }
            addNote(
                .supplied, path: path + ".code", detail: "the kind of the context is not known",
                at: pair.trail.member("code"))
            return (["code": DataAbsent.element, "valueCodeableConcept": concept], .null)
        default:
            guard ReleaseConversion.fits(known, wanted), let from = known.inside else { return (nil, .null) }
            return (
                value(
                    pair.value, inside: (from: from, to: wanted.inside), type: wanted.type, path: path, at: pair.trail),
                .null
            )
        }
    }

    /// Returns a primitive value if R4's type allows it unchanged.
    private mutating func primitive(
        _ pair: ConversionPart.Pair, known: String, wanted: String, path: String, older: String
    ) -> (JSON?, JSON) {
        guard pair.value != .null else { return (nil, sibling(pair.sibling, at: pair.trail)) }
        guard ReleaseConversion.family(known) == ReleaseConversion.family(wanted),
            var (written, reason) = PrimitiveRepair.written(pair.value, type: wanted),
            reason == nil || known == wanted
        else { return (nil, .null) }
        if wanted == "id", known != "id", !Resource.isID(written.string ?? "") { return (nil, .null) }
        if let code = written.string, known == "code" || wanted == "code" {
            if RequiredCodes.r4.namesTypes(at: path), let newer = ResourceNames.renamed[code] {
                (written, reason) = (.string(newer), "\(code) is \(newer) in R4")
            } else if !RequiredCodes.r4.allows(code, at: path) {
                return (nil, .null)
            }
        }
        if let reason { addNote(.changed, path: older, detail: reason, at: pair.trail) }
        return (written, sibling(pair.sibling, at: pair.trail))
    }

    /// Returns the family of a primitive type. Values are kept unchanged within a family.
    private static func family(_ type: String) -> String {
        switch type {
        case "boolean", "time", "base64Binary", "xhtml": type
        case "integer", "decimal", "positiveInt", "unsignedInt": "number"
        case "date", "dateTime", "instant": "date"
        default: "text"
        }
    }
}
