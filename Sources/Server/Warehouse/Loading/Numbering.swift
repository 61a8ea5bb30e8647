import Foundation
import Storage

/// Assigns i2b2 numbers to participants, resources and submissions, each once.
struct Numbering {
    let transaction: any SQLTransaction
    let context: LoadContext

    static let hive = "HIVE"
    /// The source that i2b2's own loader uses for a number mapped to itself.
    static let hiveSystem = "edu.harvard.i2b2.crc"
    /// The date of a row without data. i2b2's loader treats a missing date as this one.
    static let never: SQLValue = "1900-01-01 00:00:00"

    /// Returns the participant's `patient_num`. A new number is mapped from the participant's name and, as i2b2's own
    /// loader does, from itself.
    func patient() throws -> Int64 {
        let known = try transaction.first(
            Self.patientSQL, [SQLValue(WarehouseLoader.source), SQLValue(context.subject)])
        guard let known else { return try newPatient() }
        let number = try known.integer("patient_num")
        let former = try known.text("patient_ide")
        if former != context.name { try rename(number, from: former) }
        // The earliest receipt is stored, regardless of the order of loading.
        if known.textIfPresent("update_date").map({ $0 > WarehouseTime.text(context.receipt) }) ?? true {
            try transaction.execute(
                """
                UPDATE patient_mapping SET update_date = ?, download_date = ?
                WHERE patient_num = ? AND sourcesystem_cd = ?
                """, dates.prefix(2) + [SQLValue(number), SQLValue(WarehouseLoader.source)])
        }
        return number
    }

    /// Parameters: source, participant.
    static let patientSQL = """
        SELECT w.patient_num, w.patient_ide, m.update_date FROM warehouse_patient w
        LEFT JOIN patient_mapping m ON m.patient_num = w.patient_num AND m.patient_ide_source = ? AND m.project_id = '@'
        WHERE w.participant = ?
        """

    /// Changes a participant's name to that of the study's present rules.
    private func rename(_ number: Int64, from former: String) throws {
        let values = [SQLValue(context.name), SQLValue(number)]
        try transaction.execute(
            "UPDATE patient_mapping SET patient_ide = ? WHERE patient_ide = ? AND patient_ide_source = ?",
            [SQLValue(context.name), SQLValue(former), SQLValue(PatientJoin.ownSource)])
        try transaction.execute("UPDATE warehouse_patient SET patient_ide = ? WHERE patient_num = ?", values)
        try transaction.execute(
            "UPDATE patient_mapping SET patient_ide = ? WHERE patient_num = ? AND patient_ide_source = ?",
            values + [SQLValue(WarehouseLoader.source)])
        // The number of a joined participant has encounters of the site too.
        try transaction.execute(
            """
            UPDATE encounter_mapping SET patient_ide = ? WHERE patient_ide_source = ?
                AND encounter_num IN (SELECT encounter_num FROM visit_dimension WHERE patient_num = ?)
            """, [SQLValue(context.name), SQLValue(WarehouseLoader.source), SQLValue(number)])
    }

    private func newPatient() throws -> Int64 {
        try Self.lock("patient_mapping", in: transaction)
        let number = try next(Self.patientTables, "patient_num")
        try transaction.execute(
            "INSERT INTO warehouse_patient (participant, patient_ide, patient_num) VALUES (?, ?, ?)",
            [SQLValue(context.subject), SQLValue(context.name), SQLValue(number)])
        for (ide, source, system) in [
            (context.name, WarehouseLoader.source, WarehouseLoader.source),
            (String(number), Self.hive, Self.hiveSystem),
        ] {
            try transaction.execute(
                """
                INSERT INTO patient_mapping (patient_ide, patient_ide_source, patient_num, patient_ide_status,
                    project_id, upload_date, update_date, download_date, import_date, sourcesystem_cd)
                VALUES (?, ?, ?, 'A', '@', ?, ?, ?, ?, ?)
                """,
                [SQLValue(ide), SQLValue(source), SQLValue(number), WarehouseTime.value(context.load)] + dates
                    + [SQLValue(system)])
        }
        try Self.insertPatient(number, at: WarehouseTime.value(context.load), in: transaction)
        return number
    }

