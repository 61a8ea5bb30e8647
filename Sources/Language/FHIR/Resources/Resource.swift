import Core

/// A FHIR resource of any type as lossless JSON (<https://hl7.org/fhir/R4/resource.html>).
public struct Resource: DomainResourceView {
    /// The JSON of the view.
    public var object: JSONObject

    /// Creates the view of a JSON object.
    public init(_ object: JSONObject) { self.object = object }

    /// Empty, because the view can be of any type.
    public static var resourceType: String { "" }

    /// Reads a resource.
    ///
    /// - Throws: ``ResourceError``: with the code and position of a `JSONError` if the bytes are not JSON;
    ///   `resource-type-missing` if it is not an object with a `resourceType`.
    public init(_ bytes: some Collection<UInt8>, lenient: Bool = false) throws(ResourceError) {
        let json: JSON
        do throws(JSONError) { json = try JSON(bytes, lenient: lenient) } catch { throw .notJSON(error) }
        guard let object = json.object, let type = object["resourceType"]?.string, Resource.isTypeName(type) else {
            throw .notAResource
        }
        self.object = object
    }

    /// Returns the typed view of the resource; nil if it has another type.
    public func `as`<View: ResourceView>(_ type: View.Type = View.self) -> View? {
        View.resourceType.isEmpty || resourceType == View.resourceType ? View(object) : nil
    }

    /// Whether the text is a FHIR id: 1 to 64 letters, digits, `-` and `.`
    /// (<https://hl7.org/fhir/R4/datatypes.html#id>).
    public static func isID(_ text: String) -> Bool { ResourceName.isID(text) }

    /// Whether the text could be the name of a resource type: an upper-case letter, then letters.
    public static func isTypeName(_ text: String) -> Bool { ResourceName.isType(text) }
}

/// Reason why a value is not a resource.
public enum ResourceError: CodedError, Hashable {
    /// The bytes are not JSON, for this reason.
    case notJSON(JSONError)
    /// The JSON is not an object with a `resourceType`.
    case notAResource

    /// The stable code: `resource-type-missing`, or that of the `JSONError`, such as `json-unexpected-end`.
    public var code: String {
        switch self {
        case .notJSON(let error): error.code
        case .notAResource: "resource-type-missing"
        }
    }

    /// A sentence that a person can act on.
    public var message: String {
        switch self {
        case .notJSON(let error): error.message
        case .notAResource: "The JSON is not a FHIR resource: an object with a resourceType is expected."
        }
    }
}
