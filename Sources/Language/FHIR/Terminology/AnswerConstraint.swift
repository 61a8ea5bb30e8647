/// The answers that a question with options allows
/// (<https://hl7.org/fhir/R5/valueset-questionnaire-answer-constraint.html>).
public enum AnswerConstraint: String, Sendable, Hashable {
    /// Only the options.
    case optionsOnly
    /// The options, and any other value of the question's type.
    case optionsOrType
    /// The options, and a text.
    case optionsOrString

    /// R5's element as an extension of R4 (<https://hl7.org/fhir/R5/versions.html#extensions>).
    public static let url = "http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.answerConstraint"
}

extension Questionnaire.Item {
    /// The constraint in the cross-version extension of R5's `answerConstraint`. Without it, the constraint of the
    /// item's type: an open choice also allows a text, any other question with options only the options.
    public var answerConstraint: AnswerConstraint {
        let written = self.extension(AnswerConstraint.url)?.value?.json.string.flatMap(AnswerConstraint.init(rawValue:))
        return written ?? (type == .openChoice ? .optionsOrString : .optionsOnly)
    }
}
