import ServerHTTP

/// Distinguishes public addresses from internal ones: a client that registers an address to fetch from must not reach
/// the internal network.
enum OutsideAddress {
    /// Whether an address is part of the public Internet (RFC 6890).
    static func isPublic(_ address: IPAddress) -> Bool { !inside.contains { $0.contains(address) } }

    private static let inside: [IPNetwork] = [
        // This network, private, shared, loopback, link-local, protocol assignments, documentation, benchmarks,
        // multicast, reserved.
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Unspecified, loopback and IPv4 in IPv6; translation, discard, protocol assignments, documentation, 6to4,
        // unique local, link-local, site-local, multicast.
        "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
        "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap { try? IPNetwork($0) }
}
