import FHIR
import Foundation
import Storage

extension PatientRow {
    /// Writes the row in place of what another Patient said.
    func write(
        _ patient: Int64, _ upload: Int64, _ context: LoadContext, in transaction: any SQLTransaction
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
            """,
            [
                SQLValue(patient), SQLValue(vitalStatus), WarehouseTime.value(birthDate), SQLValue(sex), SQLValue(age),
                SQLValue(zip), SQLValue(statePath), WarehouseTime.value(context.receipt),
                WarehouseTime.value(context.receipt), WarehouseTime.value(context.load),
                SQLValue(WarehouseLoader.source), SQLValue(upload),
            ])
    }

    /// Forgets what an upload said of participants. The rows stay, for facts may refer to them.
    static func forget(upload: SQLValue, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            UPDATE patient_dimension SET vital_status_cd = ?, birth_date = NULL, sex_cd = 'U', age_in_years_num = NULL,
                zip_cd = NULL, statecityzip_path = NULL, update_date = ?, download_date = NULL, upload_id = NULL
            WHERE upload_id = ?
            """, [SQLValue(nothingKnown), Numbering.never, upload])
    }

    /// Makes the rows of those who are 90 by now say so, and no year: age grows, and nobody sends a Patient again for it.
    static func aggregateAges(at date: Date, in transaction: any SQLTransaction) throws {
        let oldestYear = DateTime(date).year - oldestAge + 1
        let first = WarehouseTime.value(DateTime("\(padded(oldestYear))-01-01")?.start())
        try transaction.execute(
            """
            UPDATE patient_dimension SET birth_date = NULL, age_in_years_num = ?, vital_status_cd = ?
            WHERE birth_date < ? AND patient_num IN (SELECT patient_num FROM warehouse_patient)
            """, [SQLValue(oldestAge), SQLValue(nothingKnown), first])
    }
}

extension WarehouseLoader {
    /// Makes the participants who are 90 by now be of one age, 90, without a year of birth (45 CFR 164.514(b)(2)(i)(C)).
    ///
    /// - Parameter at: the day by which age is counted.
    public func aggregateAges(at: Date, in transaction: any SQLTransaction) throws {
        try PatientRow.aggregateAges(at: at, in: transaction)
    }
}
