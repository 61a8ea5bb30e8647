import FHIR
import Foundation

/// The minimum or maximum of an answer in a form: a value of the question's type, or FHIRPath.
///
/// A form can contain a limit several times, as C3-PRO's sliders do: as a number, and as the text at the end of the
/// scale. The first one that fits the question's type is used.
struct AnswerLimit: Sendable {
    private let fixed: AnswerValue?
    private let calculated: CalculatedLimit?
    /// Whether the form contains a limit that cannot be evaluated.
    let isUnreadable: Bool

    /// - Parameters:
    ///   - extensions: the extensions with the limit, in order of priority.
    ///   - type: the type of the question.
    init(_ extensions: [Extension], of type: QuestionnaireItemType) {
        var fixed: AnswerValue?
        var calculated: CalculatedLimit?
        var isUnreadable = false
        for given in extensions {
            if let expression = CalculatedLimit(given) {
                if calculated == nil { calculated = expression }
                if !expression.isReadable { isUnreadable = true }
            } else if fixed == nil, let value = Self.value(given, of: type) {
                fixed = value
            } else if calculated == nil, let text = given.value?.json.string {
                let expression = CalculatedLimit(expression: text)
                let found = expression.value(at: DateTime(Date(timeIntervalSince1970: 0)))
                if found.map({ Self.fits($0.type, type) }) ?? false { calculated = expression }
            }
        }
        self.fixed = fixed
        self.calculated = calculated
        self.isUnreadable = isUnreadable || (!extensions.isEmpty && fixed == nil && calculated == nil)
    }

    /// Whether the limit depends on the time.
    var dependsOnTime: Bool { calculated != nil }

    /// The expression of a limit that depends on the response or on variables.
    var expression: CalculatedLimit? { calculated.flatMap { $0.readsResponse ? $0 : nil } }

    /// Returns the limit at a time: the value of the expression, otherwise the fixed value.
    func value(at moment: DateTime) -> AnswerValue? { calculated?.value(at: moment) ?? fixed }

    /// Returns the value of an extension, or its text parsed as a value of the question's type; nil if it is not a
    /// limit for such answers.
    private static func value(_ given: Extension, of type: QuestionnaireItemType) -> AnswerValue? {
        guard let value = AnswerValue(given.value) else { return nil }
        if fits(value.type, type), AnswerCheck.isWellFormed(value) { return value }
        guard let text = value.json.string else { return nil }
        switch type {
        case .integer, .decimal, .quantity:
            return JSONNumber(text: text.trimmingCharacters(in: .whitespaces)).map { .decimal($0) }
        case .date, .dateTime:
            return DateTime(text).map {
                AnswerValue(type: $0.precision <= .day ? "Date" : "DateTime", json: .string(text))
            }
        case .time: return TimeOfDay(text).map { _ in AnswerValue(type: "Time", json: .string(text)) }
        default: return nil
        }
    }

    /// Whether answers to a question of the type can be compared with a value of a type.
    private static func fits(_ value: String, _ type: QuestionnaireItemType) -> Bool {
        switch type {
        case .integer, .decimal, .quantity: ["Integer", "Decimal", "Quantity"].contains(value)
        case .date, .dateTime: ["Date", "DateTime"].contains(value)
        case .time: value == "Time"
        case .string, .text, .url: ["String", "Uri"].contains(value)
        case .choice, .openChoice: value != "String"
        default: true
        }
    }
}
