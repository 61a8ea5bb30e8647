import FHIR

/// The R4 element that is being built.
struct ConversionOutput {
    var object = JSONObject()
    private(set) var extensions: [JSON] = []
    /// The extensions that may change the meaning of the element.
    private var modifiers: [JSON] = []
    /// Index of the items with answers, for a response.
    var answered = AnsweredItems()

    /// The element with the added extensions.
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
    mutating func set(_ key: String, to value: JSON, sibling: JSON = .null) {
        if value != .null { object[key] = value }
        if sibling != .null { object["_" + key] = sibling }
    }

    /// Appends to a repeating element and keeps siblings aligned with values.
    mutating func append(_ pairs: [(value: JSON, sibling: JSON)], to key: String) {
        let before = object[key]?.array?.count ?? 0
        let siblings = object["_" + key]?.array?.count ?? 0
        let count = max(before, siblings)
        if siblings > 0 || pairs.contains(where: { $0.sibling != .null }) {
            ConversionOutput.append(pairs.lazy.map(\.sibling), to: "_" + key, after: count, in: &object)
        }
        if before > 0 || pairs.contains(where: { $0.value != .null }) {
            ConversionOutput.append(pairs.lazy.map(\.value), to: key, after: count, in: &object)
        }
    }

    /// Appends without a copy: earlier elements are neither copied nor read.
    private static func append(
        _ values: some Sequence<JSON>, to key: String, after count: Int, in object: inout JSONObject
    ) {
        if object[key]?.array == nil { object[key] = [] }
        object.update(key) { json in
            json.withElements { elements in
                while elements.count < count { elements.append(.null) }
                elements.append(contentsOf: values)
            }
        }
    }

    mutating func append(_ value: JSON, to key: String) { append([(value, .null)], to: key) }
}
