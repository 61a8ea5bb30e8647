import Core

/// The control characters that are refused in names and values of a request: those of ASCII except the tab, line feed
/// and carriage return. A database refuses some of them, and a log or a terminal interprets others.
package enum ControlCharacters {
    /// Whether a text contains one.
    package static func isIn(_ text: some StringProtocol) -> Bool { text.utf8.contains(where: isControl) }

    /// Whether an address contains one that is percent-encoded.
    static func areEncoded(in address: some StringProtocol) -> Bool {
        let bytes = Array(address.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count {
            guard let high = Hexadecimal.value(of: bytes[index + 1]),
                let low = Hexadecimal.value(of: bytes[index + 2])
            else { continue }
            if isControl(high << 4 | low) { return true }
        }
        return false
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0A, 0x0D: false
        case 0x00..<0x20, 0x7F: true
        default: false
        }
    }
}
