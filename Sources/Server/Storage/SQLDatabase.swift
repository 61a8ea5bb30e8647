/// Statements inside one transaction. It lives only inside the closure it is passed to.
///
/// Placeholders are `?`. Statements are written so that every engine takes them: `ON CONFLICT ... DO UPDATE` and
/// `RETURNING`, never `INSERT OR REPLACE`; types `TEXT`, `BIGINT`, `DOUBLE PRECISION` and ``SQLDialect/blob``.
/// All methods throw ``StorageError``; after that the transaction must end with an error, for engines differ in what they
/// would still take.
public protocol SQLTransaction {
    /// The engine that takes the statements.
    var dialect: SQLDialect { get }

    /// Runs one statement and gives the number of rows it changed. The prepared statement is kept for the next time.
    @discardableResult
    func execute(_ sql: String, _ parameters: [SQLValue]) throws -> Int

    /// All rows of one query, or of one statement with `RETURNING`.
    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow]

    /// The first rows of one query, read one by one for as long as they are taken.
    ///
    /// - Parameter isTaken: whether a row is taken; no row is read after one that is not. It runs no other statement.
    func query(_ sql: String, _ parameters: [SQLValue], while isTaken: (SQLRow) throws -> Bool) throws -> [SQLRow]

    /// Runs queries one after the other. A server is waited for once, not for each.
    ///
    /// - Returns: the rows of each.
    func queries(_ queries: [SQLQuery]) throws -> [[SQLRow]]

    /// Passes the rows of a query one by one, holding one at a time in memory. `body` may run other statements.
    func each(_ sql: String, _ parameters: [SQLValue], _ body: (SQLRow) throws -> Void) throws

    /// Prepares a statement that is to run for many rows.
    func prepare(_ sql: String) throws -> any SQLStatement

    /// Prepares the statement of an insertion, kept for the next transaction. An engine that takes many rows faster than
    /// one by one (PostgreSQL's `COPY`, for an insertion that fails on conflict) may do so here: no more is asked of what
    /// it gives back than that all rows are there for the next other statement, and for the commit.
    func prepare(_ insertion: SQLInsertionTarget) throws -> any SQLStatement

    /// Prepares the statement that inserts several rows, for an inserter; nil where the engine gains nothing by it.
    ///
    /// - Parameter varying: as many columns, the first, differ from row to row. The placeholders are theirs, row after row,
    ///   and then those of the columns that all rows share.
    func prepare(_ insertion: SQLInsertionTarget, rows: Int, varying: Int) throws -> (any SQLStatement)?

    /// Reads until an instant at most: what others may ask for can take longer than anybody waits for it, and others wait
    /// for the connection meanwhile. A query of a task that is cancelled is ended at once. Calls are not nested.
    ///
    /// - Parameter body: runs queries; it writes nothing.
    /// - Throws: ``StorageError`` `storage-time-limit` where a query was ended for it, or was not begun;
    ///   `CancellationError`; what `body` throws.
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

    /// All rows of a query without parameters.
    public func query(_ sql: String) throws -> [SQLRow] {
        try query(sql, [])
    }

    /// The first row of a query; nil if there is none.
    public func first(_ sql: String, _ parameters: [SQLValue] = []) throws -> SQLRow? {
        try query(sql, parameters).first
    }
}

/// A database: one writer at a time, many readers.
public protocol SQLDatabase: Sendable {
    /// Reads from one consistent state of the database.
    ///
    /// - Throws: ``StorageError`` `storage-busy` where no connection is free in time.
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws
        -> T

    /// Reads a few rows by their keys, on connections that long reads never use.
    ///
    /// - Throws: ``StorageError`` `storage-busy` where no connection is free in time.
    func lookUp<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws
        -> T

    /// Runs one transaction. It is durable when this returns, and wholly undone when `body` throws.
    ///
    /// `body` may run more than once, where the engine ended the transaction for another one's sake: it must have no
    /// effect but on its transaction.
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

/// A database that a transaction of another one can write to.
public protocol NestedSQLDatabase: SQLDatabase {
    /// Runs one transaction of this database inside of a transaction of another one, on whose thread the caller is. It is
    /// durable when this returns, whatever becomes of the other.
    func writeNested<T>(_ body: (any SQLTransaction) throws -> T) throws -> T
}

/// A database that tells readers on all machines when there is something new.
public protocol NotifyingDatabase: SQLDatabase {
    /// An element soon after a transaction was committed that said so (``SQLTransaction/notify()``), and whenever some may have
    /// been missed. Several that nobody has read yet are one.
    func notifications() -> AsyncStream<Void>
}

extension SQLTransaction {
    /// Tells, once the transaction is committed, that there is something new. An engine that tells nobody does nothing.
    func notify() throws {
        _ = try queries(notification)
    }

    /// What ``notify()`` runs.
    var notification: [SQLQuery] {
        dialect == .postgresql ? [SQLQuery("SELECT pg_notify(current_schema(), '')::text AS told")] : []
    }
}
