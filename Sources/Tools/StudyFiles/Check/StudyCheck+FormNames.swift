import FHIR

extension StudyCheck {
    /// Returns the findings about missing elements by which responses refer to a form.
    ///
    /// - Parameter isInDSTU2: whether the form also exists in DSTU2, which has no url: then all its releases are
    ///   identified by the id.
    func nameFindings(of questionnaire: Questionnaire, in file: File, isInDSTU2: Bool) -> [StudyFinding] {
        func finding(
            _ severity: StudyFinding.Severity, code: String, path: String, message: String
        ) -> StudyFinding { StudyFinding(severity, code: code, file: file.name, path: path, message: message) }
        guard questionnaire.url != nil || questionnaire.id != nil else {
            return [
                finding(
                    .error, code: "form-without-name", path: "",
                    message: "It has neither url nor id, so that no response can name it.")
            ]
        }
        // A form in DSTU2 has no url, and responses to it have no version.
        guard file.published.release > .dstu2 else { return [] }
        var findings: [StudyFinding] = []
        if questionnaire.url == nil, !isInDSTU2 {
            findings.append(
                finding(
                    .warning, code: "form-without-url", path: "url",
                    message:
                        "It has no url: responses name it by its id alone, which other studies may have too; give it a url."
                ))
        }
        if questionnaire.version == nil {
            findings.append(
                finding(
                    .warning, code: "form-without-version", path: "version",
                    message:
                        "It has no version: after a change no response shows which questions were asked; give it a version."
                ))
        }
        return findings
    }
}
