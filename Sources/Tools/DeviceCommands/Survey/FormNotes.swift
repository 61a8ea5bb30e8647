import FHIR
import FHIRValidation
import FHIRVersions
import Questionnaires

/// The findings of `fhir validate` about a form in addition to R4's rules.
package enum FormNotes {
    /// Returns findings about an unsupported release and about sub-questionnaires that are not assembled.
    package static func issues(of json: JSON?) -> [ValidationIssue] {
        guard let object = json?.object, object["resourceType"]?.string == Questionnaire.resourceType else { return [] }
        let resource = Resource(object)
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
}
