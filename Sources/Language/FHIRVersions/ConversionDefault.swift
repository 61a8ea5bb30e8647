import FHIR

extension Conversion {
    /// Supplies what R4 requires in an element of a resource and the older release did not give.
    ///
    /// Elements inside data types are left alone, what they lack was lacking before, but where a resource is converted
    /// by structure only: there it may have been moved into an extension.
    mutating func supply(_ place: ConversionPlace, _ output: inout ConversionOutput) {
        // The value set that defines codes says it for them.
        if place.from == "ValueSet.codeSystem" { return }
        guard let type = place.to.split(separator: ".").first.map(String.init),
            target.describesResource(type) || isByStructure && !["Extension", "Narrative"].contains(type)
        else { return }
        for member in target.members(below: place.to) where member.isRequired {
            guard !Conversion.isPresent(member, in: output.object) else { continue }
            let path = place.to + "." + member.name
            let isItem = path == "QuestionnaireResponse.item.linkId" || path.hasPrefix("Questionnaire.item.")
            // Groups of DSTU2 without a linkId may be dissolved: their rule decides.
            if isItem, !place.from.contains(".item") { continue }
            note(.supplied, path, "R4 requires it", place.trail.member(member.name))
            if isItem, member.name == "linkId" {
                output.object.set("linkId", .string(nextLinkID()), at: 0)
                continue
            }
            if let value = Conversion.defaults[path] {
                output.object[member.isChoice ? member.name + "Boolean" : member.name] = value
                continue
            }
            let type = member.types.first ?? ""
            let name = member.isChoice ? member.name + ElementTable.suffix(type) : member.name
            if member.children == nil, ElementTable.isPrimitive(type) {
                output.object["_" + name] = member.isRepeated ? [DataAbsent.element] : DataAbsent.element
            } else {
                let unknown = unknown(member, place)
                output.object[name] = member.isRepeated ? [unknown] : unknown
            }
        }
    }

    /// An element that is not known; what R4 requires inside of it is not known either.
    private mutating func unknown(_ member: ElementTable.Member, _ place: ConversionPlace) -> JSON {
        guard let children = member.children, target.members(below: children).contains(where: \.isRequired) else {
            return DataAbsent.element
        }
        var inside = ConversionOutput()
        supply(
            ConversionPlace(object: JSONObject(), from: children, to: children, trail: place.trail.member(member.name)),
            &inside)
        return .object(inside.finished)
    }

    private static func isPresent(_ member: ElementTable.Member, in object: JSONObject) -> Bool {
        guard member.isChoice else { return object[member.name] != nil || object["_" + member.name] != nil }
        return object.members.contains { present in
            let key = present.key.hasPrefix("_") ? present.key.dropFirst() : present.key[...]
            return key.hasPrefix(member.name) && (key.dropFirst(member.name.count).first?.isUppercase ?? false)
        }
    }

    /// Values with which R4 reads as the older release did without them.
    private static let defaults: [String: JSON] = [
        // The apps send a response when the person is done with it.
        "QuestionnaireResponse.status": "completed",
        "Observation.status": "unknown",
        "ServiceRequest.status": "unknown",
        "CodeSystem.status": "unknown",
        "CodeSystem.content": "complete",
        "Encounter.status": "unknown",
        "ValueSet.status": "unknown",
        "Questionnaire.status": "unknown",
        // An included set without a system says nothing about codes.
        "ValueSet.compose.include": [["_system": DataAbsent.element]],
        // C3-PRO reads a criterion without a value as one that must be true.
        "Group.characteristic.value": true,
    ]
}
