import FHIR

extension QuestionnaireItemType {
    /// The permitted `value[x]` types of answers, without those of options. The abstract type `question`, and types
    /// that R4 does not define, have none.
    public var answerTypes: [String] {
        switch self {
        case .group, .display, .question, .unrecognized: []
        case .boolean: ["Boolean"]
        case .decimal: ["Decimal"]
        case .integer: ["Integer"]
        case .date: ["Date"]
        case .dateTime: ["DateTime"]
        case .time: ["Time"]
        case .string, .text: ["String"]
        case .url: ["Uri"]
        case .choice: ["Coding"]
        case .openChoice: ["Coding", "String"]
        case .attachment: ["Attachment"]
        case .reference: ["Reference"]
        case .quantity: ["Quantity"]
        }
    }

    /// Whether R4 defines the type.
    var isKnown: Bool {
        if case .unrecognized = self { false } else { true }
    }
}
