/// The types of items (<https://hl7.org/fhir/R4/valueset-item-type.html>).
public enum ItemType: String, Sendable, CaseIterable {
    case group, display, question, boolean, decimal, integer, date, dateTime, time, string, text, url, choice
    case openChoice = "open-choice"
    case attachment, reference, quantity

    /// The `value[x]` types that answer it, whatever its options are. Nothing answers the abstract type `question`.
    public var answerTypes: [String] {
        switch self {
        case .group, .display, .question: []
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
}
