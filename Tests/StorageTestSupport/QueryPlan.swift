import Storage

/// How an engine would run a query.
public struct QueryPlan: Sendable, CustomStringConvertible {
    public let lines: [String]
    private let dialect: SQLDialect

    public var description: String { "\n" + lines.joined(separator: "\n") }

    /// Asks the engine. PostgreSQL is told to avoid reading whole tables, for of a table that is small it would: where it
    /// plans to all the same, there is no index for it.
    public init(_ sql: String, _ parameters: [SQLValue], in transaction: any SQLTransaction) throws {
        dialect = transaction.dialect
        switch dialect {
        case .sqlite:
            lines = try transaction.query("EXPLAIN QUERY PLAN " + sql, parameters).map { try $0.text("detail") }
        case .postgresql:
            try transaction.execute("SET LOCAL enable_seqscan = off")
            lines = try transaction.query("EXPLAIN (COSTS OFF) " + sql, parameters).map { try $0.text("QUERY PLAN") }
        }
    }

    /// Whether all rows of a table are read.
    public var readsAll: Bool {
        switch dialect {
        case .sqlite: lines.contains { $0.hasPrefix("SCAN") }
        case .postgresql: lines.contains { $0.contains("Seq Scan") }
        }
    }

    /// Whether rows are put in order after they were read.
    public var sorts: Bool {
        switch dialect {
        case .sqlite: lines.contains { $0.contains("TEMP B-TREE") }
        case .postgresql: lines.contains { $0.contains("Sort Key") }
        }
    }

    /// Whether it goes by an index of this name.
    public func goes(by index: String) -> Bool { lines.contains { $0.contains(index) } }
}