    /// Inserts the row of a patient of whom nothing is known yet.
    static func insertPatient(_ number: Int64, at load: SQLValue, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO patient_dimension (patient_num, vital_status_cd, sex_cd, update_date, import_date,
                sourcesystem_cd) VALUES (?, ?, 'U', ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(PatientRow.nothingKnown), never, load, SQLValue(WarehouseLoader.source),
            ])
    }

    /// Returns the number of an existing encounter.
    func encounter(_ ide: String) throws -> Int64 {
        let row = try transaction.first(
            """
            SELECT encounter_num FROM encounter_mapping
            WHERE encounter_ide = ? AND encounter_ide_source = ? AND project_id = '@' AND patient_ide = ?
                AND patient_ide_source = ?
            """,
            [
                SQLValue(ide), SQLValue(WarehouseLoader.source), SQLValue(context.name),
                SQLValue(WarehouseLoader.source),
            ])
        guard let row else {
            throw StorageError(
                code: "storage-corrupt", message: "An encounter is missing; restore the records from a backup.")
        }
        return try row.integer("encounter_num")
    }

    /// An existing encounter with its visit.
    struct PresentEncounter {
        let number: Int64
        /// nil if it has none.
        let visit: DayVisit?
    }

    /// Returns the participant's existing encounters by name.
    func encounters(_ ides: [String]) throws -> [String: PresentEncounter] {
        var found: [String: PresentEncounter] = [:]
        var rest = ides[...]
        while let last = rest.last {
            // The last name fills the remaining placeholders.
            let asked = Array(rest.prefix(Self.askedTogether))
            rest = rest.dropFirst(Self.askedTogether)
            let filled = asked + Array(repeating: last, count: Self.askedTogether - asked.count)
            for row in try transaction.query(
                Self.encountersSQL,
                filled.map { SQLValue($0) } + [
                    SQLValue(WarehouseLoader.source), SQLValue(context.name), SQLValue(WarehouseLoader.source),
                ])
            {
                found[try row.text("encounter_ide")] = PresentEncounter(
                    number: try row.integer("encounter_num"), visit: DayVisit(row))
            }
        }
        return found
    }

    static let askedTogether = 100

    /// Parameters: names, source, patient's name, its source.
    static let encountersSQL = """
        SELECT m.encounter_ide, m.encounter_num, v.patient_num, v.start_date, v.end_date, v.active_status_cd, v.location_cd,
            v.sourcesystem_cd
        FROM encounter_mapping m LEFT JOIN visit_dimension v ON v.encounter_num = m.encounter_num
        WHERE m.encounter_ide IN (\(repeatElement("?", count: askedTogether).joined(separator: ", ")))
            AND m.encounter_ide_source = ? AND m.project_id = '@' AND m.patient_ide = ? AND m.patient_ide_source = ?
        """

    /// Records that another upload contained the resource of an encounter.
    func touch(_ encounter: Int64, upload: Int64) throws {
        try transaction.execute(
            """
            UPDATE encounter_mapping SET update_date = ?, download_date = ?, import_date = ?, upload_id = ?
            WHERE encounter_num = ?
            """, dates + [SQLValue(upload), SQLValue(encounter)])
    }

    /// Returns the number of the next new encounter. No one else creates one before the transaction ends.
    func nextEncounter() throws -> Int64 {
        try Self.lock("encounter_mapping", in: transaction)
        return try next(Self.encounterTables, "encounter_num")
    }

    /// Returns the `upload_id` of the submission. Loading the submission again uses the same number.
    func upload() throws -> Int64 {
        let known = try transaction.first(
            "SELECT upload_id FROM warehouse_upload WHERE upload_label = ?", [SQLValue(context.submissionID)])
        if let known { return try known.integer("upload_id") }
        let number = try nextUpload()
        try transaction.execute(
            "INSERT INTO warehouse_upload (upload_label, upload_id) VALUES (?, ?)",
            [SQLValue(context.submissionID), SQLValue(number)])
        try transaction.execute(
            """
            INSERT INTO upload_status (upload_id, upload_label, user_id, source_cd, no_of_record, loaded_record,
                deleted_record, load_date, load_status) VALUES (?, ?, 'tributary', ?, 0, 0, 0, ?, 'COMPLETED')
            """,
            [
                SQLValue(number), SQLValue(context.submissionID), SQLValue(WarehouseLoader.source),
                WarehouseTime.value(context.load),
            ])
        return number
    }

    private var dates: [SQLValue] {
        [
            WarehouseTime.value(context.receipt), WarehouseTime.value(context.receipt),
            WarehouseTime.value(context.load),
        ]
    }

    /// The tables with numbers of patients: a dimension may contain a number that no mapping has.
    static let patientTables = ["patient_mapping", "patient_dimension", "observation_fact"]
    /// The tables with numbers of encounters, for the same reason.
    static let encounterTables = ["encounter_mapping", "visit_dimension", "observation_fact"]

    /// Returns the largest number in these tables plus one.
    private func next(_ tables: [String], _ column: String) throws -> Int64 {
        var largest: Int64 = 0
        for table in tables {
            let row = try transaction.first("SELECT max(\(column)) AS largest FROM \(table)")
            largest = max(largest, row?.integerIfPresent("largest") ?? 0)
        }
        return largest + 1
    }

    /// Returns the next number of an upload: the one that i2b2's own table generates, if it does.
    private func nextUpload() throws -> Int64 {
        let largest = try transaction.first("SELECT max(upload_id) AS largest FROM upload_status")
        let next = (largest?.integerIfPresent("largest") ?? 0) + 1
        guard transaction.dialect == .postgresql else { return next }
        let given = try transaction.first(
            "SELECT nextval(CAST(pg_get_serial_sequence('upload_status', 'upload_id') AS regclass)) AS number")
        return max(next, given?.integerIfPresent("number") ?? 0)
    }

    /// Prevents others from creating numbers until the transaction ends, as i2b2's own loader does. In our own tables
    /// no one else creates numbers, and a lock would only block the server's vacuuming.
    static func lock(_ table: StaticString, in transaction: any SQLTransaction) throws {
        guard try transaction.dialect == .postgresql && WarehouseLocation.isOfOthers(in: transaction) else { return }
        try transaction.execute("LOCK TABLE \(table) IN EXCLUSIVE MODE")
    }
}
