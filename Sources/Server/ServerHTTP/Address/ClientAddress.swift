import Hummingbird

/// The address that a request is attributed to.
package struct ClientAddress: Sendable, Hashable {
    /// nil if the peer has none (a Unix domain socket, a test).
    package let address: IPAddress?

    package init(_ address: IPAddress?) { self.address = address }

    /// Whether the client is a program on this machine. A peer without an address is one.
    package var isThisMachine: Bool { address?.isLoopback ?? true }

    /// The key for ``RateLimiter``: the address, IPv6 to its /64.
    package var rateKey: String { address?.subscriber.description ?? "local" }

    /// The prefix that a provider assigns to a site: an IPv6 /48 or an IPv4 /24.
    package var sitePrefix: String {
        address.map { $0.keeping(bits: $0.isIPv6 ? 48 : 24).description } ?? "local"
    }

    /// The prefix of one household: an IPv6 /56 or an IPv4 address.
    package var householdPrefix: String {
        address.map { $0.isIPv6 ? $0.keeping(bits: 56).description : $0.description } ?? "local"
    }

    /// For logs: IPv4 without its last octet, IPv6 to /48.
    package var shortened: String { address?.shortened ?? "local" }

    /// Creates the address of the peer. If the peer is a trusted proxy, creates that of the rightmost entry of
    /// `X-Forwarded-For` that is not a trusted proxy itself: entries further left are under the client's control.
    ///
    /// If an entry on the way is not an address, the address of the peer is used.
    package init(peer: IPAddress?, forwardedFor: [String], trustedProxies: [IPNetwork]) {
        guard let peer, trustedProxies.contains(peer) else {
            self.init(peer)
            return
        }
        var client = peer
        var looked = 0
        for entry in forwardedFor.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).reversed() {
            looked += 1
            guard looked <= ClientAddress.maximumEntries, let address = ClientAddress.entry(entry) else {
                self.init(peer)
                return
            }
            client = address
            if !trustedProxies.contains(address) { break }
        }
        self.init(client)
    }

    private static let maximumEntries = 32

    /// `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`.
    private static func entry(_ text: Substring) -> IPAddress? {
        let text = text.drop { $0 == " " || $0 == "\t" }
        let trimmed = text.prefix(
            upTo: text.lastIndex { $0 != " " && $0 != "\t" }.map(text.index(after:)) ?? text.startIndex)
        if trimmed.first == "[" {
            let parts = trimmed.dropFirst().split(separator: "]", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[1].isEmpty || isPort(parts[1]) else { return nil }
            return IPAddress(String(parts[0])).flatMap { $0.isIPv6 || parts[0].contains(":") ? $0 : nil }
        }
        if let colon = trimmed.firstIndex(of: ":"), trimmed.lastIndex(of: ":") == colon {
            guard isPort(trimmed[colon...]) else { return nil }
            return IPAddress(String(trimmed[..<colon]))
        }
        return IPAddress(String(trimmed))
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && UInt16(text.dropFirst()) != nil
    }
}

extension [IPNetwork] {
    /// Whether one of the networks contains an address; false for nil.
    func contains(_ address: IPAddress?) -> Bool {
        guard let address else { return false }
        return contains { $0.contains(address) }
    }
}
