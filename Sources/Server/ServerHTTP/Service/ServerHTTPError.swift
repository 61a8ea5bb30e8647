import Core

/// The reason that a server cannot be set up.
public struct ServerHTTPError: CodedError, Hashable {
    /// Stable: `tls-unreadable`, `plain-http`, `address-unavailable`, `network-invalid`, `rate-invalid`, `rate-class-unknown`.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
