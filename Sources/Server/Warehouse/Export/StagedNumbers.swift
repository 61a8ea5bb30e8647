/// The numbers that staged rows get in the target i2b2: those that their names already have there, or free ones.
struct StagedNumbers {
    /// A temporary table with two columns: `given`, the number in this store, and `number`, that in the target.
    let table: String
    /// The query that fills the table.
    let selection: String

    static let patients = StagedNumbers(
        "patient", "patient_num", by: "patient_mapping",
        known: "USING (patient_ide, patient_ide_source, project_id)",
        largest: Numbering.patientTables, rest: " WHERE i.patient_ide_source = '\(WarehouseLoader.source)'")
    static let encounters = StagedNumbers(
        "encounter", "encounter_num", by: "encounter_mapping",
        known: "USING (encounter_ide, encounter_ide_source, project_id, patient_ide, patient_ide_source)",
        largest: Numbering.encounterTables, rest: " WHERE i.encounter_ide_source = '\(WarehouseLoader.source)'")
    static let uploads = StagedNumbers(
        "upload", "upload_id", by: "upload_status",
        known: "ON k.upload_label = i.upload_label AND k.source_cd = i.source_cd", largest: ["upload_status"],
        given: "nextval(CAST(pg_get_serial_sequence('upload_status', 'upload_id') AS regclass))")

    static let all = [patients, encounters, uploads]

    /// - Parameters:
    ///   - known: the join that finds the row `k` of the mapping for the staged row `i`.
    ///   - largest: the tables that contain such numbers.
    ///   - given: the number that i2b2 itself assigns, if its table does.
    private init(
        _ name: String, _ column: String, by mapping: String, known: String, largest tables: [String],
        given: String = "NULL", rest: String = ""
    ) {
        table = "tributary_\(name)"
        let largest = tables.map { "(SELECT COALESCE(max(\(column)), 0) FROM \($0))" }.joined(separator: ", ")
        selection = """
            SELECT i.\(column) AS given, COALESCE(k.\(column), GREATEST(b.largest + row_number() OVER (
                PARTITION BY k.\(column) IS NULL ORDER BY i.\(column)), \(given))) AS number
            FROM tributary_\(mapping) i LEFT JOIN \(mapping) k \(known)
            CROSS JOIN (SELECT GREATEST(\(largest)) AS largest) b\(rest)
            """
    }
}
