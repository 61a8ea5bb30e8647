/// A query, or a statement whose rows are asked for, with its values.
public struct SQLQuery: Sendable {
    public let sql: String
    public let parameters: [SQLValue]

    public init(_ sql: String, _ parameters: [SQLValue] = []) {
        self.sql = sql
        self.parameters = parameters
    }
}

extension SQLTransaction {
    /// Runs queries one after the other. A server is waited for once, not for each.
    ///
    /// - Returns: the rows of each.
    public func queries(_ queries: [SQLQuery]) throws -> [[SQLRow]] {
        try queries.map { try query($0.sql, $0.parameters) }
    }
}
