import Storage

/// Looks at the tables of an i2b2 that somebody else made: are all there, with columns that hold what we write, keys that
/// keep rows apart, and the rights to write?
struct WarehouseSchemaCheck {
    private let data: PostgreSQLSchema
    private let metadata: PostgreSQLSchema
    private let views: [(schema: PostgreSQLSchema, name: String, table: String)]
    private let own: PostgreSQLSchema
    private let transaction: any SQLTransaction

    /// - Parameter own: the schema of our tables there.
    init(
        data: PostgreSQLSchema, metadata: PostgreSQLSchema, own: PostgreSQLSchema, in transaction: any SQLTransaction
    ) {
        (self.data, self.metadata, self.own, self.transaction) = (data, metadata, own, transaction)
        views = WarehousePlace.i2b2(data: data, metadata: metadata).views
    }

    /// Finds the tables, or makes them all where there is none.
    func run(_ tables: [I2B2Table], _ report: inout WarehouseInstallation.Report) throws {
        for schema in Set([data, metadata]).sorted(by: { $0.name < $1.name }) where try !isThere(schema) {
            report.problems.append("There is no schema \(schema.name).")
        }
        guard report.problems.isEmpty else { return }
        let found = try tables.filter { try isThere($0.name, in: schema(of: $0)) }
        if found.isEmpty {
            try make(tables, &report)
        } else {
            report.found = found.map(\.name)
            for table in tables {
                guard found.contains(table) else {
                    report.problems.append("\(schema(of: table).name) has no table \(table.name).")
                    continue
                }
                report.problems += try problems(of: table)
            }
        }
        guard report.problems.isEmpty else { return }
        for view in views { try make(view, &report) }
    }

    private func schema(of table: I2B2Table) -> PostgreSQLSchema { table.isMetadata ? metadata : data }

    private func isThere(_ schema: PostgreSQLSchema) throws -> Bool {
        try transaction.first("SELECT 1 AS one FROM pg_namespace WHERE nspname = ?", [SQLValue(schema.name)]) != nil
    }

    private func isThere(_ relation: String, in schema: PostgreSQLSchema) throws -> Bool {
        let row = try transaction.first(
            "SELECT 1 AS one WHERE to_regclass(?) IS NOT NULL", [SQLValue("\(schema.name).\(relation)")])
        return row != nil
    }

    private func mayMake(in schema: PostgreSQLSchema) throws -> Bool {
        let row = try transaction.first(
            "SELECT 1 AS one WHERE has_schema_privilege(?, 'CREATE')", [SQLValue(schema.name)])
        return row != nil
    }

    /// Makes all tables in schemas that have none of them.
    private func make(_ tables: [I2B2Table], _ report: inout WarehouseInstallation.Report) throws {
        for schema in Set([data, metadata]) where try !mayMake(in: schema) {
            report.problems.append("\(schema.name) has no tables of i2b2, and nothing may be made in it.")
        }
        guard report.problems.isEmpty else { return }
        let path = try transaction.first("SHOW search_path")?.text("search_path") ?? ""
        for table in tables {
            try transaction.execute("SET LOCAL search_path TO \(schema(of: table).name)")
            for statement in table.statements { try transaction.execute(statement) }
            report.made.append(table.name)
        }
        try transaction.execute("SET LOCAL search_path TO \(path)")
    }

    /// i2b2 looks for what its ontology names in its own schemas.
    private func make(
        _ view: (schema: PostgreSQLSchema, name: String, table: String), _ report: inout WarehouseInstallation.Report
    ) throws {
        guard try !isThere(view.name, in: view.schema) else {
            report.found.append(view.name)
            return
        }
        let statement = """
            CREATE VIEW \(view.schema.name).\(view.name) AS SELECT * FROM \(own.name).\(view.table)
            """
        guard try mayMake(in: view.schema) else {
            report.problems.append(
                "i2b2 reads \(view.name) through a view that we may not make. Whoever owns the schema runs: \(statement)"
            )
            return
        }
        try transaction.execute(statement)
        report.made.append(view.name)
    }

    // MARK: - One table

    private func problems(of table: I2B2Table) throws -> [String] {
        let name = "\(schema(of: table).name).\(table.name)"
        let rows = try transaction.query(
            """
            SELECT CAST(column_name AS text) AS column_name, CAST(data_type AS text) AS data_type,
                CAST(character_maximum_length AS bigint) AS character_maximum_length,
                CAST(numeric_precision AS bigint) AS numeric_precision,
                CAST(numeric_scale AS bigint) AS numeric_scale,
                CASE WHEN is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' THEN 1 ELSE 0 END AS must
            FROM information_schema.columns WHERE table_schema = ? AND table_name = ?
            """, [SQLValue(schema(of: table).name), SQLValue(table.name)])
        var theirs: [String: SQLRow] = [:]
        for row in rows { theirs[try row.text("column_name")] = row }
        var problems: [String] = []
        for column in table.columns {
            guard let found = theirs.removeValue(forKey: column.name) else {
                problems.append("\(name) has no column \(column.name).")
                continue
            }
            if !column.isHeld(by: found) {
                let type = found.textIfPresent("data_type") ?? ""
                let length = found.integerIfPresent("character_maximum_length").map { "(\($0))" } ?? ""
                problems.append("\(name).\(column.name) is \(type)\(length); i2b2 has \(column.type).")
            }
        }
        for column in try theirs.filter({ try $0.value.integer("must") == 1 }).keys.sorted() {
            problems.append("\(name).\(column) must be filled, and i2b2 has no such column.")
        }
        if try !hasKey(of: table, name) {
            problems.append("\(name) has no unique key of \(table.key.sorted().joined(separator: ", ")).")
        }
        guard problems.isEmpty else { return problems }
        return try missingRights(name, of: table)
    }

    private func hasKey(of table: I2B2Table, _ name: String) throws -> Bool {
        guard !table.key.isEmpty else { return true }
        return try transaction.query(
            """
            SELECT (SELECT string_agg(CAST(a.attname AS text), ',') FROM pg_attribute a
                WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)) AS names
            FROM pg_index i WHERE i.indrelid = CAST(? AS regclass) AND i.indisunique AND i.indpred IS NULL
            """, [SQLValue(name)]
        ).contains { row in
            Set((row.textIfPresent("names") ?? "").split(separator: ",").map(String.init)) == table.key
        }
    }

    private func missingRights(_ name: String, of table: I2B2Table) throws -> [String] {
        var missing: [String] = []
        for right in ["SELECT", "INSERT", "UPDATE", "DELETE"] {
            let row = try transaction.first(
                "SELECT 1 AS one WHERE has_table_privilege(?, ?)", [SQLValue(name), SQLValue(right)])
            if row == nil { missing.append("\(right) on \(name) is not granted.") }
        }
        for column in table.columns {
            let row = try transaction.first(
                """
                SELECT pg_get_serial_sequence(?, ?) AS sequence WHERE pg_get_serial_sequence(?, ?) IS NOT NULL
                    AND NOT has_sequence_privilege(pg_get_serial_sequence(?, ?), 'USAGE')
                """, Array([[SQLValue(name), SQLValue(column.name)]].flatMap { $0 + $0 + $0 }))
            if let sequence = row?.textIfPresent("sequence") { missing.append("USAGE on \(sequence) is not granted.") }
        }
        return missing
    }
}
