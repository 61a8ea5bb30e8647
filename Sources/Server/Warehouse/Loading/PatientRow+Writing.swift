import FHIR
import Foundation
import Storage

extension PatientRow {
    /// Writes the row, replacing that of an earlier Patient. The site's row of a joined participant stays as it is.
    func write(
        for patient: Int64, upload: Int64, context: LoadContext, in transaction: any SQLTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO patient_dimension (patient_num, vital_status_cd, birth_date, sex_cd, age_in_years_num, zip_cd,
                statecityzip_path, update_date, download_date, import_date, sourcesystem_cd, upload_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (patient_num) DO UPDATE SET vital_status_cd = excluded.vital_status_cd,
                birth_date = excluded.birth_date, sex_cd = excluded.sex_cd,
                age_in_years_num = excluded.age_in_years_num, zip_cd = excluded.zip_cd,
                statecityzip_path = excluded.statecityzip_path, update_date = excluded.update_date,
                download_date = excluded.download_date, import_date = excluded.import_date,
                sourcesystem_cd = excluded.sourcesystem_cd, upload_id = excluded.upload_id
            WHERE patient_dimension.sourcesystem_cd = excluded.sourcesystem_cd
            """,
            [
                SQLValue(patient), SQLValue(vitalStatus), WarehouseTime.value(birthDate), SQLValue(sex), SQLValue(age),
                SQLValue(zip), SQLValue(statePath), WarehouseTime.value(context.receipt),
                WarehouseTime.value(context.receipt), WarehouseTime.value(context.load),
                SQLValue(WarehouseLoader.source), SQLValue(upload),
            ])
    }

    /// Clears an upload's data of participants. The rows are kept, because facts may refer to them.
    static func forget(upload: SQLValue, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            UPDATE patient_dimension SET vital_status_cd = ?, birth_date = NULL, sex_cd = 'U', age_in_years_num = NULL,
                zip_cd = NULL, statecityzip_path = NULL, update_date = ?, download_date = NULL, upload_id = NULL
            WHERE upload_id = ?
            """, [SQLValue(nothingKnown), Numbering.never, upload])
    }

    /// Updates the rows of participants who have turned 90, and removes the birth year: no new Patient is sent when
    /// age increases.
    static func aggregateAges(at date: Date, in transaction: any SQLTransaction) throws {
        let oldestYear = DateTime(date).year - oldestAge + 1
        let first = WarehouseTime.value(DateTime("\(padded(oldestYear))-01-01")?.start())
        try transaction.execute(
            """
            UPDATE patient_dimension SET birth_date = NULL, age_in_years_num = ?, vital_status_cd = ?
            WHERE birth_date < ? AND patient_num IN (SELECT patient_num FROM warehouse_patient)
                AND sourcesystem_cd = ?
            """, [SQLValue(oldestAge), SQLValue(nothingKnown), first, SQLValue(WarehouseLoader.source)])
    }
}

extension WarehouseLoader {
    /// Groups the participants who have turned 90 into one age, 90, without a birth year (45 CFR 164.514(b)(2)(i)(C)).
    ///
    /// - Parameter at: the day on which age is computed.
    package func aggregateAges(at: Date, in transaction: any SQLTransaction) throws {
        try PatientRow.aggregateAges(at: at, in: transaction)
    }
}
