import Foundation

extension UUID {
    /// Origin of a UUID's bits, stored in the version field (RFC 9562, section 4.2).
    public enum Version: UInt8, Sendable {
        /// Random bytes.
        case random = 4
        /// Bytes that the application chooses, such as the start of a digest.
        case custom = 8
    }

    /// Returns a random UUID, version 4. On Linux, `UUID()` opens the system's generator as a file on each call; this
    /// function calls it directly.
    public static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        let halves = (generator.next(), generator.next())
        return withUnsafeBytes(of: halves) { UUID($0, version: .random) }
    }

    /// Creates a UUID from the first 16 bytes; the version and the variant replace six of their bits. Missing bytes
    /// count as 0.
    public init(_ bytes: some Sequence<UInt8>, version: Version) {
        var bytes = Array(bytes.prefix(16))
        while bytes.count < 16 { bytes.append(0) }
        bytes[6] = bytes[6] & 0x0F | version.rawValue << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
