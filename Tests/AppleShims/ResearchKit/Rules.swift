import Foundation

/// objc: ORKFormItemVisibilityRule.h
open class ORKFormItemVisibilityRule: NSObject, NSCopying {
    public override init() {
        super.init()
        if type(of: self) == ORKFormItemVisibilityRule.self {
            raise("NSGenericException", "method unavailable: make a subclass")
        }
    }

    open func formItemVisibility(for taskResult: ORKTaskResult?) -> Bool {
        raise("NSGenericException", "You should override this method in a subclass")
        return true
    }

    /// The original creates an object with `init()`, which loses what a subclass has; the stand-in raises.
    open func copy(with zone: NSZone? = nil) -> Any {
        raise("NSGenericException", "A subclass overrides copy(with:)")
        return self
    }
}

/// objc: ORKStepNavigationRule.h
open class ORKStepNavigationRule: NSObject {
    open func identifierForDestinationStep(with taskResult: ORKTaskResult) -> String { "" }
}

open class ORKDirectStepNavigationRule: ORKStepNavigationRule {
    public let destinationStepIdentifier: String

    public init(destinationStepIdentifier: String) { self.destinationStepIdentifier = destinationStepIdentifier }

    open override func identifierForDestinationStep(with taskResult: ORKTaskResult) -> String {
        destinationStepIdentifier
    }
}

open class ORKSkipStepNavigationRule: NSObject, NSCopying {
    public override init() {
        super.init()
        if type(of: self) == ORKSkipStepNavigationRule.self {
            raise("NSGenericException", "method unavailable: make a subclass")
        }
    }

    open func stepShouldSkip(with taskResult: ORKTaskResult) -> Bool {
        raise("NSGenericException", "You should override this method in a subclass")
        return false
    }

    /// As for the visibility rule.
    open func copy(with zone: NSZone? = nil) -> Any {
        raise("NSGenericException", "A subclass overrides copy(with:)")
        return self
    }
}
