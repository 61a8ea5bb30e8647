import Storage

/// Where i2b2's tables are.
public enum WarehousePlace: Sendable, Hashable {
    /// Among the tables of the records' store.
    case records
    /// In schemas of the records' database that somebody else made, who has other data in them too.
    case i2b2(data: PostgreSQLSchema, metadata: PostgreSQLSchema)
    /// Among the tables of the records' store, and carried from there to an i2b2 in another database.
    case replicated(WarehouseReplica)

    /// Whether they are among the tables of the records' store.
    public var isAmongRecords: Bool {
        if case .i2b2 = self { false } else { true }
    }

    /// Whether no other database has a copy of them.
    public var isOnlyHere: Bool {
        if case .replicated = self { false } else { true }
    }

    /// The name by which an i2b2 that somebody else made sees our ontology.
    static let ontologyView = "tributary_meta"

    /// The views by which i2b2 sees tables of ours: its schema, their names there and the tables.
    var views: [(schema: PostgreSQLSchema, name: String, table: String)] {
        guard case .i2b2(let data, let metadata) = self else { return [] }
        let consents = DimensionSelection.Table.consents.rawValue
        return [(data, consents, consents), (metadata, Self.ontologyView, OntologyWriter.table)]
    }

    /// The schemas of others that tables are looked for in.
    public var schemas: [PostgreSQLSchema] {
        switch self {
        case .records, .replicated: []
        case .i2b2(let data, let metadata): data == metadata ? [data] : [data, metadata]
        }
    }

    /// As the store notes it.
    var text: String {
        switch self {
        case .records: "records"
        case .i2b2(let data, let metadata): "\(data.name)/\(metadata.name)"
        case .replicated(let replica):
            "\(Self.replicated)\(replica.data.name)/\(replica.metadata.name) \(replica.digest)"
        }
    }

    /// No schema's name has a blank.
    private static let replicated = "replica "

    /// - Throws: ``WarehouseError`` `warehouse-place` for a store whose facts stand elsewhere.
    public func require(in transaction: any SQLTransaction) throws {
        guard try Self.noted(in: transaction) == text else { throw WarehouseError.otherPlace }
    }

    /// What a store notes of its warehouse.
    static func noted(in transaction: any SQLTransaction) throws -> String {
        let row = try transaction.first("SELECT place FROM warehouse_place WHERE one = 1")
        return try row?.text("place") ?? Self.records.text
    }

    /// Whether a store's facts stand in tables that somebody else made.
    static func isOfOthers(in transaction: any SQLTransaction) throws -> Bool {
        try !isAmongRecords(noted(in: transaction))
    }

    /// Whether what a store notes says that its facts stand among the records' tables.
    static func isAmongRecords(_ noted: String) -> Bool { noted == records.text || noted.hasPrefix(replicated) }

    /// Takes the views away by which i2b2 sees our tables.
    func dropViews(in transaction: any SQLTransaction) throws {
        for view in views {
            let isOurs = try transaction.first(
                """
                SELECT 1 AS one FROM pg_views WHERE schemaname = ? AND viewname = ? AND viewowner = current_user
                """, [SQLValue(view.schema.name), SQLValue(view.name)])
            if isOurs != nil { try transaction.execute("DROP VIEW \(view.schema.name).\(view.name)") }
        }
    }

    /// Notes it in the store.
    func note(in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM warehouse_place")
        guard self != .records else { return }
        try transaction.execute("INSERT INTO warehouse_place (one, place) VALUES (1, ?)", [SQLValue(text)])
    }
}
