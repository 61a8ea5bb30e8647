import Core
import Foundation

extension PostgreSQLTransaction {
    /// Returns which of the keys exist in a table, with one statement.
    ///
    /// - Parameters:
    /// - keys: values of each key, in the order of the columns.
    /// - columns: columns of a unique key.
    /// - Returns: their indices among the keys.
    func present(_ keys: [[SQLValue]], as columns: [String], of table: String) throws -> Set<Int> {
        guard !keys.isEmpty else { return [] }
        let types = try columnTypes(of: table)
        let known = try columns.map { column in
            guard let type = types[column] else {
                throw StorageError(code: "storage-failed", message: "The table \(table) has no column \(column).")
            }
            return (name: column, type: type)
        }
        let arrays = columns.indices.map { index in
            SQLValue.text(PostgreSQLArray.text(of: keys.lazy.map { $0[index] }))
        }
        return Set(try query(Self.presentSQL(known, of: table), arrays).map { Int(try $0.integer("place")) - 1 })
    }

    /// Returns the statement, with one array for each column. Each key is looked up in the index, whatever the size of
    /// the table; a join of the two might read all rows.
    static func presentSQL(_ columns: [(name: String, type: String)], of table: String) -> String {
        let arrays = columns.map { "CAST(? AS \($0.type)[])" }.joined(separator: ", ")
        let names = columns.indices.map { "key_\($0)" }.joined(separator: ", ")
        let isSame = columns.indices.map { "t.\(columns[$0].name) = k.key_\($0)" }.joined(separator: " AND ")
        return """
            SELECT k.place FROM unnest(\(arrays)) WITH ORDINALITY AS k (\(names), place)
            WHERE (SELECT 1 FROM \(table) t WHERE \(isSame) LIMIT 1) IS NOT NULL
            """
    }
}

/// Text form of a PostgreSQL array (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO).
enum PostgreSQLArray {
    static func text(of values: some Sequence<SQLValue>) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        for value in values {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            switch value {
            case .null: bytes += "NULL".utf8
            case .integer(let number): bytes += "\(number)".utf8
            case .real(let number): bytes += "\(number)".utf8
            case .text(let text): append(text.utf8, to: &bytes)
            case .blob(let data): append("\\x\(Hexadecimal.text(data))".utf8, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a quoted element; quotes and backslashes are escaped.
    private static func append(_ element: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in element {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
