import Foundation
import Storage

/// Writes the facts of the resources of one upload, in place of those of other versions of them, through statements that
/// are prepared once. It lives inside one transaction, in which nothing else makes an encounter.
final class FactWriter {
    private let transaction: any SQLTransaction
    private let trail: UploadTrail
    private var encounters: EncounterWriter
    private var rows: SQLInserter<ObservationFactRow>
    private var loaded: SQLInserter<LoadedRecord>
    /// Facts without their modifiers.
    private(set) var written = 0
    /// By their uploads, the facts that stand there more than before.
    private var changes: [Int64: Int] = [:]
    /// The records of which something is noted by the next flush.
    private var noted: Set<Int64> = []
    /// What stands of records that are written otherwise, which the next flush takes away.
    private var replaced: [LoadedRecord] = []
    /// Rows that the next flush writes.
    private var waitingRows = 0
    /// What was loaded of the records that are to come next.
    private var former: [Int64: LoadedRecord?] = [:]
    /// The facts that stand of them.
    private var standing = StandingFacts()
    /// So many records, and so many rows, wait at most: fewer than an inserter takes before it writes.
    private static let waiting = 2_000
    /// Encounters that lost facts and may have none.
    private var emptied: Set<Int64> = []

    init(_ trail: UploadTrail, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        self.trail = trail
        encounters = try EncounterWriter(trail, in: transaction)
        rows = try transaction.inserter(ObservationFactRow.insertion, sharing: trail)
        loaded = try transaction.inserter(LoadedRecord.new)
    }

    /// Tells which encounters' facts are to be written next, so that a server is asked once which of them are there.
    func expect(_ encounters: [FactEncounter]) throws { try self.encounters.expect(encounters) }

    /// Tells which records' facts are to be written next, each of them, so that what was loaded of them is asked for together:
    /// facts that would be written the same stay as they are.
    func expect(records: [Int64]) throws {
        former = try LoadedRecord.of(records, in: transaction)
        standing = try StandingFacts(of: former.values.compactMap { $0 }, trail, in: transaction)
    }

    /// Writes the facts of a resource.
    ///
    /// - Parameters:
    ///   - record: its number.
    ///   - isNew: whether the record was made in this transaction, so that nothing is loaded of it.
    func write(_ facts: PreparedFacts, of record: Int64, isNew: Bool) throws {
        if noted.contains(record) || noted.count + replaced.count >= Self.waiting { try flush() }
        let expected = former.removeValue(forKey: record)
        let present = isNew ? nil : try expected ?? LoadedRecord.of(record, in: transaction)
        // A day is made by its facts; a response is an encounter without any too.
        if case .day = facts.encounter, facts.facts.isEmpty {
            if let present { replace(present) }
            return
        }
        let encounter = try encounters.number(of: facts)
        let place = LoadedRecord(facts, of: record, encounter: encounter, upload: trail.upload)
        let made = Self.rows(of: facts, encounter: encounter)
        written += facts.facts.count
        if standing.stand(made, of: record), present == place {
            // The upload's row tells when it was loaded, also where no fact of it changed.
            changes[trail.upload, default: 0] += 0
        } else {
            if let present { replace(present) }
            try add(made)
            changes[trail.upload, default: 0] += facts.facts.count
            try loaded.add(place)
            noted.insert(record)
        }
        if place.instanceCount == 0 || !facts.facts.isEmpty { emptied.remove(encounter) }
    }

    /// Adds rows to those that wait. What they take the place of is taken away before any of them is written.
    private func add(_ made: [ObservationFactRow]) throws {
        if waitingRows + made.count > Self.waiting { try flush() }
        for row in made { try rows.add(row) }
        waitingRows += made.count
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
    func finish() throws {
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

    private func flush() throws {
        for (upload, count) in try LoadedRecord.removeFacts(of: replaced, in: transaction) {
            changes[upload, default: 0] -= count
        }
        try LoadedRecord.forget(replaced.map(\.number), in: transaction)
        replaced.removeAll(keepingCapacity: true)
        try encounters.flush()
        try rows.flush()
        try loaded.flush()
        waitingRows = 0
        noted.removeAll(keepingCapacity: true)
    }

    /// Has what stands of a record taken away, which is in the tables: what waits is of other records.
    private func replace(_ present: LoadedRecord) {
        replaced.append(present)
        emptied.insert(present.encounter)
    }
}
