/// A column that an insertion fills: its name, and its value for what is inserted.
public struct SQLColumn<Source>: Sendable {
    /// The name, as the table has it.
    public let name: String
    @usableFromInline let value: @Sendable (Source) -> SQLValue

    /// A column with its value.
    public init(_ name: String, _ value: @escaping @Sendable (Source) -> SQLValue) {
        self.name = name
        self.value = value
    }
}

/// An insertion of rows of one kind into a table: each column stands once, with its value beside its name.
///
/// Of many rows that are written together some columns are the same, such as where they come from. They are computed and
/// bound once, when the inserter is made (``SQLTransaction/inserter(_:sharing:)``).
public struct SQLInsertion<Row, Shared>: Sendable {
    /// The table, its columns and what becomes of a row whose key is taken.
    public let target: SQLInsertionTarget
    let columns: [SQLColumn<Row>]
    let shared: [SQLColumn<Shared>]

    /// An insertion into a table.
    ///
    /// - Parameters:
    ///   - columns: those that differ from row to row.
    ///   - shared: those that all rows of one inserter have in common.
    public init(
        into table: String, onConflict: SQLInsertionTarget.Conflict = .fails, columns: [SQLColumn<Row>],
        shared: [SQLColumn<Shared>] = []
    ) {
        target = SQLInsertionTarget(
            table: table, columns: columns.map(\.name) + shared.map(\.name), onConflict: onConflict)
        self.columns = columns
        self.shared = shared
    }

    /// The values of a row, in the order of the statement's placeholders, without those that rows share.
    public func values(of row: Row) -> [SQLValue] { columns.map { $0.value(row) } }

    /// The columns that all rows of one inserter have in common, with their values.
    public func shared(by source: Shared) -> [(name: String, value: SQLValue)] {
        shared.map { ($0.name, $0.value(source)) }
    }
}

/// The table, the columns and the rule for conflicts that an insertion asks of the engine.
public struct SQLInsertionTarget: Sendable, Hashable {
    /// The rule for a row whose key is taken.
    public enum Conflict: Sendable, Hashable {
        /// The row is refused with an error.
        case fails
        /// The row that is there stays as it is. The columns are those of a unique key.
        case keepsPresent(key: [String])
        /// The row that is there takes the new values. The columns are those of a unique key.
        case replaces(key: [String])
    }

    /// The table.
    public let table: String
    /// The columns, in the order of a statement's placeholders.
    public let columns: [String]
    /// The rule for a row whose key is taken.
    public let onConflict: Conflict
    /// The statement that inserts one row, the same for every engine.
    public let sql: String

