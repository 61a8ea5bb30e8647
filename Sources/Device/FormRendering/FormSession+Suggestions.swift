import FHIR
import Questionnaires

extension FormSession {
    /// Returns the answers that the form suggests for a question in addition to its options, without those that it does
    /// not accept.
    func suggestions(of item: FormItem, beyond options: [FormOption], at path: ItemPath) -> [FormOption] {
        guard item.suggestsAnswers, Self.suggestible.contains(item.type) else { return [] }
        return candidates(at: path).filter { candidate in
            guard !options.contains(where: { candidate.value.equals($0.value) }) else { return false }
            return switch item.answerConstraint {
            case _ where options.isEmpty: true
            case .optionsOnly: false
            case .optionsOrString: candidate.value.type == "String"
            case .optionsOrType: true
            }
        }
    }

    /// The types of questions whose suggested answers are shown like options. A number or date is entered.
    private static let suggestible: Set<QuestionnaireItemType> = [.choice, .openChoice, .string, .text, .reference]
}
