import Storage

/// The location of i2b2's tables.
package enum WarehouseLocation: Sendable, Hashable {
    /// Among the tables of the records' store.
    case records
    /// In existing schemas of the records' database, which may contain other data.
    case i2b2(data: PostgreSQLSchema, metadata: PostgreSQLSchema)
    /// Among the tables of the records' store, and copied to an i2b2 in another database.
    case replicated(WarehouseReplica)

    /// Whether the tables are among those of the records' store.
    package var isAmongRecords: Bool {
        if case .i2b2 = self { false } else { true }
    }

    /// Whether no other database has a copy of the tables.
    package var isOnlyHere: Bool {
        if case .replicated = self { false } else { true }
    }

    /// The name under which an existing i2b2 sees our ontology.
    static let ontologyView = "tributary_meta"

    /// The views through which i2b2 sees our tables: schema, name and table.
    var views: [(schema: PostgreSQLSchema, name: String, table: String)] {
        guard case .i2b2(let data, let metadata) = self else { return [] }
        let consents = DimensionSelection.Table.consents.rawValue
        return [(data, consents, consents), (metadata, Self.ontologyView, OntologyWriter.table)]
    }

    /// The schemas of others in which tables are looked up.
    package var schemas: [PostgreSQLSchema] {
        switch self {
        case .records, .replicated: []
        case .i2b2(let data, let metadata): data == metadata ? [data] : [data, metadata]
        }
    }

    /// The location as the store records it.
    var text: String {
        switch self {
        case .records: "records"
        case .i2b2(let data, let metadata): "\(data.name)/\(metadata.name)"
        case .replicated(let replica):
            "\(Self.replicated)\(replica.data.name)/\(replica.metadata.name) \(replica.digest)"
        }
    }

    /// A prefix with a space, because no schema's name has one.
    private static let replicated = "replica "

    /// - Throws: ``WarehouseError`` `warehouse-place` for a store whose facts are at another location.
    package func require(in transaction: any SQLTransaction) throws {
        guard try Self.recorded(in: transaction) == text else { throw WarehouseError.otherLocation }
    }

    /// Returns the location that a store records.
    static func recorded(in transaction: any SQLTransaction) throws -> String {
        let row = try transaction.first("SELECT place FROM warehouse_place WHERE one = 1")
        return try row?.text("place") ?? Self.records.text
    }

    /// Whether a store's facts are in existing tables of others.
    static func isOfOthers(in transaction: any SQLTransaction) throws -> Bool {
        try !isAmongRecords(recorded(in: transaction))
    }

    /// Whether a recorded location is among the records' tables.
    static func isAmongRecords(_ recorded: String) -> Bool {
        recorded == records.text || recorded.hasPrefix(replicated)
    }

    /// Drops the views through which i2b2 sees our tables.
    func dropViews(in transaction: any SQLTransaction) throws {
        for view in views {
            let isOurs = try transaction.first(
                """
                SELECT 1 AS one FROM pg_views WHERE schemaname = ? AND viewname = ? AND viewowner = current_user
                """, [SQLValue(view.schema.name), SQLValue(view.name)])
            if isOurs != nil { try transaction.execute("DROP VIEW \(view.schema.name).\(view.name)") }
        }
    }

    /// Records the location in the store.
    func record(in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM warehouse_place")
        guard self != .records else { return }
        try transaction.execute("INSERT INTO warehouse_place (one, place) VALUES (1, ?)", [SQLValue(text)])
    }
}
