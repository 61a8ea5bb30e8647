import Accounts
import CarePlans
import Core
import Foundation
import Storage

/// The form of the answer to a pull.
package enum CareLogReader: String, Sendable, Hashable {
    /// CareKit's own store: the answer has one version of each event.
    case careKit = "carekit"
    /// A copy that takes all versions.
    case complete
}

/// The logs of the care plans of account holders, in the people store.
///
/// A log has one entry for each version of an entity, in the order of arrival, which is causal. A push adds versions, and
/// resolves the conflicts that it leaves: after each push, an id has at most one tip, and an event at most one live
/// outcome. A pull returns the versions that a copy lacks.
package struct CareLog: Sendable {
    /// The people store.
    package let store: PeopleStore

    /// Creates the logs of a people store.
    package init(store: PeopleStore) { self.store = store }

    /// Adds revisions to the plan of a patient, in one transaction. A repeated push adds nothing.
    ///
    /// A version that arrives although the vector of the log covers its vector gets a clock of the server too, so that
    /// other copies find it.
    ///
    /// - Parameters:
    ///   - revisions: the revisions, in any order.
    ///   - knowledge: the knowledge of the sending copy.
    ///   - patient: the account whose plan it is.
    ///   - actor: the account that sends.
    ///   - session: the session that sends, as in a pull. After a restore of the store, pulls of this session have no
    ///     versions until the session has sent what it has, even if that is nothing.
    ///   - check: called first in the transaction; it throws if the actor may not change the plan.
    /// - Returns: the vector of the log.
    /// - Throws: ``CareLogError``, ``CarePlanError``, the error `account-full`, ``StorageError``, errors of `check`.
    package func push(
        _ revisions: [CareRevision], knowledge: KnowledgeVector, patient: String, actor: String,
        session: String? = nil, check: @escaping @Sendable (any SQLTransaction) throws -> Void = { _ in }
    ) async throws -> KnowledgeVector {
        let push = try CarePush(revisions, knowledge: knowledge, patient: patient, actor: actor, session: session)
        let (now, random) = (store.clock(), store.random)
        return try await store.database.write { transaction in
            try check(transaction)
            var writing = try CarePushWriting(push, at: now, random: random, in: transaction)
            return try writing.run()
        }
    }

    /// Returns one page of the versions that a copy lacks.
    ///
    /// All pages are of one snapshot: versions that arrive between them are not on them. The vector of the answer names
    /// each process of the caller, at clock 0 if the log does not know it.
    ///
    /// After a restore of the store, a session gets no versions, and all processes at clock 0, until it has pushed. A copy
    /// therefore pushes after such an answer even if it has no versions.
    ///
    /// - Parameters:
    ///   - knowledge: the knowledge of the copy, the same for all pages.
    ///   - page: the `next` of the page before; nil for the first page.
    ///   - caller: the form of the answer.
    ///   - patient: the account whose plan it is.
    ///   - session: the session that pulls, such as the id of its authorization.
    ///   - isWriter: whether the session may push.
    ///   - check: called first in the transaction; it throws if the session may not read the plan.
    /// - Throws: ``CareLogError``, ``StorageError``, errors of `check`.
    package func pull(
        since knowledge: KnowledgeVector, page: String?, caller: CareLogReader, patient: String, session: String,
        isWriter: Bool = true, check: @escaping @Sendable (any SQLTransaction) throws -> Void = { _ in }
    ) async throws -> CareAnswer {
        let answer = try await store.database.read { transaction in
            try check(transaction)
            let reading = try CareReading(
                patient, knowledge: knowledge, caller: caller, session: session, isWriter: isWriter, in: transaction)
            return try reading.isFirstAfterRestore ? nil : reading.answer(page: page)
        }
        if let answer { return answer }
        return try await store.database.write { transaction in
            try check(transaction)
            let reading = try CareReading(
                patient, knowledge: knowledge, caller: caller, session: session, isWriter: isWriter, in: transaction)
            return try reading.isFirstAfterRestore ? reading.answerAfterRestore() : reading.answer(page: page)
        }
    }

    /// Whether a pull would return versions, or would be the first after a restore.
    ///
    /// The time that it takes does not depend on the number of versions in the log.
    package func hasNews(
        since knowledge: KnowledgeVector, patient: String, session: String, isWriter: Bool = true,
        check: @escaping @Sendable (any SQLTransaction) throws -> Void = { _ in }
    ) async throws -> Bool {
        try await store.database.lookUp { transaction in
            try check(transaction)
            let reading = try CareReading(
                patient, knowledge: knowledge, caller: .complete, session: session, isWriter: isWriter, in: transaction)
            return try reading.isFirstAfterRestore || reading.hasNews()
        }
    }
}

/// The row of a log.
struct CareLogState: Sendable {
    /// The vector of the log.
    var vector = KnowledgeVector()
    /// The number of the last push with new versions.
    var push = 0
    /// Whether the row exists.
    var isStored = false

    init(of patient: String, in transaction: any SQLTransaction) throws {
        guard let row = try transaction.first(Self.logSQL, [SQLValue(patient)]) else { return }
        vector = try CareVectorText.vector(row.text("vector"))
        push = Int(try row.integer("push"))
        isStored = true
    }

    /// Parameter: account.
    static let logSQL = "SELECT vector, push FROM care_log WHERE account_id = ?"
}
