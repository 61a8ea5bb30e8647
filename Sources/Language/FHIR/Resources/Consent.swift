/// A choice of a person about their data (<https://hl7.org/fhir/R4/consent.html>).
public struct Consent: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Consent"

    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var scope: CodeableConcept? {
        get { element("scope") }
        set { setElement("scope", newValue) }
    }
    public var category: [CodeableConcept] {
        get { elements("category") }
        set { setElements("category", newValue) }
    }
    public var patient: Reference? {
        get { element("patient") }
        set { setElement("patient", newValue) }
    }
    public var dateTime: DateTime? {
        get { dateTime("dateTime") }
        set { setText("dateTime", newValue?.text) }
    }
    public var source: (type: String, value: JSON)? { choice("source") }
    public var policyRule: CodeableConcept? {
        get { element("policyRule") }
        set { setElement("policyRule", newValue) }
    }
}
