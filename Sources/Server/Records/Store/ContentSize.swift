import Storage

/// The bytes that the contents of a type's resources take: as they came, and as they are stored.
public struct ContentSize: Sendable, Hashable {
    public let type: String
    public let resources: Int64
    /// All versions of them.
    public let versions: Int64
    /// The bytes as they came, those of what was converted included.
    public let contentBytes: Int64
    /// The bytes of the columns that hold them.
    public let storedBytes: Int64

    /// Counts over all versions, by their types. Every row is read.
    public static func all(in transaction: any SQLTransaction) throws -> [ContentSize] {
        try transaction.query(
            """
            SELECT r.type, sum(CASE WHEN v.version = r.version THEN 1 ELSE 0 END) AS resources,
                count(*) AS versions, sum(length(v.content) + coalesce(length(v.original), 0)) AS bytes
            FROM record r JOIN record_version v ON v.number = r.number GROUP BY r.type ORDER BY r.type
            """
        ).map { row in
            let bytes = try row.integer("bytes")
            return ContentSize(
                type: try row.text("type"), resources: try row.integer("resources"),
                versions: try row.integer("versions"), contentBytes: bytes, storedBytes: bytes)
        }
    }
}
