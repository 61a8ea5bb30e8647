import Storage

/// Writes the facts, the dimensions and the ontology for an i2b2 that this program cannot reach, with a psql script
/// that imports them. The import uses free numbers, keeps the other data of the target, and can be repeated with newer
/// exports.
package struct WarehouseExport: Sendable {
    /// The file format of the rows.
    package enum Format: String, Sendable, CaseIterable {
        /// A file of comma-separated values for each table, and `import.sql`, which reads them.
        case csv
        /// One file, `warehouse.sql`, which contains the rows.
        case sql
    }

    private let format: Format

    package init(_ format: Format) { self.format = format }

    /// The names of the files.
    package var fileNames: [String] {
        switch format {
        case .csv: tables.map { $0.name + ".csv" } + ["import.sql"]
        case .sql: ["warehouse.sql"]
        }
    }

    private var tables: [I2B2Table] { I2B2Table.carried }

    /// Writes all files in chunks, one file after the other.
    ///
    /// - Parameter write: called with a file's name and its next bytes.
    /// - Returns: the number of rows of each table.
    package func run(
        in transaction: any SQLTransaction, _ write: (_ file: String, _ bytes: [UInt8]) throws -> Void
    ) throws -> [String: Int] {
        let script = ImportScript(tables: tables)
        var counts: [String: Int] = [:]
        switch format {
        case .csv:
            for table in tables {
                let file = table.name + ".csv"
                try write(file, Array((table.stagedColumns.joined(separator: ",") + "\n").utf8))
                var rows = CSVRows()
                counts[table.name] = try each(of: table, in: transaction) { values in
                    rows.append(values)
                    guard rows.bytes.count > Self.piece else { return }
                    try write(file, rows.bytes)
                    rows = CSVRows()
                }
                try write(file, rows.bytes)
            }
            try write("import.sql", Array(script.beginning.utf8))
            for table in tables { try write("import.sql", Array(script.copyingFile(table).utf8)) }
            try write("import.sql", Array(script.ending.utf8))
        case .sql:
            let file = "warehouse.sql"
            try write(file, Array(script.beginning.utf8))
            for table in tables {
                try write(file, Array(script.copying(table).utf8))
                var rows = PostgreSQLCopyRows()
                counts[table.name] = try each(of: table, in: transaction) { values in
                    try rows.append(values)
                    guard rows.bytes.count > Self.piece else { return }
                    try write(file, rows.bytes)
                    rows.removeAll()
                }
                try write(file, rows.bytes)
                try write(file, Array(ImportScript.endOfRows.utf8))
            }
            try write(file, Array(script.ending.utf8))
        }
        return counts
    }

    private static let piece = 1 << 16

    private func each(
        of table: I2B2Table, in transaction: any SQLTransaction, _ body: ([SQLValue]) throws -> Void
    ) throws -> Int {
        let columns = table.stagedColumns
        let own = (OwnRows.ofParticipants + OwnRows.ofOntology(transaction.dialect)).first { $0.table == table.name }
        let condition = own.map { " WHERE " + $0.condition } ?? ""
        var count = 0
        try transaction.each(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table.name)\(condition)", own?.parameters ?? []
        ) { row in
            try body(columns.map { row[$0] })
            count += 1
        }
        return count
    }
}
