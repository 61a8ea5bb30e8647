/// A typed view of a JSON object: reading a property reads the JSON, setting it writes the JSON.
///
/// Nothing is decoded, so nothing can be lost: members without a property remain. A value that does not have R4's type
/// reads as nil, or is omitted from an array, and remains in the JSON until the property is set.
public protocol ElementView: Sendable, Hashable {
    /// The JSON of the view.
    var object: JSONObject { get set }

    /// Creates the view of a JSON object.
    init(_ object: JSONObject)
}

extension ElementView {
    /// Creates the view of a JSON object; nil for any other value.
    public init?(json: JSON?) {
        guard let object = json?.object else { return nil }
        self.init(object)
    }

    /// The element as a JSON value.
    public var json: JSON { .object(object) }

    /// The member of the element with the JSON name.
    public subscript(key: String) -> JSON? {
        get { object[key] }
        set { object[key] = newValue }
    }

    /// `Element.id`: string, 0..1.
    ///
    /// <https://hl7.org/fhir/R4/element-definitions.html#Element.id>
    public var id: String? {
        get { object[value: "id"] }
        set { object[value: "id"] = newValue }
    }

    /// `Element.extension`: Extension, 0..*.
    ///
    /// <https://hl7.org/fhir/R4/element-definitions.html#Element.extension>
    public var `extension`: [Extension] {
        get { object[elements: "extension"] }
        set { object[elements: "extension"] = newValue }
    }

    /// Returns the extensions with the URL (<https://hl7.org/fhir/R4/extensibility.html>).
    public func extensions(_ url: String) -> [Extension] { self.extension.filter { $0.url == url } }

    /// Returns the first extension with the URL.
    public func `extension`(_ url: String) -> Extension? { self.extension.first { $0.url == url } }

    /// Whether two views have equal JSON.
    public static func == (left: Self, right: Self) -> Bool { left.object == right.object }

    /// Hashes the JSON.
    public func hash(into hasher: inout Hasher) { hasher.combine(object) }
}

/// A view of an element that is defined inside a resource, or of a data type that can also have modifier extensions.
public protocol BackboneElementView: ElementView {}

extension BackboneElementView {
    /// `BackboneElement.modifierExtension`: Extension, 0..*.
    ///
    /// <https://hl7.org/fhir/R4/backboneelement-definitions.html#BackboneElement.modifierExtension>
    public var modifierExtension: [Extension] {
        get { object[elements: "modifierExtension"] }
        set { object[elements: "modifierExtension"] = newValue }
    }
}
