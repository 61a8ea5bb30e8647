/// Statement that runs for many rows and answers for each.
final class PostgreSQLPreparedStatement: SQLStatement {
    private let transaction: PostgreSQLTransaction
    private let sql: String
    private var values: [SQLValue]

    init(_ sql: String, in transaction: PostgreSQLTransaction) throws {
        self.transaction = transaction
        self.sql = sql
        values = Array(repeating: .null, count: try transaction.placeholders(of: sql))
    }

    func bind(_ value: SQLValue, at position: Int) throws { try values.set(value, at: position) }

    func run() throws -> Int { try transaction.execute(sql, values) }
}

/// Insertion without an answer for each row. It buffers rows until there are many, or until another statement may read
/// them. Rows that must be new are sent with COPY; rows that may replace others are sent without waiting for each
/// answer.
final class PostgreSQLBulkInsertion: SQLStatement {
    /// Maximum number of buffered rows, and of their bytes.
    private static let maximumRows = 8_192
    private static let maximumBytes = 4 << 20

    private let transaction: PostgreSQLTransaction
    let target: SQLInsertionTarget
    private var values: [SQLValue]
    private var copied = PostgreSQLCopyRows()
    private var sent: [[SQLValue]] = []
    private var sentBytes = 0
    private(set) var waiting = 0

    init(_ target: SQLInsertionTarget, in transaction: PostgreSQLTransaction) {
        self.transaction = transaction
        self.target = target
        values = Array(repeating: .null, count: target.columns.count)
    }

    func bind(_ value: SQLValue, at position: Int) throws { try values.set(value, at: position) }

    func run() throws -> Int { try add(values) }

    /// Inserts a row with the given values.
    func add(_ values: [SQLValue]) throws -> Int {
        if target.onConflict == .fails {
            try copied.append(values)
        } else {
            sent.append(values)
            sentBytes += values.reduce(0) { $0 + $1.size }
        }
        waiting += 1
        if waiting == 1 { transaction.register(self) }
        if waiting >= Self.maximumRows || copied.bytes.count + sentBytes >= Self.maximumBytes {
            try transaction.flush()
        }
        return 1
    }

    func finish() throws { try transaction.flush() }

    /// Writes the buffered rows.
    func flush(to connection: PostgreSQLConnection) throws {
        guard waiting > 0 else { return }
        waiting = 0
        defer {
            copied.removeAll()
            sent.removeAll(keepingCapacity: true)
            sentBytes = 0
        }
        if target.onConflict == .fails {
            try connection.copy(
                "COPY \(target.table) (\(target.columns.joined(separator: ", "))) FROM STDIN", rows: copied.bytes)
        } else {
            try connection.run(target.sql, rows: sent)
        }
    }
}

extension [SQLValue] {
    mutating func set(_ value: SQLValue, at position: Int) throws {
        guard indices.contains(position - 1) else {
            throw StorageError(code: "storage-failed", message: "The statement has no placeholder number \(position).")
        }
        if case .text(let text) = value, text.utf8.contains(0) { throw StorageError.zeroByte }
        self[position - 1] = value
    }
}

extension SQLValue {
    /// Approximate size in memory, in bytes.
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let data): data.count
        default: 16
        }
    }
}
