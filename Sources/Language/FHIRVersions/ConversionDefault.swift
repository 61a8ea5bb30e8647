import FHIR

extension ReleaseConversion {
    /// Supplies elements of a resource that R4 requires and that are missing.
    ///
    /// Elements inside of data types are not supplied, because they were missing before. The exception is a conversion
    /// by structure only, which may have moved them into an extension.
    mutating func supply(_ context: ConversionContext, _ output: inout ConversionOutput) {
        // The value set that defines the codes also states these elements for them.
        if context.from == "ValueSet.codeSystem" { return }
        guard let type = context.to.split(separator: ".").first.map(String.init),
            target.describesResource(type) || isByStructure && !["Extension", "Narrative"].contains(type)
        else { return }
        for member in target.members(below: context.to) where member.isRequired {
            guard !ReleaseConversion.isPresent(member, in: output.object) else { continue }
            let path = context.to + "." + member.name
            let isItem = path == "QuestionnaireResponse.item.linkId" || path.hasPrefix("Questionnaire.item.")
            // The rule of DSTU2's groups without a linkId decides about them, because it may dissolve them.
            if isItem, !context.from.contains(".item") { continue }
            addNote(.supplied, path: path, detail: "R4 requires it", at: context.trail.member(member.name))
            if isItem, member.name == "linkId" {
                output.object.set("linkId", .string(nextLinkID()), at: 0)
                continue
            }
            if let value = ReleaseConversion.defaults[path] {
                output.object[member.isChoice ? member.name + "Boolean" : member.name] = value
                continue
            }
            let type = member.types.first ?? ""
            let name = member.isChoice ? member.name + ElementTable.suffix(type) : member.name
            if member.children == nil, ElementTable.isPrimitive(type) {
                output.object["_" + name] = member.isRepeated ? [DataAbsent.element] : DataAbsent.element
            } else {
                let unknown = unknown(member, context)
                output.object[name] = member.isRepeated ? [unknown] : unknown
            }
        }
    }

    /// Returns an element with unknown content, including unknown required children.
    private mutating func unknown(_ member: ElementTable.Member, _ context: ConversionContext) -> JSON {
        guard let children = member.children, target.members(below: children).contains(where: \.isRequired) else {
            return DataAbsent.element
        }
        var inside = ConversionOutput()
        supply(
            ConversionContext(
                object: JSONObject(), from: children, to: children, trail: context.trail.member(member.name)),
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

    /// Values with which R4 has the same meaning as the older release without them.
    private static let defaults: [String: JSON] = [
        // The apps send a response when the person has completed it.
        "QuestionnaireResponse.status": "completed",
        "Observation.status": "unknown",
        "ServiceRequest.status": "unknown",
        "CodeSystem.status": "unknown",
        "CodeSystem.content": "complete",
        "Encounter.status": "unknown",
        "ValueSet.status": "unknown",
        "Questionnaire.status": "unknown",
        // An included set without a system has no codes of its own.
        "ValueSet.compose.include": [["_system": DataAbsent.element]],
        // C3-PRO reads a criterion without a value as a criterion that must be true.
        "Group.characteristic.value": true,
    ]
}
