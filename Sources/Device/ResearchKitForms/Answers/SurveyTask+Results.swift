import FHIR
import Questionnaires
import ResearchResults

extension SurveyTask {
    /// Returns the result of a step that has the answers of a session, to fill in a form in advance or to resume one.
    public func result(of step: SurveyStep, in session: FormSession) -> SurveyResult {
        var result = SurveyResult(className: "ORKStepResult", identifier: step.identifier)
        result.results = step.questions.compactMap { self.result(of: $0, in: session) }
        return result
    }

    /// Returns the result of a row with the answers of a session; nil if there are none.
    public func result(of item: SurveyFormItem, in session: FormSession) -> SurveyResult? {
        guard let format = item.format else { return nil }
        if let repetition = form.located(String(item.identifier.dropFirst(Self.repetitionMark.count))),
            item.identifier.hasPrefix(Self.repetitionMark)
        {
            let count =
                repetition.item.isQuestion
                ? session.answers(at: item.path).count : session.instanceCount(at: item.path)
            var result = SurveyResult(className: "ORKBooleanQuestionResult", identifier: item.identifier)
            result["questionType"] = 7
            result["booleanAnswer"] = .number(JSONNumber(count > repetition.instance ?? 0 ? 1 : 0))
            return result
        }
        var answers = session.answers(at: item.path)
        if !format.takesSeveralAnswers {
            let instance = form.located(item.identifier)?.instance ?? 0
            answers = answers.indices.contains(instance) ? [answers[instance]] : []
        }
        guard let first = answers.first, let question = form.item(item.linkID) else { return nil }
        return Self.result(
            identifier: item.identifier, format, answers: answers, first: first, question: question)
    }

    private static func result(
        identifier: String, _ format: SurveyAnswerFormat, answers: [AnswerValue], first: AnswerValue,
        question: FormItem
    ) -> SurveyResult? {
        func result(_ className: String, type: Int) -> SurveyResult {
            var result = SurveyResult(className: className, identifier: identifier)
            result["questionType"] = .number(JSONNumber(type))
            return result
        }
        switch format {
        case .boolean:
            guard let value = first.json.bool else { return nil }
            var boolean = result("ORKBooleanQuestionResult", type: 7)
            boolean["booleanAnswer"] = .number(JSONNumber(value ? 1 : 0))
            return boolean
        case .textChoice(let choices, let isMultiple): return choice(choices, type: isMultiple ? 3 : 2)
        case .valuePicker(let choices), .textScale(let choices, _): return choice(choices, type: 2)
        case .scale, .continuousScale:
            guard let number = first.json.number ?? first.json["value"]?.number else { return nil }
            var scale = result("ORKScaleQuestionResult", type: 1)
            scale["scaleAnswer"] = .number(number)
            return scale
        case .numeric(let format):
            guard let number = first.json.number ?? first.json["value"]?.number else { return nil }
            var numeric = result("ORKNumericQuestionResult", type: format.isInteger ? 6 : 5)
            numeric["numericAnswer"] = .number(number)
            numeric["unit"] = (first.json["unit"]?.string ?? format.unit).map(JSON.string)
            return numeric
        case .date(let format):
            guard let date = first.json.string.flatMap({ DateTime($0) }) else { return nil }
            var dated = result("ORKDateQuestionResult", type: format.hasTime ? 10 : 11)
            let offset = date.offsetMinutes ?? 0
            dated["dateAnswer"] = .string(ResultTime.text(DateTime(date.start(), offsetMinutes: offset)))
            dated["timeZone"] = .number(JSONNumber(offset * 60))
            return dated
        case .timeOfDay:
            guard let time = first.json.string else { return nil }
            var timed = result("ORKTimeOfDayQuestionResult", type: 9)
            timed["dateComponentsAnswer"] = .string(ResultTime.text(ofDay: time))
            return timed
        case .text:
            var text = result("ORKTextQuestionResult", type: 8)
            text["textAnswer"] = .string(Self.text(first))
            return text
        }
        func choice(_ choices: [SurveyChoice], type: Int) -> SurveyResult {
            var choice = result("ORKChoiceQuestionResult", type: type)
            choice["choiceAnswers"] = .array(
                answers.map { answer in
                    let options = (question.options ?? []).map(\.value)
                    let option = options.first { answer == $0 } ?? options.first { answer.equals($0) }
                    return .string(SurveyChoiceValue.text(option ?? answer))
                })
            return choice
        }
    }

    /// Returns the text that an answer was typed as.
    private static func text(_ value: AnswerValue) -> String {
        switch value.type {
        case "Reference": value.json["reference"]?.string ?? value.text
        case "Attachment": value.json["url"]?.string ?? value.text
        case "Coding":
            [value.json["system"]?.string, value.json["code"]?.string].compactMap { $0 }.joined(separator: "|")
        default: value.text
        }
    }
}
