import Core

/// The reason that an element is not an observation of its own. The raw value is the stable code in the import report.
public enum SkipReason: String, CodedError, CaseIterable {
    /// The type is not in ``HealthType/all``.
    case unsupportedType = "unsupported-type"
    /// The caller asked for other types.
    case notSelected = "not-selected"
    /// It ended before the date that was asked for.
    case beforeSince = "before-since"
    /// The same sample stood earlier in the same source.
    case duplicate
    /// The same sample was converted at an earlier time.
    case alreadyKnown = "already-known"
    /// The value is in the observation of the correlation that it belongs to.
    case memberOfCorrelation = "member-of-correlation"
    /// The value is in the observation of the systolic pressure taken at the same time.
    case combinedWithSystolic = "combined-with-systolic"
    /// No member of the correlation has a value.
    case incompleteCorrelation = "incomplete-correlation"
    /// The unit is not known, or does not measure what the type measures.
    case unknownUnit = "unknown-unit"
    /// There is no value.
    case valueMissing = "value-missing"
    /// The value is no number.
    case valueNotANumber = "value-not-a-number"
    /// The number is larger or smaller than an observation can hold.
    case valueOutOfRange = "value-out-of-range"
    /// The coded value is none of the type's.
    case unknownValue = "unknown-value"
    /// There is no start.
    case dateMissing = "date-missing"
    /// A date cannot be read.
    case dateInvalid = "date-invalid"
    /// Before 1900 or after 2099.
    case dateOutOfRange = "date-out-of-range"
    /// The end lies before the start.
    case endBeforeStart = "end-before-start"
    /// It is never read: it holds what no study asked for.
    case notRead = "not-read"
    /// Its data stands in a file of its own, which is counted under its own name.
    case inFile = "in-file"
    /// An element that is not described by Apple.
    case unknownElement = "unknown-element"
    /// The file ends inside of it.
    case cutOff = "cut-off"

    /// The stable code.
    public var code: String { rawValue }

    /// A sentence that says what became of the element.
    public var message: String {
        switch self {
        case .unsupportedType: "The type is not in the table of types; a supplement can add it."
        case .notSelected: "Other types were asked for."
        case .beforeSince: "The sample ended before the date that was asked for."
        case .duplicate: "The same sample stands earlier in the same source."
        case .alreadyKnown: "The same sample was converted before."
        case .memberOfCorrelation: "The value is in the observation of its correlation."
        case .combinedWithSystolic: "The value is in the observation of the systolic pressure of the same time."
        case .incompleteCorrelation: "No member of the correlation has a value."
        case .unknownUnit: "The unit is not known, or does not measure what the type measures."
        case .valueMissing: "The sample has no value."
        case .valueNotANumber: "The value is no number."
        case .valueOutOfRange: "The value is larger or smaller than an observation can hold."
        case .unknownValue: "The coded value is none of the type's."
        case .dateMissing: "The sample has no start."
        case .dateInvalid: "A date of the sample cannot be read."
        case .dateOutOfRange: "The sample lies before 1900 or after 2099."
        case .endBeforeStart: "The sample ends before it starts."
        case .notRead: "The element is never read: it holds what no study asks for."
        case .inFile: "The element speaks of a file, which is counted under its own name."
        case .unknownElement: "Apple describes no such element."
        case .cutOff: "The file ends inside of the element."
        }
    }

    /// All cases, made once: millions of elements are counted by their place in it.
    static let all = allCases
}

/// The repairs that converting an element needed. Such elements count as converted.
public struct Repairs: OptionSet, Sendable, Hashable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A percentage was written as 96 and not as 0.96.
    public static let percentAlreadyScaled = Repairs(rawValue: 1 << 0)
    /// A number was written in a way that JSON does not know.
    public static let numberSyntax = Repairs(rawValue: 1 << 1)
    /// The same attribute stood twice in the element.
    public static let duplicateAttribute = Repairs(rawValue: 1 << 2)
    /// The element held characters that XML forbids or bytes that are no UTF-8.
    public static let illegalCharacters = Repairs(rawValue: 1 << 3)
    /// The end was missing and is taken to be the start.
    public static let endMissing = Repairs(rawValue: 1 << 4)
    /// A date was written in one of the formats of older systems.
    public static let dateFormat = Repairs(rawValue: 1 << 5)
    /// The workout's activity is not in the table and counts as "other".
    public static let unknownActivity = Repairs(rawValue: 1 << 6)
    /// A correlation or workout lost a part that could not be read.
    public static let partDropped = Repairs(rawValue: 1 << 7)
    /// The element's markup was not well-formed.
    public static let markup = Repairs(rawValue: 1 << 8)

    /// The kinds with their stable codes.
    public static let kinds: [(code: String, repair: Repairs)] = [
        ("percent-already-scaled", .percentAlreadyScaled), ("number-syntax", .numberSyntax),
        ("duplicate-attribute", .duplicateAttribute), ("illegal-characters", .illegalCharacters),
        ("end-missing", .endMissing), ("date-format", .dateFormat), ("unknown-activity", .unknownActivity),
        ("part-dropped", .partDropped), ("markup", .markup),
    ]
}
