import Hummingbird

extension Request {
    /// The token of RFC 6750 section 2.1; nil if there is none or the scheme is another.
    package var bearerToken: String? { credentials(ofScheme: "bearer") }

    /// Returns the credentials after the scheme in `Authorization` (RFC 9110 section 11.6.2); nil if the scheme is
    /// another, or the credentials are more than one word.
    ///
    /// - Parameter scheme: the scheme in lowercase.
    package func credentials(ofScheme scheme: String) -> String? {
        let parts = (headers[.authorization] ?? "").split(separator: " ", omittingEmptySubsequences: true)
        return parts.count == 2 && parts[0].lowercased() == scheme ? String(parts[1]) : nil
    }
}
