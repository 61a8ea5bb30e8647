/// A statement as PostgreSQL takes it: its `?` are `$1`, `$2` and so on.
///
/// A question mark in a text, a quoted name or a comment is none of them
/// (https://www.postgresql.org/docs/current/sql-syntax-lexical.html).
struct PlaceholderSQL {
    let text: String
    let count: Int

    init(_ sql: String) {
        var written: [UInt8] = []
        written.reserveCapacity(sql.utf8.count + 16)
        var count = 0
        /// The byte that ends what is copied as it stands; a line break for a comment.
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
