/// A query, or a statement with `RETURNING`, with its values.
public struct SQLQuery: Sendable {
    public let sql: String
    public let parameters: [SQLValue]

    public init(_ sql: String, _ parameters: [SQLValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}

extension SQLTransaction {
    /// Runs the queries in order, each by itself.
    ///
    /// - Returns: the rows of each query.
    public func queries(_ queries: [SQLQuery]) throws -> [[SQLRow]] {
        try queries.map { try query($0.sql, $0.parameters) }
    }
}
