/// A range of addresses with a common prefix: one address, or a network in CIDR notation (RFC 4632 section 3.1).
package struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    private let first: IPAddress
    private let bits: Int

    /// - Throws: `network-invalid` unless the text is an address (`192.0.2.1`, `2001:db8::1`) or a network
    ///   (`10.0.0.0/8`).
    package init(_ text: String) throws(ServerHTTPError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress(String($0)) }) else { throw .networkInvalid }
        let maximum = address.bytes.count * 8
        guard parts.count == 1 || parts[1].allSatisfy(\.isWholeNumber) else { throw .networkInvalid }
        guard let bits = parts.count == 1 ? maximum : Int(parts[1]), 0...maximum ~= bits else { throw .networkInvalid }
        self.bits = bits
        first = address.keeping(bits: bits)
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.isIPv6 == first.isIPv6 && address.keeping(bits: bits) == first
    }

    package var description: String { "\(first)/\(bits)" }
}

extension ServerHTTPError {
    fileprivate static let networkInvalid = ServerHTTPError(
        code: "network-invalid",
        message: "A trusted proxy is given as an IP address or a network such as 10.0.0.0/8, not as a name.")
}
