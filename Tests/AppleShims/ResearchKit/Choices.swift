import Foundation

/// The type of a choice's value.
public typealias ORKChoiceValue = NSObjectProtocol & NSCopying & NSSecureCoding

public enum ORKChoiceAnswerStyle: Int, Sendable { case singleChoice, multipleChoice }

open class ORKTextChoice: NSObject {
    public let text: String
    public let detailText: String?
    public let value: any ORKChoiceValue
    public let exclusive: Bool

    public init(text: String, detailText: String?, value: any ORKChoiceValue, exclusive: Bool) {
        self.text = text
        self.detailText = detailText
        self.value = value
        self.exclusive = exclusive
        if !(value is NSString || value is NSNumber || value is NSDate) {
            raiseInvalid("'value' must be an NSString, NSNumber or NSDate")
        }
        if text.isEmpty, detailText?.isEmpty ?? true { raiseInvalid("A choice needs a text or a detail text.") }
    }

    public convenience init(text: String, value: any ORKChoiceValue) {
        self.init(text: text, detailText: nil, value: value, exclusive: false)
    }
}

/// A choice with a field for the person's own text. The text replaces the value in the answer.
open class ORKTextChoiceOther: ORKTextChoice {
    public private(set) var textViewPlaceholderText = ""

    public static func choice(
        withText text: String?, detailText: String?, value: any ORKChoiceValue, exclusive: Bool,
        textViewPlaceholderText: String
    ) -> ORKTextChoiceOther {
        let choice = ORKTextChoiceOther(
            text: text ?? "", detailText: detailText, value: value, exclusive: exclusive)
        choice.textViewPlaceholderText = textViewPlaceholderText
        return choice
    }
}

open class ORKTextChoiceAnswerFormat: ORKAnswerFormat {
    public let style: ORKChoiceAnswerStyle
    public let textChoices: [ORKTextChoice]

    public init(style: ORKChoiceAnswerStyle, textChoices: [ORKTextChoice]) {
        self.style = style
        self.textChoices = textChoices
    }

    open override func validateParameters() {
        if textChoices.isEmpty { raiseInvalid("The number of choices cannot be less than 1.") }
    }
}

open class ORKValuePickerAnswerFormat: ORKAnswerFormat {
    public let textChoices: [ORKTextChoice]

    public init(textChoices: [ORKTextChoice]) { self.textChoices = textChoices }

    open override func validateParameters() {
        if textChoices.isEmpty { raiseInvalid("The number of choices cannot be less than 1.") }
    }
}

open class ORKTextScaleAnswerFormat: ORKAnswerFormat {
    public let textChoices: [ORKTextChoice]
    public let defaultIndex: Int
    public let isVertical: Bool

    public init(textChoices: [ORKTextChoice], defaultIndex: Int, vertical: Bool) {
        self.textChoices = textChoices
        self.defaultIndex = defaultIndex
        isVertical = vertical
        super.init()
        validateParameters()
    }

    open override func validateParameters() {
        if textChoices.count < 2 { raiseInvalid("Must have a minimum of 2 text choices.") }
        if textChoices.count > 8 { raiseInvalid("Cannot have more than 8 text choices.") }
    }
}
