import Foundation
import Storage

/// Writes the facts of the resources of one upload, in place of those of other versions of them, through statements that
/// are prepared once. It lives inside one transaction, in which nothing else makes an encounter.
struct FactWriter {
    private let transaction: any SQLTransaction
    private let numbering: Numbering
    private let trail: UploadTrail
    private let mappings: SQLInserter<EncounterMappingRow>
    private var numbers: SQLInserter<EncounterMappingRow>
    private var newVisits: SQLInserter<VisitRow>
    private let visits: SQLInserter<VisitRow>
    private var rows: SQLInserter<ObservationFactRow>
    /// The number of the next new encounter.
    private var next: Int64
    /// Facts without their modifiers.
    private(set) var written = 0
    /// By their uploads, the facts that stand there more than before.
    private var changes: [Int64: Int] = [:]

    init(_ trail: UploadTrail, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        self.trail = trail
        numbering = Numbering(transaction: transaction, context: trail.context)
        mappings = try transaction.inserter(EncounterMappingRow.resources, sharing: trail)
        numbers = try transaction.inserter(EncounterMappingRow.numbers, sharing: trail)
        newVisits = try transaction.inserter(VisitRow.new, sharing: trail)
        visits = try transaction.inserter(VisitRow.again, sharing: trail)
        rows = try transaction.inserter(ObservationFactRow.insertion, sharing: trail)
        next = try numbering.nextEncounter()
    }

    /// Tells which resources' facts are to be written next, by their types and ids, so that a server is asked once which
    /// of them have an encounter.
    func expect(_ resources: [String]) throws {
        try mappings.expect(resources.lazy.map { EncounterMappingRow($0, number: next) })
    }

    /// Writes the facts of a resource.
    mutating func write(_ facts: PreparedFacts) throws {
        let encounter: Int64
        if let new = try newEncounter(facts.ide) {
            encounter = new
            try newVisits.add(VisitRow(encounter: new, facts: facts))
        } else {
            encounter = try emptied(facts.ide)
            try visits.insert(VisitRow(encounter: encounter, facts: facts))
        }
        for row in Self.rows(of: facts, encounter: encounter) { try rows.add(row) }
        written += facts.facts.count
        changes[trail.upload, default: 0] += facts.facts.count
    }

    /// The rows of a resource's facts, each with what stands beside it: how its time is known, what was sent, and what could
    /// not be kept.
    static func rows(of facts: PreparedFacts, encounter: Int64) -> [ObservationFactRow] {
        var rows: [ObservationFactRow] = []
        rows.reserveCapacity(facts.rowCount)
        for fact in facts.facts {
            rows.append(ObservationFactRow(fact, of: facts, encounter: encounter))
            if let source = facts.timeSource {
                rows.append(ObservationFactRow(source, ofTimeOf: fact, of: facts, encounter: encounter))
            }
            if let original = fact.original {
                rows.append(ObservationFactRow(original, sentAs: fact, of: facts, encounter: encounter))
            }
            if let warning = fact.warning {
                rows.append(ObservationFactRow(warning, about: fact, of: facts, encounter: encounter))
            }
        }
        return rows
    }

    /// Keeps the numbers of `upload_status` equal to the facts that stand there from the upload, so that loading again
    /// changes none of them.
    mutating func finish() throws {
        try flush()
        for (upload, change) in changes.sorted(by: { $0.key < $1.key }) {
            try transaction.execute(
                """
                UPDATE upload_status SET no_of_record = no_of_record + ?, loaded_record = loaded_record + ?,
                    end_date = ?, load_status = 'COMPLETED' WHERE upload_id = ?
                """,
                [
                    SQLValue(change), SQLValue(change), WarehouseTime.value(trail.context.load), SQLValue(upload),
                ])
        }
    }

    private mutating func flush() throws {
        try numbers.flush()
        try newVisits.flush()
        try rows.flush()
    }

    /// Maps a resource to an encounter of its own; nil where it has one.
    private mutating func newEncounter(_ ide: String) throws -> Int64? {
        let number = next
        guard try mappings.insert(EncounterMappingRow(ide, number: number)) else { return nil }
        try numbers.add(EncounterMappingRow(itself: number))
        next += 1
        return number
    }

    /// The encounter of a resource that was loaded before, without the facts that it had.
    private mutating func emptied(_ ide: String) throws -> Int64 {
        // The facts that it had may be of this upload.
        try flush()
        let known = try numbering.encounter(ide, patient: trail.patient)
        try numbering.touch(known, upload: trail.upload)
        let place = [SQLValue(known.number), SQLValue(trail.patient)]
        if let loaded = known.upload {
            let facts = try transaction.first(
                """
                SELECT count(*) AS facts FROM observation_fact
                WHERE encounter_num = ? AND patient_num = ? AND modifier_cd = '@'
                """, place)
            changes[loaded, default: 0] -= Int(facts?.integerIfPresent("facts") ?? 0)
        }
        try transaction.execute("DELETE FROM observation_fact WHERE encounter_num = ? AND patient_num = ?", place)
        return known.number
    }
}
