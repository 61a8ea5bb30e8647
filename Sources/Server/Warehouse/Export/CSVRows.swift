import Storage

/// Rows in COPY's CSV format (https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.3, RFC 4180): an
/// empty field is NULL, an empty text is quoted.
struct CSVRows {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ values: [SQLValue]) {
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch value {
            case .null: break
            case .integer(let number): bytes += "\(number)".utf8
            case .real(let number): bytes += "\(number)".utf8
            case .text(let text): append(text)
            // No table of i2b2 has bytes.
            case .blob: break
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ text: String) {
        let isPlain =
            !text.isEmpty && text != "\\." && !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
        guard !isPlain else {
            bytes += text.utf8
            return
        }
        bytes.append(0x22)
        for byte in text.utf8 {
            if byte == 0x22 { bytes.append(0x22) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }
}
