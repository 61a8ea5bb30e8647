/// What a server can do (<https://hl7.org/fhir/R4/capabilitystatement.html>).
public struct CapabilityStatement: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "CapabilityStatement"

    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var date: DateTime? {
        get { dateTime("date") }
        set { setText("date", newValue?.text) }
    }
    public var kind: String? {
        get { text("kind") }
        set { setText("kind", newValue) }
    }
    public var fhirVersion: String? {
        get { text("fhirVersion") }
        set { setText("fhirVersion", newValue) }
    }
    public var rest: [JSONElement] {
        get { elements("rest") }
        set { setElements("rest", newValue) }
    }
}
