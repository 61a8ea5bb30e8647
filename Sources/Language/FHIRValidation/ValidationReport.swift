import FHIR

/// The result of validating one resource.
public struct ValidationReport: Sendable, Hashable {
    /// The issues in the order of the document, as far as they have a location.
    public internal(set) var issues: [ValidationIssue]

    /// Creates a report from issues.
    public init(issues: [ValidationIssue]) { self.issues = issues }

    /// Whether the resource is valid: no issue is an error or fatal.
    public var isValid: Bool { !issues.contains { $0.severity >= .error } }

    /// The issues that are errors or fatal.
    public var errors: [ValidationIssue] { issues.filter { $0.severity >= .error } }

    /// The report as a resource (<https://hl7.org/fhir/R4/operationoutcome.html>). Without problems, it contains an
    /// issue that says so, because an outcome must contain an issue.
    ///
    /// Line and column are in HL7's extensions `operationoutcome-issue-line` and `operationoutcome-issue-col`, and in
    /// `location`.
    public var operationOutcome: OperationOutcome {
        var rows = issues.map(ValidationReport.row)
        if rows.isEmpty {
            var row = OperationOutcome.Issue(severity: .information, code: .informational)
            row.details = CodeableConcept(coding: [], text: "No problems were found.")
            rows = [row]
        }
        return OperationOutcome(issue: rows)
    }

    private static func row(_ issue: ValidationIssue) -> OperationOutcome.Issue {
        var row = OperationOutcome.Issue(JSONObject())
        if let line = issue.line, let column = issue.column {
            let url = "http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-"
            row.extension = [
                Extension(url: url + "line", value: .integer(line)),
                Extension(url: url + "col", value: .integer(column)),
            ]
        }
        row.severity = IssueSeverity(rawValue: issue.severity.rawValue)
        row.code = IssueType(rawValue: issue.kind.rawValue)
        row.details = CodeableConcept(
            coding: [Coding(system: Self.system, code: issue.code)], text: issue.message)
        row.diagnostics = issue.message
        if let line = issue.line, let column = issue.column { row.location = ["Line[\(line)] Col[\(column)]"] }
        if !issue.expression.isEmpty { row.expression = [issue.expression] }
        return row
    }
}
