import FHIR
import FHIRValidation
import FHIRVersions
import Questionnaires

/// The findings of `fhir validate` about forms and responses in addition to R4's rules.
package struct FormNotes: Sendable {
    private let forms: [QuestionnaireForm]

    /// - Parameter paths: the files of the forms against which responses are checked.
    /// - Throws: ``CommandError``.
    package init(forms paths: [String] = []) throws {
        forms = try paths.map { try FormFile.form(try CommandInput.resource($0), path: $0) }
    }

    /// Returns findings about an unsupported release, about sub-questionnaires that are not assembled, and about the
    /// answers of a response that names one of the forms.
    package func issues(of json: JSON?) -> [ValidationIssue] {
        guard let object = json?.object else { return [] }
        let resource = Resource(object)
        if let response = resource.as(QuestionnaireResponse.self) { return answers(of: response) }
        guard resource.resourceType == Questionnaire.resourceType else { return [] }
        if let release = NewerRelease(of: resource) {
            return [
                ValidationIssue(
                    .error, .notSupported, code: "release-unsupported", expression: "Questionnaire",
                    message: release.message)
            ]
        }
        return QuestionnaireForm(Questionnaire(object)).problems
            .filter { $0.code == FormProblem.subQuestionnaireCode }
            .map { problem in
                ValidationIssue(
                    .warning, .notSupported, code: problem.code, expression: "Questionnaire.item",
                    message: "Item \(problem.linkID ?? ""): \(problem.message)")
            }
    }

    /// Returns the problems that `survey validate` reports.
    private func answers(of response: QuestionnaireResponse) -> [ValidationIssue] {
        guard let name = response.questionnaire.map({ CanonicalURL($0) }),
            let form = forms.first(where: { form in
                form.questionnaire.isNamed(by: name)
                    && (name.version == nil || name.version == form.questionnaire.version)
            })
        else { return [] }
        return ResponseValidator(form).problems(in: form.arranging(response)).map { problem in
            ValidationIssue(
                .init(rawValue: problem.severity.rawValue) ?? .error, .businessRule, code: problem.code,
                expression: problem.expression, message: problem.message)
        }
    }
}
