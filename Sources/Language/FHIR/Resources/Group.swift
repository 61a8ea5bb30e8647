/// A set of persons or things; here who is eligible (<https://hl7.org/fhir/R4/group.html>).
public struct Group: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Group"

    public var type: String? {
        get { text("type") }
        set { setText("type", newValue) }
    }
    public var actual: Bool? {
        get { object["actual"]?.bool }
        set { object["actual"] = newValue.map(JSON.bool) }
    }
    public var name: String? {
        get { text("name") }
        set { setText("name", newValue) }
    }
    public var characteristic: [GroupCharacteristic] {
        get { elements("characteristic") }
        set { setElements("characteristic", newValue) }
    }
}

/// A trait that members have or have not.
public struct GroupCharacteristic: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var code: CodeableConcept? {
        get { element("code") }
        set { setElement("code", newValue) }
    }
    public var value: (type: String, value: JSON)? { choice("value") }
    public var exclude: Bool? {
        get { object["exclude"]?.bool }
        set { object["exclude"] = newValue.map(JSON.bool) }
    }
}
