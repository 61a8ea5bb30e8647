import FHIR

/// What validation says of one resource.
public struct ValidationReport: Sendable, Hashable {
    /// The problems in the order of the document, as far as they have a place.
    public internal(set) var issues: [ValidationIssue]

    public init(issues: [ValidationIssue]) { self.issues = issues }

    /// Whether nothing is wrong: no issue is an error or fatal.
    public var isValid: Bool { !issues.contains { $0.severity >= .error } }

    /// The issues that are errors or fatal.
    public var errors: [ValidationIssue] { issues.filter { $0.severity >= .error } }

    /// The report as a resource (<https://hl7.org/fhir/R4/operationoutcome.html>). One without problems says so, for an
    /// outcome must hold an issue.
    ///
    /// Line and column stand in HL7's extensions `operationoutcome-issue-line` and `operationoutcome-issue-col`, and in
    /// `location`.
    public var operationOutcome: OperationOutcome {
        var outcome = OperationOutcome(id: nil)
        var rows = issues.map(ValidationReport.row)
        if rows.isEmpty {
            rows = [
                [
                    "severity": "information", "code": "informational",
                    "details": ["text": "No problems were found."],
                ]
            ]
        }
        outcome.object["issue"] = .array(rows)
        return outcome
    }

    private static func row(_ issue: ValidationIssue) -> JSON {
        var object = JSONObject()
        if let line = issue.line, let column = issue.column {
            let url = "http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-"
            object["extension"] = [
                ["url": .string(url + "line"), "valueInteger": .number(JSONNumber(line))],
                ["url": .string(url + "col"), "valueInteger": .number(JSONNumber(column))],
            ]
        }
        object["severity"] = .string(issue.severity.rawValue)
        object["code"] = .string(issue.kind.rawValue)
        object["details"] = [
            "coding": [["system": "urn:tributary:validation", "code": .string(issue.code)]],
            "text": .string(issue.message),
        ]
        object["diagnostics"] = .string(issue.message)
        if let line = issue.line, let column = issue.column {
            object["location"] = [.string("Line[\(line)] Col[\(column)]")]
        }
        if !issue.expression.isEmpty { object["expression"] = [.string(issue.expression)] }
        return .object(object)
    }
}
