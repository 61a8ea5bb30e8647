import FHIR
import Questionnaires

/// The conditions of an item in words.
struct ConditionText: Sendable, Hashable {
    /// The sentence; it ends with a colon if parts follow.
    let lead: String
    /// The conditions, if there are several.
    let parts: [String]

    /// Nil if the item has no condition.
    ///
    /// - Parameter written: writes a sentence in the language of the page.
    init?(of item: FormItem, in form: QuestionnaireForm, written: (Sentence) -> String) {
        var parts = item.conditions.map { Self.sentence($0, in: form) }
        let expression = item.source.extension(FormExtension.enableWhenExpression)?.value?.json
        let isExpression = expression != nil
        if let expression {
            let text = expression["description"]?.string ?? expression["expression"]?.string ?? ""
            let part: Sentence = "the expression of the form is true: \(text)"
            // An expression is required in addition to the conditions, whichever of them is sufficient.
            if item.enabledByAny, let first = parts.first {
                parts = [parts.dropFirst().reduce(first) { "\($0) or \($1)" }]
            }
            parts.append(part)
        }
        guard let first = parts.first else { return nil }
        if parts.count == 1 {
            lead = written("Shown if \(first).")
            self.parts = []
            return
        }
        let isAny = item.enabledByAny && !isExpression
        lead = written(isAny ? "Shown if one of these is true:" : "Shown if all of these are true:")
        self.parts = parts.map(written)
    }

    /// Returns a condition as a part of a sentence.
    private static func sentence(_ condition: EnableCondition, in form: QuestionnaireForm) -> Sentence {
        let question = form.item(condition.question)
        let name = question?.text ?? condition.question
        guard let comparison = condition.comparison, let expected = condition.expected else {
            return "a condition that cannot be read"
        }
        if comparison == .exists {
            return expected.json.bool ?? true ? "“\(name)” has an answer" : "“\(name)” has no answer"
        }
        let value = question?.label(of: expected, in: form.language) ?? expected.text(in: form.language)
        let isTime = ["Date", "DateTime", "Time"].contains(expected.type)
        switch comparison {
        case .exists, .equal: return "the answer to “\(name)” is “\(value)”"
        case .notEqual: return "the answer to “\(name)” is not “\(value)”"
        case .greater where isTime: return "the answer to “\(name)” is after \(value)"
        case .less where isTime: return "the answer to “\(name)” is before \(value)"
        case .greaterOrEqual where isTime: return "the answer to “\(name)” is \(value) or later"
        case .lessOrEqual where isTime: return "the answer to “\(name)” is \(value) or earlier"
        case .greater: return "the answer to “\(name)” is greater than \(value)"
        case .less: return "the answer to “\(name)” is less than \(value)"
        case .greaterOrEqual: return "the answer to “\(name)” is \(value) or more"
        case .lessOrEqual: return "the answer to “\(name)” is \(value) or less"
        }
    }
}
