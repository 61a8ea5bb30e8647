import FHIR

/// A member of an element with its `_name` sibling.
struct ConversionPart {
    let key: String
    var value: JSON?
    var sibling: JSON?

    /// The members of an object in their order, siblings joined to them.
    static func parts(of object: JSONObject) -> [ConversionPart] {
        var parts: [ConversionPart] = []
        for member in object.members {
            if member.key.hasPrefix("_") {
                let key = String(member.key.dropFirst())
                if object[key] == nil { parts.append(ConversionPart(key: key, value: nil, sibling: member.value)) }
            } else {
                parts.append(
                    ConversionPart(key: member.key, value: member.value, sibling: object["_" + member.key]))
            }
        }
        return parts
    }

    /// The values one by one, `null` where there is only a sibling or only a value.
    var pairs: [(value: JSON, sibling: JSON)] {
        let values = value?.array ?? value.map { [$0] } ?? []
        let siblings = sibling?.array ?? sibling.map { [$0] } ?? []
        return (0..<max(values.count, siblings.count)).map { index in
            (
                values.indices.contains(index) ? values[index] : .null,
                siblings.indices.contains(index) ? siblings[index] : .null
            )
        }
    }

    /// The objects among the values.
    var objects: [JSONObject] { pairs.compactMap(\.value.object) }
}

/// The element that a part stands in.
struct ConversionPlace {
    /// The element as it came.
    let object: JSONObject
    /// Its path in the older release.
    let from: String
    /// Its path in R4.
    let to: String
}

/// The R4 element that is being written.
struct ConversionOutput {
    var object = JSONObject()
    private var extensions: [JSON] = []

    /// The element with the extensions that were added to it.
    var finished: JSONObject {
        var result = object
        if !extensions.isEmpty { result["extension"] = .array((object["extension"]?.array ?? []) + extensions) }
        return result
    }

    var isEmpty: Bool { object.isEmpty && extensions.isEmpty }

    mutating func extend(_ json: JSON) { extensions.append(json) }

    mutating func extend(_ url: String, type: String, value: JSON, sibling: JSON = .null) {
        var result = JSONObject()
        result["url"] = .string(url)
        let key = "value" + ElementTable.suffix(type)
        if value != .null { result[key] = value }
        if sibling != .null { result["_" + key] = sibling }
        extensions.append(.object(result))
    }

    /// Sets an element that occurs once.
    mutating func set(_ key: String, _ pair: (value: JSON, sibling: JSON)) {
        if pair.value != .null { object[key] = pair.value }
        if pair.sibling != .null { object["_" + key] = pair.sibling }
    }

    /// Appends to an element that occurs more than once, siblings kept in line with values.
    mutating func append(_ pairs: [(value: JSON, sibling: JSON)], to key: String) {
        let before = object[key]?.array ?? []
        var siblings = object["_" + key]?.array ?? []
        let values = before + pairs.map(\.value)
        if !siblings.isEmpty || pairs.contains(where: { $0.sibling != .null }) {
            siblings += Array(repeating: JSON.null, count: max(0, before.count - siblings.count))
            siblings += pairs.map(\.sibling)
            object["_" + key] = .array(siblings)
        }
        if values.contains(where: { $0 != .null }) { object[key] = .array(values) }
    }

    mutating func append(_ value: JSON, to key: String) { append([(value, .null)], to: key) }
}
