import Core

/// An error of the gateway. Its message contains no health data and no secret.
package struct GatewayError: CodedError, Hashable {
    /// Stable: `hub-name-invalid`, `hub-url-invalid`, `hub-url-differs`, `hub-secret-invalid`, `device-id-invalid`,
    /// `device-taken`, `participant-unknown`, `event-unknown`, and those of ``IncomingEvents``.
    package let code: String
    /// A sentence that a person can act on.
    package let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}
