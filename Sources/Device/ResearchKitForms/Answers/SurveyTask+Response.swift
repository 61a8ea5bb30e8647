import FHIR
import Foundation
import Questionnaires
import ResearchResults

extension SurveyTask {
    /// Returns the response of a task result, and all its problems: those of the result, and those of the response.
    ///
    /// The response is nested as the form is, has no answers of items that are not enabled, and is checked as the server
    /// checks it. The time of authoring is the end of the result.
    ///
    /// - Parameters:
    ///   - subject: a reference such as `Patient/x`.
    ///   - base: a session to continue; nil for the form's initial values.
    ///   - file: returns the content of a file of the result, such as a photo.
    ///   - custom: returns the answers of an app's own kinds of questions; nil for all others.
    public func response(
        for result: SurveyResult, subject: String? = nil, base: FormSession? = nil,
        file: @escaping (SurveyFile) -> Data? = { _ in nil },
        custom: @escaping SurveyCustomAnswers = { _, _ in nil }
    ) -> (response: QuestionnaireResponse, problems: [ResponseProblem]) {
        let authored = result.endDate ?? clock()
        let reading = reading(result, base: base, file: file, custom: custom)
        let response = reading.session.finalResponse(subject: subject, authored: authored)
        let check = ResponseValidator(form, rules: rules, context: context, now: authored)
        return (response, reading.problems + check.problems(in: response))
    }

    /// Returns the completed response of a task result.
    ///
    /// - Throws: ``Questionnaires/IncompleteResponse`` if an answer is missing or wrong.
    public func completedResponse(
        for result: SurveyResult, subject: String? = nil, base: FormSession? = nil,
        file: @escaping (SurveyFile) -> Data? = { _ in nil },
        custom: @escaping SurveyCustomAnswers = { _, _ in nil }
    ) throws(IncompleteResponse) -> QuestionnaireResponse {
        let (response, problems) = response(for: result, subject: subject, base: base, file: file, custom: custom)
        guard !problems.contains(where: { $0.severity == .error }) else { throw IncompleteResponse(problems: problems) }
        return response
    }
}

extension SurveyResult {
    /// The response of a task result without its form, as ResearchKitOnFHIR makes it: all questions in one list, in the
    /// order of the results. It has no questions without an answer. A response for the form comes from
    /// ``SurveyTask/response(for:subject:base:file:custom:)``.
    ///
    /// - Parameters:
    ///   - authored: the time of authoring; the end of the result by default.
    ///   - file: returns the content of a file of the result.
    public func flatResponse(
        authored: DateTime? = nil, file: (SurveyFile) -> Data? = { _ in nil }
    ) -> QuestionnaireResponse {
        var response = QuestionnaireResponse(JSONObject(resourceType: QuestionnaireResponse.resourceType))
        if identifier.contains(":") { response.questionnaire = identifier }
        response.status = .completed
        response.authored = authored ?? endDate
        response.item = results.flatMap(\.results).compactMap { result in
            guard !result.identifier.hasPrefix(SurveyTask.repetitionMark) else { return nil }
            let values = result.plainAnswers(file: file)
            guard !values.isEmpty else { return nil }
            var item = QuestionnaireResponse.Item(linkId: result.identifier)
            item.answer = values.map { value in
                var answer = QuestionnaireResponse.Item.Answer()
                answer.value = value
                return answer
            }
            return item
        }
        return response
    }

    /// The answers by the class of the result alone.
    private func plainAnswers(file: (SurveyFile) -> Data?) -> [AnswerValue] {
        if isWithoutAnswer { return [] }
        switch className {
        case "ORKBooleanQuestionResult":
            return self["booleanAnswer"].map { [.boolean($0.bool ?? ($0.number?.double != 0))] } ?? []
        case "ORKChoiceQuestionResult":
            return (self["choiceAnswers"]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty }
                .map { SurveyChoiceValue.answer($0, among: []) }
        case "ORKNumericQuestionResult": return number(self["numericAnswer"]?.number)
        case "ORKScaleQuestionResult": return number(self["scaleAnswer"]?.number)
        case "ORKTextQuestionResult":
            return [self["textAnswer"]?.string].compactMap { $0 }.filter { $0.contains { !$0.isWhitespace } }.map {
                .string($0)
            }
        case "ORKDateQuestionResult":
            guard let instant = self["dateAnswer"]?.string.flatMap(ResultTime.dateTime) else { return [] }
            let local = ResultTime.local(instant, zoneSeconds: self["timeZone"]?.integer)
            return [
                questionType == .date
                    ? AnswerValue(type: "Date", json: .string(local.dateText))
                    : AnswerValue(type: "DateTime", json: .string(local.text))
            ]
        case "ORKTimeOfDayQuestionResult":
            return self["dateComponentsAnswer"]?.string.flatMap(ResultTime.timeOfDay)
                .map { [AnswerValue(type: "Time", json: .string($0))] } ?? []
        case "ORKFileResult":
            let found = SurveyFile(self)
            guard !found.isEmpty, let data = file(found) else { return [] }
            var attachment = Attachment()
            attachment.contentType = found.contentType
            attachment.data = data.base64EncodedString()
            attachment.size = data.count
            attachment.title = found.name
            return [AnswerValue(type: "Attachment", json: attachment.json)]
        default: return []
        }
    }

    private func number(_ number: JSONNumber?) -> [AnswerValue] {
        guard let number else { return [] }
        if let unit = self["unit"]?.string {
            var quantity = Quantity()
            quantity.value = number
            quantity.unit = unit
            return [AnswerValue(type: "Quantity", json: quantity.json)]
        }
        let isWhole = questionType == .integer || (questionType == .scale && number.integer != nil)
        return [isWhole ? number.integer.map { .integer($0) } ?? .decimal(number) : .decimal(number)]
    }

    /// The kinds of questions in ResearchKit that decide about the type of an answer, by their numbers.
    private enum QuestionType: Int {
        case scale = 1
        case integer = 6
        case date = 11
    }

    private var questionType: QuestionType? { self["questionType"]?.integer.flatMap(QuestionType.init(rawValue:)) }
}
