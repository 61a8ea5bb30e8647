#if canImport(CXML2)
    /// XML text that is being written.
    struct XMLOutput {
        private(set) var bytes: [UInt8] = []

        mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

        mutating func append(_ part: ArraySlice<UInt8>) { bytes.append(contentsOf: part) }

        mutating func newLine(level: Int) {
            bytes.append(0x0A)
            bytes.append(contentsOf: repeatElement(0x20, count: level * 2))
        }

        /// Writes the value of an attribute, so that reading returns the same text. White space other than blanks is
        /// written as references, because parsers replace it by blanks. A blank at either end is also written as a
        /// reference, because readers remove white space around a value (``XMLTag/value(_:in:)``).
        ///
        /// - Returns: false if the value contains a character that XML 1.0 does not allow
        ///   (<https://www.w3.org/TR/xml/#charsets>).
        mutating func appendEscaped(_ value: String) -> Bool {
            // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
            var before: (UInt8, UInt8) = (0, 0)
            let last = value.utf8.count - 1
            for (index, byte) in value.utf8.enumerated() {
                switch byte {
                case UInt8(ascii: "&"): append("&amp;")
                case UInt8(ascii: "<"): append("&lt;")
                case UInt8(ascii: ">"): append("&gt;")
                case UInt8(ascii: "\""): append("&quot;")
                case 0x09: append("&#9;")
                case 0x0A: append("&#10;")
                case 0x0D: append("&#13;")
                case 0x20 where index == 0 || index == last: append("&#32;")
                case 0..<0x20: return false
                case 0xBE, 0xBF:
                    if before == (0xEF, 0xBF) { return false }
                    bytes.append(byte)
                default: bytes.append(byte)
                }
                before = (before.1, byte)
            }
            return true
        }

        /// Returns the text with line ends normalized as by parsers (<https://www.w3.org/TR/xml/#sec-line-ends>).
        static func lineFeeds(_ text: [UInt8]) -> [UInt8] {
            guard text.contains(0x0D) else { return text }
            var output: [UInt8] = []
            output.reserveCapacity(text.count)
            var wasReturn = false
            for byte in text {
                if byte == 0x0D {
                    output.append(0x0A)
                } else if byte != 0x0A || !wasReturn {
                    output.append(byte)
                }
                wasReturn = byte == 0x0D
            }
            return output
        }
    }
#endif
