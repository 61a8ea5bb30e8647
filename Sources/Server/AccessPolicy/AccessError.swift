import Core

/// A refused action, or a request that cannot be granted. It contains no secret.
package struct AccessError: CodedError, Hashable {
    /// Stable code: `client-revoked`, `enrolment-revoked`, `invitation-refused`, `not-a-device`, or the reason of a ``Decision``.
    package let code: String
    /// Message for users that suggests an action.
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
