import Foundation
import Storage

/// Writes the facts of the resources of one upload, in place of those of other versions of them, through statements that
/// are prepared once. It lives inside one transaction, in which nothing else makes an encounter.
struct FactWriter {
    private let transaction: any SQLTransaction
    private let trail: UploadTrail
    private var encounters: EncounterWriter
    private var rows: SQLInserter<ObservationFactRow>
    private var loaded: SQLInserter<LoadedRecord>
    private let loadedAgain: SQLInserter<LoadedRecord>
    /// Facts without their modifiers.
    private(set) var written = 0
    /// By their uploads, the facts that stand there more than before.
    private var changes: [Int64: Int] = [:]
    /// The records of which something is noted by the next flush.
    private var noted: Set<Int64> = []
    /// Encounters that lost facts and may have none.
    private var emptied: Set<Int64> = []

    init(_ trail: UploadTrail, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        self.trail = trail
        encounters = try EncounterWriter(trail, in: transaction)
        rows = try transaction.inserter(ObservationFactRow.insertion, sharing: trail)
        loaded = try transaction.inserter(LoadedRecord.new)
        loadedAgain = try transaction.inserter(LoadedRecord.insertion)
    }

    /// Tells which encounters' facts are to be written next, so that a server is asked once which of them are there.
    func expect(_ encounters: [FactEncounter]) throws { try self.encounters.expect(encounters) }

    /// Writes the facts of a resource.
    ///
    /// - Parameters:
    ///   - record: its number.
    ///   - isNew: whether the record was made in this transaction, so that nothing is loaded of it.
    mutating func write(_ facts: PreparedFacts, of record: Int64, isNew: Bool) throws {
        if noted.contains(record) { try flush() }
        let former = isNew ? nil : try LoadedRecord.of(record, in: transaction)
        if let former { try remove(former) }
        // A day is made by its facts; a response is an encounter without any too.
        if case .day = facts.encounter, facts.facts.isEmpty {
            if former != nil { try LoadedRecord.forget(record, in: transaction) }
            return
        }
        let encounter = try encounters.number(of: facts)
        for row in Self.rows(of: facts, encounter: encounter) { try rows.add(row) }
        written += facts.facts.count
        changes[trail.upload, default: 0] += facts.facts.count
        let place = LoadedRecord(facts, of: record, encounter: encounter, upload: trail.upload)
        if former == nil {
            try loaded.add(place)
            noted.insert(record)
        } else {
            try loadedAgain.insert(place)
        }
        if former?.encounter == encounter, place.instanceCount == 0 { emptied.remove(encounter) }
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
    /// changes none of them, and takes the encounters away that have no facts any more.
    mutating func finish() throws {
        try flush()
        for encounter in emptied.sorted() {
            try EncounterWriter.removeIfEmpty(encounter, patient: trail.patient, in: transaction)
        }
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
        try encounters.flush()
        try rows.flush()
        try loaded.flush()
        noted.removeAll(keepingCapacity: true)
    }

    /// Takes the facts of a record away.
    private mutating func remove(_ former: LoadedRecord) throws {
        // They may be of this upload.
        try flush()
        let own = former.facts
        let facts = try transaction.first(
            "SELECT count(*) AS facts FROM observation_fact WHERE \(own.condition) AND modifier_cd = '@'",
            own.parameters)
        changes[former.upload, default: 0] -= Int(facts?.integerIfPresent("facts") ?? 0)
        try transaction.execute("DELETE FROM observation_fact WHERE \(own.condition)", own.parameters)
        emptied.insert(former.encounter)
    }
}
