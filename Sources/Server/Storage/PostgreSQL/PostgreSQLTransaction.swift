/// Transaction on one connection. It runs on the connection's thread.
final class PostgreSQLTransaction: SQLTransaction {
    /// Maximum number of rows that ``each(_:_:body:)`` holds at a time.
    private static let fetched = 256

    private let connection: PostgreSQLConnection
    /// Insertions with buffered rows, in the order in which they began to buffer.
    private var bulk: [PostgreSQLBulkInsertion] = []
    private var cursors = 0

    init(_ connection: PostgreSQLConnection) { self.connection = connection }

    var dialect: SQLDialect { .postgresql }

    @discardableResult
    func execute(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
        try flush()
        return parameters.isEmpty
            ? try connection.run(sql).changedRows : try connection.run(sql, parameters).changedRows
    }

    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try flush()
        return try Self.rows(of: try connection.run(sql, parameters))
    }

    func query(
        _ sql: String, _ parameters: [SQLValue], while isTaken: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        try flush()
        connection.recordPassedRows()
        var rows: [SQLRow] = []
        var failure: (any Error)?
        var positions: [String: Int]?
        try connection.runOneByOne(sql, values: parameters) { result in
            do {
                let known = positions ?? result.columnPositions()
                positions = known
                for index in 0..<result.rowCount {
                    let row = try result.row(index, known)
                    guard try isTaken(row) else { return false }
                    rows.append(row)
                }
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        return rows
    }

    func queries(_ queries: [SQLQuery]) throws -> [[SQLRow]] {
        try flush()
        var answers: [Result<[SQLRow], any Error>] = []
        answers.reserveCapacity(queries.count)
        try connection.run(queries) { result in
            do { answers.append(.success(try Self.rows(of: result))) } catch { answers.append(.failure(error)) }
        }
        return try answers.map { try $0.get() }
    }

    func each(_ sql: String, _ parameters: [SQLValue], body: (SQLRow) throws -> Void) throws {
        try flush()
        cursors += 1
        connection.recordPassedRows()
        let name = "c\(cursors)"
        _ = try connection.runOnce("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", parameters)
        while true {
            // Write the rows that `body` inserted before the cursor continues, as before every other statement.
            try flush()
            let rows = try Self.rows(of: try connection.run("FETCH \(Self.fetched) FROM \(name)"))
            for row in rows { try body(row) }
            guard rows.count == Self.fetched else { break }
        }
        try flush()
        _ = try connection.run("CLOSE \(name)")
    }

    func limited<T>(until end: ContinuousClock.Instant, _ body: () throws -> T) throws -> T {
        guard ContinuousClock.now < end else { throw StorageError.timeLimit }
        // Buffered rows are written without the time limit.
        try flush()
        connection.end = end
        defer { connection.end = nil }
        do { return try body() } catch let error as StorageError where error.code == StorageError.tooSlow.code {
            if Task.isCancelled { throw CancellationError() }
            throw ContinuousClock.now < end ? error : StorageError.timeLimit
        }
    }

    func prepare(_ sql: String) throws -> any SQLStatement { try PostgreSQLPreparedStatement(sql, in: self) }

    func prepare(_ insertion: SQLInsertionTarget) throws -> any SQLStatement {
        // The caller needs the answer for each row.
        if case .keepsPresent(let key) = insertion.onConflict {
            return PostgreSQLKeepingInsertion(insertion, key: key, in: self)
        }
        return PostgreSQLBulkInsertion(insertion, in: self)
    }

    func placeholders(of sql: String) throws -> Int {
        try flush()
        return try connection.prepare(sql).count
    }

    func register(_ insertion: PostgreSQLBulkInsertion) { bulk.append(insertion) }

    /// Inserts a row unless its key exists, and returns the number of new rows.
    func insert(_ target: SQLInsertionTarget, _ values: [SQLValue]) throws -> Int {
        let seen = try connection.references(of: target.table).union([target.table])
        if bulk.contains(where: { seen.contains($0.target.table) }) { try flush() }
        return try connection.run(target.sql, values).changedRows
    }

    /// Writes the buffered rows; referenced tables come before the tables that reference them.
    func flush() throws {
        guard !bulk.isEmpty else { return }
        var waiting = bulk
        bulk = []
        while !waiting.isEmpty {
            let tables = Set(waiting.map(\.target.table))
            let next = try waiting.firstIndex { insertion in
                try tables.isDisjoint(with: connection.references(of: insertion.target.table))
            }
            try waiting.remove(at: next ?? 0).flush(to: connection)
        }
    }

    /// Returns the types of a table's columns, by name.
    func columnTypes(of table: String) throws -> [String: String] { try connection.columnTypes(of: table) }

    /// Writes the buffered rows and commits: the transaction is durable when this function returns.
    func commit() throws {
        try flush()
        guard !connection.isFailed else {
            throw StorageError(
                code: "storage-failed", message: "A statement of the transaction failed; nothing was written.")
        }
        _ = try connection.run("COMMIT")
    }

    private static func rows(of result: borrowing PostgreSQLResult) throws -> [SQLRow] {
        let positions = result.columnPositions()
        var rows: [SQLRow] = []
        rows.reserveCapacity(result.rowCount)
        for index in 0..<result.rowCount { rows.append(try result.row(index, positions)) }
        return rows
    }
}
