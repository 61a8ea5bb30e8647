import Accounts
import CarePlans
import Core
import Foundation
import Storage

/// Reads what a copy lacks, in one snapshot of the store.
struct CareReading {
    let transaction: any SQLTransaction
    let patient: String
    /// The knowledge of the copy.
    let knowledge: KnowledgeVector
    let caller: CareLogReader
    let session: String
    let state: PeopleState
    let log: CareLogState
    /// Whether the session has not sent what it has since the store was restored.
    let isFirstAfterRestore: Bool

    init(
        _ patient: String, knowledge: KnowledgeVector, caller: CareLogReader, session: String, isWriter: Bool,
        in transaction: any SQLTransaction
    ) throws {
        self.transaction = transaction
        self.patient = patient
        self.knowledge = knowledge
        self.caller = caller
        self.session = session
        guard try PeopleStore.hasPerson(patient, in: transaction) else { throw CareLogError.patientUnknown }
        state = try PeopleState(in: transaction)
        log = try CareLogState(of: patient, in: transaction)
        guard state.isRestored, isWriter else {
            isFirstAfterRestore = false
            return
        }
        let row = try transaction.first(
            "SELECT answers, is_complete FROM care_session WHERE account_id = ? AND session = ?",
            [SQLValue(patient), SQLValue(session)])
        isFirstAfterRestore =
            try row.map {
                try $0.integer("is_complete") == 0 && $0.integer("answers") < CareLimits.answersAfterRestore
            } ?? true
    }

    /// Returns the answer to a session that has not sent what it has: no versions, and all processes at clock 0.
    func answerAfterRestore() throws -> CareAnswer {
        _ = try CareRestoration.announce(patient, process: state.careProcess, former: log, in: transaction)
        try transaction.execute(
            """
            INSERT INTO care_session (account_id, session, answers) VALUES (?, ?, 1)
            ON CONFLICT (account_id, session) DO UPDATE SET answers = care_session.answers + 1
            """, [SQLValue(patient), SQLValue(session)])
        var vector = KnowledgeVector()
        for process in Set(log.vector.clocks.keys).union(knowledge.clocks.keys) { vector[process] = 0 }
        return CareAnswer(revisions: [], knowledgeVector: vector, next: nil)
    }

    /// The processes of which the log may have versions that the copy lacks, with the clock of the copy.
    private var lagging: [(process: UUID, clock: Int)] {
        log.vector.clocks.filter { $0.value > knowledge[$0.key] }.map { ($0.key, knowledge[$0.key]) }
            .sorted { $0.process.uuidString < $1.process.uuidString }
    }

    /// Whether there is a version that the copy lacks.
    func hasNews() throws -> Bool {
        for (process, clock) in lagging
        where try !newVectors(of: process, after: clock, limit: 1).isEmpty {
            return true
        }
        return false
    }

    private func newVectors(of process: UUID, after clock: Int, limit: Int) throws -> [Int64] {
        try transaction.query(
            Self.newVectorsSQL,
            [SQLValue(patient), SQLValue(process.uuidString), SQLValue(clock), SQLValue(limit)]
        ).map { try $0.integer("vector") }
    }

    /// Returns the page after a cursor.
    func answer(page: String?) throws -> CareAnswer {
        let cursor = try page.map { try CareCursor($0, epoch: state.epoch) } ?? CareCursor(push: log.push, number: 0)
        var vector = log.vector
        if page != nil {
            guard
                let row = try transaction.first(Self.pushSQL, [SQLValue(patient), SQLValue(cursor.push)])
            else { throw CareLogError.cursorInvalid }
            vector = try CareVectorText.vector(row.text("vector"))
        }
        for process in knowledge.clocks.keys where vector.clocks[process] == nil { vector[process] = 0 }
        var building = CarePage(reading: self, cursor: cursor)
        let next = try building.build()
        return CareAnswer(
            revisions: building.revisions, knowledgeVector: vector, next: next.map { $0.text(epoch: state.epoch) })
    }

