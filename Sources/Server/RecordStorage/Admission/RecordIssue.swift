import FHIR

/// One problem of a resource, as in an OperationOutcome (<https://hl7.org/fhir/R4/operationoutcome.html>). The message
/// contains no health data.
package struct RecordIssue: Sendable, Hashable {
    /// Maximum number of issues of one refusal.
    package static let maximumCount = 100

    /// The severity of the problem.
    package let severity: IssueSeverity
    /// The kind of problem, as FHIR codes it.
    package let kind: IssueType
    /// The code of the problem, with its system.
    package let coding: Coding?
    /// The element, as FHIRPath: `Observation.component[0].value.ofType(Quantity)`.
    package let expression: String
    /// A sentence that a person can act on.
    package let message: String

    /// Creates an issue.
    package init(
        severity: IssueSeverity = .error, kind: IssueType, coding: Coding? = nil, expression: String, message: String
    ) {
        self.severity = severity
        self.kind = kind
        self.coding = coding
        self.expression = expression
        self.message = message
    }

    /// Returns the first issues, and one that reports how many more there are.
    package static func bounded(_ issues: [RecordIssue]) -> [RecordIssue] {
        guard issues.count > maximumCount, let last = issues.last else { return issues }
        let root = last.expression.prefix { $0 != "." && $0 != "[" }
        return issues.prefix(maximumCount) + [
            RecordIssue(
                severity: .information, kind: .informational, expression: String(root),
                message: "There are \(issues.count - maximumCount) more problems.")
        ]
    }

    /// Returns the issue with the path of a Bundle's entry.
    package func inside(entry index: Int) -> RecordIssue {
        let rest = expression.drop { $0 != "." && $0 != "[" }
        return RecordIssue(
            severity: severity, kind: kind, coding: coding, expression: "Bundle.entry[\(index)].resource\(rest)",
            message: "Entry \(index + 1) of the Bundle: \(message)")
    }

    /// Returns the issue of an OperationOutcome.
    ///
    /// - Parameter detail: the stable code of the refusal.
    package func row(detail: String) -> OperationOutcome.Issue {
        var row = OperationOutcome.Issue(severity: severity, code: kind)
        row.details = CodeableConcept(coding: coding.map { [$0] } ?? [], text: detail)
        row.diagnostics = message
        row.expression = [expression]
        return row
    }
}
