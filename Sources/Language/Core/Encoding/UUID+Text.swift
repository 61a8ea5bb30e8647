import Foundation

extension UUID {
    /// Number of characters of a UUID's text (RFC 9562, section 4).
    public static let textLength = 36

    /// Reads a UUID from its 36 characters, with digits in either case; nil for anything else.
    ///
    /// - Parameter isLowercase: whether digits above nine must be in lower case, for a text that is compared as it is.
    public init?(text: UnsafeBufferPointer<UInt8>, isLowercase: Bool = false) {
        guard text.count == Self.textLength, let start = text.baseAddress else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var isWhole = true
        var offset = 0
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                isWhole = isWhole && start[offset] == UInt8(ascii: "-")
                offset += 1
            }
            let byte = start[offset]
            offset += 1
            let digit = byte &- 0x30
            let letter = (isLowercase ? byte : byte | 0x20) &- 0x61
            isWhole = isWhole && (digit < 10 || letter < 6)
            let value = UInt64(digit < 10 ? digit : letter &+ 10)
            if index < 16 { words.0 = words.0 << 4 | value } else { words.1 = words.1 << 4 | value }
        }
        guard isWhole else { return nil }
        self.init(words)
    }

    /// Reads a UUID from its 36 characters, as ``init(text:isLowercase:)``.
    public init?(text: some StringProtocol, isLowercase: Bool = false) {
        var text = String(text)
        guard let uuid = text.withUTF8({ UUID(text: $0, isLowercase: isLowercase) }) else { return nil }
        self = uuid
    }

    /// Creates a UUID from its halves; the first digits of the text are the highest bits of the first half.
    public init(_ halves: (UInt64, UInt64)) {
        self.init(
            uuid: withUnsafeBytes(of: (halves.0.bigEndian, halves.1.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The halves, as in ``init(_:)``.
    public var halves: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The 36 characters of `uuidString` in lower case, the form of ids and names of submissions.
    public var lowercaseText: String {
        String(unsafeUninitializedCapacity: Self.textLength) { characters in
            guard let start = characters.baseAddress else { return 0 }
            writeText(to: start, isLowercase: true)
            return Self.textLength
        }
    }

    /// Writes the 36 characters of `uuidString`: digits above nine in upper case, unless lower case is requested.
    public func writeText(to start: UnsafeMutablePointer<UInt8>, isLowercase: Bool = false) {
        let halves = halves
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digits in
            guard let from = digits.baseAddress else { return }
            Hexadecimal.write(halves.0, to: from, isUppercase: !isLowercase)
            Hexadecimal.write(halves.1, to: from + 16, isUppercase: !isLowercase)
            var output = start
            for (first, count) in [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)] as [(Int, Int)] {
                output.update(from: from + first, count: count)
                output += count
                if first < 20 {
                    output.pointee = UInt8(ascii: "-")
                    output += 1
                }
            }
        }
    }
}
