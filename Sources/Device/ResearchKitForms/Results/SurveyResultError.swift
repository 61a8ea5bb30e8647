import FHIR

/// The reason why a JSON text is not a result of ResearchKit, with the location.
public struct SurveyResultError: CodedError, Hashable {
    /// The kind of fault; the raw value is the stable code.
    public enum Reason: String, Sendable {
        /// The text is not JSON.
        case notJSON = "result-not-json"
        /// The text is longer than ``SurveyResult/maximumBytes``.
        case tooLarge = "result-too-large"
        /// Results are nested deeper than ``SurveyResult/maximumDepth``.
        case tooDeep = "result-too-deep"
        /// There are more than ``SurveyResult/maximumResults`` results.
        case tooMany = "result-too-many"
        /// A result is not an object with a `_class`.
        case notAResult = "result-class-missing"
        /// A member has a value of the wrong type.
        case malformed = "result-malformed"
    }

    /// The kind of fault.
    public let reason: Reason
    /// The location: line and column of a text that is not JSON, else the path of the member, such as
    /// `$.results[1].results[0].numericAnswer`.
    public let location: String

    /// Creates an error of this kind at this location.
    package init(reason: Reason, location: String) {
        self.reason = reason
        self.location = location
    }

    public var code: String { reason.rawValue }

    public var message: String {
        let sentence =
            switch reason {
            case .notJSON: "The result is not valid JSON"
            case .tooLarge: "The result is larger than \(SurveyResult.maximumBytes) bytes"
            case .tooDeep: "Results are nested deeper than \(SurveyResult.maximumDepth) levels"
            case .tooMany: "There are more than \(SurveyResult.maximumResults) results"
            case .notAResult: "A result needs to be an object with a _class"
            case .malformed: "A member has a value of the wrong type"
            }
        return "\(sentence) (\(location))."
    }
}
