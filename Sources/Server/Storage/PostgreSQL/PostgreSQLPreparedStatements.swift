/// Statements that a connection has prepared, and whether they still fit the tables.
///
/// The server determines the types of a statement's values when it prepares the statement. If a table's types change
/// later, it rejects the prepared statement until it is prepared again, even if only the earlier types were wrong.
struct PostgreSQLPreparedStatements {
    /// Maximum number of prepared statements.
    static let maximumCount = 512

    /// Prepared statement of the server.
    struct Statement {
        let number: Int
        /// Number of its placeholders.
        let count: Int

        var name: String { "s\(number)" }
    }

    /// Statements by their original SQL.
    private var statements: [String: Statement] = [:]
    private var previous: [String: Statement]?
    private var newest = 0
    /// Number of the newest statement before the transaction.
    private var newestBefore = 0
    /// Whether the server rejected a statement of the transaction with an error that tables of an unexpected form
    /// cause.
    private(set) var isRefused = false
    /// Whether the rejected statement was prepared before the transaction, so that it may succeed when it is prepared
    /// again.
    private(set) var isOutdated = false
    /// Whether the transaction can run again: no rows were passed out of it while it ran.
    private(set) var isRepeatable = true

    var count: Int { statements.count + (previous?.count ?? 0) }

    subscript(_ sql: String) -> Statement? { statements[sql] }

    /// Returns a new name for a statement to prepare.
    mutating func next(count: Int) -> Statement {
        newest += 1
        return Statement(number: newest, count: count)
    }

    mutating func add(_ statement: Statement, for sql: String) { statements[sql] = statement }

    /// Records that no statement is prepared any more.
    mutating func removeAll() {
        statements = [:]
        previous = nil
    }

    // MARK: Transactions

    mutating func beginTransaction() {
        newestBefore = newest
        (isRefused, isOutdated, isRepeatable) = (false, false, true)
    }

    /// Records that rows were passed out of the running transaction.
    mutating func recordPassedRows() { isRepeatable = false }

    /// Records that the server rejected a statement.
    ///
    /// - Parameter statement: nil for a statement that was not prepared.
    mutating func recordRejection(_ statement: Statement?, sqlState: String) {
        // Unsupported features, values that do not have the expected type, and names or types that do not match
        // (https://www.postgresql.org/docs/current/errcodes-appendix.html).
        guard ["0A", "22", "42"].contains(sqlState.prefix(2)) else { return }
        isRefused = true
        if let statement, statement.number <= newestBefore { isOutdated = true }
    }

    // MARK: Preparing again

    /// Moves the prepared statements to `previous`, so that all statements are prepared again.
    mutating func beginReplacement() {
        previous = statements
        statements = [:]
    }

    /// Keeps the newly prepared statements.
    ///
    /// - Returns: the previous statements.
    mutating func keepNew() -> [Statement] {
        defer { previous = nil }
        return previous.map { Array($0.values) } ?? []
    }

    /// Restores the previous statements.
    ///
    /// - Returns: the newly prepared statements.
    mutating func restorePrevious() -> [Statement] {
        guard let old = previous else { return [] }
        defer { (statements, previous) = (old, nil) }
        return Array(statements.values)
    }
}
