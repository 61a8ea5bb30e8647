/// A typed view over a JSON object: reading a property reads the JSON, setting it writes the JSON.
///
/// Nothing is decoded, so nothing can be lost: what a view does not name stays where it is. What stands under a name and
/// is not as R4 has it reads as nil, or is left out of an array, and stays in the JSON until something else is set.
public protocol ElementView: Sendable, Hashable {
    /// The JSON that the view shows.
    var object: JSONObject { get set }

    /// The view over a JSON object.
    init(_ object: JSONObject)
}

extension ElementView {
    /// The view over a JSON object; nil for any other value.
    public init?(json: JSON?) {
        guard let object = json?.object else { return nil }
        self.init(object)
    }

    /// The element as a JSON value.
    public var json: JSON { .object(object) }

    /// The member of the element by its JSON name.
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

    /// The extensions with the URL (<https://hl7.org/fhir/R4/extensibility.html>).
    public func extensions(_ url: String) -> [Extension] { self.extension.filter { $0.url == url } }

    /// The first extension with the URL.
    public func `extension`(_ url: String) -> Extension? { self.extension.first { $0.url == url } }

    /// Whether two views show the same JSON.
    public static func == (left: Self, right: Self) -> Bool { left.object == right.object }

    /// Hashes the JSON.
    public func hash(into hasher: inout Hasher) { hasher.combine(object) }
}

/// A view over an element whose definition is in a resource, or over a data type that may be modified alike.
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
