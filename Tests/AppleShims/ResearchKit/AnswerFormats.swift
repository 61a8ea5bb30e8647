import Foundation

/// objc: ORKAnswerFormat.h
open class ORKAnswerFormat: NSObject {
    open var shouldShowDontKnowButton = false
    open var customDontKnowButtonText: String?

    /// ResearchKit calls this before it shows a step.
    open func validateParameters() {}
}

open class ORKBooleanAnswerFormat: ORKAnswerFormat {
    public let yes: String?
    public let no: String?

    public override init() {
        yes = nil
        no = nil
    }

    public init(yesString: String, noString: String) {
        yes = yesString
        no = noString
    }
}

public enum ORKNumericAnswerStyle: Int, Sendable { case decimal, integer }

open class ORKNumericAnswerFormat: ORKAnswerFormat {
    public let style: ORKNumericAnswerStyle
    public let unit: String?
    public let displayUnit: String?
    open var minimum: NSNumber?
    open var maximum: NSNumber?
    open var maximumFractionDigits: NSNumber?
    open var defaultNumericAnswer: NSNumber?
    open var placeholder: String?

    public init(
        style: ORKNumericAnswerStyle, unit: String?, displayUnit: String?, minimum: NSNumber?, maximum: NSNumber?,
        maximumFractionDigits: NSNumber?
    ) {
        self.style = style
        self.unit = unit
        self.displayUnit = displayUnit
        self.minimum = minimum
        self.maximum = maximum
        self.maximumFractionDigits = maximumFractionDigits
        super.init()
        validateParameters()
    }

    open override func validateParameters() {
        if let minimum, let maximum, maximum.compare(minimum) == .orderedAscending {
            raiseInvalid("Expect maximumValue larger than minimumValue")
        }
    }
}

open class ORKTimeOfDayAnswerFormat: ORKAnswerFormat {
    public let defaultComponents: DateComponents?
    open var minuteInterval = 1

    public init(defaultComponents: DateComponents?) { self.defaultComponents = defaultComponents }
}

public enum ORKDateAnswerStyle: Int, Sendable { case dateAndTime, date }

open class ORKDateAnswerFormat: ORKAnswerFormat {
    public let style: ORKDateAnswerStyle
    public let defaultDate: Date?
    public let minimumDate: Date?
    public let maximumDate: Date?
    public let calendar: Calendar?

    public init(
        style: ORKDateAnswerStyle, defaultDate: Date?, minimumDate: Date?, maximumDate: Date?, calendar: Calendar?
    ) {
        self.style = style
        self.defaultDate = defaultDate
        self.minimumDate = minimumDate
        self.maximumDate = maximumDate
        self.calendar = calendar
        super.init()
        validateParameters()
    }

    open override func validateParameters() {
        if let minimumDate, let maximumDate, minimumDate > maximumDate {
            raiseInvalid("Minimum date should be before the maximum date")
        }
        if let defaultDate, let minimumDate, defaultDate < minimumDate {
            raiseInvalid("Default date should not be less than the minimum date")
        }
        if let defaultDate, let maximumDate, defaultDate > maximumDate {
            raiseInvalid("Default date should not be more than the maximum date")
        }
    }
}

open class ORKTextAnswerFormat: ORKAnswerFormat {
    open var validationRegularExpression: NSRegularExpression?
    open var invalidMessage: String?
    open var defaultTextAnswer: String?
    open var placeholder: String?
    /// 0 means no limit.
    open var maximumLength = 0
    open var multipleLines = false
    open var keyboardType = UIKeyboardType.default
    open var autocapitalizationType = UITextAutocapitalizationType.sentences
    open var textContentType: UITextContentType?

    public override init() {}
    public init(maximumLength: Int) { self.maximumLength = maximumLength }

    open override func validateParameters() {
        if (validationRegularExpression == nil) != (invalidMessage == nil) {
            raiseInvalid("Both regular expression and invalid message properties must be set.")
        }
    }

    /// Whether the text field accepts a text: it has something other than white space, no more UTF-16 units than the
    /// maximum, and the pattern matches anywhere in it.
    public func isAnswerValid(_ text: String) -> Bool {
        guard !text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty,
            maximumLength == 0 || text.utf16.count <= maximumLength
        else { return false }
        return validationRegularExpression.map {
            $0.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text)) != 0
        } ?? true
    }
}
