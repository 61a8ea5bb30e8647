import Core

/// A FHIR resource of any type as lossless JSON (<https://hl7.org/fhir/R4/resource.html>).
public struct Resource: DomainResourceView {
    /// The JSON that the view shows.
    public var object: JSONObject

    /// The view over a JSON object.
    public init(_ object: JSONObject) { self.object = object }

    /// Empty, as the view is of any type.
    public static var resourceType: String { "" }

    /// Reads a resource.
    ///
    /// - Throws: ``JSONError`` where the bytes are no JSON object; ``ResourceError`` where `resourceType` is missing.
    public init(_ bytes: some Collection<UInt8>, lenient: Bool = false) throws {
        guard let object = try JSON(bytes, lenient: lenient).object else { throw ResourceError.notAResource }
        guard let type = object["resourceType"]?.string, Resource.isTypeName(type) else {
            throw ResourceError.notAResource
        }
        self.object = object
    }

    /// The resource as the typed view; nil where it is of another type.
    public func `as`<View: ResourceView>(_ type: View.Type = View.self) -> View? {
        View.resourceType.isEmpty || resourceType == View.resourceType ? View(object) : nil
    }

    /// Whether the text is a FHIR id: 1 to 64 letters, digits, `-` and `.` (<https://hl7.org/fhir/R4/datatypes.html#id>).
    public static func isID(_ text: String) -> Bool { ResourceName.isID(text) }

    /// Whether the text could be the name of a resource type: an upper-case letter, then letters.
    public static func isTypeName(_ text: String) -> Bool { ResourceName.isType(text) }
}

/// Why a value is no resource.
public enum ResourceError: CodedError, Hashable {
    /// It is no object with a `resourceType`.
    case notAResource

    /// The stable code, `resource-type-missing`.
    public var code: String { "resource-type-missing" }
    /// A sentence that a person can act on.
    public var message: String { "The JSON is no FHIR resource: an object with a resourceType is expected." }
}
