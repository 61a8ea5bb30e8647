import FHIR
import Foundation
import Storage

extension WarehouseLoader {
    /// Deletes the loaded rows of a record that is deleted or belongs to another participant now: its facts, and its
    /// visit if nothing else belongs to that. A record without loaded rows is ignored.
    ///
    /// - Parameters:
    ///   - record: the record's number.
    ///   - participant: the former participant of the record.
    package func remove(
        record: Int64, of participant: String, at: Date, in transaction: any SQLTransaction
    ) throws {
        guard let loaded = try LoadedRecord.of(record, in: transaction),
            let patient = try Self.number(of: participant, in: transaction)
        else { return }
        // 1. The facts, and the loaded state.
        let removed = try LoadedRecord.removeFacts(of: [loaded], in: transaction)
        try LoadedRecord.forget([record], in: transaction)
        // 2. The encounter: that of a response is deleted, that of a day after its last fact.
        try EncounterWriter.removeIfEmpty(loaded.encounter, patient: patient, in: transaction)
        // 3. The counts of the uploads.
        for (upload, count) in removed where count > 0 {
            try transaction.execute(
                """
                UPDATE upload_status SET no_of_record = no_of_record - ?, loaded_record = loaded_record - ?,
                    end_date = ? WHERE upload_id = ?
                """, [SQLValue(count), SQLValue(count), WarehouseTime.value(at), SQLValue(upload)])
        }
    }
}
