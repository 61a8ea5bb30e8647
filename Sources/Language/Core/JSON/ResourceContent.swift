/// A FHIR resource for code that passes it on without reading it: the name of its type, and its JSON.
///
/// The typed views of `FHIR` conform, and so does `Resource`, the view of a resource of any type.
public protocol ResourceContent: Sendable {
    /// The name in `resourceType`, such as `Observation` (<https://hl7.org/fhir/R4/json.html#resources>).
    var resourceType: String { get }

    /// The whole resource.
    var object: JSONObject { get }
}
