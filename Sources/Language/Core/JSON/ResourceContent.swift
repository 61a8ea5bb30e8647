/// A FHIR resource for those who pass it on and do not read it: the name of its type, and its JSON.
///
/// The typed views of `FHIR` are such, and `Resource`, the view over a resource of any type.
public protocol ResourceContent: Sendable {
    /// The name in `resourceType`, such as `Observation` (<https://hl7.org/fhir/R4/json.html#resources>).
    var resourceType: String { get }

    /// The whole resource.
    var object: JSONObject { get }
}
