import Foundation
import Storage

extension RecordsSchema {
    /// A table of records in which the record's number is SQLite's rowid. A number that is declared otherwise has an
    /// index of its own in addition to that of the rowid, and every other index stores both
    /// (<https://sqlite.org/lang_createtable.html#rowid>).
    package static let rows: [Migration] = [
        Migration(
            number: 426, name: "records by their row's number", slice: moveRecords,
            statements: { dialect in dialect == .sqlite ? [movedTable] : [] }),
        // A unique value is looked up by its term first, because a parameter has only a few systems.
        Migration(number: 427, name: "one index of values by their prints") { dialect in
            guard dialect == .sqlite else { return [] }
            return [
                "DROP INDEX IF EXISTS record_print_by_print",
                "DROP INDEX IF EXISTS record_print_by_term",
                "CREATE INDEX record_print_by_term ON record_print (term, print, number)",
                "DELETE FROM suspended_index WHERE name IN ('record_print_by_print', 'record_print_by_term')",
                "DROP INDEX IF EXISTS record_version_by_source",
                "CREATE INDEX record_version_by_source ON record_version (source)",
                "DELETE FROM suspended_index WHERE name = 'record_version_by_source'",
            ]
        },
    ]

    private static let columns = """
        number, type, id, version, subject, updated_ms, deleted, received_ms, received_number, signer, signed_sequence,
        date_low, date_high
        """

    private static let movedTable = """
        CREATE TABLE IF NOT EXISTS record_moved (
            number INTEGER PRIMARY KEY NOT NULL,
            type text NOT NULL,
            id text NOT NULL,
            version bigint NOT NULL,
            subject text,
            updated_ms bigint NOT NULL,
            deleted bigint NOT NULL DEFAULT 0,
            received_ms bigint NOT NULL DEFAULT 0,
            received_number bigint NOT NULL DEFAULT 0,
            signer text,
            signed_sequence bigint,
            date_low bigint,
            date_high bigint
        )
        """

    /// Indexes that end with the record's number end with the rowid, so it is not a column of them.
    private static let indexes = [
        "CREATE UNIQUE INDEX record_by_id ON record (type, id)",
        "CREATE INDEX record_by_type ON record (type) WHERE deleted = 0",
        "CREATE INDEX record_by_subject ON record (type, subject)",
        "CREATE INDEX record_by_update ON record (type, updated_ms)",
        "CREATE INDEX record_by_date_low ON record (type, date_low, date_high)",
        """
        CREATE INDEX record_by_long_date ON record (type, date_high, date_low)
        WHERE date_high NOT BETWEEN date_low AND date_low + \(DateColumns.longest)
        """,
    ]

    /// Maximum number of records in one transaction.
    private static var sliceCount: Int { 5000 }

    @Sendable private static func moveRecords(_ transaction: any SQLTransaction) throws -> Bool {
        guard transaction.dialect == .sqlite else { return false }
        // 1. Is it done already, by a program that was stopped before it recorded the migration?
        let definition = try transaction.first("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'record'")
        let isDone = try definition?.text("sql").contains("number INTEGER PRIMARY KEY") ?? true
        guard try !isDone && mayWriteSchema(transaction) else {
            // A build of SQLite with a protected schema keeps the old table, which takes more space.
            try transaction.execute("DROP TABLE record_moved")
            return false
        }
        // 2. The next rows.
        let moved = try transaction.execute(
            """
            INSERT INTO record_moved (\(columns)) SELECT \(columns) FROM record
            WHERE number > coalesce((SELECT max(number) FROM record_moved), 0) ORDER BY number LIMIT ?
            """, [SQLValue(sliceCount)])
        guard moved == 0 else { return true }
        // 3. All rows are moved.
        try replaceTable(transaction)
        return false
    }

    static func mayWriteSchema(_ transaction: any SQLTransaction) throws -> Bool {
        try transaction.execute("PRAGMA writable_schema = ON")
        defer { _ = try? transaction.execute("PRAGMA writable_schema = OFF") }
        return try transaction.first("PRAGMA writable_schema")?.integer("writable_schema") == 1
    }

    /// Replaces the table `record`, which other tables reference, by the moved rows. The references are removed so that
    /// the table can be dropped. Afterwards they refer to a table with the same name and the same numbers.
    private static func replaceTable(_ transaction: any SQLTransaction) throws {
        let reference = " REFERENCES record (number)"
        let referring = try transaction.query(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND instr(sql, ?) > 0", [SQLValue(reference)])
        let views = try transaction.query("SELECT name, sql FROM sqlite_master WHERE type = 'view'")
        for view in views { try transaction.execute("DROP VIEW \"\(view.text("name"))\"") }
        for table in referring {
            let sql = try table.text("sql").replacingOccurrences(of: reference, with: "")
            try define(table.text("name"), as: sql, in: transaction)
        }
        try readSchemaAgain(transaction)
        try transaction.execute("DROP TABLE record")
        try transaction.execute("ALTER TABLE record_moved RENAME TO record")
        for table in referring { try define(table.text("name"), as: table.text("sql"), in: transaction) }
        try readSchemaAgain(transaction)
        for index in indexes { try transaction.execute(index) }
        for view in views { try transaction.execute(view.text("sql")) }
    }

    /// Replaces the definition of a table where this changes no stored data: https://sqlite.org/lang_altertable.html,
    /// section 7.
    static func define(_ table: String, as sql: String, in transaction: any SQLTransaction) throws {
        try transaction.execute("PRAGMA writable_schema = ON")
        defer { _ = try? transaction.execute("PRAGMA writable_schema = OFF") }
        try transaction.execute(
            "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?", [SQLValue(sql), SQLValue(table)])
    }

    /// Increases the version of the schema, so that all connections read it again.
    static func readSchemaAgain(_ transaction: any SQLTransaction) throws {
        let version = try transaction.first("PRAGMA schema_version")?.integer("schema_version") ?? 0
        try transaction.execute("PRAGMA schema_version = \(version + 1)")
    }
}
