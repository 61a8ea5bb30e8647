extension OperationOutcome {
    /// An outcome with one problem.
    ///
    /// - Parameters:
    ///   - severity: `fatal`, `error`, `warning` or `information`.
    ///   - code: of <https://hl7.org/fhir/R4/valueset-issue-type.html>.
    ///   - detail: our own stable code.
    ///   - diagnostics: a sentence that a person can act on; it must hold no health data and no secret.
    public init(severity: String = "error", code: String, detail: String, diagnostics: String) {
        self.init(id: nil)
        var issue = OperationOutcomeIssue()
        issue.severity = severity
        issue.code = code
        issue.details = CodeableConcept(coding: [], text: detail)
        issue.diagnostics = diagnostics
        self.issue = [issue]
    }
}
