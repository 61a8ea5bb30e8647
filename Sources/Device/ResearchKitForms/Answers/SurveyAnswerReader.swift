import FHIR
import Foundation
import Questionnaires
import ResearchResults

/// Makes the answers of one question from a result.
struct SurveyAnswerReader {
    let item: FormItem
    /// The current options of the question.
    let options: [AnswerValue]
    /// Returns the content of a file; nil if it cannot be read.
    let file: (SurveyFile) -> Data?

    /// Returns the answers; empty if the result has none.
    ///
    /// - Throws: the problem of a result that cannot answer the question.
    func answers(of result: SurveyResult) throws(SurveyAnswerProblem) -> [AnswerValue] {
        if result.isWithoutAnswer { return [] }
        switch result.className {
        case "ORKBooleanQuestionResult":
            guard let value = result["booleanAnswer"] else { return [] }
            return [try boolean(value.bool ?? (value.number?.double != 0))]
        case "ORKChoiceQuestionResult":
            var answers: [AnswerValue] = []
            for json in result["choiceAnswers"]?.array ?? [] {
                if let answer = try choice(json) { answers.append(answer) }
            }
            return answers
        case "ORKNumericQuestionResult":
            return try numbers(result["numericAnswer"]?.number, unit: result["unit"]?.string)
        case "ORKScaleQuestionResult": return try numbers(result["scaleAnswer"]?.number)
        case "ORKTimeIntervalQuestionResult": return try numbers(result["intervalAnswer"]?.number)
        case "ORKTextQuestionResult": return try texts(result["textAnswer"]?.string)
        case "ORKDateQuestionResult":
            guard let date = result["dateAnswer"]?.string.flatMap(ResultTime.dateTime) else { return [] }
            return try dates(date, zone: result["timeZone"]?.integer)
        case "ORKTimeOfDayQuestionResult":
            guard let time = result["dateComponentsAnswer"]?.string.flatMap(ResultTime.timeOfDay) else { return [] }
            return item.type == .time ? [AnswerValue(type: "Time", json: .string(time))] : try texts(time)
        case "ORKFileResult":
            let file = SurveyFile(result)
            return file.isEmpty ? [] : [try attachment(file)]
        // A result without an answer.
        case "ORKQuestionResult": return []
        default: throw SurveyAnswerProblem(.unknownClass)
        }
    }

    // MARK: Values

    private func boolean(_ value: Bool) throws(SurveyAnswerProblem) -> AnswerValue {
        guard item.type == .boolean || options.contains(.boolean(value)) else { throw SurveyAnswerProblem(.wrongType) }
        return .boolean(value)
    }

    private func numbers(_ number: JSONNumber?, unit: String? = nil) throws(SurveyAnswerProblem) -> [AnswerValue] {
        guard let number else { return [] }
        return [try self.number(number, unit: unit)]
    }

    private func texts(_ text: String?) throws(SurveyAnswerProblem) -> [AnswerValue] {
        guard let answer = try self.text(text) else { return [] }
        return [answer]
    }

    private func number(_ number: JSONNumber, unit: String?) throws(SurveyAnswerProblem) -> AnswerValue {
        switch item.type {
        case .integer:
            let whole = number.integer ?? number.decimal.flatMap { JSONNumber($0)?.integer }
            guard let whole else { return .decimal(number) }
            return .integer(whole)
        case .decimal: return .decimal(number)
        case .quantity: return quantity(number, unit: unit)
        case .boolean: return .boolean(number.double != 0)
        default:
            if let option = options.first(where: { $0.json.number == number }) { return option }
            guard let text = try text(number.text) else { throw SurveyAnswerProblem(.wrongType) }
            return text
        }
    }

    /// Returns a quantity in the unit of the result, with the code that the form has for it.
    private func quantity(_ number: JSONNumber, unit text: String?) -> AnswerValue {
        let units = item.limits.units + [item.unit].compactMap { $0 }
        let named = text.flatMap { text in units.first { $0.isNamed(text) } }
        var quantity = Quantity()
        quantity.value = number
        if let unit = named ?? (text == nil ? item.unit : nil) {
            quantity.unit = unit.display ?? unit.code
            quantity.system = unit.system
            quantity.code = unit.code
        } else {
            quantity.unit = text
        }
        return AnswerValue(type: "Quantity", json: quantity.json)
    }

    private func choice(_ json: JSON) throws(SurveyAnswerProblem) -> AnswerValue? {
        if let text = json.string {
            guard text.contains(where: { !$0.isWhitespace }) else { return nil }
            let answer = SurveyChoiceValue.answer(text, among: options)
            guard answer.type == "String", !options.contains(answer) else { return answer }
            // A text that is no option is an own answer, or the code of an option.
            return AnswerCoercion.value(.string(text), for: item) ?? answer
        }
        if let flag = json.bool { return try boolean(flag) }
        guard let number = json.number else { throw SurveyAnswerProblem(.wrongType) }
        return try self.number(number, unit: nil)
    }

    private func text(_ text: String?) throws(SurveyAnswerProblem) -> AnswerValue? {
        guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
        if item.type == .question { return .string(text) }
        guard let value = AnswerCoercion.value(.string(text), for: item) else { throw SurveyAnswerProblem(.wrongType) }
        return value
    }

    /// Returns the date, or date and time, of the clock on the wall.
    ///
    /// - Parameter zone: seconds east of UTC; nil if the result has none.
    private func dates(_ instant: DateTime, zone: Int?) throws(SurveyAnswerProblem) -> [AnswerValue] {
        let offset = zone.map { min(max($0, -64_800), 64_800) / 60 } ?? instant.offsetMinutes ?? 0
        let local = DateTime(instant.start(), offsetMinutes: offset, milliseconds: false)
        switch item.type {
        case .date: return [AnswerValue(type: "Date", json: .string(local.dateText))]
        case .dateTime: return [AnswerValue(type: "DateTime", json: .string(local.text))]
        default: return try texts(local.text)
        }
    }

    private func attachment(_ file: SurveyFile) throws(SurveyAnswerProblem) -> AnswerValue {
        guard item.type == .attachment else { throw SurveyAnswerProblem(.wrongType) }
        guard let data = self.file(file) else { throw SurveyAnswerProblem(.fileMissing) }
        var attachment = Attachment()
        attachment.contentType = file.contentType
        attachment.data = data.base64EncodedString()
        attachment.size = data.count
        attachment.title = file.name
        return AnswerValue(type: "Attachment", json: attachment.json)
    }
}

/// A file of a result, such as a photo.
public struct SurveyFile: Sendable, Hashable {
    /// The address on the phone that made the result.
    public let url: String?
    /// The media type, such as `image/jpeg`.
    public let contentType: String?
    /// The name of the file: that of the result, otherwise the last part of the address.
    public let name: String?

    init(_ result: SurveyResult) {
        func text(_ member: String) -> String? { result[member]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        url = text("fileURL")
        contentType = text("contentType")
        name = text("fileName") ?? url.flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    /// Whether the result has no file.
    var isEmpty: Bool { url == nil && name == nil }
}

/// The reason why a result is not the answer of its question.
struct SurveyAnswerProblem: Error {
    enum Reason: String {
        case unknownClass = "result-class"
        case wrongType = "answer-type"
        case fileMissing = "file-missing"
    }

    let reason: Reason

    init(_ reason: Reason) { self.reason = reason }

    var sentence: Sentence {
        switch reason {
        case .unknownClass: "The class of the result is not known, and its answer is ignored."
        case .wrongType: "The result has an answer of a type that its question does not have."
        case .fileMissing: "The file of the result cannot be read."
        }
    }
}
