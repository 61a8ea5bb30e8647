import Core
import Crypto
import Foundation

/// Number and SHA-256 of the rows of one table that were deleted, or that were kept when others were deleted.
public struct RowsDigest: Sendable, Hashable, Codable {
    public let count: Int
    /// Lowercase hexadecimal. The hash covers the rows in the given order, each with its columns sorted by name, and
    /// each value after its type and length.
    public let sha256: String

    public init(count: Int, sha256: String) {
        self.count = count
        self.sha256 = sha256
    }

    /// Combines several digests: a single one is unchanged; otherwise the hash covers the concatenated hexadecimal
    /// hashes.
    public init(joining parts: [RowsDigest]) {
        if let only = parts.first, parts.count == 1 {
            self = only
            return
        }
        let digests = Data(parts.map(\.sha256).joined().utf8)
        self.init(
            count: parts.reduce(0) { $0 + $1.count }, sha256: Hexadecimal.text(SHA256.hash(data: digests)))
    }
}

extension SQLTransaction {
    /// Deletes rows of a table.
    ///
    /// - Parameters:
    /// - condition: SQL condition on the table's columns, the same for every engine.
    /// - order: columns of a unique key that define the order of the rows.
    /// - show: receives each row before any is deleted.
    /// - Returns: the digest of the deleted rows.
    public func delete(
        from table: StaticString, where condition: String, _ parameters: [SQLValue], orderedBy order: StaticString,
        showing show: (SQLRow) throws -> Void = { _ in }
    ) throws -> RowsDigest {
        let rows = try digest(of: table, where: condition, parameters, orderedBy: order, showing: show)
        try execute("DELETE FROM \(table) WHERE \(condition)", parameters)
        return rows
    }

    /// Deletes rows by their numbers, if they also meet a condition, in batches.
    ///
    /// - Parameters:
    ///   - numbers: values of a column `number`; none is 0.
    ///   - condition: SQL condition on the table's columns, without parameters.
    /// - Returns: the digest of the deleted rows.
    public func delete(
        from table: StaticString, numbered numbers: Set<Int64>, where condition: String
    ) throws -> RowsDigest {
        let ordered = numbers.sorted()
        let parts = try stride(from: 0, to: max(1, ordered.count), by: SQLNumbers.count).map { start in
            // Pad with 0, which no row has, so that one prepared statement serves all batches.
            let part = ordered.dropFirst(start).prefix(SQLNumbers.count).map { SQLValue($0) }
            let rest = repeatElement(SQLValue(0), count: SQLNumbers.count - part.count)
            return try delete(
                from: table, where: "\(SQLNumbers.condition) AND \(condition)", part + rest, orderedBy: "number")
        }
        return RowsDigest(joining: parts)
    }

    /// Returns the number and the hash of rows of a table, with one row in memory at a time.
    public func digest(
        of table: StaticString, where condition: String, _ parameters: [SQLValue], orderedBy order: StaticString,
        showing show: (SQLRow) throws -> Void = { _ in }
    ) throws -> RowsDigest {
        var hash = SHA256()
        var count = 0
        var names: [String]?
        var bytes: [UInt8] = []
        try each("SELECT * FROM \(table) WHERE \(condition) ORDER BY \(order)", parameters) { row in
            let columns = names ?? row.columnNames.sorted()
            names = columns
            bytes.removeAll(keepingCapacity: true)
            for name in columns { row[name].append(to: &bytes) }
            hash.update(data: bytes)
            count += 1
            try show(row)
        }
        return RowsDigest(count: count, sha256: Hexadecimal.text(hash.finalize()))
    }
}

extension SQLValue {
    /// Appends the type, the length and the bytes, so that different rows never have the same encoding.
    func append(to bytes: inout [UInt8]) {
        func append(_ kind: StaticString, _ value: some Collection<UInt8>) {
            bytes.append(contentsOf: "\(kind)\(value.count):".utf8)
            bytes.append(contentsOf: value)
        }
        switch self {
        case .null: append("n", [])
        case .integer(let value): append("i", String(value).utf8)
        case .real(let value): append("r", String(value.bitPattern).utf8)
        case .text(let value): append("t", value.utf8)
        case .blob(let value): append("b", value)
        }
    }
}

/// Condition for a fixed number of row numbers.
public enum SQLNumbers {
    /// Number of placeholders.
    public static let count = 64
    /// Condition that the column `number` is one of the parameters.
    public static let condition = "number IN (\(repeatElement("?", count: count).joined(separator: ", ")))"
}
