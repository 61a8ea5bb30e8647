extension SQLDatabase {
    /// Has the engine look at the rows of tables that grew by a tenth, as after a load: PostgreSQL chooses how it finds rows by what
    /// it knows of them, and looks by itself a minute later at the earliest
    /// (<https://www.postgresql.org/docs/current/routine-vacuuming.html#VACUUM-FOR-STATISTICS>). Until then a search of
    /// several steps may go through all of a table for each row of another. SQLite's statements do not depend on it.
    ///
    /// - Throws: ``StorageError``.
    public func analyzeGrownTables() async throws {
        let names = try await read { transaction in
            guard transaction.dialect == .postgresql else { return [String]() }
            return try transaction.query(grownTablesSQL).map { try $0.text("name") }
        }
        for name in names {
            // Where the server itself is about to, it need not be done twice.
            _ = try await write { try $0.execute("ANALYZE (SKIP_LOCKED) \(name)") }
        }
    }
}

/// The tables of the store that have more pages than when they were looked at.
private let grownTablesSQL = """
    SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r'
        AND pg_relation_size(c.oid) > (8 + c.relpages * 1.1) * CAST(current_setting('block_size') AS bigint)
    ORDER BY c.relname
    """
