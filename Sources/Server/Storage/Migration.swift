import Foundation

/// One step of the schema, forward only: what was published is never changed, only followed by a higher number.
public struct Migration: Sendable {
    /// The number of the step. Each module has a hundred: 200-299 Trust, 400-499 Records, and so on.
    public let number: Int
    /// A name for people; it stands in the database and must not change.
    public let name: String
    /// The statements, one SQL statement each.
    public let statements: @Sendable (SQLDialect) -> [String]
    /// Does a bounded part of what is left to do with the rows, and says whether there is more; nil for a step that is
    /// done by its statements. Each part is a transaction of its own, so that a step over millions of rows neither holds
    /// the lock for long nor begins anew after a stop; its statements must be repeatable (`IF NOT EXISTS`).
    public let slice: (@Sendable (any SQLTransaction) throws -> Bool)?

    public init(
        number: Int, name: String, slice: (@Sendable (any SQLTransaction) throws -> Bool)? = nil,
        statements: @escaping @Sendable (SQLDialect) -> [String]
    ) {
        self.number = number
        self.name = name
        self.slice = slice
        self.statements = statements
    }
}

extension Migration {
    /// Brings the schema of a database to the newest step, each step in a transaction of its own.
    ///
    /// A database that a newer program has written is refused: within the hundred of a module that the caller brings,
    /// every step found must be known. Hundreds that the caller does not bring are left alone.
    /// - Returns: the numbers of the steps that were to be done.
    /// - Throws: ``StorageError`` with code `storage-schema-newer`, `storage-schema-mismatch` or
    ///   `storage-schema-order`.
    @discardableResult
    public static func apply(
        _ migrations: [Migration], at date: Date, to database: any SQLDatabase
    ) async throws -> [Int] {
        let steps = try await database.write { transaction in
            try transaction.execute(transaction.dialect.definition(tableSQL))
            return try pending(migrations, in: transaction)
        }
        for migration in steps {
            // Another program that opened the database at the same time may have done it meanwhile.
            let isLeft = try await database.write { transaction in
                guard try !isDone(migration, in: transaction) else { return false }
                for statement in migration.statements(transaction.dialect) {
                    try transaction.execute(transaction.dialect.definition(statement))
                }
                if migration.slice == nil { try mark(migration, at: date, in: transaction) }
                return true
            }
            guard isLeft, let slice = migration.slice else { continue }
            while try await database.write({ try !isDone(migration, in: $0) && slice($0) }) {
                try Task.checkCancellation()
            }
            try await database.write { transaction in
                guard try !isDone(migration, in: transaction) else { return }
                try mark(migration, at: date, in: transaction)
            }
        }
        return steps.map(\.number)
    }

    /// Applies steps inside the caller's transaction, slices included.
    public static func apply(_ migrations: [Migration], at date: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(transaction.dialect.definition(tableSQL))
        for migration in try pending(migrations, in: transaction) {
            for statement in migration.statements(transaction.dialect) {
                try transaction.execute(transaction.dialect.definition(statement))
            }
            if let slice = migration.slice { while try slice(transaction) {} }
            try mark(migration, at: date, in: transaction)
        }
    }

    /// The steps that the database lacks, in their order. Throws as ``apply(_:at:to:)`` does.
    public static func pending(_ migrations: [Migration], in transaction: any SQLTransaction) throws -> [Migration] {
        // 1. What the caller brings.
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
            if number == StoreMark.number, !migrations.isEmpty { throw StoreMark(try row.text("name")).error }
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
        let pending = migrations.filter { known[$0.number] != nil }.sorted { $0.number < $1.number }
        for migration in pending where migration.number <= newest[migration.number / 100] ?? -1 {
            throw StorageError(
                code: "storage-schema-order",
                message: "Step \(migration.number) comes before one that the database already has.")
        }
        return pending
    }

    private static let tableSQL = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL)
        """

    private static func isDone(_ migration: Migration, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            "SELECT 1 AS one FROM schema_migration WHERE number = ?", [SQLValue(migration.number)]) != nil
    }

    private static func mark(_ migration: Migration, at date: Date, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "INSERT INTO schema_migration (number, name, applied_at) VALUES (?, ?, ?)",
            [SQLValue(migration.number), SQLValue(migration.name), SQLValue(date)])
    }
}
