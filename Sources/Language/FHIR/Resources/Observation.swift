/// A measurement or simple assertion (<https://hl7.org/fhir/R4/observation.html>).
public struct Observation: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Observation"

    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var category: [CodeableConcept] {
        get { elements("category") }
        set { setElements("category", newValue) }
    }
    public var code: CodeableConcept? {
        get { element("code") }
        set { setElement("code", newValue) }
    }
    public var subject: Reference? {
        get { element("subject") }
        set { setElement("subject", newValue) }
    }
    public var encounter: Reference? {
        get { element("encounter") }
        set { setElement("encounter", newValue) }
    }
    public var effective: (type: String, value: JSON)? { choice("effective") }
    public var issued: DateTime? {
        get { dateTime("issued") }
        set { setText("issued", newValue?.text) }
    }
    public var value: (type: String, value: JSON)? { choice("value") }
    public var dataAbsentReason: CodeableConcept? {
        get { element("dataAbsentReason") }
        set { setElement("dataAbsentReason", newValue) }
    }
    public var method: CodeableConcept? {
        get { element("method") }
        set { setElement("method", newValue) }
    }
    public var device: Reference? {
        get { element("device") }
        set { setElement("device", newValue) }
    }
    public var component: [ObservationComponent] {
        get { elements("component") }
        set { setElements("component", newValue) }
    }
}

/// One of the values of an observation that has several.
public struct ObservationComponent: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var code: CodeableConcept? {
        get { element("code") }
        set { setElement("code", newValue) }
    }
    public var value: (type: String, value: JSON)? { choice("value") }
    public var dataAbsentReason: CodeableConcept? {
        get { element("dataAbsentReason") }
        set { setElement("dataAbsentReason", newValue) }
    }
}
