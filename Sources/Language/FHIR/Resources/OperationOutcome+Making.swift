extension OperationOutcome {
    /// An outcome with one problem.
    ///
    /// - Parameters:
    ///   - severity: how bad it is.
    ///   - code: what sort of problem it is.
    ///   - detail: our own stable code.
    ///   - diagnostics: a sentence that a person can act on; it must hold no health data and no secret.
    public init(severity: IssueSeverity = .error, code: IssueType, detail: String, diagnostics: String) {
        var issue = Issue(severity: severity, code: code)
        issue.details = CodeableConcept(coding: [], text: detail)
        issue.diagnostics = diagnostics
        self.init(issue: [issue])
    }
}
