#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms

    extension ResultWriter {
        /// Adds the answer of a question.
        mutating func add(_ question: ORKQuestionResult, to members: inout JSONObject) {
            members["questionType"] = .number(JSONNumber(question.questionType.rawValue))
            if question.noAnswerType != nil { addNoAnswer(of: question, to: &members) }
            switch question {
            case let boolean as ORKBooleanQuestionResult:
                members["booleanAnswer"] = ResultValues.truthOrNumber(boolean.booleanAnswer)
            case let choice as ORKChoiceQuestionResult:
                members["choiceAnswers"] = values(choice.choiceAnswers, as: "choiceAnswers", of: choice)
            case let components as ORKMultipleComponentQuestionResult:
                members["componentsAnswer"] = values(
                    components.componentsAnswer, as: "componentsAnswer", of: components)
                members["separator"] = components.separator.map(JSON.string)
            case let numeric as ORKNumericQuestionResult:
                members["numericAnswer"] = number(numeric.numericAnswer, as: "numericAnswer", of: numeric)
                members["unit"] = numeric.unit.map(JSON.string)
                members["displayUnit"] = numeric.displayUnit.map(JSON.string)
            case let scale as ORKScaleQuestionResult:
                members["scaleAnswer"] = number(scale.scaleAnswer, as: "scaleAnswer", of: scale)
            case let text as ORKTextQuestionResult: members["textAnswer"] = text.textAnswer.map(JSON.string)
            case let date as ORKDateQuestionResult: add(date, to: &members)
            case let time as ORKTimeOfDayQuestionResult:
                guard let components = time.dateComponentsAnswer else { return }
                members["dateComponentsAnswer"] = ResultCalendars.timeOfDay(components).map(JSON.string)
                members["dateComponents"] = ResultCalendars.json(components)
            case let interval as ORKTimeIntervalQuestionResult:
                members["intervalAnswer"] = number(interval.intervalAnswer, as: "intervalAnswer", of: interval)
            case let rung as ORKSESQuestionResult:
                members["rungPicked"] = number(rung.rungPicked, as: "rungPicked", of: rung)
            default:
                #if os(Linux) || ORK_FEATURE_CLLOCATIONMANAGER_AUTHORIZATION
                    guard let result = question as? ORKLocationQuestionResult, let location = result.locationAnswer
                    else { return }
                    members["locationAnswer"] = written(ResultLocation.json(location), as: "locationAnswer", of: result)
                #else
                    break
                #endif
            }
        }

        private mutating func addNoAnswer(of question: ORKQuestionResult, to members: inout JSONObject) {
            guard let answer = question.noAnswerType else { return }
            var object = JSONObject()
            object["_class"] = .string(String(describing: Swift.type(of: answer)))
            members["noAnswerType"] = .object(object)
        }

        private mutating func add(_ date: ORKDateQuestionResult, to members: inout JSONObject) {
            let instant = date.dateAnswer ?? date.endDate
            if let answer = date.dateAnswer {
                members["dateAnswer"] = ResultValues.json(time: answer, in: date.timeZone ?? .current)
            }
            if let calendar = date.calendar {
                members["calendar"] = written(
                    ResultCalendars.text(calendar).map(JSON.string), as: "calendar", of: date)
            }
            if let zone = date.timeZone {
                members["timeZone"] = .number(JSONNumber(zone.secondsFromGMT(for: instant)))
                members["timeZoneName"] = ResultCalendars.name(zone, at: instant).map(JSON.string)
            }
        }

        private mutating func number(_ number: NSNumber?, as member: String, of result: ORKResult) -> JSON? {
            number.flatMap { written(ResultValues.json(number: $0), as: member, of: result) }
        }

        /// Returns the values of choices. A value that is no text, number or time is left out, and the member is reported.
        private mutating func values(
            _ values: [any ORKChoiceValue]?, as member: String, of result: ORKResult
        ) -> JSON? {
            guard let values else { return nil }
            let written = values.compactMap { ResultValues.json(choice: $0) }
            if written.count < values.count { _ = self.written(nil, as: member, of: result) }
            return .array(written)
        }
    }
#endif
