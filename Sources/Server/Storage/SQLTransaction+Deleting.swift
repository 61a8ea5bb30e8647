import Core
import Crypto
import Foundation

/// The rows of one table that were deleted, or kept where others went: their number, and the SHA-256 of what they held.
public struct RowsDigest: Sendable, Hashable, Codable {
    public let count: Int
    /// Lower-case hex. Each row by its place in the order that was asked for: its columns by their names, each with the
    /// kind and the length of its value before it.
    public let sha256: String

    public init(count: Int, sha256: String) {
        self.count = count
        self.sha256 = sha256
    }

    /// Several together: the digest of one, else that of theirs, one behind the other in hex.
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
    ///   - condition: SQL over the table's columns, the same for every engine.
    ///   - order: the columns of a unique key, which give the rows their order.
    ///   - show: is shown each row before any is deleted.
    /// - Returns: what went.
    public func delete(
        from table: StaticString, where condition: String, _ parameters: [SQLValue], orderedBy order: StaticString,
        showing show: (SQLRow) throws -> Void = { _ in }
    ) throws -> RowsDigest {
        let rows = try digest(of: table, where: condition, parameters, orderedBy: order, showing: show)
        try execute("DELETE FROM \(table) WHERE \(condition)", parameters)
        return rows
    }

    /// Deletes those of numbered rows that a condition holds of, some at a time.
    ///
    /// - Parameters:
    ///   - numbers: of a column `number`; none is 0.
    ///   - condition: SQL over the table's columns, without parameters.
    /// - Returns: what went.
    public func delete(
        from table: StaticString, numbered numbers: Set<Int64>, where condition: String
    ) throws -> RowsDigest {
        let ordered = numbers.sorted()
        let parts = try stride(from: 0, to: max(1, ordered.count), by: SQLNumbers.count).map { start in
            // Always as many, so that it is one statement; none has the number 0.
            let part = ordered.dropFirst(start).prefix(SQLNumbers.count).map { SQLValue($0) }
            let rest = repeatElement(SQLValue(0), count: SQLNumbers.count - part.count)
            return try delete(
                from: table, where: "\(SQLNumbers.condition) AND \(condition)", part + rest, orderedBy: "number")
        }
        return RowsDigest(joining: parts)
    }

    /// Counts rows of a table and digests what they hold, one in memory at a time.
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
    /// Appends the kind, the length and the bytes, so that no two rows of values are one text.
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

/// The numbers that one statement asks for.
public enum SQLNumbers {
    /// How many there are.
    public static let count = 64
    /// Holds of a row whose column `number` is one of them.
    public static let condition = "number IN (\(repeatElement("?", count: count).joined(separator: ", ")))"
}
