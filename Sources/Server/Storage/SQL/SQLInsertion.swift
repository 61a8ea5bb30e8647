/// A column of an insertion, with the function that returns its value.
public struct SQLColumn<Source>: Sendable {
    /// Name of the column in the table.
    public let name: String
    @usableFromInline let value: @Sendable (Source) -> SQLValue

    /// Creates a column.
    public init(_ name: String, _ value: @escaping @Sendable (Source) -> SQLValue) {
        self.name = name
        self.value = value
    }
}

/// An insertion of rows of one type into a table, with the name and value of each column.
///
/// Rows that are written together have some columns in common, such as their source. Those values are computed and
/// bound once, when the inserter is created (``SQLTransaction/inserter(_:sharing:)``).
public struct SQLInsertion<Row, Shared>: Sendable {
    /// The table, its columns and the conflict rule.
    public let target: SQLInsertionTarget
    let columns: [SQLColumn<Row>]
    let shared: [SQLColumn<Shared>]

    /// Creates an insertion into a table.
    ///
    /// - Parameters:
    ///   - columns: columns that differ from row to row.
    ///   - shared: columns that have the same value in all rows of one inserter.
    public init(
        into table: String, onConflict: SQLInsertionTarget.Conflict = .fails, columns: [SQLColumn<Row>],
        shared: [SQLColumn<Shared>] = []
    ) {
        target = SQLInsertionTarget(
            table: table, columns: columns.map(\.name) + shared.map(\.name), onConflict: onConflict)
        self.columns = columns
        self.shared = shared
    }

    /// Returns the values of a row in the order of the placeholders, without the shared ones.
    public func values(of row: Row) -> [SQLValue] { columns.map { $0.value(row) } }

    /// Returns the shared columns with their values.
    public func shared(by source: Shared) -> [(name: String, value: SQLValue)] {
        shared.map { ($0.name, $0.value(source)) }
    }
}

/// Table, columns and conflict rule of an insertion.
public struct SQLInsertionTarget: Sendable, Hashable {
    /// Rule for a row whose key already exists.
    public enum Conflict: Sendable, Hashable {
        /// The insertion fails with an error.
        case fails
        /// The existing row stays unchanged. The columns are those of a unique key.
        case keepsPresent(key: [String])
        /// The existing row takes the new values. The columns are those of a unique key.
        case replaces(key: [String])
    }

    public let table: String
    /// Columns in the order of the statement's placeholders.
    public let columns: [String]
    /// Rule for a row whose key already exists.
    public let onConflict: Conflict
    /// Statement that inserts one row, the same for every engine.
    public let sql: String

    init(table: String, columns: [String], onConflict: Conflict) {
        self.table = table
        self.columns = columns
        self.onConflict = onConflict
        let placeholders = repeatElement("?", count: columns.count).joined(separator: ", ")
        sql =
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(placeholders))"
            + Self.conflictClause(onConflict, columns)
    }

    /// SQLite's statement that inserts several rows. A rejected row ends the statement and leaves the rows before it
    /// inserted, so the caller must not commit. Without `OR FAIL`, SQLite would copy each page that a run changes.
    ///
    /// - Parameter varying: number of leading columns that differ from row to row. Their placeholders come first, row
    ///   after row, then those of the columns that all rows share.
    func sql(rows: Int, varying: Int) -> String {
        let tuples = (0..<rows).map { row in
            let own = (0..<varying).map { "?\(row * varying + $0 + 1)" }
            let shared = (varying..<columns.count).map { "?\(rows * varying + $0 - varying + 1)" }
            return "(" + (own + shared).joined(separator: ", ") + ")"
        }
        return "INSERT OR FAIL INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
            + tuples.joined(separator: ", ") + Self.conflictClause(onConflict, columns)
    }

    private static func conflictClause(_ onConflict: Conflict, _ columns: [String]) -> String {
        switch onConflict {
        case .fails: return ""
        case .keepsPresent(let key): return " ON CONFLICT (\(key.joined(separator: ", "))) DO NOTHING"
        case .replaces(let key):
            let values = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
            return " ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(values.joined(separator: ", "))"
        }
    }
}

/// Inserts rows of one type through a statement that is prepared once. Valid only inside the transaction that created
/// it.
public struct SQLInserter<Row> {
    /// Maximum number of buffered rows.
    @usableFromInline static var maximumBuffered: Int { 4096 }
    /// Number of rows in one statement, for engines that gain by it.
    @usableFromInline static var rowsPerStatement: Int { 16 }
    /// Maximum size of a value, in bytes, in a statement for several rows; a row with a longer value is inserted by
    /// itself. So only one such value is bound at a time.
    @usableFromInline static var longest: Int { 1 << 16 }

    // These functions are specialized for each row type at the call site: one transaction inserts thousands of rows,
    // and the unspecialized code would copy the row for each of its columns.
    @usableFromInline let statement: any SQLStatement
    @usableFromInline let columns: [SQLColumn<Row>]
    /// Placeholders that belong to the key, for an insertion that keeps existing rows.
    private let keyPositions: [Int]
    private let target: SQLInsertionTarget
    private let shared: [SQLValue]
    private let transaction: any SQLTransaction
    @usableFromInline var waiting: [Row] = []
    /// Statement for several rows; nil until it is first needed.
    @usableFromInline var several: (any SQLStatement)?
    private var hasPreparedSeveral = false

    fileprivate init(
        _ statement: any SQLStatement, columns: [SQLColumn<Row>], target: SQLInsertionTarget,
        sharing shared: [SQLValue], in transaction: any SQLTransaction
    ) throws {
        try statement.bind(shared, from: columns.count + 1)
        self.statement = statement
        self.columns = columns
        self.target = target
        self.shared = shared
        self.transaction = transaction
        let key = if case .keepsPresent(let key) = target.onConflict { key } else { [String]() }
        keyPositions = columns.indices.filter { key.contains(columns[$0].name) }.map { $0 + 1 }
    }

