#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms

    extension SurveyResult {
        /// Creates the value of a result. A class that is not known here has its name, identifier and times only.
        public init(_ result: ORKResult) {
            self.init(className: Self.className(result), identifier: result.identifier)
            startDate = DateTime(result.startDate, in: .current)
            endDate = DateTime(result.endDate, in: .current)
            switch result {
            case let task as ORKTaskResult:
                self["taskRunUUID"] = .string(task.taskRunUUID.uuidString)
                results = (task.results ?? []).map { SurveyResult($0) }
            case let collection as ORKCollectionResult: results = (collection.results ?? []).map { SurveyResult($0) }
            case let file as ORKFileResult:
                self["fileURL"] = file.fileURL.map { .string($0.absoluteString) }
                self["contentType"] = file.contentType.map(JSON.string)
                self["fileName"] = file.fileName.map(JSON.string)
            case let question as ORKQuestionResult:
                self["questionType"] = .number(JSONNumber(question.questionType.rawValue))
                read(question)
            default: break
            }
        }

        private mutating func read(_ question: ORKQuestionResult) {
            switch question {
            case let boolean as ORKBooleanQuestionResult: self["booleanAnswer"] = number(boolean.booleanAnswer)
            case let choice as ORKChoiceQuestionResult:
                self["choiceAnswers"] = choice.choiceAnswers.map { .array($0.compactMap { value($0) }) }
            case let numeric as ORKNumericQuestionResult:
                self["numericAnswer"] = number(numeric.numericAnswer)
                self["unit"] = numeric.unit.map(JSON.string)
                self["displayUnit"] = numeric.displayUnit.map(JSON.string)
            case let scale as ORKScaleQuestionResult: self["scaleAnswer"] = number(scale.scaleAnswer)
            case let text as ORKTextQuestionResult: self["textAnswer"] = text.textAnswer.map(JSON.string)
            case let date as ORKDateQuestionResult:
                guard let instant = date.dateAnswer else { return }
                let zone = date.timeZone ?? .current
                self["dateAnswer"] = .string(ResearchKitTime.text(instant, in: zone))
                self["timeZone"] = .number(JSONNumber(zone.secondsFromGMT(for: instant)))
            case let time as ORKTimeOfDayQuestionResult:
                guard let components = time.dateComponentsAnswer else { return }
                self["dateComponentsAnswer"] = .string(
                    ResearchKitTime.text(hour: components.hour ?? 0, minute: components.minute ?? 0))
            case let interval as ORKTimeIntervalQuestionResult: self["intervalAnswer"] = number(interval.intervalAnswer)
            default: break
            }
        }

        /// Returns the number with its own digits.
        private func number(_ number: NSNumber?) -> JSON? {
            guard let number else { return nil }
            let text = (number as? NSDecimalNumber)?.description(withLocale: nil) ?? number.stringValue
            return (JSONNumber(text: text) ?? JSONNumber(number.decimalValue)).map(JSON.number)
        }

        private func value(_ value: any ORKChoiceValue) -> JSON? {
            switch value {
            case let text as NSString: .string(String(describing: text))
            case let number as NSNumber: self.number(number)
            case let date as NSDate:
                .string(ResearchKitTime.text(Date(timeIntervalSince1970: date.timeIntervalSince1970), in: .current))
            default: nil
            }
        }

        /// The name of the class that the serializer writes: that of ResearchKit for an app's own subclass.
        private static func className(_ result: ORKResult) -> String {
            switch result {
            case is ORKTaskResult: "ORKTaskResult"
            case is ORKStepResult: "ORKStepResult"
            case is ORKBooleanQuestionResult: "ORKBooleanQuestionResult"
            case is ORKChoiceQuestionResult: "ORKChoiceQuestionResult"
            case is ORKNumericQuestionResult: "ORKNumericQuestionResult"
            case is ORKScaleQuestionResult: "ORKScaleQuestionResult"
            case is ORKTextQuestionResult: "ORKTextQuestionResult"
            case is ORKDateQuestionResult: "ORKDateQuestionResult"
            case is ORKTimeOfDayQuestionResult: "ORKTimeOfDayQuestionResult"
            case is ORKTimeIntervalQuestionResult: "ORKTimeIntervalQuestionResult"
            case is ORKFileResult: "ORKFileResult"
            default: String(describing: Swift.type(of: result))
            }
        }

        /// The result without the times of its parts, for comparison.
        var withoutTimes: SurveyResult {
            var plain = self
            plain.startDate = nil
            plain.endDate = nil
            plain.results = results.map(\.withoutTimes)
            return plain
        }

        /// ResearchKit's object of a question's result, to fill in a form in advance; nil for other classes.
        var object: ORKResult? {
            switch className {
            case "ORKBooleanQuestionResult":
                let result = ORKBooleanQuestionResult(identifier: identifier)
                result.questionType = .boolean
                result.booleanAnswer = self["booleanAnswer"]?.number.map { NSNumber(value: $0.double != 0) }
                return result
            case "ORKChoiceQuestionResult":
                let result = ORKChoiceQuestionResult(identifier: identifier)
                result.questionType = type ?? .singleChoice
                result.choiceAnswers = (self["choiceAnswers"]?.array ?? []).compactMap(\.string).map {
                    NSString(string: $0)
                }
                return result
            case "ORKNumericQuestionResult":
                let result = ORKNumericQuestionResult(identifier: identifier)
                result.questionType = type ?? .decimal
                result.numericAnswer = decimal("numericAnswer")
                result.unit = self["unit"]?.string
                return result
            case "ORKScaleQuestionResult":
                let result = ORKScaleQuestionResult(identifier: identifier)
                result.questionType = .scale
                result.scaleAnswer = decimal("scaleAnswer")
                return result
            case "ORKTextQuestionResult":
                let result = ORKTextQuestionResult(identifier: identifier)
                result.questionType = .text
                result.textAnswer = self["textAnswer"]?.string
                return result
            case "ORKDateQuestionResult":
                let result = ORKDateQuestionResult(identifier: identifier)
                result.questionType = type ?? .date
                result.dateAnswer = self["dateAnswer"]?.string.flatMap(ResearchKitTime.instant)
                result.timeZone = self["timeZone"]?.integer.flatMap { TimeZone(secondsFromGMT: $0) }
                return result
            case "ORKTimeOfDayQuestionResult":
                let result = ORKTimeOfDayQuestionResult(identifier: identifier)
                result.questionType = .timeOfDay
                result.dateComponentsAnswer = self["dateComponentsAnswer"]?.string.flatMap(ResearchKitTime.components)
                return result
            default: return nil
            }
        }

        private var type: ORKQuestionType? { self["questionType"]?.integer.flatMap { ORKQuestionType(rawValue: $0) } }

        private func decimal(_ member: String) -> NSNumber? {
            self[member]?.number?.decimal.map { NSDecimalNumber(decimal: $0) }
        }
    }

    /// The times of ResearchKit's serializer.
    private enum ResearchKitTime {
        static func text(_ instant: Date, in zone: TimeZone) -> String {
            DateTime(instant, offsetMinutes: zone.secondsFromGMT(for: instant) / 60, milliseconds: false).text
        }

        static func text(hour: Int, minute: Int) -> String {
            func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            return "\(digits(hour)):\(digits(minute))"
        }

        static func instant(_ text: String) -> Date? {
            var result = SurveyResult(className: "ORKResult", identifier: "")
            result["startDate"] = .string(text)
            return result.startDate?.start()
        }

        static func components(_ text: String) -> DateComponents? {
            let parts = text.split(separator: ":").compactMap { Int($0) }
            guard parts.count >= 2 else { return nil }
            return DateComponents(hour: parts[0], minute: parts[1])
        }
    }
#endif
