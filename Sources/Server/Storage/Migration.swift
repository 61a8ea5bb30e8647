import Foundation

/// One step of the schema, forward only: what was published is never changed, only followed by a higher number.
public struct Migration: Sendable {
    /// The number of the step. Each module has a hundred: 100-199 the queue, 200-299 Trust, and so on.
    public let number: Int
    /// A name for people; it stands in the database and must not change.
    public let name: String
    /// The statements, one SQL statement each.
    public let statements: @Sendable (SQLDialect) -> [String]

    public init(number: Int, name: String, statements: @escaping @Sendable (SQLDialect) -> [String]) {
        self.number = number
        self.name = name
        self.statements = statements
    }
}

extension Migration {
    /// Brings the schema to the newest step, inside the caller's transaction.
    ///
    /// A database that a newer program has written is refused: within the hundred of a module that the caller brings,
    /// every step found must be known. Hundreds that the caller does not bring are left alone.
    /// - Throws: ``StorageError`` with code `storage-schema-newer`, `storage-schema-mismatch` or
    ///   `storage-schema-order`.
    static func apply(_ migrations: [Migration], at date: Date, in transaction: any SQLTransaction)
        throws
    {
        // 1. The table of what was done.
        try transaction.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migration (
                number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)
            """)
        var known: [Int: String] = [:]
        for migration in migrations {
            guard known.updateValue(migration.name, forKey: migration.number) == nil else {
                throw StorageError(
                    code: "storage-schema-order",
                    message: "Two schema steps have the number \(migration.number).")
            }
        }
        // 2. What was done must be what we know.
        let hundreds = Set(known.keys.map { $0 / 100 })
        var newest: [Int: Int] = [:]
        for row in try transaction.query("SELECT number, name FROM schema_migration ORDER BY number") {
            let number = Int(try row.integer("number"))
            guard hundreds.contains(number / 100) else { continue }
            guard let name = known[number] else {
                throw StorageError(
                    code: "storage-schema-newer",
                    message: "The database was written by a newer version (step \(number)); use that version."
                )
            }
            guard try row.text("name") == name else {
                throw StorageError(
                    code: "storage-schema-mismatch",
                    message: "Step \(number) of the database's schema is not the one this version knows.")
            }
            newest[number / 100] = number
            known[number] = nil
        }
        // 3. What is left is done in order.
        for migration in migrations.sorted(by: { $0.number < $1.number })
        where known[migration.number] != nil {
            guard migration.number > newest[migration.number / 100] ?? -1 else {
                throw StorageError(
                    code: "storage-schema-order",
                    message: "Step \(migration.number) comes before one that the database already has.")
            }
            for statement in migration.statements(transaction.dialect) {
                try transaction.execute(statement)
            }
            try transaction.execute(
                "INSERT INTO schema_migration (number, name, applied_at) VALUES (?, ?, ?)",
                [SQLValue(migration.number), SQLValue(migration.name), SQLValue(date)])
        }
    }
}
