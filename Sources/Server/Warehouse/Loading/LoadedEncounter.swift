import Storage

/// An encounter that was loaded, and what stands in it that no record has.
struct LoadedEncounter: Sendable, Hashable {
    let number: Int64
    /// A resource's `Type/id`, or a source and a day.
    let ide: String
    let patient: Int64
    /// The participant's id.
    let participant: String

    /// The encounters in the order of their numbers, page by page.
    ///
    /// - Parameters:
    ///   - last: the number that the page before ended with; 0 for the first page.
    ///   - limit: how many at most.
    /// - Returns: the encounters, and the number that the page ends with; nil after the last page.
    static func page(
        behind last: Int64, limit: Int, in transaction: any SQLTransaction
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

    /// What stands in the encounter and belongs to no record.
    struct Remains {
        /// Records that are gone, of which facts are loaded.
        var records: [LoadedRecord] = []
        /// Whether records that are there have facts here, or a visit.
        var isInUse = false
        /// The facts, modifiers among them, that no record that is there has, by what tells them from the others of the
        /// encounter.
        var facts: [FactPlace: Int] = [:]
    }

    /// What tells the facts of one record from those of others of the encounter.
    struct FactPlace: Hashable {
        let instance: Int64
        /// `start_date`
        let start: String
    }

    /// Compares the encounter with the records. It costs as much as the encounter has facts.
    func remains(in transaction: any SQLTransaction) throws -> Remains {
        var remains = Remains()
        var own: [Int64: [LoadedRecord]] = [:]
        var hasAll = false
        let rows = try transaction.query(Self.recordsSQL, [SQLValue(participant), SQLValue(number)])
        for row in rows {
            let record = try LoadedRecord(row)
            guard row.integerIfPresent("present") != nil else {
                remains.records.append(record)
                continue
            }
            remains.isInUse = true
            if record.instanceCount == 0 { hasAll = true }
            for instance in record.firstInstance..<record.firstInstance + record.instanceCount {
                own[instance, default: []].append(record)
            }
        }
        guard !hasAll else { return remains }
        try transaction.each(Self.factsSQL, [SQLValue(number)]) { row in
            let place = FactPlace(instance: try row.integer("instance_num"), start: try row.text("start_date"))
            let seconds = WarehouseTime.seconds(place.start)
            let isOwn = own[place.instance]?.contains { $0.start == seconds } ?? false
            if !isOwn { remains.facts[place] = Int(try row.integer("facts")) }
        }
        return remains
    }

    /// Parameters: participant, encounter.
    static let recordsSQL = """
        SELECT l.*, r.number AS present FROM warehouse_loaded l
        LEFT JOIN record r ON r.number = l.number AND r.deleted = 0 AND r.subject = ?
        WHERE l.encounter_num = ?
        """

    /// Parameter: encounter.
    static let factsSQL = """
        SELECT instance_num, start_date, count(*) AS facts FROM observation_fact
        WHERE encounter_num = ? GROUP BY instance_num, start_date
        """

    /// Takes away what belongs to no record, and the encounter where nothing is left of it.
    func remove(_ remains: Remains, in transaction: any SQLTransaction) throws {
        for record in remains.records { try LoadedRecord.forget(record.number, in: transaction) }
        for place in remains.facts.keys {
            try transaction.execute(
                """
                DELETE FROM observation_fact
                WHERE encounter_num = ? AND instance_num = ? AND start_date = ?
                """, [SQLValue(number), SQLValue(place.instance), SQLValue(place.start)])
        }
        guard !remains.isInUse else { return }
        try EncounterWriter.removeIfEmpty(number, patient: patient, in: transaction)
    }
}
