import Core

/// An error of the gateway. Its message contains no health data and no secret.
public struct GatewayError: CodedError, Hashable {
    /// Stable: `hub-name-invalid`, `hub-url-invalid`, `hub-url-differs`, `hub-secret-invalid`, `device-id-invalid`,
    /// `device-taken`, `participant-unknown`, `event-unknown`, and those of ``IncomingEvents``.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String

    public init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}
