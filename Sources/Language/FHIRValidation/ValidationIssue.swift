/// One issue that validation found.
public struct ValidationIssue: Sendable, Hashable {
    /// Severity of an issue (<https://hl7.org/fhir/R4/valueset-issue-severity.html>).
    public enum Severity: String, Sendable, Comparable {
        /// A note that reports no fault.
        case information
        /// The resource can be used, but should be corrected.
        case warning
        /// The resource does not conform.
        case error
        /// The text cannot be read as a resource.
        case fatal

        private var rank: Int {
            switch self {
            case .information: 0
            case .warning: 1
            case .error: 2
            case .fatal: 3
            }
        }
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
    }

    /// The codes of <https://hl7.org/fhir/R4/valueset-issue-type.html> that validation uses.
    public enum Kind: String, Sendable {
        /// Invalid content, for no more specific reason.
        case invalid
        /// A structure that R4 does not define: names, JSON types, nesting.
        case structure
        /// A required element is missing.
        case required
        /// A value that its type does not allow.
        case value
        /// A constraint is violated.
        case invariant
        /// A code that its binding does not allow.
        case codeInvalid = "code-invalid"
        /// An extension that is unknown or not allowed here.
        case `extension`
        /// Something that occurs twice and is allowed once.
        case duplicate
        /// A reference or definition that cannot be found.
        case notFound = "not-found"
        /// A check that would exceed the allowed number of steps.
        case tooCostly = "too-costly"
        /// A text that exceeds the maximum length.
        case tooLong = "too-long"
        /// A rule of FHIR beyond structure and constraints.
        case businessRule = "business-rule"
        /// A rule that is not checked here.
        case notSupported = "not-supported"
        /// A note that reports no fault.
        case informational
    }

    /// The severity.
    public let severity: Severity
    /// The type of the issue, as FHIR codes it.
    public let kind: Kind
    /// Tributary's stable code, or the key of the constraint (`obs-6`).
    public let code: String
    /// The location as FHIRPath: `Observation.component[0].value.ofType(Quantity).code`.
    public let expression: String
    /// A sentence that describes the issue and its correction. It contains names and codes of the standard, never the
    /// person's data.
    public let message: String
    /// The line in the validated text, from 1; nil if no text was given.
    public internal(set) var line: Int?
    /// The column in bytes, from 1.
    public internal(set) var column: Int?

    /// Creates an issue.
    public init(
        _ severity: Severity, _ kind: Kind, code: String, expression: String, message: String, line: Int? = nil,
        column: Int? = nil
    ) {
        self.severity = severity
        self.kind = kind
        self.code = code
        self.expression = expression
        self.message = message
        self.line = line
        self.column = column
    }
}
