import Foundation
import HTTPTransport
import Wire

/// The address of a server with permissions.
///
/// ```swift
/// let server = try CsiServer("https://study.example")
/// ```
public struct CsiServer: Sendable, Hashable {
    /// The address: https, or http to this machine, without a slash at its end.
    public let url: URL

    /// Checks an address.
    ///
    /// - Throws: ``WalletError`` `url-invalid` for an address with a query or a user, without a host, or with http to
    ///   another machine.
    public init(_ address: String) throws(WalletError) {
        var address = address
        while address.hasSuffix("/") { address.removeLast() }
        guard let url = ServerAddress.url(address) else { throw WalletError(.urlInvalid) }
        self.url = url
    }

    /// The address of the token endpoint, which is also the audience of assertions.
    public var tokenURL: String { url.absoluteString + "/oauth2/token" }

    /// Returns the URL of a call.
    ///
    /// - Parameter path: a path that begins with a slash, with its query.
    func url(_ path: String) throws(WalletError) -> URL {
        guard let url = URL(string: url.absoluteString + path) else { throw WalletError(.urlInvalid) }
        return url
    }
}
