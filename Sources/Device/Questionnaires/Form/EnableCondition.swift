import FHIR

/// One `enableWhen` (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.enableWhen>).
public struct EnableCondition: Sendable {
    /// The operators of a condition (<https://hl7.org/fhir/R4/valueset-questionnaire-enable-operator.html>).
    public enum Comparison: String, Sendable {
        /// The question has an answer if the expected value is true, and none if it is false.
        case exists
        /// An answer equals the expected value.
        case equal = "="
        /// No answer equals the expected value; ``EnablementRules/notEqualNeedsAnswer`` decides for a question without
        /// an answer.
        case notEqual = "!="
        /// An answer is greater than the expected value.
        case greater = ">"
        /// An answer is less than the expected value.
        case less = "<"
        /// An answer is greater than the expected value or equals it.
        case greaterOrEqual = ">="
        /// An answer is less than the expected value or equals it.
        case lessOrEqual = "<="
    }

    /// The linkId of the question that decides (`enableWhen.question`); empty if the form contains none.
    public let question: String
    /// The operator; nil if FHIR does not define it.
    public let comparison: Comparison?
    /// The value that answers are compared with (`enableWhen.answer[x]`); nil if the form contains none.
    public private(set) var expected: AnswerValue?

    init(_ source: Questionnaire.Item.EnableWhen) {
        question = source.question ?? ""
        comparison = source.operator.flatMap { Comparison(rawValue: $0.rawValue) }
        expected = AnswerValue(source.answer)
    }

    /// Returns the condition with its expected value in the unit that the question's form defines.
    func measured(by question: FormItem) -> EnableCondition {
        var condition = self
        condition.expected = expected.map(question.measured)
        return condition
    }

    /// Returns whether the question's answers fulfil the condition. One of several answers is sufficient, except for
    /// `!=`, which means that no answer equals the value. An unreadable condition is not fulfilled.
    func holds(_ answers: [AnswerValue], _ rules: EnablementRules) -> Bool {
        guard let comparison, let expected else { return false }
        func any(_ fits: (AnswerValue) -> Bool?) -> Bool { answers.contains { fits($0) ?? false } }
        switch comparison {
        case .exists: return !answers.isEmpty == (expected.json.bool ?? true)
        case .equal: return any { $0.equals(expected) }
        case .notEqual:
            if rules.notEqualNeedsAnswer, answers.isEmpty { return false }
            return !any { $0.equals(expected) }
        case .greater: return any { $0.compare(expected).map { $0 == .orderedDescending } }
        case .less: return any { $0.compare(expected).map { $0 == .orderedAscending } }
        case .greaterOrEqual: return any { $0.compare(expected).map { $0 != .orderedAscending } }
        case .lessOrEqual: return any { $0.compare(expected).map { $0 != .orderedDescending } }
        }
    }
}
