import RecordStorage
import Storage

extension WarehouseSchema {
    /// The facts of each record: a few bytes for each, so that one encounter can contain the facts of several records.
    ///
    /// Resources that were loaded earlier have an encounter each. They stay valid, and `warehouse load` moves them to
    /// encounters of days.
    static let loaded: [Migration] = [
        Migration(number: 507, name: "loaded records", slice: indexInstances) { dialect in
            [
                """
                CREATE TABLE IF NOT EXISTS warehouse_loaded (
                    number \(dialect.rowNumber) PRIMARY KEY NOT NULL, encounter_num int NOT NULL, instance_num int NOT NULL,
                    instances int NOT NULL, start_seconds bigint NOT NULL, upload_id int NOT NULL
                )
                """,
                """
                INSERT INTO warehouse_loaded (number, encounter_num, instance_num, instances, start_seconds, upload_id)
                SELECT r.number, m.encounter_num, 1, 0, 0, COALESCE(m.upload_id, 0) FROM encounter_mapping m
                JOIN record r ON r.\(RecordKey.column) = \(TextDigest.function)(m.encounter_ide)
                WHERE m.encounter_ide_source = 'TRIBUTARY' ON CONFLICT (number) DO NOTHING
                """,
                "CREATE INDEX IF NOT EXISTS warehouse_loaded_by_encounter ON warehouse_loaded (encounter_num)",
            ]
        },
        // A count reads each fact of its concepts in any case, for the modifier. Without a date that makes every index
        // entry distinct, PostgreSQL stores only a few bytes for each.
        Migration(number: 508, name: "facts by concept", slice: mergeConcepts, statements: { _ in [] }),
    ]

    /// The times of a resource's facts that have times of their own.
    static let times = Migration(number: 511, name: "times of loaded records") { _ in
        ["ALTER TABLE warehouse_loaded ADD COLUMN last_seconds bigint"]
    }

    /// SQLite has no text search of i2b2's that fills the column, and a count reads each fact of its concepts in any
    /// case. Without the date, new entries are appended to the index, whatever their time of measurement.
    static let indexesOfFacts = Migration(number: 512, name: "indexes of facts") { dialect in
        guard dialect == .sqlite else { return [] }
        return [indexOfTextSearch, indexOfDatedConcepts].map { "DROP INDEX IF EXISTS \($0)" } + [indexOfConcepts]
    }

    /// The index of a column that only i2b2 on PostgreSQL fills.
    static let indexOfTextSearch = "of_idx_text_search"

    /// The index that finds one record's facts among those of a day.
    static let indexOfInstances =
        "CREATE INDEX IF NOT EXISTS of_idx_instance ON observation_fact (encounter_num, instance_num)"

    /// The index that ``indexOfInstances`` replaces.
    static let indexOfEncounters = "of_idx_encounter"

    /// The index that finds the facts of a concept.
    static let indexOfConcepts =
        "CREATE INDEX IF NOT EXISTS of_idx_concept_patient ON observation_fact (concept_cd, patient_num)"

    /// The index that ``indexOfConcepts`` replaces.
    static let indexOfDatedConcepts = "of_idx_concept"

    /// Only in our own tables.
    @Sendable private static func mergeConcepts(_ transaction: any SQLTransaction) throws -> Bool {
        guard try transaction.dialect == .postgresql && !WarehouseLocation.isOfOthers(in: transaction) else {
            return false
        }
        try transaction.execute("DROP INDEX IF EXISTS \(indexOfDatedConcepts)")
        try transaction.execute(indexOfConcepts)
        return false
    }

    /// Only in our own tables: i2b2's own index of encounters ends with the instance.
    @Sendable private static func indexInstances(_ transaction: any SQLTransaction) throws -> Bool {
        guard try !WarehouseLocation.isOfOthers(in: transaction) else { return false }
        try transaction.execute("DROP INDEX IF EXISTS \(indexOfEncounters)")
        try transaction.execute(indexOfInstances)
        return false
    }
}
