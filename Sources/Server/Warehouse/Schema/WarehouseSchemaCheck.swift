import Storage

/// Checks the tables of an existing i2b2: they exist, their columns can store our values, their keys are unique, and
/// we may write to them.
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
        views = WarehouseLocation.i2b2(data: data, metadata: metadata).views
    }

    /// Finds the tables, or creates them all if there are none.
    func run(_ tables: [I2B2Table], _ report: inout WarehouseInstallation.Report) throws {
        for schema in Set([data, metadata]).sorted(by: { $0.name < $1.name }) {
            if try !isThere(schema) {
                report.problems.append("There is no schema \(schema.name).")
            } else if try !may("USAGE", in: schema) {
                report.problems.append("USAGE on SCHEMA \(schema.name) is not granted.")
            }
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

    private func may(_ right: String, in schema: PostgreSQLSchema) throws -> Bool {
        let row = try transaction.first(
            "SELECT 1 AS one WHERE has_schema_privilege(?, ?)", [SQLValue(schema.name), SQLValue(right)])
        return row != nil
    }

    /// Creates all tables in schemas that have none of them.
    private func make(_ tables: [I2B2Table], _ report: inout WarehouseInstallation.Report) throws {
        for schema in Set([data, metadata]) where try !may("CREATE", in: schema) {
            report.problems.append("\(schema.name) has no tables of i2b2, and we may not make any in it.")
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

    /// Creates a view: i2b2 looks up the tables of its ontology in its own schemas.
    private func make(
        _ view: (schema: PostgreSQLSchema, name: String, table: String), _ report: inout WarehouseInstallation.Report
    ) throws {
        let name = "\(view.schema.name).\(view.name)"
        if try isThere(view.name, in: view.schema) {
            let isView = try transaction.first(
                "SELECT 1 AS one FROM pg_class WHERE oid = to_regclass(?) AND relkind = 'v'", [SQLValue(name)])
            // The import of an export creates tables with these names: i2b2 would read their content forever.
            guard isView != nil else {
                report.problems.append(
                    "\(name) is a table, as an import leaves it, where i2b2 is to see ours. Its owner runs: DROP TABLE \(name)"
                )
                return
            }
            report.found.append(view.name)
            return
        }
        let statement = """
            CREATE VIEW \(name) AS SELECT * FROM \(own.name).\(view.table)
            """
        guard try may("CREATE", in: view.schema) else {
            report.problems.append(
                "i2b2 reads \(view.name) through a view that we may not make. The schema's owner runs: \(statement)"
            )
            return
        }
        try transaction.execute(statement)
        try grant(view)
        report.made.append(view.name)
    }

    /// Grants SELECT to the roles that may read i2b2's own table of the kind. Grants updates of the patient counts to
    /// the roles that may change `table_access`, because i2b2's counting job updates every table that is listed there.
    private func grant(_ view: (schema: PostgreSQLSchema, name: String, table: String)) throws {
        let isOntology = view.name == WarehouseLocation.ontologyView
        let model = "\(view.schema.name).\(isOntology ? "table_access" : "patient_dimension")"
        let rows = try transaction.query(
            """
            SELECT DISTINCT a.privilege_type AS right,
                CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(CAST(pg_get_userbyid(a.grantee) AS text)) END AS role
            FROM pg_class c CROSS JOIN aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner))) a
            WHERE c.oid = to_regclass(?) AND a.privilege_type IN ('SELECT', 'UPDATE')
                AND pg_get_userbyid(a.grantee) <> current_user
            ORDER BY role
            """, [SQLValue(model)])
        for row in rows {
            let (right, role) = (try row.text("right"), try row.text("role"))
            guard right == "SELECT" || isOntology else { continue }
            let rights = right == "SELECT" ? right : "UPDATE (c_totalnum)"
            try transaction.execute("GRANT \(rights) ON \(view.schema.name).\(view.name) TO \(role)")
        }
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
        // The catalog hides the columns of a table on which we have no right.
        let missing = try missingRights(name)
        if theirs.isEmpty, !missing.isEmpty { return missing }
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
        return try missing + missingRights(name, ofSequencesOf: table)
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

    private func missingRights(_ name: String) throws -> [String] {
        try ["SELECT", "INSERT", "UPDATE", "DELETE"].compactMap { right in
            let row = try transaction.first(
                "SELECT 1 AS one WHERE has_table_privilege(?, ?)", [SQLValue(name), SQLValue(right)])
            return row == nil ? "\(right) on \(name) is not granted." : nil
        }
    }

    private func missingRights(_ name: String, ofSequencesOf table: I2B2Table) throws -> [String] {
        var missing: [String] = []
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
