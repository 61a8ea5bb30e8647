/// The types of items (<https://hl7.org/fhir/R4/valueset-item-type.html>).
public enum ItemType: String, Sendable, CaseIterable {
    /// Items that belong together; it takes no answer itself.
    case group
    /// A text to read; it takes no answer.
    case display
    /// The abstract type above those of questions. Nothing answers it.
    case question
    /// Yes or no: `valueBoolean`.
    case boolean
    /// A number with or without a fraction: `valueDecimal`.
    case decimal
    /// A whole number: `valueInteger`.
    case integer
    /// A day, a month or a year: `valueDate`.
    case date
    /// A day, a month or a year, or a moment with its offset from UTC: `valueDateTime`.
    case dateTime
    /// A time of day: `valueTime`.
    case time
    /// A short text, as of one line: `valueString`.
    case string
    /// A longer text, as of several lines: `valueString`.
    case text
    /// An absolute URI: `valueUri`.
    case url
    /// One of the answers that the question offers: `valueCoding`, or a value of the type of its options.
    case choice
    /// One of the answers that the question offers, as for ``choice``, or a text of the person's own: `valueString`.
    case openChoice = "open-choice"
    /// A file or its address: `valueAttachment`.
    case attachment
    /// A reference to another resource: `valueReference`.
    case reference
    /// A number with its unit: `valueQuantity`.
    case quantity

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
