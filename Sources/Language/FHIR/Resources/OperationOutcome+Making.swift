extension OperationOutcome {
    /// Creates an outcome with one issue.
    ///
    /// - Parameters:
    /// - severity: the severity of the issue.
    /// - code: the type of the issue.
    /// - detail: Tributary's stable code.
    /// - diagnostics: a sentence that a person can act on; it must not contain health data or secrets.
    public init(severity: IssueSeverity = .error, code: IssueType, detail: String, diagnostics: String) {
        var issue = Issue(severity: severity, code: code)
        issue.details = CodeableConcept(coding: [], text: detail)
        issue.diagnostics = diagnostics
        self.init(issue: [issue])
    }
}
