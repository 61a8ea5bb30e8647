import FHIR

/// The item types of R4.
enum ItemTypes {
    static let all: [QuestionnaireItemType] = [
        .group, .display, .question, .boolean, .decimal, .integer, .date, .dateTime, .time, .string, .text, .url,
        .choice,
        .openChoice, .attachment, .reference, .quantity,
    ]
}
