import Core

/// Why an expression could not be read or evaluated.
public struct FHIRPathError: CodedError, Hashable {
    /// The kinds of errors.
    public enum Kind: String, Sendable {
        /// The text is no expression.
        case syntax
        /// The expression asks for what its types cannot give.
        case semantic
        /// The data do not fit what the expression asks for.
        case execution
        /// It would take more steps, depth or output than is allowed.
        case limit
    }

    /// The kind of error.
    public let kind: Kind
    /// A stable code.
    public let code: String
    /// A sentence for people. It names functions, operators and types, never values of the data.
    public let message: String
    /// Where in the expression, from 1; nil where no place is to blame.
    public let line: Int?
    /// In characters, from 1.
    public let column: Int?

    /// Makes an error of a kind and a code, with a sentence and the place in the expression.
    public init(_ kind: Kind, code: String, message: String, at place: FHIRPathPlace? = nil) {
        self.kind = kind
        self.code = code
        self.message = message
        line = place?.line
        column = place?.column
    }

    public var description: String {
        let place = line.map { " (line \($0), column \(column ?? 1))" } ?? ""
        return "\(kind.rawValue) error \(code)\(place): \(message)"
    }
}

/// A place in the text of an expression, from 1.
public struct FHIRPathPlace: Sendable, Hashable {
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
    /// A function or operator that takes one item got several.
    static func several(_ name: String) -> FHIRPathError {
        .execution(
            "not-a-singleton",
            "\(name) works on one item and got several: choose one, with first() or where().")
    }
}
