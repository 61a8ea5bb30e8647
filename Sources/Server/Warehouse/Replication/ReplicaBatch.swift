import Foundation
import Storage

/// A batch of changed rows that is copied to the replica.
struct ReplicaBatch {
    private let source: any SQLTransaction
    private let target: any SQLTransaction
    private let changes: Set<ReplicaLog.Change>

    init(_ changes: Set<ReplicaLog.Change>, from source: any SQLTransaction, to target: any SQLTransaction) {
        (self.changes, self.source, self.target) = (changes, source, target)
    }

    /// Replaces the replica's rows with the changed ones.
    func carry() throws {
        try target.execute("LOCK TABLE patient_mapping, encounter_mapping, upload_status IN EXCLUSIVE MODE")
        let staged = try stage()
        let joins = JoinsOfBatch(target: target)
        try joins.follow(staged.lazy.filter { $0.kind == .patient }.map(\.number).sorted())
        try number(staged)
        try joins.omitStaged()
        try clear()
        for table in I2B2Table.carried { try target.execute(StagedInsertion(table, into: table.name).statement) }
    }

    private func numbers(_ kind: ReplicaLog.Kind) -> Set<Int64> {
        Set(changes.lazy.filter { $0.kind == kind }.map(\.number))
    }

    // MARK: - Their rows

    private static let changed = "tributary_changed"

    /// Copies the rows to temporary tables, with those of the participants and uploads that they refer to.
    ///
    /// - Returns: the changes, with these rows.
    func stage() throws -> Set<ReplicaLog.Change> {
        for table in I2B2Table.carried {
            try prepare(table.staged, "SELECT \(table.stagedColumns.joined(separator: ", ")) FROM \(table.name)")
        }
        var patients = numbers(.patient)
        var uploads = numbers(.upload)
        let encounters = numbers(.encounter).sorted()
        for name in ["encounter_mapping", "visit_dimension", "observation_fact"] {
            try copy(name, where: "encounter_num", in: encounters) { row in
                if let patient = row.integerIfPresent("patient_num") { patients.insert(patient) }
                if let upload = row.integerIfPresent("upload_id") { uploads.insert(upload) }
            }
        }
        for name in ["patient_mapping", "patient_dimension", "consent_dimension"] {
            try copy(name, where: "patient_num", in: patients.sorted()) { row in
                if let upload = row.integerIfPresent("upload_id") { uploads.insert(upload) }
            }
        }
        try copy("upload_status", where: "upload_id", in: uploads.sorted()) { _ in }
        if !numbers(.ontology).isEmpty {
            for own in OwnRows.ofOntology(source.dialect) {
                try copy(own.table, condition: "WHERE \(own.condition)", parameters: own.parameters) { _ in }
            }
        }
        return changes.union(patients.map { .init(kind: .patient, number: $0) })
            .union(uploads.map { .init(kind: .upload, number: $0) })
    }

    /// Creates a temporary table, or empties that of an earlier batch on this connection.
    private func prepare(_ name: String, _ definition: String) throws {
        try target.execute(
            "CREATE TEMPORARY TABLE IF NOT EXISTS \(name) ON COMMIT DELETE ROWS AS \(definition) WITH NO DATA")
    }

    private func copy(
        _ name: String, where column: String, in numbers: [Int64], _ body: (SQLRow) throws -> Void
    ) throws {
        for part in InNumbers.parts(of: numbers) {
            try copy(
                name, condition: "WHERE \(column) IN \(part.placeholders)", parameters: part.parameters, body: body)
        }
    }

    private func copy(
        _ name: String, condition: String, parameters: [SQLValue], body: (SQLRow) throws -> Void
    ) throws {
        guard let table = I2B2Table.carried.first(where: { $0.name == name }) else { return }
        let columns = table.stagedColumns
        var rows = try target.inserter(
            SQLInsertion<SQLRow, Void>(
                into: table.staged, columns: columns.map { name in SQLColumn(name) { $0[name] } }))
        try source.each(
            "SELECT \(columns.joined(separator: ", ")) FROM \(name) \(condition)", parameters
        ) { row in
            try body(row)
            try rows.insert(row)
        }
        try rows.flush()
    }

    // MARK: - Their numbers

