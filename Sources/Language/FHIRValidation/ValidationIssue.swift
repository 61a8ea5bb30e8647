/// One problem that validation found.
public struct ValidationIssue: Sendable, Hashable {
    /// How bad it is (<https://hl7.org/fhir/R4/valueset-issue-severity.html>).
    public enum Severity: String, Sendable, Comparable {
        case information, warning, error, fatal

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
        case invalid, structure, required, value, invariant
        case codeInvalid = "code-invalid"
        case `extension`, duplicate
        case notFound = "not-found"
        case tooCostly = "too-costly"
        case tooLong = "too-long"
        case businessRule = "business-rule"
        case notSupported = "not-supported"
        case informational
    }

    public let severity: Severity
    public let kind: Kind
    /// Our own stable code, or the key of the constraint (`obs-6`).
    public let code: String
    /// Where it is, as FHIRPath: `Observation.component[0].value.ofType(Quantity).code`.
    public let expression: String
    /// What is wrong and what to do. It names elements and codes of the standard, never the person's data.
    public let message: String
    /// The line in the text that was validated, from 1; nil where no text was given.
    public internal(set) var line: Int?
    /// The column in bytes, from 1.
    public internal(set) var column: Int?

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
