extension SQLTransaction {
    /// Returns the names of the store's tables, sorted.
    public func tableNames() throws -> [String] {
        let sql =
            switch dialect {
            case .sqlite:
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
            case .postgresql:
                """
                SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()
                    AND table_type = 'BASE TABLE' ORDER BY 1
                """
            }
        return try query(sql).map { try $0.text("name") }
    }

    /// Returns the names of a table's columns, in the table's order.
    public func columnNames(of table: String) throws -> [String] {
        let sql =
            switch dialect {
            case .sqlite: "SELECT name FROM pragma_table_info(?) ORDER BY cid"
            case .postgresql:
                """
                SELECT column_name AS name FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position
                """
            }
        return try query(sql, [SQLValue(table)]).map { try $0.text("name") }
    }

    /// Returns the tables that a table references, without itself.
    public func referencedTableNames(of table: String) throws -> Set<String> {
        let sql =
            switch dialect {
            case .sqlite: "SELECT \"table\" AS name FROM pragma_foreign_key_list(?)"
            case .postgresql:
                """
                SELECT DISTINCT u.table_name AS name FROM information_schema.table_constraints c
                JOIN information_schema.constraint_table_usage u ON u.constraint_name = c.constraint_name
                    AND u.constraint_schema = c.constraint_schema
                WHERE c.constraint_type = 'FOREIGN KEY' AND c.table_schema = current_schema() AND c.table_name = ?
                """
            }
        return Set(try query(sql, [SQLValue(table)]).map { try $0.text("name") }).subtracting([table])
    }

    /// Returns the column of a table whose values the engine assigns (``SQLDialect/numberedKey``); nil if there is
    /// none.
    public func numberedColumnName(of table: String) throws -> String? {
        switch dialect {
        case .sqlite:
            let definition = try first(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [SQLValue(table)])
            guard try definition?.text("sql").contains("AUTOINCREMENT") ?? false else { return nil }
            return try first("SELECT name FROM pragma_table_info(?) WHERE pk = 1", [SQLValue(table)])?.text("name")
        case .postgresql:
            return try first(
                """
                SELECT column_name AS name FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = ? AND is_identity = 'YES'
                """, [SQLValue(table)])?.text("name")
        }
    }

    /// Returns the columns of a table that statements fill: all except the serial numbers in i2b2's own tables, which
    /// PostgreSQL assigns and nothing reads.
    func filledColumnNames(of table: String) throws -> [String] {
        guard dialect == .postgresql else { return try columnNames(of: table) }
        return try query(
            """
            SELECT column_name AS name FROM information_schema.columns
            WHERE table_schema = current_schema() AND table_name = ?
                AND COALESCE(column_default, '') NOT LIKE 'nextval%' ORDER BY ordinal_position
            """, [SQLValue(table)]
        ).map { try $0.text("name") }
    }
}
