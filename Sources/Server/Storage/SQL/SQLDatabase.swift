/// Statements inside one transaction. Valid only inside the closure that receives it.
///
/// Placeholders are `?`. Statements use only syntax that all engines support: `ON CONFLICT ... DO UPDATE` and
/// `RETURNING`, never `INSERT OR REPLACE`; types `TEXT`, `BIGINT`, `DOUBLE PRECISION` and ``SQLDialect/blob``.
/// All methods throw ``StorageError``. After an error the transaction must end with an error, because engines differ in
/// the statements that they still accept.
public protocol SQLTransaction {
    /// Engine that runs the statements.
    var dialect: SQLDialect { get }

    /// Runs one statement and returns the number of rows that it changed. The prepared statement is cached.
    @discardableResult
    func execute(_ sql: String, _ parameters: [SQLValue]) throws -> Int

    /// Returns all rows of one query, or of one statement with `RETURNING`.
    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow]

    /// Returns the first rows of one query, and reads row by row until one is rejected.
    ///
    /// - Parameter isTaken: whether a row is accepted; no row is read after a rejected one. It must not run other
    ///   statements.
    func query(_ sql: String, _ parameters: [SQLValue], while isTaken: (SQLRow) throws -> Bool) throws -> [SQLRow]

    /// Runs queries in order, with one round trip to a server.
    ///
    /// - Returns: the rows of each query.
    func queries(_ queries: [SQLQuery]) throws -> [[SQLRow]]

    /// Passes the rows of a query one by one, with only one in memory at a time. `body` may run other statements.
    func each(_ sql: String, _ parameters: [SQLValue], body: (SQLRow) throws -> Void) throws

    /// Prepares a statement that runs for many rows.
    func prepare(_ sql: String) throws -> any SQLStatement

    /// Prepares the statement of an insertion; it is cached for later transactions. An engine may insert rows in bulk
    /// (PostgreSQL's `COPY`, for an insertion that fails on conflict): it only guarantees that all rows are written
    /// before the next other statement and before the commit.
    func prepare(_ insertion: SQLInsertionTarget) throws -> any SQLStatement

    /// Prepares a statement that inserts several rows, for an inserter; nil if the engine gains nothing by it.
    ///
    /// - Parameter varying: number of leading columns that differ from row to row. Their placeholders come first, row
    ///   after row, then those of the columns that all rows share.
    func prepare(_ insertion: SQLInsertionTarget, rows: Int, varying: Int) throws -> (any SQLStatement)?

    /// Runs queries with a deadline, for requests of unbounded cost: other callers wait for the connection meanwhile.
    /// Cancelling the task ends the query immediately. Calls must not be nested.
    ///
    /// - Parameter body: runs queries; it must not write.
    /// - Throws: ``StorageError`` `storage-time-limit` if the deadline ended a query or passed before it began;
    ///   `CancellationError`; errors of `body`.
    func limited<T>(until end: ContinuousClock.Instant, _ body: () throws -> T) throws -> T
}

extension SQLTransaction {
    /// Runs one statement without parameters.
    @discardableResult
    public func execute(_ sql: String) throws -> Int {
        try execute(sql, [])
    }

    public func query(
        _ sql: String, _ parameters: [SQLValue], while isTaken: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        Array(try query(sql, parameters).prefix { try isTaken($0) })
    }

    /// Returns all rows of a query without parameters.
    public func query(_ sql: String) throws -> [SQLRow] {
        try query(sql, [])
    }

    /// Returns the first row of a query; nil if there is none.
    public func first(_ sql: String, _ parameters: [SQLValue] = []) throws -> SQLRow? {
        try query(sql, parameters).first
    }
}

/// A database with one writer at a time and many readers.
public protocol SQLDatabase: Sendable {
    /// Reads from one consistent snapshot of the database.
    ///
    /// - Throws: ``StorageError`` `storage-busy` if no connection becomes free in time.
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws
        -> T

    /// Reads a few rows by their keys, on connections that long reads never use.
    ///
    /// - Throws: ``StorageError`` `storage-busy` if no connection becomes free in time.
    func lookUp<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws
        -> T

    /// Runs one transaction. It is durable when this function returns, and completely rolled back when `body` throws.
    ///
    /// `body` may run more than once if the engine ended the transaction because of another one: it must have no
    /// effects outside of its transaction.
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws
        -> T

    /// Finishes what is running and closes the database. Later calls throw.
    func close() async throws
}

extension SQLDatabase {
    public func lookUp<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await read(body)
    }
}

/// A database that can be written to inside a transaction of another database.
public protocol NestedSQLDatabase: SQLDatabase {
    /// Runs one transaction of this database inside a transaction of another one, on the caller's thread. It is durable
    /// when this function returns, even if the outer transaction is rolled back.
    func writeNested<T>(_ body: (any SQLTransaction) throws -> T) throws -> T
}

/// A database that notifies readers on all machines of new rows.
public protocol NotifyingDatabase: SQLDatabase {
    /// Returns a sequence with an element soon after each committed transaction that called
    /// ``SQLTransaction/notify()``, and whenever a notification may have been missed. Unread elements are combined into
    /// one.
    func notifications() -> AsyncStream<Void>
}

extension SQLTransaction {
    /// Notifies readers when the transaction is committed. An engine without notifications does nothing.
    func notify() throws {
        _ = try queries(notification)
    }

    /// Queries that ``notify()`` runs.
    package var notification: [SQLQuery] {
        dialect == .postgresql ? [SQLQuery("SELECT pg_notify(current_schema(), '')::text AS notified")] : []
    }
}
