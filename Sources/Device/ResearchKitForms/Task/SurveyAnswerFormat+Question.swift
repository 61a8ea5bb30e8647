import FHIR
import FormRendering
import Foundation
import Questionnaires

extension SurveyAnswerFormat {
    /// The choice with a field for another answer.
    static let otherValue = "Other"

    /// Creates the format of a question; nil for a photo, which is a step of its own.
    ///
    /// - Parameters:
    ///   - language: the language of our own words; nil if the form's is unknown.
    ///   - offset: minutes east of UTC, for the bounds of dates.
    init?(_ question: RenderPlan.Question, language: String?, offsetMinutes offset: Int) {
        if Self.isPhoto(question) { return nil }
        if !question.options.isEmpty {
            self = Self.choice(question, language)
            return
        }
        switch question.type {
        case .boolean: self = Self.boolean(language)
        case .integer, .decimal, .quantity: self = Self.number(question, language)
        case .date: self = .date(Self.date(question, hasTime: false, offset))
        case .dateTime: self = .date(Self.date(question, hasTime: true, offset))
        case .time: self = .timeOfDay
        default: self = .text(SurveyTextFormat(question, language: language))
        }
    }

    /// Whether a question asks for a photo: an attachment that may be a picture.
    static func isPhoto(_ question: RenderPlan.Question) -> Bool {
        guard question.type == .attachment else { return false }
        let types = question.limits.mimeTypes.map { $0.lowercased() }
        return types.isEmpty || types.contains { $0.hasPrefix("image/") || $0 == "*/*" }
    }

    // MARK: Choices

    static func boolean(_ language: String?) -> SurveyAnswerFormat {
        guard let language else { return .boolean(yes: nil, no: nil) }
        func word(_ value: Bool) -> String {
            let text = AnswerValue.boolean(value).text(in: language)
            return text.prefix(1).uppercased() + text.dropFirst()
        }
        return .boolean(yes: word(true), no: word(false))
    }

    private static func choice(_ question: RenderPlan.Question, _ language: String?) -> SurveyAnswerFormat {
        var choices = question.options.map { option in
            let text = [option.prefix, option.text.plain].compactMap { $0 }.joined(separator: " ")
            let value = SurveyChoiceValue.text(option.value)
            let media = option.media.flatMap { $0.title ?? $0.url }
            return SurveyChoice(
                text: shown(text, else: value), detailText: media, value: value, isExclusive: option.isExclusive,
                isOther: false)
        }
        let takesOther = question.takesOwnText || question.takesOtherValues
        let isVertical = question.hints.orientation == .vertical
        if !question.repeats, !takesOther {
            switch question.control {
            case .slider where (2...8).contains(choices.count): return .textScale(choices, isVertical: isVertical)
            case .dropDown, .spinner: return .valuePicker(choices)
            default: break
            }
        }
        if takesOther {
            choices.append(
                SurveyChoice(
                    text: shown(
                        question.hints.openLabel ?? SurveySentences.text("Other", in: language), else: otherValue),
                    detailText: nil, value: otherValue,
                    isExclusive: !question.repeats, isOther: true))
        }
        return .textChoice(choices, isMultiple: question.repeats)
    }

    /// Returns a text that has something other than white space.
    private static func shown(_ text: String, else other: String) -> String {
        text.contains { !$0.isWhitespace } ? text : other.contains { !$0.isWhitespace } ? other : "?"
    }

    // MARK: Numbers

    private static func number(_ question: RenderPlan.Question, _ language: String?) -> SurveyAnswerFormat {
        let isInteger = question.type == .integer
        var low = question.limits.minimum.flatMap(question.bound)
        var high = question.limits.maximum.flatMap(question.bound)
        // With a minimum above the maximum no answer is valid; the check of the response reports it.
        if let least = low, let greatest = high, least > greatest { (low, high) = (nil, nil) }
        if question.control == .slider, let low, let high, let scale = scale(question, from: low, to: high) {
            return scale
        }
        let name = question.unit.flatMap { RenderPlan.Question.text(of: $0, in: language) }
        let unit = name ?? question.notes(.unit).first
        return .numeric(
            SurveyNumberFormat(
                isInteger: isInteger, unit: unit, minimum: low, maximum: high,
                fractionDigits: isInteger ? nil : question.limits.maxDecimalPlaces.map { min(max($0, 0), 38) },
                placeholder: question.limits.entryFormat ?? question.notes(.prompt).first))
    }

    private static func scale(_ question: RenderPlan.Question, from low: Decimal, to high: Decimal)
        -> SurveyAnswerFormat?
    {
        let isVertical = question.hints.orientation == .vertical
        let lower = question.notes(.lower).first
        let upper = question.notes(.upper).first
        let written = question.hints.sliderStep?.decimal
        if question.type == .integer, let low = whole(low), let high = whole(high), let step = whole(written ?? 1),
            step >= 1, high > low, low >= -10_000, high <= 10_000, (high - low) % step == 0,
            (1...13).contains((high - low) / step)
        {
            return .scale(
                SurveyScale(
                    minimum: low, maximum: high, step: step, isVertical: isVertical, minimumDescription: lower,
                    maximumDescription: upper))
        }
        // The digits that the bounds and the step need; those that the form permits, if there is room for them.
        let needed = [low, high, written ?? 0].map { max(0, -$0.exponent) }.max() ?? 0
        let permitted = question.type == .integer ? 0 : question.limits.maxDecimalPlaces ?? max(needed, 2)
        for digits in stride(from: min(max(permitted, 0), 4), through: 0, by: -1) where digits >= min(needed, permitted)
        {
            let (least, greatest) = (number(low), number(high))
            let limit = 100_000 * pow(0.1, Double(digits))
            guard least.isFinite, greatest.isFinite, greatest > least, least >= -limit, greatest <= limit else {
                continue
            }
            return .continuousScale(
                SurveyContinuousScale(
                    minimum: least, maximum: greatest, fractionDigits: digits, isVertical: isVertical,
                    minimumDescription: lower, maximumDescription: upper))
        }
        return nil
    }

    private static func whole(_ value: Decimal) -> Int? { JSONNumber(value)?.integer }

    private static func number(_ value: Decimal) -> Double { JSONNumber(value)?.double ?? .nan }

    // MARK: Dates

    private static func date(_ question: RenderPlan.Question, hasTime: Bool, _ offset: Int) -> SurveyDateFormat {
        let low = question.limits.minimum?.json.string.flatMap { DateTime($0) }?.start(assumingOffsetMinutes: offset)
        var high = question.limits.maximum?.json.string.flatMap { DateTime($0) }.map { limit in
            // A day without a time is permitted until its end.
            limit.precision < .second
                ? limit.end(assumingOffsetMinutes: offset).addingTimeInterval(-1)
                : limit.start(assumingOffsetMinutes: offset)
        }
        if let low, let greatest = high, low > greatest { high = nil }
        let contradicts = high == nil && low != nil && question.limits.maximum != nil
        return SurveyDateFormat(hasTime: hasTime, minimum: contradicts ? nil : low, maximum: high)
    }
}
