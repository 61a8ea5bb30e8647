import Storage

/// The rows of one of i2b2's tables that this program wrote, in a table that may contain rows of others.
struct OwnRows: Sendable, Hashable {
    let table: String
    let condition: String
    let parameters: [SQLValue]

    private init(_ table: String, where condition: String, parameters: [SQLValue] = []) {
        (self.table, self.condition, self.parameters) = (table, condition, parameters)
    }

    /// The rows of participants, in an order in which they can be deleted.
    static let ofParticipants: [OwnRows] = {
        let source = SQLValue(WarehouseLoader.source)
        let patients = "patient_num IN (SELECT w.patient_num FROM warehouse_patient w)"
        // Other programs may have written rows with our numbers.
        let theirs = ["observation_fact", "visit_dimension", "patient_dimension"].map {
            OwnRows($0, where: "\(patients) AND sourcesystem_cd = ?", parameters: [source])
        }
        let encounters =
            "encounter_num IN (SELECT e.encounter_num FROM encounter_mapping e WHERE e.encounter_ide_source = ?)"
        return theirs + [
            OwnRows("encounter_mapping", where: encounters, parameters: [source]),
            OwnRows(
                "patient_mapping", where: "\(patients) AND patient_ide_source IN (?, ?)",
                parameters: [source, SQLValue(Numbering.hive)]),
            OwnRows("upload_status", where: "upload_id IN (SELECT w.upload_id FROM warehouse_upload w)"),
        ]
    }()

    /// The rows of the ontology.
    static func ofOntology(_ dialect: SQLDialect) -> [OwnRows] {
        // A concept dimension that i2b2 has rebuilt does not contain the source of its rows.
        let paths = PathPrefix(ConceptPath.root, column: "concept_path", dialect: dialect)
        let written = ["custom_meta", "modifier_dimension", "provider_dimension", "code_lookup"].map {
            OwnRows($0, where: "sourcesystem_cd = ?", parameters: [SQLValue(OntologyWriter.source)])
        }
        let keys = "SELECT w.c_key \(dialect.bytewise) FROM warehouse_scheme w"
        return written + [
            OwnRows("concept_dimension", where: paths.condition, parameters: paths.parameters),
            OwnRows("table_access", where: "c_table_cd = ?", parameters: [SQLValue(OntologyWriter.tableAccess)]),
            OwnRows("schemes", where: "c_key IN (\(keys))"),
        ]
    }

    /// Deletes the rows.
    ///
    /// - Returns: the number of rows.
    func delete(in transaction: any SQLTransaction) throws -> Int {
        try transaction.execute("DELETE FROM \(table) WHERE \(condition)", parameters)
    }
}
