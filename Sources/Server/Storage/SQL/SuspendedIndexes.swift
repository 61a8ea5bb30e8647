/// Indexes that are dropped for the first load and created again from all rows at its end. During the load, each index
/// with random keys would change a page for each row.
///
/// The transaction that drops them records them, so that they are created again even after an interrupted load.
public enum SuspendedIndexes {
    /// The table that records them.
    package static let section = SchemaSection("Indexes during a load") { _ in
        """
        -- The indexes that a first load dropped, until it creates them again.
        CREATE TABLE suspended_index (
            name varchar(63) PRIMARY KEY NOT NULL,
            -- The statement that creates the index.
            statement text NOT NULL
        );
        """
    }

    /// Drops the non-unique indexes of tables of the store. Tables of other systems are not changed.
    ///
    /// - Parameter kept: names of indexes to keep.
    /// - Returns: the names of the dropped indexes.
    @discardableResult
    public static func suspend(
        of tables: [String], except kept: Set<String>, in transaction: any SQLTransaction
    ) throws -> [String] {
        var gone: [String] = []
        for table in tables {
            for row in try transaction.query(sql(transaction.dialect), [SQLValue(table)]) {
                let (name, statement) = (try row.text("name"), try row.text("statement"))
                guard !kept.contains(name) else { continue }
                try transaction.execute(
                    "INSERT INTO suspended_index (name, statement) VALUES (?, ?)",
                    [SQLValue(name), SQLValue(statement)])
                try transaction.execute("DROP INDEX \(name)")
                gone.append(name)
            }
        }
        return gone
    }

    /// Creates the next dropped index.
    ///
    /// - Returns: its name; nil if none is left.
    public static func makeNext(in transaction: any SQLTransaction) throws -> String? {
        guard let row = try transaction.first("SELECT name, statement FROM suspended_index ORDER BY name LIMIT 1")
        else {
            return nil
        }
        let name = try row.text("name")
        // A store that was moved since then has the index.
        if try !isThere(name, in: transaction) { try transaction.execute(row.text("statement")) }
        try transaction.execute("DELETE FROM suspended_index WHERE name = ?", [SQLValue(name)])
        return name
    }

    /// Whether any index is dropped.
    public static func areThere(in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first("SELECT 1 AS one FROM suspended_index LIMIT 1") != nil
    }

    private static func isThere(_ name: String, in transaction: any SQLTransaction) throws -> Bool {
        let sql =
            switch transaction.dialect {
            case .sqlite: "SELECT 1 AS one FROM sqlite_master WHERE type = 'index' AND name = ?"
            case .postgresql: "SELECT 1 AS one FROM pg_indexes WHERE schemaname = current_schema() AND indexname = ?"
            }
        return try transaction.first(sql, [SQLValue(name)]) != nil
    }

    /// Returns the query for the non-unique indexes of a table, with the statements that create them. Parameter: table.
    private static func sql(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite:
            """
            SELECT name, sql AS statement FROM sqlite_master
            WHERE type = 'index' AND tbl_name = ? AND sql NOT LIKE 'CREATE UNIQUE%' ORDER BY name
            """
        case .postgresql:
            """
            SELECT CAST(indexname AS text) AS name, indexdef AS statement FROM pg_indexes
            WHERE schemaname = current_schema() AND tablename = ? AND indexdef NOT LIKE 'CREATE UNIQUE%' ORDER BY indexname
            """
        }
    }
}
