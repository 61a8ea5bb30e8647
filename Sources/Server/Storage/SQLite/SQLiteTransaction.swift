import Foundation
import GRDB
import GRDBSQLite

/// Transaction on GRDB's connection. It caches the statements that ran, because a load runs the same ones thousands of
/// times.
final class SQLiteTransaction: SQLTransaction {
    private let database: Database
    /// Statements of GRDB's cache that ran in this transaction, by their SQL.
    private var statements: [String: SQLitePreparedStatement] = [:]
    /// Statements of GRDB's cache that an inserter holds with its bindings, by their SQL.
    private var lent: [String: SQLitePreparedStatement] = [:]

    /// Whether ``limited(until:_:)`` is running.
    private var isLimited = false

    private init(_ database: Database) { self.database = database }

    /// Runs `body` in a transaction that GRDB has begun.
    static func run<T>(_ database: Database, _ body: (any SQLTransaction) throws -> T) rethrows -> T {
        let transaction = SQLiteTransaction(database)
        // GRDB caches the statements, which would keep the last large body in memory.
        defer { for statement in transaction.lent.values { statement.unbind() } }
        return try body(transaction)
    }

    var dialect: SQLDialect { .sqlite }

    @discardableResult
    func execute(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
        try StorageError.mapping {
            let before = database.totalChangesCount
            if parameters.isEmpty {
                // A change of the schema has no parameters; after it, GRDB invalidates its own cache.
                statements = [:]
                try database.cachedStatement(sql: sql).execute()
            } else {
                let statement = try statement(sql)
                defer { statement.unbind() }
                try statement.bindAll(parameters)
                _ = try statement.run()
            }
            return database.totalChangesCount == before ? 0 : database.changesCount
        }
    }

    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try StorageError.mapping {
            try requireUncancelled()
            let statement = try statement(sql)
            defer { statement.unbind() }
            try statement.bindAll(parameters)
            var rows: [SQLRow] = []
            try statement.each { rows.append($0) }
            return rows
        }
    }

    func query(
        _ sql: String, _ parameters: [SQLValue], while isTaken: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        try StorageError.mapping {
            try requireUncancelled()
            let statement = try statement(sql)
            defer { statement.unbind() }
            try statement.bindAll(parameters)
            var rows: [SQLRow] = []
            do {
                try statement.each { row in
                    guard try isTaken(row) else { throw Enough() }
                    rows.append(row)
                }
            } catch is Enough {}
            return rows
        }
    }

    /// Ends a query after a rejected row.
    private struct Enough: Error {}

    func each(_ sql: String, _ parameters: [SQLValue], body: (SQLRow) throws -> Void) throws {
        try StorageError.mapping {
            // Not a cached statement: `body` may run the same SQL, which would reset the statement during the
            // iteration.
            let statement = try newStatement(sql)
            try statement.bindAll(parameters)
            try statement.each(body)
        }
    }

    func prepare(_ sql: String) throws -> any SQLStatement {
        try StorageError.mapping { try newStatement(sql) }
    }

    func prepare(_ insertion: SQLInsertionTarget) throws -> any SQLStatement { try lend(insertion.sql) }

    /// One statement for several rows opens a table's trees once, and keeps its position in them.
    func prepare(_ insertion: SQLInsertionTarget, rows: Int, varying: Int) throws -> (any SQLStatement)? {
        try lend(insertion.sql(rows: rows, varying: varying))
    }

    func limited<T>(until end: ContinuousClock.Instant, _ body: () throws -> T) throws -> T {
        guard ContinuousClock.now < end else { throw StorageError.timeLimit }
        isLimited = true
        defer { isLimited = false }
        let connection = database.sqliteConnection
        // SQLite calls the handler at intervals of steps (https://www.sqlite.org/c3ref/progress_handler.html).
        return try withUnsafePointer(to: end) { pointer in
            sqlite3_progress_handler(
                connection, Self.stepsBetweenChecks,
                { pointer in
                    guard let end = pointer?.assumingMemoryBound(to: ContinuousClock.Instant.self).pointee else {
                        return 0
                    }
                    // The handler runs on the thread of the reading task.
                    return ContinuousClock.now < end && !Task.isCancelled ? 0 : 1
                }, UnsafeMutableRawPointer(mutating: pointer))
            defer { sqlite3_progress_handler(connection, 0, nil, nil) }
            do { return try body() } catch let error as StorageError where error.code == StorageError.interrupted.code {
                if Task.isCancelled { throw CancellationError() }
                throw ContinuousClock.now < end ? error : StorageError.timeLimit
            }
        }
    }

    /// Throws if the task of a limited read is cancelled, before it begins another query.
    private func requireUncancelled() throws {
        if isLimited, Task.isCancelled { throw CancellationError() }
    }

    /// Work of a few milliseconds.
    private static let stepsBetweenChecks: CInt = 50_000

    /// Returns a statement for one inserter.
    private func lend(_ sql: String) throws -> SQLitePreparedStatement {
        try StorageError.mapping {
            // Two inserters of the same kind must not share bindings.
            guard lent[sql] == nil else { return try newStatement(sql) }
            let statement = try statement(sql)
            statements[sql] = nil
            lent[sql] = statement
            return statement
        }
    }

    /// Returns a statement that no inserter holds, from GRDB's cache if possible.
    private func statement(_ sql: String) throws -> SQLitePreparedStatement {
        if let known = statements[sql] { return known }
        guard lent[sql] == nil else { return try newStatement(sql) }
        let statement = SQLitePreparedStatement(try database.cachedStatement(sql: sql), in: database)
        statements[sql] = statement
        return statement
    }

    private func newStatement(_ sql: String) throws -> SQLitePreparedStatement {
        SQLitePreparedStatement(try database.makeStatement(sql: sql), in: database)
    }
}
