import Foundation

extension OutboxError {
    /// The error of a request that no server answered, with the address that was tried.
    ///
    /// - Parameter error: what the system reports; nil where it reports nothing.
    static func unreached(_ url: URL?, because error: (any Error)? = nil) -> OutboxError {
        let address = url.map(\.origin) ?? "its address"
        if let error = error as NSError?, let reason = certificateProblem(error) {
            return .certificateUntrusted(address, reason)
        }
        return OutboxError(
            .connectionFailed, "The server at \(address) cannot be reached, or the connection broke.")
    }

    /// The error that the certificate of a server is not trusted.
    ///
    /// - Parameters:
    ///   - address: the scheme, host and port that were tried.
    ///   - reason: what the system reports.
    public static func certificateUntrusted(_ address: String, _ reason: String) -> OutboxError {
        OutboxError(
            .certificateUntrusted,
            "The certificate of \(address) is not trusted (\(reason)). A certificate of a private authority needs that "
                + "authority's certificate.")
    }

    /// What the system reports of a certificate that it does not trust; nil for another error.
    private static func certificateProblem(_ error: NSError) -> String? {
        guard error.domain == NSURLErrorDomain else { return nil }
        switch error.code {
        case NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot:
            return "its authority is unknown"
        case NSURLErrorServerCertificateHasBadDate, NSURLErrorServerCertificateNotYetValid:
            return "it has ended, or has not begun"
        default:
            // Foundation on Linux has no code for it, and passes the words of the library below on.
            let words = error.localizedDescription
            return words.hasPrefix("SSL") && words.contains("certificate") ? words : nil
        }
    }
}

extension URL {
    /// Scheme, host and port: an address without a path or a query, which may name something.
    public var origin: String {
        let host = host(percentEncoded: false) ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(name)" + (port.map { ":\($0)" } ?? "")
    }
}
