import Foundation
import Storage

/// Writes the facts of a resource, in place of those of another version of it.
struct FactRows {
    let transaction: any SQLTransaction
    let context: LoadContext
    let patient: Int64
    let upload: Int64

    /// - Parameter ide: the resource's type and id, which name its encounter.
    func write(_ facts: FactSet, ide: String) throws -> LoadReport {
        let numbering = Numbering(transaction: transaction, context: context)
        let updated = WarehouseTime.text(context.receivedAt)
        let encounter: Numbering.Encounter
        if let known = try numbering.encounter(ide, patient: patient) {
            try numbering.touch(known, upload: upload)
            let removed = try transaction.execute(
                "DELETE FROM observation_fact WHERE encounter_num = ? AND patient_num = ?",
                [SQLValue(known.number), SQLValue(patient)])
            // Each fact has its modifier's row beside it.
            if let loaded = known.upload { try count(-removed / 2, of: loaded) }
            encounter = known
        } else {
            encounter = try numbering.newEncounter(ide, upload: upload)
        }
        let trail = [
            SQLValue(updated), SQLValue(updated), WarehouseTime.value(context.loadedAt),
            SQLValue(WarehouseLoader.source), SQLValue(upload),
        ]
        let place = Place(
            encounter: SQLValue(encounter.number), start: WarehouseTime.value(facts.time.start),
            end: WarehouseTime.value(facts.time.end ?? facts.time.start), trail: trail)
        try writeVisit(status: facts.time.visitStatus, at: place)
        for fact in facts.facts {
            try insert(fact, modifier: "@", at: place)
            let time = ObservationFact(
                concept: fact.concept, value: .text(facts.time.text ?? "@"), instance: fact.instance)
            try insert(time, modifier: facts.time.source.rawValue, at: place)
        }
        try count(facts.facts.count, of: upload)
        return LoadReport(facts: facts.facts.count, warnings: facts.warnings)
    }

    /// What all rows of a resource share.
    private struct Place {
        let encounter: SQLValue
        let start: SQLValue
        let end: SQLValue
        /// From `update_date` to `upload_id`.
        let trail: [SQLValue]
    }

    private func writeVisit(status: String, at place: Place) throws {
        try transaction.execute(
            """
            INSERT INTO visit_dimension (encounter_num, patient_num, active_status_cd, start_date, end_date, update_date,
                download_date, import_date, sourcesystem_cd, upload_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (encounter_num, patient_num) DO UPDATE SET active_status_cd = excluded.active_status_cd,
                start_date = excluded.start_date, end_date = excluded.end_date, update_date = excluded.update_date,
                download_date = excluded.download_date, import_date = excluded.import_date,
                upload_id = excluded.upload_id
            """,
            [place.encounter, SQLValue(patient), SQLValue(status), place.start, place.end] + place.trail)
    }

    private func insert(_ fact: ObservationFact, modifier: String, at place: Place) throws {
        let columns = FactColumns(fact.value)
        try transaction.execute(
            """
            INSERT INTO observation_fact (encounter_num, patient_num, concept_cd, provider_id, start_date, modifier_cd,
                instance_num, valtype_cd, tval_char, nval_num, valueflag_cd, units_cd, end_date, location_cd,
                observation_blob, update_date, download_date, import_date, sourcesystem_cd, upload_id)
            VALUES (?, ?, ?, '@', ?, ?, ?, ?, ?, ?, '@', ?, ?, '@', ?, ?, ?, ?, ?, ?)
            """,
            [
                place.encounter, SQLValue(patient), SQLValue(fact.concept), place.start, SQLValue(modifier),
                SQLValue(fact.instance), columns.type, columns.text, columns.number, columns.units, place.end,
                columns.blob,
            ] + place.trail)
    }

    /// Keeps the numbers of `upload_status` equal to the facts that stand there from the upload, so that loading again
    /// changes none of them.
    func count(_ change: Int, of upload: Int64) throws {
        try transaction.execute(
            """
            UPDATE upload_status SET no_of_record = no_of_record + ?, loaded_record = loaded_record + ?, end_date = ?,
                load_status = 'COMPLETED' WHERE upload_id = ?
            """,
            [SQLValue(change), SQLValue(change), WarehouseTime.value(context.loadedAt), SQLValue(upload)])
    }
}
