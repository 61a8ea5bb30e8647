/// A typed view over a JSON object: reading a property reads the JSON, setting it writes the JSON.
///
/// Nothing is decoded, so nothing can be lost: what a view does not name stays where it is.
public protocol ElementView: Sendable, Hashable {
    /// The JSON that the view shows.
    var object: JSONObject { get set }

    init(_ object: JSONObject)
}

extension ElementView {
    /// A view over an object with no members.
    public init() { self.init(JSONObject()) }

    /// The view over a JSON object; nil for any other value.
    public init?(json: JSON?) {
        guard let object = json?.object else { return nil }
        self.init(object)
    }

    /// The element as a JSON value.
    public var json: JSON { .object(object) }

    /// The member of the element.
    public subscript(key: String) -> JSON? {
        get { object[key] }
        set { object[key] = newValue }
    }

    /// A member that is a string.
    public func text(_ key: String) -> String? { object[key]?.string }

    /// Sets or removes a member that is a string.
    public mutating func setText(_ key: String, _ value: String?) { object[key] = value.map(JSON.string) }

    /// A member that is an element.
    public func element<View: ElementView>(_ key: String, as type: View.Type = View.self) -> View? {
        View(json: object[key])
    }

    /// Sets or removes a member that is an element.
    public mutating func setElement(_ key: String, _ value: (some ElementView)?) { object[key] = value?.json }

    /// The elements of a member that is an array of elements; empty where there is none.
    public func elements<View: ElementView>(_ key: String, as type: View.Type = View.self) -> [View] {
        (object[key]?.array ?? []).compactMap { View(json: $0) }
    }

    /// Sets a member that is an array of elements; an empty one removes the member, as FHIR has no empty arrays.
    public mutating func setElements(_ key: String, _ values: [some ElementView]) {
        object[key] = values.isEmpty ? nil : .array(values.map(\.json))
    }

    /// The date or date and time of a member; nil where there is none or it is not written as FHIR asks.
    public func dateTime(_ key: String) -> DateTime? { text(key).flatMap { DateTime($0) } }

    /// The extensions with the URL (<https://hl7.org/fhir/R4/extensibility.html>).
    public func extensions(_ url: String) -> [Extension] { extensions.filter { $0.url == url } }

    /// The first extension with the URL.
    public func `extension`(_ url: String) -> Extension? { extensions.first { $0.url == url } }

    /// The element's extensions.
    public var extensions: [Extension] {
        get { elements("extension") }
        set { setElements("extension", newValue) }
    }

    /// The value of a choice element such as `value[x]`, with the type that its name ends in: `("Quantity", json)`.
    public func choice(_ prefix: String) -> (type: String, value: JSON)? {
        for member in object.members where member.key.hasPrefix(prefix) {
            let type = member.key.dropFirst(prefix.count)
            if let first = type.first, first.isUppercase { return (String(type), member.value) }
        }
        return nil
    }
}