    init(table: String, columns: [String], onConflict: Conflict) {
        self.table = table
        self.columns = columns
        self.onConflict = onConflict
        let places = repeatElement("?", count: columns.count).joined(separator: ", ")
        sql =
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))"
            + Self.conflictClause(onConflict, columns)
    }

    /// SQLite's statement that inserts several rows. A row that is refused ends it, with the rows before inserted: who runs it
    /// does not commit them. Otherwise SQLite would keep, for each run, a copy of each page that it changes.
    ///
    /// - Parameter varying: as many columns, the first, differ from row to row. The placeholders are theirs, row after row,
    ///   and then those of the columns that all rows share.
    func sql(rows: Int, varying: Int) -> String {
        let places = (0..<rows).map { row in
            let own = (0..<varying).map { "?\(row * varying + $0 + 1)" }
            let shared = (varying..<columns.count).map { "?\(rows * varying + $0 - varying + 1)" }
            return "(" + (own + shared).joined(separator: ", ") + ")"
        }
        return "INSERT OR FAIL INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
            + places.joined(separator: ", ") + Self.conflictClause(onConflict, columns)
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

/// Inserts rows of one kind through a statement that is prepared once. It lives only inside the transaction that made it.
public struct SQLInserter<Row> {
    /// So many rows wait at most.
    @usableFromInline static var most: Int { 4096 }
    /// So many are run as one statement, where an engine gains by it.
    @usableFromInline static var together: Int { 16 }
    /// A row with a longer value is run by itself: no more than one such is bound at a time.
    @usableFromInline static var longest: Int { 1 << 16 }

    // Its functions are compiled for each kind of row where they are called: thousands of rows go through them in one transaction,
    // and what is said of no kind in particular copies a row for each of its columns.
    @usableFromInline let statement: any SQLStatement
    @usableFromInline let columns: [SQLColumn<Row>]
    /// The numbers of the placeholders that are part of the key of an insertion that keeps what is present.
    private let keyPositions: [Int]
    private let target: SQLInsertionTarget
    private let shared: [SQLValue]
    private let transaction: any SQLTransaction
    @usableFromInline var waiting: [Row] = []
    /// The statement for several rows, once there were as many.
    @usableFromInline var several: (any SQLStatement)?
    private var hasAskedForSeveral = false

    fileprivate init(
        _ statement: any SQLStatement, _ columns: [SQLColumn<Row>], _ target: SQLInsertionTarget,
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

    /// Tells which rows are to be inserted next by an insertion that keeps what is present, so that a server is asked once
    /// which of them it has, and not about each. ``insert(_:)`` answers the same without; nothing else may insert or delete
    /// rows of the table until then.
    ///
    /// - Parameter rows: what stands in the columns of the key counts.
    public func expect(_ rows: some Sequence<Row>) throws {
        try statement.expect(at: keyPositions) {
            rows.map { row in keyPositions.map { columns[$0 - 1].value(row) } }
        }
    }

    /// Inserts a row.
    ///
    /// - Returns: false where the insertion keeps what is there and the row's key was taken: then nothing was done.
    /// - Throws: ``StorageError``, at once or with the next other statement of the transaction.
    @discardableResult
    @inlinable public func insert(_ row: Row) throws -> Bool {
        for place in columns.indices { try statement.bind(columns[place].value(row), at: place + 1) }
        return try statement.run() > 0
    }

    /// Inserts a row by the next ``flush()``. Rows that go into one table one after the other cost less than by turns with
    /// those of others: SQLite finds the table's pages in the processor's cache.
    ///
    /// - Throws: ``StorageError``, also over a row that was added before.
    @inlinable public mutating func add(_ row: Row) throws {
        waiting.append(row)
        if waiting.count == Self.most { try flush() }
    }

    /// Inserts what was added. Whoever adds must see to it before others read, and at the end.
    ///
    /// - Throws: ``StorageError``; then the transaction must not be committed.
    @inlinable public mutating func flush() throws {
        try run(waiting) { _, _ in }
        waiting.removeAll(keepingCapacity: true)
        try statement.finish()
    }

    /// Inserts rows at once by an insertion that keeps what is present.
    ///
    /// - Returns: how many of them were new, of some after the other; nil where the engine gains nothing by it: then nothing
    ///   was done.
    /// - Throws: ``StorageError``; then the transaction must not be committed.
    public mutating func insert(contentsOf rows: [Row]) throws -> [(rows: Range<Int>, new: Int)]? {
        guard rows.count >= Self.together else { return nil }
        try askForSeveral()
        guard several != nil else { return nil }
        var inserted: [(rows: Range<Int>, new: Int)] = []
        try run(rows) { inserted.append((rows: $0, new: $1)) }
        return inserted
    }

    /// Inserts rows, several with a statement where there is one.
    ///
    /// - Parameter ran: told of each statement its rows and how many of them were new.
    @inlinable mutating func run(_ rows: [Row], _ ran: (Range<Int>, Int) -> Void) throws {
        if rows.count >= Self.together { try askForSeveral() }
        var place = 0
        while place < rows.count {
            let end = min(place + Self.together, rows.count)
            if let several, end - place == Self.together, try bind(rows, from: place, several) {
                ran(place..<end, try several.run())
            } else {
                for row in place..<end { ran(row..<row + 1, try insert(rows[row]) ? 1 : 0) }
            }
            place = end
        }
    }

    /// Binds the next rows to the statement for several.
    ///
    /// - Returns: false where one is too long.
    @inlinable func bind(_ rows: [Row], from place: Int, _ several: any SQLStatement) throws -> Bool {
        var position = 1
        for row in place..<place + Self.together {
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

    @usableFromInline mutating func askForSeveral() throws {
        guard !hasAskedForSeveral else { return }
        hasAskedForSeveral = true
        several = try transaction.prepare(target, rows: Self.together, varying: columns.count)
        try several?.bind(shared, from: Self.together * columns.count + 1)
    }
}

extension SQLTransaction {
    /// Prepares an insertion for many rows.
    ///
    /// - Parameter shared: what the columns that all rows share are made of.
    /// - Throws: ``StorageError``.
    public func inserter<Row, Shared>(
        _ insertion: SQLInsertion<Row, Shared>, sharing shared: Shared
    ) throws -> SQLInserter<Row> {
        try SQLInserter(
            prepare(insertion.target), insertion.columns, insertion.target,
            sharing: insertion.shared.map { $0.value(shared) }, in: self)
    }

    /// Prepares an insertion of rows that share nothing.
    ///
    /// - Throws: ``StorageError``.
    public func inserter<Row>(_ insertion: SQLInsertion<Row, Void>) throws -> SQLInserter<Row> {
        try inserter(insertion, sharing: ())
    }

    /// Prepares the statement of an insertion.
    ///
    /// - Throws: ``StorageError``.
    public func prepare(_ insertion: SQLInsertionTarget) throws -> any SQLStatement { try prepare(insertion.sql) }

    /// Rows are inserted one by one.
    public func prepare(_ insertion: SQLInsertionTarget, rows: Int, varying: Int) throws -> (any SQLStatement)? { nil }
}
