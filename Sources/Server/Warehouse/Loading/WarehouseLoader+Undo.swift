import Foundation
import Storage

extension WarehouseLoader {
    /// Deletes the facts, visits and mappings of one upload, and clears its data of the participant. The records and
    /// the consent tables are kept; loading the submission again restores the facts.
    ///
    /// - Parameter upload: the upload's number, or the submission's id.
    /// - Returns: nil if there is no such upload.
    package func undo(upload: String, at: Date, in transaction: any SQLTransaction) throws -> UndoReport? {
        let row = try transaction.first(
            "SELECT upload_id FROM warehouse_upload WHERE upload_id = ? OR upload_label = ?",
            [SQLValue(Int64(upload) ?? -1), SQLValue(upload)])
        guard let row else { return nil }
        let number = SQLValue(try row.integer("upload_id"))
        let facts = try transaction.first(
            "SELECT count(*) AS facts FROM observation_fact WHERE upload_id = ? AND modifier_cd = '@'", [number])
        let count = Int(facts?.integerIfPresent("facts") ?? 0)
        let encounters = try transaction.query(
            """
            SELECT encounter_num, patient_num FROM observation_fact WHERE upload_id = ?
            UNION SELECT encounter_num, patient_num FROM visit_dimension WHERE upload_id = ?
            """, [number, number])
        try transaction.execute("DELETE FROM observation_fact WHERE upload_id = ?", [number])
        try transaction.execute("DELETE FROM visit_dimension WHERE upload_id = ?", [number])
        try transaction.execute("DELETE FROM encounter_mapping WHERE upload_id = ?", [number])
        for row in encounters {
            let encounter = try row.integer("encounter_num")
            try transaction.execute(
                "DELETE FROM warehouse_loaded WHERE encounter_num = ? AND upload_id = ?", [SQLValue(encounter), number])
            // A day may have facts of other uploads.
            let isUsed = try transaction.first(
                "SELECT 1 AS one FROM warehouse_loaded WHERE encounter_num = ? LIMIT 1", [SQLValue(encounter)])
            guard isUsed == nil else { continue }
            try EncounterWriter.removeIfEmpty(
                encounter, patient: try row.integer("patient_num"), in: transaction)
        }
        try PatientRow.forget(upload: number, in: transaction)
        try transaction.execute(
            """
            UPDATE upload_status SET no_of_record = 0, loaded_record = 0, deleted_record = deleted_record + ?,
                load_status = 'UNDONE', end_date = ? WHERE upload_id = ?
            """, [SQLValue(count), WarehouseTime.value(at), number])
        return UndoReport(facts: count)
    }
}
