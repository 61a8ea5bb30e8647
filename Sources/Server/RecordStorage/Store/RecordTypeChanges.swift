import Storage

/// Counts the changes of the records of each type. A lookup without the lock of the writer compares the counters to
/// find out whether anything relevant was written since.
package struct RecordTypeChanges: Sendable, Hashable {
    private let counts: [String: Int64]

    /// Reads the counters of all types. Read them before the lookup, so that a change in between is noticed.
    package init(in transaction: any SQLTransaction) throws {
        counts = try transaction.query(Self.allSQL).reduce(into: [:]) { counts, row in
            counts[try row.text("type")] = try row.integer("changes")
        }
    }

    /// Whether no record of some types has changed since.
    package func areCurrent(for types: Set<String>, in transaction: any SQLTransaction) throws -> Bool {
        let now = try Self(in: transaction)
        return types.allSatisfy { counts[$0] == now.counts[$0] }
    }

    /// Counts a change of each of some types, in the transaction that makes it.
    package static func count(_ types: Set<String>, in transaction: any SQLTransaction) throws {
        for type in types.sorted() { try transaction.execute(countSQL, [SQLValue(type)]) }
    }

    /// The table has no more rows than there are resource types.
    private static let allSQL = "SELECT type, changes FROM record_type_change"
    private static let countSQL = """
        INSERT INTO record_type_change (type, changes) VALUES (?, 1)
        ON CONFLICT (type) DO UPDATE SET changes = record_type_change.changes + 1
        """
}

extension RecordsSchema {
    /// The table of ``RecordTypeChanges``.
    static let typeChanges = SchemaSection("Counters of changes") { _ in
        """
        -- The number of changes of the records of a type.
        CREATE TABLE record_type_change (
            type text PRIMARY KEY NOT NULL,
            changes bigint NOT NULL
        );
        """
    }
}
