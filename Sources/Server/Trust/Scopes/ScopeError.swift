import Core

/// Why a list of scopes is not read (RFC 6749, section 3.3). What is read and not known is no error: it grants nothing.
public enum ScopeError: CodedError, Hashable {
    /// The text is longer than ``AccessScopes/longestText``.
    case tooLong
    /// There are more than ``AccessScopes/largestCount``.
    case tooMany

    /// The stable code: `scopes-too-long`, `scopes-too-many`.
    public var code: String {
        switch self {
        case .tooLong: "scopes-too-long"
        case .tooMany: "scopes-too-many"
        }
    }

    /// A sentence that a person can act on.
    public var message: String {
        switch self {
        case .tooLong: "The scopes are longer than \(AccessScopes.longestText) bytes; ask for fewer."
        case .tooMany: "There are more than \(AccessScopes.largestCount) scopes; ask for fewer, such as patient/*.rs."
        }
    }
}
