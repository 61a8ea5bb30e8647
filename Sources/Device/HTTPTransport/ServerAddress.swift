import Core
import Foundation

/// The rule of addresses to which an app sends what identifies a person.
public enum ServerAddress {
    /// Maximum number of bytes of an address.
    public static let maximumBytes = 2_000

    /// Returns the URL of an address: https, or http to this machine; nil for an address with a query, a fragment or a
    /// user, without a host, or with http to another machine.
    public static func url(_ address: String) -> URL? {
        guard address.utf8.count <= maximumBytes, let url = URL(string: address),
            let host = url.host(percentEncoded: false), !host.isEmpty, url.query == nil, url.fragment == nil,
            url.user == nil,
            url.scheme?.lowercased() == "https" || url.scheme?.lowercased() == "http" && LoopbackHost.matches(host)
        else { return nil }
        return url
    }
}
