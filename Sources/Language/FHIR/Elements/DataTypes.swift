/// A FHIR `Extension` (<https://hl7.org/fhir/R4/extensibility.html>).
public struct Extension: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public init(url: String, value name: String, _ value: JSON) {
        object = JSONObject()
        object["url"] = .string(url)
        object["value" + name] = value
    }

    public var url: String? { text("url") }
    /// The value with its type; nil for an extension that holds extensions.
    public var value: (type: String, value: JSON)? { choice("value") }
}

/// A FHIR `Coding` (<https://hl7.org/fhir/R4/datatypes.html#Coding>).
public struct Coding: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public init(system: String?, code: String?, display: String? = nil) {
        object = JSONObject()
        self.system = system
        self.code = code
        self.display = display
    }

    public var system: String? {
        get { text("system") }
        set { setText("system", newValue) }
    }
    public var version: String? {
        get { text("version") }
        set { setText("version", newValue) }
    }
    public var code: String? {
        get { text("code") }
        set { setText("code", newValue) }
    }
    public var display: String? {
        get { text("display") }
        set { setText("display", newValue) }
    }
}

/// A FHIR `CodeableConcept` (<https://hl7.org/fhir/R4/datatypes.html#CodeableConcept>).
public struct CodeableConcept: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public init(coding: [Coding], text: String? = nil) {
        object = JSONObject()
        self.coding = coding
        self.label = text
    }

    public var coding: [Coding] {
        get { elements("coding") }
        set { setElements("coding", newValue) }
    }
    /// The element `text`: the concept in plain words.
    public var label: String? {
        get { text("text") }
        set { setText("text", newValue) }
    }
}

/// A FHIR `Quantity` (<https://hl7.org/fhir/R4/datatypes.html#Quantity>).
public struct Quantity: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    /// A quantity in a UCUM unit.
    public init(value: JSONNumber, unit: String?, ucum code: String?) {
        object = JSONObject()
        self.value = value
        self.unit = unit
        if let code {
            system = "http://unitsofmeasure.org"
            self.code = code
        }
    }

    public var value: JSONNumber? {
        get { object["value"]?.number }
        set { object["value"] = newValue.map(JSON.number) }
    }
    /// `<`, `<=`, `>=` or `>`; nil means equal.
    public var comparator: String? {
        get { text("comparator") }
        set { setText("comparator", newValue) }
    }
    public var unit: String? {
        get { text("unit") }
        set { setText("unit", newValue) }
    }
    public var system: String? {
        get { text("system") }
        set { setText("system", newValue) }
    }
    public var code: String? {
        get { text("code") }
        set { setText("code", newValue) }
    }
}

/// A FHIR `Identifier` (<https://hl7.org/fhir/R4/datatypes.html#Identifier>).
public struct Identifier: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public init(system: String?, value: String) {
        object = JSONObject()
        self.system = system
        self.value = value
    }

    public var system: String? {
        get { text("system") }
        set { setText("system", newValue) }
    }
    public var value: String? {
        get { text("value") }
        set { setText("value", newValue) }
    }
}

/// A FHIR `Reference` (<https://hl7.org/fhir/R4/references.html>).
public struct Reference: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public init(_ reference: String) {
        object = JSONObject()
        self.reference = reference
    }

    public var reference: String? {
        get { text("reference") }
        set { setText("reference", newValue) }
    }
    public var identifier: Identifier? { element("identifier") }

    /// The type and id of a relative or absolute literal reference, without a version; nil for `#contained`,
    /// `urn:` and logical references.
    public var literal: (type: String, id: String)? {
        guard let reference, !reference.hasPrefix("#"), !reference.hasPrefix("urn:") else { return nil }
        var parts = reference.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if let history = parts.lastIndex(of: "_history") { parts.removeSubrange(history...) }
        guard parts.count >= 2, let id = parts.last, Resource.isID(id), Resource.isTypeName(parts[parts.count - 2])
        else { return nil }
        // A server's name is no type: `http://X/a` has an empty part before it.
        guard parts.count < 3 || !parts[parts.count - 3].isEmpty else { return nil }
        return (parts[parts.count - 2], id)
    }
}

/// A FHIR `Period` (<https://hl7.org/fhir/R4/datatypes.html#Period>).
public struct Period: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var start: DateTime? { dateTime("start") }
    public var end: DateTime? { dateTime("end") }
}
