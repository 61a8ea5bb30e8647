import Foundation

extension OutboxError {
    /// Returns the error of a request without a response, with the address that was tried.
    ///
    /// - Parameter error: the system's error; nil if it reports none.
    static func unreached(_ url: URL?, because error: (any Error)? = nil) -> OutboxError {
        let address = url.map(\.origin) ?? "its address"
        if let error = error as NSError?, let reason = certificateProblem(error) {
            return .certificateUntrusted(address, reason)
        }
        return OutboxError(
            .connectionFailed, "The server at \(address) cannot be reached, or the connection broke.")
    }

    /// Returns the error for a server certificate that is not trusted.
    ///
    /// - Parameters:
    ///   - address: the scheme, host and port that were tried.
    ///   - reason: the reason that the system reports.
    public static func certificateUntrusted(_ address: String, _ reason: String) -> OutboxError {
        OutboxError(
            .certificateUntrusted,
            "The certificate of \(address) is not trusted (\(reason)). A certificate of a private authority needs that "
                + "authority's certificate.")
    }

    /// Returns the reason that a certificate is not trusted; nil for another error.
    private static func certificateProblem(_ error: NSError) -> String? {
        guard error.domain == NSURLErrorDomain else { return nil }
        switch error.code {
        case NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot:
            return "its authority is unknown"
        case NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateNotYetValid:
            return "it has expired or is not yet valid"
        default:
            // Foundation on Linux has no code for it, and passes on the text of the underlying library.
            let words = error.localizedDescription
            return words.hasPrefix("SSL") && words.contains("certificate") ? words : nil
        }
    }
}

extension URL {
    /// Scheme, host and port: a URL without path and query, which may contain private data.
    public var origin: String {
        let host = host(percentEncoded: false) ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(name)" + (port.map { ":\($0)" } ?? "")
    }
}
