import Core

/// An error of Trust, which refused to do something. It carries no secret.
public struct TrustError: CodedError, Hashable {
    /// A stable code: `client-revoked`, `enrolment-revoked`, `not-a-device`, or the reason of a ``Decision``.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
