/// The person the data are about (<https://hl7.org/fhir/R4/patient.html>).
public struct Patient: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Patient"

    public var active: Bool? {
        get { object["active"]?.bool }
        set { object["active"] = newValue.map(JSON.bool) }
    }
    public var gender: String? {
        get { text("gender") }
        set { setText("gender", newValue) }
    }
    public var birthDate: DateTime? {
        get { dateTime("birthDate") }
        set { setText("birthDate", newValue?.text) }
    }
    public var address: [Address] {
        get { elements("address") }
        set { setElements("address", newValue) }
    }
}

/// An address (<https://hl7.org/fhir/R4/datatypes.html#Address>).
public struct Address: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var postalCode: String? {
        get { text("postalCode") }
        set { setText("postalCode", newValue) }
    }
    public var state: String? {
        get { text("state") }
        set { setText("state", newValue) }
    }
    public var country: String? {
        get { text("country") }
        set { setText("country", newValue) }
    }
    public var city: String? {
        get { text("city") }
        set { setText("city", newValue) }
    }
}
