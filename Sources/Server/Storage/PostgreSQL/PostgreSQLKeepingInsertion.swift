import Foundation

/// An insertion that keeps what is present, and says of each row whether it was new.
///
/// Of rows that were expected the server is asked once which keys it has; those that are new then wait until there are many.
/// About any other row it is asked by inserting it. What waits for other tables goes on waiting: such a row sees its own
/// table alone, and those that it refers to.
final class PostgreSQLKeepingInsertion: SQLStatement {
    private let transaction: PostgreSQLTransaction
    private let target: SQLInsertionTarget
    /// The names of the key's columns, and their places among the values.
    private let key: [(name: String, place: Int)]
    /// Takes the rows that are known to be new.
    private let new: PostgreSQLBulkInsertion
    private var values: [SQLValue]
    /// By the bytes of the expected keys, whether a row has it.
    private var isTaken: [[UInt8]: Bool] = [:]

    /// - Parameter names: the columns of the key.
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
            return key.map { row[$0.place] }
        }
        // About one row the server is asked by inserting it.
        guard expected.count > 1 else { return }
        let present = try transaction.present(expected, as: key.map(\.name), of: target.table)
        for (index, values) in expected.enumerated() where !values.contains(.null) {
            isTaken[values.bytes] = present.contains(index)
        }
    }

    func run() throws -> Int {
        let bytes = isTaken.isEmpty ? [] : key.map { values[$0.place] }.bytes
        guard let isKnown = isTaken[bytes] else { return try transaction.insert(target, values) }
        guard !isKnown else { return 0 }
        isTaken[bytes] = true
        return try new.add(values)
    }

    func finish() throws { try transaction.flush() }
}

extension [SQLValue] {
    /// The values by their bytes: texts that Unicode holds for the same are two keys to the server.
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for value in self { value.append(to: &bytes) }
        return bytes
    }
}
