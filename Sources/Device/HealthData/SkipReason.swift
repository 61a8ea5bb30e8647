import Core

/// The reason why an element did not become an observation of its own. The raw value is the stable code in the import
/// report.
public enum SkipReason: String, CodedError, CaseIterable {
    /// The type is not in ``HealthType/all``.
    case unsupportedType = "unsupported-type"
    /// The caller selected other types.
    case notSelected = "not-selected"
    /// The sample ended before the requested date.
    case beforeSince = "before-since"
    /// The same sample occurs earlier in the same source.
    case duplicate
    /// The same sample was converted earlier.
    case alreadyKnown = "already-known"
    /// The value is in the observation of its correlation.
    case memberOfCorrelation = "member-of-correlation"
    /// The value is in the observation of the systolic pressure with the same time.
    case combinedWithSystolic = "combined-with-systolic"
    /// No member of the correlation has a value.
    case incompleteCorrelation = "incomplete-correlation"
    /// The unit is unknown, or measures another quantity than the type.
    case unknownUnit = "unknown-unit"
    /// There is no value.
    case valueMissing = "value-missing"
    /// The value is not a number.
    case valueNotANumber = "value-not-a-number"
    /// The number is outside of the range that an observation can hold.
    case valueOutOfRange = "value-out-of-range"
    /// The type does not permit the coded value.
    case unknownValue = "unknown-value"
    /// There is no start.
    case dateMissing = "date-missing"
    /// A date cannot be parsed.
    case dateInvalid = "date-invalid"
    /// A date is before 1900 or after 2099.
    case dateOutOfRange = "date-out-of-range"
    /// The end is before the start.
    case endBeforeStart = "end-before-start"
    /// The element is never read: no study needs its content.
    case notRead = "not-read"
    /// The data is in a separate file, which is counted under its own name.
    case inFile = "in-file"
    /// Apple's documentation does not describe the element.
    case unknownElement = "unknown-element"
    /// The file ends inside the element.
    case cutOff = "cut-off"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence that gives the reason.
    public var message: String {
        switch self {
        case .unsupportedType: "The type is not in the table of types; a supplement can add it."
        case .notSelected: "Other types were selected."
        case .beforeSince: "The sample ended before the requested date."
        case .duplicate: "The same sample occurs earlier in the same source."
        case .alreadyKnown: "The same sample was converted before."
        case .memberOfCorrelation: "The value is in the observation of its correlation."
        case .combinedWithSystolic: "The value is in the observation of the systolic pressure with the same time."
        case .incompleteCorrelation: "No member of the correlation has a value."
        case .unknownUnit: "The unit is unknown, or measures another quantity than the type."
        case .valueMissing: "The sample has no value."
        case .valueNotANumber: "The value is not a number."
        case .valueOutOfRange: "The value is outside of the range that an observation can hold."
        case .unknownValue: "The type does not permit the coded value."
        case .dateMissing: "The sample has no start."
        case .dateInvalid: "A date of the sample cannot be parsed."
        case .dateOutOfRange: "A date of the sample is before 1900 or after 2099."
        case .endBeforeStart: "The sample ends before it starts."
        case .notRead: "The element is never read: no study needs its content."
        case .inFile: "The element describes a file, which is counted under its own name."
        case .unknownElement: "Apple does not document this element."
        case .cutOff: "The file ends inside the element."
        }
    }

    /// All cases, stored once: millions of elements are counted by their index.
    static let all = allCases
}

/// The repairs that were made to convert an element. Such elements are counted as converted.
public struct Repairs: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A percentage was written as 96 instead of 0.96.
    public static let percentAlreadyScaled = Repairs(rawValue: 1 << 0)
    /// A number was not in JSON's grammar.
    public static let numberSyntax = Repairs(rawValue: 1 << 1)
    /// An attribute occurred twice in the element.
    public static let duplicateAttribute = Repairs(rawValue: 1 << 2)
    /// The element contained characters that XML forbids or bytes that are not UTF-8.
    public static let illegalCharacters = Repairs(rawValue: 1 << 3)
    /// The end was missing, and the start is used as the end.
    public static let endMissing = Repairs(rawValue: 1 << 4)
    /// A date had a format of an older system.
    public static let dateFormat = Repairs(rawValue: 1 << 5)
    /// The workout's activity is not in the table and is converted to "other".
    public static let unknownActivity = Repairs(rawValue: 1 << 6)
    /// A part of a correlation or workout could not be read and was dropped.
    public static let partDropped = Repairs(rawValue: 1 << 7)
    /// The element's markup was not well-formed.
    public static let markup = Repairs(rawValue: 1 << 8)

    /// The kinds of repair with their stable codes.
    public static let kinds: [(code: String, repair: Repairs)] = [
        ("percent-already-scaled", .percentAlreadyScaled), ("number-syntax", .numberSyntax),
        ("duplicate-attribute", .duplicateAttribute), ("illegal-characters", .illegalCharacters),
        ("end-missing", .endMissing), ("date-format", .dateFormat), ("unknown-activity", .unknownActivity),
        ("part-dropped", .partDropped), ("markup", .markup),
    ]
}
