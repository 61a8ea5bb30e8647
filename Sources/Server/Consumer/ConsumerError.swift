import Core

/// An error of the consumer's side, which could not do what was asked.
public struct ConsumerError: CodedError, Hashable {
    /// Stable, for programs.
    public let code: String
    /// A sentence for a person, without health data or secrets.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
