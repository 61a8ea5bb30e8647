import FHIR

/// The R4 element that is being written.
struct ConversionOutput {
    var object = JSONObject()
    private(set) var extensions: [JSON] = []
    /// Those that may change the meaning of the element.
    private var modifiers: [JSON] = []

    /// The element with the extensions that were added to it.
    var finished: JSONObject {
        var result = object
        if !extensions.isEmpty { result["extension"] = .array((object["extension"]?.array ?? []) + extensions) }
        if !modifiers.isEmpty {
            result["modifierExtension"] = .array((object["modifierExtension"]?.array ?? []) + modifiers)
        }
        return result
    }

    var isEmpty: Bool { object.isEmpty && extensions.isEmpty && modifiers.isEmpty }

    mutating func extend(_ json: JSON, isModifier: Bool = false) {
        if isModifier { modifiers.append(json) } else { extensions.append(json) }
    }

    mutating func extend(_ url: String, type: String, value: JSON, sibling: JSON = .null) {
        var result = JSONObject()
        result["url"] = .string(url)
        let key = "value" + ElementTable.suffix(type)
        if value != .null { result[key] = value }
        if sibling != .null { result["_" + key] = sibling }
        extensions.append(.object(result))
    }

    /// Whether the element has the member, or its sibling.
    func has(_ key: String) -> Bool { object[key] != nil || object["_" + key] != nil }

    /// Sets an element that occurs once.
    mutating func set(_ key: String, _ value: JSON, _ sibling: JSON = .null) {
        if value != .null { object[key] = value }
        if sibling != .null { object["_" + key] = sibling }
    }

    /// Appends to an element that occurs more than once, siblings kept in line with values.
    mutating func append(_ pairs: [(value: JSON, sibling: JSON)], to key: String) {
        let before = object[key]?.array ?? []
        var siblings = object["_" + key]?.array ?? []
        let count = max(before.count, siblings.count)
        let values = before + Array(repeating: JSON.null, count: count - before.count) + pairs.map(\.value)
        if !siblings.isEmpty || pairs.contains(where: { $0.sibling != .null }) {
            siblings += Array(repeating: JSON.null, count: count - siblings.count)
            siblings += pairs.map(\.sibling)
            object["_" + key] = .array(siblings)
        }
        if values.contains(where: { $0 != .null }) { object[key] = .array(values) }
    }

    mutating func append(_ value: JSON, to key: String) { append([(value, .null)], to: key) }
}
