import Core

/// An error of Trust, which refused an action. It contains no secret.
public struct TrustError: CodedError, Hashable {
    /// Stable code: `client-revoked`, `enrolment-revoked`, `not-a-device`, or the reason of a ``Decision``.
    public let code: String
    /// Message for users that suggests an action.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
