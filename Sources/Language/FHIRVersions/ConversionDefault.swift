import FHIR

extension Conversion {
    /// Supplies what R4 requires in an element of a resource and the older release did not give.
    ///
    /// Elements inside data types are left alone: what they lack was lacking before.
    mutating func supply(_ place: ConversionPlace, _ output: inout ConversionOutput) {
        finish(place, &output)
        guard let type = place.to.split(separator: ".").first, FHIRConversion.resourceTypes.contains(String(type))
        else { return }
        for member in target.members(below: place.to) where member.isRequired {
            guard !Conversion.isPresent(member, in: output.object) else { continue }
            let path = place.to + "." + member.name
            let isItem = path == "QuestionnaireResponse.item.linkId" || path.hasPrefix("Questionnaire.item.")
            // Groups of DSTU2 without a linkId may be dissolved: their rule decides.
            if isItem, !place.from.contains(".item") { continue }
            note(.supplied, path)
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
                output.object[name] = member.isRepeated ? [DataAbsent.element] : DataAbsent.element
            }
        }
    }

    /// What follows from the whole element.
    private mutating func finish(_ place: ConversionPlace, _ output: inout ConversionOutput) {
        switch place.to {
        case "Contract":
            // DSTU2 has no status; a contract that somebody signed is in force.
            if output.object["status"] == nil, output.object["signer"] != nil { output.object["status"] = "executed" }
        case "Contract.term":
            // R4 wants an offer in each term, which is where it has a text of its own.
            if output.object["offer"] == nil, let text = output.object["text"] {
                output.object["offer"] = ["text": text]
                note(.supplied, "Contract.term.offer", "from text")
            }
        default: break
        }
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
        "Encounter.status": "unknown",
        "ValueSet.status": "unknown",
        "Questionnaire.status": "unknown",
        // C3-PRO reads a criterion without a value as one that must be true.
        "Group.characteristic.value": true,
    ]
}
