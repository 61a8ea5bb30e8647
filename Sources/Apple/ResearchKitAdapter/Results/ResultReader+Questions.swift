#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms
    import ResearchResults

    extension ResultReader {
        /// Returns the result of a question. A property is set only if its member is present: ResearchKit's setters of an
        /// answer also remove the reason for no answer.
        mutating func question(
            _ known: ResultClass, from members: ResultMembers, identifier: String
        ) throws(SurveyResultError) -> ORKQuestionResult {
            let question = try answered(known, from: members, identifier: identifier)
            question.questionType = known.questionType
            if let number = try members.integer("questionType") {
                if let type = ORKQuestionType(rawValue: number) {
                    question.questionType = type
                } else {
                    report("questionType", of: members)
                }
            }
            if let reason = try members.members("noAnswerType") {
                if try reason.text("_class") == "ORKDontKnowAnswer" {
                    question.noAnswerType = ORKDontKnowAnswer.answer()
                } else {
                    report("noAnswerType", of: members)
                }
            }
            return question
        }

        private mutating func answered(
            _ known: ResultClass, from members: ResultMembers, identifier: String
        ) throws(SurveyResultError) -> ORKQuestionResult {
            switch known {
            case .boolean:
                let result = ORKBooleanQuestionResult(identifier: identifier)
                if let number = try members.number("booleanAnswer") {
                    let isTruth = number == 0 || number == 1
                    result.booleanAnswer = isTruth ? NSNumber(value: number.boolValue) : number
                }
                return result
            case .choice:
                let result = ORKChoiceQuestionResult(identifier: identifier)
                if let values = try choices("choiceAnswers", of: members) { result.choiceAnswers = values }
                return result
            case .components:
                let result = ORKMultipleComponentQuestionResult(identifier: identifier)
                if let values = try choices("componentsAnswer", of: members) { result.componentsAnswer = values }
                result.separator = try members.text("separator")
                return result
            case .numeric:
                let result = ORKNumericQuestionResult(identifier: identifier)
                if let number = try members.number("numericAnswer") { result.numericAnswer = number }
                result.unit = try members.text("unit")
                result.displayUnit = try members.text("displayUnit")
                return result
            case .scale:
                let result = ORKScaleQuestionResult(identifier: identifier)
                if let number = try members.number("scaleAnswer") { result.scaleAnswer = number }
                return result
            case .text:
                let result = ORKTextQuestionResult(identifier: identifier)
                if let text = try members.text("textAnswer") { result.textAnswer = text }
                return result
            case .interval:
                let result = ORKTimeIntervalQuestionResult(identifier: identifier)
                if let number = try members.number("intervalAnswer") { result.intervalAnswer = number }
                return result
            case .rung:
                let result = ORKSESQuestionResult(identifier: identifier)
                if let number = try members.number("rungPicked") { result.rungPicked = number }
                return result
            case .date: return try date(members, identifier: identifier)
            case .timeOfDay: return try timeOfDay(members, identifier: identifier)
            case .location: return try location(members, identifier: identifier)
            default: return ORKQuestionResult(identifier: identifier)
            }
        }

        /// Returns the values of choices. Arrays and objects are left out, and the member is reported.
        private mutating func choices(
            _ member: String, of members: ResultMembers
        ) throws(SurveyResultError) -> [any ORKChoiceValue]? {
            guard let elements = try members.elements(member) else { return nil }
            let values = elements.compactMap { ResultValues.choice($0) }
            if values.count < elements.count { report(member, of: members) }
            return values
        }

        private mutating func date(
            _ members: ResultMembers, identifier: String
        ) throws(SurveyResultError) -> ORKDateQuestionResult {
            let result = ORKDateQuestionResult(identifier: identifier)
            if let text = try members.text("dateAnswer") {
                guard let time = ResultTime.dateTime(text) else { throw members.malformed("dateAnswer") }
                result.dateAnswer = time.start()
            }
            if let text = try members.text("calendar") {
                result.calendar = ResultCalendars.calendar(text)
                if result.calendar == nil { report("calendar", of: members) }
            }
            let seconds = try members.integer("timeZone")
            let name = try members.text("timeZoneName")
            if seconds != nil || name != nil {
                let end = try members.text("endDate").flatMap(ResultTime.dateTime)?.start()
                let instant = result.dateAnswer ?? end ?? result.endDate
                result.timeZone = ResultCalendars.zone(seconds: seconds, name: name, at: instant)
                if result.timeZone == nil { report("timeZone", of: members) }
            }
            return result
        }

        private mutating func timeOfDay(
            _ members: ResultMembers, identifier: String
        ) throws(SurveyResultError) -> ORKTimeOfDayQuestionResult {
            let result = ORKTimeOfDayQuestionResult(identifier: identifier)
            if let all = try members.members("dateComponents") {
                result.dateComponentsAnswer = try ResultCalendars.components(all)
            } else if let text = try members.text("dateComponentsAnswer") {
                guard let components = ResultCalendars.components(timeOfDay: text) else {
                    throw members.malformed("dateComponentsAnswer")
                }
                result.dateComponentsAnswer = components
            }
            return result
        }

        #if os(Linux) || ORK_FEATURE_CLLOCATIONMANAGER_AUTHORIZATION
            private mutating func location(
                _ members: ResultMembers, identifier: String
            ) throws(SurveyResultError) -> ORKQuestionResult {
                let result = ORKLocationQuestionResult(identifier: identifier)
                if let parts = try members.members("locationAnswer") {
                    result.locationAnswer = try ResultLocation.location(parts)
                    if result.locationAnswer == nil { report("locationAnswer", of: members) }
                }
                return result
            }
        #else
            private mutating func location(
                _ members: ResultMembers, identifier: String
            ) throws(SurveyResultError) -> ORKQuestionResult {
                report(of: members)
                return ORKQuestionResult(identifier: identifier)
            }
        #endif
    }
#endif
