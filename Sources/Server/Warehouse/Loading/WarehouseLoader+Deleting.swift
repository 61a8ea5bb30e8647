import Foundation
import Storage

extension WarehouseLoader {
    /// Deletes all facts, visits, contracts and names of a participant. Their number stays reserved, mapped to itself
    /// and marked as deleted (`D`), so that exports with this number never refer to another person.
    ///
    /// - Returns: the deleted rows by table; nil if the participant has no number.
    package func delete(
        participant: String, in transaction: any SQLTransaction
    ) throws -> [String: RowsDigest]? {
        // 1. The rows of the site belong to the site.
        _ = try PatientJoin().end(participant, at: Date(timeIntervalSince1970: 0), in: transaction)
        // 2. The participant's own rows.
        guard let patient = try Self.number(of: participant, in: transaction) else { return nil }
        let theirs = [SQLValue(patient)]
        // An upload is a submission, and a submission belongs to one participant.
        let uploads = try transaction.query(
            """
            SELECT upload_id FROM visit_dimension WHERE patient_num = ? AND upload_id IS NOT NULL
            UNION SELECT upload_id FROM observation_fact WHERE patient_num = ? AND upload_id IS NOT NULL
            UNION SELECT upload_id FROM consent_contract WHERE patient_num = ?
            UNION SELECT upload_id FROM patient_dimension WHERE patient_num = ? AND upload_id IS NOT NULL
            UNION SELECT m.upload_id FROM visit_dimension v JOIN encounter_mapping m ON m.encounter_num = v.encounter_num
                WHERE v.patient_num = ? AND m.upload_id IS NOT NULL
            """, Array(repeating: SQLValue(patient), count: 5))
        var removed: [String: RowsDigest] = [:]
        removed[LoadedRecord.table] = try transaction.delete(
            from: "warehouse_loaded",
            where: "encounter_num IN (SELECT encounter_num FROM visit_dimension WHERE patient_num = ?)", theirs,
            orderedBy: "number")
        removed["encounter_mapping"] = try transaction.delete(
            from: "encounter_mapping",
            where: "encounter_num IN (SELECT encounter_num FROM visit_dimension WHERE patient_num = ?)", theirs,
            orderedBy: "encounter_num, encounter_ide_source, encounter_ide")
        removed["observation_fact"] = try transaction.delete(
            from: "observation_fact", where: "patient_num = ?", theirs,
            orderedBy: "concept_cd, modifier_cd, start_date, encounter_num, instance_num, provider_id")
        removed["visit_dimension"] = try transaction.delete(
            from: "visit_dimension", where: "patient_num = ?", theirs, orderedBy: "encounter_num")
        removed["consent_dimension"] = try transaction.delete(
            from: "consent_dimension", where: "patient_num = ?", theirs, orderedBy: "patient_num")
        removed["consent_contract"] = try transaction.delete(
            from: "consent_contract", where: "patient_num = ?", theirs, orderedBy: "contract_id")
        removed["patient_dimension"] = try transaction.delete(
            from: "patient_dimension", where: "patient_num = ?", theirs, orderedBy: "patient_num")
        removed["upload_status"] = try delete(uploads: uploads, in: transaction)
        removed["patient_mapping"] = try transaction.delete(
            from: "patient_mapping", where: "patient_num = ? AND patient_ide_source <> ?",
            theirs + [SQLValue(Numbering.hive)], orderedBy: "patient_ide_source, patient_ide, project_id")
        try transaction.execute("DELETE FROM warehouse_patient WHERE patient_num = ?", theirs)
        try transaction.execute(
            """
            UPDATE patient_mapping SET patient_ide_status = 'D', upload_date = NULL, update_date = NULL,
                download_date = NULL, import_date = NULL, upload_id = NULL WHERE patient_num = ?
            """, theirs)
        return removed
    }

    /// Deletes the uploads without rows of other participants: two devices may have given one id to two submissions.
    private func delete(uploads: [SQLRow], in transaction: any SQLTransaction) throws -> RowsDigest {
        var parts: [RowsDigest] = []
        for upload in uploads {
            let number = SQLValue(try upload.integer("upload_id"))
            let other = try transaction.first(
                """
                SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM observation_fact WHERE upload_id = ?)
                    OR EXISTS (SELECT 1 FROM visit_dimension WHERE upload_id = ?)
                """, [number, number])
            guard other == nil else { continue }
            try transaction.execute("DELETE FROM warehouse_upload WHERE upload_id = ?", [number])
            parts.append(
                try transaction.delete(
                    from: "upload_status", where: "upload_id = ?", [number], orderedBy: "upload_id"))
        }
        return RowsDigest(joining: parts)
    }

    /// Returns a participant's `patient_num`; nil if they have none.
    package static func number(of participant: String, in transaction: any SQLTransaction) throws -> Int64? {
        try transaction.first(
            "SELECT patient_num FROM warehouse_patient WHERE participant = ?", [SQLValue(participant)]
        )?.integer("patient_num")
    }

    /// Returns the ids of all participants with a number.
    package func participants(in transaction: any SQLTransaction) throws -> Set<String> {
        var participants: Set<String> = []
        try transaction.each("SELECT participant FROM warehouse_patient", []) {
            participants.insert(try $0.text("participant"))
        }
        return participants
    }
}
