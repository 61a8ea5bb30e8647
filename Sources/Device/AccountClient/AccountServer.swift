import Core
import Foundation
import HTTPTransport

/// The address of a server with accounts, and its antispam word.
///
/// ```swift
/// let server = try AccountServer("https://study.example", antispam: "blue-kettle")
/// ```
public struct AccountServer: Sendable, Hashable {
    /// The address: https, or http to this machine. The routes are below its `/v1/`.
    public let url: URL
    /// The word that the server requires in the header `Antispam` of requests without a session.
    public let antispam: String

    /// Checks an address.
    ///
    /// - Throws: ``AccountClientError`` `url-invalid` for an address with a query, without a host, or with http to another
    ///   machine, and for an antispam word that is no header value.
    public init(_ address: String, antispam: String) throws(AccountClientError) {
        guard antispam.utf8.count <= ServerAddress.maximumBytes, AccountText.isHeaderValue(antispam),
            let url = ServerAddress.url(address)
        else { throw AccountClientError(.urlInvalid) }
        self.url = url
        self.antispam = antispam
    }

    /// Returns the server of the account in a folder; nil if the folder contains none.
    ///
    /// ```swift
    /// guard let server = try AccountServer.stored(in: folder) else { return showSignIn() }
    /// ```
    /// - Throws: `DeviceStorageError`.
    public static func stored(in folder: URL) throws -> AccountServer? {
        try AccountFolder(folder: folder).holder()?.server
    }

    /// Returns the URL of a route below `/v1/`.
    ///
    /// - Parameters:
    ///   - path: the path, percent-encoded.
    ///   - query: names and values, which are encoded here.
    func url(_ path: String, query: [(name: String, value: String)] = []) throws(AccountClientError) -> URL {
        var base = url.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        let parameters = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        guard let url = URL(string: "\(base)/v1/\(path)" + (parameters.isEmpty ? "" : "?\(parameters)")) else {
            throw AccountClientError(.urlInvalid)
        }
        return url
    }
}

/// The rules of texts that go into requests.
enum AccountText {
    /// Whether a text can be the value of a header: visible ASCII characters without space.
    static func isHeaderValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether a text from the server is an id: up to 128 visible ASCII characters.
    static func isID(_ text: String) -> Bool {
        text.utf8.count <= 128 && isHeaderValue(text) && text != "." && text != ".."
    }
}
