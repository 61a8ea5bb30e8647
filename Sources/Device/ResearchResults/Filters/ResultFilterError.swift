import Core

/// The reason why a filter of results cannot be read. The message does not repeat the filter, which may contain health
/// data.
public struct ResultFilterError: CMHealthCoded, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A condition does not have the form `PATH OP VALUE`.
        case malformed = "where-malformed"
        /// A path is empty, has an empty name or too many names.
        case pathInvalid = "where-path-invalid"
        /// The operator is unknown.
        case operatorUnknown = "where-operator-unknown"
        /// The value is not JSON, or has no order.
        case valueInvalid = "where-value-invalid"
        /// A text is longer than the limit.
        case tooLong = "where-too-long"
        /// There are more conditions than the limit.
        case tooManyConditions = "where-too-many"
        /// `from` or `to` is not a date or a time.
        case dateInvalid = "filter-date-invalid"
    }

    /// The kind.
    public let reason: Reason

    /// Creates an error of this kind.
    public init(_ reason: Reason) { self.reason = reason }

    public var code: String { reason.rawValue }

    /// 804: the request is invalid.
    public var cmhealth: CMHealthError { .invalidRequest }

    public var message: String {
        switch reason {
        case .malformed: "A condition has the form PATH OP VALUE, such as: results.results.scaleAnswer ge 7"
        case .pathInvalid: "A path has 1 to \(ResultCondition.maximumNames) member names, joined by dots."
        case .operatorUnknown: "The operator is eq, ne, lt, le, gt or ge."
        case .valueInvalid:
            "The value is JSON, such as 7 or \"text\"; lt, le, gt and ge need a number or a text."
        case .tooLong: "A part of the filter has more than \(ResultCondition.maximumBytes) bytes."
        case .tooManyConditions: "A filter has up to \(ResultFilter.maximumConditions) conditions."
        case .dateInvalid: "from and to are a date or a time with offset, such as 2026-11-29 or 2026-11-29T08:00:00Z."
        }
    }
}
