import Foundation

/// objc: ORKStep.h
open class ORKStep: NSObject {
    public let identifier: String
    open var isOptional = false
    open var title: String?
    open var text: String?
    open var detailText: String?
    open var footnote: String?

    public init(identifier: String) { self.identifier = identifier }

    open func validateParameters() {}
}

open class ORKInstructionStep: ORKStep {
    open var attributedDetailText: NSAttributedString?
}

open class ORKCompletionStep: ORKInstructionStep {}

open class ORKImageCaptureStep: ORKStep {}

/// objc: ORKFormStep.h
open class ORKFormStep: ORKStep {
    open var formItems: [ORKFormItem]?
    open var footerText: String?

    public convenience init(identifier: String, title: String?, text: String?) {
        self.init(identifier: identifier)
        self.title = title
        self.text = text
        isOptional = true
    }

    open override func validateParameters() {
        let items = formItems ?? []
        if items.isEmpty { raiseInvalid("A form step needs form items.") }
        for item in items { item.answerFormat?.validateParameters() }
        if Set(items.map(\.identifier)).count != items.count {
            raise("NSGenericException", "Each form item should have a unique identifier")
        }
    }
}

/// A row of a form; without an answer format it begins a section.
open class ORKFormItem: NSObject {
    /// A section's row has a UUID if it is created with a section title.
    public let identifier: String
    public let text: String?
    public let answerFormat: ORKAnswerFormat?
    open var isOptional = true
    open var detailText: String?
    open var placeholder: String?
    open var tagText: String?
    private var ownRule: ORKFormItemVisibilityRule?

    /// A `copy` property. An item that is not visible has no result.
    open var visibilityRule: ORKFormItemVisibilityRule? {
        get { ownRule }
        set { ownRule = newValue.flatMap { $0.copy() as? ORKFormItemVisibilityRule } }
    }

    public init(identifier: String, text: String?, answerFormat: ORKAnswerFormat?) {
        self.identifier = identifier
        self.text = text
        self.answerFormat = answerFormat
    }

    public convenience init(identifier: String, text: String?, answerFormat: ORKAnswerFormat?, optional: Bool) {
        self.init(identifier: identifier, text: text, answerFormat: answerFormat)
        isOptional = optional
    }

    public convenience init(sectionTitle: String?) {
        self.init(identifier: UUID().uuidString, text: sectionTitle, answerFormat: nil)
    }
}
