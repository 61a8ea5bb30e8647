import Core

/// The reason that a server cannot be set up.
package struct ServerHTTPError: CodedError, Hashable {
    /// Stable: `tls-unreadable`, `plain-http`, `address-unavailable`, `network-invalid`, `rate-invalid`, `rate-class-unknown`.
    package let code: String
    /// A sentence that a person can act on.
    package let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
