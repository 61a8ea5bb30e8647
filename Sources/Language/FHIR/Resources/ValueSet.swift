/// A set of codes (<https://hl7.org/fhir/R4/valueset.html>).
public struct ValueSet: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "ValueSet"

    public var url: String? {
        get { text("url") }
        set { setText("url", newValue) }
    }
    public var version: String? {
        get { text("version") }
        set { setText("version", newValue) }
    }
    public var compose: JSONElement? {
        get { element("compose") }
        set { setElement("compose", newValue) }
    }
    public var expansion: JSONElement? {
        get { element("expansion") }
        set { setElement("expansion", newValue) }
    }
}
