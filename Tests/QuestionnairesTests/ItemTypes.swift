import FHIR

/// The types of items that R4 has.
enum ItemTypes {
    static let all: [QuestionnaireItemType] = [
        .group, .display, .question, .boolean, .decimal, .integer, .date, .dateTime, .time, .string, .text, .url,
        .choice,
        .openChoice, .attachment, .reference, .quantity,
    ]
}
