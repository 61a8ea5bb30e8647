import Storage

extension SQLTransaction {
    /// Returns the columns of a table's primary key, in the key's order.
    public func keyColumnNames(of table: String) throws -> [String] {
        let sql =
            switch dialect {
            case .sqlite: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
            case .postgresql:
                """
                SELECT k.column_name AS name FROM information_schema.key_column_usage k
                JOIN information_schema.table_constraints c ON c.constraint_name = k.constraint_name
                    AND c.constraint_schema = k.constraint_schema
                WHERE c.constraint_type = 'PRIMARY KEY' AND k.table_schema = current_schema() AND k.table_name = ?
                ORDER BY k.ordinal_position
                """
            }
        return try query(sql, [SQLValue(table)]).map { try $0.text("name") }
    }

    /// Returns all rows of a table as text, sorted: each column with its name.
    public func rowTexts(of table: String) throws -> [String] {
        let columns = try columnNames(of: table)
        return try query("SELECT * FROM \(table)").map { row in
            columns.map { "\($0)=\(row[$0])" }.joined(separator: " ")
        }.sorted()
    }
}
