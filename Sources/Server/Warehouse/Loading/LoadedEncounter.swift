import Storage

/// A loaded encounter, and its content that belongs to no record.
struct LoadedEncounter: Sendable, Hashable {
    let number: Int64
    /// A resource's `Type/id`, or a source and a day.
    let ide: String
    let patient: Int64
    /// The participant's id.
    let participant: String

    /// Returns a page of encounters, in the order of their numbers.
    ///
    /// - Parameters:
    ///   - last: the last number of the previous page; 0 for the first page.
    ///   - limit: maximum number of encounters.
    /// - Returns: the encounters, and the last number of the page; nil after the last page.
    static func page(
        after last: Int64, limit: Int, in transaction: any SQLTransaction
    ) throws -> (encounters: [LoadedEncounter], last: Int64?) {
        let rows = try transaction.query(
            pageSQL(transaction.dialect), [SQLValue(last), SQLValue(WarehouseLoader.source), SQLValue(limit)])
        let encounters = try rows.compactMap { row -> LoadedEncounter? in
            guard let participant = row.textIfPresent("participant") else { return nil }
            return LoadedEncounter(
                number: try row.integer("encounter_num"), ide: try row.text("encounter_ide"),
                patient: try row.integer("patient_num"), participant: participant)
        }
        return (encounters, try rows.last?.integer("encounter_num"))
    }

    /// Parameters: encounter, source, limit.
    static func pageSQL(_ dialect: SQLDialect) -> String {
        """
        SELECT m.encounter_num, m.encounter_ide, w.patient_num, w.participant FROM encounter_mapping m
        LEFT JOIN warehouse_patient w ON w.patient_ide = m.patient_ide \(dialect.bytewise)
        WHERE m.encounter_num > ? AND m.encounter_ide_source = ? ORDER BY m.encounter_num LIMIT ?
        """
    }

    /// The content of an encounter that belongs to no record.
    struct Remains {
        /// Deleted records whose facts are loaded.
        var records: [LoadedRecord] = []
        /// Whether existing records have facts here, or a visit.
        var isInUse = false
        /// The number of facts and modifiers that belong to no existing record, by their key within the encounter.
        var facts: [FactKey: Int] = [:]
    }

    /// The key that distinguishes the facts of one record from those of others in the encounter.
    struct FactKey: Hashable {
        let instance: Int64
        /// `start_date`
        let start: String
    }

    /// Compares encounters with the records. The cost is proportional to the number of facts.
    static func remains(
        of encounters: [LoadedEncounter], in transaction: any SQLTransaction
    ) throws -> [(encounter: LoadedEncounter, remains: Remains)] {
        var comparisons: [Int64: Comparison] = [:]
        for part in InNumbers.parts(of: encounters.map(\.number)) {
            for row in try transaction.query(recordsSQL(part), part.parameters) {
                let record = try LoadedRecord(row)
                comparisons[record.encounter, default: Comparison()].add(record, of: row.textIfPresent("subject"))
            }
            for encounter in encounters where part.numbers.contains(encounter.number) {
                comparisons[encounter.number, default: Comparison()].settle(participant: encounter.participant)
            }
            try transaction.each(factsSQL(part), part.parameters) { row in
                try comparisons[row.integer("encounter_num")]?.compare(row)
            }
        }
        return encounters.map { ($0, comparisons[$0.number]?.remains ?? Remains()) }
    }

    /// The comparison of one encounter.
    private struct Comparison {
        var remains = Remains()
        private var records: [(record: LoadedRecord, subject: String?)] = []
        private var own: [Int64: [LoadedRecord]] = [:]
        private var hasAll = false

        mutating func add(_ record: LoadedRecord, of subject: String?) { records.append((record, subject)) }

        /// Separates the participant's existing records from the others.
        mutating func settle(participant: String) {
            for (record, subject) in records {
                guard subject == participant else {
                    remains.records.append(record)
                    continue
                }
                remains.isInUse = true
                if record.instanceCount == 0 { hasAll = true }
                for instance in record.firstInstance..<record.firstInstance + record.instanceCount {
                    own[instance, default: []].append(record)
                }
            }
            records = []
        }

        mutating func compare(_ row: SQLRow) throws {
            guard !hasAll else { return }
            let key = FactKey(instance: try row.integer("instance_num"), start: try row.text("start_date"))
            let isOwn = own[key.instance]?.contains { $0.has(start: key.start) } ?? false
            if !isOwn { remains.facts[key] = Int(try row.integer("facts")) }
        }
    }

    /// The loaded state of the records of encounters, with the participants of existing records.
    static func recordsSQL(_ encounters: InNumbers) -> String {
        """
        SELECT l.*, r.subject FROM warehouse_loaded l LEFT JOIN record r ON r.number = l.number AND r.deleted = 0
        WHERE l.encounter_num IN \(encounters.placeholders)
        """
    }

    static func factsSQL(_ encounters: InNumbers) -> String {
        """
        SELECT encounter_num, instance_num, start_date, count(*) AS facts FROM observation_fact
        WHERE encounter_num IN \(encounters.placeholders) GROUP BY encounter_num, instance_num, start_date
        """
    }

    /// Deletes the content that belongs to no record, and the encounter if nothing is left of it.
    func remove(_ remains: Remains, in transaction: any SQLTransaction) throws {
        try LoadedRecord.forget(remains.records.map(\.number), in: transaction)
        for key in remains.facts.keys {
            try transaction.execute(
                """
                DELETE FROM observation_fact
                WHERE encounter_num = ? AND instance_num = ? AND start_date = ?
                """, [SQLValue(number), SQLValue(key.instance), SQLValue(key.start)])
        }
        guard !remains.isInUse else { return }
        try EncounterWriter.removeIfEmpty(number, patient: patient, in: transaction)
    }
}
