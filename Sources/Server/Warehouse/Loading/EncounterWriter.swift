import Storage

/// Assigns encounters to resources and writes the new ones, with prepared statements. Used within one transaction, in
/// which nothing else creates encounters.
struct EncounterWriter {
    private let transaction: any SQLTransaction
    private let numbering: Numbering
    private let trail: UploadTrail
    private let mappings: SQLInserter<EncounterMappingRow>
    private let dayMappings: SQLInserter<EncounterMappingRow>
    private var numbers: SQLInserter<EncounterMappingRow>
    private var dayNumbers: SQLInserter<EncounterMappingRow>
    private var newVisits: SQLInserter<VisitRow>
    private let visits: SQLInserter<VisitRow>
    private var newDays: SQLInserter<DayVisitRow>
    private var days: SQLInserter<DayVisitRow>
    /// The number of the next new encounter.
    private var next: Int64
    /// The numbers of days whose visit is up to date.
    private var known: [FactEncounter: Int64] = [:]
    /// The numbers of existing days whose visit is not written yet.
    private var present: [FactEncounter: Int64] = [:]

    init(_ trail: UploadTrail, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        self.trail = trail
        numbering = Numbering(transaction: transaction, context: trail.context)
        mappings = try transaction.inserter(EncounterMappingRow.resources, sharing: trail)
        dayMappings = try transaction.inserter(EncounterMappingRow.days, sharing: trail)
        numbers = try transaction.inserter(EncounterMappingRow.numbers, sharing: trail)
        dayNumbers = try transaction.inserter(EncounterMappingRow.numbersOfDays, sharing: trail)
        newVisits = try transaction.inserter(VisitRow.new, sharing: trail)
        visits = try transaction.inserter(VisitRow.existing, sharing: trail)
        newDays = try transaction.inserter(DayVisitRow.new)
        days = try transaction.inserter(DayVisitRow.existing)
        next = try numbering.nextEncounter()
    }

    /// Announces the next encounters, so that one query finds those that exist.
    mutating func expect(_ encounters: [FactEncounter]) throws {
        var (own, days): ([EncounterMappingRow], [FactEncounter: DayVisit]) = ([], [:])
        for encounter in encounters {
            switch encounter {
            case .resource(let ide): own.append(EncounterMappingRow(ide, number: next))
            case .day(let source, let day):
                if known[encounter] == nil { days[encounter] = DayVisit(source, day, patient: trail.patient) }
            }
        }
        try mappings.expect(own)
        if days.count > 1 {
            let found = try numbering.encounters(days.keys.map(\.ide))
            for (day, visit) in days {
                guard let encounter = found[day.ide] else { continue }
                days[day] = nil
                // A visit that is up to date is not written again.
                if encounter.visit == visit {
                    known[day] = encounter.number
                } else {
                    present[day] = encounter.number
                }
            }
        }
        try dayMappings.expect(days.keys.map { EncounterMappingRow($0.ide, number: next) })
    }

    /// Returns the number of the encounter of a resource, and writes its visit.
    mutating func number(of facts: PreparedFacts) throws -> Int64 {
        switch facts.encounter {
        case .resource: return try own(facts)
        case .day(let source, let day):
            if let number = known[facts.encounter] { return number }
            let visit = DayVisit(source, day, patient: trail.patient)
            let number = try self.number(of: facts.encounter, visit)
            known[facts.encounter] = number
            return number
        }
    }

    private mutating func own(_ facts: PreparedFacts) throws -> Int64 {
        let number = next
        if try mappings.insert(EncounterMappingRow(facts.ide, number: number)) {
            try numbers.add(EncounterMappingRow(itself: number))
            try newVisits.add(VisitRow(encounter: number, facts: facts))
            next += 1
            return number
        }
        try flush()
        let known = try numbering.encounter(facts.ide)
        try numbering.touch(known, upload: trail.upload)
        try visits.insert(VisitRow(encounter: known, facts: facts))
        return known
    }

    private mutating func number(of encounter: FactEncounter, _ visit: DayVisit) throws -> Int64 {
        if let number = present.removeValue(forKey: encounter) {
            try days.add(DayVisitRow(encounter: number, visit: visit))
            return number
        }
        let number = next
        if try dayMappings.insert(EncounterMappingRow(encounter.ide, number: number)) {
            try dayNumbers.add(EncounterMappingRow(itself: number))
            try newDays.add(DayVisitRow(encounter: number, visit: visit))
            next += 1
            return number
        }
        let known = try numbering.encounter(encounter.ide)
        try days.add(DayVisitRow(encounter: known, visit: visit))
        return known
    }

    /// Writes all buffered rows.
    mutating func flush() throws {
        try numbers.flush()
        try dayNumbers.flush()
        try newVisits.flush()
        try newDays.flush()
        try days.flush()
    }

    /// Deletes an encounter that has no facts, with its visit and its mappings.
    static func removeIfEmpty(_ encounter: Int64, patient: Int64, in transaction: any SQLTransaction) throws {
        let key = [SQLValue(encounter), SQLValue(patient)]
        let fact = try transaction.first(
            "SELECT 1 AS one FROM observation_fact WHERE \(LoadedRecord.allOfEncounter) LIMIT 1", [SQLValue(encounter)])
        guard fact == nil else { return }
        try transaction.execute("DELETE FROM visit_dimension WHERE encounter_num = ? AND patient_num = ?", key)
        try transaction.execute("DELETE FROM encounter_mapping WHERE encounter_num = ?", [SQLValue(encounter)])
    }
}
