extension SQLDatabase {
    /// Updates the statistics of tables that grew by a tenth, for example in a load. PostgreSQL plans queries by these
    /// statistics, and its own update comes after a minute at the earliest
    /// (<https://www.postgresql.org/docs/current/routine-vacuuming.html#VACUUM-FOR-STATISTICS>). Until then a search of
    /// several steps may scan a whole table for each row of another. SQLite's statements do not depend on them.
    ///
    /// - Throws: ``StorageError``.
    public func analyzeGrownTables() async throws {
        let names = try await read { transaction in
            guard transaction.dialect == .postgresql else { return [String]() }
            return try transaction.query(grownTablesSQL).map { try $0.text("name") }
        }
        for name in names {
            // Skip a table that the server is analyzing itself.
            _ = try await write { try $0.execute("ANALYZE (SKIP_LOCKED) \(name)") }
        }
    }
}

/// Tables of the store that have grown since they were last analyzed.
private let grownTablesSQL = """
    SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r'
        AND pg_relation_size(c.oid) > (8 + c.relpages * 1.1) * CAST(current_setting('block_size') AS bigint)
    ORDER BY c.relname
    """
