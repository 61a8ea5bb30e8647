/// The statements that a connection has prepared, and whether the tables are still those that they were prepared for.
///
/// The server finds the types of a statement's values when it is prepared. Where a table has got other types since, it
/// refuses the statement for as long as it stays prepared, also when the table is right again and was wrong before.
struct PostgreSQLPreparedStatements {
    /// So many stay prepared at most.
    static let most = 512

    /// A statement as the server knows it.
    struct Statement {
        let number: Int
        /// How many values it takes.
        let count: Int

        var name: String { "s\(number)" }
    }

    /// By their SQL as it was given.
    private var statements: [String: Statement] = [:]
    private var aside: [String: Statement]?
    private var newest = 0
    /// The newest one before the transaction.
    private var newestBefore = 0
    /// Whether the server refused a statement of the transaction in a way that it does where tables are not as expected.
    private(set) var isRefused = false
    /// Whether that was one from before the transaction, so that it may do when it is prepared anew.
    private(set) var isOutdated = false
    /// Whether the transaction can be run once more: nobody outside of it has got rows of it while it ran.
    private(set) var isRepeatable = true

    var count: Int { statements.count + (aside?.count ?? 0) }

    subscript(_ sql: String) -> Statement? { statements[sql] }

    /// Names a statement that is to be prepared.
    mutating func next(count: Int) -> Statement {
        newest += 1
        return Statement(number: newest, count: count)
    }

    mutating func add(_ statement: Statement, for sql: String) { statements[sql] = statement }

    /// Notes that none is prepared any more.
    mutating func removeAll() {
        statements = [:]
        aside = nil
    }

    // MARK: Transactions

    mutating func beginTransaction() {
        newestBefore = newest
        (isRefused, isOutdated, isRepeatable) = (false, false, true)
    }

    /// Notes that rows are handed out while the transaction runs.
    mutating func noteRowsGiven() { isRepeatable = false }

    /// Notes that the server refused a statement.
    ///
    /// - Parameter statement: nil for one that was not prepared.
    mutating func noteRefusal(_ statement: Statement?, sqlState: String) {
        // What it cannot do, a value that is none of the type it expects, and names or types that do not fit
        // (https://www.postgresql.org/docs/current/errcodes-appendix.html).
        guard ["0A", "22", "42"].contains(sqlState.prefix(2)) else { return }
        isRefused = true
        if let statement, statement.number <= newestBefore { isOutdated = true }
    }

    // MARK: Anew

    /// Sets what is prepared aside, so that all statements are prepared anew.
    mutating func setAside() {
        aside = statements
        statements = [:]
    }

    /// Keeps what was prepared anew.
    ///
    /// - Returns: those that were set aside.
    mutating func keepNew() -> [Statement] {
        defer { aside = nil }
        return aside.map { Array($0.values) } ?? []
    }

    /// Takes those that were set aside again.
    ///
    /// - Returns: those that were prepared anew.
    mutating func takeBack() -> [Statement] {
        guard let old = aside else { return [] }
        defer { (statements, aside) = (old, nil) }
        return Array(statements.values)
    }
}