    /// Announces the next rows of an insertion that keeps existing rows, so that one query finds which of them exist.
    /// ``insert(_:)`` returns the same result without it. Until these rows are inserted, no other statement may insert
    /// or delete rows of the table.
    ///
    /// - Parameter rows: only their values of the key's columns are used.
    public func expect(_ rows: some Sequence<Row>) throws {
        try statement.expect(at: keyPositions) {
            rows.map { row in keyPositions.map { columns[$0 - 1].value(row) } }
        }
    }

    /// Inserts a row.
    ///
    /// - Returns: false if the insertion keeps existing rows and the row's key exists: then nothing was changed.
    /// - Throws: ``StorageError``, immediately or at the next other statement of the transaction.
    @discardableResult
    @inlinable public func insert(_ row: Row) throws -> Bool {
        for index in columns.indices { try statement.bind(columns[index].value(row), at: index + 1) }
        return try statement.run() > 0
    }

    /// Inserts rows of an insertion that keeps existing rows. One query finds which of them exist, where the engine
    /// gains by it.
    ///
    /// - Returns: for each row whether it was new.
    /// - Throws: ``StorageError``, immediately or at the next other statement of the transaction.
    @discardableResult
    package func insertEach(of rows: [Row]) throws -> [Bool] {
        try expect(rows)
        return try rows.map { try insert($0) }
    }

    /// Buffers a row for the next ``flush()``. Inserting many rows of one table in sequence costs less than alternating
    /// between tables, because SQLite finds the table's pages in the processor's cache.
    ///
    /// - Throws: ``StorageError``, also for a row that was added before.
    @inlinable public mutating func add(_ row: Row) throws {
        waiting.append(row)
        if waiting.count == Self.maximumBuffered { try flush() }
    }

    /// Inserts the buffered rows. The caller must call it before other code reads the rows, and at the end.
    ///
    /// - Throws: ``StorageError``; then the transaction must not be committed.
    @inlinable public mutating func flush() throws {
        try run(waiting) { _, _ in }
        waiting.removeAll(keepingCapacity: true)
        try statement.finish()
    }

    /// Inserts rows immediately, for an insertion that keeps existing rows.
    ///
    /// - Returns: ranges of the rows in order, each with its number of new rows; nil if the engine gains nothing by it:
    ///   then nothing was inserted.
    /// - Throws: ``StorageError``; then the transaction must not be committed.
    public mutating func insert(contentsOf rows: [Row]) throws -> [(rows: Range<Int>, new: Int)]? {
        guard rows.count >= Self.rowsPerStatement else { return nil }
        try prepareSeveral()
        guard several != nil else { return nil }
        var inserted: [(rows: Range<Int>, new: Int)] = []
        try run(rows) { inserted.append((rows: $0, new: $1)) }
        return inserted
    }

    /// Inserts rows, several with one statement if the engine supports it.
    ///
    /// - Parameter ran: receives the rows of each statement and the number of new ones.
    @inlinable mutating func run(_ rows: [Row], _ ran: (Range<Int>, Int) -> Void) throws {
        if rows.count >= Self.rowsPerStatement { try prepareSeveral() }
        var index = 0
        while index < rows.count {
            let end = min(index + Self.rowsPerStatement, rows.count)
            if let several, end - index == Self.rowsPerStatement, try bind(rows, from: index, several) {
                ran(index..<end, try several.run())
            } else {
                for row in index..<end { ran(row..<row + 1, try insert(rows[row]) ? 1 : 0) }
            }
            index = end
        }
    }

    /// Binds the next rows to the statement for several rows.
    ///
    /// - Returns: false if a value is too long.
    @inlinable func bind(_ rows: [Row], from start: Int, _ several: any SQLStatement) throws -> Bool {
        var position = 1
        for row in start..<start + Self.rowsPerStatement {
            let row = rows[row]
            for column in columns.indices {
                let value = columns[column].value(row)
                guard value.byteCount <= Self.longest else { return false }
                try several.bind(value, at: position)
                position += 1
            }
        }
        return true
    }

    @usableFromInline mutating func prepareSeveral() throws {
        guard !hasPreparedSeveral else { return }
        hasPreparedSeveral = true
        several = try transaction.prepare(target, rows: Self.rowsPerStatement, varying: columns.count)
        try several?.bind(shared, from: Self.rowsPerStatement * columns.count + 1)
    }
}

extension SQLTransaction {
    /// Prepares an insertion for many rows.
    ///
    /// - Parameter shared: source of the values of the shared columns.
    /// - Throws: ``StorageError``.
    public func inserter<Row, Shared>(
        _ insertion: SQLInsertion<Row, Shared>, sharing shared: Shared
    ) throws -> SQLInserter<Row> {
        try SQLInserter(
            prepare(insertion.target), columns: insertion.columns, target: insertion.target,
            sharing: insertion.shared.map { $0.value(shared) }, in: self)
    }

    /// Prepares an insertion of rows without shared columns.
    ///
    /// - Throws: ``StorageError``.
    public func inserter<Row>(_ insertion: SQLInsertion<Row, Void>) throws -> SQLInserter<Row> {
        try inserter(insertion, sharing: ())
    }

    /// Prepares the statement of an insertion.
    ///
    /// - Throws: ``StorageError``.
    public func prepare(_ insertion: SQLInsertionTarget) throws -> any SQLStatement { try prepare(insertion.sql) }

    /// Returns nil: rows are inserted one by one.
    public func prepare(_ insertion: SQLInsertionTarget, rows: Int, varying: Int) throws -> (any SQLStatement)? { nil }
}
