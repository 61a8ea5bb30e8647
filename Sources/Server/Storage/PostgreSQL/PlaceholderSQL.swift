/// Statement in PostgreSQL's syntax, with `$1`, `$2` and so on instead of `?`.
///
/// A question mark in a string literal, a quoted name or a comment is not a placeholder
/// (https://www.postgresql.org/docs/current/sql-syntax-lexical.html).
struct PlaceholderSQL {
    let text: String
    let count: Int

    init(_ sql: String) {
        var written: [UInt8] = []
        written.reserveCapacity(sql.utf8.count + 16)
        var count = 0
        /// Byte that ends the literal, name or comment that is copied unchanged; a line break for a comment.
        var end: UInt8?
        var previous: UInt8 = 0
        for byte in sql.utf8 {
            if let closing = end {
                written.append(byte)
                if byte == closing { end = nil }
            } else {
                switch byte {
                case UInt8(ascii: "?"):
                    count += 1
                    written += "$\(count)".utf8
                case UInt8(ascii: "'"), UInt8(ascii: "\""):
                    end = byte
                    written.append(byte)
                case UInt8(ascii: "-") where previous == byte:
                    end = UInt8(ascii: "\n")
                    written.append(byte)
                default: written.append(byte)
                }
            }
            previous = byte
        }
        text = String(decoding: written, as: UTF8.self)
        self.count = count
    }
}
