import CPQ
import Foundation

/// One libpq connection. Calls block the calling thread; only one thread may use the connection at a time.
final class PostgreSQLConnection {
    let pointer: OpaquePointer
    /// Deadline of a query; nil if only the server's own limit applies.
    var end: ContinuousClock.Instant?
    private(set) var prepared = PostgreSQLPreparedStatements()
    /// Tables that each table references, by table name.
    private var references: [String: Set<String>] = [:]
    /// Column types by column name, by table name.
    private var columnTypes: [String: [String: String]] = [:]

    typealias Prepared = PostgreSQLPreparedStatements.Statement

    /// Connects and applies the settings of the session.
    ///
    /// - Parameter settings: statements that run once.
    /// - Throws: ``StorageError`` `storage-open`.
    init(_ address: PostgreSQLAddress, settings: [String]) throws(StorageError) {
        // Later parameters override those of the URL; the earlier ones are defaults, such as a limit of the wait.
        let words: [(String, String)] = [
            ("connect_timeout", "10"), ("keepalives_idle", "30"), ("tcp_user_timeout", "30000"),
            ("fallback_application_name", "tributary"), ("dbname", address.url), ("client_encoding", "UTF8"),
        ]
        let connected = Self.connect(words)
        guard let connected else { throw StorageError.unreachable("no memory.") }
        guard PQstatus(connected) == CONNECTION_OK else {
            let message = PQerrorMessage(connected).map { String(cString: $0) } ?? ""
            PQfinish(connected)
            throw StorageError.unreachable(message.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        pointer = connected
        // Notices are meant for interactive users.
        _ = PQsetNoticeProcessor(pointer, { _, _ in }, nil)
        for setting in settings { _ = try run(setting) }
    }

    deinit { PQfinish(pointer) }

    private static func connect(_ words: [(String, String)]) -> OpaquePointer? {
        let keys = words.map { strdup($0.0) } + [nil]
        let values = words.map { strdup($0.1) } + [nil]
        defer { for text in keys + values { free(text) } }
        return PQconnectdbParams(keys.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
    }

    /// Whether the connection is usable, as far as known without a round trip.
    var isAlive: Bool { PQstatus(pointer) == CONNECTION_OK }

    /// Whether a transaction is open, including a failed one.
    var isInTransaction: Bool { PQtransactionStatus(pointer) != PQTRANS_IDLE }

    /// Whether a statement of the open transaction failed: the server would answer a commit with a rollback.
    var isFailed: Bool { PQtransactionStatus(pointer) == PQTRANS_INERROR }

    // MARK: Statements

    /// Runs one statement without placeholders.
    func run(_ sql: String) throws(StorageError) -> PostgreSQLResult {
        // A change of the schema invalidates the prepared statements.
        if Self.changesSchema(sql) { try forgetPrepared() }
        return try check(PostgreSQLResult(PQexecParams(pointer, sql, 0, nil, nil, nil, nil, 1)))
    }

    /// Runs one statement, prepared at its first use.
    func run(_ sql: String, _ values: [SQLValue]) throws(StorageError) -> PostgreSQLResult {
        let statement = try prepare(sql)
        try require(values.count, of: statement)
        let parameters = try PostgreSQLParameters(values)
        let result = parameters.withPointers { texts, lengths, formats in
            guard end != nil else {
                return PQexecPrepared(pointer, statement.name, CInt(parameters.count), texts, lengths, formats, 1)
            }
            let isSent = PQsendQueryPrepared(
                pointer, statement.name, CInt(parameters.count), texts, lengths, formats, 1)
            return isSent == 1 ? answerInTime() : nil
        }
        return try check(PostgreSQLResult(result), of: statement)
    }

    /// Runs one statement with values without keeping it prepared, for example that of a cursor, whose name is not used
    /// again.
    func runOnce(_ sql: String, _ values: [SQLValue]) throws(StorageError) -> PostgreSQLResult {
        let placeholderSQL = PlaceholderSQL(sql)
        try require(values.count, of: Prepared(number: 0, count: placeholderSQL.count))
        let parameters = try PostgreSQLParameters(values)
        let result = parameters.withPointers { texts, lengths, formats in
            PQexecParams(pointer, placeholderSQL.text, CInt(parameters.count), nil, texts, lengths, formats, 1)
        }
        return try check(PostgreSQLResult(result))
    }

    /// Runs statements without placeholders in one round trip.
    func run(together statements: [String]) throws(StorageError) {
        _ = try check(PostgreSQLResult(PQexec(pointer, statements.joined(separator: "; "))))
    }

    /// Runs one statement for many rows, without waiting for each answer before the next one is sent. Throws the first
    /// error; then no row is written, because the transaction has failed.
    func run(_ sql: String, rows: [[SQLValue]]) throws(StorageError) {
        let statement = try prepare(sql)
        var sets: [(Prepared, PostgreSQLParameters)] = []
        sets.reserveCapacity(rows.count)
        for values in rows {
            try require(values.count, of: statement)
            sets.append((statement, try PostgreSQLParameters(values)))
        }
        try pipelined(sets) { _ in }
    }

    /// Runs statements in order, without waiting for each answer before the next one is sent. Throws the first error;
    /// then the transaction has failed.
    ///
    /// - Parameter take: receives the answers in order.
    func run(_ queries: [SQLQuery], _ take: (borrowing PostgreSQLResult) -> Void) throws(StorageError) {
        var rest = queries[...]
        while !rest.isEmpty {
            let next = rest.prefix(Self.maximumPipelined)
            // Make room first: a statement of this batch must not be deallocated to prepare another one.
            let missing = Set(next.lazy.map(\.sql).filter { self.prepared[$0] == nil }).count
            if prepared.count + missing > PostgreSQLPreparedStatements.maximumCount { try forgetPrepared() }
            var sets: [(Prepared, PostgreSQLParameters)] = []
            for query in next {
                let statement = try prepare(query.sql)
                try require(query.parameters.count, of: statement)
                sets.append((statement, try PostgreSQLParameters(query.parameters)))
            }
            rest = rest.dropFirst(Self.maximumPipelined)
            try pipelined(sets, take)
        }
    }

    /// Maximum number of queries that are sent before their answers are read. It keeps both sides from blocking on full
    /// buffers.
    private static let maximumPipelined = 256

    /// Sends statements, then reads the answers (https://www.postgresql.org/docs/current/libpq-pipeline-mode.html).
    private func pipelined(
        _ statements: [(Prepared, PostgreSQLParameters)], _ take: (borrowing PostgreSQLResult) -> Void
    ) throws(StorageError) {
        guard PQenterPipelineMode(pointer) == 1 else { throw lost }
        defer { PQexitPipelineMode(pointer) }
        for (statement, parameters) in statements {
            let isSent = parameters.withPointers { texts, lengths, formats in
                PQsendQueryPrepared(
                    pointer, statement.name, CInt(parameters.count), texts, lengths, formats, 1)
            }
            guard isSent == 1 else { throw lost }
        }
        guard PQpipelineSync(pointer) == 1 else { throw lost }
        var failure: StorageError?
        var ended = 0
        while isAlive {
            awaitAnswer()
            // A nil result ends the answer to one statement; the synchronization point ends the pipeline.
            guard let answer = PQgetResult(pointer) else { continue }
            let result = PostgreSQLResult(answer)
            if result.status == PGRES_PIPELINE_SYNC { break }
            ended += 1
            guard result.isSuccess else {
                if result.status != PGRES_PIPELINE_ABORTED, failure == nil {
                    failure = result.error
                    prepared.recordRejection(statements[ended - 1].0, sqlState: result.sqlState)
                }
                continue
            }
            take(result)
        }
        guard isAlive else { throw lost }
        if let failure { throw failure }
    }

    /// Returns the prepared statement, and prepares it at its first use.
    func prepare(_ sql: String) throws(StorageError) -> Prepared {
        if let known = prepared[sql] { return known }
        if prepared.count >= PostgreSQLPreparedStatements.maximumCount { try forgetPrepared() }
        let placeholderSQL = PlaceholderSQL(sql)
        let statement = prepared.next(count: placeholderSQL.count)
        _ = try check(PostgreSQLResult(PQprepare(pointer, statement.name, placeholderSQL.text, 0, nil)))
        prepared.add(statement, for: sql)
        return statement
    }

    func require(_ count: Int, of statement: Prepared) throws(StorageError) {
        guard count == statement.count else {
            throw StorageError(
                code: "storage-failed", message: "The number of values does not match the placeholders.")
        }
    }

    func forgetPrepared() throws(StorageError) {
        forgetTables()
        guard prepared.count > 0 else { return }
        _ = try check(PostgreSQLResult(PQexec(pointer, "DEALLOCATE ALL")))
        prepared.removeAll()
    }

    private func forgetTables() {
        references = [:]
        columnTypes = [:]
    }

    // MARK: Changed tables

    /// Records that a transaction begins.
    func beginTransaction() { prepared.beginTransaction() }

    /// Records that rows were passed out of the running transaction.
    func recordPassedRows() { prepared.recordPassedRows() }

    /// Makes the next transaction prepare its statements again.
    func beginReplacingPrepared() {
        forgetTables()
        prepared.beginReplacement()
    }

    /// Keeps the newly prepared statements, or restores the previous ones.
    func endReplacingPrepared(keepingNew: Bool) {
        if !keepingNew { forgetTables() }
        let ended = keepingNew ? prepared.keepNew() : prepared.restorePrevious()
        guard !ended.isEmpty, isAlive else { return }
        // A statement that remains uses some memory of the server until the connection ends.
        try? run(together: ended.map { "DEALLOCATE \($0.name)" })
    }

    /// Returns the tables that a table references; queries the server once.
    func references(of table: String) throws -> Set<String> {
        if let known = references[table] { return known }
        let found = try PostgreSQLTransaction(self).referencedTableNames(of: table)
        references[table] = found
        return found
    }

    /// Returns the types of a table's columns by name; queries the server once.
    func columnTypes(of table: String) throws -> [String: String] {
        if let known = columnTypes[table] { return known }
        let rows = try PostgreSQLTransaction(self).query(
            """
            SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
            WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
            """, [SQLValue(table)])
        let found = Dictionary(
            uniqueKeysWithValues: try rows.map { (try $0.text("name"), try $0.text("type")) })
        columnTypes[table] = found
        return found
    }

    private static func changesSchema(_ sql: String) -> Bool {
        let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
        return ["CREATE", "ALTER", "DROP"].contains(word)
    }

    // MARK: Copying

    /// Writes rows in COPY's text format (https://www.postgresql.org/docs/current/sql-copy.html).
    ///
    /// - Parameter rows: whole lines.
    func copy(_ sql: String, rows: [UInt8]) throws(StorageError) {
        do {
            let begun = PostgreSQLResult(PQexec(pointer, sql))
            guard begun.status == PGRES_COPY_IN else {
                prepared.recordRejection(nil, sqlState: begun.sqlState)
                throw isAlive ? begun.error : lost
            }
        }
        var offset = 0
        while offset < rows.count {
            let size = min(1 << 20, rows.count - offset)
            let isSent = rows.withUnsafeBytes { buffer in
                buffer.baseAddress.map {
                    PQputCopyData(pointer, ($0 + offset).assumingMemoryBound(to: CChar.self), CInt(size))
                } ?? -1
            }
            guard isSent == 1 else { throw lost }
            offset += size
        }
        guard PQputCopyEnd(pointer, nil) == 1 else { throw lost }
        var failure: StorageError?
        while let result = PQgetResult(pointer) {
            let result = PostgreSQLResult(result)
            if !result.isSuccess, failure == nil {
                prepared.recordRejection(nil, sqlState: result.sqlState)
                failure = isAlive ? result.error : lost
            }
            if !isAlive { break }
        }
        if let failure { throw failure }
    }

    // MARK: Notifications

    /// Socket of the connection, for `poll`.
    var socket: Int32 { PQsocket(pointer) }

    /// Reads the pending input from the server.
    ///
    /// - Returns: whether it contained a notification.
    func takeNotifications() -> Bool {
        guard PQconsumeInput(pointer) == 1 else { return false }
        var isNotified = false
        while let notification = PQnotifies(pointer) {
            PQfreemem(notification)
            isNotified = true
        }
        return isNotified
    }

    // MARK: Answers

    /// Error of a lost connection.
    var lost: StorageError {
        let message = PQerrorMessage(pointer).map { String(cString: $0) } ?? ""
        return StorageError.unreachable(message.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private func check(
        _ result: consuming PostgreSQLResult, of statement: Prepared? = nil
    ) throws(StorageError) -> PostgreSQLResult {
        guard !result.isSuccess else { return result }
        throw refusal(result, of: statement)
    }

    /// Returns the error of a statement that the server rejected.
    func refusal(_ result: borrowing PostgreSQLResult, of statement: Prepared?) -> StorageError {
        prepared.recordRejection(statement, sqlState: result.sqlState)
        return isAlive ? result.error : lost
    }
}
