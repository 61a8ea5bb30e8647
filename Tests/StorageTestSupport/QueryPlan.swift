import Storage

/// An engine's plan of a query.
public struct QueryPlan: Sendable, CustomStringConvertible {
    public let lines: [String]
    private let dialect: SQLDialect

    public var description: String { "\n" + lines.joined(separator: "\n") }

    /// Asks the engine. PostgreSQL is set to avoid reading whole tables, which it would do for a small table: if its
    /// plan still reads one, there is no index for it.
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

    /// Whether rows are sorted after they were read.
    public var sorts: Bool {
        switch dialect {
        case .sqlite: lines.contains { $0.contains("TEMP B-TREE") }
        case .postgresql: lines.contains { $0.contains("Sort Key") }
        }
    }

    /// Whether the plan uses an index of this name.
    public func uses(index: String) -> Bool { lines.contains { $0.contains(index) } }
}
