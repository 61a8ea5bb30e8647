import Foundation
import Storage

/// The rows that a join gives another number: among the records' own tables, or in the i2b2 of another database.
struct JoinedRows {
    /// The statements that change the number in our other tables. Parameters: the new number, the former one.
    let moves: [String]
    /// The query for another participant with a number. Parameter: the number.
    let owner: String

    static let ofRecords = JoinedRows(
        moves: ["consent_dimension", "consent_contract", "warehouse_patient"].map {
            "UPDATE \($0) SET patient_num = ? WHERE patient_num = ?"
        },
        owner: "SELECT 1 AS one FROM warehouse_patient WHERE patient_num = ?")

    static let ofReplica = JoinedRows(
        moves: [
            "UPDATE consent_dimension SET patient_num = ? WHERE patient_num = ?",
            "UPDATE replica_number SET number = ? WHERE number = ? AND kind = \(ReplicaLog.Kind.patient.rawValue)",
        ],
        owner: """
            SELECT 1 AS one FROM patient_mapping WHERE patient_num = ? AND patient_ide_source = '\(WarehouseLoader.source)'
            """)

    /// Gives a participant the number of a record of the site.
    ///
    /// - Parameters:
    ///   - name: the participant's name in `patient_mapping`.
    ///   - number: the participant's present number.
    /// - Throws: ``WarehouseError`` of ``PatientJoin``.
    func join(
        _ name: String, number: Int64, with record: PatientJoin.SiteRecord, at date: Date,
        in transaction: any SQLTransaction
    ) throws -> PatientJoin.Outcome {
        let site = try Self.number(of: record, in: transaction)
        guard try Self.ownNumber(ofName: name, in: transaction) == nil else {
            guard number == site else { throw WarehouseError.joinedWithOtherRecord }
            return .unchanged
        }
        guard try transaction.first(owner, [SQLValue(site)]) == nil else { throw WarehouseError.sitePatientTaken }
        let load = WarehouseTime.value(date)
        try transaction.execute(
            """
            INSERT INTO patient_mapping (patient_ide, patient_ide_source, patient_num, patient_ide_status, project_id,
                upload_date, import_date, sourcesystem_cd) VALUES (?, ?, ?, 'A', '@', ?, ?, ?)
            """,
            [
                SQLValue(name), SQLValue(PatientJoin.ownSource), SQLValue(number), load, load,
                SQLValue(WarehouseLoader.source),
            ])
        // The site's row of the patient applies. The dates of the reserved number's row are of the participant's data.
        try transaction.execute(
            "DELETE FROM patient_dimension WHERE patient_num = ? AND sourcesystem_cd = ?",
            [SQLValue(number), SQLValue(WarehouseLoader.source)])
        try transaction.execute(
            """
            UPDATE patient_mapping SET upload_date = NULL, update_date = NULL, download_date = NULL, import_date = NULL
            WHERE patient_num = ? AND patient_ide_source = ?
            """, [SQLValue(number), SQLValue(Numbering.hive)])
        try move(name, from: number, to: site, in: transaction)
        return .changed
    }

    /// Gives a participant their own number back. The row of the patient is created without data.
    ///
    /// - Parameter source: only if the participant is joined with a record of this system; nil for any.
    func end(
        _ name: String, number: Int64, source: String?, at date: Date, in transaction: any SQLTransaction
    ) throws -> PatientJoin.Outcome {
        guard let own = try Self.ownNumber(ofName: name, in: transaction) else { return .unchanged }
        if let source {
            let row = try transaction.first(
                "SELECT 1 AS one FROM patient_mapping WHERE patient_num = ? AND patient_ide_source = ?",
                [SQLValue(number), SQLValue(source)])
            guard row != nil else { return .unchanged }
        }
        try move(name, from: number, to: own, in: transaction)
        try transaction.execute(
            "DELETE FROM patient_mapping WHERE patient_ide = ? AND patient_ide_source = ?",
            [SQLValue(name), SQLValue(PatientJoin.ownSource)])
        try Numbering.insertPatient(own, at: WarehouseTime.value(date), in: transaction)
        return .changed
    }

    /// Returns the reserved number of a joined participant; nil for others.
    private static func ownNumber(ofName name: String, in transaction: any SQLTransaction) throws -> Int64? {
        try transaction.first(
            "SELECT patient_num FROM patient_mapping WHERE patient_ide = ? AND patient_ide_source = ?",
            [SQLValue(name), SQLValue(PatientJoin.ownSource)]
        )?.integer("patient_num")
    }

    /// Returns the number of a site's record.
    private static func number(
        of record: PatientJoin.SiteRecord, in transaction: any SQLTransaction
    ) throws -> Int64 {
        guard ![WarehouseLoader.source, Numbering.hive, PatientJoin.ownSource].contains(record.source) else {
            throw WarehouseError.sitePatientUnknown
        }
        let rows = try transaction.query(
            """
            SELECT DISTINCT m.patient_num FROM patient_mapping m
            JOIN patient_dimension p ON p.patient_num = m.patient_num
            WHERE m.patient_ide = ? AND m.patient_ide_source = ? AND COALESCE(m.patient_ide_status, 'A') = 'A'
            """, [SQLValue(record.name), SQLValue(record.source)])
        guard let first = rows.first else { throw WarehouseError.sitePatientUnknown }
        guard rows.count == 1 else { throw WarehouseError.sitePatientAmbiguous }
        return try first.integer("patient_num")
    }

    /// Moves the participant's own rows from one number to another. The rows of others keep theirs.
    private func move(
        _ name: String, from former: Int64, to number: Int64, in transaction: any SQLTransaction
    ) throws {
        let numbers = [SQLValue(number), SQLValue(former)]
        let source = SQLValue(WarehouseLoader.source)
        for table in ["observation_fact", "visit_dimension"] {
            try transaction.execute(
                "UPDATE \(table) SET patient_num = ? WHERE patient_num = ? AND sourcesystem_cd = ?", numbers + [source])
        }
        try transaction.execute(
            "UPDATE patient_mapping SET patient_num = ? WHERE patient_ide = ? AND patient_ide_source = ?",
            [SQLValue(number), SQLValue(name), source])
        for statement in moves { try transaction.execute(statement, numbers) }
    }
}
