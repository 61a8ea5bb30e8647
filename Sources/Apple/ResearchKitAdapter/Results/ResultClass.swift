#if canImport(ResearchKit)
    import ResearchKit

    /// The classes of ResearchKit's results that are converted with all of their members.
    enum ResultClass: String, CaseIterable {
        case result = "ORKResult"
        case collection = "ORKCollectionResult"
        case task = "ORKTaskResult"
        case step = "ORKStepResult"
        case question = "ORKQuestionResult"
        case boolean = "ORKBooleanQuestionResult"
        case choice = "ORKChoiceQuestionResult"
        case components = "ORKMultipleComponentQuestionResult"
        case numeric = "ORKNumericQuestionResult"
        case scale = "ORKScaleQuestionResult"
        case text = "ORKTextQuestionResult"
        case date = "ORKDateQuestionResult"
        case timeOfDay = "ORKTimeOfDayQuestionResult"
        case interval = "ORKTimeIntervalQuestionResult"
        case rung = "ORKSESQuestionResult"
        case location = "ORKLocationQuestionResult"
        case file = "ORKFileResult"
        case consentSignature = "ORKConsentSignatureResult"
        case signature = "ORKSignatureResult"

        /// The class of a result, or its nearest superclass.
        init(_ result: ORKResult) {
            switch result {
            case is ORKTaskResult: self = .task
            case is ORKStepResult: self = .step
            case is ORKCollectionResult: self = .collection
            case let question as ORKQuestionResult: self = ResultClass(question: question)
            case is ORKFileResult: self = .file
            case is ORKConsentSignatureResult: self = .consentSignature
            case is ORKSignatureResult: self = .signature
            default: self = .result
            }
        }

        private init(question: ORKQuestionResult) {
            switch question {
            case is ORKBooleanQuestionResult: self = .boolean
            case is ORKChoiceQuestionResult: self = .choice
            case is ORKMultipleComponentQuestionResult: self = .components
            case is ORKNumericQuestionResult: self = .numeric
            case is ORKScaleQuestionResult: self = .scale
            case is ORKTextQuestionResult: self = .text
            case is ORKDateQuestionResult: self = .date
            case is ORKTimeOfDayQuestionResult: self = .timeOfDay
            case is ORKTimeIntervalQuestionResult: self = .interval
            case is ORKSESQuestionResult: self = .rung
            default: self = Self.isLocation(question) ? .location : .question
            }
        }

        /// The superclass of a class that is not supported, so that the results in it are converted.
        static func superclass(of name: String) -> ResultClass {
            switch name {
            case "ORKPageResult": .task
            case "ORKFrontFacingCameraStepResult": .file
            default: .result
            }
        }

        /// The name of ResearchKit's class.
        var name: String { rawValue }

        /// Whether a subclass counts as this class in the answers of a form.
        var isForForms: Bool {
            switch self {
            case .result, .collection, .question: false
            default: true
            }
        }

        /// The type of the questions that have results of this class.
        var questionType: ORKQuestionType {
            switch self {
            case .boolean: .boolean
            case .choice: .singleChoice
            case .components: .multiplePicker
            case .numeric: .decimal
            case .scale: .scale
            case .text: .text
            case .date: .date
            case .timeOfDay: .timeOfDay
            case .interval: .timeInterval
            case .rung: .SES
            case .location: .location
            default: .none
            }
        }

        // ResearchKit declares locations only for an app that defines the same.
        #if os(Linux) || ORK_FEATURE_CLLOCATIONMANAGER_AUTHORIZATION
            private static func isLocation(_ question: ORKQuestionResult) -> Bool {
                question is ORKLocationQuestionResult
            }
        #else
            private static func isLocation(_ question: ORKQuestionResult) -> Bool { false }
        #endif
    }
#endif
