import Core

/// Reason why an expression could not be parsed or evaluated.
public struct FHIRPathError: CodedError, Hashable {
    /// Kind of error.
    public enum Kind: String, Sendable {
        /// The text is not an expression.
        case syntax
        /// The expression is not valid for its types.
        case semantic
        /// The data do not fit the expression.
        case execution
        /// The evaluation exceeds a limit of steps, depth or output.
        case limit
    }

    /// The kind of error.
    public let kind: Kind
    /// A stable code.
    public let code: String
    /// A sentence for people. It contains names of functions, operators and types, never values of the data.
    public let message: String
    /// The line in the expression, from 1; nil if the error has no position.
    public let line: Int?
    /// The column in characters, from 1.
    public let column: Int?

    /// The code of an error for a variable whose value is not available (``FHIRPathContext/undecided``).
    public static let undecidedCode = "variable-undecided"

    /// Creates an error.
    public init(_ kind: Kind, code: String, message: String, at location: SourceLocation? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        line = location?.line
        column = location?.column
    }

    public var description: String {
        let location = line.map { " (line \($0), column \(column ?? 1))" } ?? ""
        return "\(kind.rawValue) error \(code)\(location): \(message)"
    }
}

/// A position in the text of an expression.
public struct SourceLocation: Sendable, Hashable {
    /// The line, from 1.
    public let line: Int
    /// The column in characters, from 1.
    public let column: Int
}

extension FHIRPathError {
    static func execution(_ code: String, _ message: String) -> FHIRPathError {
        FHIRPathError(.execution, code: code, message: message)
    }
    static func semantic(_ code: String, _ message: String) -> FHIRPathError {
        FHIRPathError(.semantic, code: code, message: message)
    }
    static func limit(_ code: String, _ message: String) -> FHIRPathError {
        FHIRPathError(.limit, code: code, message: message)
    }
    /// Returns the error of a function or operator that requires a single item and got several.
    static func several(_ name: String) -> FHIRPathError {
        .execution(
            "not-a-singleton",
            "\(name) works on one item, but got several: choose one, with first() or where().")
    }
}
