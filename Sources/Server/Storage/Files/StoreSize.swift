/// Size of a store in bytes, by table and index, from the engine's page counts.
public struct StoreSize: Sendable, Hashable {
    /// Size of one table.
    public struct Table: Sendable, Hashable {
        public let name: String
        public let rows: Int64
        /// Size of the table itself, without indexes.
        public let bytes: Int64
        /// Long values outside of the rows (PostgreSQL's TOAST); 0 for SQLite, which stores them in the table.
        public let asideBytes: Int64
        public let indexes: [Index]

        /// Sum of all parts.
        public var totalBytes: Int64 { bytes + asideBytes + indexes.reduce(0) { $0 + $1.bytes } }
    }

    /// Size of one index.
    public struct Index: Sendable, Hashable {
        public let name: String
        public let bytes: Int64
    }

    public let dialect: SQLDialect
    /// Tables in descending order of their total size.
    public let tables: [Table]
    /// Free pages of the file, which are used again.
    public let freeBytes: Int64

    /// Sum of all tables and the free pages.
    public var totalBytes: Int64 { tables.reduce(freeBytes) { $0 + $1.totalBytes } }

    /// Measures a store. It reads every page and counts every row.
    ///
    /// - Throws: ``StorageError``; `storage-unmeasured` if SQLite was built without `dbstat`.
    public init(in transaction: any SQLTransaction) throws {
        dialect = transaction.dialect
        let parts = try Self.parts(in: transaction)
        let indexes = Dictionary(grouping: parts.filter { $0.table != $0.name }, by: \.table)
        tables = try parts.filter { $0.table == $0.name }.map { part in
            // The name comes from the engine's own catalog.
            let rows = try transaction.first("SELECT count(*) AS total FROM \"\(part.name)\"")
            return Table(
                name: part.name, rows: try rows?.integer("total") ?? 0, bytes: part.bytes,
                asideBytes: part.asideBytes,
                indexes: (indexes[part.name] ?? []).map { Index(name: $0.name, bytes: $0.bytes) }
                    .sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) })
        }.sorted { ($1.totalBytes, $0.name) < ($0.totalBytes, $1.name) }
        switch dialect {
        case .sqlite:
            let free = try transaction.first(
                "SELECT f.freelist_count * p.page_size AS bytes FROM pragma_freelist_count f, pragma_page_size p")
            freeBytes = try free?.integer("bytes") ?? 0
        case .postgresql: freeBytes = 0
        }
    }

    /// A table or an index. For a table, `table` is its own name.
    private struct Part {
        let name: String
        let table: String
        let bytes: Int64
        let asideBytes: Int64
    }

    private static func parts(in transaction: any SQLTransaction) throws -> [Part] {
        switch transaction.dialect {
        case .sqlite:
            guard try transaction.first("SELECT 1 AS one FROM pragma_module_list WHERE name = 'dbstat'") != nil else {
                throw StorageError(
                    code: "storage-unmeasured",
                    message: "This SQLite was built without `dbstat`, which counts pages; Debian's has it.")
            }
            // https://www.sqlite.org/dbstat.html: in aggregate mode, one row for each B-tree.
            return try transaction.query(
                """
                SELECT s.name AS name, coalesce(m.tbl_name, s.name) AS tbl, s.pgsize AS bytes
                FROM dbstat s LEFT JOIN sqlite_master m ON m.name = s.name WHERE s.aggregate = 1
                """
            ).map { row in
                Part(
                    name: try row.text("name"), table: try row.text("tbl"), bytes: try row.integer("bytes"),
                    asideBytes: 0)
            }
        case .postgresql:
            return try transaction.query(
                """
                SELECT CAST(c.relname AS text) AS name, CAST(coalesce(t.relname, c.relname) AS text) AS tbl,
                    pg_table_size(c.oid) AS bytes,
                    CASE WHEN c.reltoastrelid = 0 THEN 0 ELSE pg_total_relation_size(c.reltoastrelid) END AS aside
                FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = i.indrelid
                WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'i')
                """
            ).map { row in
                // `pg_table_size` includes TOAST.
                let aside = try row.integer("aside")
                return Part(
                    name: try row.text("name"), table: try row.text("tbl"), bytes: try row.integer("bytes") - aside,
                    asideBytes: aside)
            }
        }
    }
}
