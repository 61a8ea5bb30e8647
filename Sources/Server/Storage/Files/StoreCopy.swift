/// Copies all rows of a store into another one of the same schema, on any combination of engines.
public struct StoreCopy {
    private let source: any SQLTransaction
    private let target: any SQLTransaction

    /// - Parameters:
    /// - source: one consistent snapshot of the store, with all steps of its schema applied.
    /// - target: a new store of the same schema; rows that its steps wrote are replaced.
    public init(from source: any SQLTransaction, to target: any SQLTransaction) {
        self.source = source
        self.target = target
    }

    /// Copies the rows, with a few in memory at a time.
    ///
    /// A table that the source does not contain stays empty: i2b2's tables may be in another schema.
    ///
    /// - Returns: the number of rows by table.
    /// - Throws: ``StorageError``; then the target's transaction must not be committed.
    public func run() throws -> [String: Int] {
        let names = try target.tableNames().filter { $0 != "schema_migration" }
        let ordered = try Self.ordered(names) { try target.referencedTableNames(of: $0) }
        for name in ordered.reversed() { try target.execute("DELETE FROM \(name)") }
        var counts: [String: Int] = [:]
        for name in ordered { counts[name] = try copy(name) }
        return counts
    }

    private func copy(_ table: String) throws -> Int {
        let columns = try target.filledColumnNames(of: table).filter(Set(try source.columnNames(of: table)).contains)
        guard !columns.isEmpty else { return 0 }
        var rows = try target.inserter(
            SQLInsertion<SQLRow, Void>(into: table, columns: columns.map { name in SQLColumn(name) { $0[name] } }))
        var count = 0
        // Insert row by row: a body may have megabytes, and an inserter's buffer is limited by rows, not bytes.
        try source.each("SELECT \(columns.joined(separator: ", ")) FROM \(table)", []) { row in
            try rows.insert(row)
            count += 1
        }
        try rows.flush()
        if let column = try target.numberedColumnName(of: table) {
            try target.setLastNumber(of: table, column, to: try source.lastNumber(of: table, column))
        }
        return count
    }

    /// Returns the tables in an order in which each one follows the tables that it references.
    static func ordered(
        _ names: [String], references: (String) throws -> Set<String>
    ) throws -> [String] {
        var left = try names.sorted().map { (name: $0, needs: try references($0).intersection(names)) }
        var ordered: [String] = []
        while !left.isEmpty {
            let free = left.filter { $0.needs.isSubset(of: ordered) }
            guard !free.isEmpty else {
                throw StorageError(code: "storage-failed", message: "Tables of the store have circular references.")
            }
            ordered += free.map(\.name)
            left.removeAll { row in free.contains { $0.name == row.name } }
        }
        return ordered
    }
}

extension SQLTransaction {
    /// Returns the last number that the engine assigned in a table, including deleted rows; 0 if there is none.
    fileprivate func lastNumber(of table: String, _ column: String) throws -> Int64 {
        switch dialect {
        case .sqlite:
            return try first("SELECT seq FROM sqlite_sequence WHERE name = ?", [SQLValue(table)])?.integer("seq") ?? 0
        case .postgresql:
            let sequence = "pg_get_serial_sequence(current_schema() || '.' || '\(table)', '\(column)')::regclass"
            // An unused sequence has no last value.
            return try first("SELECT COALESCE(pg_sequence_last_value(\(sequence)), 0) AS last")?.integer("last") ?? 0
        }
    }

    fileprivate func setLastNumber(of table: String, _ column: String, to number: Int64) throws {
        guard number > 0 else { return }
        switch dialect {
        case .sqlite:
            try execute("DELETE FROM sqlite_sequence WHERE name = ?", [SQLValue(table)])
            try execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [SQLValue(table), SQLValue(number)])
        case .postgresql:
            let sequence = "pg_get_serial_sequence(current_schema() || '.' || '\(table)', '\(column)')::regclass"
            _ = try query("SELECT setval(\(sequence), ?) AS last", [SQLValue(number)])
        }
    }
}
