import Core

/// The reason why data are not a result, a consent or a profile, with the location.
public struct ResearchResultError: CMHealthCoded, Hashable {
    /// The kind of fault; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The text is not JSON.
        case notJSON = "result-not-json"
        /// The value has more bytes than the limit.
        case tooLarge = "result-too-large"
        /// Arrays and objects are nested deeper than Core's reader allows.
        case tooDeep = "result-too-deep"
        /// The value contains more results than the limit.
        case tooMany = "result-too-many"
        /// The value is not an object with a `_class`.
        case classMissing = "result-class-missing"
        /// The result has no `taskRunUUID`, so it cannot be saved.
        case uuidMissing = "result-uuid-missing"
        /// `taskRunUUID` is not a UUID.
        case uuidInvalid = "result-uuid-invalid"
        /// A known member has a value of the wrong type.
        case malformed = "result-malformed"
        /// A descriptor is longer than the limit or contains a control character.
        case descriptorInvalid = "descriptor-invalid"
        /// A digest is not 64 lowercase hexadecimal digits.
        case digestInvalid = "digest-invalid"
        /// A profile is not an object, is too large, or has a known member of the wrong type.
        case profileInvalid = "profile-invalid"
    }

    /// The kind of fault.
    public let reason: Reason
    /// The location: line and column of a text that is not JSON, else the path of the member, such as `$.startDate`.
    public let location: String

    /// Creates an error of this kind at this location.
    public init(_ reason: Reason, at location: String) {
        self.reason = reason
        self.location = location
    }

    public var code: String { reason.rawValue }

    /// 804: the request is invalid.
    public var cmhealth: CMHealthError { .invalidRequest }

    public var message: String {
        let sentence =
            switch reason {
            case .notJSON: "The result is not valid JSON"
            case .tooLarge: "The result is larger than \(ResearchResult.maximumBytes) bytes"
            case .tooDeep: "Arrays and objects are nested too deeply"
            case .tooMany: "There are more than \(ResultTree.maximumResults) results"
            case .classMissing: "A result needs to be an object with a _class"
            case .uuidMissing: "The result has no taskRunUUID: save the result of the whole task"
            case .uuidInvalid: "taskRunUUID is not a UUID"
            case .malformed: "A member has a value of the wrong type"
            case .descriptorInvalid:
                "A descriptor has up to \(ResearchResult.maximumDescriptorBytes) bytes and no control characters"
            case .digestInvalid: "A digest has 64 hexadecimal digits in lower case"
            case .profileInvalid:
                "A profile is an object of up to \(AccountProfile.maximumBytes) bytes, with texts as names and a date "
                    + "as dateOfBirth"
            }
        return "\(sentence) (\(location))."
    }
}
