import Records
import Storage

extension WarehouseSchema {
    /// Which facts are a record's: a few bytes for each, so that one encounter can hold the facts of many.
    ///
    /// What was loaded before has an encounter for each resource; it stays right, and is loaded into days by
    /// `warehouse load`.
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
                JOIN record r ON r.\(RecordAddress.column) = \(TextDigest.function)(m.encounter_ide)
                WHERE m.encounter_ide_source = 'TRIBUTARY' ON CONFLICT (number) DO NOTHING
                """,
                "CREATE INDEX IF NOT EXISTS warehouse_loaded_by_encounter ON warehouse_loaded (encounter_num)",
            ]
        },
        // A count looks at each fact of its concepts in any case, for the modifier. Where no date makes every entry another one
        // PostgreSQL keeps a few bytes for each.
        Migration(number: 508, name: "facts by concept", slice: mergeConcepts, statements: { _ in [] }),
    ]

    /// Facts of a resource that have times of their own.
    static let times = Migration(number: 511, name: "times of loaded records") { _ in
        ["ALTER TABLE warehouse_loaded ADD COLUMN last_seconds bigint"]
    }

    /// SQLite has no text search of i2b2's that fills the column, and a count looks at each fact of its concepts in any case:
    /// without the date what comes stands behind what is there, whenever it was measured.
    static let indexesOfFacts = Migration(number: 512, name: "indexes of facts") { dialect in
        guard dialect == .sqlite else { return [] }
        return [indexOfTextSearch, indexOfDatedConcepts].map { "DROP INDEX IF EXISTS \($0)" } + [indexOfConcepts]
    }

    /// The index of a column that only i2b2 on PostgreSQL fills.
    static let indexOfTextSearch = "of_idx_text_search"

    /// Finds one record's facts among those of a day.
    static let indexOfInstances =
        "CREATE INDEX IF NOT EXISTS of_idx_instance ON observation_fact (encounter_num, instance_num)"

    /// The index that it takes the place of.
    static let indexOfEncounters = "of_idx_encounter"

    /// Finds the facts of a concept.
    static let indexOfConcepts =
        "CREATE INDEX IF NOT EXISTS of_idx_concept_patient ON observation_fact (concept_cd, patient_num)"

    /// The index that it takes the place of.
    static let indexOfDatedConcepts = "of_idx_concept"

    /// In tables of ours alone.
    @Sendable private static func mergeConcepts(_ transaction: any SQLTransaction) throws -> Bool {
        guard try transaction.dialect == .postgresql && !WarehousePlace.isOfOthers(in: transaction) else {
            return false
        }
        try transaction.execute("DROP INDEX IF EXISTS \(indexOfDatedConcepts)")
        try transaction.execute(indexOfConcepts)
        return false
    }

    /// In tables of ours alone: i2b2's own index of encounters ends with the instance.
    @Sendable private static func indexInstances(_ transaction: any SQLTransaction) throws -> Bool {
        guard try !WarehousePlace.isOfOthers(in: transaction) else { return false }
        try transaction.execute("DROP INDEX IF EXISTS \(indexOfEncounters)")
        try transaction.execute(indexOfInstances)
        return false
    }
}
