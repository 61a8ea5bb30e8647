/// One problem that validation found.
public struct ValidationIssue: Sendable, Hashable {
    /// How bad it is (<https://hl7.org/fhir/R4/valueset-issue-severity.html>).
    public enum Severity: String, Sendable, Comparable {
        /// Nothing is wrong; a note.
        case information
        /// The resource can be used, and something should be mended.
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
        /// Content that is not valid, for no more exact reason.
        case invalid
        /// A structure that R4 does not have: names, shapes, nesting.
        case structure
        /// An element that must be there is missing.
        case required
        /// A value that its type does not allow.
        case value
        /// A constraint that does not hold.
        case invariant
        /// A code that its binding does not allow.
        case codeInvalid = "code-invalid"
        /// An extension that is unknown or stands in the wrong place.
        case `extension`
        /// Something that stands twice and may stand once.
        case duplicate
        /// A reference or definition that leads nowhere.
        case notFound = "not-found"
        /// A check that would take more steps than are allowed.
        case tooCostly = "too-costly"
        /// Text that is longer than allowed.
        case tooLong = "too-long"
        /// A rule of FHIR beyond structure and constraints.
        case businessRule = "business-rule"
        /// Something that is not checked here.
        case notSupported = "not-supported"
        /// A note about nothing wrong.
        case informational
    }

    /// The severity.
    public let severity: Severity
    /// The kind of problem, as FHIR codes it.
    public let kind: Kind
    /// Our own stable code, or the key of the constraint (`obs-6`).
    public let code: String
    /// Where it is, as FHIRPath: `Observation.component[0].value.ofType(Quantity).code`.
    public let expression: String
    /// A sentence that says what is wrong and what to do. It names elements and codes of the standard, never the
    /// person's data.
    public let message: String
    /// The line in the text that was validated, from 1; nil where no text was given.
    public internal(set) var line: Int?
    /// The column in bytes, from 1.
    public internal(set) var column: Int?

    /// Makes an issue of a code and a sentence, with its place.
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
