import Core

/// Reason why a list of scopes is rejected (RFC 6749, section 3.3). An unknown scope is not an error: it grants
/// nothing.
package enum ScopeError: CodedError, Hashable {
    /// The text is longer than ``AccessScopes/longestText``.
    case tooLong
    /// There are more scopes than ``AccessScopes/largestCount``.
    case tooMany

    /// Stable code: `scopes-too-long`, `scopes-too-many`.
    package var code: String {
        switch self {
        case .tooLong: "scopes-too-long"
        case .tooMany: "scopes-too-many"
        }
    }

    /// Message for users that suggests an action.
    package var message: String {
        switch self {
        case .tooLong: "The scopes are longer than \(AccessScopes.longestText) bytes; ask for fewer."
        case .tooMany: "There are more than \(AccessScopes.largestCount) scopes; ask for fewer, such as patient/*.rs."
        }
    }
}
