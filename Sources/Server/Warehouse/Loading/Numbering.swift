import Foundation
import Storage

/// Gives participants, resources and submissions their i2b2 numbers, each once.
struct Numbering {
    let transaction: any SQLTransaction
    let context: LoadContext

    static let hive = "HIVE"
    /// The source that i2b2's own loader gives to an identifier that maps to itself.
    static let hiveSystem = "edu.harvard.i2b2.crc"
    /// The date of a row that holds nothing yet; i2b2's loader takes a missing date for this one.
    static let never: SQLValue = "1900-01-01 00:00:00"

    /// The participant's `patient_num`. A new one is mapped from the participant's id and, as i2b2's own loader does,
    /// from itself.
    func patient() throws -> Int64 {
        let known = try transaction.first(
            """
            SELECT patient_num, update_date FROM patient_mapping
            WHERE patient_ide = ? AND patient_ide_source = ? AND project_id = '@'
            """, [SQLValue(context.subject), SQLValue(WarehouseLoader.source)])
        if let known {
            let number = try known.integer("patient_num")
            // The earliest receipt counts, whichever was loaded first.
            if let present = known.textIfPresent("update_date"), present > WarehouseTime.text(context.receivedAt) {
                try transaction.execute(
                    """
                    UPDATE patient_mapping SET update_date = ?, download_date = ?
                    WHERE patient_num = ? AND sourcesystem_cd = ?
                    """, dates.prefix(2) + [SQLValue(number), SQLValue(WarehouseLoader.source)])
            }
            return number
        }
        let number = try next("patient_mapping", "patient_num")
        for (ide, source, system) in [
            (context.subject, WarehouseLoader.source, WarehouseLoader.source),
            (String(number), Self.hive, Self.hiveSystem),
        ] {
            try transaction.execute(
                """
                INSERT INTO patient_mapping (patient_ide, patient_ide_source, patient_num, patient_ide_status,
                    project_id, upload_date, update_date, download_date, import_date, sourcesystem_cd)
                VALUES (?, ?, ?, 'A', '@', ?, ?, ?, ?, ?)
                """,
                [SQLValue(ide), SQLValue(source), SQLValue(number), WarehouseTime.value(context.loadedAt)] + dates
                    + [SQLValue(system)])
        }
        try transaction.execute(
            """
            INSERT INTO patient_dimension (patient_num, vital_status_cd, sex_cd, update_date, import_date,
                sourcesystem_cd) VALUES (?, ?, 'U', ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(PatientRow.nothingKnown), Self.never,
                WarehouseTime.value(context.loadedAt), SQLValue(WarehouseLoader.source),
            ])
        return number
    }

    /// A resource's encounter.
    struct Encounter {
        let number: Int64
        /// The upload that what is loaded of it came with; nil where nothing is.
        let upload: Int64?
    }

    /// The encounter of a resource that was loaded before.
    func encounter(_ ide: String, patient: Int64) throws -> Encounter {
        let row = try transaction.first(
            """
            SELECT m.encounter_num, v.upload_id FROM encounter_mapping m
            LEFT JOIN visit_dimension v ON v.encounter_num = m.encounter_num AND v.patient_num = ?
            WHERE m.encounter_ide = ? AND m.encounter_ide_source = ? AND m.project_id = '@' AND m.patient_ide = ?
                AND m.patient_ide_source = ?
            """,
            [
                SQLValue(patient), SQLValue(ide), SQLValue(WarehouseLoader.source), SQLValue(context.subject),
                SQLValue(WarehouseLoader.source),
            ])
        guard let row else {
            throw StorageError(
                code: "storage-corrupt",
                message: "A resource's encounter is missing; restore the records from a backup.")
        }
        return Encounter(number: try row.integer("encounter_num"), upload: row.integerIfPresent("upload_id"))
    }

    /// Notes that another upload brought the resource.
    func touch(_ encounter: Encounter, upload: Int64) throws {
        try transaction.execute(
            """
            UPDATE encounter_mapping SET update_date = ?, download_date = ?, import_date = ?, upload_id = ?
            WHERE encounter_num = ?
            """, dates + [SQLValue(upload), SQLValue(encounter.number)])
    }

    /// The number of the next new encounter.
    func nextEncounter() throws -> Int64 { try next("encounter_mapping", "encounter_num") }

    /// The `upload_id` of the submission; loading it again uses the same.
    func upload() throws -> Int64 {
        let known = try transaction.first(
            "SELECT upload_id FROM upload_status WHERE upload_label = ?", [SQLValue(context.submissionID)])
        if let known { return try known.integer("upload_id") }
        let number = try next("upload_status", "upload_id")
        try transaction.execute(
            """
            INSERT INTO upload_status (upload_id, upload_label, user_id, source_cd, no_of_record, loaded_record,
                deleted_record, load_date, load_status) VALUES (?, ?, 'tributary', ?, 0, 0, 0, ?, 'COMPLETED')
            """,
            [
                SQLValue(number), SQLValue(context.submissionID), SQLValue(WarehouseLoader.source),
                WarehouseTime.value(context.loadedAt),
            ])
        return number
    }

    private var dates: [SQLValue] {
        [
            WarehouseTime.value(context.receivedAt), WarehouseTime.value(context.receivedAt),
            WarehouseTime.value(context.loadedAt),
        ]
    }

    /// One more than the largest; the transaction holds the write lock.
    private func next(_ table: StaticString, _ column: StaticString) throws -> Int64 {
        let row = try transaction.first("SELECT max(\(column)) AS largest FROM \(table)")
        return (row?.integerIfPresent("largest") ?? 0) + 1
    }
}
