/// A time in which something happened (<https://hl7.org/fhir/R4/encounter.html>).
public struct Encounter: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Encounter"

    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var period: Period? {
        get { element("period") }
        set { setElement("period", newValue) }
    }
    public var subject: Reference? {
        get { element("subject") }
        set { setElement("subject", newValue) }
    }
}
