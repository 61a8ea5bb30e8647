import Foundation
import Storage

/// Gives participants, resources and submissions their i2b2 numbers, each once.
struct Numbering {
    let transaction: any SQLTransaction
    let context: LoadContext

    static let hive = "HIVE"

    /// The participant's `patient_num`. A new one is mapped from the participant's id and, as i2b2's own loader does,
    /// from itself.
    func patient() throws -> Int64 {
        let known = try transaction.first(
            """
            SELECT patient_num FROM patient_mapping
            WHERE patient_ide = ? AND patient_ide_source = ? AND project_id = '@'
            """, [SQLValue(context.subject), SQLValue(WarehouseLoader.source)])
        if let known { return try known.integer("patient_num") }
        let number = try next("patient_mapping", "patient_num")
        for (ide, source, system) in [
            (context.subject, WarehouseLoader.source, WarehouseLoader.source),
            (String(number), Self.hive, "edu.harvard.i2b2.crc"),
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
            INSERT INTO patient_dimension (patient_num, vital_status_cd, sex_cd, import_date, sourcesystem_cd)
            VALUES (?, 'U', 'U', ?, ?)
            """, [SQLValue(number), WarehouseTime.value(context.loadedAt), SQLValue(WarehouseLoader.source)])
        return number
    }

    /// The `encounter_num` of a resource.
    func encounter(_ ide: String, upload: Int64) throws -> Int64 {
        let known = try transaction.first(
            """
            SELECT encounter_num FROM encounter_mapping WHERE encounter_ide = ? AND encounter_ide_source = ?
                AND project_id = '@' AND patient_ide = ? AND patient_ide_source = ?
            """,
            [
                SQLValue(ide), SQLValue(WarehouseLoader.source), SQLValue(context.subject),
                SQLValue(WarehouseLoader.source),
            ])
        if let known { return try known.integer("encounter_num") }
        let number = try next("encounter_mapping", "encounter_num")
        for (name, source, system) in [
            (ide, WarehouseLoader.source, WarehouseLoader.source), (String(number), Self.hive, "edu.harvard.i2b2.crc"),
        ] {
            try transaction.execute(
                """
                INSERT INTO encounter_mapping (encounter_ide, encounter_ide_source, project_id, encounter_num,
                    patient_ide, patient_ide_source, encounter_ide_status, upload_date, update_date, download_date,
                    import_date, sourcesystem_cd, upload_id)
                VALUES (?, ?, '@', ?, ?, ?, 'A', ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(name), SQLValue(source), SQLValue(number), SQLValue(context.subject),
                    SQLValue(WarehouseLoader.source), WarehouseTime.value(context.loadedAt),
                ] + dates + [SQLValue(system), SQLValue(upload)])
        }
        return number
    }

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
