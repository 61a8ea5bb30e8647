import FHIR
import FormRendering
import Foundation
import Questionnaires

extension SurveyTextFormat {
    init(_ question: RenderPlan.Question, language: String?) {
        let limits = question.limits
        hasLines = question.type == .text
        placeholder = limits.entryFormat ?? question.notes(.prompt).first
        if let length = limits.maxLength, length > 0 { maximumLength = min(length, 1_000_000) }
        (pattern, message) = Self.pattern(limits, language)
        keyboard = Self.keyboard(question.hints.keyboard, question.type)
        capitalization = question.hints.capitalization.flatMap { name in
            Capitalization.allCases.first { "\($0)".lowercased() == name.lowercased() }
        }
        contentType = question.hints.textContentType
    }

    /// Returns the pattern of the form and the minimum length as one pattern, and its message.
    private static func pattern(_ limits: RenderPlan.Limits, _ language: String?) -> (String?, String?) {
        let least = limits.minLength.map { min(max($0, 0), 10_000) } ?? 0
        guard let own = limits.pattern else {
            guard least > 1 else { return (nil, nil) }
            return (
                "\\A[\\s\\S]{\(least),}\\z",
                SurveySentences.text("The answer is shorter than \(least) characters.", in: language)
            )
        }
        let message =
            limits.validationText ?? SurveySentences.text("The answer does not have the required form.", in: language)
        let whole = least > 1 ? "(?=[\\s\\S]{\(least),}\\z)\(own)" : own
        // ResearchKit's own class must be able to read it.
        guard (try? NSRegularExpression(pattern: whole)) != nil else { return (nil, nil) }
        return (whole, message)
    }

    private static func keyboard(_ name: String?, _ type: QuestionnaireItemType) -> Keyboard {
        switch name?.lowercased() {
        case "phone": return .phonePad
        case "email": return .emailAddress
        case "number": return .numberPad
        case "url": return .url
        case "chat", "default": return .standard
        case let name?: return Keyboard.allCases.first { "\($0)".lowercased() == name } ?? .standard
        case nil: return type == .url ? .url : .standard
        }
    }
}
