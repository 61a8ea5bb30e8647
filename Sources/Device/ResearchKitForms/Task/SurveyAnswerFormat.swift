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
    /// The lowest value.
    public let minimum: Int
    /// The highest value.
    public let maximum: Int
    /// The distance between two values; at least 1.
    public let step: Int
    /// Whether the scale is vertical.
    public let isVertical: Bool
    /// The text at the lowest value.
    public let minimumDescription: String?
    /// The text at the highest value.
    public let maximumDescription: String?
}

/// A scale without steps.
public struct SurveyContinuousScale: Sendable, Hashable {
    /// The lowest value.
    public let minimum: Double
    /// The highest value.
    public let maximum: Double
    /// Maximum number of digits after the decimal point, 0 to 4.
    public let fractionDigits: Int
    /// Whether the scale is vertical.
    public let isVertical: Bool
    /// The text at the lowest value.
    public let minimumDescription: String?
    /// The text at the highest value.
    public let maximumDescription: String?
}

/// A field for a number.
public struct SurveyNumberFormat: Sendable, Hashable {
    /// Whether only whole numbers are possible.
    public let isInteger: Bool
    /// The unit that is shown.
    public let unit: String?
    /// The lowest number; nil if there is no limit.
    public let minimum: Decimal?
    /// The highest number; nil if there is no limit.
    public let maximum: Decimal?
    /// Maximum number of digits after the decimal point; nil if there is no limit.
    public let fractionDigits: Int?
    /// An example of the input.
    public let placeholder: String?
}

/// A field for a date, or for a date and time.
public struct SurveyDateFormat: Sendable, Hashable {
    /// Whether the answer has a time of day.
    public let hasTime: Bool
    /// The earliest date; nil if there is no limit.
    public let minimum: Date?
    /// The latest date; nil if there is no limit.
    public let maximum: Date?
}

/// A field for a text.
public struct SurveyTextFormat: Sendable, Hashable {
    /// The keyboards of UIKit, in the order of their numbers.
    public enum Keyboard: Int, Sendable, CaseIterable {
        /// The keyboard of the language.
        case standard
        /// ASCII characters.
        case asciiCapable
        /// Numbers and punctuation.
        case numbersAndPunctuation
        /// Addresses of pages.
        case url
        /// Digits of the language.
        case numberPad
        /// Telephone numbers.
        case phonePad
        /// Names and telephone numbers.
        case namePhonePad
        /// Addresses of electronic mail.
        case emailAddress
        /// Digits and a decimal point.
        case decimalPad
        /// Text with easy access to `@` and `#`.
        case twitter
        /// Terms of a search.
        case webSearch
        /// The digits 0 to 9.
        case asciiCapableNumberPad
    }

    /// The capitalizations of UIKit, in the order of their numbers.
    public enum Capitalization: Int, Sendable, CaseIterable {
        /// No letter.
        case none
        /// The first letter of each word.
        case words
        /// The first letter of each sentence.
        case sentences
        /// All letters.
        case allCharacters
    }

    /// Maximum number of UTF-16 units; 0 if there is no limit.
    public internal(set) var maximumLength = 0
    /// A regular expression that begins and ends with the text, because ResearchKit searches anywhere in it.
    public internal(set) var pattern: String?
    /// The message for a text that does not match. It is present if and only if there is a pattern.
    public internal(set) var message: String?
    /// Whether the text can have several lines.
    public internal(set) var hasLines = false
    /// The keyboard of the field.
    public internal(set) var keyboard = Keyboard.standard
    /// The letters that the keyboard makes upper case; nil for the decision of the system.
    public internal(set) var capitalization: Capitalization?
    /// The system's name of the text's meaning.
    public internal(set) var contentType: String?
    /// An example of the input.
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
