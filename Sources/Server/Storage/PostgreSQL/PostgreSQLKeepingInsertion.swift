import Foundation

/// Insertion that keeps existing rows and reports for each row whether it was new.
///
/// For expected rows, one query finds which keys exist; the new rows are then buffered and inserted in bulk. Any other
/// row is inserted immediately. Buffered rows of other tables stay buffered, because such an insertion reads only its
/// own table and the tables that it references.
final class PostgreSQLKeepingInsertion: SQLStatement {
    private let transaction: PostgreSQLTransaction
    private let target: SQLInsertionTarget
    /// Names of the key's columns, and their indices among the values.
    private let key: [(name: String, index: Int)]
    /// Buffers the rows that are known to be new.
    private let new: PostgreSQLBulkInsertion
    private var values: [SQLValue]
    /// Whether a row with the key exists, by the bytes of each expected key.
    private var isTaken: [[UInt8]: Bool] = [:]

    /// - Parameter names: columns of the key.
    init(_ target: SQLInsertionTarget, key names: [String], in transaction: PostgreSQLTransaction) {
        self.transaction = transaction
        self.target = target
        key = names.compactMap { name in target.columns.firstIndex(of: name).map { (name, $0) } }
        new = PostgreSQLBulkInsertion(
            SQLInsertionTarget(table: target.table, columns: target.columns, onConflict: .fails), in: transaction)
        values = Array(repeating: .null, count: target.columns.count)
    }

    func bind(_ value: SQLValue, at position: Int) throws { try values.set(value, at: position) }

    func expect(at positions: [Int], _ keys: () throws -> [[SQLValue]]) throws {
        isTaken = [:]
        var row = values
        let expected = try keys().map { values in
            for (position, value) in zip(positions, values) { try row.set(value, at: position) }
            return key.map { row[$0.index] }
        }
        // A single row is inserted without a query for its key.
        guard expected.count > 1 else { return }
        let present = try transaction.present(expected, as: key.map(\.name), of: target.table)
        for (index, values) in expected.enumerated() where !values.contains(.null) {
            isTaken[values.bytes] = present.contains(index)
        }
    }

    func run() throws -> Int {
        let bytes = isTaken.isEmpty ? [] : key.map { values[$0.index] }.bytes
        guard let isKnown = isTaken[bytes] else { return try transaction.insert(target, values) }
        guard !isKnown else { return 0 }
        isTaken[bytes] = true
        return try new.add(values)
    }

    func finish() throws { try transaction.flush() }
}

extension [SQLValue] {
    /// The bytes of the values. The server distinguishes texts that Unicode treats as equivalent.
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for value in self { value.append(to: &bytes) }
        return bytes
    }
}
