import FHIR
import Foundation
import Storage

extension WarehouseLoader {
    /// Takes away what is loaded of a record, which is deleted or somebody else's now: its facts, and its visit where nothing
    /// else is of that. What nothing is loaded of is left alone.
    ///
    /// - Parameters:
    ///   - record: the number that the records have for it.
    ///   - participant: whose it was.
    public func remove(
        record: Int64, of participant: String, at: Date, in transaction: any SQLTransaction
    ) throws {
        guard let loaded = try LoadedRecord.of(record, in: transaction),
            let patient = try Self.number(of: participant, in: transaction)
        else { return }
        // 1. The facts, and what was noted of them.
        let removed = try LoadedRecord.removeFacts(of: [loaded], in: transaction)
        try LoadedRecord.forget([record], in: transaction)
        // 2. The encounter: a response's goes with it, a day's when the last of its facts has gone.
        try EncounterWriter.removeIfEmpty(loaded.encounter, patient: patient, in: transaction)
        // 3. The numbers of the uploads that they came with.
        for (upload, count) in removed where count > 0 {
            try transaction.execute(
                """
                UPDATE upload_status SET no_of_record = no_of_record - ?, loaded_record = loaded_record - ?,
                    end_date = ? WHERE upload_id = ?
                """, [SQLValue(count), SQLValue(count), WarehouseTime.value(at), SQLValue(upload)])
        }
    }
}
