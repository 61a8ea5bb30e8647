import FHIR
import Foundation

/// A choice of an answer format.
public struct SurveyChoice: Sendable, Hashable {
    /// The text; never empty.
    public let text: String
    /// A second line.
    public let detailText: String?
    /// The value that identifies the answer (``SurveyChoiceValue``).
    public let value: String
    /// Whether it excludes all other choices.
    public let isExclusive: Bool
    /// Whether the person can type another answer.
    public let isOther: Bool
}

/// A scale of whole numbers with 1 to 13 equal steps.
public struct SurveyScale: Sendable, Hashable {
    public let minimum: Int
    public let maximum: Int
    public let step: Int
    public let isVertical: Bool
    public let minimumDescription: String?
    public let maximumDescription: String?
}

/// A scale without steps.
public struct SurveyContinuousScale: Sendable, Hashable {
    public let minimum: Double
    public let maximum: Double
    /// Maximum number of digits after the decimal point, 0 to 4.
    public let fractionDigits: Int
    public let isVertical: Bool
    public let minimumDescription: String?
    public let maximumDescription: String?
}

/// A field for a number.
public struct SurveyNumberFormat: Sendable, Hashable {
    /// Whether only whole numbers are possible.
    public let isInteger: Bool
    /// The unit that is shown.
    public let unit: String?
    public let minimum: Decimal?
    public let maximum: Decimal?
    public let fractionDigits: Int?
    public let placeholder: String?
}

/// A field for a date, or for a date and time.
public struct SurveyDateFormat: Sendable, Hashable {
    public let hasTime: Bool
    public let minimum: Date?
    public let maximum: Date?
}

/// A field for a text.
public struct SurveyTextFormat: Sendable, Hashable {
    /// The keyboards of UIKit, in the order of their numbers.
    public enum Keyboard: Int, Sendable, CaseIterable {
        case standard, asciiCapable, numbersAndPunctuation, url, numberPad, phonePad, namePhonePad, emailAddress
        case decimalPad, twitter, webSearch, asciiCapableNumberPad
    }

    /// The capitalizations of UIKit, in the order of their numbers.
    public enum Capitalization: Int, Sendable, CaseIterable { case none, words, sentences, allCharacters }

    /// Maximum number of UTF-16 units; 0 if there is no limit.
    public internal(set) var maximumLength = 0
    /// A regular expression that begins and ends with the text, because ResearchKit searches anywhere in it.
    public internal(set) var pattern: String?
    /// The message for a text that does not match. It is present if and only if there is a pattern.
    public internal(set) var message: String?
    public internal(set) var hasLines = false
    public internal(set) var keyboard = Keyboard.standard
    public internal(set) var capitalization: Capitalization?
    /// The system's name of the text's meaning.
    public internal(set) var contentType: String?
    public internal(set) var placeholder: String?
}

/// The format in which ResearchKit asks for an answer. Each value satisfies the checks of ResearchKit's class, which raises an exception
/// for others, and thereby ends the app.
public enum SurveyAnswerFormat: Sendable, Hashable {
    /// `ORKBooleanAnswerFormat`, with words in the language of the form. ResearchKit has its own if the form's language is
    /// unknown.
    case boolean(yes: String?, no: String?)
    /// `ORKTextChoiceAnswerFormat` with at least one choice.
    case textChoice([SurveyChoice], isMultiple: Bool)
    /// `ORKValuePickerAnswerFormat` with at least one choice.
    case valuePicker([SurveyChoice])
    /// `ORKTextScaleAnswerFormat` with 2 to 8 choices.
    case textScale([SurveyChoice], isVertical: Bool)
    /// `ORKScaleAnswerFormat`.
    case scale(SurveyScale)
    /// `ORKContinuousScaleAnswerFormat`.
    case continuousScale(SurveyContinuousScale)
    /// `ORKNumericAnswerFormat`.
    case numeric(SurveyNumberFormat)
    /// `ORKDateAnswerFormat`.
    case date(SurveyDateFormat)
    /// `ORKTimeOfDayAnswerFormat`.
    case timeOfDay
    /// `ORKTextAnswerFormat`.
    case text(SurveyTextFormat)
}
