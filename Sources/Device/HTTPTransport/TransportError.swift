import Core
import Foundation

/// The reason why a request has no response.
///
/// ```swift
/// do { response = try await transport.send(request) } catch let error as TransportError {
///     if error.reason == .certificateUntrusted { show(error.message) }
/// }
/// ```
/// The message contains the scheme, host and port of the address, and neither its path nor its query.
public struct TransportError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The server could not be reached, or the connection broke.
        case connectionFailed = "connection-failed"
        /// The server's certificate is not trusted: its authority is unknown, it is for another host, or it has
        /// expired.
        case certificateUntrusted = "certificate-untrusted"
        /// The response is not HTTP, or has more bytes than the limit.
        case answerInvalid = "answer-invalid"
    }

    /// The kind.
    public let reason: Reason
    /// A sentence for a person.
    public let message: String

    /// Creates an error of this kind with this message.
    ///
    /// ```swift
    /// throw TransportError(.connectionFailed, "The server cannot be reached.")
    /// ```
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// The stable code, such as `connection-failed`.
    public var code: String { reason.rawValue }
}

extension TransportError {
    /// Returns the error of a request without a response, with the address that was tried.
    ///
    /// - Parameter error: the system's error; nil if it reports none.
    package static func unreached(_ url: URL?, because error: (any Error)? = nil) -> TransportError {
        let address = url.map(\.origin) ?? "its address"
        if let error = error as NSError?, let reason = certificateProblem(error) {
            return .certificateUntrusted(address, reason)
        }
        return TransportError(
            .connectionFailed, "The server at \(address) cannot be reached, or the connection broke.")
    }

    /// Returns the error for a server certificate that is not trusted.
    ///
    /// ```swift
    /// throw TransportError.certificateUntrusted(request.url.origin, "it is of another host")
    /// ```
    /// - Parameters:
    ///   - address: the scheme, host and port that were tried.
    ///   - reason: the reason that the system reports.
    public static func certificateUntrusted(_ address: String, _ reason: String) -> TransportError {
        TransportError(
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
    ///
    /// ```swift
    /// print("Connecting to \(url.origin)")
    /// ```
    public var origin: String {
        let host = host(percentEncoded: false) ?? ""
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(name)" + (port.map { ":\($0)" } ?? "")
    }
}
