import Accounts
import CarePlans
import Core
import Foundation
import Storage

/// Adds a push to the log, inside one transaction.
struct CarePushWriting {
    let transaction: any SQLTransaction
    let push: CarePush
    let now: Date
    let random: (Int) -> [UInt8]
    /// The server's own process.
    let process: UUID
    private let isRestored: Bool
    /// The log before the push.
    private(set) var former: CareLogState
    /// The vector of the log.
    var vector: KnowledgeVector
    /// Whether the server's own clock was advanced; a push advances it by 1 at most.
    var isTicked = false
    /// The bytes that the push adds.
    var bytes = 0
    /// The number of the last version.
    var lastVersion: Int64 = 0
    /// The numbers of the vectors of this push.
    var vectors: [KnowledgeVector: Int64] = [:]

    /// The number of the push.
    var number: Int { former.push + 1 }
    /// The clock of the server for versions of this push.
    var tick: Int { former.vector[process] + 1 }

    /// - Throws: ``CareLogError`` `account-unknown`, `vector-invalid`.
    init(
        _ push: CarePush, at now: Date, random: @escaping (Int) -> [UInt8], in transaction: any SQLTransaction
    ) throws {
        self.transaction = transaction
        self.push = push
        self.now = now
        self.random = random
        let state = try PeopleState(in: transaction)
        process = state.careProcess
        isRestored = state.isRestored
        guard try PeopleStore.hasPerson(push.patient, in: transaction) else { throw CareLogError.patientUnknown }
        former = try CareLogState(of: push.patient, in: transaction)
        if state.isRestored {
            former.vector = try CareRestoration.announce(
                push.patient, process: process, former: former, in: transaction)
        }
        vector = former.vector
        guard push.knowledge[process] <= vector[process] else { throw CareLogError.vectorClaimed }
        vector.merge(push.knowledge)
        // One of the processes is the server's.
        guard vector.clocks.count < KnowledgeVector.maximumProcesses else { throw CareLogError.vectorFull }
    }

    /// Runs the push.
    ///
    /// - Returns: the vector of the log.
    mutating func run() throws -> KnowledgeVector {
        // 1. The versions that are new, and their references.
        let references = try CareReferences(push, in: transaction)
        let new = push.entries.filter { !references.isStored($0.entity.uuid) }
        try references.check(new)
        // 2. Store them in causal order.
        for entry in new {
            let isLate = entry.knowledgeVector.isCovered(by: former.vector)
            var vector = entry.knowledgeVector
            if isLate {
                vector[process] = tick
                isTicked = true
            }
            try insert(entry.entity, vector: vector, arrival: isLate ? entry.knowledgeVector : nil)
        }
        // 3. Resolve what they leave with several tips.
        try resolve(new.map(\.entity))
        if isRestored {
            try complete(push.entries.map(\.entity).filter { references.isStored($0.uuid) && !$0.previous.isEmpty })
        }
        // 4. Store the vector.
        if isTicked { vector[process] = tick }
        try finish(isNew: lastVersion != 0)
        return vector
    }

    private mutating func finish(isNew: Bool) throws {
        let patient = SQLValue(push.patient)
        if isNew || vector != former.vector || !former.isStored {
            let text = CareVectorText.text(vector)
            try transaction.execute(
                """
                INSERT INTO care_log (account_id, vector, push) VALUES (?, ?, ?)
                ON CONFLICT (account_id) DO UPDATE SET vector = excluded.vector, push = excluded.push
                """, [patient, SQLValue(text), SQLValue(isNew ? number : former.push)])
            if isNew {
                try transaction.execute(
                    """
                    INSERT INTO care_push (account_id, number, actor, at, last_version, vector)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                    [
                        patient, SQLValue(number), SQLValue(push.actor), SQLValue(now), SQLValue(lastVersion),
                        SQLValue(text),
                    ])
                bytes += text.utf8.count + Self.bytesOfRow
                try PeopleStore.recordPlan(of: push.patient, adding: bytes, in: transaction)
            }
        }
        if isRestored, let session = push.session {
            try transaction.execute(
                "UPDATE care_session SET is_complete = 1 WHERE account_id = ? AND session = ? AND is_complete = 0",
                [patient, SQLValue(session)])
        }
    }

    /// Bytes of a row without its texts, as an account is charged for it.
    static let bytesOfRow = 200
    /// Bytes of a clock of a vector, as an account is charged for it.
    static let bytesOfClock = 100

    /// Adds a version whose predecessors are in the log.
    mutating func insert(_ entity: CareEntity, vector: KnowledgeVector, arrival: KnowledgeVector?) throws {
        let content = entity.object.text()
        let (own, arrived) = (try number(of: vector), try arrival.map { try number(of: $0, isSearched: false) })
        let rows = try transaction.query(
            """
            INSERT INTO care_version (account_id, uuid, kind, entity_id, task, occurrence, is_tombstone, push, previous,
                vector, arrival_vector, content)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
            """,
            [
                SQLValue(push.patient), SQLValue(entity.uuid.uuidString), SQLValue(entity.kind.rawValue),
                SQLValue(entity.id), SQLValue(entity.event?.task.uuidString), SQLValue(entity.event?.occurrence),
                SQLValue(entity.isTombstone), SQLValue(number), SQLValue(CareVectorText.text(entity.previous)),
                SQLValue(own), SQLValue(arrived), SQLValue(content),
            ])
        lastVersion = try rows.first?.integer("number") ?? lastVersion
        for previous in entity.previous {
            try transaction.execute(
                "UPDATE care_version SET followed_by = ? WHERE account_id = ? AND uuid = ? AND followed_by IS NULL",
                [SQLValue(number), SQLValue(push.patient), SQLValue(previous.uuidString)])
        }
        bytes += content.utf8.count + entity.previous.count * UUID.textLength + Self.bytesOfRow
    }

    /// Returns the number of a vector, and stores it the first time.
    ///
    /// - Parameter isSearched: whether pulls find versions by it.
    private mutating func number(of vector: KnowledgeVector, isSearched: Bool = true) throws -> Int64 {
        if isSearched, let number = vectors[vector] { return number }
        let number = try Self.store(vector, of: push.patient, isSearched: isSearched, in: transaction)
        bytes += CareVectorText.text(vector).utf8.count + Self.bytesOfRow
        guard isSearched else { return number }
        vectors[vector] = number
        bytes += vector.clocks.count { $0.value > 0 } * Self.bytesOfClock
        return number
    }

    /// Stores a vector and, if pulls find versions by it, its clocks.
    ///
    /// - Returns: its number.
    static func store(
        _ vector: KnowledgeVector, of patient: String, isSearched: Bool = true, in transaction: any SQLTransaction
    ) throws -> Int64 {
        let row = try transaction.query(
            "INSERT INTO care_vector (account_id, vector) VALUES (?, ?) RETURNING number",
            [SQLValue(patient), SQLValue(CareVectorText.text(vector))]
        ).first
        guard let number = try row?.integer("number") else {
            throw StorageError(code: "storage-column", message: "A vector has no number.")
        }
        guard isSearched else { return number }
        for (process, clock) in vector.clocks where clock > 0 {
            try transaction.execute(
                "INSERT INTO care_clock (account_id, process, clock, vector) VALUES (?, ?, ?, ?)",
                [SQLValue(patient), SQLValue(process.uuidString), SQLValue(clock), SQLValue(number)])
        }
        return number
    }
}
