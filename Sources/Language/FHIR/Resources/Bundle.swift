/// A set of resources (<https://hl7.org/fhir/R4/bundle.html>).
public struct Bundle: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Bundle"

    public var type: String? {
        get { text("type") }
        set { setText("type", newValue) }
    }
    public var total: Int? {
        get { object["total"]?.integer }
        set { object["total"] = newValue.map { .number(JSONNumber($0)) } }
    }
    public var link: [BundleLink] {
        get { elements("link") }
        set { setElements("link", newValue) }
    }
    public var entry: [BundleEntry] {
        get { elements("entry") }
        set { setElements("entry", newValue) }
    }
}

/// A link of a bundle, such as the next page.
public struct BundleLink: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var relation: String? {
        get { text("relation") }
        set { setText("relation", newValue) }
    }
    public var url: String? {
        get { text("url") }
        set { setText("url", newValue) }
    }
}

/// One resource of a bundle with what is said of it.
public struct BundleEntry: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var fullUrl: String? {
        get { text("fullUrl") }
        set { setText("fullUrl", newValue) }
    }
    public var resource: Resource? {
        get { element("resource") }
        set { setElement("resource", newValue) }
    }
    public var search: JSONElement? {
        get { element("search") }
        set { setElement("search", newValue) }
    }
    public var request: JSONElement? {
        get { element("request") }
        set { setElement("request", newValue) }
    }
    public var response: JSONElement? {
        get { element("response") }
        set { setElement("response", newValue) }
    }
}

/// An element without a view of its own.
public struct JSONElement: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

}
