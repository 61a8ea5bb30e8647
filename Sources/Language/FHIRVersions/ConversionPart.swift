import FHIR

/// A member of an element with its `_name` sibling.
struct ConversionPart {
    let key: String
    var value: JSON?
    var sibling: JSON?
    /// The location of the member.
    let trail: ConversionTrail

    /// Returns the members of an object in their order, each with its sibling.
    static func parts(of object: JSONObject, at trail: ConversionTrail) -> [ConversionPart] {
        var parts: [ConversionPart] = []
        for member in object.members {
            if member.key.hasPrefix("_"), !member.key.hasPrefix("__") {
                let key = String(member.key.dropFirst())
                guard object[key] == nil else { continue }
                parts.append(ConversionPart(key: key, value: nil, sibling: member.value, trail: trail.member(key)))
            } else {
                parts.append(
                    ConversionPart(
                        key: member.key, value: member.value, sibling: object["_" + member.key],
                        trail: trail.member(member.key)))
            }
        }
        return parts
    }

    /// One value of a member with its sibling; `null` if only the other exists.
    typealias Pair = (value: JSON, sibling: JSON, trail: ConversionTrail)

    /// The values with their siblings, one by one.
    var pairs: [Pair] {
        switch (value, sibling) {
        case (.array(let values)?, .array(let siblings)?):
            (0..<max(values.count, siblings.count)).map { index in
                (
                    values.indices.contains(index) ? values[index] : .null,
                    siblings.indices.contains(index) ? siblings[index] : .null, .index(trail, index)
                )
            }
        case (.array(let values)?, let sibling):
            ConversionPart.listed(values, trail).map { ($0.0, .null, $0.1) }
                + (sibling.map { [(.null, $0, trail)] } ?? [])
        case (let value, .array(let siblings)?):
            (value.map { [($0, .null, trail)] } ?? [])
                + ConversionPart.listed(siblings, trail).map { (.null, $0.0, $0.1) }
        case (let value, let sibling):
            value == nil && sibling == nil ? [] : [(value ?? .null, sibling ?? .null, trail)]
        }
    }

    private static func listed(_ values: [JSON], _ trail: ConversionTrail) -> [(JSON, ConversionTrail)] {
        values.enumerated().map { ($0.element, .index(trail, $0.offset)) }
    }

    /// Returns the same member with only one of its values.
    func with(_ pair: Pair) -> ConversionPart {
        ConversionPart(
            key: key, value: pair.value == .null ? nil : pair.value,
            sibling: pair.sibling == .null ? nil : pair.sibling, trail: pair.trail)
    }
}

/// The element that contains a part.
struct ConversionContext {
    /// The original element.
    let object: JSONObject
    /// The path in the older release.
    let from: String
    /// The path in R4.
    let to: String
    /// The location of the element.
    let trail: ConversionTrail
}
