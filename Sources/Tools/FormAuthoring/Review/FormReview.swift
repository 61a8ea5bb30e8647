import FHIR
import Questionnaires

/// The advice for the author of a form, in addition to the problems of ``QuestionnaireForm/problems``: conditions and
/// items without effect, missing translations, alternative texts and codes, and unsupported features.
///
/// It has no errors, because a form with any of these can be answered.
package enum FormReview {
    /// Returns the problems of the form as a whole, then those of its items in the form's order.
    ///
    /// - Parameters:
    ///   - valueSet: returns a value set that the form does not contain.
    ///   - codeSystem: returns a code system that the form does not contain.
    package static func problems(
        of form: QuestionnaireForm, valueSet: @escaping (String) -> ValueSet? = { _ in nil },
        codeSystem: @escaping (String) -> CodeSystem? = { _ in nil }
    ) -> [FormProblem] {
        let outline = FormOutline(form)
        let translations = TranslationReview(form.questionnaire, valueSet: valueSet, codeSystem: codeSystem)
        let codes = CodeReview(outline, valueSet: valueSet)
        let conditions = ConditionReview(outline)
        var problems = FeatureReview.problems(of: form.questionnaire)
        problems += translations.problems + codes.problems
        problems += MediaReview.problems(of: form.questionnaire, linkID: nil)
        for (index, node) in outline.nodes.enumerated() {
            problems += conditions.problems(at: index)
            problems += translations.problems(of: node) + codes.problems(of: node)
            problems += MediaReview.problems(of: node.source, linkID: node.item.linkID)
            problems += FeatureReview.problems(of: node.source, linkID: node.item.linkID)
        }
        return problems
    }
}

extension FormProblem {
    /// Creates a warning about an item.
    static func warning(_ code: String, _ linkID: String?, message: Sentence) -> FormProblem {
        FormProblem(code: code, severity: .warning, linkID: linkID, sentence: message)
    }

    /// Returns names in quotes for a sentence, the first ten of them.
    static func list(_ names: [String]) -> Sentence {
        let quoted = names.prefix(10).map { "\"\($0.prefix(100))\"" }.joined(separator: ", ")
        return names.count > 10 ? "\(quoted) and \(names.count - 10) more" : Sentence(quoted)
    }
}
