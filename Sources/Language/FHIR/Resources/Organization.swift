/// A group of people with a purpose (<https://hl7.org/fhir/R4/organization.html>).
public struct Organization: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Organization"

    public var name: String? {
        get { text("name") }
        set { setText("name", newValue) }
    }
}
