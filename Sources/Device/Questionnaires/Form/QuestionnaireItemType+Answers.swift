import FHIR

extension QuestionnaireItemType {
    /// The `value[x]` types that answer it, whatever its options are. Nothing answers the abstract type `question`, nor a
    /// type that R4 does not have.
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

    /// Whether R4 has the type.
    var isKnown: Bool {
        if case .unrecognized = self { false } else { true }
    }
}
