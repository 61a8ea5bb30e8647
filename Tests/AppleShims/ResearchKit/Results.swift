import Foundation

/// objc: ORKResult.h
open class ORKResult: NSObject {
    open var identifier: String
    open var startDate = Date()
    open var endDate = Date()
    open var userInfo: [AnyHashable: Any]?

    public init(identifier: String) { self.identifier = identifier }
}

open class ORKCollectionResult: ORKResult {
    open var results: [ORKResult]?

    open func result(forIdentifier identifier: String) -> ORKResult? {
        results?.first { $0.identifier == identifier }
    }
}

public protocol ORKTaskResultSource: NSObjectProtocol {
    func stepResult(forStepIdentifier stepIdentifier: String) -> ORKStepResult?
}

open class ORKTaskResult: ORKCollectionResult, ORKTaskResultSource {
    public let taskRunUUID: UUID
    public let outputDirectory: URL?
    /// Private in ResearchKit: the module `ResearchKit_Private` has it.
    package var ownDevice = ORKDevice.current()

    public init(taskIdentifier: String, taskRun: UUID, outputDirectory: URL?) {
        taskRunUUID = taskRun
        self.outputDirectory = outputDirectory
        super.init(identifier: taskIdentifier)
    }

    open func stepResult(forStepIdentifier stepIdentifier: String) -> ORKStepResult? {
        result(forIdentifier: stepIdentifier) as? ORKStepResult
    }
}

open class ORKStepResult: ORKCollectionResult {
    /// Set by ResearchKit alone.
    public package(set) var enabledAssistiveTechnology: String?
    /// Private in ResearchKit: the module `ResearchKit_Private` has it.
    package var isOfEarlierRun = false

    public init(stepIdentifier: String, results: [ORKResult]?) {
        super.init(identifier: stepIdentifier)
        // ResearchKit has copies of the results here, and the results themselves where `results` is set.
        self.results = results
    }
}

/// objc: ORKDevice.h
open class ORKDevice: NSObject {
    public let product: String?
    public let osVersion: String?
    public let osBuild: String?
    public let platform: String?

    public static func current() -> ORKDevice {
        ORKDevice("Phone", osVersion: "18.0", osBuild: "22A1", platform: "iOS")
    }

    package init(_ product: String, osVersion: String, osBuild: String, platform: String) {
        self.product = product
        self.osVersion = osVersion
        self.osBuild = osBuild
        self.platform = platform
    }
}

/// objc: ORKTypes.h
open class ORKNoAnswer: NSObject { override fileprivate init() {} }

open class ORKDontKnowAnswer: ORKNoAnswer {
    public static func answer() -> ORKDontKnowAnswer { ORKDontKnowAnswer() }
}

/// objc: ORKQuestionResult.h
public enum ORKQuestionType: Int, Sendable {
    case none, scale, singleChoice, multipleChoice, multiplePicker, decimal, integer, boolean, text, timeOfDay
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case dateAndTime, date, timeInterval, height, weight, location, SES, age, year
}

open class ORKQuestionResult: ORKResult {
    open var questionType = ORKQuestionType.none
    open var noAnswerType: ORKNoAnswer?
}
open class ORKBooleanQuestionResult: ORKQuestionResult { open var booleanAnswer: NSNumber? }
open class ORKChoiceQuestionResult: ORKQuestionResult { open var choiceAnswers: [any ORKChoiceValue]? }
open class ORKDateQuestionResult: ORKQuestionResult {
    open var dateAnswer: Date?
    open var calendar: Calendar?
    open var timeZone: TimeZone?
}
open class ORKMultipleComponentQuestionResult: ORKQuestionResult {
    open var componentsAnswer: [any ORKChoiceValue]?
    open var separator: String?
}
open class ORKNumericQuestionResult: ORKQuestionResult {
    open var numericAnswer: NSNumber?
    open var unit: String?
    open var displayUnit: String?
}
open class ORKScaleQuestionResult: ORKQuestionResult { open var scaleAnswer: NSNumber? }
open class ORKTextQuestionResult: ORKQuestionResult { open var textAnswer: String? }
open class ORKTimeOfDayQuestionResult: ORKQuestionResult { open var dateComponentsAnswer: DateComponents? }
open class ORKTimeIntervalQuestionResult: ORKQuestionResult { open var intervalAnswer: NSNumber? }
open class ORKSESQuestionResult: ORKQuestionResult { open var rungPicked: NSNumber? }

open class ORKFileResult: ORKResult {
    open var fileURL: URL?
    open var contentType: String?
    open var fileName: String?
}
