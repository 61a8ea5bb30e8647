import Core
import Foundation

/// Rows in COPY's text format: values separated by tabs, `\N` for NULL, one line for each row
/// (https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2).
public struct PostgreSQLCopyRows: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Appends a row.
    ///
    /// - Throws: ``StorageError`` `storage-text` for a text with a zero byte; then the row is not added.
    public mutating func append(_ values: [SQLValue]) throws(StorageError) {
        let start = bytes.count
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            switch value {
            case .null: bytes += "\\N".utf8
            case .integer(let number): bytes += "\(number)".utf8
            case .real(let number): bytes += "\(number)".utf8
            case .text(let text):
                guard append(text) else {
                    bytes.removeSubrange(start...)
                    throw StorageError.zeroByte
                }
            case .blob(let data):
                bytes += "\\\\x".utf8
                bytes += Hexadecimal.text(data).utf8
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Removes all rows.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func append(_ text: String) -> Bool {
        for byte in text.utf8 {
            switch byte {
            case 0: return false
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            default: bytes.append(byte)
            }
        }
        return true
    }
}