    /// The next versions that the copy lacks after a number, in the order of the log.
    ///
    /// - Parameters:
    ///   - push: the last push of the snapshot of the pages.
    ///   - limit: the maximum number of versions.
    /// - Returns: the versions, and the number up to which the log was examined; nil for its end.
    func newVersions(
        after number: Int64, upTo push: Int, limit: Int
    ) throws -> (versions: [CareStoredVersion], examined: Int64?) {
        guard let found = try fewVectors() else { return try scan(after: number, upTo: push, limit: limit) }
        // 1. Few vectors: find their versions by them.
        var versions: [CareStoredVersion] = []
        for vector in found {
            versions += try transaction.query(
                Self.versionsOfVectorSQL,
                [SQLValue(patient), SQLValue(vector), SQLValue(number), SQLValue(push), SQLValue(limit + 1)]
            ).map { try CareStoredVersion($0) }
            if versions.count > CareLimits.versionsPerScan {
                return try scan(after: number, upTo: push, limit: limit)
            }
        }
        versions.sort { $0.number < $1.number }
        guard versions.count > limit else { return (versions, nil) }
        return (Array(versions.prefix(limit)), versions[limit - 1].number)
    }

    /// The vectors that the knowledge of the copy does not cover; nil if there are too many.
    private func fewVectors() throws -> Set<Int64>? {
        var found: Set<Int64> = []
        for (process, clock) in lagging {
            found.formUnion(
                try newVectors(of: process, after: clock, limit: CareLimits.vectorsPerPage + 1))
            guard found.count <= CareLimits.vectorsPerPage else { return nil }
        }
        return found
    }

    /// Examines versions in the order of the log.
    private func scan(
        after number: Int64, upTo push: Int, limit: Int
    ) throws -> (versions: [CareStoredVersion], examined: Int64?) {
        var (versions, last, count): ([CareStoredVersion], Int64, Int) = ([], number, 0)
        while count < CareLimits.versionsPerScan {
            let rows = try transaction.query(
                Self.scanSQL, [SQLValue(patient), SQLValue(last), SQLValue(push), SQLValue(limit)])
            for row in rows {
                let version = try CareStoredVersion(row)
                last = version.number
                guard !version.vector.isCovered(by: knowledge) else { continue }
                versions.append(version)
                if versions.count == limit { return (versions, last) }
            }
            guard rows.count == limit else { return (versions, nil) }
            count += rows.count
        }
        return (versions, last)
    }

    /// Parameters: account, process, clock, limit.
    static let newVectorsSQL =
        "SELECT vector FROM care_clock WHERE account_id = ? AND process = ? AND clock > ? LIMIT ?"
    /// Parameters: account, push.
    static let pushSQL = "SELECT vector FROM care_push WHERE account_id = ? AND number = ?"
    /// Parameters: account, vector, number, push, limit.
    static let versionsOfVectorSQL = """
        SELECT \(CareStoredVersion.columns) FROM care_version v \(CareStoredVersion.joins)
        WHERE v.account_id = ? AND v.vector = ? AND v.number > ? AND v.push <= ? ORDER BY v.number LIMIT ?
        """
    /// Parameters: account, number, push, limit.
    static let scanSQL = """
        SELECT \(CareStoredVersion.columns) FROM care_version v \(CareStoredVersion.joins)
        WHERE v.account_id = ? AND v.number > ? AND v.push <= ? ORDER BY v.number LIMIT ?
        """
}

/// The position of a page of a pull.
struct CareCursor: Sendable {
    /// The last push of the snapshot of all pages.
    let push: Int
    /// The number of the last version that was examined.
    let number: Int64

    init(push: Int, number: Int64) {
        self.push = push
        self.number = number
    }

    /// Reads a text.
    ///
    /// - Throws: ``CareLogError`` `cursor-invalid`, also for a text from before a restore of the store.
    init(_ text: String, epoch: String) throws(CareLogError) {
        let parts = text.utf8.count <= 100 ? text.split(separator: ".") : []
        guard parts.count == 3, parts[0] == epoch.prefix(8), let push = Int(parts[1]), let number = Int64(parts[2]),
            push >= 0, number >= 0
        else { throw CareLogError.cursorInvalid }
        self.push = push
        self.number = number
    }

    func text(epoch: String) -> String { "\(epoch.prefix(8)).\(push).\(number)" }
}
