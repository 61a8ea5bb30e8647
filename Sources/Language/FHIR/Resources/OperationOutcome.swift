/// What went wrong (<https://hl7.org/fhir/R4/operationoutcome.html>).
public struct OperationOutcome: ResourceView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }
    public static let resourceType = "OperationOutcome"

    public var issue: [OperationOutcomeIssue] {
        get { elements("issue") }
        set { setElements("issue", newValue) }
    }
}

/// One problem.
public struct OperationOutcomeIssue: ElementView {
    public var object: JSONObject
    public init(_ object: JSONObject) { self.object = object }

    public var severity: String? {
        get { text("severity") }
        set { setText("severity", newValue) }
    }
    public var code: String? {
        get { text("code") }
        set { setText("code", newValue) }
    }
    public var details: CodeableConcept? {
        get { element("details") }
        set { setElement("details", newValue) }
    }
    public var diagnostics: String? {
        get { text("diagnostics") }
        set { setText("diagnostics", newValue) }
    }
}
