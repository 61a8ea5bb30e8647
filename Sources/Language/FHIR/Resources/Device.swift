/// An instrument, or an app (<https://hl7.org/fhir/R4/device.html>).
public struct Device: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Device"

    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var manufacturer: String? {
        get { text("manufacturer") }
        set { setText("manufacturer", newValue) }
    }
    public var modelNumber: String? {
        get { text("modelNumber") }
        set { setText("modelNumber", newValue) }
    }
    public var type: CodeableConcept? {
        get { element("type") }
        set { setElement("type", newValue) }
    }
    public var patient: Reference? {
        get { element("patient") }
        set { setElement("patient", newValue) }
    }
}
