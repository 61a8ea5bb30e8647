import Foundation

// base64url without padding, RFC 4648 section 5 as RFC 7515 section 2 wants it.
extension Data {
    /// Decodes base64url without padding. `nil` for any other character, for padding, for an impossible length and for
    /// a last character with bits set that carry no data: one value has one spelling.
    public init?(base64URL text: String) {
        var text = text
        let decoded: [UInt8]? = text.withUTF8 { Base64URLAlphabet.decode($0) }
        guard let decoded else { return nil }
        self.init(decoded)
    }

    /// Decodes the ASCII text of base64url without padding, as the other one does.
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
        guard input.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(input.count * 3 / 4)
        let complete = values.withUnsafeBufferPointer { table -> Bool in
            var group: UInt32 = 0
            var bits = 0
            for character in input {
                let value = table[Int(character)]
                guard value != invalid else { return false }
                group = (group << 6) | UInt32(value)
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    output.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                    group &= (1 << UInt32(bits)) - 1
                }
            }
            return group == 0
        }
        return complete ? output : nil
    }
}
