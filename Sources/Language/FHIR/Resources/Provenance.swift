/// Where a resource came from (<https://hl7.org/fhir/R4/provenance.html>).
public struct Provenance: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Provenance"

    public var target: [Reference] {
        get { elements("target") }
        set { setElements("target", newValue) }
    }
    public var recorded: DateTime? {
        get { dateTime("recorded") }
        set { setText("recorded", newValue?.text) }
    }
    public var agent: [JSONElement] {
        get { elements("agent") }
        set { setElements("agent", newValue) }
    }
    public var entity: [JSONElement] {
        get { elements("entity") }
        set { setElements("entity", newValue) }
    }
}
