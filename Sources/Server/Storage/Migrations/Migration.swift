import Foundation

/// One forward-only step of a store's schema. A published step never changes; later steps have higher numbers.
public struct Migration: Sendable {
    /// Number of the step. The baseline of a store is its first step (``StoreSchema``).
    public let number: Int
    /// Readable name; it is stored in the database and must not change.
    public let name: String
    /// Statements of the step; each string is one SQL statement.
    public let statements: @Sendable (SQLDialect) -> [String]
    /// Migrates a bounded number of rows and returns whether there are more; nil for a step that consists only of
    /// statements. Each call is a transaction of its own, so that a step over millions of rows does not hold the lock
    /// for long and continues after an interruption. The statements of such a step must be repeatable
    /// (`IF NOT EXISTS`).
    public let slice: (@Sendable (any SQLTransaction) throws -> Bool)?
    /// Inserts rows after the statements, in their transaction; nil if there are none.
    let fill: (@Sendable (any SQLTransaction) throws -> Void)?

    public init(
        number: Int, name: String, slice: (@Sendable (any SQLTransaction) throws -> Bool)? = nil,
        statements: @escaping @Sendable (SQLDialect) -> [String]
    ) {
        self.init(number: number, name: name, slice: slice, fill: nil, statements: statements)
    }

    init(
        number: Int, name: String, slice: (@Sendable (any SQLTransaction) throws -> Bool)? = nil,
        fill: (@Sendable (any SQLTransaction) throws -> Void)?, statements: @escaping @Sendable (SQLDialect) -> [String]
    ) {
        self.number = number
        self.name = name
        self.slice = slice
        self.fill = fill
        self.statements = statements
    }
}

extension Migration {
    /// Migrates a database to the newest schema, each step in a transaction of its own.
    ///
    /// A database of a newer version, of another store or of an earlier development version is refused.
    /// - Returns: the numbers of the steps that were pending.
    /// - Throws: ``StorageError`` with code `storage-schema-newer`, `storage-schema-mismatch`, `storage-schema-former`
    ///   or `storage-schema-order`.
    @discardableResult
    public static func apply(
        _ migrations: [Migration], at date: Date, to database: any SQLDatabase
    ) async throws -> [Int] {
        let steps = try await database.write { transaction in
            try transaction.execute(transaction.dialect.definition(tableSQL))
            return try pending(migrations, in: transaction)
        }
        for migration in steps {
            // Another process that opened the database at the same time may have applied the step meanwhile.
            let isLeft = try await database.write { transaction in
                guard try !isDone(migration, in: transaction) else { return false }
                for statement in migration.statements(transaction.dialect) {
                    try transaction.execute(transaction.dialect.definition(statement))
                }
                try migration.fill?(transaction)
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

    /// Returns the steps that are not applied yet, in order. Throws the errors of ``apply(_:at:to:)``.
    public static func pending(_ migrations: [Migration], in transaction: any SQLTransaction) throws -> [Migration] {
        // 1. Index the steps of the caller.
        var known: [Int: String] = [:]
        for migration in migrations {
            guard known.updateValue(migration.name, forKey: migration.number) == nil else {
                throw StorageError(
                    code: "storage-schema-order",
                    message: "Two schema steps have the number \(migration.number).")
            }
        }
        guard let first = known.keys.min() else { return [] }
        // 2. Every applied step must be known, the first one included.
        var applied: [Int: String] = [:]
        for row in try transaction.query("SELECT number, name FROM schema_migration ORDER BY number") {
            applied[Int(try row.integer("number"))] = try row.text("name")
        }
        if let mark = applied.removeValue(forKey: StoreMark.number) { throw StoreMark(mark).error }
        guard applied.isEmpty || applied[first] != nil else { throw StorageError.schemaFormer }
        for (number, name) in applied.sorted(by: { $0.key < $1.key }) {
            guard let expected = known.removeValue(forKey: number) else {
                throw StorageError(
                    code: "storage-schema-newer",
                    message: "The database was written by a newer version (step \(number)); use that version."
                )
            }
            guard name == expected else {
                throw StorageError(
                    code: "storage-schema-mismatch",
                    message: "The database has the schema \"\(name)\" instead of \"\(expected)\" (step \(number)); "
                        + "check the location of the store.")
            }
        }
        // 3. Pending steps must follow the applied ones.
        let newest = applied.keys.max() ?? -1
        let pending = migrations.filter { known[$0.number] != nil }.sorted { $0.number < $1.number }
        for migration in pending where migration.number <= newest {
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
