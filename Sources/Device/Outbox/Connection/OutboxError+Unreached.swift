import Foundation

extension OutboxError {
    /// Creates the outbox's error for an error of a transport; the codes are equal.
    init(_ error: TransportError) {
        let reason: Reason =
            switch error.reason {
            case .connectionFailed: .connectionFailed
            case .certificateUntrusted: .certificateUntrusted
            case .answerInvalid: .answerInvalid
            }
        self.init(reason, error.message)
    }

    /// Returns the error of a request without a response, with the address that was tried.
    ///
    /// - Parameter error: the system's error; nil if it reports none.
    static func unreached(_ url: URL?, because error: (any Error)? = nil) -> OutboxError {
        OutboxError(TransportError.unreached(url, because: error))
    }

    /// Returns the error for a server certificate that is not trusted.
    ///
    /// - Parameters:
    ///   - address: the scheme, host and port that were tried.
    ///   - reason: the reason that the system reports.
    public static func certificateUntrusted(_ address: String, _ reason: String) -> OutboxError {
        OutboxError(TransportError.certificateUntrusted(address, reason))
    }
}
