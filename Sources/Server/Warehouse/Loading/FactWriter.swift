import Foundation
import Storage

/// Writes the facts of the resources of one upload and replaces those of earlier versions, with prepared statements.
/// Used within one transaction, in which nothing else creates encounters.
final class FactWriter {
    private let transaction: any SQLTransaction
    private let trail: UploadTrail
    private var encounters: EncounterWriter
    private var rows: SQLInserter<ObservationFactRow>
    private var loaded: SQLInserter<LoadedRecord>
    /// The number of written facts, without modifiers.
    private(set) var written = 0
    /// The change of the number of facts of each upload.
    private var changes: [Int64: Int] = [:]
    /// The records whose loaded state the next flush inserts.
    private var pending: Set<Int64> = []
    /// The earlier state of records whose facts have changed. The next flush deletes those facts.
    private var replaced: [LoadedRecord] = []
    /// The number of rows that the next flush writes.
    private var waitingRows = 0
    /// The loaded state of the announced records.
    private var former: [Int64: LoadedRecord?] = [:]
    /// The stored facts of the announced records.
    private var stored = StoredFacts()
    /// Maximum number of buffered records, and of buffered rows: fewer than an inserter takes before it writes.
    private static let waiting = 2_000
    /// Encounters that lost facts and may have none left.
    private var emptied: Set<Int64> = []

    init(_ trail: UploadTrail, in transaction: any SQLTransaction) throws {
        self.transaction = transaction
        self.trail = trail
        encounters = try EncounterWriter(trail, in: transaction)
        rows = try transaction.inserter(ObservationFactRow.insertion, sharing: trail)
        loaded = try transaction.inserter(LoadedRecord.new)
    }

    /// Announces the encounters of the next facts, so that one query finds those that exist.
    func expect(_ encounters: [FactEncounter]) throws { try self.encounters.expect(encounters) }

    /// Announces all records of the next facts, so that their loaded state is read together. Facts that would be
    /// written unchanged are left as they are.
    func expect(records: [Int64]) throws {
        former = try LoadedRecord.of(records, in: transaction)
        stored = try StoredFacts(of: former.values.compactMap { $0 }, trail, in: transaction)
    }

    /// Writes the facts of a resource.
    ///
    /// - Parameters:
    ///   - record: the record's number.
    ///   - isNew: whether the record was created in this transaction, so that nothing of it is loaded.
    func write(_ facts: PreparedFacts, of record: Int64, isNew: Bool) throws {
        if pending.contains(record) || pending.count + replaced.count >= Self.waiting { try flush() }
        let expected = former.removeValue(forKey: record)
        let present = isNew ? nil : try expected ?? LoadedRecord.of(record, in: transaction)
        // The encounter of a day exists only with facts; a response is an encounter even without any.
        if case .day = facts.encounter, facts.facts.isEmpty {
            if let present { replace(present) }
            return
        }
        let encounter = try encounters.number(of: facts)
        let state = LoadedRecord(facts, of: record, encounter: encounter, upload: trail.upload)
        let made = Self.rows(of: facts, encounter: encounter)
        written += facts.facts.count
        if stored.matches(made, of: record), present == state {
            // The upload's row has the time of loading, even if no fact changed.
            changes[trail.upload, default: 0] += 0
        } else {
            if let present { replace(present) }
            try add(made)
            changes[trail.upload, default: 0] += facts.facts.count
            try loaded.add(state)
            pending.insert(record)
        }
        if state.instanceCount == 0 || !facts.facts.isEmpty { emptied.remove(encounter) }
    }

    /// Adds rows to the buffer. The rows that they replace are deleted before any of them is written.
    private func add(_ made: [ObservationFactRow]) throws {
        if waitingRows + made.count > Self.waiting { try flush() }
        for row in made { try rows.add(row) }
        waitingRows += made.count
    }

    /// Returns the rows of a resource's facts, each with its modifiers: the source of its time, the value as sent, and
    /// the warning.
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

    /// Updates the numbers in `upload_status` to the stored facts of each upload, so that loading again changes none
    /// of them, and deletes the encounters that have no facts left.
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
        pending.removeAll(keepingCapacity: true)
    }

    /// Marks the stored facts of a record for deletion. They are in the tables, because buffered rows belong to other
    /// records.
    private func replace(_ present: LoadedRecord) {
        replaced.append(present)
        emptied.insert(present.encounter)
    }
}
