import Foundation
import NIOCore

/// An IP address as bytes. An IPv4 address written in IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 bytes (IPv4) or 16 bytes (IPv6).
    let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

    init(bytes: [UInt8]) {
        self.bytes = bytes.count == 16 && bytes.starts(with: IPAddress.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
    }

    /// Parses the standard text form. A zone (`fe80::1%eth0`) is dropped; a host name gives nil.
    package init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let plain = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
        guard let plain else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, plain, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: four) { Array($0) })
        } else if inet_pton(AF_INET6, plain, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: six) { Array($0) })
        } else {
            return nil
        }
    }

    /// The address of a peer; nil for a Unix domain socket.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }

    package var isIPv6: Bool { bytes.count == 16 }

    /// 127.0.0.0/8 or ::1.
    package var isLoopback: Bool {
        isIPv6 ? bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 : bytes[0] == 127
    }

    /// The address that identifies one subscriber: the IPv4 address, or the /64 of an IPv6 address, because a
    /// subscriber has the whole /64.
    var subscriber: IPAddress { isIPv6 ? keeping(bits: 64) : self }

    /// Returns the address with all bits after the first `bits` set to 0.
    func keeping(bits: Int) -> IPAddress {
        var masked = bytes
        for index in masked.indices {
            let kept = min(8, max(0, bits - index * 8))
            masked[index] &= kept == 0 ? 0 : UInt8.max << UInt8(8 - kept)
        }
        return IPAddress(bytes: masked)
    }

    /// A form for logs that names no single subscriber: IPv4 without its last octet, IPv6 to /48.
    package var shortened: String {
        isIPv6 ? keeping(bits: 48).description + "/48" : keeping(bits: 24).description + "/24"
    }

    package var description: String {
        guard isIPv6 else { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, inet_ntop(AF_INET6, base, &text, socklen_t(text.count)) != nil else {
                return ""
            }
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
