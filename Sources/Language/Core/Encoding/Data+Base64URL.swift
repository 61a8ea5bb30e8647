import Foundation

// base64url without padding: RFC 4648 section 5, as RFC 7515 section 2 requires.
extension Data {
    /// Decodes base64url without padding. Returns `nil` for any other character, for padding, for an impossible length
    /// and for a last character with bits set that carry no data: each value has exactly one spelling.
    public init?(base64URL text: String) {
        var text = text
        let decoded: [UInt8]? = text.withUTF8 { Base64URLAlphabet.decode($0) }
        guard let decoded else { return nil }
        self.init(decoded)
    }

    /// Decodes the ASCII text of base64url without padding, with the rules of ``init(base64URL:)``.
    public init?(base64URLText text: Data) {
        let decoded = text.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { Base64URLAlphabet.decode($0) }
        }
        guard let decoded else { return nil }
        self.init(decoded)
    }

    /// The bytes as base64url without padding.
    public var base64URL: String {
        let count = self.count
        let length = (count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: length) { output in
            withUnsafeBytes { Base64URLAlphabet.encode($0, to: output) }
        }
    }
}

/// The alphabet of RFC 4648 section 5 in both directions.
enum Base64URLAlphabet {
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let invalid: UInt8 = 0xFF
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: invalid, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    static func encode(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        characters.withUnsafeBufferPointer { table in
            var written = 0
            var index = 0
            while index < input.count {
                let left = input.count - index
                let first = UInt32(input[index]) << 16
                let second = left > 1 ? UInt32(input[index + 1]) << 8 : 0
                let third = left > 2 ? UInt32(input[index + 2]) : 0
                let group = first | second | third
                output[written] = table[Int(group >> 18)]
                output[written + 1] = table[Int((group >> 12) & 63)]
                if left > 1 { output[written + 2] = table[Int((group >> 6) & 63)] }
                if left > 2 { output[written + 3] = table[Int(group & 63)] }
                written += Swift.min(left, 3) + 1
                index += 3
            }
            return written
        }
    }

    static func decode(_ input: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard isWellFormed(input) else { return nil }
        return [UInt8](unsafeUninitializedCapacity: input.count * 3 / 4) { output, count in
            count = values.withUnsafeBufferPointer { table in
                var (index, written) = (0, 0)
                while index + 4 <= input.count {
                    let group =
                        UInt32(table[Int(input[index])]) << 18 | UInt32(table[Int(input[index + 1])]) << 12
                        | UInt32(table[Int(input[index + 2])]) << 6 | UInt32(table[Int(input[index + 3])])
                    output[written] = UInt8(truncatingIfNeeded: group >> 16)
                    output[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
                    output[written + 2] = UInt8(truncatingIfNeeded: group)
                    index += 4
                    written += 3
                }
                let left = input.count - index
                guard left > 1 else { return written }
                let (first, second) = (table[Int(input[index])], table[Int(input[index + 1])])
                output[written] = first << 2 | second >> 4
                guard left == 3 else { return written + 1 }
                output[written + 1] = second << 4 | table[Int(input[index + 2])] >> 2
                return written + 2
            }
        }
    }

    /// Whether ``decode(_:)`` accepts the text. Checks all characters, so that the loop has no branches.
    static func isWellFormed(_ input: UnsafeBufferPointer<UInt8>) -> Bool {
        values.withUnsafeBufferPointer { table in
            var all: UInt8 = 0
            for character in input { all |= table[Int(character)] }
            guard all < 64, let last = input.last.map({ table[Int($0)] }) else { return input.isEmpty }
            return switch input.count % 4 {
            case 0: true
            case 2: last & 0x0F == 0
            case 3: last & 0x03 == 0
            default: false
            }
        }
    }
}

/// Text in base64url without padding.
public enum Base64URL {
    /// Whether `Data(base64URL:)` accepts a text. The text is not decoded.
    public static func isWellFormed(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { Base64URLAlphabet.isWellFormed($0) }
    }
}
