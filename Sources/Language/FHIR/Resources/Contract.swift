/// An agreement; here the consent of a study, as template or signed (<https://hl7.org/fhir/R4/contract.html>).
public struct Contract: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "Contract"

    public var url: String? {
        get { text("url") }
        set { setText("url", newValue) }
    }
    public var version: String? {
        get { text("version") }
        set { setText("version", newValue) }
    }
    public var status: String? {
        get { text("status") }
        set { setText("status", newValue) }
    }
    public var title: String? {
        get { text("title") }
        set { setText("title", newValue) }
    }
    public var issued: DateTime? {
        get { dateTime("issued") }
        set { setText("issued", newValue?.text) }
    }
    public var applies: Period? {
        get { element("applies") }
        set { setElement("applies", newValue) }
    }
    public var instantiatesURI: String? {
        get { text("instantiatesUri") }
        set { setText("instantiatesUri", newValue) }
    }
    public var subject: [Reference] {
        get { elements("subject") }
        set { setElements("subject", newValue) }
    }
    public var authority: [Reference] {
        get { elements("authority") }
        set { setElements("authority", newValue) }
    }
    public var type: CodeableConcept? {
        get { element("type") }
        set { setElement("type", newValue) }
    }
    public var term: [ContractTerm] {
        get { elements("term") }
        set { setElements("term", newValue) }
    }
    public var signer: [ContractSigner] {
        get { elements("signer") }
        set { setElements("signer", newValue) }
    }
}

/// A section of a contract.
public struct ContractTerm: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    /// The element `text`.
    public var label: String? {
        get { text("text") }
        set { setText("text", newValue) }
    }
    public var type: CodeableConcept? {
        get { element("type") }
        set { setElement("type", newValue) }
    }
}

/// Who signed.
public struct ContractSigner: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var type: Coding? {
        get { element("type") }
        set { setElement("type", newValue) }
    }
    public var party: Reference? {
        get { element("party") }
        set { setElement("party", newValue) }
    }
    public var signature: [Signature] {
        get { elements("signature") }
        set { setElements("signature", newValue) }
    }
}

/// A signature (<https://hl7.org/fhir/R4/datatypes.html#Signature>).
public struct Signature: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var type: [Coding] {
        get { elements("type") }
        set { setElements("type", newValue) }
    }
    public var when: DateTime? {
        get { dateTime("when") }
        set { setText("when", newValue?.text) }
    }
    public var who: Reference? {
        get { element("who") }
        set { setElement("who", newValue) }
    }
}
