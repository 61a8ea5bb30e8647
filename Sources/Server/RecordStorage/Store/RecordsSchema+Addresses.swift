import Storage

extension RecordsSchema {
    /// Digests of the records' addresses (``RecordKey``). Ids are hashes or UUIDs: in an index of ids each new one
    /// changes a page of its own. Nearly half of the pages that a hub's batch changed belonged to the index of types
    /// and ids.
    package static let addresses: [Migration] = [
        Migration(number: 428, name: "digests of addresses") { dialect in
            TextDigest.definition(dialect) + [
                "ALTER TABLE record ADD COLUMN address_digest \(dialect.blob)",
                // The last processed record of an older store.
                "CREATE TABLE address_progress (last bigint NOT NULL)",
                "INSERT INTO address_progress (last) VALUES (0)",
            ]
        },
        Migration(number: 429, name: "digests of addresses noted", slice: fillAddressDigests, statements: { _ in [] }),
        Migration(number: 430, name: "records by digests of addresses") { dialect in
            let former =
                switch dialect {
                case .sqlite: "DROP INDEX IF EXISTS record_by_id"
                case .postgresql: "ALTER TABLE record DROP CONSTRAINT IF EXISTS record_type_id_key"
                }
            return [
                "DROP TABLE address_progress", former,
                "CREATE UNIQUE INDEX record_by_address ON record (address_digest)",
            ]
        },
    ]

    /// Maximum number of records in one transaction.
    private static var sliceCount: Int { 5000 }

    @Sendable private static func fillAddressDigests(_ transaction: any SQLTransaction) throws -> Bool {
        let last = SQLValue(try transaction.first("SELECT last FROM address_progress")?.integer("last") ?? 0)
        let end = try transaction.first(
            "SELECT max(number) AS last FROM (SELECT number FROM record WHERE number > ? ORDER BY number LIMIT ?) AS r",
            [last, SQLValue(sliceCount)])
        guard let end = end?.integerIfPresent("last") else { return false }
        try transaction.execute(
            """
            UPDATE record SET address_digest = \(RecordKey.sql(type: "type", id: "id"))
            WHERE number > ? AND number <= ?
            """, [last, SQLValue(end)])
        try transaction.execute("UPDATE address_progress SET last = ?", [SQLValue(end)])
        return true
    }
}