    /// Assigns numbers to the staged rows, and stores them: a row that is deleted next time has no name to find it by.
    func number(_ staged: Set<ReplicaLog.Change>) throws {
        for numbers in StagedNumbers.all {
            try prepare(numbers.table, "SELECT CAST(NULL AS bigint) AS given, CAST(NULL AS bigint) AS number")
            try target.execute("INSERT INTO \(numbers.table) (given, number) \(numbers.selection)")
        }
        try prepare(Self.changed, "SELECT kind, given, number FROM replica_number")
        let rows = try target.inserter(
            SQLInsertion<ReplicaLog.Change, Void>(
                into: Self.changed,
                columns: [SQLColumn("kind") { .integer($0.kind.rawValue) }, SQLColumn("given") { .integer($0.number) }])
        )
        for change in staged where change.kind != .ontology { try rows.insert(change) }
        // The numbers before and after this batch.
        try target.execute(
            """
            UPDATE \(Self.changed) c SET number = n.number FROM replica_number n
            WHERE n.kind = c.kind AND n.given = c.given
            """)
        // A deleted participant has no name, but keeps the number.
        try target.execute(
            """
            INSERT INTO \(StagedNumbers.patients.table) (given, number) SELECT c.given, c.number FROM \(Self.changed) c
            WHERE c.kind = ? AND c.number IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM \(StagedNumbers.patients.table) p WHERE p.given = c.given)
            """, [SQLValue(ReplicaLog.Kind.patient.rawValue)])
        try target.execute(
            """
            DELETE FROM replica_number n USING \(Self.changed) c WHERE n.kind = c.kind AND n.given = c.given
            """)
        for (kind, numbers) in Self.kinds {
            try target.execute(
                """
                INSERT INTO replica_number (kind, given, number) SELECT \(kind.rawValue), given, number
                FROM \(numbers.table) ON CONFLICT (kind, given) DO UPDATE SET number = excluded.number
                """)
            try target.execute(
                """
                INSERT INTO \(Self.changed) (kind, given, number) SELECT \(kind.rawValue), given, number
                FROM \(numbers.table)
                """)
        }
    }

    private static let kinds: [(kind: ReplicaLog.Kind, numbers: StagedNumbers)] = [
        (.patient, .patients), (.encounter, .encounters), (.upload, .uploads),
    ]

    // MARK: - The rows to replace

    private func clear() throws {
        for table in ["observation_fact", "visit_dimension"] {
            try clear(
                "\(table) WHERE sourcesystem_cd = ? AND encounter_num", kind: .encounter,
                parameters: [WarehouseLoader.source])
        }
        try clear("encounter_mapping WHERE encounter_num", kind: .encounter)
        try clear(
            "patient_dimension WHERE sourcesystem_cd = ? AND patient_num", kind: .patient,
            parameters: [WarehouseLoader.source])
        // The site's patient keeps its row.
        try clear(
            "patient_mapping WHERE patient_ide_source = ? AND patient_num NOT IN (\(JoinsOfBatch.numbers)) AND patient_num",
            kind: .patient, parameters: [Numbering.hive])
        try clear(
            "patient_mapping WHERE patient_ide_source = ? AND patient_num", kind: .patient,
            parameters: [WarehouseLoader.source])
        try clear("consent_dimension WHERE patient_num", kind: .patient)
        try clear("upload_status WHERE upload_id", kind: .upload)
        if !numbers(.ontology).isEmpty {
            for statement in Self.ontology { try target.execute(statement) }
        }
    }

    private func clear(_ rows: String, kind: ReplicaLog.Kind, parameters: [String] = []) throws {
        try target.execute(
            "DELETE FROM \(rows) IN (SELECT number FROM \(Self.changed) WHERE kind = \(kind.rawValue))",
            parameters.map { SQLValue($0) })
    }

    private static let ontology = [
        "DELETE FROM \(OntologyWriter.table)",
        "DELETE FROM concept_dimension d USING tributary_concept_dimension i WHERE d.concept_path = i.concept_path",
        "DELETE FROM modifier_dimension d USING tributary_modifier_dimension i WHERE d.modifier_path = i.modifier_path",
        "DELETE FROM table_access a USING tributary_table_access i WHERE a.c_table_cd = i.c_table_cd",
    ]
}
