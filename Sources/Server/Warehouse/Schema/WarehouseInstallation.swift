import Storage

/// Creates i2b2's tables, or checks existing ones and uses them as the study's warehouse. Existing tables are not
/// altered, and the rows of others are not changed.
package struct WarehouseInstallation: Sendable {
    /// The result of an installation.
    package struct Report: Sendable, Hashable {
        /// The created tables and views.
        package var made: [String] = []
        /// The existing tables.
        package var found: [String] = []
        /// The problems, as sentences; if there are any, nothing was changed.
        package var problems: [String] = []
        /// Whether the study's facts must be loaded: they were at another location, or not loaded at all.
        package var isToBeLoaded = false
        /// Whether there are changes to copy to another database.
        package var isToBeReplicated = false

        package init() {}
    }

    private let location: WarehouseLocation
    private let adopts: Bool

    /// - Parameter adopts: whether rows of an earlier load of this study in the tables are treated as its own, with
    ///   their numbers.
    package init(_ location: WarehouseLocation, adopts: Bool = false) {
        self.location = location
        self.adopts = adopts
    }

    /// Creates or checks the tables. If there is a problem, nothing is changed.
    package func run(in transaction: any SQLTransaction) throws -> Report {
        var report = Report()
        let tables = I2B2Table.all(transaction.dialect)
        switch location {
        case .records, .replicated: try makeOwn(tables, &report, in: transaction)
        case .i2b2(let data, let metadata):
            var own = Report()
            try makeOwn(tables.filter(\.isAlwaysOurs), &own, in: transaction)
            try WarehouseSchemaCheck(data: data, metadata: metadata, own: .records, in: transaction)
                .run(tables.filter { !$0.isAlwaysOurs }, &report)
            guard report.problems.isEmpty else { return report }
        }
        let recorded = try WarehouseLocation.recorded(in: transaction)
        let isNew = recorded != location.text
        switch location {
        case .records, .replicated:
            if isNew { try ReplicaLog.end(in: transaction) }
            guard !WarehouseLocation.isAmongRecords(recorded) || !report.made.isEmpty else {
                // The facts are already at the right location; replication is set up separately.
                try location.record(in: transaction)
                return report
            }
            // The remaining facts are incomplete; all are made again from the records.
            for table in report.found { try transaction.execute("DELETE FROM \(table)") }
            try forget(in: transaction)
        case .i2b2(let data, _):
            guard isNew else { return report }
            guard try adopts || !hasRows(of: data, in: transaction) else {
                report.problems.append(
                    """
                    \(data.name).patient_mapping has rows of Tributary that are not known here: of another study, or of \
                    this one before its records were restored. Remove them where they came from with `tributary \
                    warehouse undo --all`; if they are this study's, take them with --adopt.
                    """)
                return report
            }
            try ReplicaLog.end(in: transaction)
            try dropOwn(tables, in: transaction)
            try forget(in: transaction)
            if adopts { try adopt(in: transaction) }
        }
        try location.record(in: transaction)
        report.isToBeLoaded = true
        return report
    }

    private func makeOwn(_ tables: [I2B2Table], _ report: inout Report, in transaction: any SQLTransaction) throws {
        let present = Set(try transaction.tableNames())
        for table in tables {
            if present.contains(table.name) {
                report.found.append(table.name)
                continue
            }
            for statement in table.statements {
                try transaction.execute(transaction.dialect.definition(statement))
            }
            report.made.append(table.name)
        }
    }

    /// Whether a schema has rows that this program wrote.
    private func hasRows(of schema: PostgreSQLSchema, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            "SELECT 1 AS one FROM \(schema.name).patient_mapping WHERE patient_ide_source = ? LIMIT 1",
            [SQLValue(WarehouseLoader.source)]) != nil
    }

    /// Drops our tables, which would hide the others. Their content is loaded again.
    private func dropOwn(_ tables: [I2B2Table], in transaction: any SQLTransaction) throws {
        let present = Set(try transaction.tableNames())
        for table in tables where present.contains(table.name) && !table.isAlwaysOurs {
            try transaction.execute("DROP TABLE \(table.name)")
        }
    }

    /// Deletes the numbers of a warehouse at another location.
    private func forget(in transaction: any SQLTransaction) throws {
        for table in WarehouseSchema.numbersOfWarehouse + [OntologyWriter.table] {
            try transaction.execute("DELETE FROM \(table)")
        }
    }

    /// Takes over the numbers of this study's participants, by the names that its rules give them, and those of its
    /// uploads.
    private func adopt(in transaction: any SQLTransaction) throws {
        let rules = try AppliedDeidentification(in: transaction)
        for row in try transaction.query("SELECT DISTINCT subject FROM record WHERE subject IS NOT NULL") {
            let participant = try row.text("subject")
            let name = SQLValue(rules.name(of: participant))
            let known = try transaction.first(
                """
                SELECT patient_num FROM patient_mapping
                WHERE patient_ide = ? AND patient_ide_source = ? AND project_id = '@'
                """, [name, SQLValue(WarehouseLoader.source)])
            guard let known else { continue }
            try transaction.execute(
                "INSERT INTO warehouse_patient (participant, patient_ide, patient_num) VALUES (?, ?, ?)",
                [SQLValue(participant), name, SQLValue(try known.integer("patient_num"))])
        }
        // The owners of the facts were stored with the deleted numbers; the facts are loaded again.
        for rows in OwnRows.ofParticipants where ["observation_fact", "visit_dimension"].contains(rows.table) {
            _ = try rows.delete(in: transaction)
        }
        try transaction.execute(
            "UPDATE upload_status SET no_of_record = 0, loaded_record = 0 WHERE source_cd = ?",
            [SQLValue(WarehouseLoader.source)])
        try transaction.execute(
            """
            INSERT INTO warehouse_upload (upload_label, upload_id)
            SELECT upload_label, max(upload_id) FROM upload_status WHERE source_cd = ? GROUP BY upload_label
            """, [SQLValue(WarehouseLoader.source)])
        try transaction.execute(
            "INSERT INTO warehouse_scheme (c_key) SELECT c_key FROM schemes WHERE c_description = c_name || ?",
            [SQLValue(OntologyWriter.schemeDescription)])
    }
}
